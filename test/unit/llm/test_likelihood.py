"""Whole options compared by their log-probability, from the logits after every token."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_planner.llm.token_trie import Likelihood, ROOT, TokenTree

WORDS = 12
token_lists = st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=5)


def logits_after(path, seed):
    """Any logits, always the same after the same tokens."""
    return np.random.default_rng([seed, len(path), *path]).normal(size=WORDS).astype(np.float32)


def log_probabilities(path, seed):
    values = logits_after(path, seed).astype(np.float64)
    return values - math.log(np.exp(values).sum())


def best_of(options, seed, mean=False, order=None):
    tree = TokenTree.of(options)
    likelihood = Likelihood(tree, mean)
    nodes = sorted(likelihood.parents, key=order)
    for node in [ROOT, *nodes]:
        path = [tree.tokens[step] for step in tree.path(node)]
        likelihood.learn(node, logits_after(path, seed))
    return likelihood.best()


def scored_one_by_one(options, seed):
    """Every option by itself; the end is told where it begins another option."""
    scores = []
    for option in options:
        total = sum(
            log_probabilities(option[:place], seed)[token] for place, token in enumerate(option)
        )
        longer = {
            other[len(option)]
            for other in options
            if len(other) > len(option) and other[: len(option)] == option
        }
        if longer:
            after = np.exp(log_probabilities(option, seed))
            total += math.log(max(1.0 - sum(after[token] for token in longer), 1e-12))
        scores.append(total)
    return scores


@given(st.lists(token_lists, min_size=1, max_size=30), st.integers(0, 2**16), st.booleans())
def test_it_answers_as_scoring_one_by_one_does(options, seed, mean):
    scores = scored_one_by_one(options, seed)
    ranked = [
        score / len(option) if mean else score
        for score, option in zip(scores, options, strict=True)
    ]
    best = best_of(options, seed, mean)
    assert ranked[best.index] == pytest.approx(max(ranked), abs=1e-6)
    assert best.log_probability == pytest.approx(min(scores[best.index], 0.0), abs=1e-6)
    different = {tuple(option): score for option, score in zip(options, ranked, strict=True)}
    second = sorted(different.values())[-2] if len(different) > 1 else -math.inf
    assert best.margin == pytest.approx(max(ranked) - second, abs=1e-6)


@given(st.lists(token_lists, min_size=1, max_size=40))
def test_the_tree_holds_every_distinct_beginning_once(options):
    tree = TokenTree.of(options)
    beginnings = {tuple(option[:end]) for option in options for end in range(1, len(option) + 1)}
    paths = [
        tuple(tree.tokens[step] for step in tree.path(node)) for node in range(len(tree.tokens))
    ]
    assert len(paths) == len(beginnings)
    assert set(paths) == beginnings
    assert all(parent < node for node, parent in enumerate(tree.parents))
    assert [len(path) - 1 for path in paths] == tree.depths()
    assert all(paths[node] == tuple(options[index]) for node, index in tree.ends.items())
    assert {paths[leaf] for leaf in tree.leaves()} == {
        path
        for path in paths
        if not any(other[: len(path)] == path for other in paths if len(other) > len(path))
    }


def test_the_order_of_learning_does_not_matter():
    options = [list(option) for option in itertools.product((1, 2), (3, 4), (5, 6))]
    assert best_of(options, 3) == best_of(options, 3, order=lambda node: -node)


def test_a_long_option_wins_by_the_mean_that_loses_by_the_sum():
    tree = TokenTree.of([[1], [2, 3, 4]])
    for mean, winner in ((False, 0), (True, 1)):
        likelihood = Likelihood(tree, mean)
        first = np.full(WORDS, -20.0, np.float32)
        first[1], first[2] = 1.0, 0.5
        likelihood.learn(ROOT, first)
        sure = np.full(WORDS, -20.0, np.float32)
        for node in likelihood.parents:
            sure[3], sure[4] = (9.0, 0.0) if tree.tokens[node] == 2 else (0.0, 9.0)
            likelihood.learn(node, sure)
        assert likelihood.best().index == winner
