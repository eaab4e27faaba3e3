"""Questions to people: their text and their answers."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies

from reactree_core.errors import ConfigurationError
from reactree_core.record.events import QUESTION
from reactree_core.record.questions import (
    answer_text,
    confirmation,
    LONGEST_OPTION,
    LONGEST_TEXT,
    MOST_OPTIONS,
    one_line,
    Question,
    read_question,
)

ANYTHING = strategies.text(max_size=600)


@given(ANYTHING, strategies.lists(ANYTHING, max_size=30), ANYTHING)
def test_a_question_of_any_text_is_one_bounded_line_that_reads_back(text, options, default):
    if not one_line(text):
        with pytest.raises(ValueError):
            Question(text)
        return
    question = Question(text, tuple(options), default)
    assert question.line.isprintable() and '\n' not in question.line
    assert len(question.text) <= LONGEST_TEXT and len(question.options) <= MOST_OPTIONS
    assert all(len(option) <= LONGEST_OPTION for option in (*question.options, question.default))
    again = read_question(question.line)
    assert (again.text, again.options) == (question.text, question.options)
    assert read_question(question.line.removeprefix(QUESTION)) == again


@given(ANYTHING)
def test_any_words_can_be_read_as_a_question(words):
    if one_line(words.removeprefix(QUESTION)):
        assert read_question(words).line.isprintable()


@given(strategies.lists(ANYTHING, min_size=1, max_size=8), strategies.data())
def test_every_option_is_answered_by_its_words_and_by_its_number(options, data):
    question = Question('Which?', tuple(options))
    if not question.options:
        return
    number = data.draw(strategies.integers(1, len(question.options)))
    option = question.options[number - 1]
    same = [one for one in question.options if one.casefold() == option.casefold()]
    assert question.answer(option) == same[0]
    if str(number) not in question.options:
        assert question.answer(f' {number} ') == option


def test_words_of_one_option_are_enough_and_others_are_refused_with_the_options():
    which = Question('Which crate?', ('red crate', 'blue crate', 'barrel'))
    assert which.answer('RED') == 'red crate'
    assert which.answer('bar') == 'barrel'
    for said, why in (('crate', 'several'), ('green', 'none'), ('4', 'none'), ('0', 'none')):
        with pytest.raises(ConfigurationError, match=f'{why}.*1 red crate, 2 blue crate'):
            which.answer(said)
    with pytest.raises(ConfigurationError, match='empty'):
        which.answer(' \x1b\n')
    assert Question('Where to?').answer('to aisle 3\n\x1b[31mplease') == 'to aisle 3 [31mplease'


@given(ANYTHING, strategies.integers(4, 40))
def test_a_line_is_as_long_as_it_may_be_and_says_where_it_was_cut(text, limit):
    line, whole = one_line(text, limit), one_line(text, 10_000)
    if len(whole) <= limit:
        assert line == whole
    else:
        assert line.endswith(' ...') and len(line) <= limit
        # Whatever stands before a space is as good as the space.
        assert whole.startswith(line[:-4]) and len(line) >= limit - 1


def test_a_text_that_is_exactly_as_long_as_it_may_be_is_not_cut():
    assert one_line('x' * 10, 10) == 'x' * 10
    assert one_line('x' * 11, 10) == 'x' * 6 + ' ...'
    assert one_line('x' + ' ' * 99 + 'y' * 9, 10) == 'x yyyy ...'
    longest = Question('q' * LONGEST_TEXT, ('o' * LONGEST_OPTION,) * 3 + ('p',))
    assert longest.text == 'q' * LONGEST_TEXT
    assert longest.options == ('o' * LONGEST_OPTION, 'p')
    many = Question('which?', tuple(f'crate {number}' for number in range(MOST_OPTIONS + 1)))
    assert many.options[-1] == f'crate {MOST_OPTIONS - 1}'
    assert read_question(many.line).options == many.options


def test_a_number_that_is_an_option_itself_means_that_option():
    beds = Question('Which bed?', ('3', '2', '1'))
    assert [beds.answer(said) for said in ('3', '2', '1')] == ['3', '2', '1']
    assert Question('Which?', ('b', 'a')).answer('0002') == 'a'
    for said in ('00002', '-1', '3', '1.0'):
        with pytest.raises(ConfigurationError, match='none of the options'):
            Question('Which?', ('b', 'a')).answer(said)


def test_words_in_the_middle_of_an_option_begin_a_word_of_it():
    crates = Question('Which?', ('dark red crate', 'blue crate'))
    assert crates.answer('red') == 'dark red crate'
    for said in ('ed', 'rate'):
        with pytest.raises(ConfigurationError, match='none of the options'):
            crates.answer(said)


def test_silence_is_consent_to_what_was_understood_and_else_takes_the_default():
    asked = confirmation('Is it the red one?')
    assert (asked.line, asked.default) == ('ask: Is it the red one? [yes | no]', 'yes')
    assert answer_text('no', 'yes') == 'The person answers: no'
    assert answer_text(None, 'yes') == 'Nobody answered: "yes" is taken.'
    assert answer_text(None, '') == 'Nobody answered.'
