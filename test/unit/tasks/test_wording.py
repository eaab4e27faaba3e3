"""Sentences for goals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.household.tasks.wording import FAMILIES, list_things, many, word_task

NAMES = ('plate', 'water glass', 'apple', 'juice', 'wine', 'cutlery fork', 'pound cake')
things = st.lists(
    st.tuples(st.sampled_from(NAMES), st.integers(1, 3)),
    min_size=1,
    max_size=5,
    unique_by=lambda entry: entry[0],
)


@pytest.mark.parametrize(
    'name, plural',
    [
        ('plate', 'plates'),
        ('water glass', 'water glasses'),
        ('juice', 'bottles of juice'),
        ('bananas', 'bananas'),
        ('box', 'boxes'),
    ],
)
def test_plurals(name: str, plural: str) -> None:
    assert many(name) == plural


@pytest.mark.parametrize(
    'style, words',
    [
        ('article', 'two plates, an apple and bananas'),
        ('word', 'two plates, one apple and one bananas'),
        ('digit', '2 plates, 1 apple and 1 bananas'),
    ],
)
def test_lists(style: str, words: str) -> None:
    assert list_things([('plate', 2), ('apple', 1), ('bananas', 1)], style) == words


@given(st.integers(0, 10**6), st.sampled_from(FAMILIES), things)
def test_every_sentence_names_the_place_and_all_things(
    seed: int, family: str, wanted: list[tuple[str, int]]
) -> None:
    sentences = word_task(SeededRandom(seed, 'test'), family, 'kitchen table', wanted)
    assert len(set(sentences)) == len(sentences) == 4
    for sentence in sentences:
        assert 'kitchen table' in sentence
        assert sentence[0].isupper() or sentence[0].isdigit()
        assert sentence[-1] in '.?' and '{' not in sentence and '  ' not in sentence
        for name, count in wanted:
            named = name if count == 1 else many(name)
            assert named.casefold() in sentence.casefold()


def test_the_dishwasher_is_to_run_in_every_wording() -> None:
    running = ('turn', 'start', 'run', 'switch', 'wash')
    for seed in range(60):
        for sentence in word_task(
            SeededRandom(seed, 'test'), 'put_dishwasher', 'machine', [('mug', 1)]
        ):
            assert any(word in sentence for word in running), sentence
