"""The nodes with a lifecycle: driven over the services that any manager uses."""

from __future__ import annotations

import queue
import threading
import time
import uuid
from contextlib import ExitStack, suppress

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import GetParameters, SetLoggerLevels
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from service_msgs.msg import ServiceEventInfo

from memory_server.ros.node import MemoryNode
from reactree_core.errors import ConfigurationError
from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.ros.node import PlannerNode
from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus
from reactree_ros.srv import GetTree, ListSkills, RetrieveExperiences
from sim_bridge.ros.node import BridgeNode
from support.diagnostics import Diagnostics
from support.waiting import wait_for

PATIENCE = 30.0
SCENE = 'generated:9001'
CONFIGURE, CLEANUP = Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_CLEANUP
ACTIVATE, DEACTIVATE = Transition.TRANSITION_ACTIVATE, Transition.TRANSITION_DEACTIVATE


def result_of(future):
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    assert done.wait(PATIENCE), 'no answer in time'
    return future.result()


class Manager:
    """Any manager: clients of the lifecycle's services of one node."""

    def __init__(self, client, name):
        self.client = client
        self.name = f'{client.get_namespace()}/{name}'
        self._change = client.create_client(ChangeState, f'{self.name}/change_state')
        self._get = client.create_client(GetState, f'{self.name}/get_state')

    def change(self, transition):
        assert self._change.wait_for_service(PATIENCE)
        request = ChangeState.Request(transition=Transition(id=transition))
        return result_of(self._change.call_async(request)).success

    @property
    def state(self):
        assert self._get.wait_for_service(PATIENCE)
        # The middleware drops answers to a client that the node has not found yet.
        for _ in range(10):
            done = threading.Event()
            answer = self._get.call_async(GetState.Request())
            answer.add_done_callback(lambda _, done=done: done.set())
            if done.wait(PATIENCE / 10):
                return answer.result().current_state.label
        raise AssertionError('the node does not report its state')

    def ask(self, kind, name, request=None):
        asked = self.client.create_client(kind, f'{self.name}/{name}')
        assert asked.wait_for_service(PATIENCE)
        return result_of(asked.call_async(request or kind.Request()))

    def set(self, name, value):
        parameters = AsyncParameterClient(self.client, self.name)
        assert parameters.wait_for_services(PATIENCE)
        return result_of(parameters.set_parameters([Parameter(name, value=value)])).results[0]


@pytest.fixture
def start():
    """Makes one node that is spun, and a manager of it."""
    with ExitStack() as stack:

        def begin(make, *, threads=4, **parameters):
            namespace = f'/m{uuid.uuid4().hex[:8]}'
            overrides = [Parameter(name, value=value) for name, value in parameters.items()]
            context = Context()
            context.init(args=[])
            stack.callback(context.try_shutdown)
            node = make(context=context, namespace=namespace, parameter_overrides=overrides)
            other = Context()
            other.init(args=[])
            stack.callback(other.try_shutdown)
            client = Node('client', context=other, namespace=namespace)
            for thread in (
                NodesInThread(context, node, threads=threads),
                NodesInThread(other, client),
            ):
                thread.start()
                stack.callback(thread.end, PATIENCE)
            return Manager(client, node.get_name())

        yield begin


@pytest.fixture
def script(tmp_path):
    """A scripted model that says nothing."""
    path = tmp_path / 'script.yaml'
    path.write_text('- unused\n', encoding='utf-8')
    return f'scripted:{path}'


@pytest.fixture
def parameters(tmp_path, script):
    return {
        BridgeNode: {'scene': SCENE},
        MemoryNode: {'store_path': str(tmp_path / 'memory.sqlite'), 'encoder': 'hashing'},
        PlannerNode: {'model': script, 'journal_directory': str(tmp_path / 'runs')},
    }


@pytest.mark.parametrize('kind', [BridgeNode, MemoryNode, PlannerNode])
def test_a_node_without_autostart_goes_through_all_states_twice(start, parameters, kind):
    manager = start(kind, autostart=False, **parameters[kind])
    assert manager.state == 'unconfigured'
    for _ in range(2):
        assert manager.change(CONFIGURE) and manager.state == 'inactive'
        assert manager.change(ACTIVATE) and manager.state == 'active'
        assert not manager.change(CONFIGURE)
        assert manager.change(DEACTIVATE) and manager.state == 'inactive'
        assert manager.change(CLEANUP) and manager.state == 'unconfigured'
    assert manager.change(CONFIGURE) and manager.change(ACTIVATE)
    assert manager.change(Transition.TRANSITION_ACTIVE_SHUTDOWN) and manager.state == 'finalized'


@pytest.mark.parametrize('kind', [BridgeNode, MemoryNode, PlannerNode])
def test_a_node_brings_itself_up_when_nothing_else_is_said(start, parameters, kind):
    manager = start(kind, **parameters[kind])
    assert manager.state == 'active'
    status, values = Diagnostics(manager.client).until(
        f'{manager.name}: {manager.name.rpartition("/")[2]}'
    )
    assert values['lifecycle state'] == 'active' and status.level != DiagnosticStatus.ERROR


@pytest.mark.parametrize(
    ('kind', 'parameter', 'bad', 'sentence'),
    [
        (BridgeNode, 'scene', '/nowhere/scene.json', 'cannot load its world'),
        (MemoryNode, 'seed_folder', '/nowhere', '/nowhere'),
        (PlannerNode, 'model', '/nowhere/model.gguf', '/nowhere/model.gguf'),
    ],
)
def test_a_failed_configuration_is_a_state_and_a_sentence_and_can_be_mended(
    start, parameters, kind, parameter, bad, sentence
):
    good = parameters[kind].get(parameter, '')
    manager = start(kind, autostart=False, **{**parameters[kind], parameter: bad})
    heard = Diagnostics(manager.client)
    name = f'{manager.name}: {manager.name.rpartition("/")[2]}'
    assert not manager.change(CONFIGURE) and manager.state == 'unconfigured'
    status, values = heard.until(name, lambda status, _: status.level == DiagnosticStatus.ERROR)
    assert sentence in status.message and values['lifecycle state'] == 'unconfigured'
    assert 'Traceback' not in status.message
    assert manager.set(parameter, good).successful
    assert manager.change(CONFIGURE) and manager.change(ACTIVATE)
    heard.until(name, lambda status, _: status.level != DiagnosticStatus.ERROR)
    refused = manager.set(parameter, bad)
    assert not refused.successful and 'fixed at start' in refused.reason


@pytest.mark.parametrize(
    ('kind', 'parameter', 'bad'),
    [
        (BridgeNode, 'scene', '/nowhere/scene.json'),
        (PlannerNode, 'model', '/nowhere/model.gguf'),
    ],
)
def test_with_autostart_a_failed_configuration_ends_the_node(
    start, parameters, kind, parameter, bad
):
    with pytest.raises(ConfigurationError, match='/nowhere'):
        start(kind, **{**parameters[kind], parameter: bad})


def test_a_fault_of_a_program_is_told_as_one_and_leaves_the_node_unconfigured(start, script):
    def broken(*_):
        raise RuntimeError('no such tensor')

    manager = start(
        lambda **options: PlannerNode(broken, **options), autostart=False, model=script
    )
    heard = Diagnostics(manager.client)
    assert not manager.change(CONFIGURE) and manager.state == 'unconfigured'
    status, _ = heard.until(
        f'{manager.name}: planner', lambda status, _: status.level == DiagnosticStatus.ERROR
    )
    assert 'RuntimeError: no such tensor' in status.message and 'program' in status.message


def test_a_memory_answers_only_while_it_is_active(start, parameters):
    manager = start(MemoryNode, autostart=False, **parameters[MemoryNode])
    assert manager.change(CONFIGURE)
    request = RetrieveExperiences.Request(goal='sort the crates')
    answer = manager.ask(RetrieveExperiences, 'retrieve_experiences', request)
    assert answer.error_code == RetrieveExperiences.Response.ERROR_STORE
    assert answer.error_msg == 'The memory is inactive: a manager has to activate it.'
    assert manager.change(ACTIVATE)
    answer = manager.ask(RetrieveExperiences, 'retrieve_experiences', request)
    assert answer.error_code == 0 and answer.experiences


class Bridge:
    """A client of a bridge's action, and its newest status."""

    def __init__(self, manager):
        client = manager.client
        self.status = None
        self.arrived = threading.Condition()
        client.create_subscription(BridgeStatus, 'bridge_status', self._hear, qos.status())
        self.action = ActionClient(client, ExecuteSkill, 'bridge/execute_skill')

    def _hear(self, message):
        with self.arrived:
            self.status = message
            self.arrived.notify_all()

    def until(self, state):
        with self.arrived:
            there = self.arrived.wait_for(
                lambda: self.status is not None and self.status.state == state, PATIENCE
            )
        assert there, self.status
        return self.status.message

    def send(self, skill, sequence):
        assert self.action.wait_for_server(PATIENCE)
        goal = ExecuteSkill.Goal(skill=skill, sequence=sequence)
        return result_of(self.action.send_goal_async(goal))


@pytest.mark.parametrize('threads', [1, 4])
def test_a_deactivated_bridge_ends_its_skill_and_takes_no_other(start, threads):
    manager = start(BridgeNode, threads=threads, autostart=False, scene=SCENE, skill_duration=60.0)
    bridge = Bridge(manager)
    assert 'unconfigured' in bridge.until(BridgeStatus.STATE_STARTING)
    assert manager.change(CONFIGURE)
    assert not bridge.send('go to kitchen 1', 1).accepted
    assert manager.change(ACTIVATE)
    bridge.until(BridgeStatus.STATE_READY)
    running = bridge.send('go to kitchen 1', 2)
    assert running.accepted
    bridge.until(BridgeStatus.STATE_BUSY)
    assert manager.change(DEACTIVATE)
    observation = result_of(running.get_result_async()).result.observation
    assert 'stopped by the deactivation of the bridge' in observation.text
    assert 'inactive' in bridge.until(BridgeStatus.STATE_STARTING)
    assert not bridge.send('go to kitchen 1', 3).accepted
    assert manager.change(CLEANUP)
    told = manager.ask(ListSkills, 'list_skills').observation.text
    assert 'not configured' in told
    assert manager.change(CONFIGURE) and manager.change(ACTIVATE)
    bridge.until(BridgeStatus.STATE_READY)
    assert bridge.send('go to kitchen 1', 4).accepted


def test_a_bridge_whose_world_cannot_be_loaded_says_so_to_planners(start):
    manager = start(BridgeNode, autostart=False, scene='/nowhere/scene.json')
    bridge = Bridge(manager)
    assert not manager.change(CONFIGURE)
    assert '/nowhere/scene.json' in bridge.until(BridgeStatus.STATE_FAULT)


def test_a_deactivated_planner_cancels_its_run_with_a_sentence_and_takes_goals_again(make_stack):
    stack = make_stack(bridge=(('skill_duration', 60.0),))
    manager = Manager(stack.client, 'planner')
    handle = stack.send(task='set the kitchen table')
    heard = Diagnostics(stack.client)
    heard.until(
        f'{stack.client.get_namespace()}/bridge: bridge',
        lambda _, values: values['state'] == 'BUSY',
    )
    assert manager.change(DEACTIVATE) and manager.state == 'inactive'
    result = stack.result_of(handle.get_result_async()).result
    assert result.error_msg.startswith('The planner was deactivated')
    assert not stack.send(task='sort the crates').accepted
    assert manager.change(ACTIVATE)
    assert stack.send(task='set the kitchen table').accepted


@pytest.fixture
def deaf(make_teacher):
    """A model that hears no cancel, and tells that it was closed."""

    class Deaf:
        inside, release, closed = threading.Event(), threading.Event(), threading.Event()

        def __init__(self):
            self._model = make_teacher()

        def __getattr__(self, name):
            return getattr(self._model, name)

        def session(self, *arguments, **options):
            self.inside.set()
            self.release.wait(PATIENCE)
            return self._model.session(*arguments, **options)

        def close(self):
            self.closed.set()

    model = Deaf()
    yield model
    model.release.set()


def test_a_planner_whose_model_still_works_can_be_shut_down(make_stack, deaf):
    stack = make_stack(model=deaf)
    manager = Manager(stack.client, 'planner')
    stack.send(task='set the kitchen table')
    assert deaf.inside.wait(PATIENCE)
    assert not manager.change(Transition.TRANSITION_ACTIVE_SHUTDOWN)
    assert manager.state == 'finalized' and not deaf.closed.is_set()


def test_a_planner_is_not_configured_with_the_model_of_a_run_that_still_goes_on(
    make_stack, make_teacher, deaf
):
    stack = make_stack(model=deaf)
    manager = Manager(stack.client, 'planner')
    handle = stack.send(task='set the kitchen table')
    assert deaf.inside.wait(PATIENCE)

    def broken():
        raise RuntimeError('a fault of the program')

    stack.planner.deactivate, kept = broken, stack.planner.deactivate
    assert not manager.change(DEACTIVATE) and manager.state == 'unconfigured'
    stack.planner.deactivate = kept
    loaded = []
    stack.planner._load = lambda *_: loaded.append(make_teacher()) or loaded[-1]
    assert not manager.change(CONFIGURE) and manager.state == 'unconfigured'
    assert 'still uses the model' in stack.planner.fault
    deaf.release.set()
    stack.result_of(handle.get_result_async())
    wait_for(lambda: not stack.planner.is_working, 'the end of the run')
    assert manager.change(CONFIGURE) and manager.state == 'inactive'
    assert deaf.closed.is_set() and len(loaded) == 1


def test_calls_are_told_of_when_it_is_wanted(start, parameters):
    manager = start(PlannerNode, **parameters[PlannerNode])
    heard = queue.Queue()
    manager.client.create_subscription(
        GetTree.Event, f'{manager.name}/get_tree/_service_event', heard.put, 10
    )
    assert manager.set('service_introspection', 'contents').successful
    deadline = time.monotonic() + PATIENCE
    first = None
    # Until the subscription has met its publisher.
    while first is None and time.monotonic() < deadline:
        manager.ask(GetTree, 'get_tree')
        with suppress(queue.Empty):
            first = heard.get(timeout=0.5)
    kinds = ServiceEventInfo.REQUEST_RECEIVED, ServiceEventInfo.RESPONSE_SENT
    assert first.info.event_type in kinds
    assert len(first.request) + len(first.response) == 1
    assert manager.set('service_introspection', 'off').successful
    assert not manager.set('service_introspection', 'all').successful


def test_the_level_of_a_nodes_log_can_be_set(start, parameters):
    manager = start(BridgeNode, **parameters[BridgeNode])
    request = SetLoggerLevels.Request()
    request.levels = [_level(manager.name.strip('/').replace('/', '.'), 10)]
    answer = manager.ask(SetLoggerLevels, 'set_logger_levels', request)
    assert [result.successful for result in answer.results] == [True]


def _level(name, level):
    from rcl_interfaces.msg import LoggerLevel

    return LoggerLevel(name=name, level=level)


def test_the_depth_of_a_topic_can_be_overridden(start, parameters):
    name = 'qos_overrides./diagnostics.publisher.depth'
    manager = start(MemoryNode, **{**parameters[MemoryNode], name: 3})
    told = manager.client.create_client(GetParameters, f'{manager.name}/get_parameters')
    assert told.wait_for_service(PATIENCE)
    answer = result_of(told.call_async(GetParameters.Request(names=[name])))
    assert answer.values[0].integer_value == 3
    # Not to be overridden, so not declared: who comes late relies on it.
    durability = name.replace('depth', 'durability')
    answer = result_of(told.call_async(GetParameters.Request(names=[durability])))
    assert not answer.values


@pytest.mark.parametrize(
    ('kind', 'service', 'name'),
    [
        (BridgeNode, ListSkills, 'list_skills'),
        (MemoryNode, RetrieveExperiences, 'retrieve_experiences'),
    ],
)
def test_a_node_that_goes_up_and_down_while_it_is_asked_goes_on(
    start, parameters, kind, service, name
):
    manager = start(kind, autostart=False, **parameters[kind])
    assert manager.change(CONFIGURE) and manager.change(ACTIVATE)
    asked = manager.client.create_client(service, f'{manager.name}/{name}')
    assert asked.wait_for_service(PATIENCE)
    over = threading.Event()
    answers = []

    def ask():
        while not over.is_set():
            answers.append(result_of(asked.call_async(service.Request())))

    asking = [threading.Thread(target=ask) for _ in range(3)]
    for thread in asking:
        thread.start()
    try:
        for _ in range(10):
            for transition in (DEACTIVATE, CLEANUP, CONFIGURE, ACTIVATE):
                assert manager.change(transition)
    finally:
        over.set()
        for thread in asking:
            thread.join(PATIENCE)
    assert answers and manager.state == 'active'
