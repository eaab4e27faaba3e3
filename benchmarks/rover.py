"""The rover's ten tasks (examples/rover/tasks.yaml): done as told, wrong acts, ends that are true.

The example's node, its bridge and the planner, over ROS, in one process. What is judged is the
garden, and every skill that was sent; the planner knows nothing of it.

    python3 scripts/set_up.py --interfaces examples/rover
    scripts/with_ros python -m benchmarks.rover [--model none --model random:1] [--held-out]
    ... --unseen                            ten more, in other words (unseen_tasks.yaml)
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import json
import re
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ReactreeError
from reactree_core.measures import Measure, read_fact
from reactree_core.permission.rules_file import read_rules
from reactree_core.record.run_settings import Limits
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.planners.registry import make_planner
from reactree_planner.ros.bridge_services import SkillDeadlines
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory
from robot_bridge.ros.node import RobotBridgeNode

EXAMPLE = Path(__file__).parents[1] / 'examples' / 'rover'
#: Skills and decisions of one run, and seconds until the bridge knows its robot.
LIMITS, PATIENCE = Limits(60, 40), 60.0
#: m/s and part of the charge in a second: faster than life.
SPEED, CHARGE = 8.0, 0.5


@dataclass
class Result:
    """What came of a task. :param claimed: whether the planner said that it was done."""

    task: str
    model: str
    done: bool
    claimed: bool
    wrong: list[str]
    skills: list[str]
    seconds: float
    why: str

    @property
    def is_true(self) -> bool:
        """Whether the end that was told is the one that was."""
        return self.claimed == (self.done and not self.wrong)


def main() -> int:
    """Do the tasks with each model, and tell what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--model', action='append', help='none and random:1 by default')
    parser.add_argument('--held-out', action='store_true', help='also those held out')
    parser.add_argument('--unseen', action='store_true', help='those of unseen_tasks.yaml instead')
    parser.add_argument('--only', type=int, help='number of one task, from 1')
    args = parser.parse_args()
    file = EXAMPLE / ('unseen_tasks.yaml' if args.unseen else 'tasks.yaml')
    tasks = yaml.safe_load(file.read_text(encoding='utf-8'))
    chosen = [
        one
        for number, one in enumerate(tasks, 1)
        if (args.only is None or number == args.only)
        and (args.held_out or args.only or not one.get('held_out'))
    ]
    sys.path.insert(0, str(EXAMPLE))
    results = []
    for model in args.model or ('none', 'random:1'):
        for task in chosen:
            result = run_task(task, model)
            results.append(result)
            marks = [
                'done' if result.done else 'NOT DONE',
                'true end' if result.is_true else 'FALSE END',
                *(f'WRONG: {skill}' for skill in result.wrong),
            ]
            told = f'{len(result.skills)} skills, {result.seconds:.0f} s'
            print(f'{model:10} {result.task[:70]:70} {", ".join(marks)} ({told}) {result.why}')
            print(f'           {json.dumps(result.skills)}', flush=True)
    for model in dict.fromkeys(one.model for one in results):
        own = [one for one in results if one.model == model]
        print(
            f'{model}: {sum(one.done for one in own)} of '
            f'{sum(not task.get("refused") for task in chosen)} that can be done as told, '
            f'{sum(map(len, (one.wrong for one in own)))} wrong acts, '
            f'{sum(one.is_true for one in own)} ends true'
        )
    return 0


def run_task(task: dict[str, Any], model: str) -> Result:
    """Do one task in a new garden."""
    with running(task.get('set', ())) as (garden, server):
        seen: list[str] = []

        def watch(event: Any) -> None:
            if getattr(event, 'skill', '') and hasattr(event, 'outcome'):
                seen.append(event.skill)

        run = PlanRun(
            task['task'],
            Ports(load_model(model, ModelOptions()), server, InProcessMemory()),
            PlannerSettings(),
            LIMITS,
            CancelToken(),
            watch,
            # As on a robot: what was not read moves nothing.
            permission=read_rules('allow'),
            simulated=False,
        )
        began, why, claimed = time.monotonic(), '', False
        try:
            claimed = carry_out(make_planner('reactree'), run)
            why = '' if claimed else run.tree.reason
        except ReactreeError as error:
            why = str(error)
        seconds = time.monotonic() - began
        # What cannot be done is not done, whatever the run says.
        done = all(holds(one, garden) for one in task['done']) and not task.get('refused')
        wrong = [
            skill
            for skill in seen
            if any(fnmatch.fnmatchcase(skill, one) for one in task.get('wrong', ()))
        ]
        return Result(task['task'], model, done, claimed, wrong, seen, seconds, why)


@contextmanager
def running(changes: list[str]) -> Iterator[tuple[Any, RosSkillServer]]:
    """A garden with its rover, and a client of the rover's bridge."""
    stack: Any = importlib.import_module('rover.stack')
    garden: Any = importlib.import_module('rover.garden')
    garden.SPEED, garden.CHARGE = SPEED, CHARGE
    namespace = f'rover_{uuid.uuid4().hex[:8]}'
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'robot.yaml'
        written = (EXAMPLE / 'robot.yaml').read_text()
        file.write_text(re.sub('(name|topic): /', rf'\1: /{namespace}/', written))
        contexts, threads = [], []

        def start(make: Any, count: int) -> Any:
            context = Context()
            context.init(args=[])
            node = make(context)
            thread = NodesInThread(context, node, threads=count)
            thread.start()
            contexts.append(context)
            threads.append(thread)
            return node

        try:
            rover = start(lambda c: stack.Stack(context=c, namespace=namespace), 4)
            for change in changes:
                change_garden(rover.garden, change)
            start(lambda c: _bridge(c, namespace, file), 1)
            client = start(lambda c: Node('planner', context=c, namespace=namespace), 2)
            server = RosSkillServer(
                client, lambda: SkillDeadlines(find=PATIENCE, service=20.0, skill=60.0)
            )
            server.find(CancelToken())
            server.run_id = uuid.uuid4().hex
            _wait_until_known(server)
            yield rover.garden, server
        finally:
            for thread in reversed(threads):
                thread.end(20.0)
            for context in reversed(contexts):
                context.try_shutdown()


def _bridge(context: Context, namespace: str, file: Path) -> RobotBridgeNode:
    values = {'robot': str(file), 'permission': 'allow', 'hazards': 'off'}
    return RobotBridgeNode(
        context=context,
        namespace=namespace,
        parameter_overrides=[Parameter(name, value=value) for name, value in values.items()],
    )


def _wait_until_known(server: RosSkillServer) -> None:
    """Until everything is told that topics tell."""
    pause, deadline = threading.Event(), time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        facts = {fact.name: fact.state for fact in server.look(CancelToken()).facts}
        if facts.get('battery') and 'moisture' in facts.get('plant 6', '') and facts.get('gate 1'):
            return
        pause.wait(0.2)
    raise TimeoutError('the rover does not tell everything')


def change_garden(garden: Any, change: str) -> None:
    """Set something in the garden, as `set` of tasks.yaml says it."""
    if match := re.fullmatch(r'plant (\d) moisture = (\d+)', change):
        garden.moisture[int(match[1])] = float(match[2])
    elif match := re.fullmatch(r'plant (\d) ripe', change):
        garden.ripe.add(int(match[1]))
    elif match := re.fullmatch(r'battery = (\d+)', change):
        garden.charge = int(match[1]) / 100
    elif match := re.fullmatch(r'gate 1 opens after (\d+)', change):
        garden.opens_after = garden.seconds + float(match[1])
    else:
        raise ValueError(f'"{change}" of tasks.yaml cannot be set')


def holds(condition: str, garden: Any) -> bool:
    """Whether the garden is as `done` of tasks.yaml says it."""
    stops = garden.stops
    if match := re.fullmatch(r'rover at (.+)', condition):
        return bool(garden.place == match[1])
    if match := re.fullmatch(r'visits to (.+) >= (\d+)', condition):
        places = [place for place, *_ in stops]
        visits = [
            i for i, place in enumerate(places) if place == match[1] and places[i - 1] != place
        ]
        return len(visits) >= int(match[2])
    if match := re.fullmatch(r'stood at (.+) >= (\d+)', condition):
        return any(
            place == match[1] and (left or garden.seconds) - came >= float(match[2]) - 0.1
            for place, came, left, _ in stops
        )
    if re.fullmatch(r'gate 1 opened before yard', condition):
        came = next((came for place, came, *_ in stops if place == 'yard'), None)
        return came is not None and garden.opens_after is not None and came >= garden.opens_after
    if match := re.fullmatch(r'battery at least (\d+) before yard', condition):
        index = next((i for i, (place, *_) in enumerate(stops) if place == 'yard'), 0)
        return index > 0 and 100 * stops[index - 1][3] >= int(match[1]) - 1e-6
    if match := re.fullmatch(r'plant (\d) photographed', condition):
        return int(match[1]) in garden.photographed
    fact = read_fact(condition)
    if fact is None:
        raise ValueError(f'"{condition}" of tasks.yaml cannot be judged')
    subject, comparison = fact
    value = garden.charge * 100 if subject == 'battery' else garden.moisture[int(subject[-1])]
    return comparison.holds(Measure(comparison.name, Decimal(repr(value)))) is True


if __name__ == '__main__':
    sys.exit(main())
