"""Acts are found by what skills change and where things are, whatever the skills are called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import ObjectFact, Observation
from reactree_core.permission.acts import Act, Side
from reactree_core.permission.matching import Moment
from reactree_core.skill_types import SkillKind, SkillType

KITCHEN = (
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('open <name>', ('name',), SkillKind.OPEN),
    SkillType('pick up <thing>', ('thing',), SkillKind.TAKE),
    SkillType('put down <thing>', ('thing',), SkillKind.PUT),
    SkillType(
        'fetch <thing> out of <place>',
        ('thing', 'place'),
        effects=('holding <thing>', '<place> is open'),
    ),
    SkillType('polish <thing>', ('thing',), effects=('<thing> is shiny',)),
    SkillType('look around', (), SkillKind.LOOK),
)
FACTS = {
    'cream 1': ObjectFact('cream', 1, 'kitchen 1', 'fridge 1'),
    'fork 1': ObjectFact('fork', 1, 'kitchen 1', 'plate 1'),
    'plate 1': ObjectFact('plate', 1, 'kitchen 1', 'table 1'),
    'pear 1': ObjectFact('pear', 1),
    'fridge 1': ObjectFact('fridge', 1, 'kitchen 1'),
    'toilet 1': ObjectFact('toilet', 1, 'bathroom 1'),
    'bathroom 1': ObjectFact('bathroom', 1, 'bathroom 1'),
}


def moment(skill: str, place: str = 'stove 1') -> Moment:
    return Moment(skill, Observation('', place=place, room='kitchen 1'), FACTS, KITCHEN)


@pytest.mark.parametrize(
    ('act', 'skill', 'meant'),
    [
        # Where the thing is decides, and not where the robot stands.
        (Act('take', '', 'fridge', Side.FROM), 'pick up cream 1', True),
        (Act('take', '', 'fridge', Side.FROM), 'pick up plate 1', False),
        (Act('take', '', 'fridge', Side.FROM), 'pick up pear 1', None),
        (Act('take', 'cream', 'fridge', Side.FROM), 'fetch cream 1 out of fridge 1', True),
        # Whatever brings the state about.
        (Act('open', 'fridge'), 'open fridge 1', True),
        (Act('open', 'fridge'), 'fetch cream 1 out of fridge 1', True),
        (Act('open', 'fridge'), 'open cabinet 1', False),
        (Act('open'), 'open cabinet 1', True),
        # A place in a region leads into the region.
        (Act('go', '', 'bathroom'), 'go to bathroom 1', True),
        (Act('go', '', 'bathroom'), 'go to toilet 1', True),
        (Act('go', '', 'bathroom'), 'go to fridge 1', False),
        (Act('go', '', 'bathroom'), 'go to shed 1', None),
        # What is on a plate goes with it.
        (Act('take', 'fork'), 'pick up plate 1', True),
        (Act('take', 'fork'), 'pick up cream 1', False),
        (Act('take', '', but=('cream',)), 'pick up cream 1', False),
        (Act('take', '', but=('cream',)), 'pick up plate 1', True),
        # A touch is whatever is done with a thing but going there and looking.
        (Act('touch', 'plate'), 'polish plate 1', True),
        (Act('touch', 'fridge'), 'go to fridge 1', False),
        (Act('touch', 'fridge'), 'fetch cream 1 out of fridge 1', True),
        (Act('polish', 'plate'), 'polish plate 1', True),
        (Act('polish'), 'polish fork 1', True),
        (Act('polish', 'plate'), 'pick up plate 1', False),
        # Laying something down is bound to where the robot is.
        (Act('put', '', 'stove', Side.TO), 'put down cream 1', True),
        (Act('put', '', 'table', Side.TO), 'put down cream 1', False),
        (Act('touch', 'fridge'), 'look around', False),
        # No declared type fits: its words speak.
        (Act('open', 'fridge'), 'unseal the fridge 1', None),
        (Act('open', 'fridge'), '', False),
    ],
)
def test_an_act_is_known_by_what_it_changes(act: Act, skill: str, meant: bool | None) -> None:
    assert act.matches(moment(skill)) is meant


def test_what_is_laid_down_at_an_unknown_place_may_be_laid_there() -> None:
    assert Act('put', '', 'table', Side.TO).matches(moment('put down cream 1', place='')) is None


WORD = st.sampled_from(['zor', 'blick', 'wem', 'dafty', 'klon', 'ruv'])


@given(verb=WORD, thing=WORD, state=WORD, place=WORD)
def test_a_skill_of_any_name_with_the_effect_is_meant(
    verb: str, thing: str, state: str, place: str
) -> None:
    types = (
        SkillType(
            f'{verb} <thing>', ('thing',), effects=('<thing> is open', f'not <thing> is {state}')
        ),
        SkillType(
            f'{verb}up <thing> near <place>', ('thing', 'place'), effects=('holding <thing>',)
        ),
    )
    facts = {f'{thing} 1': ObjectFact(thing, 1, '', f'{place} 1')}
    opening = Moment(f'{verb} {thing} 1', Observation(''), facts, types)
    assert Act('open', thing).matches(opening) is True
    assert Act('open', f'un{thing}').matches(opening) is False
    taking = Moment(f'{verb}up {thing} 1 near {place} 1', Observation(''), facts, types)
    assert Act('take', '', place, Side.FROM).matches(taking) is True
    assert Act('take', '', f'un{place}', Side.FROM).matches(taking) is False
