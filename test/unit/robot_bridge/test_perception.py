"""What cameras see, and what a model says of pictures, in a robot's belief."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from reactree_core.errors import ConfigurationError, SkillError
from robot_bridge.belief import Belief
from robot_bridge.filling import Filling
from robot_bridge.observation_text import observation_of
from robot_bridge.perception_file import TOPIC
from robot_bridge.poses import Pose
from robot_bridge.sources import Looked, Reading, Seen
from support.known_facts import known

PERCEPTION = """\
perception:
  frame: table
  cameras:
    above: {image: /image, info: /info, depth: /depth}
  markers:
    - {dictionary: 4x4_50, size: 4 cm, names: {1: gear 1, 2: gear 2}}
  detections:
    - {topic: /found, type: vision_msgs/msg/Detection2DArray, camera: above, classes: {box: crate}}
  model:
    model: http://127.0.0.1:1/v1
    camera: above
    ask: {drawer 1: {states: [open, closed]}, cup 1: {places: [left tray, bin]}}
"""
ARM = f"""\
robot: arm
hands: 1
places:
  left tray: {{frame: table, x: -0.4, y: 0}}
  bin: {{frame: table, x: 0.4, y: 0}}
things:
  hammer: {{place: bin}}
{PERCEPTION}
skills:
  - {{skill: grab <thing>, kind: take, do: {{service: std_srvs/srv/Trigger, name: /grab}}}}
  - {{skill: drop <thing> on <place>, kind: put, do: {{service: std_srvs/srv/Trigger, name: /d}}}}
  - {{skill: open <thing>, kind: open, do: {{service: std_srvs/srv/Trigger, name: /open}}}}
"""
AT = {'left tray': Pose('table', -0.4), 'bin': Pose('table', 0.4)}
TELLS = frozenset(('gear 1', 'gear 2', 'crate'))


class Arm:
    """A belief that is told what cameras see."""

    def __init__(self, robot):
        self.robot = robot
        self.belief = Belief(robot, lambda name, frame: AT[name])

    def see(self, *seen, looked=(), gone=()):
        told = Looked(frozenset(looked), frozenset(gone), TELLS)
        self.belief.learn(Reading(seen=seen, looked=told))

    def lose(self):
        self.belief.learn(Reading(silent=(('facts', 'perception/things is silent'),)))

    def do(self, text):
        skill, slots, objection = self.robot.find(text, list(self.belief.things))
        assert skill, objection
        return self.belief.did(skill, slots)

    def known(self, text):
        return known(self.belief, text)

    @property
    def text(self):
        return observation_of(self.belief).text

    @property
    def assumed(self):
        return observation_of(self.belief).assumed


@pytest.fixture
def arm(load):
    return Arm(load(ARM))


def gear(x, number=1):
    return Seen(f'gear {number}', pose=Pose('table', x), near=0.3, by=TOPIC, words=frozenset())


def said(name, place='', state='', seen_at=1.0):
    return Seen(name, place, state, by=TOPIC, by_model=True, seen_at=seen_at)


def test_a_marker_tells_where_a_thing_is(arm):
    arm.see(gear(-0.35))
    assert 'You see gear 1 at left tray.' in arm.text
    assert arm.known('gear 1 in left tray') == (True, TOPIC)
    assert arm.known('gear 1 in bin') == (False, TOPIC)
    assert 'gear 1 in left tray' not in arm.assumed
    assert arm.belief.pose_of_thing('gear 1') == Pose('table', -0.35)


def test_classes_of_what_can_be_seen_are_declared(arm):
    assert {'gear', 'crate', 'drawer', 'cup'} <= set(arm.robot.vocabulary().object_classes)


def test_a_pose_is_known_only_while_it_is_seen(arm):
    arm.see(gear(-0.35))
    arm.lose()
    assert 'What is here is not known: perception/things is silent.' in arm.text
    with pytest.raises(SkillError, match='not visible now'):
        arm.belief.pose_of_thing('gear 1')
    assert 'Known from before: ' in arm.text and 'gear 1 at left tray' in arm.text
    arm.see(gear(-0.35))
    assert arm.belief.pose_of_thing('gear 1').x == -0.35


def test_what_is_not_seen_stays_where_it_was_until_its_place_was_looked_at(arm):
    arm.see(gear(-0.35))
    arm.see()
    assert arm.belief.things['gear 1'].place == 'left tray'
    arm.see(looked=('bin',))
    assert arm.belief.things['gear 1'].place == 'left tray'
    arm.see(looked=('left tray',))
    assert arm.belief.things['gear 1'].place == ''
    assert arm.known('gear 1 in left tray') == (False, TOPIC)


def test_what_no_camera_can_tell_is_not_gone(arm):
    arm.see(looked=('left tray', 'bin'), gone=('hammer',))
    assert arm.belief.things['hammer'].place == 'bin'
    assert arm.known('hammer in bin').by is None


def test_what_was_put_where_the_camera_looks_and_is_not_there_has_failed(arm):
    arm.see(gear(-0.35))
    assert arm.do('grab gear 1') == ''
    arm.see(looked=('bin',), gone=('gear 1',))
    assert arm.belief.held == ['gear 1']
    against = arm.do('drop gear 1 on bin')
    assert against.startswith(f'It was reported as done, but by {TOPIC} it was not.')


def test_what_was_put_where_nobody_looks_is_assumed_there(arm):
    arm.see(gear(-0.35))
    arm.do('grab gear 1')
    arm.see(gone=('gear 1',))
    assert arm.do('drop gear 1 on bin') == ''
    arm.see(gone=('gear 1',))
    assert arm.belief.things['gear 1'].place == 'bin'
    assert 'gear 1 in bin' in arm.assumed


def test_what_a_model_says_is_marked_and_never_sensed(arm):
    arm.see(said('drawer 1', state='open'), said('cup 1', place='bin'))
    assert 'drawer 1 (open, seen by a model)' in arm.text
    assert 'cup 1 at bin (seen by a model)' in arm.text
    assert arm.known('drawer 1 is open') == (True, None)
    assert {'drawer 1 is open', 'cup 1 in bin'} <= set(arm.assumed)


def test_a_model_is_never_stronger_than_a_sensor(arm):
    arm.see(gear(-0.35), said('gear 1', place='bin'))
    assert arm.belief.things['gear 1'].place == 'left tray'
    # Nor than what a sensor told earlier, and nothing has taken back.
    arm.see(said('gear 1', place='bin', seen_at=2.0))
    assert arm.belief.things['gear 1'].place == 'left tray'
    assert 'gear 1 in left tray' not in arm.assumed


def test_a_model_denies_no_skill(arm):
    arm.see(said('drawer 1', state='closed'))
    assert arm.do('open drawer 1') == ''
    arm.see(said('drawer 1', state='closed'))
    assert arm.known('drawer 1 is open').holds
    assert 'drawer 1 (open, assumed)' in arm.text


def test_a_picture_from_before_the_last_skill_tells_nothing_and_a_newer_one_does(arm):
    arm.see(said('drawer 1', state='closed', seen_at=1.0))
    arm.belief.changed_at = 5.0
    arm.do('open drawer 1')
    arm.see(said('drawer 1', state='closed', seen_at=4.9))
    assert arm.known('drawer 1 is open').holds
    arm.see(said('drawer 1', state='closed', seen_at=5.1))
    assert arm.known('drawer 1 is closed').holds
    assert 'closed, seen by a model' in arm.text


def test_messages_are_read_within_bounds(arm):
    (sense,) = arm.robot.senses.facts

    def thing(name, by=0, x=0.0, place='', state='', has_pose=True):
        position = SimpleNamespace(x=x, y=0.0, z=0.0)
        turn = SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0)
        return SimpleNamespace(
            name=name,
            by=by,
            BY_MODEL=2,
            has_pose=has_pose,
            pose=SimpleNamespace(position=position, orientation=turn),
            place=place,
            state=state,
            seen_at=SimpleNamespace(sec=3, nanosec=500_000_000),
        )

    told = SimpleNamespace(
        header=SimpleNamespace(frame_id='table'),
        things=[
            thing('gear 1', place='bin', state='hot'),
            thing('gear 2', x=float('nan')),
            thing('<thing>'),
            thing(''),
            thing('gear 2', has_pose=False),
            thing('cup 1', by=2, place='bin', has_pose=False),
            thing('cup 1', by=2, has_pose=False),
        ],
        looked_at=['bin'],
        gone=['gear 2'],
        tells=['gear 1'],
    )
    seen = list(sense.read(told, Filling({}, None)))
    assert [(one.name, one.place, one.state, one.by_model) for one in seen] == [
        ('gear 1', '', '', False),
        ('cup 1', 'bin', '', True),
    ]
    assert seen[1].seen_at == 3.5
    reading = Reading()
    sense.report(reading, told, Filling({}, None), 0.0)
    assert reading.looked.in_vain('gear 1', 'bin')
    assert not reading.looked.in_vain('gear 2', 'bin')


@pytest.mark.parametrize(
    ('old', 'new', 'sentence'),
    [
        ('2: gear 2}', '2: gear 1}', 'line 13: "gear 1" has two markers: give each thing one'),
        ('2: gear 2}', '2: bin}', 'line 13: "bin" is a place already'),
        ('2: gear 2}', '2: <gear>}', 'line 13: "<gear>" cannot be a name'),
        ('4x4_50', '4x4_51', '"perception.markers.1.dictionary" must be one of'),
        ('size: 4 cm', 'size: 0', '"perception.markers.1.size" must be more than 0'),
        ('size: 4 cm', 'size: 4 s', '"4 s" is no length'),
        (', depth: /depth', '', 'a box in a picture gives no place: name a camera with depth'),
        (
            'camera: above, classes',
            'camera: aside, classes',
            'there is no camera "aside"; there are above',
        ),
        ('    camera: above\n', '    camera: aside\n', 'there is no camera "aside"'),
        ('[left tray, bin]', '[left tray, sink]', 'there is no place "sink"'),
        (
            '{places: [left tray, bin]}',
            '{}',
            'name the places where it may be, its states, or both',
        ),
        ('  frame: table\n  cameras', '  cameras', '"perception.frame" is missing'),
        ('camera: above, classes: {box: crate}', 'classes: {}', 'must have 1 entries or more'),
    ],
)
def test_mistakes_get_a_sentence(load, old, new, sentence):
    assert old in ARM
    with pytest.raises(ConfigurationError) as caught:
        load(ARM.replace(old, new))
    assert sentence in str(caught.value)


def test_cameras_without_anything_to_see_are_refused(load):
    start = ARM.index('  markers:')
    with pytest.raises(ConfigurationError, match='say what is to be seen'):
        load(ARM[:start] + ARM[ARM.index('skills:') :])
