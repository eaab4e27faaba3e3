"""Texts of ProcWorld, literally as its published rollouts have them, and what one does there."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

from sim_bridge.worlds.alfworld.engine import NOTHING
from sim_bridge.worlds.procworld.engine import Engine, Rules
from sim_bridge.worlds.procworld.house import Thing
from sim_bridge.worlds.procworld.layout import Layout
from sim_bridge.worlds.procworld.nearest import nearest
from sim_bridge.worlds.procworld.texts import first
from support.procworld_house import rollout_house

ROLLOUTS = Path(__file__).with_name('rollouts.txt')


def begun(reach: float = 1.5, has_map: bool = True, **changes: object) -> Engine:
    return Engine(Layout(rollout_house(**changes), reach), Rules(has_map))


@pytest.mark.parametrize('table', ROLLOUTS.read_text(encoding='utf-8').split('== ')[1:])
def test_every_text_is_the_published_one(table: str) -> None:
    _, start, *lines = table.strip().splitlines()
    engine = begun()
    assert first(engine.state, True).text == start
    for skill, told in zip(lines[::2], lines[1::2], strict=True):
        found = engine.do(skill.removeprefix('> ')).text
        assert found != NOTHING, skill
        assert told in ('...', found), skill


def test_things_go_back_and_forth_as_published() -> None:
    engine = begun()
    for skill in (
        'go to loc 3 at [3.5, 5.25]',
        'go to loc 8 at [4.75, 5.5]',
        'go to diningtable 1',
    ):
        engine.do(skill)
    for thing, one, other in (
        ('book 1', 'diningtable 1', 'chair 3'),
        ('alarmclock 1', 'chair 3', 'diningtable 1'),
        ('creditcard 1', 'chair 3', 'diningtable 1'),
    ):
        taken = engine.do(f'take {thing} from {one}').text
        assert taken == f'You pick up the {thing} from the {one}.'
        put = engine.do(f'put {thing} in/on {other}').text
        assert put == f'You put the {thing} in/on the {other}.'


def test_without_a_map_only_what_is_near_is_told_and_done() -> None:
    engine = begun(has_map=False)
    engine.do('go to box 1')
    assert engine.do('go to loc 3 at [3.5, 5.25]').text == (
        'You arrive at loc 3 [3.5, 5.25] in bedroom 1. Looking around, you see a box 1 at '
        '[2.25, 5.0] on the floor/wall. You can see door 2 at [3.5, 4.0] leading to other room. '
        'You can also go to loc 26 at [2.25, 4.5], loc 4 at [3.5, 6.75], loc 8 at [4.75, 5.5] to '
        'explore more.'
    )
    engine.do('go to loc 4 at [3.5, 6.75]')
    assert engine.do('go to box 1').text == NOTHING
    assert engine.do('go through door 2 to next room').text == NOTHING


def test_farther_reach_sees_farther_and_not_through_walls() -> None:
    engine = begun(3.0, False)
    told = first(engine.state, False).text
    assert 'loc 8 at [4.75, 5.5]' in told and 'loc 3 at' in told
    engine.do('go to loc 3 at [3.5, 5.25]')
    engine.do('go through door 2 to next room')
    told = engine.do('look').text
    # The kitchen's location is a metre away, behind a wall.
    assert 'shelvingunit 1' in told and 'loc 7' not in told and 'houseplant' not in told


def test_rooms_without_a_wall_between_them_are_one_room() -> None:
    engine = begun(openings=(('livingroom 1', 'kitchen 1'),))
    engine.do('go to loc 3 at [3.5, 5.25]')
    told = engine.do('go through door 2 to next room').text
    assert 'loc 7 at [4.25, 3.25]' in told and 'a houseplant 2 at [4.75, 3.5]' not in told
    assert 'in kitchen 1' in engine.do('go to loc 7 at [4.25, 3.25]').text


def test_without_bounds_the_whole_house_is_told_at_once() -> None:
    engine = begun(inf)
    assert first(engine.state, True).text == (
        'You are in a house with bathroom 1, bedroom 1, kitchen 1, and livingroom 1. Looking '
        'quickly around you, you see a bed 1, a box 1, a cart 1, a diningtable 1, a dresser 1, '
        'a houseplant 1, a houseplant 2, a shelvingunit 1, a sidetable 1, and a television 1.'
    )
    assert engine.do('go to sidetable 1').text == (
        'You are facing sidetable 1 in bedroom 1. On the sidetable 1, you see a bowl 1, a pencil '
        '3, and a remotecontrol 2.'
    )
    assert not [skill for skill in engine.offers() if 'loc ' in skill or 'door' in skill]


@pytest.mark.parametrize(
    ('before', 'written', 'meant'),
    [
        ('go to loc 3 at [3.5, 5.25]|go to loc 4 at [3.5, 6.75]|go to loc 5 at [3.5, 8.25]',
         'go to dresser', 'go to dresser 1'),
        ('go to box 1|go to loc 3 at [3.5, 5.25]|go to box 1',
         'go to loc 24 at [2.0, 8.25]', 'go to loc 26 at [2.25, 4.5]'),
        ('go to box 1', 'take pencil 1 from box', 'take pencil 1 from box 1'),
        ('go to loc 3 at [3.5, 5.25]', 'go to loc 8 at [4,75, 5,5]',
         'go to loc 8 at [4.75, 5.5]'),
        ('', 'sing a song', 'sing a song'),
    ],
)  # fmt: skip
def test_the_nearest_skill_is_the_one_that_the_published_runs_took(before, written, meant) -> None:
    engine = begun()
    for skill in filter(None, before.split('|')):
        assert engine.do(skill).text != NOTHING, skill
    assert nearest(written, engine.offers()) == meant


def test_the_nearest_of_puts_and_drawers_is_the_published_one() -> None:
    engine = begun()
    for skill in (
        'go to loc 3 at [3.5, 5.25]', 'go to loc 8 at [4.75, 5.5]', 'go to loc 12 at [6.0, 5.25]',
        'go to sidetable 1', 'take bowl 1 from sidetable 1',
    ):  # fmt: skip
        engine.do(skill)
    meant = nearest('put bowl 1 in/on diningtable 1', engine.offers())
    assert meant == 'put bowl 1 in/on sidetable 1'
    engine.do(meant)
    engine.do('take pencil 3 from sidetable 1')
    assert nearest('put pencil 3 in/on diningtable 1', engine.offers()) == (
        'put pencil 3 in/on bowl 1'
    )
    dresser = begun(inf)
    dresser.do('go to dresser 1')
    assert nearest('open drawer', dresser.offers()) == 'open drawer 1'


# What one does with things ---------------------------------------------------------------------

KITCHEN = (
    Thing('sinkbasin 1', 'sinkbasin', 'kitchen 1', (6.0, 0.5), fixed=True),
    Thing('microwave 1', 'microwave', 'kitchen 1', (6.5, 0.5), fixed=True, open=False),
    Thing('fridge 1', 'fridge', 'kitchen 1', (7.0, 0.5), fixed=True, open=False),
    Thing('sidetable 2', 'sidetable', 'kitchen 1', (7.0, 1.5), fixed=True),
    Thing('countertop 1', 'countertop', 'kitchen 1', (7.0, 2.5), fixed=True),
    Thing('desklamp 1', 'desklamp', 'kitchen 1', container='sidetable 2'),
    Thing('apple 1', 'apple', 'kitchen 1', container='countertop 1', states=('dirty',)),
    Thing('knife 1', 'knife', 'kitchen 1', container='countertop 1'),
    Thing('mug 2', 'mug', 'kitchen 1', container='countertop 1'),
    Thing('bowl 2', 'bowl', 'kitchen 1', container='countertop 1'),
)
HANDLING = [
    ('inventory', 'You are not carrying anything.'),
    ('use desklamp 1', NOTHING),
    ('go to countertop 1', None),
    ('take apple 2 from countertop 1', NOTHING),
    ('slice apple 1 with knife 1', NOTHING),
    ('take knife 1 from countertop 1', 'You pick up the knife 1 from the countertop 1.'),
    ('take apple 1 from countertop 1', NOTHING),
    ('inventory', 'You are carrying: a knife 1.'),
    ('slice apple 1 with knife 1', 'You sliced the apple 1 with the knife 1.'),
    ('slice apple 1 with knife 1', NOTHING),
    ('examine apple 1', 'This is a sliced apple 1.'),
    ('put knife 1 in/on bowl 2', 'You put the knife 1 in/on the bowl 2.'),
    ('examine bowl 2', 'This is a normal bowl 2. In it, you see a knife 1.'),
    ('take mug 2 from countertop 1', 'You pick up the mug 2 from the countertop 1.'),
    ('put mug 2 in/on bowl 2', NOTHING),
    ('put mug 2 in/on countertop 1', 'You put the mug 2 in/on the countertop 1.'),
    ('take apple 1 from countertop 1', 'You pick up the apple 1 from the countertop 1.'),
    ('clean apple 1 with sinkbasin 1', NOTHING),
    ('go to sinkbasin 1', None),
    ('clean apple 1 with sinkbasin 1', NOTHING),
    ('put apple 1 in/on sinkbasin 1', 'You put the apple 1 in/on the sinkbasin 1.'),
    ('clean apple 1 with sinkbasin 1', 'You clean the apple 1 using the sinkbasin 1.'),
    ('examine apple 1', 'This is a clean sliced apple 1.'),
    ('take apple 1 from sinkbasin 1', 'You pick up the apple 1 from the sinkbasin 1.'),
    ('go to microwave 1', None),
    ('put apple 1 in/on microwave 1', NOTHING),
    ('heat apple 1 with microwave 1', NOTHING),
    ('open microwave 1', 'You open the microwave 1. The microwave 1 is open. In it, you see '
     'nothing.'),
    ('put apple 1 in/on microwave 1', 'You put the apple 1 in/on the microwave 1.'),
    ('close microwave 1', 'You close the microwave 1.'),
    ('take apple 1 from microwave 1', NOTHING),
    ('heat apple 1 with microwave 1', 'You heat the apple 1 using the microwave 1.'),
    ('open microwave 1', 'You open the microwave 1. The microwave 1 is open. In it, you see a '
     'apple 1.'),
    ('examine apple 1', 'This is a hot and clean sliced apple 1.'),
    ('take apple 1 from microwave 1', 'You pick up the apple 1 from the microwave 1.'),
    ('go to fridge 1', None),
    ('open fridge 1', 'You open the fridge 1. The fridge 1 is open. In it, you see nothing.'),
    ('put apple 1 in/on fridge 1', 'You put the apple 1 in/on the fridge 1.'),
    ('cool apple 1 with fridge 1', 'You cool the apple 1 using the fridge 1.'),
    ('examine apple 1', 'This is a cool and clean sliced apple 1.'),
    ('go to sidetable 2', None),
    ('take desklamp 1 from sidetable 2', NOTHING),
    ('examine desklamp 1', 'This desklamp 1 is off.'),
    ('use desklamp 1', 'You turn on the desklamp 1.'),
    ('examine desklamp 1', 'This desklamp 1 is on.'),
    ('use desklamp 1', 'You turn off the desklamp 1.'),
    ('dance', NOTHING),
    ('Use desklamp 1', NOTHING),
]  # fmt: skip


def test_things_are_handled_by_the_rules() -> None:
    engine = Engine(Layout(rollout_house(*KITCHEN)), Rules())
    for skill, told in HANDLING:
        found = engine.do(skill).text
        assert found == told if told is not None else found != NOTHING, skill
    assert engine.state.states['apple 1'] == {'clean', 'cool', 'sliced'}


def test_in_the_hand_as_in_alfworld_where_that_is_wanted() -> None:
    engine = Engine(Layout(rollout_house(*KITCHEN)), Rules(in_hand=True))
    for skill in ('go to countertop 1', 'take apple 1 from countertop 1', 'go to fridge 1'):
        engine.do(skill)
    assert engine.do('cool apple 1 with fridge 1').text != NOTHING
    assert engine.state.held == 'apple 1'


def test_what_stands_loose_is_taken_from_the_floor_with_what_is_in_it() -> None:
    engine = begun()
    engine.do('go to box 1')
    assert engine.do('take box 1 from floor').text == 'You pick up the box 1 from the floor.'
    assert engine.do('look').text == (
        'You are in bedroom 1. Looking around, you see nothing. You can go to loc 26 at '
        '[2.25, 4.5], loc 3 at [3.5, 5.25] to explore more.'
    )
    assert engine.do('go to box 1').text == NOTHING
    engine.do('go to loc 3 at [3.5, 5.25]')
    assert 'box 1' not in engine.do('look').text
    for skill in ('go to loc 8 at [4.75, 5.5]', 'go to diningtable 1'):
        engine.do(skill)
    assert engine.do('put box 1 in/on diningtable 1').text != NOTHING
    assert engine.do('take pencil 1 from box 1').text != NOTHING
