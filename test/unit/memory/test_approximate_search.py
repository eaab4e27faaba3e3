"""Approximate search: finds nearly what exact search finds, and follows what is stored."""

import sys
from contextlib import closing

import numpy as np
import pytest

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.episodic.retrieval import TASK
from memory_server.episodic.vector_index import ApproximateSearch
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience, ExperienceQuery, Termination

PATIENCE = 60.0


def clustered(count, seed=0):
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(99).standard_normal((50, 32))
    vectors = centres[random.integers(0, 50, count)] + 0.5 * random.standard_normal((count, 32))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def experience(number, goal, **fields):
    return Experience(str(number), goal, f'Your task is to: {goal}', Termination.SUCCESS, **fields)


def test_without_faiss_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, 'faiss', None)
    with pytest.raises(ConfigurationError, match=r'requirements/approximate\.txt'):
        EpisodicMemory(SqliteStore(None), HashingEmbedder(64), approximate_above=10)


def test_candidates_hold_nearly_all_of_the_truly_nearest():
    vectors, queries = clustered(5000), clustered(100, seed=1)
    search = ApproximateSearch(1000)
    search.follow(vectors, vectors)
    assert search.wait(PATIENCE)
    found = 0
    for query in queries:
        candidates = search.candidates(vectors, len(vectors), query, 256)
        assert len(set(candidates.tolist())) == len(candidates)
        assert (np.diff(candidates) > 0).all()
        found += len(np.intersect1d(np.argsort(-(vectors @ query))[:10], candidates))
    assert found / (10 * len(queries)) > 0.97
    assert search.report.size == 5000
    assert search.report.recall >= 0.99
    assert search.report.bytes < vectors.nbytes


def test_small_memories_are_searched_exactly():
    vectors = clustered(500)
    search = ApproximateSearch(1)
    search.follow(vectors, vectors)
    assert search.candidates(vectors, 500, vectors[0], 10) is None


def test_what_comes_later_is_found_at_once_and_the_index_is_built_anew_when_it_doubled():
    vectors = clustered(9000)
    search = ApproximateSearch(2000)
    search.follow('one', vectors[:4000])
    assert search.wait(PATIENCE)
    # Not told of these yet: they are candidates all the same.
    assert set(range(4000, 4010)) <= set(search.candidates('one', 4010, vectors[0], 20).tolist())
    search.follow('one', vectors[:7000])
    assert 6999 in search.candidates('one', 7000, vectors[6999], 20)
    # A reader that began before does not see them.
    assert search.candidates('one', 4000, vectors[6999], 20).max() < 4000
    assert search.wait(PATIENCE)
    assert search.report.size == 4000
    search.follow('one', vectors)
    assert search.wait(PATIENCE)
    assert search.report.size == 9000


def test_when_rows_were_deleted_nothing_old_is_proposed():
    vectors = clustered(3000)
    search = ApproximateSearch(2000)
    search.follow('one', vectors)
    assert search.wait(PATIENCE)
    search.follow('two', vectors[:2500])
    assert search.candidates('one', 3000, vectors[0], 20) is None
    assert search.wait(PATIENCE)
    assert search.candidates('two', 2500, vectors[0], 20).max() < 2500


def test_a_large_memory_finds_the_same_with_and_without():
    goals = [f'find the thing {number} in room {number % 37}' for number in range(2500)]
    store = SqliteStore(None)
    embedder = HashingEmbedder(64)
    exact = EpisodicMemory(store, embedder)
    with closing(exact):
        exact.store(
            [
                experience(number, goal, run_id=f'run {number // 5}', planner=f'p{number % 2}')
                for number, goal in enumerate(goals)
            ]
        )
        large = EpisodicMemory(store, embedder, approximate_above=2000)
        assert large.approximate.wait(PATIENCE)
        assert large.approximate.report is not None
        for goal in goals[::250]:
            for options in ({}, {'planner': 'p1'}, {'unit': TASK}):
                same, near = (
                    [
                        item.similarity
                        for item in memory.retrieve(
                            ExperienceQuery(goal, limit=3, token_budget=10_000, **options)
                        )
                    ]
                    for memory in (exact, large)
                )
                assert near == pytest.approx(same, abs=1e-5)
        large.store([experience('new', 'water the plant on the balcony')])
        (found,) = large.retrieve(
            ExperienceQuery('water the plant on the balcony', limit=1, token_budget=10_000)
        )
        assert found.experience_id == 'new'
