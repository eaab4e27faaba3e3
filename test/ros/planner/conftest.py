"""The real bridge, memory and planner nodes in this process, each on an executor of its own."""

from __future__ import annotations

import os
import threading
import time
import uuid
from contextlib import ExitStack

import pytest
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from unique_identifier_msgs.msg import UUID

from memory_server.ros.node import MemoryNode
from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.ros.node import PlannerNode
from reactree_ros.action import PlanTask
from reactree_ros.msg import Decision, Observation, TreeSnapshot
from reactree_tools.recording.ros.node import RecorderNode
from reactree_tools.seed_memory.expert_models import ScriptedExpertModel
from reactree_tools.seed_memory.writing import root_lesson
from sim_bridge.ros.node import BridgeNode
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.household.tasks import load_task
from sim_bridge.worlds.household.world import load_scene

PATIENCE = 30.0
SCENE = 'generated:9001'
TASK = 'setup_table:9001'


@pytest.fixture(scope='session', autouse=True)
def surroundings(tmp_path_factory):
    """A domain of its own, on this machine, without shared memory that a kill would leave."""
    patch = pytest.MonkeyPatch()
    if 'ROS_DOMAIN_ID' not in os.environ:
        patch.setenv('ROS_DOMAIN_ID', str(1 + os.getpid() % 100))
    patch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    patch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    patch.setenv('ROS_LOG_DIR', str(tmp_path_factory.mktemp('log')))
    # Profiles of models that whoever runs the tests has examined.
    patch.setenv('XDG_STATE_HOME', str(tmp_path_factory.mktemp('state')))
    yield
    patch.undo()


def teacher():
    """A model that knows how to set the table of SCENE."""
    graph = load_scene(SCENE)
    task = load_task(TASK, graph, 0)
    subgoals, plan = root_lesson(task, name_of)
    rooms = sorted(_rooms(graph))
    return ScriptedExpertModel(rooms, subgoals, plan)


def _rooms(graph):
    counts: dict[str, int] = {}
    for node in graph['nodes']:
        if node['category'] == 'Rooms':
            name = name_of(node['class_name'])
            counts[name] = counts.get(name, 0) + 1
            yield f'{name} {counts[name]}'


class Stack:
    """Three nodes and a client that collects what the planner publishes."""

    def __init__(self, stack, journal, planner=(), bridge=(), model=None, bags=None):
        self._stack = stack
        namespace = f'/t{uuid.uuid4().hex[:8]}'

        def run(make, overrides):
            context = Context()
            context.init()
            stack.callback(context.try_shutdown)
            node = make(
                context=context,
                namespace=namespace,
                parameter_overrides=[Parameter(name, value=value) for name, value in overrides],
            )
            thread = NodesInThread(context, node, threads=4)
            thread.start()
            stack.callback(thread.end, PATIENCE)
            return node

        self.start_recorder = lambda folder: run(RecorderNode, (('directory', str(folder)),))
        if bags is not None:
            self.start_recorder(bags)
        self.bridge = run(BridgeNode, (('scene', SCENE), ('task', TASK), *bridge))
        self.memory = run(MemoryNode, (('store_path', ':memory:'), ('encoder', 'hashing')))
        self.planner = run(
            # One that is called is made by the options of the back end.
            lambda **options: PlannerNode(
                lambda _, given: model(given) if callable(model) else model or teacher(), **options
            ),
            (
                ('journal_directory', str(journal)),
                ('preset', 'default,example_count=0'),
                *planner,
            ),
        )
        self.decisions: list[Decision] = []
        self.observations: list[Observation] = []
        self.trees: list[TreeSnapshot] = []
        self.arrived = threading.Condition()
        self.client = run(lambda **options: Node('client', **options), ())
        self.client.create_subscription(
            Decision, 'planner/decisions', self._keep(self.decisions), qos.events()
        )
        self.client.create_subscription(
            Observation, 'planner/observations', self._keep(self.observations), qos.events()
        )
        self.client.create_subscription(
            TreeSnapshot, 'planner/tree', self._keep(self.trees), qos.latched()
        )
        self.action = ActionClient(self.client, PlanTask, 'planner/plan_task')
        assert self.action.wait_for_server(PATIENCE)
        self._wait_for_matches()

    def _wait_for_matches(self):
        """Until the publishers know their subscriptions: events are not kept for later."""
        publishers = [
            publisher
            for publisher in self.planner.publishers
            if publisher.topic_name.endswith(('/decisions', '/observations'))
        ]
        assert len(publishers) == 2
        deadline = time.monotonic() + PATIENCE
        while not all(publisher.get_subscription_count() for publisher in publishers):
            assert time.monotonic() < deadline, 'the subscriptions were not matched'
            threading.Event().wait(0.01)

    def counted(self):
        """How many of the decisions that came are the model's."""
        kinds = (Decision.KIND_THINK, Decision.KIND_ACT, Decision.KIND_EXPAND)
        return sum(message.kind in kinds for message in self.decisions)

    @staticmethod
    def result_of(future, patience=PATIENCE):
        """Wait for a future."""
        event = threading.Event()
        future.add_done_callback(lambda _: event.set())
        assert event.wait(patience), 'no answer in time'
        return future.result()

    def _keep(self, messages):
        def keep(message):
            with self.arrived:
                messages.append(message)
                self.arrived.notify_all()

        return keep

    def wait(self, condition, patience=PATIENCE):
        """Wait for what arrives to satisfy a condition."""
        with self.arrived:
            assert self.arrived.wait_for(condition, patience)

    def send(self, **goal):
        """Send a goal; returns its handle."""
        return self.result_of(
            self.action.send_goal_async(
                PlanTask.Goal(**goal), goal_uuid=UUID(uuid=list(uuid.uuid4().bytes))
            )
        )

    def plan(self, **goal):
        """Send a goal and wait for its result."""
        handle = self.send(**goal)
        assert handle.accepted
        return self.result_of(handle.get_result_async())


@pytest.fixture
def make_teacher():
    """Makes models that know how to set the table of SCENE."""
    return teacher


@pytest.fixture
def make_stack(tmp_path):
    """Makes stacks that end with the test."""
    with ExitStack() as stack:
        yield lambda **options: Stack(stack, tmp_path / 'runs', **options)
