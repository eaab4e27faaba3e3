"""A toy world, a bridge that serves it, and a client, each on an executor of its own."""

from __future__ import annotations

import threading
import uuid
from contextlib import ExitStack
from types import SimpleNamespace

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter

from reactree_core.errors import ConfigurationError, WorldGoneError
from reactree_core.observation import ObjectFact, Observation, Outcome, Progress, Vocabulary
from reactree_core.ros import qos
from reactree_ros.msg import BridgeStatus
from sim_bridge.ros.node import BridgeNode
from support.bridge_client import Client, PATIENCE, spinning


class ToyWorld:
    """One button that can be pressed, and skills that hang, crash and lie."""

    name = 'toy'

    def __init__(self):
        self.scene = ''
        self.pressed = 0
        self.asked = []
        self.hanging = threading.Event()
        self.release = threading.Event()
        self._task = None

    def reset(self, scene, task, seed):
        if scene == 'missing':
            raise ConfigurationError("there is no scene 'missing': use 'hall'")
        self.scene = scene or self.scene
        self.pressed = 0
        self._task = None
        if task:
            self._task = SimpleNamespace(
                task_id=task, instruction='press the button', task_type='press'
            )
        return self.observe()

    def vocabulary(self):
        return Vocabulary(('press <object>',), ('button',), ('wall',), ('hall 1',))

    def observe(self):
        return self._observation('You see button (1).')

    def admissible_skills(self):
        return ('press button 1',)

    def candidate_skills(self):
        return ('press button 1', 'press wall 1')

    def step(self, skill):
        self.asked.append(skill)
        if skill == 'press button 1':
            self.pressed += 1
            return self._observation('You press button.')
        if skill == 'press wall 1':
            return self._observation('Nothing to press.', Outcome.PRECONDITION_FAILED)
        if skill == 'hang':
            self.hanging.set()
            self.release.wait(PATIENCE)
            return self._observation('That took long.')
        if skill == 'crash':
            raise KeyError('button 7')
        if skill == 'whisper':
            return self._observation('', Outcome.EXECUTION_FAILED)
        if skill == 'die':
            raise WorldGoneError('the toy has ended: reset the world')
        if skill == 'lie':
            return Observation('Trust me.', facts=(ObjectFact('button', -1),))
        return self._observation(f'There is no skill {skill}.', Outcome.INVALID_SKILL)

    def progress(self):
        if self._task is None:
            return None
        return Progress(min(self.pressed, 1), 1, (f'pressed: {self.pressed} of 1',))

    def task(self):
        return self._task

    def graph(self):
        return {'nodes': [{'id': 1, 'class_name': 'button'}], 'edges': []}

    def _observation(self, text, outcome=Outcome.SUCCEEDED):
        return Observation(
            text,
            outcome,
            place='hall 1',
            room='hall 1',
            looked_at=('wall 1',),
            admissible_skills=self.admissible_skills(),
            facts=(ObjectFact('button', 1, 'hall 1', 'wall 1', 'red', seen_by='left eye'),),
        )


class Statuses:
    """What a subscriber of the status hears."""

    def __init__(self, node):
        self.messages = []
        self._change = threading.Condition()
        node.create_subscription(BridgeStatus, 'bridge_status', self._hear, qos.status())

    def _hear(self, message):
        with self._change:
            self.messages.append(message)
            self._change.notify_all()

    @property
    def states(self):
        """States without repetitions."""
        states = [message.state for message in self.messages]
        return [new for old, new in zip([None, *states], states, strict=False) if old != new]

    def until(self, condition, patience=PATIENCE):
        """Wait until it holds for the states heard so far."""
        with self._change:
            assert self._change.wait_for(lambda: condition(self.states), patience), self.states


@pytest.fixture
def namespace():
    """Of one test."""
    return f'test_{uuid.uuid4().hex[:12]}'


@pytest.fixture
def client_node(namespace):
    """A spun node in the test's namespace."""

    def make(context):
        return Node('client', context=context, namespace=namespace)

    with spinning(make) as node:
        yield node


@pytest.fixture
def client(client_node):
    """Client of the bridge of this test."""
    return Client(client_node)


@pytest.fixture
def world():
    """The toy world that the bridge of this test serves."""
    toy = ToyWorld()
    yield toy
    toy.release.set()


@pytest.fixture(params=[1, 4], ids=['single-threaded', 'multi-threaded'])
def threads(request):
    """Of the bridge's executor: it is made for one, and must not mind more."""
    return request.param


@pytest.fixture
def serve(world, namespace, client, threads):
    """Start the bridge with parameters; returns the client, which has found it."""
    with ExitStack() as stack:

        def start(**parameters):
            parameters = {'world': 'toy', 'scene': 'hall', **parameters}
            overrides = [Parameter(name, value=value) for name, value in parameters.items()]

            def make(context):
                return BridgeNode(
                    lambda name, **options: world,
                    context=context,
                    namespace=namespace,
                    parameter_overrides=overrides,
                )

            client.bridge = stack.enter_context(spinning(make, threads))
            return client.find()

        yield start
        world.release.set()


@pytest.fixture
def serve_named(namespace):
    """Start the bridge with a world of the package when called."""
    with ExitStack() as stack:

        def start(**parameters):
            overrides = [Parameter(name, value=value) for name, value in parameters.items()]
            stack.enter_context(
                spinning(
                    lambda context: BridgeNode(
                        context=context, namespace=namespace, parameter_overrides=overrides
                    )
                )
            )

        yield start


@pytest.fixture
def make_statuses(client_node):
    """Subscribe the bridge's status when called."""
    return lambda: Statuses(client_node)


@pytest.fixture
def statuses(make_statuses):
    """What a subscriber hears of the bridge's status from before its start on."""
    return make_statuses()
