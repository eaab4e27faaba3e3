"""Sources that cannot be right: what they say is not known, and it is said of them."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from reactree_core.belief import SourceKind, Status, why
from reactree_core.errors import ConfigurationError
from reactree_core.skill_types import read_effect
from robot_bridge.applicable import objection_to
from robot_bridge.belief import Belief
from robot_bridge.filling import Filling
from robot_bridge.interface_types import documented_ranges
from robot_bridge.observation_text import observation_of
from robot_bridge.poses import Pose
from robot_bridge.sources import HELD, HERE, MOST_FACTS, Reading, Seen
from support.known_facts import known

HERMES = """\
robot: hermes
hands: 1
places:
  store: {frame: map, x: 0, y: 0}
  ward: {frame: map, x: 8, y: 0}
classes:
  - {name: blanket, kind: thing}
  - {name: cup, kind: thing}
state:
  pose: {topic: /pose, type: geometry_msgs/msg/PoseStamped, field: pose}
  held: {topic: /grips, type: std_msgs/msg/Bool, field: data, age: 2 s, measured: true}
  numbers:
    battery:
      {topic: /battery, type: sensor_msgs/msg/BatteryState, field: percentage, unit: '%', age: 5 s}
  facts:
    - topic: /seen
      type: vision/msg/AllSeen
      field: seen
      name: '{id}'
      position: at
      whole: true
      age: 2 s
      measured: true
skills:
  - {skill: go to <place>, kind: move, needs: [battery > 20 %],
     do: {service: std_srvs/srv/Trigger, name: /go}}
  - {skill: pick up <thing>, kind: take, needs: [hands free, <thing> in here],
     do: {service: std_srvs/srv/Trigger, name: /grab}}
  - {skill: put <thing> on <place>, kind: put, needs: [holding <thing>, at <place>],
     do: {service: std_srvs/srv/Trigger, name: /drop}}
"""
PLACES = {'store': Pose('map', 0, 0), 'ward': Pose('map', 8, 0)}


class Hermes:
    """A belief with a clock of its own, and messages of its topics.

    :param named: whether the gripper says the name of what it holds.
    """

    def __init__(self, robot):
        self.robot = robot
        self.belief = Belief(robot, lambda name, frame: PLACES[name])
        self.now = 100.0
        self.at = 'store'

    def sense(self, things=(), grips=False, battery=None, seconds=1.0, **more):
        """:param things: name -> x of its position, or pairs of these."""
        self.now += seconds
        reading = Reading(PLACES[self.at], when=self.now, now=self.now + 1000.0, **more)
        rows = things.items() if isinstance(things, dict) else things or ()
        seen = [
            SimpleNamespace(id=name, at=SimpleNamespace(x=x, y=0.1, z=0.8)) for name, x in rows
        ]
        message = SimpleNamespace(header=SimpleNamespace(frame_id='map'), seen=seen)
        senses = self.robot.senses
        filling = Filling({}, None)
        if things is not None:
            senses.facts[0].report(reading, message, filling, self.now)
        if battery is not None:
            numbers = SimpleNamespace(percentage=battery)
            senses.numbers[0].report(reading, numbers, filling, self.now)
        if grips is not None:
            reading.held[''] = grips
        self.belief.learn(reading)
        return self

    def do(self, text, **after):
        """A skill that its server reports as done; what a sense says against it."""
        skill, slots, objection = self.robot.find(text, list(self.belief.things))
        assert skill, objection
        objection = objection_to(self.belief, skill, slots)
        if objection:
            return objection
        self.now += 1.0
        self.belief.acted_at = self.now
        self.sense(**after)
        return self.belief.did(skill, slots)

    def known(self, text):
        return known(self.belief, text)

    @property
    def look(self):
        return observation_of(self.belief)

    def sources(self, text):
        return [
            (fact.source.kind, fact.source.name)
            for fact in self.look.evidence
            if fact.what.text == text
        ]


@pytest.fixture
def hermes(load):
    return Hermes(load(HERMES))


# Numbers that cannot be --------------------------------------------------------------------------


@pytest.mark.parametrize('percentage', [5.0, 1.02, 80.0, 250.0])
def test_more_than_all_is_not_known_and_the_notice_names_topic_and_value(hermes, percentage):
    hermes.sense(battery=percentage)
    (notice,) = hermes.belief.notices.values()
    assert f'/battery says percentage {percentage:g}, which is outside 0 to 1' in notice
    assert '500' not in hermes.look.text and 'battery is' not in str(hermes.look.evidence)
    objection = hermes.do('go to ward')
    assert 'battery > 20 % is not known' in objection and '/battery says' in objection
    assert ('scale: 1' in notice) is (percentage <= 100)


@pytest.mark.parametrize('percentage', [-0.01, -1.0, math.nan, -math.inf])
def test_what_drivers_send_for_not_measured_is_no_number(hermes, percentage):
    hermes.sense(battery=percentage)
    assert '-1 %' not in hermes.look.text
    assert 'The battery is not known: /battery' in hermes.look.text
    assert 'not known' in hermes.do('go to ward')
    hermes.sense(battery=0.5)
    assert hermes.known('battery > 20 %').holds and not hermes.belief.notices


def test_a_source_that_counts_in_another_scale_is_not_believed_when_it_comes_into_range(hermes):
    hermes.sense(battery=3.0)
    hermes.sense(battery=0.9)
    assert hermes.known('battery > 20 %').holds is None
    assert 'once says percentage 3' in hermes.do('go to ward')


def test_a_file_may_say_the_scale_and_the_range(load):
    text = HERMES.replace("unit: '%', age", "unit: '%', scale: 1, age")
    hermes = Hermes(load(text)).sense(battery=5.0)
    assert hermes.known('battery < 20 %').holds and not hermes.belief.notices
    hermes.sense(battery=101.0)
    assert hermes.known('battery > 20 %').holds is None
    warm = Hermes(load(HERMES.replace("unit: '%', age", 'range: 0..40, scale: 50, age')))
    assert warm.sense(battery=0.8).known('battery >= 40').holds
    assert warm.sense(battery=0.9).known('battery > 0').holds is None
    with pytest.raises(ConfigurationError, match='no range of numbers: write'):
        load(HERMES.replace("unit: '%', age", 'range: much, age'))


def test_a_signal_is_not_true_by_a_number_that_cannot_be(load):
    ready = "ready: {topic: /b, type: sensor_msgs/msg/BatteryState, when: {percentage: '> 20 %'}}"
    (signal,) = load(HERMES + ready + '\n').signals.ready
    assert signal.holds(SimpleNamespace(percentage=0.3))
    with pytest.raises(LookupError, match='outside 0 to 1'):
        signal.holds(SimpleNamespace(percentage=5.0))


def test_ranges_stand_in_the_definitions_of_messages():
    text = (
        'uint8 FULL=1  # from 0 to 9\n# on 2 to 3 range\n\n'
        'float32 charge   # Part of 1, on 0 to 1 range  (If unmeasured NaN)\n'
        'float64 wet      # Expression\n                 # from 0.0 to 1.5.\n'
        '# Strength, between -1 and 1, inclusive.\nfloat32 push\n'
        'uint32 nanosec   # in the range [0, 1e9)\nint64 any  # from -9,223 to\n'
    )
    assert documented_ranges(text) == {
        'charge': (0.0, 1.0),
        'wet': (0.0, 1.5),
        'push': (-1.0, 1.0),
    }


# Things of one name ------------------------------------------------------------------------------


def test_two_detections_of_one_name_are_two_things_and_keep_their_numbers(hermes):
    hermes.sense([('cup', 0.1), ('cup', 0.5)])
    assert hermes.belief.seen == ('cup 1', 'cup 2')
    # In another order, and a little off.
    hermes.sense([('cup', 0.52), ('cup', 0.12)])
    poses = {name: hermes.belief.pose_of_thing(name).x for name in hermes.belief.seen}
    assert poses == {'cup 1': 0.12, 'cup 2': 0.52}
    hermes.sense([('cup', 0.5)])
    assert hermes.belief.seen == ('cup 2',) and hermes.belief.things['cup 1'].place == ''


def test_a_thing_of_the_class_elsewhere_is_another_one(hermes):
    hermes.sense([('cup', 0.1)])
    hermes.at = 'ward'
    hermes.sense([('cup', 8.1)])
    assert hermes.belief.seen == ('cup 2',)
    assert hermes.belief.things['cup 1'].place == 'store'


def test_both_of_two_things_can_be_brought(hermes):
    hermes.sense([('cup', 0.1), ('cup', 0.5)], battery=0.9)
    assert hermes.do('pick up cup 1', things=[('cup', 0.5)], grips=True, battery=0.9) == ''
    assert hermes.look.held == ('cup 1',) and hermes.belief.seen == ('cup 2',)
    hermes.at = 'ward'
    hermes.sense(grips=True, battery=0.9)
    assert hermes.do('put cup 1 on ward', things=[('cup', 8.1)], battery=0.9) == ''
    places = {name: thing.place for name, thing in hermes.belief.things.items()}
    assert places == {'cup 1': 'ward', 'cup 2': 'store'}


def test_a_thing_beside_the_one_in_the_hand_is_another_one(hermes):
    hermes.sense([('cup', 0.1)], battery=0.9)
    assert hermes.do('pick up cup 1', things=(), grips=True) == ''
    hermes.at = 'ward'
    hermes.sense([('cup', 8.1)], grips=True)
    assert hermes.look.held == ('cup 1',) and hermes.belief.seen == ('cup 2',)


def test_what_only_its_order_tells_apart_gets_a_notice(load):
    text = HERMES.replace('position: at', 'place: here')
    hermes = Hermes(load(text)).sense([('cup', 0.0), ('cup', 0.0)])
    assert hermes.belief.seen == ('cup 1', 'cup 2')
    (notice,) = hermes.belief.notices.values()
    assert '/seen reports 2 things called "cup" without positions' in notice
    assert notice in hermes.look.text


def test_one_numbered_name_at_two_places_is_at_neither(hermes):
    hermes.sense([('crate 3', 0.1), ('crate 3', 8.1)])
    assert hermes.known('crate 3 in store').holds is None
    assert hermes.belief.things['crate 3'].place == ''
    assert '"crate 3" 2 times at once' in next(iter(hermes.belief.notices.values()))


def test_of_more_things_than_are_read_none_is_said_to_be_absent(hermes):
    hermes.sense({'blanket 1': 0.1})
    assert hermes.look.looked_at == ('store',)
    many = {f'pin {number}': 0.2 for number in range(MOST_FACTS + 1)}
    hermes.sense(many)
    assert hermes.look.looked_at == ()
    assert hermes.known('blanket 1 in store').holds is not False
    assert f'/seen reports {MOST_FACTS + 1} things at once' in hermes.look.text


# Which thing is held -----------------------------------------------------------------------------

STORE = {'blanket 1': 0.2, 'blanket 2': 0.6}


def test_a_thing_that_still_lies_there_is_not_the_one_held(hermes):
    hermes.sense(STORE, battery=0.9)
    against = hermes.do('pick up blanket 2', things={'blanket 2': 0.6}, grips=True)
    assert against == (
        'It was reported as done, but by /seen it was not. '
        'You do not hold blanket 2: you hold blanket 1.'
    )
    assert hermes.known('holding blanket 2') == (False, '/seen')
    assert hermes.known('blanket 2 in store').holds
    # The only one that has gone is in the hand: assumed, since no sensor says its name.
    assert hermes.look.held == ('blanket 1',)
    assert 'holding blanket 1' in hermes.look.assumed
    assert hermes.do('put blanket 1 on store', things=STORE, grips=False) == ''
    assert hermes.belief.things['blanket 1'].place == 'store'


def test_the_thing_that_has_gone_is_the_one_held(hermes):
    hermes.sense(STORE)
    assert hermes.do('pick up blanket 2', things={'blanket 1': 0.2}, grips=True) == ''
    assert hermes.look.held == ('blanket 2',)


def test_where_two_have_gone_which_is_held_is_what_was_done(hermes):
    hermes.sense(STORE)
    assert hermes.do('pick up blanket 2', things={}, grips=True) == ''
    assert hermes.look.held == ('blanket 2',) and 'holding blanket 2' in hermes.look.assumed


def test_where_nothing_has_gone_what_is_held_is_something(hermes):
    hermes.sense(STORE)
    against = hermes.do('pick up blanket 2', things=STORE, grips=True)
    assert 'by /seen it was not' in against
    assert hermes.look.held == ('something',)


def test_a_thing_that_is_lifted_into_the_view_of_the_camera_is_held(hermes):
    hermes.sense(STORE)
    lifted = {'blanket 1': 0.2, 'blanket 2': 0.4}
    assert hermes.do('pick up blanket 2', things=lifted, grips=True) == ''
    assert hermes.look.held == ('blanket 2',)


def test_a_picture_from_before_the_grasp_says_nothing_against_it(hermes):
    hermes.sense(STORE)
    hermes.belief.acted_at = hermes.now + 5.0
    hermes.sense(STORE, grips=True, seconds=1.0)
    skill, slots, _ = hermes.robot.find('pick up blanket 2', list(hermes.belief.things))
    hermes.belief.acted_at = hermes.now
    assert hermes.belief.did(skill, slots) == ''


NAMED = HERMES.replace('/grips, type: std_msgs/msg/Bool', '/grips, type: std_msgs/msg/String')


@pytest.mark.parametrize(('said_at', 'against'), [(9.0, False), (9.7, True)])
def test_a_report_from_before_a_skill_has_ended_says_nothing_against_it(load, said_at, against):
    belief = Hermes(load(NAMED)).belief
    reading = Reading(PLACES['store'], held={'': ()}, when=10.0)
    reading.at['/grips'] = said_at
    belief.learn(reading)
    belief.acted_at = 9.5
    skill, slots, _ = belief.robot.find('pick up blanket 2', ['blanket 2'])
    assert bool(belief.did(skill, slots)) is against
    status = belief.test(read_effect('holding blanket 2')).status
    assert status is (Status.NOT_MET if against else Status.ASSUMED)


def test_a_gripper_and_a_camera_that_contradict_each_other_are_both_named(load):
    hermes = Hermes(load(NAMED)).sense(STORE, grips=())
    against = hermes.do('pick up blanket 2', things=STORE, grips=('blanket 2',))
    known = hermes.known('holding blanket 2')
    assert known.holds is None and known.by == '/grips and /seen'
    assert against == '' and hermes.look.held == ('something',)
    assert hermes.known('blanket 2 in store').holds is None
    assert 'blanket 2 in store' not in [
        f'{fact.name} in {fact.receptacle}' for fact in hermes.look.facts
    ]
    assert (SourceKind.SENSOR, '/grips') in hermes.sources('holding blanket 2')
    assert (SourceKind.SENSOR, '/seen') in hermes.sources('blanket 2 in store')
    assert (
        '/grips says "holding blanket 2" and /seen says "blanket 2 in store"' in hermes.look.text
    )
    refusal = hermes.do('put blanket 2 on store', things=STORE, grips=('blanket 2',))
    assert refusal == 'Whether holding blanket 2 is not known: /grips and /seen disagree.'


def test_two_cameras_that_place_a_thing_differently_leave_its_place_open(load):
    hermes = Hermes(load(HERMES))
    seen = (
        Seen('crate 1', place='store', state='open', by='/a', at=1.0, words=frozenset(['open'])),
        Seen('crate 1', place='ward', state='closed', by='/b', at=1.0),
    )
    hermes.belief.learn(Reading(PLACES['store'], seen=seen, when=1.0))
    for text in ('crate 1 in store', 'crate 1 in ward', 'crate 1 is open', 'crate 1 is closed'):
        assert hermes.known(text) == (None, '/a and /b'), text
    assert hermes.look.assumed == ()
    assert [fact.source.name for fact in hermes.look.evidence if 'crate' in fact.what.text] == [
        '/a', '/b', '/a', '/b'
    ]  # fmt: skip


def test_what_was_seen_in_the_hand_and_the_hand_denies_is_not_known(load):
    hermes = Hermes(load(NAMED))
    hermes.belief.learn(
        Reading(PLACES['store'], held={'': ()}, seen=(Seen('cup 1', HELD, by='/seen'),))
    )
    assert hermes.known('holding cup 1') == (None, '/grips and /seen')


# Facts of a while ago ----------------------------------------------------------------------------


def test_what_is_older_than_its_age_is_where_it_was_last_seen(hermes):
    hermes.sense(STORE)
    (fact,) = (one for one in hermes.look.evidence if one.what.text == 'blanket 1 in store')
    assert (fact.time, fact.age) == (hermes.now + 1000.0, 2.0)
    hermes.at = 'ward'
    hermes.sense({}, seconds=30.0)
    verdict = hermes.belief.test(read_effect('blanket 1 in store'))
    assert verdict.status is Status.ASSUMED
    assert why(verdict, hermes.belief.now) == 'last seen 30 s ago by /seen'
    assert 'blanket 1 at store (last seen 30 s ago)' in hermes.look.text
    (old,) = (one for one in hermes.look.evidence if one.what.text == 'blanket 1 in store')
    assert (old.time, old.age) == (fact.time, 2.0)
    (told,) = (one for one in hermes.look.facts if one.name == 'blanket 1')
    assert (told.receptacle, told.seen_at) == ('store', fact.time)
    # It guides: here is not where to take it.
    assert 'blanket 1 is at store, not here' in hermes.do('pick up blanket 1')


def test_what_a_silent_source_said_is_not_known(hermes):
    hermes.sense(STORE)
    hermes.sense(None, grips=None, unheard={'/seen', '/grips'}, silent=(('facts', 'silent'),))
    assert hermes.belief.test(read_effect('blanket 1 in store')).status is Status.ASSUMED


def test_what_a_silent_gripper_held_is_assumed_with_the_time_when_it_was_told(load):
    hermes = Hermes(load(NAMED)).sense({}, grips=('cup 1',))
    told_at = hermes.now + 1000.0
    assert hermes.sources('holding cup 1') == [(SourceKind.SENSOR, '/grips')]
    silent = {'unheard': {'/grips'}, 'silent': (('held', '/grips is silent'),)}
    hermes.sense({}, grips=None, seconds=30.0, **silent)
    (fact,) = (one for one in hermes.look.evidence if one.what.text == 'holding cup 1')
    assert (fact.source.name, fact.time, fact.age) == ('/grips', told_at, 2.0)
    assert 'holding cup 1' in hermes.look.assumed and 'holding' not in hermes.look.sensed


def test_an_effect_names_its_skill_until_it_is_sensed(hermes):
    hermes.sense(STORE, battery=0.9)
    hermes.do('pick up blanket 2', things={'blanket 1': 0.2}, grips=True)
    assert hermes.sources('holding blanket 2')[0][0] is SourceKind.EFFECT
    hermes.at = 'ward'
    hermes.sense({}, grips=True)
    assert hermes.do('put blanket 2 on ward', things=None, grips=False) == ''
    assert hermes.sources('blanket 2 in ward') == [(SourceKind.EFFECT, 'put blanket 2 on ward')]
    hermes.sense({'blanket 2': 8.1})
    assert hermes.sources('blanket 2 in ward') == [(SourceKind.SENSOR, '/seen')]


def test_here_says_nothing_of_a_thing_in_the_hand(load):
    hermes = Hermes(load(HERMES))
    seen = (Seen('cup 1', HERE, by='/seen', at=1.0),)
    hermes.belief.learn(Reading(PLACES['store'], held={'': False}, seen=seen, when=1.0))
    hermes.belief.learn(Reading(PLACES['store'], held={'': True}, seen=seen, when=2.0))
    skill, slots, _ = hermes.robot.find('pick up cup 1', ['cup 1'])
    assert hermes.belief.did(skill, slots) == ''
