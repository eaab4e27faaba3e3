"""Drawing tokens: greedy, by probability, and from the likeliest alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reactree_planner.llm.in_process.drawing import sample_token

PROBABILITIES = np.array([0.1, 0.5, 0.05, 0.35])
LOGITS = np.log(PROBABILITIES).astype(np.float32)


def drawn(temperature: float, top_p: float, times: int = 2000) -> np.ndarray:
    random = np.random.default_rng(7)
    tokens = [sample_token(LOGITS, temperature, top_p, random) for _ in range(times)]
    return np.bincount(tokens, minlength=4) / times


def test_temperature_zero_takes_the_likeliest():
    assert drawn(0.0, 1.0, times=3).tolist() == [0.0, 1.0, 0.0, 0.0]


def test_temperature_one_draws_by_probability():
    assert np.allclose(drawn(1.0, 1.0), PROBABILITIES, atol=0.05)


def test_top_p_leaves_the_fewest_tokens_that_reach_it():
    assert np.allclose(drawn(1.0, 0.8), [0.0, 0.5 / 0.85, 0.0, 0.35 / 0.85], atol=0.05)
    assert drawn(1.0, 0.95)[2] == 0.0


def test_a_large_flat_vocabulary_is_cut_too():
    random = np.random.default_rng(3)
    flat = -1e-5 * np.arange(5000, dtype=np.float32)
    tokens = [sample_token(flat, 1.0, 0.5, random) for _ in range(200)]
    assert 2000 < max(tokens) < 2500


@given(
    st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=40),
    st.floats(0.05, 3.0),
    st.floats(0.001, 1.0),
)
def test_whatever_is_asked_a_token_comes_out(logits, temperature, top_p):
    random = np.random.default_rng(0)
    token = sample_token(np.array(logits, np.float32), temperature, top_p, random)
    assert 0 <= token < len(logits)
