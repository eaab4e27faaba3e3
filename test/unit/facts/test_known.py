"""What a task's "if" and "when" ask: whether it is so, or nobody has looked."""

from __future__ import annotations

import pytest

from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import read_condition
from reactree_planner.facts.known import is_known, of_which

TYPES = (
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('take <thing>', ('thing',), SkillKind.TAKE),
    SkillType('put <thing> on <place>', ('thing', 'place'), SkillKind.PUT),
)
TOLD = Vocabulary(
    templates=tuple(one.template for one in TYPES),
    object_classes=('cup', 'fern'),
    place_classes=('shelf', 'sink'),
    rooms=('hall 1',),
    skill_types=TYPES,
    other_words=(('dry', 'moisture < 30 %'),),
    states=('dry', 'dirty', 'clean'),
    numbers=('moisture',),
)


def known(*facts, **fields):
    belief = Belief(TOLD)
    told = [ObjectFact(*name.rsplit(' ', 1)[:1], int(name[-1]), 'hall 1', where, state)
            for name, where, state in facts]  # fmt: skip
    belief.update(Observation('', room='hall 1', facts=tuple(told), **fields))
    return belief


CUPS = (('cup 1', 'shelf 1', 'dirty'), ('cup 2', 'shelf 1', 'clean'))
UNTOLD = ('cup 3', 'shelf 1', '')
SHELVES = (('shelf 1', '', ''), ('shelf 2', '', ''))


@pytest.mark.parametrize(
    ('facts', 'text', 'answer'),
    [
        (CUPS, 'cup is dirty', True),
        (CUPS, '2 cup is dirty', False),
        (CUPS, 'all cup is dirty', False),
        (CUPS[:1], 'all cup is dirty', True),
        ((*CUPS, UNTOLD), 'cup is dirty', True),
        ((*CUPS, UNTOLD), '2 cup is dirty', None),
        ((*CUPS, UNTOLD), 'all cup is dirty', None),
        ((), 'cup is dirty', None),
        ((), 'all cup is dirty', None),
        ((('fern 1', '', 'dry, moisture 10 %'),), 'fern is dry', True),
        ((('fern 1', '', 'moisture 50 %'),), 'fern is dry', False),
        ((('fern 1', '', ''),), 'fern is dry', None),
        ((('fern 1', '', 'moisture 50 %'),), 'moisture of fern > 40 %', True),
        (CUPS, 'holding cup', False),
        ((*SHELVES, *CUPS), 'cup in shelf', True),
    ],
)
def test_it_is_so_or_not_or_nobody_has_looked(facts, text, answer):
    assert is_known(known(*facts, held=()), read_condition(text)) is answer


def test_what_is_in_no_place_that_was_looked_at_is_not_there():
    wanted = read_condition('cup in shelf')
    assert is_known(known(*SHELVES), wanted) is None
    assert is_known(known(*SHELVES, looked_at=('shelf 1',)), wanted) is None
    assert is_known(known(*SHELVES, looked_at=('shelf 1', 'shelf 2')), wanted) is False
    assert is_known(known(looked_at=('sink 1',)), wanted) is None, 'no shelf is known'
    hall = read_condition('cup in hall')
    assert is_known(known(*SHELVES), hall) is False, 'the robot has been there'


def test_the_things_of_which_it_is_so():
    belief = known(*SHELVES, *CUPS, UNTOLD)
    assert of_which(belief, read_condition('cup is dirty')) == ('cup 1',)
    assert of_which(belief, read_condition('cup in shelf')) == ('cup 1', 'cup 2', 'cup 3')
    for text in ('2 cup is dirty', 'all cup in shelf', 'holding cup'):
        assert of_which(belief, read_condition(text)) == ()
