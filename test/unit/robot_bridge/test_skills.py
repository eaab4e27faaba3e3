"""What is sent for a skill, what its end means, and what is believed afterwards."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Outcome
from reactree_core.record.trajectory_text import quoted
from reactree_core.skill_checks import faults_of
from robot_bridge.applicable import admissible, objection_to
from robot_bridge.belief import Belief
from robot_bridge.filling import Filling
from robot_bridge.observation_text import observation_of
from robot_bridge.poses import Pose
from robot_bridge.proposal import proposal
from robot_bridge.robot import Interface
from robot_bridge.sources import HERE, Reading, Seen
from support.made_up_interfaces import MadeUpInterfaces

POSES = {'dock': (0.0, 0.0), 'shelf 1': (4.0, 0.0), 'charger': (-3.0, 0.0)}


class Surroundings:
    """Poses of a table; of things too, where they are told."""

    def __init__(self, **things):
        self.things = things

    def now(self):
        return 7.25

    def reported(self, name):
        return name

    def pose_of(self, name, frame=''):
        if name in POSES:
            return Pose('map', *POSES[name])
        if name not in self.things:
            raise SkillError(f'Where "{name}" is, is not known.')
        return Pose('map', *self.things[name])


def sent(robot, text, surroundings=None, things=('crate 1',)):
    """What a skill sends, call by call."""
    skill, slots, objection = robot.find(text, things)
    assert skill is not None, objection
    filling = Filling(slots, surroundings or Surroundings())
    return [call.send(filling) for call in skill.calls]


def belief_of(robot):
    return Belief(robot, lambda name, frame: Pose('map', *POSES[name]))


def test_a_goal_has_constants_places_values_and_times(load):
    (goal,) = sent(load(), 'go to shelf 1')
    assert goal['pose']['header'] == {'frame_id': 'map', 'stamp': {'sec': 7, 'nanosec': 250000000}}
    assert goal['pose']['pose']['position'] == {'x': 4.0, 'y': 0.0, 'z': 0.0}
    assert (goal['mode'], goal['dock'], goal['patience']) == (1, 17, {'sec': 120, 'nanosec': 0})


def test_a_pose_may_be_that_of_a_thing_and_beside_it(load):
    robot = load()
    things = Surroundings(**{'crate 1': (4.5, 0.5, 0.8)})
    reach, _ = sent(robot, 'pick up crate 1', things)
    position = reach['pose']['pose']['position']
    assert (position['x'], position['y'], position['z']) == pytest.approx((4.5, 0.5, 0.9))
    with pytest.raises(SkillError, match='Where "crate 1" is, is not known'):
        sent(robot, 'pick up crate 1')


def test_a_text_that_is_too_long_for_its_field_is_not_sent(load, written):
    robot = load(written.replace('mode: FAST', 'tree: at <place>'))
    assert sent(robot, 'go to dock')[0]['tree'] == 'at dock'
    long = written.replace('mode: FAST', 'tree: at <place>').replace('charger:', f'{"x" * 30}:')
    POSES['x' * 30] = (0.0, 0.0)
    with pytest.raises(SkillError, match='"tree" must have 20 letters or fewer'):
        sent(load(long), f'go to {"x" * 30}')


@given(st.floats(-1e6, 1e6).map(lambda value: f'{value:.3f}'))
def test_a_number_in_a_skill_is_sent_as_it_is(value):
    assert sent(_ROBOT[0], f'wait {value} s') == [{'data': float(value)}]


_ROBOT = []


@pytest.fixture(autouse=True)
def robot_of_properties(load):
    _ROBOT[:] = [load()]


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        (
            'go to moon',
            'There is no place "moon" that is known; there are: charger, dock, shelf 1.',
        ),
        ('pick up crate 7', 'There is no thing "crate 7" that is known; did you mean "crate 1"?'),
        ('dance', 'There is no skill "dance"; there are'),
    ],
)
def test_a_skill_that_cannot_be_is_said(load, text, sentence):
    skill, _, objection = load().find(text, ['crate 1'])
    assert skill is None
    assert objection.startswith(sentence)


@pytest.mark.parametrize(
    ('status', 'result', 'outcome', 'said'),
    [
        ('succeeded', {'error_code': 0, 'error_msg': ''}, Outcome.SUCCEEDED, ''),
        (
            'aborted',
            {'error_code': 7, 'error_msg': 'a pallet'},
            Outcome.EXECUTION_FAILED,
            'The way to shelf 1 is blocked: a pallet.',
        ),
        (
            'aborted',
            {'error_code': 9, 'error_msg': ''},
            Outcome.EXECUTION_FAILED,
            'The action /go gave up: error 9.',
        ),
        (
            'succeeded',
            {'error_code': 3, 'error_msg': 'no map.'},
            Outcome.EXECUTION_FAILED,
            'The action /go did not do it: no map.',
        ),
        (
            'rejected',
            None,
            Outcome.PRECONDITION_FAILED,
            'The action /go refused the goal; nothing has moved.',
        ),
        (
            'canceled',
            {'error_code': 0, 'error_msg': ''},
            Outcome.EXECUTION_FAILED,
            'The action /go was canceled by somebody else.',
        ),
    ],
)
def test_the_end_of_a_goal_is_an_outcome_and_a_sentence(load, status, result, outcome, said):
    skill, slots, _ = load().find('go to shelf 1', [])
    message = SimpleNamespace(**result) if result is not None else None
    filling = Filling(slots, Surroundings())
    assert skill.calls[0].judge(status, message, filling) == (outcome, said)


def test_success_is_not_taken_from_a_goal_that_failed(load, written):
    rule = '        - when: {error_code: BLOCKED}\n          outcome: execution_failed'
    robot = load(written.replace(rule, '        - outcome: succeeded'))
    skill, slots, _ = robot.find('go to shelf 1', [])
    message = SimpleNamespace(error_code=7, error_msg='a pallet')
    judged = skill.calls[0].judge('aborted', message, Filling(slots, Surroundings()))
    assert judged[0] is Outcome.EXECUTION_FAILED


@pytest.mark.parametrize(
    ('status', 'code', 'told', 'outcome', 'said'),
    [
        ('succeeded', 1, '', Outcome.SUCCEEDED, ''),
        ('aborted', -31, '', Outcome.PRECONDITION_FAILED, 'Too far.'),
        (
            'aborted',
            -1,
            '',
            Outcome.EXECUTION_FAILED,
            'The action /reach gave up: planning failed.',
        ),
        (
            'aborted',
            99,
            'a wall.',
            Outcome.EXECUTION_FAILED,
            'The action /reach gave up: a wall.',
        ),
        (
            'succeeded',
            0,
            '',
            Outcome.EXECUTION_FAILED,
            'The action /reach did not do it: error 0.',
        ),
    ],
)
def test_an_error_code_may_be_a_message(load, status, code, told, outcome, said):
    robot = load(
        'robot: arm\n'
        'skills:\n'
        '  - skill: reach\n'
        '    do:\n'
        '      action: arm/action/Reach\n'
        '      name: /reach\n'
        '      results:\n'
        '        - when: {error_code.val: NO_IK_SOLUTION}\n'
        '          outcome: precondition_failed\n'
        '          say: Too far.\n'
    )
    message = SimpleNamespace(error_code=SimpleNamespace(val=code, message=told))
    judged = robot.skills[0].calls[0].judge(status, message, Filling({}, Surroundings()))
    assert judged == (outcome, said)


def test_feedback_tells_how_much_is_done(load):
    skill, _, _ = load().find('go to dock', [])
    feedback = skill.calls[0].feedback
    part, first = feedback.part_done(SimpleNamespace(left=4.0), None)
    assert (part, first) == (0.0, 4.0)
    assert feedback.part_done(SimpleNamespace(left=1.0), first)[0] == 0.75
    assert feedback.part_done(SimpleNamespace(left=9.0), first)[0] == 0.0


def test_what_is_seen_and_held_decides_what_can_be_done(load):
    robot = load()
    belief = belief_of(robot)
    at_shelf = Pose('map', 4.1, 0.1)
    seen = (Seen('crate 1', pose=Pose('map', 4.6, 0), near=1.0),)
    belief.learn(Reading(at_shelf, held={'': False}, seen=seen))
    assert (belief.place, belief.room) == ('shelf 1', 'hall 1')
    assert 'pick up crate 1' in admissible(belief)
    assert 'go to shelf 1' not in admissible(belief)
    assert 'put crate 1 on shelf 1' not in admissible(belief)
    assert 'wait <number> s' in admissible(belief)
    skill, slots, _ = robot.find('pick up crate 1', ['crate 1'])
    belief.learn(Reading(at_shelf, held={'': True}, seen=()))
    assert belief.did(skill, slots) == ''
    look = observation_of(belief)
    assert look.held == ('crate 1',)
    assert 'You hold crate 1 (by /holds something is held; what is assumed).' in look.text
    assert 'put crate 1 on shelf 1' in look.admissible_skills
    assert 'put crate 1 on dock' not in look.admissible_skills
    (crate,) = [fact for fact in look.facts if fact.name == 'crate 1']
    assert crate.receptacle == 'agent 1'
    # The gripper tells that it is gone; where it fell is not known.
    belief.learn(Reading(at_shelf, held={'': False}, seen=()))
    assert belief.held == []
    assert belief.things['crate 1'].place == ''


TWO_HANDS = """\
robot: packer
hands: [left hand, right hand]
places:
  shelf 1: {frame: map, x: 0, y: 0}
  shelf 2: {frame: map, x: 2, y: 0}
state:
  held:
    - {topic: /left, type: std_msgs/msg/Bool, field: data, hand: left hand}
    - {topic: /right, type: std_msgs/msg/Bool, field: data, hand: right hand}
  facts:
    - topic: /seen
      type: vision/msg/AllSeen
      field: seen
      name: crate {id}
      position: at
      whole: true
skills:
  - skill: lift <thing> with left arm
    slots: [thing]
    kind: take
    hand: left hand
    effects: [holding <thing>]
    needs: [left hand free]
    do: {service: std_srvs/srv/Trigger, name: /lift_left}
  - skill: pass <thing> to right arm
    slots: [thing]
    hand: right hand
    effects: [holding <thing>]
    needs: [holding <thing> in left hand, right hand free]
    do: {service: std_srvs/srv/Trigger, name: /pass}
  - skill: lower <thing> with right arm
    slots: [thing]
    effects: [not holding <thing>]
    needs: [holding <thing> in right hand]
    do: {service: std_srvs/srv/Trigger, name: /lower}
"""


def _do(robot, belief, text, **hands):
    """A skill that succeeds; what the hands tell at its end."""
    skill, slots, objection = robot.find(text, list(belief.things))
    assert not objection
    objection = objection_to(belief, skill, slots)
    if not objection:
        belief.learn(Reading(held={f'{side} hand': holds for side, holds in hands.items()}))
        belief.did(skill, slots)
    return objection


def test_each_hand_has_what_it_took(load):
    robot = load(TWO_HANDS)
    belief = belief_of(robot)
    seen = (Seen('crate 1', 'shelf 1'), Seen('crate 2', 'shelf 2'))
    belief.learn(Reading(held={'left hand': False, 'right hand': False}, seen=seen))
    assert admissible(belief) == ('lift crate 1 with left arm', 'lift crate 2 with left arm')
    assert _do(robot, belief, 'lift crate 1 with left arm', left=True, right=False) == ''
    assert belief.held_where() == ['crate 1 in left hand']
    assert _do(robot, belief, 'lift crate 2 with left arm') == (
        'Your left hand is not free: you hold crate 1 in left hand.'
    )
    assert _do(robot, belief, 'lower crate 1 with right arm') == (
        'You do not hold crate 1 in right hand: you hold crate 1 in left hand.'
    )
    assert _do(robot, belief, 'pass crate 1 to right arm', left=False, right=True) == ''
    assert belief.held_where() == ['crate 1 in right hand']
    assert (
        'You hold crate 1 in right hand (by /right something is held; what is assumed).'
        in observation_of(belief).text
    )
    assert _do(robot, belief, 'lift crate 2 with left arm', left=True, right=True) == ''
    assert belief.held_where() == ['crate 1 in right hand', 'crate 2 in left hand']
    assert _do(robot, belief, 'lower crate 1 with right arm', left=True, right=False) == ''
    assert belief.held == ['crate 2']


def test_a_hand_that_holds_what_nobody_took_holds_something(load):
    belief = belief_of(load(TWO_HANDS))
    belief.learn(Reading(held={'left hand': True, 'right hand': True}))
    assert belief.held_where() == ['something in left hand', 'something in right hand']
    belief.learn(Reading(held={'left hand': False, 'right hand': True}))
    assert belief.held_where() == ['something in right hand']


def test_places_that_are_told_are_known(load):
    look = observation_of(belief_of(load(TWO_HANDS)))
    assert [(fact.name, fact.room) for fact in look.facts] == [('shelf 1', ''), ('shelf 2', '')]
    assert look.text.startswith('The named places are shelf 1, shelf 2.')
    # No line of it is taken for one of the planner's and marked.
    assert quoted(look.text) == look.text


def test_a_robot_that_never_moves_sees_all_its_places(load):
    belief = belief_of(load(TWO_HANDS))
    belief.learn(Reading(seen=(Seen('crate 1', 'shelf 1'),), whole=True))
    assert observation_of(belief).looked_at == ('shelf 1', 'shelf 2')
    belief.learn(Reading(seen=(), whole=True))
    assert belief.things['crate 1'].place == ''


def test_what_no_sense_tells_follows_from_effects(load, written):
    begin = written.index('state:')
    robot = load(written[:begin] + written[written.index('procedures:') :])
    belief = belief_of(robot)
    for text in ('go to shelf 1', 'pick up crate 9', 'go to dock', 'put crate 9 on dock'):
        skill, slots, objection = robot.find(text, list(belief.things))
        assert not objection_to(belief, skill, slots), objection
        belief.did(skill, slots)
        belief.learn(Reading())
    assert (belief.place, belief.held) == ('dock', [])
    assert belief.things['crate 9'].place == 'dock'


def test_a_silent_sense_is_said_and_forbids_nothing(load):
    belief = belief_of(load())
    belief.learn(Reading(silent=(('place', '/pose has sent nothing for 9.0 s'),)))
    look = observation_of(belief)
    assert 'Where you are is not known: /pose has sent nothing for 9.0 s.' in look.text
    assert look.place == ''
    assert 'pick up crate 9' in look.admissible_skills


def test_a_robot_between_places_says_so_and_sees_here_as_nothing(load):
    belief = belief_of(load())
    belief.learn(Reading(Pose('map', 2, 0), seen=(Seen('crate 1', HERE),)))
    assert 'You are at no named place (x 2.0 m, y 0.0 m in map).' in observation_of(belief).text
    assert belief.things['crate 1'].place == ''


def test_what_is_told_whole_leaves_nothing_else_there(load):
    belief = belief_of(load())
    at_shelf = Pose('map', 4, 0)
    belief.learn(Reading(at_shelf, seen=()))
    assert belief.things['crate 9'].place == 'shelf 1'
    assert observation_of(belief).looked_at == ()
    belief.learn(Reading(at_shelf, seen=(), whole=True))
    assert belief.things['crate 9'].place == ''
    assert observation_of(belief).looked_at == ('shelf 1',)


def test_what_is_declared_holds_together(load):
    vocabulary = load().vocabulary()
    assert [fault for skill in vocabulary.skills for fault in faults_of(skill)] == []
    assert vocabulary.object_classes == ('crate',)
    assert vocabulary.place_classes == ('dock', 'shelf', 'charger')
    assert vocabulary.rooms == ('hall 1', 'hall 2')
    assert vocabulary.other_words == (('crate', 'box'),)
    assert vocabulary.skill_types[1].other_words == ('lift',)


def test_a_proposal_has_no_mistakes(load):
    interfaces = [
        Interface('action', '/navigate', 'nav/action/Go'),
        Interface('action', '/look', 'unheard_of/action/Look'),
        Interface('service', '/arm/fold', 'std_srvs/srv/Trigger'),
        Interface('service', '/arm/fold_again', 'std_srvs/srv/Trigger'),
        Interface('await', '/pose', 'geometry_msgs/msg/PoseStamped'),
    ]
    others = [
        Interface('await', '/goal_pose', 'geometry_msgs/msg/PoseStamped'),
        Interface('await', '/odometry', 'nav_msgs/msg/Odometry'),
        Interface('await', '/gripper', 'std_msgs/msg/Bool'),
        Interface('await', '/unknown', 'unheard_of/msg/Door'),
    ]
    proposed = proposal([*others, *interfaces], {'/pose'}, MadeUpInterfaces())
    source = '#   - topic: /gripper\n  #     type: std_msgs/msg/Bool\n  #     # its fields: data\n'
    assert source in proposed and '/unknown' not in proposed and '/odometry' not in proposed
    robot = load(proposal([*others, *interfaces], {'/pose'}, MadeUpInterfaces()))
    text = proposal(interfaces[:1], (), MadeUpInterfaces())
    assert '--dry-run "go to home"' in text and 'after "go to home" it is believed' in text
    templates = [skill.type.template for skill in robot.skills]
    assert templates == ['go to <place>', 'arm fold', 'arm fold again']
    assert robot.senses.pose.entry.latched
    assert set(robot.interfaces()) == set(interfaces) - {interfaces[1]}


def test_a_proposal_needs_something_to_propose(load):
    unheard_of = Interface('action', '/look', 'unheard_of/action/Look')
    with pytest.raises(ConfigurationError, match='None of the types'):
        proposal([unheard_of], (), MadeUpInterfaces())
    with pytest.raises(ConfigurationError, match='No actions or services of a robot'):
        proposal([], (), MadeUpInterfaces())
    drive = Interface('action', '/drive', 'nav/action/Go')
    text = proposal([drive, unheard_of], (), MadeUpInterfaces())
    robot = load(text)
    assert 'go to home' not in text and '--dry-run "drive"' in text
    assert [skill.type.template for skill in robot.skills] == ['drive']
