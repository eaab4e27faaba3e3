"""What is believed, and what is said to hold, beside the truth of a made-up world."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from reactree_core.observation import Observation
from reactree_core.skill_types import class_and_number, SkillKind
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import read_condition
from reactree_planner.facts.goals import holds
from reactree_planner.facts.known import is_known, of_which
from reactree_planner.facts.skills import Skills
from reactree_planner.facts.things import HAND
from unit.facts.made_up import CLOSE, GO, MadeUp, OPEN, PUT, skill, TAKE

WASH, DRY = (
    skill(
        f'{verb} <object>',
        SkillKind.CHANGE,
        (f'<object> is {state}', f'not <object> is {other}'),
        ('holding <object>',),
        ('thing',),
    )
    for verb, state, other in (('rinse', 'wet', 'dry'), ('rub', 'dry', 'wet'))
)
TYPES = (GO, TAKE, PUT, OPEN, CLOSE, WASH, DRY)
PLACES = {'dock 1': 'yard 1', 'dock 2': 'yard 1', 'truck 1': 'yard 1', 'shed 1': 'hall 1'}


def world_of(dice, **changes):
    """Crates and drums anywhere, some wet, some in the hands."""
    names = [f'crate {n}' for n in range(1, dice.randint(2, 5))]
    names += [f'drum {n}' for n in range(1, dice.randint(2, 4))]
    held = dice.sample(names, dice.choice((0, 0, 1, 2)))
    things = {name: '' if name in held else dice.choice(sorted(PLACES)) for name in names}
    states = {name: {dice.choice(('wet', 'dry'))} for name in names}
    states |= {place: {dice.choice(('open', 'closed'))} for place in ('truck 1', 'shed 1')}
    told = {'hands': 2, 'at': dice.choice(sorted(PLACES)), 'held': held}
    return MadeUp(TYPES, dict(PLACES), things, states, **{**told, **changes})


# What holds ----------------------------------------------------------------------------------


def named(name, asked):
    return asked in (name, class_and_number(name)[0])


class Truth:
    """Whether a condition holds in a world that is seen as a whole, by its plain meaning."""

    def __init__(self, world):
        self.world = world

    def are_in(self, names, spot):
        where = {name: self.world.things[name] for name in names if name not in self.world.held}
        return [name for name, place in where.items() if spot in (place, PLACES[place])]

    def spots(self, asked, thing=''):
        if asked.startswith('where '):
            other = asked.removeprefix('where ').removesuffix(' is')
            others = [name for name in self.world.things if named(name, other) and name != thing]
            return {self.world.things[name] for name in others} - {''}
        return {spot for spot in (*PLACES, *PLACES.values()) if named(spot, asked)}

    def is_so(self, name, word):
        return word in self.world.states.get(name, ())

    def holds(self, text):
        text, _, but = text.partition(' but for ')
        text, _, being = text.partition(' being ')
        if text.startswith('at '):
            return any(named(spot, text[3:]) for spot in (self.world.at, PLACES[self.world.at]))
        is_held, text = text.startswith('holding '), text.removeprefix('holding ')
        number = text.split()[0]
        every = number == 'all' or text.startswith('everything')
        text = text.removeprefix(f'{number} ') if number.isdigit() or number == 'all' else text
        least = int(number) if number.isdigit() else 1
        text, _, state = text.partition(' is ') if ' where ' not in text else (text, '', '')
        text = text.replace(' where ', ' in where ')
        subject, _, place = text.partition(' in ')
        names = [n for n in self.world.things if subject == 'everything' or named(n, subject)]
        names = [n for n in names if not any(named(n, one) for one in but.split(', '))]
        if being.startswith('in '):
            begun = {one for spot in self.spots(being[3:]) for one in self.are_in(names, spot)}
            names = [name for name in names if name in begun]
        elif being:
            names = [name for name in names if self.is_so(name, being)]
        met = [n for n in names if not state or self.is_so(n, state)]
        met = [n for n in met if not is_held or n in self.world.held]
        if place:
            spots = {one for name in met for one in self.spots(place, name)}
            met = [
                [n for n in self.are_in(met, spot) if spot in self.spots(place, n)]
                for spot in spots
            ]
        best = max(map(len, met if place else [met]), default=0)
        return best == len(names) if every else best >= least


ASKED = (
    'crate in dock', '2 crate in dock', '3 crate in dock', 'crate in yard', '3 crate in yard',
    'crate 1 in dock', 'crate 2 in dock 2', 'drum in hall', '2 drum in truck', 'crate is wet',
    '2 crate is wet', 'crate in dock is wet', '2 crate in dock is wet', 'drum in yard is wet',
    'holding crate', '2 holding crate', 'holding drum 1', 'all crate in dock', 'all drum is wet',
    'all crate in yard', 'all drum in yard being wet', 'all crate is wet being in dock 1',
    'everything in yard', 'everything in yard but for drum', 'everything in dock but for crate 1',
    'everything in dock being in yard', 'crate where drum is', 'crate 1 where crate 2 is',
    '2 crate where drum is', 'at dock', 'at dock 2', 'at yard', 'at hall 1', 'truck is closed',
    'shed is open',
)  # fmt: skip


@pytest.mark.parametrize('asked', ASKED)
def test_what_is_seen_as_a_whole_holds_where_it_is_true(asked):
    text = asked.replace('2 holding', 'holding 2')
    answers = set()
    for seed in range(18):
        world = world_of(Random(seed))
        belief = Belief(world.vocabulary())
        belief.update(world.look())
        answer = holds(belief, read_condition(text))
        if answer is None:
            # Nothing of which it could be so is known.
            assert asked.startswith(('all', 'everything'))
            continue
        if asked.split()[0] in ('truck', 'shed'):
            truth = asked.split()[-1] in world.states[f'{asked.split()[0]} 1']
        else:
            truth = Truth(world).holds(text)
        assert answer is truth, (seed, world)
        told = is_known(belief, read_condition(text))
        assert told in (truth, None)
        answers.add(answer)
        things = of_which(belief, read_condition(text))
        assert not things or answer
    assert answers == {True, False}


# What is believed ----------------------------------------------------------------------------


def plain(observation, hidden):
    """The same, with some of it never told."""
    return replace(observation, **dict.fromkeys(hidden, ()))


def check(belief, world):
    """Nothing is believed that is not true, and what is in sight is known."""
    assert belief.at == world.at and belief.room == PLACES[world.at]
    assert belief.value(('at',)) == world.at and belief.value(('room',)) == belief.room
    assert sorted(belief.held) == sorted(world.held)
    assert all(belief.value(('in', name)) == HAND for name in world.held)
    for name, place in world.things.items():
        if belief.holder(name) or name in belief.placed:
            assert belief.holder(name) == place and name not in world.held
            assert belief.room_of(name) == PLACES[place] and belief.is_located(name)
            assert belief.value(('in', name)) == place
            assert belief.whereabouts(name) == place
            assert belief.began_in(name, place) or name in belief.placed or name in belief.began
        for word in ('wet', 'closed'):
            so = belief.is_so(name, word)
            assert so in (None, word in world.states.get(name, ()))
    for place in PLACES:
        assert belief.is_so(place, 'closed') in (None, 'closed' in world.states.get(place, ()))
        assert not belief.is_shut(place) or 'closed' in world.states[place]


@pytest.mark.parametrize(
    'hidden',
    [(), ('held',), ('looked_at',), ('admissible_skills',), ('held', 'admissible_skills')],
    ids=' '.join,
)
@pytest.mark.parametrize('seen', [True, False])
def test_whatever_is_done_nothing_is_believed_that_is_not_true(hidden, seen):
    for seed in range(4):
        dice = Random(seed)
        world = world_of(dice, seen=seen, held=[])
        world.things = {name: place or 'dock 1' for name, place in world.things.items()}
        begun = dict(world.things)
        world.failing = {text: dice.randint(0, 2) for text in world.offers()}
        belief = Belief(world.vocabulary())
        belief.update(plain(world.look(), hidden))
        tries, failed = {}, {}
        for number in range(40):
            text = dice.choice(world.offers())
            observation = world.step(text)
            belief.update(plain(observation, hidden))
            counted = tries if observation.succeeded else failed
            counted[text] = counted.get(text, 0) + 1
            check(belief, world)
            assert belief.when == number + 2
            in_sight = [name for name, place in world.things.items() if place == world.at or seen]
            for name in in_sight:
                if name not in world.held:
                    assert belief.holder(name) == world.things[name]
            offers = () if 'admissible_skills' in hidden else world.offers()
            assert tuple(belief.offered) == offers
        assert dict(belief.done) == tries
        for name in world.things:
            if belief.began.get(name):
                assert belief.began[name] == begun[name]
                assert belief.began_in(name, begun[name]) is True
                assert belief.began_at(name) == begun[name]
        if 'looked_at' not in hidden and not seen:
            assert belief.looked == world.looked


def test_what_others_move_is_known_to_be_gone_once_its_place_is_looked_at():
    for seed in range(10):
        dice = Random(seed)
        world = world_of(dice, seen=False, held=[])
        world.things = {name: place or 'dock 1' for name, place in world.things.items()}
        belief = Belief(world.vocabulary())
        belief.update(world.look())
        for _ in range(30):
            moved = dice.choice(sorted(world.things))
            if moved not in world.held:
                world.things[moved] = dice.choice(sorted(PLACES))
            belief.update(world.step(dice.choice(world.offers())))
            for name, place in world.things.items():
                here = place == world.at and name not in world.held
                assert (belief.holder(name) == world.at) is here
                assert name not in belief.vanished or not belief.is_located(name)
            changed = belief.changed
            belief.update(world.look())
            assert belief.changed == changed, 'nothing new was seen'


def test_what_another_robot_tells_is_known_and_changes_nothing_of_ones_own():
    for seed in range(10):
        dice = Random(seed)
        world = world_of(dice, seen=False, held=[])
        world.things = {name: place or 'dock 1' for name, place in world.things.items()}
        told = world.vocabulary()
        belief, reader = Belief(told), Skills(told)
        belief.update(world.look())
        own = belief.at, belief.room, belief.held, belief.offered, belief.capacity
        looked = set(world.looked)
        world.at = 'shed 1' if world.at != 'shed 1' else 'dock 2'
        for step in range(12):
            text = dice.choice(world.offers()) if step else ''
            seen = replace(world.step(text) if text else world.look(), who='blue')
            with belief.hearing(seen, reader) as heard:
                belief.update(heard)
            assert own == (
                belief.at, belief.room, belief.held, belief.offered, belief.capacity
            )  # fmt: skip
            for name, place in world.things.items():
                if (place == world.at and name not in world.held) or belief.holder(name):
                    assert belief.holder(name) == place
        assert belief.looked == looked | world.looked
        assert belief.attempts.failures('drive to dock 1') == 0


def test_without_senses_things_are_where_skills_have_brought_them():
    for seed in range(30):
        dice = Random(seed)
        world = world_of(dice, held=[])
        world.things = {name: place or 'dock 1' for name, place in world.things.items()}
        belief = Belief(world.vocabulary())
        belief.update(Observation('', place=world.at))
        moved = set()
        for _ in range(40):
            text = dice.choice(world.offers())
            world.step(text)
            belief.update(Observation('', skill=text))
            assert (belief.at, sorted(belief.held)) == (world.at, sorted(world.held))
            if text.startswith('leave'):
                moved.add(' '.join(text.split()[1:3]))
            for name in moved:
                assert belief.holder(name) == world.things[name]
                assert (name in belief.placed) is (name not in world.held)
            for name in world.things:
                assert belief.is_so(name, 'wet') in (None, 'wet' in world.states.get(name, ()))
