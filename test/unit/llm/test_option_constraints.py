from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings, strategies

from reactree_planner.llm.option_constraints import (
    choices_of,
    constrained_index,
    END,
    fits_schema,
    grammar_of,
    held_back,
    labels_of,
    needs_end,
    proposed_index,
    score_choice,
    TokenScore,
)

TEXTS = strategies.text(
    strategies.characters(codec='utf-8') | strategies.sampled_from('ab"\\\n| ?()'),
    min_size=1,
    max_size=8,
)
OPTIONS = strategies.lists(TEXTS, min_size=1, max_size=12, unique=True)

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([()|?])|\s+', re.DOTALL)
_ESCAPE = re.compile(r'\\(?:u(.{4})|U(.{8})|(.))', re.DOTALL)


def language_of(grammar: str) -> set[str]:
    """Every text of a grammar made of literals, groups, alternatives and `?`."""
    head, _, body = grammar.partition(' ::= ')
    assert head == 'root'
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(body):
        found = _TOKEN.match(body, at)
        assert found, body[at:]
        at = found.end()
        if found.group(2):
            tokens.append(('sign', found.group(2)))
        elif found.group(1) is not None:
            tokens.append(
                (
                    'text',
                    _ESCAPE.sub(
                        lambda e: e.group(3) or chr(int(e.group(1) or e.group(2), 16)),
                        found.group(1),
                    ),
                )
            )

    def alternatives() -> set[str]:
        texts = sequence()
        while tokens and tokens[0] == ('sign', '|'):
            tokens.pop(0)
            texts |= sequence()
        return texts

    def sequence() -> set[str]:
        texts = {''}
        while tokens and tokens[0] not in (('sign', '|'), ('sign', ')')):
            kind, value = tokens.pop(0)
            if kind == 'text':
                part = {value}
            else:
                assert value == '('
                part = alternatives()
                assert tokens.pop(0) == ('sign', ')')
            if tokens and tokens[0] == ('sign', '?'):
                tokens.pop(0)
                part = part | {''}
            texts = {text + more for text in texts for more in part}
        return texts

    result = alternatives()
    assert not tokens
    return result


@settings(deadline=None)
@given(OPTIONS, strategies.sampled_from(['', ' ', '  ']))
def test_the_grammar_speaks_exactly_the_options(options: list[str], lead: str) -> None:
    spoken = {lead + option for option in options}
    if needs_end(options):
        spoken |= {text + END for text in spoken}
    assert language_of(grammar_of(options, lead)) == spoken


def test_shared_beginnings_are_written_once() -> None:
    assert grammar_of(['go to sink 1', 'go to shelf 1', 'close']) == (
        'root ::= ("close" | "go to s" ("helf 1" | "ink 1"))'
    )


def test_the_end_of_an_option_is_told_only_where_another_goes_on() -> None:
    assert grammar_of(['lamp', 'lamp 1']) == r'root ::= "lamp" (" 1")? "\u000A"?'
    assert not needs_end(['lamp 1', 'lamp 2'])
    assert choices_of(['lamp', 'lamp 1'], ' ') == [' lamp\n', ' lamp 1\n']


@settings(deadline=None)
@given(OPTIONS, strategies.sampled_from(['', ' ']), strategies.data())
def test_every_constrained_answer_is_recognised(
    options: list[str], lead: str, data: strategies.DataObject
) -> None:
    index = data.draw(strategies.integers(0, len(options) - 1))
    assert constrained_index(lead + options[index], options, lead) == index


@settings(deadline=None)
@given(OPTIONS, strategies.data())
def test_every_label_is_recognised(options: list[str], data: strategies.DataObject) -> None:
    index = data.draw(strategies.integers(0, len(options) - 1))
    found = constrained_index(labels_of(options)[index], options)
    assert found is not None
    assert labels_of(options)[found].strip() == labels_of(options)[index].strip()


@pytest.mark.parametrize(
    ('answer', 'index'),
    [
        ('go to fridge 1', 0),
        ('Go to  Fridge 1.', 0),
        ('"go to fridge 1"\n', 0),
        ('go to fridge 12', 1),
        ('go to fridge 1, because it is cold', 0),
        ('go to fridge', None),
        ('go to fridge 123', None),
        ('', None),
        ('open it', None),
        ('**Act:**', 2),
        ('Act: go', 2),
    ],
)
def test_a_free_answer_is_the_option_it_means(answer: str, index: int | None) -> None:
    assert proposed_index(answer, ['go to fridge 1', 'go to fridge 12', 'Act: ']) == index


@settings(deadline=None)
@given(OPTIONS, strategies.data())
def test_an_option_said_exactly_is_itself(options: list[str], data: strategies.DataObject) -> None:
    index = data.draw(strategies.integers(0, len(options) - 1))
    assert proposed_index(options[index], options) == index


@settings(deadline=None)
@given(strategies.text(max_size=60), OPTIONS)
def test_no_answer_breaks_the_reading(answer: str, options: list[str]) -> None:
    for index in (proposed_index(answer, options), constrained_index(answer, options)):
        assert index is None or 0 <= index < len(options)


def test_labels_keep_their_white_space_where_it_is_the_difference() -> None:
    assert labels_of(['Think: ', 'Expand:\n']) == ['Think:', 'Expand:']
    assert labels_of(['a', 'a ']) == ['a', 'a ']


def test_only_spaces_at_the_end_are_held_back() -> None:
    assert held_back('Act: ') == ' '
    assert held_back('Act:\n') == ''
    assert held_back('  ') == ''
    assert held_back('') == ''


def test_schemas_of_too_many_options_are_not_sent() -> None:
    assert fits_schema(['x'] * 500)
    assert not fits_schema(['x'] * 501)
    assert not fits_schema(['x' * 100] * 251)


def test_a_choice_is_scored_where_the_options_part() -> None:
    tokens = [
        TokenScore(b' go', -0.5, ((b' go', -0.5), (b' open', -2.0))),
        TokenScore(b' to', -0.1, ((b' to', -0.1), (b' away', -0.2))),
        TokenScore(b' sink', -0.7, ((b' sink', -0.7), (b' moon', -0.8), (b' fridge', -1.7))),
        TokenScore(b'', -5.0),
    ]
    total, margin = score_choice(tokens, ['go to sink', 'go to fridge', 'open'], 0, ' ')
    assert math.isclose(total, -1.3)
    assert math.isclose(margin, 1.0)


def test_the_end_of_an_option_is_scored_against_going_on() -> None:
    tokens = [TokenScore(b'lamp', -0.1), TokenScore(b'\n', -0.3, ((b'\n', -0.3), (b' 1', -2.3)))]
    total, margin = score_choice(tokens, ['lamp', 'lamp 1'], 0)
    assert math.isclose(total, -0.1)
    assert math.isclose(margin, 2.0)


def test_a_rival_that_is_not_told_bounds_the_margin() -> None:
    tokens = [TokenScore(b'a', -0.1, ((b'a', -0.1), (b'x', -3.1)))]
    assert math.isclose(score_choice(tokens, ['a', 'b'], 0)[1], 3.0)


def test_a_server_that_tells_nothing_gives_no_score() -> None:
    assert score_choice([], ['a', 'b'], 0) == (0.0, 0.0)
    assert score_choice([TokenScore(b'z', -1.0)], ['a', 'b'], 0) == (0.0, 0.0)
    assert score_choice([], ['a'], 0) == (0.0, math.inf)


@settings(deadline=None)
@given(
    OPTIONS,
    strategies.lists(
        strategies.builds(
            TokenScore,
            strategies.binary(max_size=4),
            strategies.floats(-9, 0),
            strategies.lists(
                strategies.tuples(strategies.binary(max_size=4), strategies.floats(-9, 0)),
                max_size=3,
            ).map(tuple),
        ),
        max_size=6,
    ),
    strategies.data(),
)
def test_no_scores_break_the_reading(
    options: list[str], tokens: list[TokenScore], data: strategies.DataObject
) -> None:
    index = data.draw(strategies.integers(0, len(options) - 1))
    total, margin = score_choice(tokens, options, index)
    assert total <= 0.0
    assert not math.isnan(margin)
