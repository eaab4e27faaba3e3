"""Random runs, recorded as bags: is everything in them, and does a world answer the same again?

scripts/with_ros python -m benchmarks.recorded_runs [--runs 30]

Every second run is the teacher's, which solves its task; the others are planned by dice, so that
trees of every shape come about. Each bag is compared with its run's journal and with the trees
that were published, read by `rosbags` and by `mcap-ros2-support`, and done again in a new world.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from unique_identifier_msgs.msg import UUID

from reactree_core.cancellation import CancelToken
from reactree_core.ports import LanguageModel, LanguageSession
from reactree_core.record.events import Decision
from reactree_core.record.journal import read_journal
from reactree_core.record.snapshot import AgentTree
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.ros.node import PlannerNode
from reactree_ros.action import PlanTask
from reactree_ros.srv import ResetWorld
from reactree_tools.recording.rerun import recorded_server, rerun
from reactree_tools.recording.ros.node import RecorderNode
from reactree_tools.recording.ros.run_reading import runs_of
from reactree_tools.seed_memory.writing import teacher_for
from sim_bridge.ros.node import BridgeNode
from sim_bridge.worlds.household.tasks import FAMILIES
from sim_bridge.worlds.registry import make_world

PATIENCE = 120.0
_GOALS = ('find an apple', 'go to the kitchen', 'open the fridge', 'look around', 'find a plate')


class ChangingModel:
    """Port `LanguageModel`: whichever model the next run is to have."""

    context_tokens = 1 << 20

    def __init__(self) -> None:
        self.inner: LanguageModel = PolicyModel(lambda text, options: 0)

    @property
    def name(self) -> str:
        """The inner model's."""
        return self.inner.name

    def count_tokens(self, text: str) -> int:
        """The inner model's count."""
        return self.inner.count_tokens(text)

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> LanguageSession:
        """Of the inner model."""
        return self.inner.session(cancel, shared_prefix)

    def close(self) -> None:
        """Nothing to free."""


def dice(seed: int) -> PolicyModel:
    """A model that throws dice."""
    chance = random.Random(seed)

    def answer(text: str, options: Sequence[str] | None) -> int | str:
        if options is not None:
            return chance.randrange(len(options))
        if text.endswith('- subgoals:'):
            return ' ' + ', '.join(chance.sample(_GOALS, chance.randint(1, 3)))
        return ' I wonder what to do.'

    return PolicyModel(answer, 'dice')


class Nodes:
    """Bridge, planner and recorder in this process, and a client."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.model = ChangingModel()
        self.journals, self.bags = folder / 'runs', folder / 'bags'
        self._stack = stack
        self._namespace = f'/b{uuid.uuid4().hex[:8]}'
        self._run(RecorderNode, directory=str(self.bags), sync_period=0.2)
        self._run(BridgeNode, scene='generated:0')
        self._run(
            lambda **options: PlannerNode(lambda *_: self.model, **options),
            journal_directory=str(self.journals),
            memory=False,
            example_count=0,
            max_decisions=120,
        )
        client = self._run(lambda **options: Node('client', **options))
        self._action = ActionClient(client, PlanTask, 'planner/plan_task')
        self._reset = client.create_client(ResetWorld, 'bridge/reset_world')
        assert self._action.wait_for_server(PATIENCE)
        assert self._reset.wait_for_service(PATIENCE)

    def _run(self, make: Callable[..., Node], **values: Any) -> Node:
        context = Context()
        context.init()
        self._stack.callback(context.try_shutdown)
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        node = make(context=context, namespace=self._namespace, parameter_overrides=overrides)
        thread = NodesInThread(context, node, threads=4)
        thread.start()
        self._stack.callback(thread.end, PATIENCE)
        return node

    def plan(self, seed: int, taught: bool) -> str:
        """One run in a home of its own; its id."""
        scene, task = f'generated:{seed}', f'{FAMILIES[seed % len(FAMILIES)]}:{seed}'
        world = make_world('household')
        world.reset(scene, task, 0)
        self.model.inner = teacher_for(world) if taught else dice(seed)
        answer = _result_of(
            self._reset.call_async(ResetWorld.Request(scene=scene, task=task, seed=0))
        )
        assert answer.success, answer.message
        run = uuid.uuid4()
        goal = self._action.send_goal_async(PlanTask.Goal(), goal_uuid=UUID(uuid=list(run.bytes)))
        handle = _result_of(goal)
        assert handle.accepted
        _result_of(handle.get_result_async())
        deadline = time.monotonic() + PATIENCE
        while not (self.bags / run.hex / 'ended').exists():
            assert time.monotonic() < deadline, 'the bag was not finished'
            threading.Event().wait(0.02)
        return run.hex


def _result_of(future: Any) -> Any:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    assert done.wait(PATIENCE), 'no answer in time'
    return future.result()


def check(nodes: Nodes, run_id: str) -> dict[str, int]:
    """Compare a bag with everything that is known of its run; figures."""
    bag = nodes.bags / run_id
    events = tuple(read_journal(nodes.journals / f'{run_id}.jsonl'))
    recorded = runs_of(bag)[0]
    assert recorded.events == events, f'{run_id}: the bag tells something else than the journal'
    growing, live = AgentTree(), []
    for event in recorded.events:
        growing.apply(event)
        live.append(growing.snapshot())
    assert all(tree in live for tree in recorded.trees), f'{run_id}: another tree was published'
    assert recorded.trees[-1] == live[-1]
    counted = {'decisions': 0, 'observations': 0}
    with (bag / f'{run_id}.mcap').open('rb') as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, channel, _, _ in reader.iter_decoded_messages():
            name = channel.topic.rpartition('/')[2]
            if name in counted:
                counted[name] += 1
    decisions = sum(isinstance(event, Decision) for event in events)
    assert counted == {'decisions': decisions, 'observations': len(events) - decisions}
    server = recorded_server(recorded.start, recorded.backend, 0)
    done = rerun(recorded.events, server, CancelToken())
    assert done.divergence is None, f'{run_id}: {done.divergence}'
    nodes_of_tree = len(live[-1].nodes)
    return {
        'events': len(events),
        'trees': len(recorded.trees),
        'nodes': nodes_of_tree,
        'steps': done.steps,
        'bytes': sum(path.stat().st_size for path in bag.iterdir()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description='Record random runs and compare.')
    parser.add_argument('--runs', type=int, default=30)
    parser.add_argument('--first-seed', type=int, default=5000)
    arguments = parser.parse_args()
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    total: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        nodes = Nodes(stack, Path(folder))
        for number in range(arguments.runs):
            run_id = nodes.plan(arguments.first_seed + number, taught=number % 2 == 0)
            figures = check(nodes, run_id)
            total = {name: total.get(name, 0) + value for name, value in figures.items()}
            print(json.dumps({'run': number + 1, **figures}), flush=True)
    print(json.dumps({'runs': arguments.runs, **total, 'differences': 0}))


if __name__ == '__main__':
    main()
