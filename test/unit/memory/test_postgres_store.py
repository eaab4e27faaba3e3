"""What only a server can do wrong: passwords, rights, restarts, silence, newer tables."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from psycopg import conninfo

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.episodic.reopened_memory import ReopenedMemory
from memory_server.store.postgres_connections import check_address
from memory_server.store.postgres_store import migrate, MIGRATIONS, PostgresStore
from memory_server.store.registry import open_store
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.errors import ConfigurationError, MemoryStoreError, UnusableStoreError
from reactree_core.experience import Experience, ExperienceQuery, Termination

KILL_ROUNDS = Path(__file__).parents[2] / 'system' / 'kill_rounds.py'
ONE = np.eye(1, 4, dtype=np.float32)


def experience(name, goal='find the apple'):
    return Experience(str(name), goal, f'Your task is to: {goal}', Termination.SUCCESS)


@pytest.fixture
def admin(postgres_server, postgres_address):
    """A connection of psycopg to the schema of the test."""
    import psycopg

    with closing(psycopg.connect(postgres_address, autocommit=True)) as connection:
        yield connection


@pytest.mark.parametrize(
    'address',
    [
        'postgresql://robot:secret@host/db',
        'postgres://robot:@host/db',
        'postgresql://robot:sec@ret@host/db',
        'postgresql://host/db?password=secret',
        'postgresql://host/db?PASSWORD=secret',
        'postgresql://host/db?sslpassword=secret',
        'postgresql://robot:secret@host:port/db',
        'postgresql://[robot:secret@host/db',
        'postgresql://robot:12?secret@host/db',
        'postgresql://robot:sec@ret/secret@host/db',
        'postgresql://host/db#?password=secret',
        'postgresql://host/db?sslmode=require&pass%77ord=secret',
        'POSTGRESQL://robot:secret@host/db',
    ],
)
def test_an_address_with_a_password_is_refused_and_not_repeated(address):
    with pytest.raises(ConfigurationError) as caught:
        open_store(address)
    assert 'secret' not in str(caught.value)
    assert 'sec@ret' not in str(caught.value)


def test_a_good_address_is_taken_as_it_is():
    for address in (
        'postgresql://robot@host:5432/db?sslmode=verify-full',
        'postgresql:///?service=fleet',
        'postgresql:///db?host=/run/postgresql',
    ):
        assert check_address(address) == address


@example('%a1', '')
@given(
    st.text('ab1:@/?=&#%[]', max_size=20), st.sampled_from(['', '?password=b', '&sslpassword=b'])
)
def test_no_address_gets_through_in_which_libpq_finds_a_password(text, more):
    address = f'postgresql://{text}{more}'
    try:
        check_address(address)
    except ConfigurationError:
        return
    try:
        parts = conninfo.conninfo_to_dict(address)
    except conninfo.e.ProgrammingError:
        return
    assert not {'password', 'sslpassword'} & parts.keys()


def test_without_psycopg_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'psycopg', None)
    with pytest.raises(ConfigurationError, match=r'requirements/postgresql\.txt'):
        open_store('postgresql://robot@host/db')


def test_a_server_that_is_not_there_is_named(tmp_path):
    with pytest.raises(MemoryStoreError, match='check the address'):
        PostgresStore(f'postgresql:///db?host={tmp_path}')


def test_a_password_comes_from_the_environment(postgres_server, postgres_address, monkeypatch):
    # The server trusts everybody; what counts is that nothing refuses or shows it.
    monkeypatch.setenv('PGPASSWORD', 'secret')
    with closing(PostgresStore(postgres_address)) as store:
        assert 'secret' not in store.location


def test_a_memory_lives_on_a_server_as_in_a_file(postgres_address):
    goals = ['find the apple in the kitchen', 'find the pear in the kitchen', 'switch on the lamp']
    with closing(EpisodicMemory(open_store(postgres_address), HashingEmbedder(64))) as memory:
        memory.store([experience(number, goal) for number, goal in enumerate(goals)])
    first = EpisodicMemory(open_store(postgres_address), HashingEmbedder(64))
    second = EpisodicMemory(open_store(postgres_address), HashingEmbedder(64))
    with closing(first), closing(second):
        assert [
            item.goal for item in first.retrieve(ExperienceQuery(goals[0], token_budget=10_000))
        ] == goals
        first.store([experience('new', 'water the plant')])
        found = second.retrieve(ExperienceQuery('water the plant', token_budget=10_000))
        assert found[0].experience_id == 'new'
        assert found[0].similarity == pytest.approx(1.0, abs=1e-5)
    with pytest.raises(MemoryStoreError, match='reembed:=true'):
        EpisodicMemory(open_store(postgres_address), HashingEmbedder(128))
    other = EpisodicMemory(open_store(postgres_address), HashingEmbedder(128), reembed=True)
    with closing(other):
        assert (
            other.retrieve(ExperienceQuery('water the plant', token_budget=10_000))[
                0
            ].experience_id
            == 'new'
        )


def test_when_an_experience_was_stored_is_kept(postgres_address, admin):
    with closing(PostgresStore(postgres_address, clock=lambda: 1_800_000_000.5)) as store:
        store.add([experience(1)], ONE, 'test')
    row = admin.execute('SELECT extract(epoch FROM created) FROM reactree_experiences').fetchone()
    assert float(row[0]) == 1_800_000_000.5


def test_text_that_the_server_cannot_keep_is_refused_wholly(postgres_address):
    with closing(PostgresStore(postgres_address)) as store:
        with pytest.raises(MemoryStoreError, match='cannot write to the store'):
            store.add([experience(1), experience(2, 'a\x00b')], np.repeat(ONE, 2, 0), 'test')
        assert store.count() == 0
        assert store.encoder() == ''


def test_tables_of_a_newer_release_are_not_touched(postgres_address, admin):
    PostgresStore(postgres_address).close()
    newer = len(MIGRATIONS) + 1
    admin.execute('UPDATE reactree_memory SET format = %s', (newer,))
    with pytest.raises(UnusableStoreError, match='newer release'):
        PostgresStore(postgres_address)
    assert admin.execute('SELECT format, changes FROM reactree_memory').fetchone() == (newer, 0)


def test_damaged_tables_are_named(postgres_address, admin):
    PostgresStore(postgres_address).close()
    admin.execute('DELETE FROM reactree_memory')
    with pytest.raises(UnusableStoreError, match='damaged'):
        PostgresStore(postgres_address)


def test_migrations_run_in_order_once_and_wholly(postgres_address, admin):
    import psycopg

    more = (*MIGRATIONS, 'ALTER TABLE reactree_memory ADD COLUMN extra integer;')
    migrate(admin, 'here')
    with pytest.raises(psycopg.Error):
        migrate(admin, 'here', (*more, 'CREATE TABLE other (a integer); nonsense;'))
    assert admin.execute('SELECT format FROM reactree_memory').fetchone() == (len(MIGRATIONS),)
    assert admin.execute("SELECT to_regclass('other')").fetchone() == (None,)
    migrate(admin, 'here', more)
    migrate(admin, 'here', more)
    assert admin.execute('SELECT format, extra FROM reactree_memory').fetchone() == (
        len(more),
        None,
    )


def test_many_robots_may_start_on_an_empty_database_at_once(postgres_address):
    failures = []

    def start(number):
        try:
            with closing(PostgresStore(postgres_address)) as store:
                store.add([experience(number)], ONE, 'test')
        except MemoryStoreError as error:
            failures.append(error)

    threads = [threading.Thread(target=start, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not failures
    with closing(PostgresStore(postgres_address)) as store:
        assert store.count() == 12


def test_who_may_only_read_reads(postgres_server, postgres_address, admin):
    with closing(PostgresStore(postgres_address)) as store:
        store.add([experience(1)], ONE, 'test')
    (schema,) = admin.execute('SELECT current_schema()').fetchone()
    role = f'reader_{schema}'
    admin.execute(f'CREATE ROLE {role} LOGIN')
    admin.execute(f'GRANT USAGE ON SCHEMA {schema} TO {role}')
    admin.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}')
    with closing(PostgresStore(postgres_server.address(schema, role))) as store:
        assert store.read_only
        assert store.known(['1']) == {'1'}
        with pytest.raises(MemoryStoreError, match='may not be written'):
            store.add([experience(2)], ONE, 'test')


def test_a_writer_that_never_ends_does_not_hold_others_for_ever(postgres_address, admin):
    with closing(PostgresStore(postgres_address, patience=0.5)) as store:
        with admin.transaction():
            admin.execute('UPDATE reactree_memory SET changes = changes')
            with pytest.raises(MemoryStoreError, match='cannot write to the store'):
                store.add([experience(1)], ONE, 'test')
            assert store.count() == 0  # readers do not wait
        assert store.add([experience(1)], ONE, 'test') == 1


def test_a_restart_of_the_server_loses_nothing_and_is_got_over(postgres_server, postgres_address):
    with closing(PostgresStore(postgres_address)) as store:
        store.add([experience(1)], ONE, 'test')
        postgres_server.stop('immediate')
        with pytest.raises(MemoryStoreError, match='that the server runs'):
            store.count()
        with pytest.raises(MemoryStoreError):
            store.add([experience(2)], ONE, 'test')
        postgres_server.start()
        assert store.add([experience(2)], ONE, 'test') == 1
        assert store.known(['1', '2']) == {'1', '2'}


def test_a_server_may_start_after_the_robots(postgres_server, postgres_address):
    def opened():
        return EpisodicMemory(open_store(postgres_address), HashingEmbedder(64))

    postgres_server.stop('immediate')
    try:
        door = ReopenedMemory(opened, 0.0)
        with pytest.raises(MemoryStoreError, match='that the server runs'):
            door.enter()
    finally:
        postgres_server.start()
    with closing(door):
        assert door.enter().store([experience(1)]).stored == 1


def test_connections_that_the_server_ended_are_opened_anew_unnoticed(postgres_address, admin):
    with closing(PostgresStore(postgres_address)) as store:
        store.add([experience(1)], ONE, 'test')
        admin.execute(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity '
            "WHERE application_name = 'reactree_memory'"
        )
        assert store.count() == 1
        assert store.add([experience(2)], ONE, 'test') == 1


def test_rounds_of_kill_9_lose_nothing_and_double_nothing(postgres_address):
    rounds = 5
    done = subprocess.run(
        [sys.executable, str(KILL_ROUNDS), postgres_address, str(rounds), '7'],
        env=os.environ | {'PYTHONPATH': os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=55,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report['missing'] == []
    assert report['kept'] == report['with_vector'] == report['different']
    assert report['kept'] >= report['acknowledged'] > 0
    assert report['killed_while_working'] == rounds


def test_a_server_that_hangs_is_given_up_within_the_deadline(postgres_server, postgres_address):
    with closing(PostgresStore(postgres_address, patience=1.0)) as store:
        store.add([experience(1)], ONE, 'test')
        postgres_server.send(signal.SIGSTOP)
        try:
            for call in (store.count, lambda: store.add([experience(2)], ONE, 'test')):
                begin = time.monotonic()
                with pytest.raises(MemoryStoreError, match=r'gave no answer within 1\.5 s'):
                    call()
                assert time.monotonic() - begin < 30.0
        finally:
            postgres_server.send(signal.SIGCONT)
        assert store.known(['1']) == {'1'}
        assert store.add([experience(3)], ONE, 'test') == 1


def slow_down(admin, schema, seconds):
    """Every statement that changes experiences then takes this long, however many rows it has."""
    admin.execute(
        f'CREATE FUNCTION {schema}.wait() RETURNS trigger LANGUAGE plpgsql AS '
        f'$$ BEGIN PERFORM pg_sleep({seconds}); RETURN NULL; END $$'
    )
    admin.execute(
        'CREATE TRIGGER slow BEFORE UPDATE ON reactree_experiences '
        f'FOR EACH STATEMENT EXECUTE FUNCTION {schema}.wait()'
    )


def test_all_vectors_are_replaced_however_long_the_whole_takes(postgres_address, admin):
    count = 5000
    with closing(PostgresStore(postgres_address, patience=1.0)) as store:
        store.add([experience(1)], ONE, 'old')
        admin.execute(
            'INSERT INTO reactree_experiences (experience_id, termination, tokens, characters, '
            'created, task_type, planner, model, run_id, goal, trajectory, vector) '
            "SELECT 'e' || i, 0, 1, 1, now(), '', '', '', '', 'goal ' || i, 'x', '[1,0,0,0]' "
            'FROM generate_series(2, %s) AS i',
            (count,),
        )
        (schema,) = admin.execute('SELECT current_schema()').fetchone()
        slow_down(admin, schema, 0.4)  # 5 parts take 2 s, longer than a call may
        numbers = [number for batch in store.goals() for number, _ in batch]
        vectors = np.arange(count * 3, dtype=np.float32).reshape(count, 3)
        store.replace_vectors(numbers, vectors, 'new')
        assert store.encoder() == 'new'
        found = np.concatenate([rows.vectors for rows in store.rows_after(0)])
        assert np.array_equal(found, vectors)


def test_vectors_stay_when_one_part_of_the_new_ones_hangs(postgres_address, admin):
    with closing(PostgresStore(postgres_address, patience=0.5)) as store:
        store.add([experience(1)], ONE, 'old')
        (schema,) = admin.execute('SELECT current_schema()').fetchone()
        slow_down(admin, schema, 60)
        with pytest.raises(MemoryStoreError, match='took too long'):
            store.replace_vectors([1], np.ones((1, 3), np.float32), 'new')
        assert store.encoder() == 'old'
        assert np.array_equal(next(store.rows_after(0)).vectors, ONE)


def test_a_call_waits_for_another_no_longer_than_its_deadline(postgres_address):
    with closing(PostgresStore(postgres_address, patience=0.5)) as store:
        begun, ending = threading.Event(), threading.Event()

        def hold(connection):
            begun.set()
            assert ending.wait(60)

        holder = threading.Thread(target=store._connections.read, args=('read', hold))
        holder.start()
        try:
            assert begun.wait(60)
            with pytest.raises(MemoryStoreError, match=r'busy for 0\.75 s'):
                store.count()
        finally:
            ending.set()
            holder.join(60)
        assert store.count() == 0
