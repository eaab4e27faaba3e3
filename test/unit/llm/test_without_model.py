"""Chance, and nobody, in place of a model."""

from __future__ import annotations

from collections import Counter

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, ModelOutputError
from reactree_planner.llm.registry import check_model_file, load_model, ModelOptions
from reactree_planner.llm.without_model import needs_no_model
from reactree_tools.model_check import check_model_choice

_SKILLS = ('open gate 1', 'go to yard 1', 'dock', 'failure')


def session_of(name, text):
    session = load_model(name, ModelOptions()).session(CancelToken())
    session.append(text)
    return session


def test_every_option_is_as_likely_and_the_same_question_has_the_same_answer():
    texts = [f'Step {number}. Act:' for number in range(2000)]
    chosen = [session_of('random:7', text).select(_SKILLS).index for text in texts]
    again = [session_of('random:7', text).select(_SKILLS).index for text in reversed(texts)]
    assert chosen == again[::-1]
    assert chosen != [session_of('random:8', text).select(_SKILLS).index for text in texts]
    # Of 2,000 each has 500; five deviations are 97.
    assert set(Counter(chosen)) == set(range(4))
    assert all(abs(count - 500) < 97 for count in Counter(chosen).values())


def test_a_text_is_words_in_a_row_of_what_was_shown():
    text = 'Your task is to: bring the red crate to dock 2'
    for number in range(50):
        written = session_of(f'random:{number}', text).generate()
        assert written.strip() and f' {written.strip()} ' in f' {text} '
    assert session_of('random', '').generate().strip()


@pytest.mark.parametrize('name', ['random', 'random:12', 'none'])
def test_no_file_is_asked_for(name):
    assert needs_no_model(name)
    check_model_file(name)
    check_model_choice(name)
    assert load_model(name, ModelOptions()).name in ('random:0', 'random:12', 'none')


@pytest.mark.parametrize('name', ['randomly', 'nobody', 'none:1'])
def test_another_name_is_a_model(name):
    assert not needs_no_model(name)


def test_what_is_no_seed_is_said():
    for name in ('random:x', 'random:-1', 'random:1.5'):
        with pytest.raises(ConfigurationError, match='random:SEED'):
            check_model_choice(name)


def test_nobody_is_asked_in_vain():
    for ask in (lambda one: one.select(_SKILLS), lambda one: one.generate()):
        with pytest.raises(ModelOutputError, match='reactree read'):
            ask(session_of('none', 'Act:'))
