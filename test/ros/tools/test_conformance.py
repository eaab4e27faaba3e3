"""The contract check passes on our bridge and the example, and names what broken servers break."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest
import rclpy
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node

from reactree_core.conformance import Verdict
from reactree_core.errors import SkillError
from reactree_core.ros import qos
from reactree_core.ros.spinning import NodesInThread
from reactree_ros.action import ExecuteSkill
from reactree_ros.msg import BridgeStatus, NameClass, Observation, SkillType
from reactree_ros.srv import GetWorldState, ListSkills
from reactree_tools.ros.conformance import robot_contract
from reactree_tools.ros.conformance.robot_contract import check_skill_server
from reactree_tools.ros.conformance.trial import Patience, ServerTrial
from reactree_tools.ros.session import Session

PATIENCE = Patience(find=15.0, answer=10.0, skill=6.0, cancel=2.0)
SKILL_SECONDS = 1.0


def tells_skills(*told):
    def declare(answer):
        answer.skill_types = [SkillType(**one) for one in told]

    return declare


def tells_classes(*told):
    def declare(answer):
        answer.classes = [NameClass(name=name, kind=kind) for name, kind in told]

    return declare


def offers(*texts):
    def declare(answer):
        answer.admissible_skills = list(texts)

    return declare


def writes(size):
    def declare(answer):
        answer.observation.text = 'page\n' * (size // 5)

    return declare


GO_TO = 'go to <place>'
#: What servers declare beside the template, and the fault's name.
DECLARED = {
    'many slots': tells_skills({'skill_template': 'mix <a> <b> <c> <d> <e>'}),
    'no words': tells_skills({'skill_template': '<thing>'}),
    'odd slot type': tells_skills({'skill_template': GO_TO, 'slot_types': ['hall']}),
    'odd bounds': tells_skills(
        {'skill_template': 'wait <time> s', 'slot_types': ['number: 9..1']}
    ),
    'goes anywhere': tells_skills({'skill_template': GO_TO, 'slot_types': ['place: shelf, dock']}),
    'odd effect': tells_skills({'skill_template': GO_TO, 'effects': ['the hall glows']}),
    'odd kind': tells_skills({'skill_template': GO_TO, 'kind': 42}),
    'told twice': tells_skills({'skill_template': GO_TO}, {'skill_template': GO_TO, 'kind': 1}),
    'odd inverse': tells_skills({'skill_template': GO_TO, 'inverse': 'leave <place>'}),
    'nameless class': tells_classes(('', 0)),
    'odd class': tells_classes(('dock', 9)),
    'two kinds': tells_classes(('crate', 0), ('crate', 1)),
    'class of one': tells_classes(('crate 7', 0)),
    'no template': offers('go to shelf 1', 'dance wildly'),
    'long page': writes(70_000),
    'page': writes(65_000),
    'two verbs': tells_skills(
        {'skill_template': 'crush <thing>'}, {'skill_template': GO_TO, 'kind': SkillType.KIND_MOVE}
    ),
    'two unknown verbs': tells_skills({'skill_template': 'crush <thing>'}),
    'text to write': offers('go to <place>'),
}


class SmallServer(Node):
    """Keeps the contract, but for the fault it is given."""

    def __init__(self, context, fault='', namespace='/'):
        super().__init__('bridge', context=context, namespace=namespace)
        self.fault = fault
        self.place = 'dock 1'
        self.ended = threading.Event()
        self.turn = threading.Lock()
        group = ReentrantCallbackGroup()
        self.status = self.create_publisher(BridgeStatus, 'bridge_status', qos.status())
        self.create_service(ListSkills, '~/list_skills', self.list_skills, callback_group=group)
        self.create_service(
            GetWorldState, '~/get_world_state', lambda _, answer: answer, callback_group=group
        )
        self.server = ActionServer(
            self,
            ExecuteSkill,
            '~/execute_skill',
            self.execute,
            goal_callback=lambda goal: GoalResponse.ACCEPT,
            cancel_callback=self.cancel,
            callback_group=group,
            **({'result_timeout': 0} if fault == 'runs a goal id twice' else {}),
        )
        message = '\x1b[2Jready' if fault == 'colours its status' else ''
        stopped, ready = BridgeStatus.STATE_STOPPED, BridgeStatus.STATE_READY
        state = stopped if fault == 'is stopped' else ready
        self.status.publish(BridgeStatus(state=state, backend='small', message=message))

    def cancel(self, handle):
        refuses = self.fault == 'no cancel'
        return CancelResponse.REJECT if refuses else CancelResponse.ACCEPT

    def look(self, text, outcome=0):
        other = 'shelf 1' if self.place == 'dock 1' else 'dock 1'
        observation = Observation(outcome=outcome, text=text, place=self.place)
        observation.header.stamp = self.get_clock().now().to_msg()
        observation.admissible_skills = [f'go to {other}']
        return observation

    def list_skills(self, _, answer):
        answer.templates = ['go to <place>']
        answer.place_classes = ['dock', 'shelf']
        answer.observation = self.look(f'You are at {self.place}.')
        if self.fault == 'colours a text':
            answer.observation.text += ' You see a \x1b[31mred\x1b[0m cup.'
        if self.fault == 'breaks a name':
            answer.observation.room = 'hall\n1'
        answer.admissible_skills = answer.observation.admissible_skills
        if 'verbs' in self.fault:
            answer.admissible_skills = ['crush cup 1', 'go to shelf 1']
        DECLARED.get(self.fault, lambda _: None)(answer)
        return answer

    def execute(self, handle):
        goal = handle.request
        queues = self.fault == 'queues'
        with self.turn if queues else contextlib.nullcontext():
            outcome, text = self.perform(handle, goal)
            stamp = self.get_clock().now().to_msg()
        if outcome == Observation.OUTCOME_CANCELED:
            handle.canceled()
        else:
            handle.succeed()
        observation = self.look(text, outcome)
        observation.header.stamp = stamp
        observation.run_id, observation.sequence = goal.run_id, goal.sequence
        observation.node_id, observation.skill = goal.node_id, goal.skill
        return ExecuteSkill.Result(observation=observation)

    def perform(self, handle, goal):
        known = goal.skill in ('go to dock 1', 'go to shelf 1')
        if not known and not (self.fault == 'goes anywhere' and goal.skill.startswith('go to ')):
            return Observation.OUTCOME_INVALID_SKILL, f'There is no skill "{goal.skill}".'
        if self.fault == 'dies in mid skill':
            # What a killed process leaves behind: no node, no liveliness, no answer.
            self.destroy_publisher(self.status)
            self.ended.wait(30.0)
        if self.fault == 'never ends':
            self.ended.wait(30.0)
        limit = goal.time_limit.sec + goal.time_limit.nanosec * 1e-9 or SKILL_SECONDS * 2
        began = time.monotonic()
        while time.monotonic() - began < SKILL_SECONDS:
            if self.ended.wait(0.02) or handle.is_cancel_requested:
                return Observation.OUTCOME_CANCELED, 'Stopped.'
            if time.monotonic() - began > limit:
                return Observation.OUTCOME_TIMED_OUT, 'It took too long.'
        self.place = goal.skill.removeprefix('go to ')
        invents = self.fault == 'invents outcomes'
        return 42 if invents else Observation.OUTCOME_SUCCEEDED, f'You are at {self.place}.'


@pytest.fixture
def serve():
    """Start a server with a fault in a context of its own; ends with the test."""
    with _servers() as start:
        yield start


@pytest.fixture(scope='module')
def declaring():
    """One server, told what to declare, and a session that has found it."""
    with _servers() as start, Session('/declaring') as session:
        yield start(namespace='/declaring'), session


@contextlib.contextmanager
def _servers():
    ends = []

    def start(fault='', namespace='/'):
        context = Context()
        rclpy.init(context=context)
        node = SmallServer(context, fault, namespace)
        thread = NodesInThread(context, node, threads=6)
        thread.start()

        def end():
            node.ended.set()
            thread.end(30.0)
            context.try_shutdown()

        ends.append(end)
        return node

    yield start
    for end in ends:
        end()


def check(may_move=True):
    with Session('/') as session:
        return check_skill_server(session, may_move=may_move, patience=PATIENCE)


def check_declaration(declaring, fault):
    """What comes of a server that declares this, without moving."""
    server, session = declaring
    server.fault = fault
    return check_skill_server(session, patience=PATIENCE)


@pytest.mark.timeout(120)
def test_a_server_that_keeps_the_contract_passes(serve):
    serve()
    results = check()
    assert [result for result in results if result.verdict is not Verdict.KEPT] == []


@pytest.mark.timeout(120)
def test_what_is_declared_and_what_is_not_is_told(declaring):
    results = check_declaration(declaring, 'two verbs')
    (seen,) = [result.seen for result in results if 'declares' in result.clause]
    assert seen == (
        '2 templates, 1 with a kind, domain not told; silent on slot types, inverses, effects, '
        'descriptions, other words, about'
    )


@pytest.mark.timeout(60)
def test_a_page_of_64_kb_may_be_told(declaring):
    results = check_declaration(declaring, 'page')
    assert not [result for result in results if result.verdict is Verdict.BROKEN]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ('fault', 'clause', 'says'),
    [
        ('many slots', 'what it declares', 'has 5 slots'),
        ('no words', 'what it declares', 'no word of its own'),
        ('odd slot type', 'what it declares', '"hall" is no type of a slot'),
        ('odd bounds', 'what it declares', '9 is more than 1'),
        ('odd effect', 'what it declares', 'cannot be read'),
        ('odd kind', 'what it declares', 'of kind 42'),
        ('told twice', 'what it declares', 'declared twice'),
        ('odd inverse', 'what it declares', 'taken back by "leave <place>"'),
        ('nameless class', 'what it declares', 'without a name'),
        ('odd class', 'what it declares', '"dock" is of kind 9'),
        ('two kinds', 'what it declares', 'with two kinds'),
        ('class of one', 'what it declares', '"crate 7" is declared with a number'),
        ('no template', 'list_skills lists', "of no template: ['dance wildly']"),
        ('long page', 'list_skills lists', 'text of 70000 bytes'),
    ],
)
def test_a_declaration_that_does_not_hold_together_is_told(declaring, fault, clause, says):
    results = check_declaration(declaring, fault)
    broken = [result for result in results if result.verdict is Verdict.BROKEN]
    assert [result.clause.startswith(clause) for result in broken] == [True], broken
    assert says in broken[0].seen


@pytest.mark.timeout(60)
def test_the_skill_that_only_moves_is_found_by_its_kind(declaring):
    server, session = declaring
    trial = ServerTrial(session, 'bridge', 'bridge_status', PATIENCE, True)
    trial.find()
    for fault, moves in (
        ('two verbs', ['go to shelf 1']),
        ('two unknown verbs', ['crush cup 1', 'go to shelf 1']),
        ('text to write', ['go to hello']),
    ):
        server.fault = fault
        assert robot_contract._moves(trial) == moves


@pytest.mark.timeout(60)
def test_nothing_moves_unless_allowed(serve):
    serve()
    results = check(may_move=False)
    assert [result for result in results if result.verdict is Verdict.BROKEN] == []
    tried = [result.clause for result in results if result.verdict is Verdict.KEPT]
    assert not [clause for clause in tried if 'cancel' in clause or 'twice' in clause]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ('fault', 'clause', 'says'),
    [
        ('no cancel', 'a cancel ends a skill in time', 'was refused'),
        ('goes anywhere', 'what does not fit a declared slot', '"go to no such thing"'),
        ('runs a goal id twice', 'a goal id is never executed twice', 'executed again'),
        ('never ends', 'a skill runs to its end', 'within 6 s'),
        ('invents outcomes', 'a skill runs to its end', 'outcome 42'),
        ('queues', 'a skill that is accepted begins at once', 'one had not begun'),
        (
            'colours a text',
            'names and texts hold',
            r"text of list_skills holds the control character '\x1b'",
        ),
        (
            'breaks a name',
            'names and texts hold',
            r"room of list_skills holds the control character '\n'",
        ),
        ('colours its status', 'names and texts hold', 'message of bridge_status'),
        ('dies in mid skill', 'a skill runs to its end', 'disappeared'),
    ],
)
def test_a_broken_server_is_told_which_clause_it_breaks(serve, fault, clause, says):
    serve(fault)
    broken = [result for result in check() if result.verdict is Verdict.BROKEN]
    assert any(result.clause.startswith(clause) and says in result.seen for result in broken), (
        broken
    )


@pytest.mark.timeout(60)
def test_a_server_that_is_stopped_is_released_first(serve):
    serve('is stopped')
    with pytest.raises(SkillError, match='reactree stop --release'):
        check()


@pytest.mark.timeout(60)
def test_no_server_is_said_to_be_missing():
    with Session('/nobody_here') as session, pytest.raises(SkillError, match='No bridge'):
        check_skill_server(session, patience=Patience(find=0.5))
