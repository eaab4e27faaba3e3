"""What a robot tells is taken while it is fresh, and what is too old counts as not told."""

from __future__ import annotations

import math
import time
from types import SimpleNamespace

import pytest
from geometry_msgs.msg import PoseStamped
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters
from std_msgs.msg import Bool, Float64, String
from std_srvs.srv import Trigger

from reactree_core.errors import SkillError
from robot_bridge.interface_types import UnknownTypeError
from robot_bridge.loading import load_robot
from robot_bridge.poses import Pose
from robot_bridge.ros import sources
from robot_bridge.ros.installed_types import installed_type, InstalledTypes
from robot_bridge.ros.readiness import Readiness, SignalHearing
from robot_bridge.ros.sources import Sources
from skill_server.ros.status import BridgeState, StatusBoard
from support.hand_driven_node import Coroutine, HandDrivenNode

FILE = """\
robot: watcher
places:
  dock: {frame: map, x: 1, y: 2, yaw: 90 deg}
  ramp: {frame: map, parameter: {node: /mapper, name: ramp}}
  yard: {frame: map, parameter: {node: /mapper, name: yard}}
  base: {frame: map, tf: base}
state:
  place: {topic: /place, type: std_msgs/msg/String, field: data, age: 2 s}
  held: {topic: /held, type: std_msgs/msg/String, field: data}
  facts:
    - {service: /lid, type: std_srvs/srv/Trigger, name: lid, state: '{message}', within: 1 s}
emergency_stop:
  pressed: {topic: /stopped, type: std_msgs/msg/Bool, field: data, age: 3 s}
  press: {service: std_srvs/srv/Trigger, name: /halt}
ready:
  - {topic: /mode, type: std_msgs/msg/String, when: {data: auto}, say: Turn the key to auto.}
  - {service: /armed, type: std_srvs/srv/Trigger, field: success, within: 2 s}
  - {topic: /load, type: std_msgs/msg/Float64, when: {data: '< 5'}}
skills:
  - {skill: go to <place>, kind: move, do: {service: std_srvs/srv/Trigger, name: /go}}
"""


@pytest.fixture
def node(monkeypatch):
    node = HandDrivenNode()
    node.resolve_topic_name = lambda name: name
    node.get_publishers_info_by_topic = lambda topic: []
    monkeypatch.setattr(time, 'monotonic', lambda: node.time)
    monkeypatch.setattr(sources, 'unheard', lambda node, entry: '')
    return node


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / 'robot.yaml'
    path.write_text(FILE)
    return load_robot(path, InstalledTypes())


@pytest.fixture
def heard():
    return []


@pytest.fixture
def told(node, robot, heard):
    told = Sources(node, robot, heard.append)
    assert not node.topics, 'nothing comes before it is open'
    told.open()
    return told


AROUND = SimpleNamespace(now=lambda: 0.0, pose_of=lambda name, frame='': Pose('map'))


def test_what_was_told_is_fresh_as_long_as_it_may_be_old(told, node, robot, heard):
    place = robot.senses.place
    with pytest.raises(SkillError, match='/place has sent nothing yet'):
        told.fresh(place)
    node.tell('/place', String(data='dock'))
    assert heard == [place] and told.told_at(place) == node.time
    node.pass_time(2.0)
    assert told.fresh(place).data == 'dock'
    node.pass_time(0.0625)
    with pytest.raises(SkillError, match=r'has sent nothing for 2\.1 s'):
        told.fresh(place)
    node.tell('/place', String(data='ramp'))
    assert told.fresh(place).data == 'ramp'


STAMPED = """\
robot: watcher
places:
  dock: {frame: map, x: 1, y: 2}
state:
  pose: {topic: /pose, type: geometry_msgs/msg/PoseStamped, field: pose, age: 2 s}
skills:
  - {skill: go to <place>, kind: move, do: {service: std_srvs/srv/Trigger, name: /go}}
"""


def test_what_was_told_is_as_old_as_its_stamp(node, tmp_path):
    path = tmp_path / 'robot.yaml'
    path.write_text(STAMPED)
    robot = load_robot(path, InstalledTypes())
    clock = SimpleNamespace(now=lambda: SimpleNamespace(nanoseconds=int((node.time + 50) * 1e9)))
    node.get_clock = lambda: clock
    sources = Sources(node, robot, lambda sense: None)
    sources.open()
    pose = robot.senses.pose

    def tell(late):
        message = PoseStamped()
        seconds = node.time + 50 - late
        message.header.stamp.sec = int(seconds)
        message.header.stamp.nanosec = int(seconds % 1 * 1e9)
        node.tell('/pose', message)
        return message

    tell(1.5)
    assert sources.told_at(pose) == pytest.approx(node.time - 1.5, abs=1e-3)
    tell(3.0)
    with pytest.raises(SkillError, match=r'/pose has sent nothing for 3\.0 s by its stamps'):
        sources.fresh(pose)
    # Stamps of another clock say nothing.
    for late in (-5.0, 11.0):
        tell(late)
        assert sources.told_at(pose) == node.time
    # Nor does a message that says the same again say anything new.
    frozen = tell(0.0)
    told_at = sources.told_at(pose)
    node.pass_time(1.0)
    node.tell('/pose', frozen)
    assert sources.told_at(pose) == told_at


def test_without_an_age_what_was_told_stays(told, node, robot):
    node.tell('/held', String(data='crate 1'))
    node.pass_time(1000.0, step=100.0)
    assert told.fresh(robot.senses.held[0]).data == 'crate 1'


def asking(told, rest=0.0):
    return Coroutine(told.ask(rest, AROUND))


def served(node):
    """Services of other nodes that answer nothing by themselves."""
    return node.clients['/lid'], node.clients['/mapper/get_parameters']


def test_a_service_is_asked_and_what_it_answers_is_taken(told, node, robot):
    lid, mapper = served(node)
    mapper.ready = False
    ask = asking(told)
    assert len(lid.asked) == 1 and not ask.over
    lid.asked[0][1].set_result(Trigger.Response(message='open'))
    assert ask.go_on().over
    assert told.fresh(robot.senses.facts[0]).message == 'open'
    assert not told.is_told_all and not told.have_all()
    node.tell('/place', String())
    node.tell('/held', String())
    assert told.have_all()


def test_a_service_that_does_not_answer_in_time_tells_nothing_any_more(told, node, robot):
    lid, mapper = served(node)
    mapper.ready = False
    ask = asking(told)
    lid.asked[0][1].set_result(Trigger.Response(message='open'))
    ask.go_on()
    ask = asking(told)
    node.pass_time(0.9375)
    assert not ask.go_on().over
    node.pass_time(0.0625)
    assert ask.go_on().over and lid.removed == [lid.asked[1][1]] and not node.timers
    with pytest.raises(SkillError, match='/lid does not answer'):
        told.fresh(robot.senses.facts[0])


def test_a_service_that_is_gone_tells_nothing_any_more(told, node, robot):
    lid, mapper = served(node)
    mapper.ready = False
    ask = asking(told)
    lid.asked[0][1].set_result(Trigger.Response(message='open'))
    ask.go_on()
    lid.ready = False
    assert asking(told).over and len(lid.asked) == 1
    with pytest.raises(SkillError, match='does not answer'):
        told.fresh(robot.senses.facts[0])


def test_what_was_asked_just_now_is_not_asked_again(told, node):
    lid, mapper = served(node)
    mapper.ready = False
    ask = asking(told)
    lid.asked[0][1].set_result(Trigger.Response())
    assert ask.go_on().over
    node.pass_time(0.9375)
    assert asking(told, rest=1.0).over and len(lid.asked) == 1
    node.pass_time(0.0625)
    asking(told, rest=1.0)
    assert len(lid.asked) == 2


def test_poses_of_places_come_from_the_file_and_from_parameters(told, node):
    lid, mapper = served(node)
    lid.ready = False
    assert told.places == {'dock': Pose.flat('map', 1, 2, math.pi / 2)}
    ask = asking(told)
    (request, answer), = mapper.asked  # fmt: skip
    assert list(request.names) == ['ramp', 'yard']
    values = [
        ParameterValue(double_array_value=[3.0, 4.0, 0.0]),
        ParameterValue(integer_array_value=[5, 6, 7, 0, 0, 0, 1]),
    ]
    answer.set_result(GetParameters.Response(values=values))
    assert ask.go_on().over
    assert told.places['ramp'] == Pose.flat('map', 3, 4, 0)
    assert told.places['yard'] == Pose('map', 5, 6, 7, 0, 0, 0, 1)


@pytest.mark.parametrize('count', [0, 1, 2, 4, 6, 8])
def test_other_numbers_are_no_pose(told, node, count):
    lid, mapper = served(node)
    lid.ready = False
    ask = asking(told)
    value = ParameterValue(double_array_value=[1.0] * count)
    mapper.asked[0][1].set_result(GetParameters.Response(values=[value, value]))
    assert ask.go_on().over and set(told.places) == {'dock'}


def test_parameters_that_do_not_come_in_time_are_let_go(told, node):
    lid, mapper = served(node)
    lid.ready = False
    ask = asking(told)
    node.pass_time(0.5)
    assert ask.go_on().over and mapper.removed == [mapper.asked[0][1]]
    assert not node.timers


def test_everything_is_waited_for_that_is_told_again_and_again(told, node):
    run = SimpleNamespace(waits=[])

    async def wait_for(answer, seconds):
        run.waits.append((answer, seconds))

    run.wait_for = wait_for
    Coroutine(told.hear_anew(run, 0.5))
    assert not run.waits, 'nothing has ever come'
    node.tell('/place', String())
    node.tell('/held', String())
    node.pass_time(4.9375)
    Coroutine(told.hear_anew(run, 0.0))
    assert not run.waits
    waiting = Coroutine(told.hear_anew(run, 0.5))
    assert waiting.over and run.waits[0][1] == 0.5
    node.pass_time(0.0625)
    Coroutine(told.hear_anew(run, 0.5))
    assert len(run.waits) == 1, 'what has not come for long is not waited for'


def test_the_last_that_comes_ends_the_wait(told, node):
    ends = []

    async def wait_for(answer, seconds):
        node.tell('/place', String())
        ends.append(answer.done())
        node.tell('/held', String())
        ends.append(answer.done())

    node.tell('/place', String())
    node.tell('/held', String())
    Coroutine(told.hear_anew(SimpleNamespace(wait_for=wait_for), 0.5))
    assert ends == [False, True]


# Signals -----------------------------------------------------------------------------------------


def hearing(node, signal, changes=None):
    changed = (changes if changes is not None else []).append
    return SignalHearing(node, None, signal, AROUND, lambda: changed(1))


def test_a_signal_is_known_while_it_is_fresh(node, robot):
    changes = []
    stop = hearing(node, robot.signals.pressed, changes)
    assert stop.holds() is None
    node.tell('/stopped', Bool(data=True))
    assert stop.holds() is True and len(changes) == 2, 'heard reliably and not'
    node.pass_time(3.0)
    assert stop.holds() is True
    node.pass_time(0.0625)
    assert stop.holds() is None
    node.tell('/stopped', Bool(data=False))
    assert stop.holds() is False


def test_what_is_wrong_is_said_for_people(node, robot):
    mode, _, load = (hearing(node, one) for one in robot.signals.ready)
    assert mode.objection() == (
        'The robot is not ready: "data: auto" is wanted, and /mode says nothing.'
    )
    node.tell('/mode', String(data='manual'))
    assert mode.objection() == 'Turn the key to auto.'
    node.tell('/mode', String(data='auto'))
    assert mode.objection() == ''
    node.tell('/load', Float64(data=5.0))
    assert load.objection().endswith('/load does not say so.')
    node.tell('/load', Float64(data=math.nan))
    assert load.holds() is None, 'no number says nothing'
    node.tell('/load', Float64(data=4.9))
    assert load.holds() is True


def test_a_signal_of_a_service_is_asked_twice_a_second(node, robot):
    armed = hearing(node, robot.signals.ready[1])
    client = node.clients['/armed']
    armed.ask()
    armed.ask()
    assert len(client.asked) == 1, 'the answer is still to come'
    client.asked[0][1].set_result(Trigger.Response(success=True))
    assert armed.holds() is True
    node.pass_time(0.4375)
    armed.ask()
    assert len(client.asked) == 1
    node.pass_time(0.0625)
    armed.ask()
    assert len(client.asked) == 2 and armed.holds() is True


def test_a_signal_whose_service_is_silent_is_not_known(node, robot):
    armed = hearing(node, robot.signals.ready[1])
    client = node.clients['/armed']
    armed.ask()
    client.asked[0][1].set_result(Trigger.Response(success=True))
    node.pass_time(1.0)
    armed.ask()
    node.pass_time(1.9375)
    armed.ask()
    assert armed.holds() is True and not client.removed
    node.pass_time(0.0625)
    armed.ask()
    assert armed.holds() is None and client.removed == [client.asked[1][1]]
    assert len(client.asked) == 3


def test_a_signal_whose_service_is_gone_is_not_known(node, robot):
    armed = hearing(node, robot.signals.ready[1])
    client = node.clients['/armed']
    armed.ask()
    client.asked[0][1].set_result(Trigger.Response(success=True))
    client.ready = False
    node.pass_time(1.0)
    armed.ask()
    assert armed.holds() is None and len(client.asked) == 1
    assert armed.what == '/armed'


# Readiness ---------------------------------------------------------------------------------------


class Goals:
    """The actions of a robot."""

    def __init__(self):
        self.strays, self.cancels, self.silent, self.still = [], [], [], []
        self.unanswered_calls = []

    def cancel_all(self, patience=None):
        self.cancels.append(patience)

    def servers(self, service):
        return frozenset()

    def unanswered(self):
        return self.silent

    def unheard(self):
        return []

    def unmet(self):
        return []

    def are_refused(self):
        return False

    def moving(self, skill=''):
        del skill
        return self.still


class Stage:
    """A robot that may be ready, with all that decides it."""

    def __init__(self, node, robot):
        self.node, self.goals, self.missing = node, Goals(), []
        self.board = StatusBoard(node, None)
        self.ready = Readiness(
            node, robot, AROUND, self.board, self.goals,
            lambda: self.missing, lambda: 5.0, lambda: 1.0,
        )  # fmt: skip
        self.presses = []
        self.ready.watch(self)
        self.served = []

    def press(self, how, itself=False):
        self.presses.append((how, itself))
        self.board.press('Stopped.')

    def begin(self):
        self.ready.begin(self._serve)

    def _serve(self, told):
        self.served.append(told)
        self.board.serve(told)

    def tell_all(self):
        self.node.tell('/stopped', Bool(data=False))
        self.node.tell('/mode', String(data='auto'))
        self.node.tell('/load', Float64(data=1.0))
        client = self.node.clients['/armed']
        if client.asked and not client.asked[-1][1].done():
            client.asked[-1][1].set_result(Trigger.Response(success=True))

    def pass_time(self, seconds):
        end = self.node.time + seconds
        while self.node.time < end:
            self.tell_all()
            self.node.pass_time(0.125)


@pytest.fixture
def stage(node, robot):
    return Stage(node, robot)


def test_it_serves_when_all_is_as_it_must_be_and_the_button_had_time(stage):
    stage.begin()
    assert stage.goals.cancels == [2.0] and not stage.served
    assert stage.board.state is BridgeState.STARTING
    stage.pass_time(0.25)
    assert not stage.served and 'button' in stage.board.sentence
    stage.pass_time(0.25)
    assert stage.served == [''] and stage.board.state is BridgeState.READY


@pytest.mark.parametrize(
    ('what', 'said'),
    [
        ('silent', 'has not answered yet whether it is at work'),
        ('strays', 'Waits for the end of what the robot is at'),
    ],
)
def test_it_does_not_serve_before_the_robots_actions_have_ended(stage, what, said):
    setattr(stage.goals, what, ['/drive'])
    stage.begin()
    stage.pass_time(8.0)
    assert not stage.served and said in stage.board.sentence
    setattr(stage.goals, what, [])
    stage.pass_time(0.25)
    assert stage.served == ['']


def test_servers_that_are_missing_are_waited_for_and_then_named(stage):
    stage.missing = ['action /drive']
    stage.begin()
    stage.pass_time(4.75)
    assert not stage.served and 'Waits for action /drive' in stage.board.sentence
    stage.pass_time(0.5)
    assert stage.served == ['Not there: action /drive. Skills that need it fail.']


def test_a_signal_that_changes_is_a_fault_until_it_is_back(stage):
    stage.begin()
    stage.pass_time(1.0)
    assert stage.board.state is BridgeState.READY
    stage.node.tell('/mode', String(data='manual'))
    assert stage.board.sentence == 'FAULT: Turn the key to auto.'
    stage.node.tell('/mode', String(data='auto'))
    assert stage.board.state is BridgeState.READY
    stage.node.pass_time(3.25)
    assert 'emergency stop of the robot is pressed is not known' in stage.board.sentence
    stage.pass_time(0.5)
    assert stage.board.state is BridgeState.READY
    stage.ready.end()
    stage.node.tell('/mode', String(data='manual'))
    assert stage.board.state is BridgeState.READY, 'nobody asks while it is not active'
    assert stage.goals.cancels == [2.0, None]


def test_the_robots_own_stop_presses_the_bridges_active_or_not(stage):
    stage.node.tell('/stopped', Bool(data=False))
    assert not stage.presses
    stage.node.tell('/stopped', Bool(data=True))
    assert ('by the robot itself', True) in stage.presses
    assert stage.board.state is BridgeState.STOPPED


def test_no_release_before_the_robots_own_stop_is_known_to_be_released(stage):
    assert 'is not known' in stage.ready.pressed
    stage.node.tell('/stopped', Bool(data=True))
    assert 'release it first' in stage.ready.pressed
    stage.node.tell('/stopped', Bool(data=False))
    assert stage.ready.pressed == ''
    stage.node.pass_time(3.0625)
    assert 'is not known' in stage.ready.pressed


def test_a_stop_ends_all_goals_and_presses_the_robots_own(stage):
    halt = stage.node.clients['/halt']
    stage.ready.stop(press=False)
    assert stage.goals.cancels == [None] and not halt.asked
    stage.ready.stop(press=True)
    assert len(halt.asked) == 1 and len(stage.goals.cancels) == 2
    moving = Coroutine(stage.ready.moving())
    stage.node.pass_time(0.5)
    assert not moving.go_on().over, 'its own stop has not answered'
    halt.asked[0][1].set_result(Trigger.Response(success=True))
    stage.node.pass_time(0.125)
    assert moving.go_on().over and moving.answer == ''


@pytest.mark.parametrize(
    ('prepare', 'said'),
    [
        (lambda stage: None, 'has not answered'),
        (lambda stage: stage.refuse(), 'did not take it: locked'),
        (lambda stage: setattr(stage.node.clients['/halt'], 'ready', False), 'it is not there'),
    ],
)
def test_a_stop_that_is_not_pressed_is_said(stage, prepare, said):
    halt = stage.node.clients['/halt']

    def refuse():
        answer = Trigger.Response(success=False, message='locked')
        halt.call_async = lambda request: _done(answer)

    stage.refuse = refuse
    prepare(stage)
    stage.ready.stop(press=True)
    moving = Coroutine(stage.ready.moving())
    stage.node.pass_time(0.875)
    assert not moving.go_on().over
    stage.node.pass_time(0.25)
    assert moving.go_on().over and said in moving.answer


def _done(answer):
    from rclpy.task import Future

    future = Future()
    future.set_result(answer)
    return future


def test_what_still_moves_is_said_when_the_patience_is_over(stage):
    stage.goals.still = ['The drive still moves.']
    moving = Coroutine(stage.ready.moving())
    stage.node.pass_time(0.875)
    assert not moving.go_on().over
    stage.node.pass_time(0.25)
    told = 'The drive still moves. The own stop of the robot, /halt, was pressed.'
    assert moving.go_on().over and moving.answer == told


def test_a_skill_that_has_not_ended_is_said(stage):
    stage.board.serve()
    stage.board.claim(BridgeState.BUSY, 'go to dock')
    moving = Coroutine(stage.ready.moving())
    stage.node.pass_time(1.125)
    assert moving.go_on().over and 'is not known to have stopped' in moving.answer


# Types -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('name', 'said'),
    [
        ('std_msgs/msg/Strin', 'std_msgs has no message Strin'),
        ('std_msgs/action/Go', 'the package std_msgs has no actions'),
        ('abc_msgs/msg/Go', 'the package abc_msgs is not installed'),
        ('zzz_no_such_msgs/srv/Go', 'the package zzz_no_such_msgs is not installed'),
        ('std_msgs/Go', 'is no type'),
    ],
)
def test_a_type_that_is_not_there_is_said(name, said):
    with pytest.raises(UnknownTypeError, match=said):
        installed_type(name)
