"""Generated worlds and events: what may violate a prohibition is never done, and nothing else.

The truth is kept by a world of its own, which shares no code with the rules: where everything is
before a skill and after it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from reactree_core.belief import Belief, Fact, Source, SourceKind
from reactree_core.errors import ConfigurationError
from reactree_core.observation import ObjectFact, Observation
from reactree_core.permission.acts import Act, read_event, Side
from reactree_core.permission.matching import Moment
from reactree_core.permission.rules_file import read_rules
from reactree_core.skill_types import class_and_number, Effect, Relation, SkillKind, SkillType

ROOMS = ('galley 1', 'bunk 1', 'deck 1')
BOXES = ('crib 1', 'vault 1', 'bench 1', 'hatch 1')
THINGS = ('nub 1', 'zim 1', 'zim 2', 'tray 1', 'orb 1')
HAND = 'hand'
#: Skills by any name, with effects or a kind.
DECLARED = (
    SkillType('glide to <place>', ('place',), SkillKind.MOVE),
    SkillType('glorp <place>', ('place',), effects=('at <place>',)),
    SkillType('unseal <place>', ('place',), SkillKind.OPEN),
    SkillType('frob <place>', ('place',), effects=('<place> is open',)),
    SkillType('nab <thing>', ('thing',), SkillKind.TAKE),
    SkillType('zork <thing>', ('thing',), effects=('holding <thing>',)),
    SkillType('shove <thing> to <place>', ('thing', 'place'), effects=('<thing> in <place>',)),
    SkillType('ditch <thing>', ('thing',), SkillKind.PUT),
    SkillType('oust <thing>', ('thing',), effects=('not holding <thing>',)),
)
UNDECLARED = (
    SkillType('mump <thing>', ('thing',)),
    SkillType('wamble <place>', ('place',)),
)
MEANING = {
    'glide to': 'go', 'glorp': 'go', 'unseal': 'open', 'frob': 'open', 'nab': 'take',
    'zork': 'take', 'shove': 'put', 'ditch': 'drop', 'oust': 'drop',
}  # fmt: skip


@dataclass
class House:
    """Where everything is."""

    at: str
    room_of: dict[str, str]
    inside: dict[str, str]
    opened: set[str] = field(default_factory=set)

    def copy(self) -> House:
        return House(self.at, self.room_of, dict(self.inside), set(self.opened))

    def chain(self, thing):
        found = []
        while thing in self.inside:
            thing = self.inside[thing]
            if thing == HAND:
                return [*found, HAND, self.room_of[self.at]]
            found.append(thing)
        return [*found, self.room_of[thing]]

    def holds(self, thing):
        return HAND in self.chain(thing)

    def do(self, meaning, thing, place):
        if meaning == 'go':
            self.at = place
        elif meaning == 'open':
            self.opened.add(place)
        elif meaning == 'take':
            self.inside[thing] = HAND
        elif meaning == 'put':
            self.inside[thing] = place
        elif meaning == 'drop':
            self.inside[thing] = self.at


def house_of(rng):
    room_of = {box: rng.choice(ROOMS) for box in BOXES}
    inside = {thing: rng.choice(BOXES) for thing in THINGS}
    if rng.random() < 0.6:
        inside[rng.choice(['nub 1', 'zim 1'])] = 'tray 1'
    house = House(rng.choice(BOXES), room_of, inside)
    if rng.random() < 0.4:
        house.inside[rng.choice(THINGS)] = HAND
    return house


def is_a(name, wanted):
    return name == wanted or class_and_number(name)[0] == wanted


def is_violated(act, before, after, meaning, place):
    """The truth, by where everything is before and after."""
    things = [one for one in THINGS if not act.thing or is_a(one, act.thing)]

    def within(house, thing):
        return any(is_a(one, act.place) for one in house.chain(thing) if one != HAND)

    def robot_in(house):
        return any(is_a(one, act.place) for one in (house.at, house.room_of[house.at]))

    if act.doing == 'open':
        return meaning == 'open' and is_a(place, act.thing)
    if act.thing == 'robot':
        came = robot_in(after) and not robot_in(before)
        return came if act.doing == 'enter' else robot_in(before) and not robot_in(after)
    if act.doing == 'take' and not act.place:
        taken = (one for one in THINGS if after.inside[one] == HAND != before.inside[one])
        return any(one in (other, *carried) for other in taken for one in things
                   for carried in [[x for x in THINGS if other in after.chain(x)]])  # fmt: skip
    if act.doing == 'enter':
        return any(within(after, one) and not within(before, one) for one in things)
    return any(within(before, one) and not within(after, one) for one in things)


def act_of(rng):
    box, room = rng.choice(BOXES), rng.choice(ROOMS)
    thing = rng.choice(['', 'zim', 'nub 1', 'orb'])
    place = rng.choice([box, room, box.split()[0], room.split()[0]])
    return rng.choice(
        [
            Act('open', rng.choice([box, box.split()[0]])),
            Act('take', thing or 'tray'),
            Act('take', thing, place, Side.FROM),
            Act('leave', thing, place),
            Act('enter', thing, place),
            Act('enter', 'robot', rng.choice([box, room])),
            Act('leave', 'robot', rng.choice([box, room])),
        ]
    )


def known_of(house, rng, all_known):
    """What the robot knows: the truth, or parts of it, or the truth among contradictions."""
    hidden = set() if all_known else {one for one in THINGS if rng.random() < 0.4}
    # Who knows where a tray is sees what is on it.
    hidden -= {one for one in THINGS if house.inside[one] == 'tray 1' and 'tray 1' not in hidden}
    hidden -= {one for one in THINGS if house.holds(one)}
    facts, evidence = {}, Belief()
    for box in BOXES:
        facts[box] = ObjectFact(*class_and_number(box), room=house.room_of[box])
    for thing in THINGS:
        holder = house.inside[thing]
        held = holder == HAND
        shown = '' if thing in hidden else 'agent 1' if held else holder
        room = house.chain(thing)[-1]
        if thing not in hidden:
            facts[thing] = ObjectFact(*class_and_number(thing), room=room, receptacle=shown)
        elif rng.random() < 0.5:
            # Two cameras disagree; the server shows what the wrong one says.
            wrong = rng.choice([box for box in BOXES if box != holder])
            room = house.room_of[wrong]
            facts[thing] = ObjectFact(*class_and_number(thing), room=room, receptacle=wrong)
            for place, camera in ((holder, '/a'), (wrong, '/b')):
                what = Effect(Relation.IN, thing, place)
                evidence.tell(Fact(what, Source(SourceKind.SENSOR, camera), 1.0, 5.0))
    if 'tray 1' not in facts and any(one.receptacle == 'tray 1' for one in facts.values()):
        # What holds a thing is shown, too, wherever it is.
        facts['tray 1'] = ObjectFact('tray', 1)
    return facts, evidence, hidden


@pytest.mark.parametrize('all_known', [True, False])
def test_what_may_violate_is_forbidden_and_what_cannot_is_not(all_known):
    violated = forbidden = tried = 0
    for seed in range(1500):
        rng = random.Random(f'{seed} {all_known}')
        house, act = house_of(rng), act_of(rng)
        facts, evidence, hidden = known_of(house, rng, all_known)
        types = DECLARED if all_known else (*DECLARED, *UNDECLARED)
        for kind in types:
            thing, place = rng.choice(THINGS), rng.choice(BOXES)
            values = [thing if slot.name == 'thing' else place for slot in kind.slots]
            skill = kind.filled(values)
            meaning = MEANING.get(skill.split(f' {values[0]}')[0], '')
            if not meaning:
                meaning = rng.choice(['take', 'drop'] if thing in skill else ['open', 'go'])
            if thing == 'tray 1' and thing in hidden:
                # Nobody takes what he has not found, and who finds a tray sees what is on it.
                continue
            if meaning == 'drop' and house.inside[thing] != HAND:
                continue
            held = tuple(one for one in THINGS if house.inside[one] == HAND)
            now = Observation('', place=house.at, room=house.room_of[house.at], held=held)
            moment = Moment(skill, now, facts, types, evidence=evidence, clock=1.0)
            after = house.copy()
            after.do(meaning, thing, place)
            truth = is_violated(act, house, after, meaning, place)
            may = act.matches(moment)
            tried, violated = tried + 1, violated + truth
            forbidden += may is not False
            assert not truth or may is not False, (seed, act, skill, house, facts)
            if all_known:
                assert may is truth, (seed, act, skill, may, house)
    assert violated > 300 and forbidden < 0.6 * tried


def test_rules_of_a_file_are_about_events(tmp_path):
    path = tmp_path / 'rules.yaml'
    path.write_text(
        'rules:\n'
        '  - {name: cold, events: "leaves(*, crib)", decide: deny}\n'
        '  - {name: dry, events: ["enters(robot, deck)", "opened(vault)"], decide: deny}\n'
    )
    cold, dry = (rule.skill for rule in read_rules(str(path)).rules)
    facts = {
        'crib 1': ObjectFact('crib', 1, 'galley 1'),
        'bench 1': ObjectFact('bench', 1, 'deck 1'),
        'nub 1': ObjectFact('nub', 1, 'galley 1', 'crib 1'),
        'orb 1': ObjectFact('orb', 1, 'deck 1', 'bench 1'),
    }
    now = Observation('', place='crib 1', room='galley 1')

    def matches(rule, skill):
        return rule.matches(Moment(skill, now, facts, DECLARED))

    assert matches(cold, 'zork nub 1') is True and matches(cold, 'zork orb 1') is False
    assert matches(cold, 'shove zim 1 to bench 1') is None
    assert matches(dry, 'glorp bench 1') is True and matches(dry, 'glorp crib 1') is False
    assert matches(dry, 'frob vault 1') is True
    assert cold.wording == 'anything leaves crib'
    path.write_text('rules:\n  - {name: cold, events: "left(*, crib)", decide: deny}\n')
    with pytest.raises(ConfigurationError, match='is no event: write opened'):
        read_rules(str(path))


def test_an_event_says_what_it_is_about():
    assert read_event('leaves(*, fridge)') == Act('leave', '', 'fridge')
    assert read_event('held(knife)') == Act('take', 'knife')
    for text in ('held()', 'held(knife, drawer)', 'leaves(knife)', 'flies(robot)'):
        with pytest.raises(ValueError, match='no event'):
            read_event(text)
