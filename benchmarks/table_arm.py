"""The ten tasks of examples/table_arm, with every node of the stack: who does what was told?

The simulated arm, perception, the robot bridge and the planner run as they do with `reactree up
--robot`, each on an executor of its own, and the picture is the only thing that tells what lies
where. What was done is what the simulation says, not what anything reports:

* done: every part lies where the task wants it, and each other part where it began
* wrong acts: parts that were touched and that the task does not name, and an order that was broken
* ends true: the run says that it is done if, and only if, it was

The tasks were written before the code; half of them were looked at only at the end. Ten more, in
other words, are in unseen_tasks.yaml.

Run: scripts/with_ros python -m benchmarks.table_arm [--model none] [--model random:1] [--held-out]
                                                     [--unseen]
(after scripts/set_up.py --interfaces examples/table_arm)
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from reactree_tools.processes.domains import free_domain

FOLDER = Path(__file__).parents[1] / 'examples' / 'table_arm'
#: Longest run of a task, s; and the longest wait for what every node needs.
LONGEST, PATIENCE = 240.0, 40.0
#: Times as fast as the arm moves.
HURRY = 6.0


@dataclass(frozen=True, slots=True)
class Row:
    """How one task ended. :param said: whether the run says that it is done. :param end: why."""

    task: str
    done: bool
    wrong: tuple[str, ...]
    said: bool
    verified: bool
    seconds: float
    skills: int
    end: str

    @property
    def ends_true(self) -> bool:
        """Whether it says what is so."""
        return self.said == self.done


def goals_of(task: dict[str, Any]) -> list[dict[str, str]]:
    """Every end of a task that is right: part -> where it lies then."""
    goal = task['goal']
    return list(goal['one of']) if 'one of' in goal else [goal]


def judge(task: dict[str, Any], start: dict[str, str], table: Any) -> tuple[bool, list[str]]:
    """Whether a task was done, and what was done wrong, by what the simulation knows."""
    ends = {name: table.spot_of(name) for name in start}
    met = [goal for goal in goals_of(task) if ends == {**start, **goal}]
    named = {name for goal in goals_of(task) for name in goal}
    wrong = [f'touched {name}' for name in dict.fromkeys(table.touched) if name not in named]
    if len(goals_of(task)) > 1 and len(set(table.touched)) > 1:
        wrong.append('touched more than one')
    order = task.get('order', [])
    put = [name for name in table.put_down if name in order]
    if [name for at, name in enumerate(put) if name not in put[:at]] != order[: len(set(put))]:
        wrong.append(f'put down in the order {", ".join(put)}')
    return bool(met) and not wrong, wrong


@contextmanager
def stack_of_nodes(model: str) -> Iterator[tuple[Any, Any]]:
    """The arm, and a session with the planner; all nodes are spun."""
    sys.path.insert(0, str(FOLDER))
    from rclpy.context import Context
    from rclpy.parameter import Parameter
    from table_arm.stack import Stack

    from perception.ros.node import PerceptionNode
    from reactree_core.ros.spinning import NodesInThread
    from reactree_planner.ros.node import PlannerNode
    from reactree_tools.ros.session import Session
    from robot_bridge.ros.node import RobotBridgeNode

    file = str(FOLDER / 'robot.yaml')
    with ExitStack() as stack:

        def run(kind: Any, threads: int, **parameters: Any) -> Any:
            context = Context()
            context.init(args=[])
            stack.callback(context.try_shutdown)
            values = [Parameter(name, value=value) for name, value in parameters.items()]
            options = {'parameter_overrides': values} if values else {}
            node = kind(context=context, **options)
            thread = NodesInThread(context, node, threads=threads)
            thread.start()
            stack.callback(thread.end)
            return node

        arm = run(Stack, 4)
        arm.table.hurry = HURRY
        run(PerceptionNode, 4, robot=file)
        run(RobotBridgeNode, 4, robot=file, permission='allow')
        run(PlannerNode, 6, model=model, memory=False, permission='allow')
        with Session('/') as session:
            yield arm, session


def run_tasks(model: str, tasks: Sequence[dict[str, Any]], start: dict[str, str]) -> Iterator[Row]:
    """Each task from the same start."""
    with stack_of_nodes(model) as (arm, session):
        from action_msgs.msg import GoalStatus  # noqa: F401 - with ROS only

        from reactree_core.ros.actions import ActionClient
        from reactree_ros.action import PlanTask
        from reactree_ros.srv import ListSkills

        client = ActionClient(session.node, PlanTask, 'planner/plan_task')
        if not client.wait_for_server(PATIENCE):
            raise TimeoutError('the planner did not come up')
        look = session.node.create_client(ListSkills, 'bridge/list_skills')
        if not look.wait_for_service(PATIENCE):
            raise TimeoutError('the bridge did not come up')
        for task in tasks:
            arm.table.lay_out(start)
            _wait_until_seen(look, start)
            begun = time.monotonic()
            handle = _answer(client.send_goal_async(PlanTask.Goal(task=task['task'])), PATIENCE)
            if not handle.accepted:
                raise RuntimeError('the planner did not take the task')
            result = _answer(handle.get_result_async(), LONGEST).result
            done, wrong = judge(task, start, arm.table)
            # What cannot be done is not done, whatever the run says.
            done = done and not task.get('refused')
            yield Row(
                task['task'],
                done,
                tuple(wrong),
                result.success,
                result.success and bool(result.verified) and not result.unread,
                time.monotonic() - begun,
                result.steps,
                result.error_msg or f'verified {", ".join(result.verified) or "nothing"}',
            )


def _wait_until_seen(look: Any, start: dict[str, str]) -> None:
    """Until the bridge knows every part where it begins. :raises TimeoutError: it never does."""
    from reactree_ros.srv import ListSkills

    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        observed = _answer(look.call_async(ListSkills.Request()), PATIENCE).observation
        told = {f'{fact.object_class} {fact.instance}': fact.receptacle for fact in observed.facts}
        if not observed.held and all(told.get(name) == spot for name, spot in start.items()):
            return
        time.sleep(0.2)
    raise TimeoutError(f'the bridge does not see the start: {observed.text}')


def _answer(future: Any, patience: float) -> Any:
    deadline = time.monotonic() + patience
    while not future.done():
        if time.monotonic() > deadline:
            raise TimeoutError('no answer in time')
        time.sleep(0.01)
    return future.result()


def main() -> int:
    """Run the tasks and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--model', action='append', help='as the planner takes it; several times')
    parser.add_argument('--held-out', action='store_true', help='also the tasks kept for the end')
    parser.add_argument('--unseen', action='store_true', help='those of unseen_tasks.yaml instead')
    parser.add_argument('--task', help='only those with these words')
    args = parser.parse_args()
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    file = FOLDER / ('unseen_tasks.yaml' if args.unseen else 'tasks.yaml')
    written = yaml.safe_load(file.read_text(encoding='utf-8'))
    tasks = [task for task in written['tasks'] if args.held_out or not task.get('held_out')]
    tasks = [task for task in tasks if (args.task or '') in task['task']]
    for model in args.model or ['none', 'random:1']:
        with tempfile.TemporaryDirectory() as state:
            # Nodes of the stack before are on the graph a little longer.
            os.environ['ROS_DOMAIN_ID'] = str(free_domain())
            os.environ['XDG_STATE_HOME'] = state
            rows = []
            for row in run_tasks(model, tasks, written['start']):
                rows.append(row)
                marks = (
                    'done' if row.done else 'not done',
                    'says done' if row.said else 'says not',
                )
                wrong = f'; WRONG: {", ".join(row.wrong)}' if row.wrong else ''
                print(
                    f'{model:9} {row.task[:60]:60} {marks[0]:8} {marks[1]:9} '
                    f'{row.skills:2} skills {row.seconds:4.0f} s{wrong} | {row.end[:300]}',
                    flush=True,
                )
            print(
                f'{model}: done {sum(row.done for row in rows)} of '
                f'{sum(not task.get("refused") for task in tasks)} that can be, wrong acts '
                f'{sum(len(row.wrong) for row in rows)}, ends true '
                f'{sum(row.ends_true for row in rows)} of {len(rows)}',
                flush=True,
            )
    return 0


if __name__ == '__main__':
    sys.exit(main())
