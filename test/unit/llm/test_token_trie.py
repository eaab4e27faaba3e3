"""Constrained selection over a trie of tokens."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reactree_planner.llm.token_trie import walk_greedily

WORDS = 12


def counting(logits):
    asked = []

    def logits_after(path):
        asked.append(tuple(path))
        return logits(path)

    return logits_after, asked


def flat(path):
    return np.zeros(WORDS, np.float32)


def test_a_lone_option_costs_nothing():
    logits_after, asked = counting(flat)
    walk = walk_greedily([[1, 2, 3]], logits_after)
    assert (walk.index, walk.tokens, asked) == (0, (1, 2, 3), [])
    assert walk.log_probability == 0.0 and walk.margin == math.inf


def test_logits_are_asked_only_where_options_part():
    logits_after, asked = counting(flat)
    walk_greedily([[1, 2, 3, 4], [1, 2, 5, 6]], logits_after)
    assert asked == [(1, 2)]


def test_the_likeliest_branch_wins_and_its_margin_is_told():
    def logits(path):
        values = np.full(WORDS, -5.0, np.float32)
        values[2], values[3] = 3.0, 1.0
        return values

    walk = walk_greedily([[3], [2]], logits)
    assert walk.index == 1
    assert math.isclose(walk.margin, 2.0, abs_tol=1e-5)


def test_an_option_that_begins_another_wins_when_going_on_is_unlikely():
    short, long = [1, 2], [1, 2, 3]

    def unlikely(path):
        values = np.zeros(WORDS, np.float32)
        values[3] = -10.0
        return values

    def likely(path):
        values = np.zeros(WORDS, np.float32)
        values[3] = 10.0
        return values

    assert walk_greedily([short, long], unlikely).index == 0
    assert walk_greedily([short, long], likely).index == 1


def test_options_equal_in_tokens_answer_with_the_first():
    assert walk_greedily([[4], [4]], flat).index == 0


token_lists = st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=5)


@given(st.lists(token_lists, min_size=1, max_size=40), st.integers(0, 2**32 - 1))
def test_whatever_the_logits_an_option_comes_out_whole(options, seed):
    random = np.random.default_rng(seed)
    walk = walk_greedily(options, lambda path: random.normal(size=WORDS).astype(np.float32))
    assert list(walk.tokens) == options[walk.index]
    assert walk.log_probability <= 1e-9
    assert walk.margin >= 0
