"""Numbers of a robot's file: known while they are fresh, words that do not flap, nothing else."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.skill_types import read_effect
from robot_bridge.applicable import objection_to
from robot_bridge.belief import Belief
from robot_bridge.filling import Filling
from robot_bridge.observation_text import observation_of
from robot_bridge.poses import Pose
from robot_bridge.sources import Reading
from support.known_facts import known

GARDENER = """\
robot: gardener
places:
  bed 1: {frame: map, x: 0, y: 0}
  charger: {frame: map, x: 5, y: 0}
classes:
  - {name: plant}
state:
  pose: {topic: /pose, type: geometry_msgs/msg/PoseStamped, field: pose}
  numbers:
    battery:
      topic: /battery
      type: sensor_msgs/msg/BatteryState
      field: percentage
      unit: '%'
      age: 5 s
      words: {low: '< 20 %', full: '> 95 %'}
      margin: 2
  facts:
    - topic: /plants
      type: garden/msg/Plants
      field: plants
      name: plant {id}
      place: bed 1
      age: 10 s
      numbers:
        moisture: {field: wetness, unit: '%', words: {dry: '< 30 %', moist: '>= 30 %'}}
skills:
  - skill: go to <place>
    kind: move
    needs: [battery > 20 %]
    do: {service: std_srvs/srv/Trigger, name: /go}
  - skill: pick <plant>
    slots: [thing]
    needs: [<plant> is moist]
    do: {service: std_srvs/srv/Trigger, name: /pick}
  - skill: water <plant> with <ml> ml
    slots: {<plant>: thing, <ml>: {number: 0..300, step: 10, unit: ml}}
    effects: [raises moisture of <plant> by about <ml>/10]
    do: {service: std_srvs/srv/Trigger, name: /water}
  - skill: charge
    effects: [battery > 95 %]
    do: {until: battery > 95 %, within: 2 h}
  - skill: wait <time> seconds
    slots: {<time>: {number: 1..600, unit: s}}
    do: {wait: <time>}
"""


class Gardener:
    """A belief that is told batteries and plants, at times of a clock of its own."""

    def __init__(self, robot):
        self.robot = robot
        self.belief = Belief(robot, lambda name, frame: Pose('map', 0, 0))
        self.now = 100.0
        self.battery = None
        self.plants = None

    def sense(self, battery=None, plants=None, seconds=1.0):
        """What topics tell now; what is left out was told before, and grows old."""
        self.now += seconds
        self.battery = (battery, self.now) if battery is not None else self.battery
        self.plants = (plants, self.now) if plants is not None else self.plants
        senses = self.robot.senses
        reading = Reading(Pose('map', 0, 0), when=self.now)
        for sense, told in zip((*senses.numbers, *senses.facts), (self.battery, self.plants)):  # noqa: B905
            name = sense.about if sense in senses.numbers else None
            if told is None or self.now - told[1] > sense.entry.age:
                if isinstance(name, str):
                    reading.numbers[name] = None
                    reading.silent += ((name, f'{sense.what} has sent nothing'),)
                continue
            if isinstance(name, str):
                message = SimpleNamespace(percentage=told[0])
                reading.numbers[name] = sense.read(message, told[1])
            else:
                rows = [SimpleNamespace(id=i, wetness=w, ripe=False) for i, w in told[0].items()]
                message = SimpleNamespace(plants=rows)
                reading.seen = tuple(sense.read(message, Filling({}, None), told[1]))
        self.belief.learn(reading)
        return self

    def knows(self, fact):
        effect = read_effect(fact)
        return known(self.belief, effect).holds

    def objection(self, text):
        skill, slots, objection = self.robot.find(text, list(self.belief.things))
        return objection or objection_to(self.belief, skill, slots)

    def state(self, name):
        facts = observation_of(self.belief).facts
        return next((fact.state for fact in facts if fact.name == name), None)


@pytest.fixture
def gardener(load):
    return Gardener(load(GARDENER))


def test_a_percentage_of_one_is_told_in_percent(gardener):
    gardener.sense(battery=0.805)
    assert gardener.state('battery') == '80.5 %'
    assert gardener.knows('battery > 80 %')
    assert gardener.knows('battery < 80 %') is False
    assert 'The battery is 80.5 %.' in observation_of(gardener.belief).text


def test_a_number_that_is_too_old_is_not_known_and_permits_nothing(gardener):
    gardener.sense(battery=0.8)
    assert gardener.objection('go to charger') == ''
    gardener.sense(seconds=6.0)
    assert gardener.knows('battery > 20 %') is None
    assert gardener.knows('battery <= 20 %') is None
    assert gardener.state('battery') == ''
    assert 'not known' in gardener.objection('go to charger')
    assert '/battery has sent nothing' in gardener.objection('go to charger')
    assert 'The battery is not known' in observation_of(gardener.belief).text


def test_a_number_never_told_permits_nothing(gardener):
    gardener.sense()
    assert 'not known' in gardener.objection('go to charger')


@pytest.mark.parametrize('value', [math.nan, math.inf, -math.inf])
def test_what_is_no_number_permits_nothing(gardener, value):
    gardener.sense(plants={1: value})
    assert gardener.state('plant 1') == ''
    assert gardener.knows('moisture of plant 1 > 0 %') is None
    assert 'not known' in gardener.objection('pick plant 1')


def test_too_little_is_said_with_the_number(gardener):
    gardener.sense(battery=0.15)
    assert gardener.objection('go to charger') == 'battery is low, 15 %; needed is battery > 20 %.'


def test_a_word_at_the_edge_does_not_flap(gardener):
    words = []
    for percent in (21, 19.9, 20.1, 19.9, 21.9, 22.1, 20.1, 19.9):
        gardener.sense(battery=percent / 100)
        words.append('low' in gardener.state('battery').split(', '))
    assert words == [False, True, True, True, True, False, False, True]


def test_a_margin_that_is_not_told_is_a_twentieth_of_the_limit(gardener):
    states = [
        gardener.sense(plants={1: wetness}).state('plant 1').split(', ')
        for wetness in (29.0, 30.0, 31.4, 31.6, 29.0, 28.4)
    ]
    assert ['dry' in told for told in states] == [True, True, True, False, True, True]


def test_numbers_of_things_are_forgotten_with_time(gardener):
    gardener.sense(plants={1: 12.0, 2: 55.0})
    assert gardener.state('plant 1') == 'dry, moisture 12 %'
    assert gardener.knows('plant 1 is dry')
    gardener.sense(plants={2: 55.0}, seconds=4)
    assert gardener.state('plant 1') == 'dry, moisture 12 %'
    gardener.sense(plants={2: 55.0}, seconds=8)
    assert gardener.state('plant 1') == ''
    assert gardener.knows('plant 1 is dry') is None
    assert gardener.knows('not plant 1 is dry') is None
    assert gardener.objection('pick plant 1') != ''
    assert gardener.objection('pick plant 2') == ''


def test_the_robots_own_numbers_are_no_things_to_be_taken(gardener):
    gardener.sense(battery=0.8, plants={1: 50.0})
    assert 'battery' in gardener.robot.vocabulary().other_classes
    assert not any(
        'pick battery' in skill for skill in observation_of(gardener.belief).admissible_skills
    )
    assert gardener.objection('pick battery') != ''


def test_a_sense_of_a_number_wins_over_an_effect(gardener):
    gardener.sense(battery=0.5)
    skill, slots, _ = gardener.robot.find('charge', [])
    assert 'battery' in gardener.belief.did(skill, slots)
    gardener.sense(battery=0.97)
    assert gardener.belief.did(skill, slots) == ''


def test_a_wait_tells_how_long_it_takes(gardener):
    types = {one.verb: one for one in gardener.robot.vocabulary().skills}
    assert types['charge'].waits(()) == 7200
    assert types['wait'].waits(('30',)) == 30
    skill, slots, objection = gardener.robot.find('wait 30 seconds', [])
    assert not objection
    assert skill.calls[0].pause(Filling(slots, None)) == 30.0
    assert not any(one.name == '' for one in gardener.robot.interfaces())


@pytest.mark.parametrize(
    ('before', 'after', 'sentence'),
    [
        ('needs: [battery > 20 %]', 'needs: [batery > 20 %]', 'no number "batery"'),
        ('raises moisture of', 'raises moistrue of', 'no number "moistrue"'),
        ("{dry: '< 30 %'", "{dry: 'little'", 'no condition on a number'),
        ('{wait: <time>}', '{wait: <tme>}', 'has no slot <tme>'),
        ('{wait: <time>}', '{wait: soon}', '"soon" is no time'),
        ('{wait: <time>}', '{wait: 0 s}', 'more than 0 s'),
        ('{until: battery > 95 %, within: 2 h}', '{until: battery > 95 %}', 'needs "within"'),
        ('{until: battery > 95', '{until: batery > 95', 'no number "batery"'),
        ('field: percentage', 'field: voltages', 'no field "voltages"'),
    ],
)
def test_mistakes_get_a_sentence(load, before, after, sentence):
    assert before in GARDENER
    with pytest.raises(ConfigurationError) as caught:
        load(GARDENER.replace(before, after, 1))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ('condition', 'value', 'holds'),
    [
        ('< 20 %', 0.19, True),
        ('< 20 %', 0.21, False),
        ('between 10 and 20 %', 0.15, True),
        ('between 10 % and 20 %', 0.25, False),
        ('between 0.1 and 0.2', 0.15, True),
    ],
)
def test_conditions_on_messages_have_percents_and_ranges(load, condition, value, holds):
    ready = (
        "ready: {topic: /battery, type: sensor_msgs/msg/BatteryState, when: {percentage: '%s'}}\n"
    )
    robot = load(GARDENER + ready % condition)
    message = SimpleNamespace(percentage=value, voltage=0.0)
    assert robot.signals.ready[0].holds(message) is holds


STATIONS = GARDENER.replace(
    '  numbers:\n',
    '  place: {topic: /station, type: std_msgs/msg/String, field: data}\n  numbers:\n',
    1,
)


@pytest.mark.parametrize(
    ('station', 'pose', 'place'),
    [
        ('charger', Pose('map', 0, 0), 'charger'),
        ('', Pose('map', 0, 0), 'bed 1'),
        (None, Pose('map', 0, 0), 'bed 1'),
        ('charger', None, 'charger'),
        ('', Pose('map', 50, 0), ''),
    ],
)
def test_a_station_that_is_told_is_surer_than_the_nearest_place(load, station, pose, place):
    poses = {'bed 1': Pose('map', 0, 0), 'charger': Pose('map', 5, 0)}
    belief = Belief(load(STATIONS), lambda name, frame: poses[name])
    belief.learn(Reading(pose, station))
    assert belief.place == place
    found = known(belief, 'at bed 1')
    assert found.holds is (place == 'bed 1')
    assert found.by == ('/station' if station else '/pose')


def test_a_place_with_room_for_few_tells_it(load):
    robot = load(GARDENER.replace('x: 5, y: 0}', 'x: 5, y: 0, seats: 1}'))
    here = Gardener(robot)
    here.sense()
    assert here.state('charger') == 'seats 1'
    assert here.state('bed 1') == ''
