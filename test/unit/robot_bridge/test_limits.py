"""Limits at their edges: of numbers, times, hands, skills, names and turns."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from types import SimpleNamespace

import pytest

from reactree_core.belief import Fact, Source, SourceKind
from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.skill_types import Effect, Relation
from robot_bridge.applicable import objection_to
from robot_bridge.belief import Belief, SOMETHING
from robot_bridge.calls import Feedback
from robot_bridge.filling import Filling, stamp
from robot_bridge.interface_types import FieldPath
from robot_bridge.numbers import NumberReader, Numbers, ReportedNumber
from robot_bridge.perception_file import MountEntry
from robot_bridge.poses import FrameTree, Pose
from robot_bridge.proposal import proposal
from robot_bridge.robot import Interface
from robot_bridge.robot_file import FeedbackEntry
from robot_bridge.robot_map import Way
from robot_bridge.sources import Reading, Seen
from support.known_facts import known
from support.made_up_interfaces import MadeUpInterfaces

BENCH = """\
robot: bench
hands: [left, right]
places:
  table: {frame: map, x: 0, y: 0, region: lab}
  shelf: {frame: map, x: 5, y: 0, region: lab}
things:
  apple 1: {place: table}
  zebra 1: {place: table}
  bolt 2: {place: shelf}
state:
  pose: {topic: /pose, type: geometry_msgs/msg/PoseStamped, field: pose}
  held:
    - {topic: /left, type: std_msgs/msg/Bool, field: data, hand: left}
    - {topic: /right, type: std_msgs/msg/Bool, field: data, hand: right}
  facts:
    - {topic: /lid, type: std_msgs/msg/Bool, name: lid, state: '{data}',
       words: {'true': open, 'false': closed}}
skills:
  - {skill: take <thing>, kind: take, hand: left,
     do: {service: std_srvs/srv/Trigger, name: /take}}
  - {skill: grab <thing>, kind: take, do: {service: std_srvs/srv/Trigger, name: /grab}}
  - {skill: lay <thing> on <place>, kind: put, do: {service: std_srvs/srv/Trigger, name: /lay}}
"""
POSES = {'table': (0.0, 0.0), 'shelf': (5.0, 0.0)}


class Bench:
    """A belief that senses and skills tell."""

    def __init__(self, robot):
        self.robot = robot
        self.belief = Belief(robot, lambda name, frame: Pose('map', *POSES[name]))

    def sense(self, **told):
        self.belief.learn(Reading(Pose('map', 0, 0), **told))

    def do(self, text):
        skill, slots, objection = self.robot.find(text, list(self.belief.things))
        assert skill, objection
        return objection_to(self.belief, skill, slots) or self.belief.did(skill, slots)


@pytest.fixture
def bench(load):
    return Bench(load(BENCH))


# Hands -------------------------------------------------------------------------------------------


@pytest.mark.parametrize('first', ['apple 1', 'zebra 1'])
def test_a_second_thing_is_held_beside_the_first(bench, first):
    """Whichever of the two comes first in the alphabet, before or behind 'something'."""
    bench.sense()
    assert bench.do(f'grab {first}') == '' and bench.do('take bolt 2') == ''
    assert bench.belief.held == [first, 'bolt 2']
    assert bench.belief.things[first].place == bench.belief.things['bolt 2'].place == 'agent 1'


def test_something_in_a_hand_becomes_the_thing_that_was_taken_with_it(bench):
    bench.sense(held={'left': True, 'right': ()})
    assert bench.belief.hands() == (('left', SOMETHING),)
    bench.belief.did(*bench.robot.find('take bolt 2', ['bolt 2'])[:2])
    assert bench.belief.hands() == (('left', 'bolt 2'),)


def test_something_in_the_other_hand_stays(bench):
    bench.sense(held={'left': (), 'right': True})
    apple = Effect(Relation.HOLDING, '', 'apple 1')
    bench.belief._grasp('left', Fact(apple, Source(SourceKind.EFFECT), bench.belief.now))
    assert set(bench.belief.hands()) == {('right', SOMETHING), ('left', 'apple 1')}


def test_a_hand_that_holds_is_not_free_and_two_are_all_there_are(bench):
    bench.sense()
    assert bench.do('take apple 1') == ''
    assert bench.do('take zebra 1').startswith('Your left is not free: you hold apple 1 in left')
    assert bench.do('grab zebra 1') == ''
    assert 'Your hands are not free' in bench.do('grab bolt 2')
    assert bench.do('lay apple 1 on shelf') == '' and bench.do('take bolt 2') == ''


def test_a_hand_that_is_told_to_be_empty_has_lost_its_thing(bench):
    bench.sense()
    bench.do('take apple 1')
    bench.sense(held={'left': (), 'right': ()})
    assert bench.belief.held == [] and bench.belief.things['apple 1'].place == ''


# Numbers -----------------------------------------------------------------------------------------


def reader(lasts=10.0):
    return NumberReader('', FieldPath('data', ('data',)), 'ml', 1.0, 3, lasts, None, ())


@pytest.mark.parametrize(
    ('value', 'known'),
    [
        (1e15, False),
        (-1e15, False),
        (math.nextafter(1e15, 0), True),
        (math.inf, False),
        (math.nan, False),
        (0.0, True),
    ],
)
def test_a_number_is_read_where_it_is_one(value, known):
    told = reader().read(SimpleNamespace(data=value), '/flow', 5.0)
    assert (told.number is not None) is known and told.when == 5.0


def test_a_number_is_known_until_it_is_too_old_and_no_longer():
    numbers = Numbers()
    numbers.take('tank', [ReportedNumber(reader(10.0), Decimal(3), '/flow', 100.0)])
    numbers.forget_old(110.0)
    assert numbers.states('tank')
    numbers.forget_old(math.nextafter(110.0, 111))
    assert not numbers.states('tank')


def test_a_source_that_tells_no_number_any_more_takes_the_old_one_back():
    numbers = Numbers()
    numbers.take('tank', [ReportedNumber(reader(), Decimal(3), '/flow', 100.0)])
    numbers.take('tank', [ReportedNumber(reader(), None, '/flow', 101.0)])
    assert not numbers.states('tank')


def test_a_time_is_a_second_and_less_than_a_second():
    assert stamp(2.25) == {'sec': 2, 'nanosec': 250_000_000}
    assert stamp(-0.25) == {'sec': -1, 'nanosec': 750_000_000}
    # What is left of the second is rounded to a whole one.
    assert stamp(-1e-20) == {'sec': -1, 'nanosec': 999_999_999}
    assert stamp(3.0) == {'sec': 3, 'nanosec': 0}


def test_now_is_the_time_of_the_robots_clock(load):
    text = BENCH + (
        '  - {skill: aim, do: {publish: geometry_msgs/msg/PoseStamped, name: /aim,\n'
        '     send: {header: {stamp: now, frame_id: map}}}}\n'
    )
    (call,) = load(text).skills[-1].calls
    sent = call.send(Filling({}, SimpleNamespace(now=lambda: 7.5)))
    assert sent['header']['stamp'] == {'sec': 7, 'nanosec': 500_000_000}


@pytest.mark.parametrize(
    ('within', 'good'),
    [('1e6 s', True), ('1000001 s', False), ('0 s', False), ('1 ms', True), ('-1 s', False)],
)
def test_a_wait_is_more_than_none_and_no_longer_than_eleven_days(load, within, good):
    text = BENCH.replace('name: /grab}', f'name: /grab, within: {within}}}')
    if good:
        assert load(text).skills[1].entry.do[0].within > 0.0
    else:
        with pytest.raises(ConfigurationError, match='within'):
            load(text)


# How far something is ----------------------------------------------------------------------------


def feedback(begin, end):
    told = SimpleNamespace(begin=begin, end=end)
    written = FeedbackEntry.model_construct(completion=told)
    return Feedback(written, None, FieldPath('left', ('left',)))


@pytest.mark.parametrize(
    ('left', 'first', 'part'),
    [(8.0, None, 0.0), (4.0, 8.0, 0.5), (0.0, 8.0, 1.0), (-1.0, 8.0, 1.0), (9.0, 8.0, 0.0)],
)
def test_the_part_that_is_done_is_between_none_and_all(left, first, part):
    done, began = feedback(None, 0.0).part_done(SimpleNamespace(left=left), first)
    assert done == pytest.approx(part) and began == (left if first is None else first)


def test_where_begin_and_end_are_one_nothing_is_known():
    assert feedback(None, 5.0).part_done(SimpleNamespace(left=5.0), None) == (-1.0, 5.0)
    unknown = Feedback(FeedbackEntry.model_construct(completion=None), None, None)
    assert unknown.part_done(SimpleNamespace(left=5.0), None) == (-1.0, None)
    assert feedback(10, 20).part_done(SimpleNamespace(left=15.0), None) == (0.5, 10.0)


# Turns and frames --------------------------------------------------------------------------------


def test_a_mount_is_turned_about_x_then_y_then_z():
    angles = (0.3, -0.7, 1.1)
    told = MountEntry(frame='map', roll=angles[0], pitch=angles[1], yaw=angles[2]).quaternion
    turns = [
        Pose('', qx=math.sin(angles[0] / 2), qw=math.cos(angles[0] / 2)),
        Pose('', qy=math.sin(angles[1] / 2), qw=math.cos(angles[1] / 2)),
        Pose('', qz=math.sin(angles[2] / 2), qw=math.cos(angles[2] / 2)),
    ]
    whole = turns[0].after(turns[1]).after(turns[2])
    assert told == pytest.approx((whole.qx, whole.qy, whole.qz, whole.qw))


def test_a_transform_is_too_old_by_more_than_nothing():
    frames = FrameTree()
    frames.hear('base', Pose('odom', 1.0), 10.0)
    frames.hear('/odom', Pose('map', 0.0, 2.0), 11.0)
    assert frames.pose_in(Pose('base'), 'map', 10.0) == Pose('map', 1.0, 2.0)
    with pytest.raises(SkillError, match='"base" is too old'):
        frames.pose_in(Pose('base'), 'map', math.nextafter(10.0, 11))
    assert frames.heard_at('base', 'map') == 10.0


@pytest.mark.parametrize('wrong', [math.nan, math.inf])
def test_a_pose_is_finite_in_every_number(wrong):
    assert Pose('map', 1, 2, 3).is_finite
    for at in range(3):
        numbers = [0.0, 0.0, 0.0]
        numbers[at] = wrong
        assert not Pose('map', *numbers).is_finite
    assert not Pose('map', qz=math.nan).is_finite


# Names -------------------------------------------------------------------------------------------


def test_what_a_source_names_is_declared(bench):
    vocabulary = bench.robot.vocabulary()
    assert 'lid' in vocabulary.other_classes
    assert {'open', 'closed'} <= set(vocabulary.states)
    assert vocabulary.rooms == ('lab',) and set(vocabulary.place_classes) == {'table', 'shelf'}


@pytest.mark.parametrize(
    ('name', 'good'), [('bolt 1', True), ('bolt 3', True), ('bolts 2', False)]
)
def test_another_number_is_another_thing_and_a_slip_is_said(load, name, good):
    text = BENCH.replace('name: lid,', f'name: {name},')
    if good:
        assert load(text)
    else:
        with pytest.raises(ConfigurationError, match='did you mean "bolt 2"'):
            load(text)


@pytest.mark.parametrize(
    ('need', 'said'),
    [
        ('holding apple 1 in tail', '"hands" has no "tail"'),
        ('holding pear 7 in left', 'there is no thing "pear 7"'),
        ('holding pear 7', 'there is no thing "pear 7"'),
        ('apple 1 in left', 'did you mean "holding apple 1 in left"'),
    ],
)
def test_a_need_that_cannot_be_is_said(load, need, said):
    text = BENCH.replace('name: /grab}}', f'name: /grab}}, needs: [{need}]}}')
    with pytest.raises(ConfigurationError, match=said):
        load(text)


def test_the_second_skill_of_a_name_has_the_number_two():
    same = [Interface('service', name, 'std_srvs/srv/Trigger') for name in ('/fold', '//fold')]
    text = proposal((*same, Interface('service', '/fold/', 'std_srvs/srv/Trigger')), set(),
                    MadeUpInterfaces())  # fmt: skip
    assert 'fold by way 2' in text and 'fold by way 3' in text and 'by way 1' not in text


# What is seen ------------------------------------------------------------------------------------


def test_what_is_not_seen_where_all_is_seen_is_not_there(bench):
    bench.sense(seen=(), whole=False)
    assert bench.belief.things['apple 1'].place == 'table'
    bench.sense(seen=(), whole=True)
    assert bench.belief.things['apple 1'].place == ''
    assert bench.belief.things['bolt 2'].place == 'shelf', 'nobody has looked there'


def test_a_thing_that_is_put_down_is_held_no_more_and_no_pose_of_it_is_known(bench):
    bench.sense(seen=(Seen('apple 1', pose=Pose('map', 0.1, 0.0), near=0.5, by='/seen'),))
    assert bench.belief.pose_of_thing('apple 1') == Pose('map', 0.1, 0.0)
    bench.sense()
    bench.do('take apple 1')
    with pytest.raises(SkillError, match='is not known'):
        bench.belief.pose_of_thing('apple 1')
    assert known(bench.belief, 'holding apple 1').holds is True
    bench.do('lay apple 1 on shelf')
    assert known(bench.belief, 'holding apple 1').holds is False
    assert known(bench.belief, 'apple 1 in shelf').holds is True


def test_no_more_things_are_remembered_than_may_be(bench, monkeypatch):
    monkeypatch.setattr('robot_bridge.belief._MOST_THINGS', 3)
    for start in itertools.count(0, 2):
        bench.sense(seen=tuple(Seen(f'nut {start + one}', place='table') for one in (0, 1)))
        if start == 10:
            break
    others = [name for name in bench.belief.things if name.startswith('nut')]
    assert others == [f'nut {number}' for number in range(7, 12)]
    assert {'apple 1', 'zebra 1', 'bolt 2'} <= bench.belief.things.keys()


# The way of the base -----------------------------------------------------------------------------


def test_a_way_keeps_a_corner_every_so_many_points():
    way = Way()
    for step in range(202):
        way.follow(step / 16, 0.0)
    assert way.points == [(0.0, 0.0), (12.5, 0.0), (201 / 16, 0.0)]
    assert way.length == pytest.approx(201 / 16)


def test_a_step_that_is_noise_is_none_and_one_of_five_centimetres_is_one():
    way = Way()
    way.follow(0.0, 0.0)
    way.follow(math.nextafter(0.05, 0), 0.0)
    assert way.length == 0.0 and way.points == [(0.0, 0.0)]
    way.follow(0.05, 0.0)
    assert way.length == 0.05 and way.points == [(0.0, 0.0), (0.05, 0.0)]


@pytest.mark.parametrize('turn', [0.0, 45.0, 90.0, 120.0, 225.0])
def test_a_straight_way_has_no_corner_whichever_way_it_goes(turn):
    way = Way()
    for step in range(20):
        along = step / 8
        way.follow(along * math.cos(math.radians(turn)), along * math.sin(math.radians(turn)))
    assert len(way.points) == 2 and way.length == pytest.approx(19 / 8)
