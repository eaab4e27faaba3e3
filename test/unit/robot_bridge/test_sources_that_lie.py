"""Generated sources that lie or fail: nothing is known to be so that they cannot have sensed.

What is known by a source now was so at most its age, and what it was late, ago.
"""

from __future__ import annotations

import math
import random
from types import SimpleNamespace

import pytest

from reactree_core.belief import holds
from reactree_core.skill_types import Effect, Relation
from robot_bridge.belief import Belief
from robot_bridge.filling import Filling
from robot_bridge.observation_text import observation_of
from robot_bridge.poses import Pose
from robot_bridge.sources import Reading, Seen
from support.known_facts import known

FILE = """\
robot: witness
hands: 1
places:
  shelf: {frame: map, x: 0, y: 0}
  table: {frame: map, x: 10, y: 0}
  dock: {frame: map, x: 20, y: 0}
classes: [{name: cup, kind: thing}]
state:
  pose: {topic: /pose, type: geometry_msgs/msg/PoseStamped, field: pose}
  held: {topic: /grips, type: std_msgs/msg/String, field: data, age: 2 s}
  numbers:
    battery:
      {topic: /battery, type: sensor_msgs/msg/BatteryState, field: percentage, unit: '%', age: 5 s}
  facts:
    - {topic: /seen, type: vision/msg/AllSeen, field: seen, name: '{id}', position: at,
       whole: true, age: 6 s}
    - {topic: /door, type: std_msgs/msg/Bool, name: door, state: '{data}',
       words: {'true': open, 'false': closed}, age: 4 s, MEASURED}
skills:
  - {skill: go to <place>, kind: move, do: {service: std_srvs/srv/Trigger, name: /go}}
  - {skill: pick up <thing>, kind: take, do: {service: std_srvs/srv/Trigger, name: /grab}}
  - {skill: put <thing> on <place>, kind: put, do: {service: std_srvs/srv/Trigger, name: /drop}}
  - {skill: open <thing>, kind: open, do: {service: std_srvs/srv/Trigger, name: /open}}
"""
PLACES = {'shelf': 0.0, 'table': 10.0, 'dock': 20.0}
AGES = {'/grips': 2.0, '/seen': 6.0, '/door': 4.0, '/battery': 5.0, '/second': 6.0}
FAULTS = (
    'none', 'silent', 'frozen', 'late', 'out of range', 'not a number', 'not measured', 'factor',
    'echo', 'disagree', 'wrong thing', 'no ids', 'nothing done',
)  # fmt: skip
#: How late a late source is, s.
LATE = 2.0


class World:
    """What is so, and what was, by the second."""

    def __init__(self, rng):
        self.rng = rng
        self.at, self.held, self.door, self.commanded = 'shelf', '', False, False
        self.battery = rng.uniform(15.0, 60.0)
        self.places = {f'cup {n}': rng.choice(list(PLACES)) for n in range(1, rng.randint(2, 4))}
        self.offsets = {name: 0.35 * index for index, name in enumerate(self.places)}
        self.past = []

    def state(self):
        return SimpleNamespace(
            at=self.at, held=self.held, door=self.door, battery=self.battery,
            places=dict(self.places),
        )  # fmt: skip

    def do(self, kind, name, fault):
        done = fault != 'nothing done'
        if kind == 'go':
            self.at = name
        elif kind == 'pick' and not self.held:
            here = [cup for cup, place in self.places.items() if place == self.at]
            wrong = [cup for cup in here if cup != name] if fault == 'wrong thing' else []
            taken = (wrong or [cup for cup in here if cup == name])[:1] if done else []
            for cup in taken:
                self.held, self.places[cup] = cup, ''
        elif kind == 'put' and self.held and done:
            self.places[self.held], self.held = self.at, ''
        elif kind == 'open':
            self.commanded, self.door = True, self.door or (done and fault != 'echo')

    def was(self, so, since):
        return any(so(state) for when, state in self.past if when >= since)


def witness(load, rng, fault):
    measured = 'measured: false' if fault == 'echo' else 'latched: false'
    text = FILE.replace('MEASURED', measured)
    if rng.random() < 0.5:
        text = text.replace('position: at', 'place: here')
    robot = load(text)
    belief = Belief(robot, lambda name, frame: Pose('map', PLACES[name], 0.0))
    world, sent, now = World(rng), {}, 100.0
    faulty = rng.choice(('/grips', '/seen', '/door', '/battery'))
    for step in range(rng.randint(8, 20)):
        now += rng.uniform(0.3, 2.0)
        kind, name = rng.choice(
            [('go', place) for place in PLACES]
            + [('pick', cup) for cup in world.places]
            + [('put', cup) for cup in world.places]
            + [('open', 'door'), ('wait', ''), ('wait', ''), ('moved', '')]
        )
        world.past.append((now, world.state()))
        if kind == 'moved':
            # Somebody carries a thing to another place, unseen.
            free = [cup for cup, place in world.places.items() if place]
            if free:
                world.places[rng.choice(free)] = rng.choice(list(PLACES))
        world.do(kind, name, fault if rng.random() < 0.7 else 'none')
        now += 0.1
        world.battery = max(0.6, world.battery - rng.uniform(0.0, 9.0))
        world.past.append((now, world.state()))
        belief.acted_at = now
        now += 0.1
        world.past.append((now, world.state()))
        belief.learn(reading_of(robot, world, now, sent, fault, faulty, step > 3))
        texts = {
            'go': f'go to {name}', 'pick': f'pick up {name}', 'open': 'open door',
            'put': f'put {name} on {world.at}',
        }  # fmt: skip
        if kind in texts:
            skill, slots, _ = robot.find(texts[kind], [*belief.things, 'door', name])
            if skill is not None:
                belief.did(skill, slots)
        yield belief, world, now, faulty


def reading_of(robot, world, now, sent, fault, faulty, fails):
    """What topics say now. :param sent: the newest message of each, kept between readings."""
    reading = Reading(Pose('map', PLACES[world.at], 0.0), when=now, now=now)
    then = world.state()
    if fault == 'late':
        late = [state for when, state in world.past if when <= now - LATE]
        then = late[-1] if late else world.past[0][1]
    for sense in robot.senses.all()[1:]:
        by, state = sense.what, then if sense.what == faulty else world.state()
        stops = by == faulty and fails
        if not (stops and fault in ('silent', 'frozen')):
            # By its stamp it is known how late a message is.
            said_at = now - LATE - 2.5 if fault == 'late' and by == faulty else now
            sent[by] = (message_of(by, state, world, fault), said_at)
        message, at = sent[by]
        if now - at > AGES[by]:
            reading.miss(sense, f'{by} has sent nothing')
        else:
            sense.report(reading, message, Filling({}, None), at)
    if fault == 'disagree':
        lies = tuple(
            Seen(
                cup,
                place='dock' if world.at != 'dock' else 'shelf',
                by='/second',
                at=now,
                age=AGES['/second'],
            )
            for cup, place in world.places.items()
            if place == world.at
        )
        reading.seen = (*(reading.seen or ()), *lies)
    return reading


def message_of(by, state, world, fault):
    if by == '/grips':
        return SimpleNamespace(data=state.held)
    if by == '/door':
        return SimpleNamespace(data=world.commanded if fault == 'echo' else state.door)
    if by == '/battery':
        number = {
            'out of range': 1.5 + state.battery / 100, 'not a number': math.nan,
            'not measured': -0.01, 'factor': state.battery,
        }.get(fault, state.battery / 100)  # fmt: skip
        return SimpleNamespace(percentage=number)
    seen = [
        SimpleNamespace(
            id='cup' if fault == 'no ids' else cup,
            at=SimpleNamespace(x=PLACES[place] + world.offsets[cup], y=0.0, z=0.0),
        )
        for cup, place in state.places.items()
        if place == state.at
    ]
    world.rng.shuffle(seen)
    return SimpleNamespace(header=SimpleNamespace(frame_id='map'), seen=seen)


def claims(belief, world, fault):
    """Facts, each with whether it is so in a state; None where it is at the edge."""
    for cup in world.places:
        if fault == 'no ids':
            break
        yield Effect(Relation.HOLDING, '', cup), lambda s, c=cup: s.held == c
        for place in PLACES:
            yield Effect(Relation.IN, cup, place), lambda s, c=cup, p=place: s.places[c] == p
    yield Effect(Relation.IS, 'door', 'open'), lambda s: s.door
    yield Effect(Relation.IS, 'door', 'closed'), lambda s: not s.door
    for limit in (10, 20, 50):
        yield (
            Effect(Relation.IS, 'battery', f'> {limit} %'),
            (lambda s, n=limit: None if abs(s.battery - n) < 0.06 else s.battery > n),
        )


@pytest.mark.parametrize('fault', FAULTS)
def test_nothing_is_known_to_be_so_that_cannot_have_been_sensed(load, fault):
    checked = 0
    for seed in range(60):
        rng = random.Random(f'{fault} {seed}')
        for belief, world, now, _ in witness(load, rng, fault):
            for fact, is_so in claims(belief, world, fault):
                found = known(belief, fact)
                if found.holds is None or found.by is None:
                    continue
                checked += 1
                since = now - max(AGES.values()) - (LATE + 2.5 if fault == 'late' else 0.2)
                ok = world.was(lambda s, f=is_so, h=found.holds: f(s) in (None, h), since)
                assert ok, (seed, fact.text, found, observation_of(belief).text)
                assert not (fault == 'echo' and fact.subject == 'door')
    assert checked > 1000, 'the good sources are believed'


@pytest.mark.parametrize('fault', ['out of range', 'not a number', 'not measured', 'factor'])
def test_no_number_is_known_of_a_battery_whose_driver_is_wrong(load, fault):
    for seed in range(60):
        for belief, _, _, _ in witness(load, random.Random(f'{fault} {seed}'), fault):
            assert known(belief, 'battery > 1 %').holds is None
            assert not belief.states('battery')


def test_no_more_things_are_known_at_a_place_than_there_are(load):
    for seed in range(120):
        for belief, world, now, _ in witness(load, random.Random(f'no ids {seed}'), 'no ids'):
            for place in PLACES:
                there = [
                    name
                    for name in belief.things
                    if belief.report_on(Effect(Relation.IN, name, place)).holds
                ]
                assert len(there) <= len(world.places), (seed, there)
                count = max(
                    list(state.places.values()).count(place)
                    for when, state in world.past
                    if when >= now - 6.2
                )
                assert len(there) <= count, (seed, place, there)


def test_the_evidence_of_an_observation_says_what_the_belief_does(load):
    for fault in FAULTS:
        for seed in range(10):
            for belief, _, now, _ in witness(load, random.Random(f'{fault} {seed}'), fault):
                look = observation_of(belief)
                fresh = [fact for fact in look.evidence if fact.is_fresh(now)]
                for fact in fresh:
                    if not fact.source.kind.senses or fact.what.relation is Relation.AT:
                        continue
                    verdict = holds(belief, fact.what, now)
                    opposed = fact in belief._disputed
                    assert verdict.is_disputed if opposed else verdict.holds is not False, (
                        fault,
                        fact,
                    )
                assumed = {f.what.text for f in look.evidence if not f.source.kind.senses}
                sensed = {f.what.text for f in fresh if f.source.kind.senses}
                assert assumed <= {*look.assumed} and not sensed & {*look.assumed}
