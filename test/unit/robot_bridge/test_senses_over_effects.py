"""A sense wins over the effect of a skill; an effect counts only where no sense tells."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from robot_bridge.applicable import objection_to
from robot_bridge.belief import Belief
from robot_bridge.filling import Filling
from robot_bridge.interface_types import NotReportedError
from robot_bridge.observation_text import observation_of
from robot_bridge.poses import Pose
from robot_bridge.sources import HELD, HERE, Reading, Seen
from support.known_facts import known

ROVER = """\
robot: rover
hands: 1
places:
  bed 1: {frame: map, x: 0, y: 0, region: house}
  dock: {frame: map, x: 5, y: 0, region: yard}
  yard corner: {region: yard}
things:
  tomato 1: {place: bed 1}
  tomato 2: {place: bed 1}
  pepper 1: {place: bed 1}
  north door: {}
state:
  pose: {topic: /pose, type: geometry_msgs/msg/PoseStamped, field: pose}
  held: {topic: /gripper, type: std_msgs/msg/String, field: data}
  facts:
    - topic: /door
      type: std_msgs/msg/Bool
      name: north door
      state: '{data}'
      words: {'true': open, 'false': closed}
    - topic: /seen
      type: vision/msg/AllSeen
      field: seen
      name: '{id}'
      position: at
skills:
  - {skill: drive to <place>, kind: move, do: {service: std_srvs/srv/Trigger, name: /drive}}
  - {skill: grab <thing>, kind: take, do: {service: std_srvs/srv/Trigger, name: /grab}}
  - {skill: drop <thing> at <place>, kind: put, do: {service: std_srvs/srv/Trigger, name: /drop}}
  - {skill: open <thing>, kind: open, do: {service: std_srvs/srv/Trigger, name: /open}}
  - skill: oil <thing>
    effects: [<thing> is oiled]
    do: {service: std_srvs/srv/Trigger, name: /oil}
"""
BOOLEAN = ROVER.replace('std_msgs/msg/String, field', 'std_msgs/msg/Bool, field')
BLIND = ROVER.replace(ROVER[ROVER.index('  held:') : ROVER.index('skills:')], '')
PLACES = {'bed 1': (0.0, 0.0), 'dock': (5.0, 0.0)}
AT_BED, AT_DOCK = Pose('map', 0, 0), Pose('map', 5, 0)


class Rover:
    """A belief that is told what skills and senses say."""

    def __init__(self, robot):
        self.robot = robot
        self.belief = Belief(robot, lambda name, frame: Pose('map', *PLACES[name]))
        self.pose = AT_BED

    def sense(self, pose=None, held=None, seen=(), **more):
        self.pose = pose or self.pose
        hands = {} if held is None else {'': held}
        self.belief.learn(Reading(self.pose, held=hands, seen=seen, **more))

    def do(self, text, **senses):
        """A skill that reports success; what a sense tells against it."""
        skill, slots, objection = self.robot.find(text, list(self.belief.things))
        assert skill, objection
        refusal = objection_to(self.belief, skill, slots)
        if refusal:
            return refusal
        self.sense(**senses)
        return self.belief.did(skill, slots)

    def look(self):
        return observation_of(self.belief)

    def known(self, text):
        return known(self.belief, text)


@pytest.fixture
def rover(load):
    return Rover(load(ROVER))


def door(state):
    return Seen('north door', state=state, by='/door', words=frozenset(('open', 'closed')))


def test_a_missed_grasp_is_no_success(rover):
    rover.sense(held=())
    against = rover.do('grab tomato 2', held=())
    assert against == (
        'It was reported as done, but by /gripper it was not. You do not hold tomato 2.'
    )
    assert rover.look().held == () and 'You hold nothing.' in rover.look().text
    assert 'holding' in rover.look().sensed


def test_the_wrong_thing_is_held_and_never_more_than_there_are_hands(rover):
    rover.sense(held=())
    against = rover.do('grab tomato 2', held=('pepper 1',))
    assert 'You do not hold tomato 2: you hold pepper 1.' in against
    assert rover.look().held == ('pepper 1',)
    assert 'You hold pepper 1 (by /gripper).' in rover.look().text
    assert rover.known('holding pepper 1') == (True, '/gripper')


def test_a_class_without_a_number_is_the_thing_that_was_taken(rover):
    rover.sense(held=())
    assert rover.do('grab tomato 2', held=('tomato',)) == ''
    assert rover.known('holding tomato 2').holds
    assert 'not hold pepper 1' in rover.do('drop pepper 1 at dock')


def test_that_something_is_held_does_not_tell_what(load):
    rover = Rover(load(BOOLEAN))
    rover.sense(held=False)
    assert rover.do('grab tomato 2', held=True) == ''
    assert rover.known('holding tomato 2') == (True, None)
    look = rover.look()
    assert look.held == ('tomato 2',) and 'holding tomato 2' in look.assumed
    # What the gripper has let go is no longer held, and what it still has is.
    assert 'You hold tomato 2.' in rover.do('drop tomato 2 at bed 1', held=True)
    assert rover.do('drop tomato 2 at bed 1', held=False) == ''
    assert 'tomato 2 in bed 1' in rover.look().assumed
    assert 'You see nothing that has a name.' in rover.look().text


def test_a_thing_that_a_camera_sees_elsewhere_is_not_held(load):
    rover = Rover(load(BOOLEAN))
    rover.sense(held=False)
    assert rover.do('grab tomato 2', held=True) == ''
    seen = (Seen('tomato 2', pose=Pose('map', 0.2, 0), near=1.0, by='/seen'),)
    rover.sense(AT_DOCK, held=True, seen=seen)
    assert rover.look().held == ('something',)
    assert rover.known('holding tomato 2') == (False, '/seen')
    assert rover.known('tomato 2 in bed 1') == (True, '/seen')


def test_a_camera_may_tell_what_is_in_the_hand(load):
    rover = Rover(load(BOOLEAN))
    rover.sense(held=False)
    against = rover.do('grab tomato 2', held=True, seen=(Seen('pepper 1', HELD, by='/seen'),))
    assert 'You do not hold tomato 2: you hold pepper 1.' in against
    assert rover.look().held == ('pepper 1',) and not rover.look().assumed[2:]


def test_what_is_lost_on_the_way_is_said_and_cannot_be_put_down(rover):
    rover.sense(held=())
    assert rover.do('grab tomato 2', held=('tomato 2',)) == ''
    before = list(rover.belief.held)
    assert rover.do('drive to dock', pose=AT_DOCK, held=()) == ''
    skill, slots, _ = rover.robot.find('drive to dock', [])
    assert rover.belief.lost(before, skill, slots) == 'You no longer hold tomato 2.'
    assert rover.do('drop tomato 2 at dock') == 'You do not hold tomato 2.'
    assert rover.belief.things['tomato 2'].place == ''


def test_a_door_is_as_its_topic_calls_it(rover):
    against = rover.do('open north door', seen=(door('closed'),))
    assert 'by /door it was not. north door is closed, not open.' in against
    assert rover.do('open north door', seen=(door('open'),)) == ''
    assert rover.known('north door is open') == (True, '/door')
    assert rover.known('north door is closed') == (False, '/door')
    assert not any('north door' in fact for fact in rover.look().assumed)


def test_a_state_that_its_source_cannot_tell_is_assumed_and_stays(rover):
    assert rover.do('oil north door', seen=(door('closed'),)) == ''
    assert 'north door is oiled' in rover.look().assumed
    rover.sense(seen=(door('open'),))
    assert rover.belief.things['north door'].state == 'open, oiled'
    assert 'north door (open, oiled, assumed)' in rover.look().text
    # A source whose text can be anything tells all of it.
    rover.sense(seen=(Seen('north door', state='open', by='/door'),))
    assert rover.belief.things['north door'].state == 'open'


def test_a_robot_that_did_not_arrive_is_not_there(rover):
    against = rover.do('drive to dock', pose=Pose('map', 2.5, 0))
    assert 'by /pose it was not. You are at no named place, not at dock.' in against
    assert 'at bed 1, not at dock' in rover.do('drive to dock', pose=AT_BED)
    assert rover.look().sensed == ('at',)


def test_a_place_without_a_pose_is_assumed_until_a_sense_names_another(rover):
    assert rover.do('drive to yard corner', pose=Pose('map', 3, 0)) == ''
    assert rover.look().place == 'yard corner' and 'at yard corner' in rover.look().assumed
    assert 'You are at yard corner (assumed).' in rover.look().text
    rover.sense(AT_DOCK)
    assert rover.look().place == 'dock'
    assert not any(fact.startswith('at ') for fact in rover.look().assumed)


def test_a_silent_sense_leaves_what_was_done_and_says_that_it_is_not_known(rover):
    why = (('held', '/gripper has no effort[0]'),)
    assert rover.do('grab tomato 2', silent=why) == ''
    look = rover.look()
    assert 'What you hold is not known: /gripper has no effort[0].' in look.text
    assert 'By what was done it is tomato 2 (assumed).' in look.text
    assert 'holding' not in look.sensed and 'holding tomato 2' in look.assumed


def test_without_senses_all_is_assumed_and_says_so(load):
    rover = Rover(load(BLIND))
    rover.belief.learn(Reading(AT_BED))
    assert rover.do('grab tomato 2') == ''
    assert 'You hold tomato 2 (assumed).' in rover.look().text
    # One hand holds one thing.
    assert rover.do('grab pepper 1') == 'Your hands are not free: you hold tomato 2.'
    assert rover.do('drop tomato 2 at bed 1') == ''
    assert 'tomato 2 in bed 1' in rover.look().assumed


def test_what_was_put_down_is_where_it_is_seen(load):
    rover = Rover(load(BLIND))
    seen = (Seen('tomato 2', HERE, by='/seen'),)
    assert rover.do('grab tomato 2', seen=seen) == ''
    assert rover.belief.held == ['tomato 2']
    assert rover.do('drop tomato 2 at bed 1', seen=seen) == ''
    thing = rover.belief.things['tomato 2']
    assert (thing.place, thing.assumed_place, rover.belief.held) == ('bed 1', False, [])


JOINTS = """\
robot: arm
state:
  held:
    topic: /joint_states
    type: arm/msg/Joints
    select: {name: gripper_joint}
    when: {effort: '> 1.0'}
skills:
  - {skill: grab <thing>, kind: take, do: {service: std_srvs/srv/Trigger, name: /grab}}
"""


def joints(**efforts):
    return SimpleNamespace(name=list(efforts), effort=list(efforts.values()))


def test_a_joint_is_read_by_its_name(load):
    (sense,) = load(JOINTS).senses.held
    assert sense.read(joints(shoulder=9.0, gripper_joint=2.0)) is True
    assert sense.read(joints(gripper_joint=0.5, shoulder=9.0)) == ()
    # Another publisher of the topic tells nothing of it.
    assert not sense.concerns(joints(shoulder=9.0, elbow=9.0))
    with pytest.raises(NotReportedError, match='has no effort of gripper_joint'):
        sense.read(SimpleNamespace(name=['gripper_joint'], effort=[]))
    with pytest.raises(NotReportedError, match='has no number in effort'):
        sense.read(joints(gripper_joint=math.nan))


def test_a_number_that_is_none_is_not_known(load):
    text = JOINTS.replace('    select: {name: gripper_joint}\n', '')
    (sense,) = load(text.replace('effort:', "'effort[0]':")).senses.held
    assert sense.read(joints(any=2.0)) is True
    for efforts, why in (([], r'has no effort\[0\]'), ([math.nan], 'has no number')):
        with pytest.raises(NotReportedError, match=why):
            sense.read(SimpleNamespace(name=[], effort=efforts))


def test_states_of_a_list_are_read_by_name_and_none_is_no_state(load):
    text = ROVER[: ROVER.index('    - topic: /seen')] + ROVER[ROVER.index('skills:') :]
    text = (
        text.replace(
            'type: std_msgs/msg/Bool\n', 'type: arm/msg/Joints\n      select: {name: north}\n'
        )
        .replace("'{data}'", "'{effort:.0f}'")
        .replace("{'true': open, 'false': closed}", '{1: open}')
    )
    (sense,) = load(text.replace('{1:', "{'1':")).senses.facts
    (seen,) = sense.read(joints(south=0.0, north=1.0), Filling({}, None))
    assert (seen.name, seen.state, seen.by) == ('north door', 'open', '/door')
    (seen,) = sense.read(joints(south=0.0, north=math.nan), Filling({}, None))
    assert seen.state == ''
