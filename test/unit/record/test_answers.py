"""Answers as a journal has them: what was written is what is read."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import (
    ConfigurationError,
    JournalError,
    ModelError,
    ModelOutputError,
    PromptTooLongError,
)
from reactree_core.observation import Vocabulary
from reactree_core.ports import Sample
from reactree_core.record.answers import (
    answered_error,
    answers_in,
    digest_of,
    sample_of,
    usage_entry,
    usage_of,
    vocabulary_in,
)
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal import Journal
from reactree_core.record.journal_lines import Answer
from reactree_core.usage import LlmUsage

counts = st.integers(0, 10**9)
usages = st.builds(LlmUsage, st.just('small'), counts, counts, counts, counts, counts,
                   st.floats(0, 1e6))  # fmt: skip


@given(usages)
def test_a_cost_is_written_without_what_is_nothing_and_read_again(usage):
    entry = usage_entry(usage)
    assert 'model' not in entry and all(entry.values())
    assert usage_of({'usage': entry}, 'small') == usage
    assert usage_of({'usage': entry}, 'large') == replace(usage, model='large')


@pytest.mark.parametrize(
    'entry', [{}, {'usage': 3}, {'usage': {'requests': 'x', 'latency': 'y'}}, {'usage': None}]
)
def test_of_a_cost_that_is_none_nothing_is_counted(entry):
    assert usage_of(entry, 'small') == LlmUsage('small')


def test_answers_are_read_in_their_order_and_what_is_no_journal_is_told(tmp_path):
    journal = Journal(tmp_path, 'run')
    answers = [Answer('select', {'index': 1}), Answer('person', {'text': 'yes'})]
    for record in (Decision(1, 0, DecisionKind.START, text='go'), *answers):
        journal.append(record)
    journal.close()
    assert answers_in(journal.path) == answers
    with pytest.raises(ConfigurationError, match='cannot be read'):
        answers_in(tmp_path / 'none.jsonl')


def test_what_a_skill_server_told_is_read_and_of_other_answers_nothing():
    told = {'vocabulary': asdict(Vocabulary((), object_classes=('crate',)))}
    vocabulary = vocabulary_in(Answer('list_skills', told))
    assert isinstance(vocabulary, Vocabulary)
    assert vocabulary.object_classes == ('crate',)
    assert vocabulary_in(Answer('select', told)) is None
    for content in ({}, {'vocabulary': 3}, {'vocabulary': {'none': 1}}):
        with pytest.raises(JournalError, match='cannot be read'):
            vocabulary_in(Answer('list_skills', content))


def test_a_sample_has_its_tokens_where_they_were_told():
    tokens = [['a', -0.5], ['b', -1], ['c'], 3, ['d', 'x']]
    assert sample_of({'text': 'ab', 'tokens': tokens}) == Sample('ab', (('a', -0.5), ('b', -1.0)))
    assert sample_of({'text': 'ab'}) == Sample('ab', ())
    assert sample_of({'tokens': None}) == Sample('', ())


@given(st.text(), st.lists(st.text(), max_size=3), st.text(), st.lists(st.text(), max_size=3))
def test_a_digest_tells_requests_apart(text, options, other, others):
    same = '\0'.join((text, *options)) == '\0'.join((other, *others))
    assert (digest_of(text, options) == digest_of(other, others)) is same
    assert digest_of(text, None) == digest_of(text, [])


@pytest.mark.parametrize('kind', [ModelOutputError, PromptTooLongError, ModelError])
def test_an_error_comes_back_as_its_kind(kind):
    error = answered_error({'error': kind.__name__, 'message': 'It hung.'})
    assert type(error) is kind and str(error) == 'It hung.'
    assert type(answered_error({'error': 'OSError', 'message': 'x'})) is ModelError
