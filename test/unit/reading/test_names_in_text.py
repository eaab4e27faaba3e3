"""Names as people write them: without their head or their rest, apart, in the plural, in a can."""

from __future__ import annotations

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

WORKSHOP = Vocabulary(
    object_classes=(
        'steel pipe', 'copper pipe', 'oil can', 'lifting fork', 'drum', 'paint', 'toolbox',
        'glass', 'wine glass', 'leaf', 'bus',
    ),
    place_classes=('hall table', 'tool shelf', 'rack', 'workbench'),
    rooms=('hall 1',),
    skill_types=(
        SkillType('go to <place>', ('place',), SkillKind.MOVE),
        SkillType('take <thing>', ('thing',), SkillKind.TAKE),
        SkillType('put <thing> in <place>', ('thing', 'place'), SkillKind.PUT),
    ),
)  # fmt: skip


def read(text):
    return read_alone(text, Names(WORKSHOP))


@pytest.mark.parametrize(
    ('said', 'thing'),
    [
        ('the can of oil', 'oil can'),
        ('the cans of oil', 'all oil can'),
        ('the can of paint', 'paint'),
        ('two bottles of paint', '2 paint'),
        ('the fork', 'lifting fork'),
        ('the tool box', 'toolbox'),
        ('the tool boxes', 'all toolbox'),
        ('the wineglass', 'wine glass'),
        ('the wine glasses', 'all wine glass'),
        ('the leaves', 'all leaf'),
        ('the buses', 'all bus'),
        ('the drum 2', 'drum 2'),
        ('the DRUM', 'drum'),
    ],
)
def test_a_name_is_read_however_it_is_written(said, thing):
    goal = read(f'Put {said} on the rack.')
    assert goal.whole
    assert goal.means == '; '.join(f'{one} in rack' for one in thing.split('; '))


@pytest.mark.parametrize(
    ('said', 'place'),
    [
        ('the table in the hall', 'hall table'),
        ('the table of the hall', 'hall table'),
        ('the table', 'hall table'),
        ('the shelf', 'tool shelf'),
        ('the work bench', 'workbench'),
        ('rack 1', 'rack 1'),
    ],
)
def test_so_is_a_place(said, place):
    goal = read(f'Put the drum on {said}.')
    assert goal.whole and goal.means == f'drum in {place}'


@pytest.mark.parametrize(
    'said',
    [
        # Of several that could be meant, none is.
           'the can', 'the oil',
        # "Forks" may be others than the lifting forks.
         'a steel or copper pipe',
        # What no name stands for.
        'the can opener', 'the cup of tea', 'the red thing', 'the zorb', 'the very big zorb',
    ],
)  # fmt: skip
def test_what_may_be_something_else_is_not_read(said):
    goal = read(f'Put {said} on the rack.')
    assert goal.unread and not goal.milestones
    assert not read(f'Put the drum on {said}.').whole


def test_which_of_several_is_meant_the_text_says_before():
    goal = read('Take the steel pipe. Put the pipe on the rack.')
    assert goal.whole and goal.means == 'steel pipe in rack'
    assert read('Take the copper pipe. Put the pipe on the rack.').means == 'copper pipe in rack'
    assert not read('Take a steel and a copper pipe. Put the pipe on the rack.').whole
    assert not read('Take the steel pipe. Put a pipe on the rack.').whole
