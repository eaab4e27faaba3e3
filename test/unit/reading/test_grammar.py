"""The grammar reads each kind of sentence as the goal that stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from reactree_planner.reading.check import check, End
from reactree_planner.reading.form import render
from reactree_planner.reading.grammar.sentences import read
from reactree_planner.reading.vocabulary import ServerWords
from support.prohibited import HOUSE

_WORDS = ServerWords(HOUSE)
_FILE = Path(__file__).with_name('readings.yaml')
_KINDS = yaml.safe_load(_FILE.read_text(encoding='utf-8'))


@pytest.mark.parametrize(
    ('text', 'goal'), [pair for pairs in _KINDS.values() for pair in pairs.items()]
)
def test_a_sentence_is_read_as_its_goal(text: str, goal: str) -> None:
    report = check(read(text, _WORDS), text, _WORDS)
    assert (render(report.form), report.end) == (goal.strip(), End.WHOLE), report.findings


@pytest.mark.parametrize(
    'text',
    [
        'Put the mug on the sofa and sing.',
        'Put the mug on the carousel.',
        'Put the mug and the stapler on the sofa.',
        'Put the mug on the sofa unless it rains.',
        'Put anything on the sofa.',
        'Dance.',
        '',
    ],
)
def test_what_is_not_read_is_never_whole(text: str) -> None:
    assert check(read(text, _WORDS), text, _WORDS).end is not End.WHOLE


def test_each_rule_of_the_grammar_can_be_switched_off() -> None:
    from benchmarks.reading.ablation import rules, without

    names = list(rules())
    assert len(names) > 30
    text = 'Put the mug on the sofa.'
    off = without(
        'reactree_planner.reading.grammar.clauses', 'clause', lambda: [read(text, _WORDS)]
    )
    assert not off[0].milestones
    assert read(text, _WORDS).milestones


@pytest.mark.parametrize(
    'text',
    [
        'Who will put the mug on the sofa?',
        'Should I put the mug on the sofa?',
        'I already put the mug on the sofa.',
        'She wants to open the fridge.',
        'It is a bad idea to put the mug on the sofa.',
        'Mum says: put the mug on the sofa.',
        'Put the mug or the book on the sofa.',
        'Put most apples in the fridge.',
        'Put another mug on the sofa.',
        'When the guests come, open the fridge.',
        'Do not open the fridge and turn on the tv.',
        'Never put the mug in the fridge and the book on the sofa.',
        "Don't touch the mug if the tv is on.",
        'Put two mugs on two sofas.',
    ],
)
def test_what_may_not_be_asked_is_asked_about(text: str) -> None:
    assert check(read(text, _WORDS), text, _WORDS).end is not End.WHOLE


def test_what_must_not_be_done_is_forbidden_beside_what_may_join_it() -> None:
    form = read('Do not open the fridge and turn on the tv.', _WORDS)
    assert {one.doing for one in form.never} == {'open', 'switch on'}
    assert not form.milestones


def test_a_long_text_ends_without_an_error() -> None:
    text = f'put {", ".join(["the apple"] * 2000)} in the fridge'
    assert check(read(text, _WORDS), text, _WORDS).end is not End.WHOLE
