"""Tools, machines, bags and counts: ways beside the shortest, in worlds drawn at random."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from reactree_core.skill_types import class_and_number, SkillKind
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.reasoner import Reasoner
from unit.facts.made_up import GO, MadeUp, play, PUT, skill, TAKE

PULL = skill(
    'pull <object> from <place>',
    SkillKind.TAKE,
    needs=('hands free', 'at <place>', '<object> in <place>'),
    slot_types=('thing', 'place'),
)
PACK = skill(
    'pack <object> into <bag>',
    SkillKind.PUT,
    needs=('holding <object>', 'at <bag>'),
    slot_types=('thing', 'thing'),
)
UNPACK = skill(
    'unpack <object> from <bag>',
    SkillKind.TAKE,
    needs=('hands free', 'at <bag>', '<object> in <bag>'),
    slot_types=('thing', 'thing'),
)
CUT = skill(
    'cut <object>',
    SkillKind.CHANGE,
    ('<object> is cut', 'not <object> is fired'),
    ('at <object>', 'holding knife'),
    ('thing',),
)
START = skill(
    'start <machine>',
    SkillKind.SWITCH_ON,
    ('everything in <machine> is fired if <machine> is kiln',),
    ('at <machine>', 'not <machine> is on'),
    ('place',),
)
STOP = skill('stop <machine>', SkillKind.SWITCH_OFF, (), ('at <machine>', '<machine> is on'),
             ('place',))  # fmt: skip
STAMP = skill(
    'stamp <object> with <press>',
    SkillKind.OTHER,
    ('<object> is stamped',),
    ('holding <object>', 'at <press>', '<press> is on'),
    ('thing', 'place'),
)
TYPES = (GO, TAKE, PUT, CUT, START, STOP, STAMP)
PLACES = ('bench 1', 'kiln 1', 'press 1')


def shop(seed, *types, **changes):
    """A bowl, a cup and a knife anywhere, and machines that are on or off."""
    dice = Random(seed)
    things = {name: dice.choice(PLACES) for name in ('bowl 1', 'cup 1', 'knife 1')}
    states = {name: {dice.choice(('on', 'off'))} for name in PLACES[1:]}
    told = {'at': dice.choice(PLACES), 'hands': 1 + seed % 2, 'states': states}
    return MadeUp(types or TYPES, dict.fromkeys(PLACES, ''), things, **{**told, **changes})


def is_met(asked, world):
    """Whether conditions hold in a world, by their plain meaning."""

    def holds(text):
        if text.startswith('at '):
            return class_and_number(world.at)[0] == text[3:]
        if text.startswith('holding '):
            return any(class_and_number(name)[0] == text[8:] for name in world.held)
        name, _, place = text.partition(' in ')
        if place:
            return class_and_number(world.things[f'{name} 1'])[0] == place
        name, _, word = text.partition(' is ')
        return word in world.states.get(f'{name} 1', ())

    return all(map(holds, asked))


def ways(worlds, *asked, told=lambda vocabulary: vocabulary):
    """Skills done for a goal in many worlds, and the fewest."""
    skills = fewest = 0
    for world in worlds:
        least = world.fewest(lambda one: is_met(asked, one))
        before = replace(world)
        reasoner = Reasoner(told(world.vocabulary()), (conditions_of(asked),))
        assert play(world, reasoner).is_done, (before, world.done)
        assert is_met(asked, world), world.done
        skills, fewest = skills + len(world.done), fewest + least
    assert fewest > 0
    return skills / fewest


def bare(vocabulary):
    """The same server, which declares no needs."""
    types = tuple(replace(one, needs=()) for one in vocabulary.skill_types)
    return replace(vocabulary, skill_types=types)


@pytest.mark.parametrize(
    ('asked', 'count', 'longer'),
    [
        ('bowl is fired', 6, 1.0),
        ('bowl is stamped', 6, 1.0),
        ('bowl is cut', 6, 1.13),
        ('bowl is fired; cup is fired', 1, 1.3),
        ('kiln is on; press is on', 4, 1.0),
        ('holding bowl; at bench', 6, 1.0),
        ('cup in kiln; holding knife; at press', 2, 1.1),
        ('bowl is stamped; press is off; bowl in press', 2, 1.0),
    ],
)
def test_work_is_done_in_hardly_more_skills_than_needed(asked, count, longer):
    asked = asked.split('; ')
    silent = (shop(seed, tells_offers=False) for seed in range(2))
    assert ways([*map(shop, range(count)), *silent], *asked) <= longer


@pytest.mark.parametrize(
    ('asked', 'longer'), [('kiln is on; bowl in kiln', 1.0), ('bowl is fired', 1.0)]
)
def test_what_work_needs_is_found_out_where_nobody_declares_it(asked, longer):
    assert ways(map(shop, range(6)), *asked.split('; '), told=bare) <= longer


@pytest.mark.parametrize(
    ('asked', 'longer'),
    [
        ('bowl in bag', 1.15),
        ('bowl in bag; bag in bench', 1.05),
        ('bowl in bench', 1.0),
        ('bag in press; cup in press', 1.1),
    ],
)
def test_things_go_into_bags_and_out_of_them(asked, longer):
    worlds = []
    for seed in range(6):
        world = shop(seed, GO, PULL, PUT, PACK, UNPACK)
        del world.things['knife 1']
        world.things['bag 1'] = PLACES[seed % 3]
        if seed % 3 == 0:
            world.things['bowl 1'] = 'bag 1'
        worlds.append(world)
    assert ways(worlds, *asked.split('; ')) <= longer


SOAK = skill('open tap', SkillKind.OTHER, ('everything in press is wet',), ('at press 1',))
BAKE = skill(
    'heat <machine>', SkillKind.OTHER, ('everything in <machine> is hot',), ('at <machine>',),
    ('place',),
)  # fmt: skip
PRESS = skill(
    'press <object> at <machine>',
    SkillKind.OTHER,
    ('everything in <machine> is flat if <object> is cup',),
    ('holding <object>', 'at <machine>'),
    ('thing', 'place'),
)


@pytest.mark.parametrize('asked', ['bowl is wet', 'bowl is hot', 'bowl is flat', 'cup is wet'])
def test_whatever_is_there_is_treated_by_what_the_place_or_a_tool_is(asked):
    worlds = [shop(seed, GO, TAKE, PUT, SOAK, BAKE, PRESS) for seed in range(6)]
    assert ways(worlds, asked) <= 1.1
