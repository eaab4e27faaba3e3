"""Experiences stored and found again, with the encoder, the index and the store together."""

import threading
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.episodic.retrieval import SUBGOAL, TASK, Variant
from memory_server.episodic.vector_index import VectorIndex
from memory_server.seed.loader import read_folder
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.embedding.minilm import MiniLmEmbedder
from reactree_core.errors import ConfigurationError, MemoryStoreError
from reactree_core.experience import Experience, ExperienceQuery, Termination

EXAMPLES = Path(__file__).parent / 'examples'


def experience(name, goal='find the apple', **fields):
    return Experience(
        **{
            'experience_id': str(name),
            'goal': goal,
            'trajectory': f'Your task is to: {goal}',
            'termination': Termination.SUCCESS,
            'tokens': 10,
        }
        | fields
    )


def remember(*experiences, **options):
    memory = EpisodicMemory(SqliteStore(None), HashingEmbedder(64), **options)
    memory.store(experiences)
    return memory


def ids(experiences):
    return [item.experience_id for item in experiences]


def test_the_nearest_goals_come_first_with_their_similarity():
    memory = remember(
        experience(1, 'switch on the lamp'),
        experience(2, 'find the pear in the kitchen'),
        experience(3, 'find the apple in the kitchen'),
    )
    found = memory.retrieve(ExperienceQuery('find the apple in the kitchen', token_budget=20))
    assert ids(found) == ['3', '2']
    assert found[0].similarity == pytest.approx(1.0, abs=1e-5)
    assert 0.3 < found[1].similarity < 1.0
    assert found[0].trajectory == 'Your task is to: find the apple in the kitchen'


def test_an_empty_memory_finds_nothing():
    assert remember().retrieve(ExperienceQuery('anything', token_budget=1000)) == ()


def test_task_type_and_planner_narrow_the_search():
    memory = remember(
        experience(1, task_type='a', planner='reactree'),
        experience(2, task_type='b', planner='reactree'),
        experience(3, task_type='b', planner='react'),
    )
    goal = 'find the apple'
    assert set(ids(memory.retrieve(ExperienceQuery(goal, token_budget=1000)))) == {'1', '2', '3'}
    assert set(ids(memory.retrieve(ExperienceQuery(goal, token_budget=1000, task_type='b')))) == {
        '2',
        '3',
    }
    assert ids(
        memory.retrieve(
            ExperienceQuery(goal, token_budget=1000, task_type='b', planner='reactree')
        )
    ) == ['2']
    assert memory.retrieve(ExperienceQuery(goal, token_budget=1000, task_type='c')) == ()


def test_trajectories_that_nobody_counted_are_estimated():
    memory = remember(experience(1, trajectory='x' * 400, tokens=0))
    assert memory.retrieve(ExperienceQuery('find the apple', token_budget=99)) == ()
    assert len(memory.retrieve(ExperienceQuery('find the apple', token_budget=100))) == 1


def test_storing_twice_changes_nothing():
    memory = remember(experience(1))
    result = memory.store([experience(1, 'another goal'), experience(2), experience(2)])
    assert (result.stored, result.known) == (1, 2)
    assert len(memory) == 2
    assert memory.store([]).stored == 0


def test_the_experiences_of_a_run_can_be_replaced(tmp_path):
    path = tmp_path / 'm.sqlite'
    memory, other = (EpisodicMemory(SqliteStore(path), HashingEmbedder(64)) for _ in range(2))
    memory.store([experience(0)])
    memory.replace_run('seed', [experience(number, run_id='seed') for number in (1, 2)])
    assert set(ids(other.retrieve(ExperienceQuery('find the apple', token_budget=1000)))) == {
        '0',
        '1',
        '2',
    }
    memory.replace_run('seed', [experience(number, run_id='seed') for number in (2, 3)])
    for each in (memory, other):
        assert set(ids(each.retrieve(ExperienceQuery('find the apple', token_budget=1000)))) == {
            '0',
            '2',
            '3',
        }
        assert len(each) == 3
    memory.replace_run('seed', [])
    assert ids(memory.retrieve(ExperienceQuery('find the apple', token_budget=1000))) == ['0']
    with pytest.raises(ConfigurationError, match='of the run'):
        memory.replace_run('seed', [experience(4, run_id='another')])
    memory.close()
    other.close()


@pytest.mark.parametrize(
    ('fields', 'says'),
    [
        ({'experience_id': ''}, 'experience_id is empty'),
        ({'goal': '  '}, 'goal is empty'),
        ({'goal': 'x' * 5000}, 'goal has 5000 characters'),
        ({'trajectory': ''}, 'trajectory is empty'),
        ({'trajectory': 'x' * 101}, 'more than 100'),
        ({'trajectory': '\ud800'}, 'no valid Unicode'),
        ({'tokens': -1}, 'less than 0 tokens'),
    ],
)
def test_a_call_with_one_bad_experience_stores_none(fields, says):
    memory = remember(longest=100)
    with pytest.raises(ConfigurationError, match=says):
        memory.store([experience(1), experience(2, **({'goal': 'find'} | fields))])
    assert len(memory) == 0


def test_an_empty_goal_is_refused():
    with pytest.raises(ConfigurationError, match='goal is empty'):
        remember().retrieve(ExperienceQuery(' ', token_budget=1000))


def test_what_another_process_stored_is_found(tmp_path):
    first, second = (
        EpisodicMemory(SqliteStore(tmp_path / 'm.sqlite'), HashingEmbedder(64)) for _ in range(2)
    )
    first.store([experience(1)])
    assert ids(second.retrieve(ExperienceQuery('find the apple', token_budget=1000))) == ['1']
    first.close()
    second.close()


def test_a_store_of_another_encoder_is_refused_or_embedded_anew(tmp_path):
    path = tmp_path / 'm.sqlite'
    with closing(EpisodicMemory(SqliteStore(path), HashingEmbedder(64))) as memory:
        memory.store([experience(1), experience(2, 'switch on the lamp')])
    with pytest.raises(MemoryStoreError, match='reembed:=true'):
        EpisodicMemory(SqliteStore(path), HashingEmbedder(128))
    other = HashingEmbedder(128)
    with closing(EpisodicMemory(SqliteStore(path), other, reembed=True)) as memory:
        found = memory.retrieve(ExperienceQuery('switch on the lamp', token_budget=1000))
        assert ids(found) == ['2', '1']
        assert found[0].similarity == pytest.approx(1.0, abs=1e-5)


def test_many_threads_may_store_and_retrieve(tmp_path):
    memory = EpisodicMemory(SqliteStore(tmp_path / 'm.sqlite'), HashingEmbedder(64))
    failures = []

    def work(worker):
        try:
            for number in range(25):
                own = f'{worker}-{number}'
                memory.store([experience(own, f'goal {own}'), experience(number)])
                found = memory.retrieve(
                    ExperienceQuery(f'goal {own}', limit=1, token_budget=10_000)
                )
                assert found[0].similarity == pytest.approx(1.0, abs=1e-5)
        except (AssertionError, MemoryStoreError) as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not failures
    assert len(memory) == 125
    memory.close()


def test_a_view_of_the_index_does_not_change_while_it_grows():
    index = VectorIndex(4)
    with closing(SqliteStore(None)) as store:
        items = [experience(number) for number in range(600)]
        store.add(items[:200], np.eye(1, 4, dtype=np.float32).repeat(200, 0), 'test')
        for rows in store.rows_after(0):
            index.add(rows)
        view = index.view()
        store.add(items[200:], np.eye(1, 4, k=1, dtype=np.float32).repeat(400, 0), 'test')
        for rows in store.rows_after(index.last_number):
            index.add(rows)
    query = np.eye(1, 4, dtype=np.float32)[0]
    assert view.similarities(query).tolist() == [1.0] * 200
    assert index.view().similarities(query).tolist() == [1.0] * 200 + [0.0] * 400


@pytest.mark.parametrize('unit', [SUBGOAL, TASK])
def test_what_nobody_confirmed_is_no_example_until_a_person_does(tmp_path, unit):
    path = tmp_path / 'm.sqlite'
    memory = EpisodicMemory(SqliteStore(path), HashingEmbedder(64))
    memory.store(
        [
            experience(1, run_id='a', unconfirmed=True),
            experience(2, 'find the pear', run_id='a', unconfirmed=True),
            experience(3, 'switch on the lamp', run_id='b'),
        ]
    )

    def found():
        return set(
            ids(
                memory.retrieve(
                    ExperienceQuery('find the apple', token_budget=1000), Variant(unit)
                )
            )
        )

    assert found() == {'3'}
    with closing(SqliteStore(path)) as elsewhere:  # `reactree memory confirm` beside the node
        assert elsewhere.confirm('a') == 2
    assert found() == {'1', '2', '3'}
    assert not any(
        item.unconfirmed
        for item in memory.retrieve(ExperienceQuery('find the apple', token_budget=1000))
    )
    memory.close()


def test_minilm_finds_the_example_that_means_the_same(capsys):
    memory = EpisodicMemory(SqliteStore(None), MiniLmEmbedder())
    memory.store(read_folder(EXAMPLES))
    begin = time.perf_counter()
    found = memory.retrieve(ExperienceQuery('look for a drink and take it', token_budget=10_000))
    seconds = time.perf_counter() - begin
    assert found[0].goal == 'find and pick up the juice'
    with capsys.disabled():
        print(f'\ncold query with MiniLM: {seconds * 1e3:.1f} ms')  # noqa: T201
