"""Whole tasks, filters, near-duplicates, rerankers, and similarity with the first observation."""

from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_server.episodic.episodic_memory import embed_anew, EpisodicMemory
from memory_server.episodic.retrieval import (
    choose_reranker,
    TASK,
    Variant,
    without_duplicates,
    WordReranker,
)
from memory_server.episodic.vector_index import IndexView
from memory_server.seed.loader import SEED_RUN
from memory_server.store.sqlite_store import SqliteStore
from memory_server.trajectory import ExperienceEncoder, GOAL_AND_OBSERVATION, GOAL_WEIGHT
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.errors import ConfigurationError, MemoryStoreError
from reactree_core.experience import Experience, ExperienceQuery, Termination

EXPAND, SUCCESS, FAILURE = Termination.EXPAND, Termination.SUCCESS, Termination.FAILURE
KITCHEN = 'You are in the house. You are in the middle of a kitchen (1).'
BEDROOM = 'You are in the house. You are in the middle of a bedroom (2).'


def experience(name, goal, termination=SUCCESS, run_id='', seen='', **fields):
    text = f'Your task is to: {goal}' + (f'\n{seen}' if seen else '')
    return Experience(str(name), goal, text, termination, run_id, **({'tokens': 10} | fields))


def remember(*experiences, **options):
    memory = EpisodicMemory(SqliteStore(None), HashingEmbedder(256), **options)
    memory.store(experiences)
    return memory


def ids(experiences):
    return ''.join(item.experience_id for item in experiences)


TWO_RUNS = (
    experience('a', 'bring a pudding to the table', EXPAND, 'run 1'),
    experience('b', 'find and pick up the pudding', SUCCESS, 'run 1'),
    experience('A', 'wash the plate in the dishwasher', EXPAND, 'run 2'),
    experience('c', 'search the kitchen', FAILURE, 'run 1'),
    experience('B', 'bring a pudding to the dishwasher', SUCCESS, 'run 2'),
)


def test_at_task_level_the_nearest_task_brings_all_its_nodes_in_their_order():
    memory = remember(*TWO_RUNS)
    task = Variant(TASK)
    assert (
        ids(
            memory.retrieve(
                ExperienceQuery('bring a pudding to the table', token_budget=10_000), task
            )
        )
        == 'abcAB'
    )
    assert (
        ids(memory.retrieve(ExperienceQuery('wash a plate', token_budget=10_000), task)) == 'ABabc'
    )
    # The subgoal of another run is nearer than any task, and does not count.
    goal = 'bring a pudding to the dishwasher'
    assert ids(memory.retrieve(ExperienceQuery(goal, token_budget=10_000)))[0] == 'B'
    assert ids(memory.retrieve(ExperienceQuery(goal, token_budget=10_000), task))[0] == 'a'


def test_at_task_level_the_budget_ends_within_a_task():
    memory = remember(*TWO_RUNS)
    found = memory.retrieve(
        ExperienceQuery('bring a pudding to the table', token_budget=20), Variant(TASK)
    )
    assert ids(found) == 'ab'
    assert found[0].similarity == pytest.approx(1.0, abs=1e-5)
    assert found[1].similarity < 1.0  # each node's own


def test_at_task_level_filters_hold_for_nodes_and_the_task_may_have_ended_otherwise():
    memory = remember(*TWO_RUNS)
    variant = Variant(TASK, (SUCCESS,))
    assert (
        ids(
            memory.retrieve(
                ExperienceQuery('bring a pudding to the table', token_budget=10_000), variant
            )
        )
        == 'bB'
    )


@pytest.mark.parametrize('run_id', ['', SEED_RUN])
def test_experiences_without_a_run_of_their_own_are_tasks_of_their_own(run_id):
    memory = remember(
        experience('a', 'water the plant', run_id=run_id),
        experience('b', 'wash the plate', run_id=run_id),
    )
    assert (
        ids(memory.retrieve(ExperienceQuery('wash the plate', token_budget=10_000), Variant(TASK)))
        == 'ba'
    )


def test_only_nodes_that_ended_as_asked_are_found():
    memory = remember(*TWO_RUNS)
    for wanted, expected in (((FAILURE,), 'c'), ((SUCCESS, EXPAND), 'ABab'), ((), 'ABabc')):
        found = memory.retrieve(
            ExperienceQuery('search', token_budget=10_000), Variant(terminations=wanted)
        )
        assert sorted(ids(found)) == sorted(expected)


def test_near_duplicates_are_left_out_but_other_endings_are_not():
    memory = remember(
        experience('a', 'find the apple', SUCCESS),
        experience('b', 'find the apple', SUCCESS),
        experience('c', 'find the apple', EXPAND),
        experience('d', 'find the pear', SUCCESS),
    )
    found = memory.retrieve(
        ExperienceQuery('find the apple', token_budget=10_000), Variant(duplicate_similarity=1.0)
    )
    assert len(found) == 3
    assert {item.termination for item in found[:2]} == {EXPAND, SUCCESS}
    assert found[2].experience_id == 'd'
    all_of_them = memory.retrieve(ExperienceQuery('find the apple', token_budget=10_000))
    assert len(all_of_them) == 4


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=12),
    st.sampled_from([0.3, 0.7, 1.0]),
)
def test_what_is_left_without_duplicates_is_far_apart_and_covers_the_rest(items, threshold):
    random = np.random.default_rng(3)
    directions = random.standard_normal((5, 3)).astype(np.float32)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    count = len(items)
    view = IndexView(
        np.arange(count),
        directions[[place for place, _ in items]] if items else np.empty((0, 3), np.float32),
        np.array([ending for _, ending in items], np.uint8),
        np.ones(count, np.int64),
        np.zeros((count, 3), np.int32),
        np.ones(count, np.bool_),
        {},
    )
    kept = list(without_duplicates(range(count), view, threshold))
    assert kept == sorted(kept)

    def alike(one, two):
        close = float(view.vectors[one] @ view.vectors[two]) >= threshold - 1e-6
        return close and view.terminations[one] == view.terminations[two]

    for place in range(count):
        before = [other for other in kept if other < place]
        assert (place in kept) != any(alike(place, other) for other in before)


def test_shared_rare_words_decide_for_the_word_reranker():
    names = ['the cutlery knife', 'the cutlery fork', 'the cutlery spoon', 'THE fork 7']
    scores = WordReranker().score(
        'pick up the cutlery fork 2', [experience(name, f'pick up {name}') for name in names]
    )
    knife, fork, spoon, other_fork = scores
    assert fork == pytest.approx(1.0)
    assert fork > other_fork > knife == spoon > 0.0
    assert WordReranker().score('3 4', [experience(1, 'x')]) == [0.0]
    assert list(WordReranker().score('x', [])) == []


class Backwards:
    """Likes the farthest most."""

    name = 'backwards'

    def __init__(self, missing=0):
        self.missing = missing
        self.seen = 0

    def score(self, goal, experiences):
        self.seen = len(experiences)
        return list(range(len(experiences) - self.missing))


def test_a_reranker_orders_the_nearest_and_nothing_else():
    memory = remember(
        experience('a', 'one two three four'),
        experience('b', 'one two three'),
        experience('c', 'one two'),
        experience('d', 'one'),
    )
    goal = 'one two three four'
    assert ids(memory.retrieve(ExperienceQuery(goal, token_budget=10_000))) == 'abcd'
    reranker = Backwards()
    variant = Variant(reranker=reranker, rerank_count=3)
    assert ids(memory.retrieve(ExperienceQuery(goal, token_budget=10_000), variant)) == 'cbad'
    assert reranker.seen == 3
    assert ids(memory.retrieve(ExperienceQuery(goal, token_budget=20), variant)) == 'cb'
    with pytest.raises(ConfigurationError, match='gave 3 scores for 4'):
        memory.retrieve(
            ExperienceQuery(goal, token_budget=10_000), Variant(reranker=Backwards(missing=1))
        )


def test_rerankers_are_chosen_by_name():
    assert choose_reranker('none') is None
    assert choose_reranker('words').name == 'words'
    with pytest.raises(ConfigurationError, match="'best' is none of none, words"):
        choose_reranker('best')


@pytest.mark.parametrize(
    'fields', [{'unit': 'run'}, {'duplicate_similarity': 1.5}, {'rerank_count': 0}]
)
def test_a_variant_that_makes_no_sense_is_refused(fields):
    with pytest.raises(ConfigurationError):
        Variant(**fields)


def test_the_first_observation_decides_among_equal_goals():
    memory = remember(
        experience('k', 'find the cup', seen=KITCHEN),
        experience('b', 'find the cup', seen=BEDROOM),
        experience('n', 'find the cup'),
        similarity=GOAL_AND_OBSERVATION,
    )
    in_kitchen = memory.retrieve(
        ExperienceQuery('find the cup', token_budget=10_000, observation=KITCHEN)
    )
    in_bedroom = memory.retrieve(
        ExperienceQuery('find the cup', token_budget=10_000, observation=BEDROOM)
    )
    assert (ids(in_kitchen), ids(in_bedroom)) == ('kbn', 'bkn')
    assert in_kitchen[0].similarity == pytest.approx(1.0, abs=1e-5)
    assert in_kitchen[2].similarity == pytest.approx(GOAL_WEIGHT, abs=1e-5)
    without = memory.retrieve(ExperienceQuery('find the cup', token_budget=10_000))
    assert [item.similarity for item in without] == pytest.approx([GOAL_WEIGHT] * 3, abs=1e-5)


def test_the_similarity_is_the_weighed_sum_of_two_cosines():
    inner = HashingEmbedder(256)
    encoder = ExperienceEncoder(inner, GOAL_AND_OBSERVATION)
    stored = encoder.experiences([experience(1, 'find\nthe cup', seen=KITCHEN)])[0]
    query = encoder.query('find the plate', BEDROOM)
    goals = inner.embed(['find\nthe cup', 'find the plate'])
    observations = inner.embed([KITCHEN, BEDROOM])
    expected = 0.9 * (goals[0] @ goals[1]) + 0.1 * (observations[0] @ observations[1])
    assert stored @ query == pytest.approx(expected, abs=1e-5)
    assert stored.shape == (encoder.dimension,) == (512,)


def test_an_unpublished_trajectory_has_no_first_observation():
    encoder = ExperienceEncoder(HashingEmbedder(16), GOAL_AND_OBSERVATION)
    odd = Experience('1', 'find', 'no form at all', SUCCESS)
    assert not encoder.experiences([odd])[0, 16:].any()


def test_vectors_with_and_without_observations_are_never_mixed(tmp_path):
    path = tmp_path / 'm.sqlite'
    items = [experience('k', 'find the cup', seen=KITCHEN), experience('p', 'find the pear')]
    with closing(EpisodicMemory(SqliteStore(path), HashingEmbedder(64))) as memory:
        memory.store(items)
    options = {'similarity': GOAL_AND_OBSERVATION}
    with pytest.raises(MemoryStoreError, match='parameters encoder and similarity'):
        EpisodicMemory(SqliteStore(path), HashingEmbedder(64), **options)
    with closing(SqliteStore(path)) as store:
        steps = []
        encoder = ExperienceEncoder(HashingEmbedder(64), GOAL_AND_OBSERVATION)
        assert embed_anew(store, encoder, lambda *step: steps.append(step)) == 2
        assert steps == [(2, 2)]
    memory = EpisodicMemory(SqliteStore(path), HashingEmbedder(64), **options)
    with closing(memory):
        assert (
            ids(
                memory.retrieve(
                    ExperienceQuery('find the cup', token_budget=10_000, observation=KITCHEN)
                )
            )
            == 'kp'
        )


def test_an_unknown_similarity_is_refused():
    with pytest.raises(ConfigurationError, match='similarity'):
        ExperienceEncoder(HashingEmbedder(16), 'meaning')
