"""Every parameter of every node: a change shows in what the node does, or is refused.

Changes come as from `ros2 param set`, over the service of a running node.
"""

from __future__ import annotations

import queue
import threading
import uuid
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager, ExitStack
from dataclasses import astuple, replace
from enum import Enum
from functools import wraps
from pathlib import Path

import httpx
import pytest
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from sensor_msgs.msg import Image
from unique_identifier_msgs.msg import UUID

from memory_server.ros.node import MemoryNode
from reactree_core.cancellation import CancelToken
from reactree_core.errors import ReactreeError, SkillError, SkillRunsError
from reactree_core.experience import Experience, Termination
from reactree_core.observation import Observation, Outcome, Vocabulary
from reactree_core.record.questions import Question
from reactree_core.ros import qos
from reactree_core.ros.actions import ActionClient
from reactree_core.ros.conversions import (
    duration_from_message,
    experience_to_message,
    observation_to_message,
    skills_to_response,
)
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.ros import run_worker
from reactree_planner.ros.bridge_services import SkillDeadlines
from reactree_planner.ros.node import PlannerNode
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.runs import approval_gate
from reactree_planner.runs.settings import Decides, Guards
from reactree_ros.action import ExecuteSkill, PlanTask
from reactree_ros.msg import BridgeStatus
from reactree_ros.srv import (
    GetWorldState,
    ListSkills,
    RecallObject,
    ResetWorld,
    ResolveApproval,
    RetrieveExperiences,
    StoreExperiences,
)
from reactree_tools.recording.ros.node import RecorderNode
from reactree_tools.ros.manager import ManagerNode
from reactree_tools.ros.parameter_tables import TABLES
from reactree_tools.viewer.ros.node import ViewerNode
from sim_bridge.pictures import Picture
from sim_bridge.ros.node import BridgeNode
from sim_bridge.worlds.registry import make_world
from support.waiting import wait_for

PATIENCE = 30.0
#: Waits begin with this where a change is to end them sooner than anybody's patience.
LONG = 60.0
SKILL = 'press button 1'
#: A robot with a camera.
ARM = str(Path(__file__).parents[3] / 'examples' / 'table_arm' / 'robot.yaml')
#: Parameters that rclpy declares by itself.
OF_RCLPY = {'use_sim_time', 'start_type_description_service'}
RUN_SETTINGS = [
    'standing_time', 'standing_times', 'standing_look', 'lost_time',
    'max_decisions', 'max_steps', 'max_depth', 'max_tokens', 'max_time', 'max_cost', 'price',
    'planner', 'seed', 'domain', 'working_memory', 'reset_world',
]  # fmt: skip
LIMITS = {
    'max_decisions': 'decisions',
    'max_steps': 'steps',
    'max_depth': 'depth',
    'max_tokens': 'tokens',
    'max_time': 'seconds',
    'max_cost': 'cost',
}

WAITS = {
    'standing_time': 'seconds',
    'standing_times': 'times',
    'standing_look': 'look',
    'lost_time': 'lost',
}

#: Node -> parameters of which a test below sees the effect.
SEEN: dict[str, set[str]] = {node: set() for node in TABLES}


def sees(node, *names):
    """Marks a test that changes these parameters of a node and sees what comes of it."""
    SEEN[node] |= set(names)

    def mark(test):
        @wraps(test)
        def seeing(rig, *arguments, **options):
            test(rig, *arguments, **options)
            changed = {name for _, name in rig.before}
            assert changed >= set(names), 'says that it sees what it did not change'

        return seeing

    return mark


def other(spec, value):
    """A value that may be given instead of another."""
    if spec.name == 'domain':
        return 'neutral'
    if spec.name == 'price':
        return '3 2 1'
    if spec.name == 'max_time':
        return value + 600.0  # a run must have the time to begin, on a busy machine too
    if spec.choices:
        return next((choice for choice in spec.choices if choice != value), value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + 'x'
    if isinstance(value, list):
        return ['x']
    step = 1 if isinstance(value, int) else 0.25
    return value + step if spec.high is None or value + step <= spec.high else value - step


class Around(Node):
    """A robot and a memory that answer when they are let, and keep what they were asked."""

    def __init__(self, **options):
        super().__init__('around', **options)
        self.asked = []
        self._held = {}
        group = ReentrantCallbackGroup()
        for kind, name, fill in (
            (ListSkills, 'bridge/list_skills', self._list),
            (GetWorldState, 'bridge/get_world_state', None),
            (ResetWorld, 'bridge/reset_world', None),
            (RetrieveExperiences, 'memory/retrieve_experiences', None),
            (StoreExperiences, 'memory/store_experiences', None),
            (RecallObject, 'memory/recall_object', self._recall),
        ):
            answer = self._answering(name.partition('/')[2], fill)
            self.create_service(kind, name, answer, callback_group=group)
        ActionServer(
            self,
            ExecuteSkill,
            'bridge/execute_skill',
            self._execute,
            callback_group=group,
            goal_callback=self._accept,
            cancel_callback=lambda _: CancelResponse.REJECT,
        )
        self._status = self.create_publisher(BridgeStatus, 'bridge_status', qos.status())
        self._status.publish(BridgeStatus(state=BridgeStatus.STATE_READY, simulated=True))

    @contextmanager
    def holding(self, name):
        """Answers of this name wait until the end of the block."""
        self._held[name] = threading.Event()
        try:
            yield
        finally:
            self._held.pop(name).set()

    def requests(self, kind):
        return [request for request in self.asked if isinstance(request, kind)]

    def _wait(self, name):
        held = self._held.get(name)
        assert held is None or held.wait(PATIENCE)

    def _answering(self, name, fill):
        def answer(request, response):
            self.asked.append(request)
            self._wait(name)
            return response if fill is None else fill(response)

        return answer

    def _list(self, response):
        names = Vocabulary(('press <object>',), ('button',), (), ('hall 1',))
        look = Observation('You see button 1.', admissible_skills=(SKILL,))
        return skills_to_response(names, (SKILL,), (SKILL,), look, response)

    def _recall(self, response):
        response.text = 'You saw it.'
        response.newest = 1
        return response

    def _accept(self, goal):
        self._wait('accept')
        self.asked.append(goal)
        return GoalResponse.ACCEPT

    def _execute(self, handle):
        self._wait('skill')
        handle.succeed()
        pressed = Observation(
            'You press it.', sequence=handle.request.sequence, skill=handle.request.skill
        )
        run_id = bytes(handle.request.run_id.uuid).hex()
        return ExecuteSkill.Result(observation=observation_to_message(pressed, run_id))


class HandPlanner:
    """A planner that does what the test says, on the run's thread, until it is told None."""

    def __init__(self, name):
        self.name = name
        self.begun: Future = Future()
        self._work: queue.Queue = queue.Queue()

    def run(self, run):
        run.start(self.name)
        self.begun.set_result(run)
        while (work := self._work.get(timeout=2 * PATIENCE)) is not None:
            job, future = work
            try:
                future.set_result(job(run))
            except ReactreeError as error:
                future.set_exception(error)
        run.events.end_node(1, True)
        return True

    def start(self, job):
        future: Future = Future()
        self._work.put((job, future))
        return future

    def do(self, job):
        return self.start(job).result(PATIENCE)

    def act(self):
        return self.do(lambda run: run.acting.act(1, SKILL))

    def stop(self):
        self._work.put(None)


class Rig:
    """Nodes that are started as they are needed, and changes of their parameters."""

    def __init__(self, stack, folder):
        self._stack = stack
        self.folder = folder
        self._namespaces = {}
        #: (node, parameter) that this test has changed -> value before.
        self.before = {}
        self.nodes = {}
        self.planners = []

    def start(self, name, make, *, space='main', **parameters):
        """A node, once; `space` is the name of a namespace of its own."""
        if name not in self.nodes:
            namespace = self._namespaces.setdefault(space, f'/p{uuid.uuid4().hex[:8]}')
            context = Context()
            context.init()
            self._stack.callback(context.try_shutdown)
            overrides = [Parameter(key, value=value) for key, value in parameters.items()]
            node = make(context=context, namespace=namespace, parameter_overrides=overrides)
            thread = NodesInThread(context, node, threads=8)
            thread.start()
            self._stack.callback(thread.end, PATIENCE)
            self.nodes[name] = node
        return self.nodes[name]

    def client(self, space='main'):
        return self.start(f'client {space}', lambda **o: Node('client', **o), space=space)

    @property
    def around(self):
        return self.start('around', Around)

    def node(self, name):
        """The node of this name, with whatever it needs to start."""
        folder = str(self.folder)
        if name == 'planner':
            _ = self.around
            return self.start(name, planner_node, journal_directory=folder)
        if name == 'lonely planner':
            return self.start(name, planner_node, space=name, bridge_timeout=LONG)
        if name == 'viewer':
            _ = self.around
            make = lambda **o: ViewerNode(tell=lambda _: None, **o)  # noqa: E731
            return self.start(name, make, journal_directory=folder, port=0, answer_timeout=LONG)
        if name == 'recorder':
            return self.start(name, RecorderNode, directory=folder)
        if name == 'bridge':
            return self.start(name, bridge_node, space='bridge', **{'camera.period': 0.05})
        if name == 'perception':
            from perception.ros.node import PerceptionNode

            return self.start(name, PerceptionNode, space='perception', robot=ARM)
        if name == 'manager':
            return self.start(name, ManagerNode, space='manager')
        start = {'store_path': ':memory:', 'encoder': 'hashing', 'seed': False}
        return self.start(name, MemoryNode, space='memory', **start)

    def set(self, node, name, value):
        """What the running node answers to a change."""
        full = self.node(node).get_fully_qualified_name()
        space = 'main' if node in ('planner', 'viewer', 'recorder') else node
        key = f'parameters of {node}'
        if key not in self.nodes:
            self.nodes[key] = AsyncParameterClient(self.client(space), full)
            assert self.nodes[key].wait_for_services(PATIENCE)
        before = self.node(node).get_parameter(name).value
        parameter = Parameter(name, value=value)
        (result,) = result_of(self.nodes[key].set_parameters([parameter])).results
        if result.successful:
            self.before.setdefault((node, name), before)
        return result

    def restore(self):
        """Have all parameters as they were at the start."""
        for (node, name), value in self.before.items():
            self.node(node).set_parameters([Parameter(name, value=value)])
        self.before.clear()

    def change(self, node, **values):
        """Change parameters, which must succeed; two underscores stand for a dot."""
        for name, value in values.items():
            result = self.set(node, name.replace('__', '.'), value)
            assert result.successful, result.reason

    @contextmanager
    def run(self, **goal):
        """A run of the planner as long as the block: the hand planner, and later the result."""
        planner = self.node('planner')
        if 'action' not in self.nodes:
            client = ActionClient(self.client(), PlanTask, 'planner/plan_task')
            self.nodes['action'] = client
            assert client.wait_for_server(PATIENCE)
        before = len(self.planners)
        goal_id = UUID(uuid=list(uuid.uuid4().bytes))
        sent = self.nodes['action'].send_goal_async(
            PlanTask.Goal(task='press it', **goal), goal_uuid=goal_id
        )
        handle = result_of(sent)
        assert handle.accepted
        wait_for(lambda: len(self.planners) > before, 'the run is planned')
        hand = self.planners[-1]
        hand.begun.result(PATIENCE)
        hand.run_id = goal_id
        try:
            yield hand
        finally:
            hand.stop()
            hand.result = result_of(handle.get_result_async()).result
        wait_for(lambda: planner._worker is None, 'the planner is free again')


def planner_node(**options):
    return PlannerNode(lambda *_: PolicyModel(lambda *_: 0), **options)


def bridge_node(**options):
    return BridgeNode(PicturedWorld, **options)


class PicturedWorld:
    """The household with a camera that tells what it was asked for."""

    def __init__(self, name, **options):
        self._world = make_world(name, **options)

    def __getattr__(self, name):
        return getattr(self._world, name)

    def picture(self, camera, width, height):
        return Picture(width, height, bytes([camera % 256] * (3 * width * height)))


def result_of(future):
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    assert done.wait(PATIENCE), 'no answer in time'
    return future.result()


@pytest.fixture
def rig(nodes):
    yield nodes
    nodes.restore()


@pytest.fixture(scope='module')
def nodes(surroundings, tmp_path_factory):
    patch = pytest.MonkeyPatch()
    with ExitStack() as stack:
        rig = Rig(stack, tmp_path_factory.mktemp('runs'))

        def make(name):
            rig.planners.append(HandPlanner(name))
            return rig.planners[-1]

        patch.setattr(run_worker, 'make_planner', make)
        stack.callback(patch.undo)
        yield rig


# None is left out ------------------------------------------------------------------------


@pytest.mark.parametrize('node', TABLES)
def test_a_test_sees_every_parameter_that_may_be_changed(rig, node):
    changeable = {name for name, spec in TABLES[node].items() if not spec.read_only}
    assert SEEN[node] == changeable, 'give each a test of this module, or make it read_only'
    declared = rig.node(node)._parameters
    known = {name for name in declared if not name.startswith('qos_overrides.')}
    assert known == set(TABLES[node]) | OF_RCLPY


@pytest.mark.parametrize('node', TABLES)
def test_what_is_fixed_at_start_is_refused_with_what_to_do(rig, node):
    for name, spec in TABLES[node].items():
        if spec.read_only:
            before = rig.node(node).get_parameter(name).value
            answer = rig.set(node, name, other(spec, before))
            assert not answer.successful, name
            assert f'restart the node with -p {name}:=' in answer.reason
            assert rig.node(node).get_parameter(name).value == before


# Nodes with a lifecycle ---------------------------------------------------------------------


@sees('planner', 'service_introspection')
@sees('bridge', 'service_introspection')
@sees('memory', 'service_introspection')
def test_calls_are_told_of_from_now_on(rig):
    for node, service in (
        ('planner', 'get_tree'),
        ('bridge', 'list_skills'),
        ('memory', 'recall_object'),
    ):
        topic = f'{rig.node(node).get_fully_qualified_name()}/{service}/_service_event'
        assert rig.node(node).count_publishers(topic) == 0
        rig.change(node, service_introspection='metadata')
        wait_for(lambda: rig.node(node).count_publishers(topic) == 1, topic)  # noqa: B023


# The planner: at the next run -------------------------------------------------------------


@sees('planner', *RUN_SETTINGS)
def test_the_next_run_has_the_settings_and_limits_of_now(rig):
    with rig.run() as hand:
        before = run_values(hand)
    wanted = {}
    for name in RUN_SETTINGS:
        spec = TABLES['planner'][name]
        wanted[name] = other(spec, rig.node('planner').get_parameter(name).value)
        rig.change('planner', **{name: wanted[name]})
    with rig.run() as hand:
        after = run_values(hand)
    assert after == pytest.approx(wanted)
    single = {name for name, spec in TABLES['planner'].items() if len(spec.choices) == 1}
    assert {name for name in RUN_SETTINGS if after[name] == before[name]} <= single


def run_values(hand):
    """What a run goes by, under the names of the parameters."""
    run = hand.begun.result(PATIENCE)
    found = {}
    for name in RUN_SETTINGS:
        group, _, field = name.rpartition('.')
        if name == 'price':
            value = ' '.join(f'{number:g}' for number in astuple(run.price))
        elif name in LIMITS:
            value = getattr(run.events.limits, LIMITS[name])
        elif name in WAITS:
            value = getattr(run.waits, WAITS[name])
        elif name == 'planner':
            value = hand.name
        else:
            value = getattr(getattr(run.settings, group) if group else run.settings, field)
        found[name] = value.value if isinstance(value, Enum) else value
    return found


@sees('planner', 'preset')
def test_the_next_run_decides_by_the_preset_of_now(rig):
    held = {}
    changed = 'default,no-ground-words,plans.samples=25'
    for preset in ('default', 'published', changed):
        rig.change('planner', preset=preset)
        with rig.run() as hand:
            held[preset] = hand.begun.result(PATIENCE).settings
    assert held['default'].decides is Decides.FACTS
    assert held['published'].guards == Guards.none()
    assert held['published'].decides is Decides.MODEL
    assert held[changed].guards == replace(held['default'].guards, ground_words=False)
    assert held[changed].plans.samples == 25


@sees('planner', 'wrong_at_most')
def test_the_next_run_asks_at_the_rate_of_now(rig):
    rig.change('planner', wrong_at_most=0.1)
    with rig.run() as hand:
        settings = hand.begun.result(PATIENCE).settings
    assert settings.wrong_at_most == 0.1
    # With the preset it is recorded, for a run that is resumed.
    assert settings.preset.endswith(',wrong_at_most=0.1')


@pytest.mark.parametrize(
    ('preset', 'told'),
    [
        ('best', 'begin with default, published or published-code'),
        ('default,no-such-guard', 'Guards: admissible-only'),
        ('default,seed=3', 'a parameter of its own: set seed'),
    ],
)
def test_a_preset_that_is_none_is_refused_with_what_there_is(rig, preset, told):
    answer = rig.set('planner', 'preset', preset)
    assert not answer.successful
    assert told in answer.reason


@sees('planner', 'memory', 'shared_memory', 'robot_name')
def test_the_next_run_uses_the_memory_that_is_named_now(rig):
    def recalls():
        rig.around.asked.clear()
        with rig.run() as hand:
            text = hand.do(lambda run: run.ports.memory.recall('button', 1, CancelToken()))
        return [
            (ask.shared_name, ask.robot, text) for ask in rig.around.requests(RecallObject.Request)
        ]

    assert recalls() == []
    rig.change('planner', shared_memory='floor')
    namespace = rig.node('planner').get_namespace().strip('/')
    assert recalls() == [('floor', namespace, 'You saw it.')]
    rig.change('planner', robot_name='left')
    assert recalls() == [('floor', 'left', 'You saw it.')]
    rig.change('planner', memory=False)
    assert recalls() == []


@sees('planner', 'keep_experiences')
def test_the_next_run_keeps_experiences_or_not(rig):
    for keep in (False, True):
        rig.around.asked.clear()
        rig.change('planner', keep_experiences=keep)
        with rig.run() as hand:
            hand.do(lambda run: run.acting.look(1))
            hand.do(lambda run: run.events.conclude(1, 'done'))
        assert len(rig.around.requests(StoreExperiences.Request)) == keep


# The planner: at once ---------------------------------------------------------------------


@sees('planner', 'service_timeout', 'reset_timeout', 'memory_timeout')
def test_deadlines_hold_for_the_next_request_of_the_running_run(rig):
    names = ('service_timeout', 'reset_timeout', 'memory_timeout')
    rig.change('planner', **dict.fromkeys(names, LONG))
    with rig.run() as hand:
        assert hand.act().text == 'You press it.'
        rig.change('planner', service_timeout=0.2)
        with rig.around.holding('accept'), pytest.raises(SkillError, match=r'take .* 0\.2 s'):
            hand.act()
        rig.change('planner', service_timeout=0.3)
        with rig.around.holding('list_skills'), pytest.raises(SkillError, match=r'0\.3 s'):
            hand.do(lambda run: run.acting.look(1))
        rig.change('planner', reset_timeout=0.4)
        with (
            rig.around.holding('reset_world'),
            pytest.raises(SkillError, match=r'reset .* 0\.4 s'),
        ):
            hand.do(lambda run: run.world.reset(1))
        rig.change('planner', memory_timeout=0.1)
        with rig.around.holding('recall_object'):
            assert hand.do(lambda run: run.ports.memory.recall('button', 1, CancelToken())) == ''


@sees('planner', 'skill_timeout')
def test_skills_get_the_time_of_now_in_the_running_run(rig):
    with rig.run() as hand:
        rig.around.asked.clear()
        hand.act()
        # A skill that does not end when it is canceled ends the run.
        rig.change('planner', skill_timeout=0.25)
        with rig.around.holding('skill'), pytest.raises(SkillRunsError, match='may still move'):
            hand.act()
        limits = [
            duration_from_message(goal.time_limit)
            for goal in rig.around.requests(ExecuteSkill.Goal)
        ]
    assert limits == [120.0, 0.25]


@sees('planner', 'bridge_timeout')
def test_a_bridge_is_waited_for_as_long_as_is_said_now(rig):
    rig.change('lonely planner', bridge_timeout=0.2)
    with pytest.raises(SkillError, match=r'within 0\.2 s'):
        rig.node('lonely planner')._skills.find(CancelToken())


@sees('planner', 'require_approval', 'approval_timeout')
def test_approval_is_asked_for_from_the_next_skill_on_and_a_waiting_one_goes_on_waiting(rig):
    waiting, arrived = [], threading.Event()
    topic = next(p for p in rig.node('planner').publishers if p.topic_name.endswith('/approvals'))

    def hear(message):
        waiting.append(message)
        arrived.set()

    client = rig.client()
    client.create_subscription(topic.msg_type, 'planner/approvals', hear, qos.latched())
    resolve = client.create_client(ResolveApproval, 'planner/resolve_approval')
    assert resolve.wait_for_service(PATIENCE)
    wait_for(topic.get_subscription_count, 'the subscription is known')

    def answer(approve):
        request = ResolveApproval.Request(
            run_id=hand.run_id, sequence=waiting[-1].sequence, skill=SKILL, approve=approve
        )
        return result_of(resolve.call_async(request)).accepted

    with rig.run() as hand:
        rig.around.asked.clear()
        assert hand.act().succeeded
        # Also for a skill that was paused when it was changed.
        rig.node('planner')._gate.pause(True)
        refused = hand.start(lambda run: run.acting.act(1, SKILL))
        rig.change('planner', require_approval=True)
        rig.node('planner')._gate.pause(False)
        assert arrived.wait(PATIENCE)
        rig.change('planner', require_approval=False)
        with pytest.raises(FutureTimeoutError):
            refused.result(5 * approval_gate._POLL)
        assert answer(approve=False)
        assert refused.result(PATIENCE).outcome is Outcome.SAFETY_REJECTED
        assert len(rig.around.requests(ExecuteSkill.Goal)) == 1
    # What was refused stays so in that run; in the next one it is free again.
    with rig.run() as hand:
        assert hand.act().succeeded
        rig.change('planner', require_approval=True, approval_timeout=1.0)
        unanswered = hand.act()
        assert unanswered.outcome is Outcome.SAFETY_REJECTED
        assert 'in time' in unanswered.text
        assert len(rig.around.requests(ExecuteSkill.Goal)) == 2


@sees('planner', 'question_timeout')
def test_the_next_question_waits_as_long_as_is_said_now(rig):
    topic = next(p for p in rig.node('planner').publishers if p.topic_name.endswith('/questions'))
    heard = queue.Queue()
    client = rig.client()
    watch = client.create_subscription(
        topic.msg_type, 'planner/questions', heard.put, qos.latched()
    )
    wait_for(topic.get_subscription_count, 'the subscription is known')
    rig.change('planner', question_timeout=1.0)
    with rig.run() as hand:
        question = Question('Which button?', ('button 1', 'button 2'), 'button 2')
        assert hand.do(lambda run: run.acting.ask(1, question)) == 'button 2'
    opened = heard.get(timeout=PATIENCE)
    waits = opened.deadline.sec - opened.header.stamp.sec
    assert opened.state == topic.msg_type.STATE_OPEN and 0 <= waits <= 2
    assert heard.get(timeout=PATIENCE).state == topic.msg_type.STATE_EXPIRED
    client.destroy_subscription(watch)
    wait_for(lambda: not topic.get_subscription_count(), 'nobody watches')


# The viewer -------------------------------------------------------------------------------


@sees('viewer', 'answer_timeout')
def test_the_viewer_waits_for_a_node_as_long_as_is_said_now(rig):
    url = rig.node('viewer').url
    rig.change('viewer', answer_timeout=0.2)

    def scene():
        return httpx.get(f'{url}api/scene', timeout=PATIENCE).json().get('message', '')

    with rig.around.holding('get_world_state'):
        wait_for(lambda: 'No bridge' not in scene(), 'the viewer knows the bridge')
        assert 'did not answer within 0.2 s' in scene()


# The bridge -------------------------------------------------------------------------------


@pytest.fixture
def skills(rig):
    """The skill server of the bridge, and a skill that can be done again and again."""
    rig.node('bridge')
    if 'skills' not in rig.nodes:
        rig.nodes['skills'] = RosSkillServer(rig.client('bridge'), SkillDeadlines)
        rig.nodes['skills'].find(CancelToken())
    skills = rig.nodes['skills']

    def execute(limit=0.0, feedback=None):
        goal = ExecuteSkill.Goal(skill=skills.look(CancelToken()).admissible_skills[0])
        goal.time_limit.sec = int(limit)
        return result_of(
            skills._execute.send_goal_async(
                goal, feedback_callback=feedback, goal_uuid=UUID(uuid=list(uuid.uuid4().bytes))
            )
        )

    return execute


def outcome_of(handle):
    assert handle.accepted
    return Outcome(result_of(handle.get_result_async()).result.observation.outcome)


@sees('bridge', 'failure_probability')
def test_the_next_skill_fails_as_likely_as_is_said_now(rig, skills):
    assert outcome_of(skills()) is Outcome.SUCCEEDED
    rig.change('bridge', failure_probability=1.0)
    assert outcome_of(skills()) is Outcome.EXECUTION_FAILED


@sees('bridge', 'skill_duration', 'skill_time_limit')
def test_the_next_skill_takes_its_time_tells_of_it_and_is_limited_as_is_said_now(rig, skills):
    # Only a skill that takes time can run out of it.
    rig.change('bridge', skill_duration=LONG, skill_time_limit=0.2)
    assert outcome_of(skills()) is Outcome.TIMED_OUT
    rig.change('bridge', skill_time_limit=0.0)
    told = []
    handle = skills(feedback=told.append)
    wait_for(lambda: len(told) >= 2, 'feedback comes')
    result_of(handle.cancel_goal_async())
    assert outcome_of(handle) is Outcome.CANCELED


@sees('bridge', 'camera.index', 'camera.width', 'camera.height')
def test_the_next_picture_is_taken_as_is_said_now(rig):
    rig.node('bridge')
    seen = set()

    def see(message):
        seen.add((message.width, message.height, message.data[0]))

    client = rig.client('bridge')
    subscription = client.create_subscription(
        Image, 'bridge/camera/image_raw', see, qos.pictures()
    )
    rig.change('bridge', camera__index=5, camera__width=8, camera__height=4)
    wait_for(lambda: (8, 4, 5) in seen, 'a picture of the new camera')
    client.destroy_subscription(subscription)


# The memory -------------------------------------------------------------------------------

GOAL = 'put an apple in the fridge'
OF_TASK, OF_OTHER = 'a' * 32, 'b' * 32
#: Id -> goal, termination, run, tokens.
EXPERIENCES = {
    'whole': (GOAL, Termination.EXPAND, OF_TASK, 40),
    'part': ('open the window', Termination.SUCCESS, OF_TASK, 40),
    'copy': (GOAL, Termination.EXPAND, OF_OTHER, 40),
    'failed': ('put an apple in a fridge', Termination.FAILURE, OF_OTHER, 4000),
    'words': ('bring an apple and put the bag in the fridge', Termination.SUCCESS, OF_OTHER, 40),
}


@pytest.fixture
def retrieve(rig):
    """Ids of what the memory finds for GOAL, best first."""
    rig.node('memory')
    client = rig.client('memory')

    def call(kind, name, **fields):
        key = f'client of {name}'
        if key not in rig.nodes:
            rig.nodes[key] = client.create_client(kind, f'memory/{name}')
            assert rig.nodes[key].wait_for_service(PATIENCE)
        return result_of(rig.nodes[key].call_async(kind.Request(**fields)))

    stored = call(
        StoreExperiences,
        'store_experiences',
        experiences=[
            experience_to_message(
                Experience(name, goal, 'x ' * (size // 2), end, run, tokens=size)
            )
            for name, (goal, end, run, size) in EXPERIENCES.items()
        ],
    )
    assert not stored.error_code, stored.error_msg

    def retrieve(budget=0):
        answer = call(RetrieveExperiences, 'retrieve_experiences', goal=GOAL, token_budget=budget)
        assert not answer.error_code, answer.error_msg
        return [found.experience_id for found in answer.experiences]

    retrieve.call = call
    return retrieve


@sees('memory', 'store_limit_count', 'store_rate')
def test_the_next_experiences_are_let_in_as_is_said_now(rig, retrieve):
    def refusal():
        new = experience_to_message(Experience('new', GOAL, 'x', Termination.SUCCESS, 'run'))
        return retrieve.call(StoreExperiences, 'store_experiences', experiences=[new]).error_msg

    rig.change('memory', store_limit_count=len(EXPERIENCES))
    assert 'store_limit_count' in refusal()
    rig.change('memory', store_limit_count=0, store_rate=0.001)
    assert 'store_rate' in refusal()


def test_an_answer_keeps_to_the_budget_of_its_request(rig, retrieve):
    assert retrieve() == ['whole', 'copy']
    assert retrieve(60) == ['whole']
    assert retrieve(100_000) == ['whole', 'copy', 'failed', 'words', 'part']


@sees(
    'memory',
    'retrieval_unit',
    'success_only',
    'duplicate_similarity',
    'reranker',
)
def test_the_next_answer_is_chosen_as_is_said_now(rig, retrieve):
    for changes, found in (
        ({}, ['whole', 'copy', 'failed', 'words', 'part']),
        ({'retrieval_unit': 'task'}, ['whole', 'part', 'copy', 'failed', 'words']),
        ({'success_only': True}, ['whole', 'copy', 'words', 'part']),
        ({'duplicate_similarity': 0.99}, ['whole', 'failed', 'words', 'part']),
        ({'reranker': 'words'}, ['whole', 'copy', 'words', 'failed', 'part']),
    ):
        rig.change('memory', **changes)
        assert retrieve(100_000) == found, changes
        for name in changes:
            rig.change('memory', **{name: rig.before['memory', name]})
