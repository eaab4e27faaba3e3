"""What every store of experiences must do: the same tests over SQLite and PostgreSQL."""

import threading
import time
from contextlib import closing

import numpy as np
import pytest

import memory_server.store.postgres_store as postgres_store
import memory_server.store.sqlite_store as sqlite_store
from memory_server.store.postgres_store import PostgresStore
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.errors import MemoryStoreError
from reactree_core.experience import Termination
from support.needs import needs
from support.stored_experiences import add, ENCODER, everything, experience

#: Those that others can open too; a store in memory is nobody else's.
SHARED = ('file', pytest.param('postgresql', marks=needs('postgresql')))


@pytest.fixture(params=[*SHARED, 'memory'])
def opener(request, tmp_path):
    """Opens the same store every time; one in memory each time another."""
    if request.param == 'memory':
        return lambda: SqliteStore(None)
    if request.param == 'file':
        return lambda: SqliteStore(tmp_path / 'deep' / 'memory.sqlite')
    address = request.getfixturevalue('postgres_address')
    return lambda: PostgresStore(address)


@pytest.fixture
def store(opener):
    opened = opener()
    yield opened
    opened.close()


def test_what_was_stored_comes_back(store):
    kept = [experience('ä'), experience(2, termination=Termination.FAILURE, tokens=7)]
    assert add(store, *kept) == 2
    assert everything(store) == kept
    assert store.count() == 2
    assert store.encoder() == ENCODER


def test_a_store_knows_when_something_was_stored(store):
    before = time.time()
    add(store, experience(1))
    # A database server's clock has microseconds.
    assert before - 1e-3 <= store.stored_at('1') <= time.time() + 1e-3
    assert store.stored_at('2') is None


def test_the_same_id_is_kept_once(store):
    assert add(store, experience(1), experience(1), experience(2)) == 2
    assert add(store, experience(2, goal='another'), experience(3)) == 1
    assert [item.goal for item in everything(store)] == ['goal 1', 'goal 2', 'goal 3']
    assert store.known(['1', '4']) == {'1'}


def test_index_rows_carry_what_retrieval_needs(store):
    long = experience(1, trajectory='x' * 41, termination=Termination.FAILURE)
    add(store, long, experience(2, tokens=99))
    (rows,) = store.rows_after(0)
    assert rows.tokens.tolist() == [11, 99]  # a token every 4 characters, or as counted
    assert rows.terminations.tolist() == [Termination.FAILURE, Termination.EXPAND]
    assert rows.vectors.shape == (2, 4)
    assert rows.vectors.dtype == np.float32
    assert rows.task_types == ('put_fridge',) * 2
    assert rows.run_ids == ('ab' * 16,) * 2
    (later,) = store.rows_after(rows.numbers[0])
    assert later.numbers.tolist() == rows.numbers[1:].tolist()


def test_rows_come_in_batches(store, monkeypatch):
    monkeypatch.setattr(sqlite_store, '_BATCH', 2)
    monkeypatch.setattr(postgres_store, '_BATCH', 2)
    add(store, *map(experience, range(5)))
    assert [len(rows.numbers) for rows in store.rows_after(0)] == [2, 2, 1]
    numbers = [number for rows in store.rows_after(0) for number in rows.numbers]
    assert numbers == sorted(set(numbers))
    assert sum(len(batch) for batch in store.goals()) == 5


def test_a_call_is_kept_wholly_or_not_at_all(store):
    with pytest.raises(MemoryStoreError):
        add(store, experience(1), experience(2, termination=9))
    assert store.count() == 0
    assert add(store, experience(1)) == 1


def test_encoders_are_never_mixed(store):
    add(store, experience(1))
    with pytest.raises(MemoryStoreError, match='reembed:=true'):
        store.add([experience(2)], np.eye(1, 4, dtype=np.float32), 'another')
    with pytest.raises(MemoryStoreError):
        store.add([experience(2)], np.eye(1, 8, dtype=np.float32), ENCODER)
    assert store.count() == 1


def test_all_vectors_change_their_encoder_at_once_or_none(store):
    add(store, experience(1), experience(2))
    numbers = [number for batch in store.goals() for number, _ in batch]
    with pytest.raises(MemoryStoreError):
        store.replace_vectors(numbers[:1], np.eye(1, 8, dtype=np.float32), 'another')
    assert store.encoder() == ENCODER
    store.replace_vectors(numbers, np.eye(2, 8, dtype=np.float32), 'another')
    (rows,) = store.rows_after(0)
    assert rows.vectors.tolist() == np.eye(2, 8).tolist()
    assert store.encoder() == 'another'


def test_the_version_changes_with_writes_only(store):
    before = store.version()
    store.count()
    assert store.version() == before
    add(store, experience(1))
    assert store.version() != before


def test_vectors_come_back_to_the_last_bit(store):
    vectors = np.random.default_rng(0).standard_normal((3, 384)).astype(np.float32)
    store.add([experience(number) for number in range(3)], vectors, ENCODER)
    (rows,) = store.rows_after(0)
    assert rows.vectors.tobytes() == vectors.tobytes()


def test_experiences_are_loaded_in_the_order_asked(store):
    add(store, *map(experience, range(3)))
    (rows,) = store.rows_after(0)
    backwards = rows.numbers[::-1]
    assert [item.experience_id for item in store.load(backwards)] == ['2', '1', '0']
    assert store.load([]) == []
    with pytest.raises(MemoryStoreError, match='ask again'):
        store.load([int(rows.numbers[-1]) + 1])


def test_what_is_forgotten_is_gone_and_its_number_is_not_given_again(store):
    add(store, experience(1), experience(2, run_id='cd'))
    (rows,) = store.rows_after(0)
    assert store.ids_of_run('cd') == {'2'}
    before = store.version()
    assert store.forget(['2', 'unknown']) == 1
    assert store.forget([]) == 0
    assert store.version() != before
    assert store.known(['1', '2']) == {'1'}
    add(store, experience(2))
    (again,) = store.rows_after(0)
    assert again.numbers[-1] > rows.numbers[-1]


@pytest.mark.parametrize('opener', SHARED, indirect=True)
def test_a_store_opened_twice_is_one(opener, store):
    with closing(opener()) as second:
        before = second.version()
        add(store, experience(1))
        assert second.version() != before
        assert add(second, experience(1), experience(2)) == 1
        assert len(everything(store)) == 2
    with closing(opener()) as third:
        assert everything(third) == [experience(1), experience(2)]


@pytest.mark.parametrize('opener', SHARED, indirect=True)
def test_whoever_reads_up_to_a_number_misses_none_below_it(opener, store):
    writers = [opener() for _ in range(3)]
    failures = []

    def write(worker):
        try:
            for number in range(20):
                add(writers[worker], experience(f'{worker}-{number}'))
        except MemoryStoreError as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(3)]
    for thread in threads:
        thread.start()
    seen, last = [], 0
    writing = True
    while writing:
        # Asked before reading: what is written after the last reading would be missed.
        writing = any(thread.is_alive() for thread in threads)
        rows = list(store.rows_after(last))
        found = [number for batch in rows for number in batch.numbers.tolist()]
        seen += found
        last = max([last, *found])
    for thread in threads:
        thread.join(timeout=60)
    for writer in writers:
        writer.close()
    assert not failures
    assert len(seen) == len(set(seen)) == 60


def test_what_a_person_confirms_comes_as_if_it_were_new(store):
    add(store, *(experience(name, unconfirmed=True) for name in (1, 2)), experience(3))
    add(store, experience(4, unconfirmed=True, run_id='cd' * 16))
    (rows,) = store.rows_after(0)
    assert [bool(one) for one in rows.unconfirmed] == [True, True, False, True]
    vectors, when = rows.vectors[:2], store.stored_at('1')
    assert store.confirm('ab' * 16) == 2
    assert store.confirm('ab' * 16) == store.confirm('no run') == 0
    (new,) = store.rows_after(rows.numbers[-1])
    assert new.vectors.tolist() == vectors.tolist()
    assert store.load(new.numbers) == [experience(1), experience(2)]
    assert store.stored_at('1') == when
    assert [one.unconfirmed for one in everything(store)] == [False, True, False, False]
    assert store.count() == 4
