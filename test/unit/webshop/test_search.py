"""The shop's search: scores worked out by hand, and the same ranks as another BM25."""

from __future__ import annotations

import math

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge.worlds.task_names import GENERATED
from sim_bridge.worlds.webshop.catalogues import load_catalogue
from sim_bridge.worlds.webshop.search import MOST_HITS, SearchIndex, terms_of

TEXTS = ('red lamp', 'lamp lamp with a long arm', 'red chair', 'wool')


def test_texts_become_stems_without_stop_words() -> None:
    assert terms_of("The Lamps' switches, and a cat's 3.5 Running-shoes (for it)") == [
        'lamp', 'switch', 'cat', '3.5', 'run', 'shoe',
    ]  # fmt: skip


def test_scores_are_those_of_the_formula() -> None:
    # Four texts of 2, 4, 2 and 1 terms; two of them have "lamp", one has "wool".
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    short = 0.9 * (1 - 0.4 + 0.4 * 2 / 2.25)
    long = 0.9 * (1 - 0.4 + 0.4 * 4 / 2.25)
    scores = SearchIndex(TEXTS).scores('lamps')
    assert scores.tolist() == pytest.approx([idf / (1 + short), idf * 2 / (2 + long), 0.0, 0.0])


def test_the_best_come_first_and_of_equal_ones_the_first() -> None:
    index = SearchIndex(TEXTS)
    assert index.hits('red lamp') == (0, 1, 2)
    assert index.hits('lamp wool') == (3, 1, 0)
    assert SearchIndex(['red', 'blue', 'red', 'red']).hits('red') == (0, 2, 3)
    assert index.hits('lamp', most=1) == (1,)


@pytest.mark.parametrize('query', ['', 'the and', 'zebra', '[]!?', '\x00'])
def test_a_search_for_nothing_finds_nothing(query: str) -> None:
    assert SearchIndex(TEXTS).hits(query) == ()
    assert SearchIndex([]).hits(query) == ()


@given(st.lists(st.text(max_size=30), max_size=8), st.text(max_size=30))
def test_whatever_is_searched_hits_are_texts_that_share_a_term(texts: list[str], query: str):
    hits = SearchIndex(texts).hits(query)
    sharing = [n for n, text in enumerate(texts) if set(terms_of(text)) & set(terms_of(query))]
    assert sorted(hits) == sharing


def test_ranks_are_those_of_bm25s_on_the_shipped_catalogue() -> None:
    catalogue = load_catalogue(GENERATED)
    corpus = [terms_of(product.text) for product in catalogue.products]
    other = bm25s.BM25(k1=0.9, b=0.4, method='lucene', dtype='float64')
    other.index(corpus, show_progress=False)
    for goal in catalogue.goals[:60]:
        ours = catalogue.index.scores(goal.instruction)
        known = [term for term in terms_of(goal.instruction) if term in other.vocab_dict]
        theirs = other.get_scores(known)
        assert np.allclose(ours, theirs, rtol=1e-9)
        hits = catalogue.index.hits(goal.instruction)
        # Scores that differ by rounding alone may change places.
        ranked = np.argsort(-np.round(theirs, 9), kind='stable')[:MOST_HITS]
        assert np.allclose(theirs[list(hits)], theirs[ranked], rtol=1e-9)
        assert len(hits) == MOST_HITS
