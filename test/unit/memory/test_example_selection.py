"""Which examples are chosen, against a slow and simple account of the same rules."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_server.episodic.retrieval import by_nearness, choose_examples, TIE, TURNS
from reactree_core.experience import Termination

EXPAND, SUCCESS, FAILURE = Termination.EXPAND, Termination.SUCCESS, Termination.FAILURE


def arrays(similarities, terminations=None, tokens=None):
    count = len(similarities)
    return (
        np.array(similarities, np.float32),
        np.array(terminations or [SUCCESS] * count, np.uint8),
        np.array(tokens or [10] * count, np.int64),
    )


@st.composite
def memories(draw):
    count = draw(st.integers(0, 200))
    levels = draw(st.sampled_from([1, 3, 50, 2**20]))  # few levels: many ties
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    similarities = (random.integers(-levels, levels + 1, count) / levels).astype(np.float32)
    similarities += (random.integers(-2, 3, count) * draw(st.sampled_from([0, 4e-7]))).astype('f4')
    similarities[random.random(count) < draw(st.sampled_from([0.0, 0.3]))] = -np.inf
    terminations = random.integers(0, 3, count).astype(np.uint8)
    return similarities, terminations, random.integers(1, 50, count)


def tie_groups(similarities):
    """Groups of equals, by a plain walk over the sorted values."""
    order = sorted(np.flatnonzero(similarities > -np.inf), key=lambda i: -similarities[i])
    groups = []
    for index in order:
        best = similarities[groups[-1][0]] if groups else None
        if best is not None and similarities[index] >= best - np.float32(TIE):
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


@settings(max_examples=300)
@given(memories(), st.integers(0, 2**64 - 1))
def test_order_is_by_nearness_and_takes_turns_within_ties(memory, seed):
    similarities, terminations, _ = memory
    order = list(by_nearness(similarities, terminations, seed))
    start = 0
    for group in tie_groups(similarities):
        found = order[start : start + len(group)]
        assert sorted(found) == sorted(group)
        queues = {turn: [i for i in found if terminations[i] == turn] for turn in TURNS}
        turns = [
            queues[turn][turn_number]
            for turn_number in range(len(group))
            for turn in TURNS
            if turn_number < len(queues[turn])
        ]
        assert found == turns
        start += len(group)
    assert start == len(order)


@settings(max_examples=200)
@given(memories(), st.integers(0, 400), st.integers(0, 8), st.integers(0, 5))
def test_examples_are_the_head_of_the_order_that_fits(memory, budget, limit, seed):
    similarities, terminations, tokens = memory
    chosen = choose_examples(*memory, budget, limit, seed)
    order = list(by_nearness(similarities, terminations, seed))
    expected, left = [], budget
    for index in order:
        if limit and len(expected) == limit:
            break
        if tokens[index] > left:
            break
        expected.append(index)
        left -= tokens[index]
    assert chosen == expected
    assert sum(tokens[chosen]) <= budget


def test_a_tie_brings_an_expansion_then_a_success_then_a_failure():
    memory = arrays([0.5] * 6, [FAILURE, FAILURE, SUCCESS, SUCCESS, EXPAND, EXPAND])
    chosen = choose_examples(*memory, budget=1000)
    assert [memory[1][index] for index in chosen] == [EXPAND, SUCCESS, FAILURE] * 2


def test_ties_are_spread_over_all_equals_by_seed():
    memory = arrays([0.5] * 9, [EXPAND, SUCCESS, FAILURE] * 3)
    firsts = {tuple(choose_examples(*memory, 1000, 3, seed)) for seed in range(300)}
    assert len(firsts) == 27  # every expansion with every success and every failure
    assert choose_examples(*memory, 1000, 0, 7) == choose_examples(*memory, 1000, 0, 7)


def test_a_tie_of_thousands_is_spread_too():
    memory = arrays([0.9] + [0.5] * 5000, [SUCCESS] + [FAILURE] * 4999 + [EXPAND])
    assert choose_examples(*memory, 1000, 2) == [0, 5000]


def test_the_first_that_does_not_fit_ends_the_list():
    memory = arrays([0.9, 0.8, 0.7], tokens=[60, 50, 40])
    assert choose_examples(*memory, budget=100) == [0]
    assert choose_examples(*memory, budget=0) == []
    assert choose_examples(*memory, budget=1000, limit=2) == [0, 1]
