"""Guessed tokens: found in what was read, and never seen in what is written."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ModelError
from reactree_planner.llm.in_process.evaluated_text import draft_after
from reactree_planner.llm.in_process.model import InProcessModel

LETTERS = 'abc\n'


class MarkovEngine:
    """One token per letter; what comes next depends on the last three of its own cache."""

    cells = 512
    trained_context = 0
    chat_template = ''
    end_marker = ''
    sequences_left = 9

    def __init__(self, room=512):
        self.cache = {}
        self.calls = 0
        self.room = room
        self.passes_left = 10_000

    def tokenize(self, text, first, control=False):
        return [LETTERS.index(letter) for letter in text]

    def piece(self, token):
        return LETTERS[token].encode()

    def ends_generation(self, token):
        return False

    def take_sequence(self):
        self.cache[len(self.cache)] = []
        return len(self.cache) - 1

    def release_sequence(self, sequence):
        self.cache[sequence] = []

    def copy_sequence(self, source, target, length):
        self.cache[target] = self.cache[source][:length]

    def cut_sequence(self, sequence, length):
        assert length <= len(self.cache[sequence])
        del self.cache[sequence][length:]

    def evaluate(self, sequence, start, tokens, cancel, wanted=1):
        cache = self.cache[sequence]
        assert start == len(cache)
        self.calls += 1
        self.passes_left -= 1
        if self.passes_left < 0:
            raise CanceledError('stopped')
        if sum(map(len, self.cache.values())) + len(tokens) > self.room:
            return None
        rows = []
        for token in tokens:
            cache.append(token)
            dice = np.random.default_rng([7, *cache[-3:]])
            rows.append(dice.normal(size=len(LETTERS)).astype(np.float32))
        return rows[-wanted:]


@given(
    st.text(LETTERS, min_size=1, max_size=60),
    st.sampled_from([0.0, 0.8]),
    st.integers(0, 99),
    st.integers(0, 20),
    st.sampled_from([('\n',), ('ab',), ('ca\n', 'bb')]),
)
@settings(deadline=None)
def test_guesses_never_change_what_is_written(head, temperature, seed, length, stop):
    written = []
    for draft_tokens in (0, 1, 6):
        engine = MarkovEngine()
        session = InProcessModel(engine, 'markov', '', draft_tokens=draft_tokens).session(
            CancelToken()
        )
        session.append(head)
        texts = [session.generate(stop, length, temperature, seed)]
        evaluated = session.evaluated_text
        assert engine.cache.get(0, []) == evaluated.tokens[: evaluated.held]
        session.append('ab\nca')
        chosen = session.select(['ab', 'ca\n', 'abc']).index
        texts.append(session.generate(stop, length, temperature, seed))
        written.append((texts, chosen, session.text, evaluated.tokens))
    assert written[0] == written[1] == written[2]


@given(st.integers(0, 6), st.text(LETTERS, min_size=1, max_size=9))
def test_a_choice_that_was_stopped_leaves_the_text_as_it_was(passes, head):
    engine = MarkovEngine()
    session = InProcessModel(engine, 'markov', '').session(CancelToken())
    session.append(head)
    engine.passes_left = passes
    options = ['aab', 'aac', 'abca', 'abcb', 'abcc', 'b', 'ca', 'cb']
    try:
        chosen = options[session.select(options).index]
    except CanceledError:
        chosen = ''
    engine.passes_left = 99
    evaluated = session.evaluated_text
    assert session.text == head + chosen
    assert evaluated.tokens == engine.tokenize(head + chosen, first=True)
    evaluated.logits()
    assert engine.cache[0] == evaluated.tokens


def test_an_empty_session_asks_for_a_text():
    session = InProcessModel(MarkovEngine(), 'markov', '').session(CancelToken())
    with pytest.raises(ModelError, match='append'):
        session.generate()
    with pytest.raises(ModelError, match='append'):
        session.select(['a', 'b'])
    session.append('a')
    assert session.generate(max_tokens=1)


def test_repetition_takes_fewer_passes():
    calls = []
    for draft_tokens in (0, 6):
        engine = MarkovEngine()
        session = InProcessModel(engine, 'markov', '', draft_tokens=draft_tokens).session(
            CancelToken()
        )
        session.append('abc')
        session.generate(stop=('never',), max_tokens=200)
        calls.append(engine.calls)
    assert calls[1] < calls[0] / 3


def test_guesses_give_way_when_the_cache_is_full():
    def written(room, draft_tokens, stop):
        model = InProcessModel(MarkovEngine(room), 'markov', '', draft_tokens=draft_tokens)
        session = model.session(CancelToken())
        session.append('abc')
        return session.generate((stop,), 300, temperature=0.8)

    text = written(512, 0, 'never')
    for length in range(60, 200, 9):
        stop = text[length - 9 : length]
        # The last token written is not evaluated.
        assert written(3 + length - 1, 6, stop) == written(512, 0, stop)


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(0, 8))
def test_a_guess_followed_the_same_tokens_before(tokens, most):
    guess = draft_after(tokens, most)
    assert len(guess) <= most
    if guess:
        joined = bytes(tokens)
        assert bytes(tokens[-2:] + guess) in joined


def test_the_longest_agreement_wins_and_then_the_latest():
    assert draft_after([1, 2, 3, 4, 9, 7, 3, 4, 8, 1, 2, 3, 4], 2) == [9, 7]
    assert draft_after([5, 3, 4, 9, 9, 3, 4, 8, 8, 3, 4], 4) == [8, 8]
    assert draft_after([1, 2, 3], 4) == []
    random.seed(1)
    assert draft_after([random.randrange(10_000) for _ in range(500)], 4) == []


@given(
    st.text(LETTERS, min_size=1, max_size=40),
    st.lists(st.integers(0, 99), min_size=1, max_size=4),
    st.integers(0, 12),
    st.sampled_from([('\n',), ('ab',), ('ca\n', 'bb')]),
)
@settings(deadline=None)
def test_samples_are_what_forks_write_with_the_probability_of_each_token(
    head, seeds, length, stop
):
    engine = MarkovEngine()
    session = InProcessModel(engine, 'markov', '').session(CancelToken())
    session.append(head)
    samples = tuple(session.sample(seeds, stop, length, 0.8, 0.9))
    assert session.text == head
    for seed, sample in zip(seeds, samples, strict=True):
        fork = session.fork()
        assert fork.generate(stop, length, 0.8, seed, 0.9) == sample.text
        fork.drop()
        assert ''.join(token for token, _ in sample.tokens) == sample.text
        assert all(score < 0.0 for _, score in sample.tokens)
        for begin in range(len(sample.text) + 1):
            assert sample.cut(begin).text == sample.text[:begin]
    assert session.usage.requests == len(seeds)
