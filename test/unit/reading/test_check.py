"""Each rule of the check lets a right form pass and stops a wrong one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.skill_types import SkillType
from reactree_planner.reading.check import check, End, Report
from reactree_planner.reading.form import (
    Circumstance,
    FormCondition,
    FormMilestone,
    GoalForm,
    Interpretation,
    Limit,
    Prohibition,
    Remainder,
)
from reactree_planner.reading.vocabulary import ServerWords
from support.prohibited import HOUSE

_WORDS = ServerWords(HOUSE)
_MUG = FormCondition('in', 'mug', 'sofa', words='mug on the sofa')
_BOOK = FormCondition('in', 'book', 'closet', words='book in the closet')
_OPEN = FormCondition('is', 'fridge', 'open', words='open the fridge')
_BAN = Prohibition('open', 'fridge', words="don't open the fridge")


def form_of(*steps: FormCondition | tuple[FormCondition, ...], **parts: object) -> GoalForm:
    milestones = tuple(FormMilestone(one if isinstance(one, tuple) else (one,)) for one in steps)
    return replace(GoalForm(milestones=milestones), **parts)  # type: ignore[arg-type]


def report(text: str, form: GoalForm) -> Report:
    return check(form, text, _WORDS)


_PUT = 'Put the mug on the sofa'
_BOTH = 'Put the mug on the sofa and the book in the closet.'


@pytest.mark.parametrize(
    ('text', 'right', 'wrong'),
    [
        pytest.param(
            f'{_PUT}.',
            form_of(_MUG),
            form_of(replace(_MUG, words='cup on the sofa')),
            id='exact quotes',
        ),
        pytest.param(_BOTH, form_of((_MUG, _BOOK)), form_of(_MUG), id='nothing lost'),
        pytest.param(
            _BOTH,
            form_of((_MUG, _BOOK)),
            form_of((replace(_MUG, words=_BOTH[:-1]), replace(_BOOK, words=_BOTH[:-1]))),
            id='narrow quotes',
        ),
        pytest.param(
            f'{_PUT}.', form_of(_MUG), form_of(replace(_MUG, value='attic')), id='known names'
        ),
        pytest.param(
            f'{_PUT}.',
            form_of(_MUG),
            form_of(replace(_MUG, thing='apple')),
            id='names that are said',
        ),
        pytest.param(
            'Take the apple from the fridge.',
            form_of(
                FormCondition('holding', 'apple', source='fridge', words='apple from the fridge')
            ),
            form_of(FormCondition('in', 'apple', 'fridge', words='apple from the fridge')),
            id='from and to',
        ),
        pytest.param(
            'Place the mug with the apple in it on the sofa.',
            form_of(
                (
                    FormCondition('in', 'apple', 'mug', words='with the apple in it'),
                    FormCondition(
                        'in', 'mug', 'sofa', words='the mug with the apple in it on the sofa'
                    ),
                )
            ),
            form_of(
                (
                    FormCondition('in', 'mug', 'apple', words='the mug with the apple in it'),
                    FormCondition('in', 'apple', 'sofa', words='with the apple in it on the sofa'),
                )
            ),
            id='what is in what',
        ),
        pytest.param(
            'Open the fridge.',
            form_of(replace(_OPEN, words='Open the fridge')),
            form_of(replace(_OPEN, words='Open the fridge', value='closed')),
            id='states that are said',
        ),
        pytest.param(
            f"{_PUT}, but don't open the fridge.",
            form_of(_MUG, never=(_BAN,)),
            form_of(_MUG, replace(_OPEN, words="don't open the fridge")),
            id='negations forbid',
        ),
        pytest.param(
            f"{_PUT}, but don't open the fridge.",
            form_of(_MUG, never=(_BAN,)),
            form_of(_MUG, never=(replace(_BAN, doing='close'),)),
            id='acts that are said',
        ),
        pytest.param(
            f'{_PUT} and open the fridge.',
            form_of((_MUG, _OPEN)),
            form_of(_MUG, never=(replace(_BAN, words='open the fridge'),)),
            id='no prohibition without a negation',
        ),
        pytest.param(
            'Put two mugs on the sofa.',
            form_of(FormCondition('in', 'mug', 'sofa', 2, words='two mugs on the sofa')),
            form_of(FormCondition('in', 'mug', 'sofa', 3, words='two mugs on the sofa')),
            id='counts',
        ),
        pytest.param(
            'Take the mug and put it on the sofa.',
            form_of(
                FormCondition('in', 'mug', 'sofa', words='Take the mug and put it on the sofa')
            ),
            form_of(
                FormCondition('in', 'mug', 'sofa', 2, words='Take the mug and put it on the sofa')
            ),
            id='counts of pronouns',
        ),
        pytest.param(
            'Take at most two apples.',
            form_of(limits=(Limit('take', 2, 'apple', words='Take at most two apples'),)),
            form_of(limits=(Limit('take', 3, 'apple', words='Take at most two apples'),)),
            id='limits',
        ),
        pytest.param(
            f'If the tv is on, {_PUT.lower()}.',
            form_of(
                replace(_MUG, words='put the mug on the sofa'),
                when=Circumstance(
                    'if',
                    (FormCondition('is', 'tv', 'on', words='If the tv is on'),),
                    words='If the tv is on',
                ),
            ),
            form_of(replace(_MUG, words=f'If the tv is on, {_PUT.lower()}')),
            id='conditions',
        ),
        pytest.param(
            'Open the fridge, then put the mug on the sofa.',
            form_of(replace(_OPEN, words='Open the fridge'), _MUG),
            form_of(_MUG, replace(_OPEN, words='Open the fridge')),
            id='order',
        ),
        pytest.param(
            f'{_PUT}. Never touch the mug.',
            form_of(_MUG, never=(Prohibition('open', 'mug', words='Never touch the mug'),)),
            form_of(_MUG, never=(Prohibition('touch', 'mug', words='Never touch the mug'),)),
            id='nothing asked and forbidden',
        ),
        pytest.param(
            f'{_PUT}.',
            form_of(_MUG),
            form_of((_MUG, replace(_MUG, words='Put the mug on the sofa'))),
            id='once',
        ),
        pytest.param(
            'Put the tumbler on the sofa.',
            form_of(
                FormCondition('in', 'mug', 'sofa', words='tumbler on the sofa'),
                taken_for=(Interpretation('tumbler', 'mug'),),
            ),
            form_of(
                FormCondition('in', 'mug', 'sofa', words='tumbler on the sofa'),
                taken_for=(Interpretation('Put the tumbler on the sofa', 'mug'),),
            ),
            id='nouns alone are taken for names',
        ),
        pytest.param(
            f'{_PUT} and turn the tv on.',
            form_of(_MUG, FormCondition('is', 'tv', 'on', words='turn the tv on')),
            form_of(_MUG, cannot_say=(Remainder('mug on the sofa', 'no reason', False),)),
            id='nothing asked and set aside',
        ),
        pytest.param(
            'Put the mug in the dishwasher and switch it on.',
            form_of(
                FormCondition('in', 'mug', 'dishwasher', words='the mug in the dishwasher'),
                FormCondition('is', 'dishwasher', 'on', words='switch it on'),
            ),
            form_of(
                (
                    FormCondition('in', 'mug', 'dishwasher', words='the mug in the dishwasher'),
                    FormCondition('is', 'dishwasher', 'on', words='switch it on'),
                )
            ),
            id='one after the other',
        ),
        pytest.param(
            'Swap the mug and the book.',
            form_of(
                (
                    FormCondition(
                        'in', 'mug', 'where book was', words='Swap the mug and the book'
                    ),
                    FormCondition(
                        'in', 'book', 'where mug was', words='Swap the mug and the book'
                    ),
                )
            ),
            form_of(
                (
                    FormCondition(
                        'in', 'mug', 'where zebra was', words='Swap the mug and the book'
                    ),
                    FormCondition(
                        'in', 'book', 'where mug was', words='Swap the mug and the book'
                    ),
                )
            ),
            id='places of things',
        ),
    ],
)
def test_a_rule_passes_the_right_form_and_refuses_the_wrong(
    text: str, right: GoalForm, wrong: GoalForm
) -> None:
    assert report(text, right).end is not End.REFUSED, report(text, right).findings
    assert report(text, wrong).end is End.REFUSED


def test_an_empty_form_is_refused() -> None:
    assert report('Do something.', GoalForm()).end is End.REFUSED


@pytest.mark.parametrize(
    ('noun', 'forbidden', 'end'),
    [
        ('fridge', {'fridge'}, End.WHOLE),
        ('refrigerator', {'fridge'}, End.WHOLE),
        ('appliance', {'fridge', 'dishwasher'}, End.TO_CONFIRM),
        ('zork', {'zork'}, End.TO_CONFIRM),
    ],
)
def test_an_unknown_noun_forbids_whatever_it_may_mean(
    noun: str, forbidden: set[str], end: End
) -> None:
    told = report(
        f'{_PUT}. Never open the {noun}.',
        form_of(_MUG, never=(Prohibition('open', noun, words=f'Never open the {noun}'),)),
    )
    assert {one.thing for one in told.form.never} >= forbidden
    assert told.end is end


def test_a_synonym_forbids_also_what_stands_above_it() -> None:
    words = ServerWords(replace(HOUSE, place_classes=(*HOUSE.place_classes, 'home appliance')))
    text = 'Never open the refrigerator.'
    ban = Prohibition('open', 'refrigerator', words='Never open the refrigerator')
    told = check(GoalForm(never=(ban,)), text, words)
    assert {one.thing for one in told.form.never} == {'fridge', 'home appliance'}
    assert told.end is End.TO_CONFIRM


def test_a_state_that_is_said_is_not_lost() -> None:
    washing = SkillType('wash <thing>', effects=('<thing> is clean',))
    words = ServerWords(replace(HOUSE, skill_types=(*HOUSE.skill_types, washing)))
    text = 'Put the washed mug on the sofa.'
    place = FormCondition('in', 'mug', 'sofa', words='Put the washed mug on the sofa')
    clean = FormCondition('is', 'mug', 'clean', words='washed mug')
    assert check(form_of((place, clean)), text, words).end is End.WHOLE
    assert check(form_of(place), text, words).end is End.REFUSED


@pytest.mark.parametrize(
    ('left', 'end'),
    [
        (Remainder('for lunch', 'a reason', False), End.WHOLE),
        (Remainder('for lunch', 'no time can be said', True), End.TO_CONFIRM),
        (Remainder('and not the book', 'nothing', False), End.TO_CONFIRM),
    ],
)
def test_what_is_left_out_is_asked_about_where_it_matters(left: Remainder, end: End) -> None:
    assert report(f'{_PUT} {left.words}.', form_of(_MUG, cannot_say=(left,))).end is end


def test_a_state_that_no_skill_brings_about_stays_and_is_unreachable() -> None:
    text = 'Make the mug golden.'
    wanted = FormCondition('is', 'mug', 'golden', words='the mug golden')
    told = report(text, form_of(wanted))
    assert told.unreachable == ('No skill makes the mug golden.',)
    assert told.form.wanted == (wanted,)


def test_another_name_that_words_may_mean_is_asked_about() -> None:
    text = 'Put the drinking vessel on the sofa.'
    taken = Interpretation('drinking vessel', 'mug', ('milk',))
    form = form_of(
        FormCondition('in', 'mug', 'sofa', words='drinking vessel on the sofa'), taken_for=(taken,)
    )
    assert report(text, form).end is End.TO_CONFIRM
    assert report(text, replace(form, taken_for=(replace(taken, others=()),))).end is End.WHOLE
