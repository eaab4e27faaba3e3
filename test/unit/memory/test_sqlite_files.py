"""Files of the SQLite store: nothing lost, nothing twice, nothing touched that is not ours."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import numpy as np
import pytest

from memory_server.store.sqlite_file import default_path, migrate, MIGRATIONS
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.errors import MemoryStoreError
from support.stored_experiences import add, everything, experience


def contents_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_two_processes_may_share_a_file(tmp_path):
    first, second = SqliteStore(tmp_path / 'm.sqlite'), SqliteStore(tmp_path / 'm.sqlite')
    before = second.version()
    add(first, experience(1))
    assert second.version() != before
    assert add(second, experience(1), experience(2)) == 1
    assert len(everything(first)) == 2
    first.close()
    second.close()


def test_a_file_keeps_its_content_when_opened_again(tmp_path):
    for number in range(3):
        with closing(SqliteStore(tmp_path / 'm.sqlite')) as store:
            assert store.count() == number
            add(store, experience(number))
    assert [path.name for path in tmp_path.iterdir()] == ['m.sqlite']


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / 'm.sqlite').touch()
    with closing(SqliteStore(tmp_path / 'm.sqlite')) as store:
        assert add(store, experience(1)) == 1


def damage_header(path):
    path.write_bytes(b'not a database, but quite long ' * 40)


def damage_middle(path):
    content = bytearray(path.read_bytes())
    content[4096:] = b'\xa5' * (len(content) - 4096)
    path.write_bytes(content)


def cut(path):
    path.write_bytes(path.read_bytes()[:5000])


def make_newer(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f'PRAGMA user_version = {len(MIGRATIONS) + 1}')


def make_foreign(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('PRAGMA application_id = 7')


@pytest.mark.parametrize(
    ('change', 'says'),
    [
        (damage_header, 'damaged'),
        (damage_middle, 'damaged'),
        (cut, 'damaged'),
        (make_newer, 'newer release'),
        (make_foreign, 'another program'),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_not_touched(tmp_path, change, says):
    path = tmp_path / 'm.sqlite'
    with closing(SqliteStore(path)) as store:
        add(store, *map(experience, range(20)))
    change(path)
    for leftover in ('-wal', '-shm'):
        path.with_name(path.name + leftover).unlink(missing_ok=True)
    before = contents_of(tmp_path)
    with pytest.raises(MemoryStoreError, match=says) as caught:
        SqliteStore(path)
    assert str(path) in str(caught.value)
    assert contents_of(tmp_path) == before


@pytest.mark.parametrize(
    ('pragma', 'says'),
    [
        (f'user_version = {len(MIGRATIONS) + 1}', 'newer release'),
        ('application_id = 7', 'another program'),
    ],
)
def test_what_a_file_is_may_still_be_in_its_write_ahead_log(tmp_path, pragma, says):
    path = tmp_path / 'm.sqlite'
    SqliteStore(path).close()
    with closing(sqlite3.connect(path)) as other:  # open: its log is not written back
        other.execute(f'PRAGMA {pragma}')
        before = {name: (tmp_path / name).read_bytes() for name in ('m.sqlite', 'm.sqlite-wal')}
        assert before['m.sqlite-wal']
        with pytest.raises(MemoryStoreError, match=says):
            SqliteStore(path)
        for name, content in before.items():
            assert (tmp_path / name).read_bytes() == content


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / 'file').touch()
    with pytest.raises(MemoryStoreError, match='cannot look at'):
        SqliteStore(tmp_path / 'file' / 'm.sqlite')
    with pytest.raises(MemoryStoreError):
        SqliteStore(tmp_path)


def test_a_file_that_may_not_be_written_is_read(tmp_path, monkeypatch):
    path = tmp_path / 'm.sqlite'
    with closing(SqliteStore(path)) as store:
        add(store, experience(1))
    before = contents_of(tmp_path)
    monkeypatch.setattr(os, 'access', lambda *_: False)
    with closing(SqliteStore(path)) as store:
        assert store.read_only
        assert everything(store) == [experience(1)]
        with pytest.raises(MemoryStoreError, match='may not be written'):
            add(store, experience(2))
    assert contents_of(tmp_path) == before


def reader_of_another_user(path, monkeypatch):
    """A store with one experience, opened by somebody who may not write it."""
    with closing(SqliteStore(path)) as store:
        add(store, experience(1))
    with monkeypatch.context() as patch:
        patch.setattr(os, 'access', lambda *_: False)
        return SqliteStore(path)


def test_a_reader_that_may_not_write_follows_another_users_writer(tmp_path, monkeypatch):
    path = tmp_path / 'm.sqlite'
    reader = reader_of_another_user(path, monkeypatch)
    before = reader.version()
    assert reader.read_only and reader.version() == before
    with closing(SqliteStore(path)) as writer:
        for number in range(2, 50):
            add(writer, experience(number, trajectory='x' * 5_000))
        after = reader.version()
        assert after != before
        assert reader.count() == 49
    # The writer has left: its log is in the file, or still beside it.
    assert len(everything(reader)) == 49
    reader.close()


def test_pages_that_changed_under_a_reader_are_no_damage(tmp_path, monkeypatch):
    path = tmp_path / 'm.sqlite'
    reader = reader_of_another_user(path, monkeypatch)
    sound = path.read_bytes()
    path.write_bytes(sound[:4096] + b'\xa5' * (len(sound) - 4096))
    with pytest.raises(MemoryStoreError, match='another user has written into it meanwhile'):
        everything(reader)
    reader.close()


def test_a_full_store_says_so_and_keeps_what_it_has(tmp_path):
    with closing(SqliteStore(tmp_path / 'm.sqlite', limit_mb=1)) as store:
        kept = 0
        with pytest.raises(MemoryStoreError, match=r'full.*store_limit_mb'):
            for kept in range(100):
                add(store, experience(kept, trajectory='x' * 40_000))
        assert kept > 5
        assert len(everything(store)) == kept
        assert add(store, experience('0')) == 0
        with closing(SqliteStore(tmp_path / 'm.sqlite')) as other:
            assert other.forget(['0', '1']) == 2
        assert add(store, experience('0', trajectory='x' * 40_000)) == 1
        kept -= 1
    with closing(SqliteStore(tmp_path / 'm.sqlite')) as store:
        assert store.count() == kept


def test_a_full_disk_says_so_and_keeps_what_it_has(tmp_path):
    code = (
        'import resource, sys\n'
        'resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n'
        + WRITER.format(path=str(tmp_path / 'm.sqlite'), size=20_000)
    )
    done = run_python(code)
    acknowledged = done.stdout.split()
    assert 'MemoryStoreError: cannot write to the store' in done.stderr
    assert len(acknowledged) > 3
    with closing(SqliteStore(tmp_path / 'm.sqlite')) as store:
        assert [item.experience_id for item in everything(store)] == acknowledged


WRITER = """
import numpy as np
from pathlib import Path
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.experience import Experience, Termination
import os
store = SqliteStore(Path({path!r}))
for number in range(100000):
    name = f'{{os.getpid()}}-{{number}}'
    item = Experience(name, 'goal', 'x' * {size}, Termination.SUCCESS)
    store.add([item], np.eye(1, 4, dtype=np.float32), 'test')
    print(name, flush=True)
"""


def python_environment():
    return os.environ | {'PYTHONPATH': os.pathsep.join(sys.path)}


def run_python(code):
    return subprocess.run(
        [sys.executable, '-c', code],
        env=python_environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize('acknowledgements', [0, 1, 25, 60])
def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path, acknowledgements):
    path = tmp_path / 'm.sqlite'
    code = WRITER.format(path=str(path), size=3000)
    writers = [
        subprocess.Popen(
            [sys.executable, '-c', code],
            env=python_environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    told = [[], []]

    def listen(writer, names):
        for line in writer.stdout:
            names.append(line.strip())
            if len(names) == acknowledgements:
                writer.send_signal(signal.SIGKILL)

    if not acknowledgements:
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
    listeners = [
        threading.Thread(target=listen, args=pair) for pair in zip(writers, told, strict=True)
    ]
    for listener in listeners:
        listener.start()
    for listener in listeners:
        listener.join(timeout=120)
    for writer in writers:
        writer.wait(timeout=120)
        writer.stdout.close()
    with closing(SqliteStore(path)) as store:
        kept = [item.experience_id for item in everything(store)]
    assert set(told[0] + told[1]) <= set(kept)
    assert len(set(kept)) == len(kept)
    assert len(told[0]) >= acknowledgements


def test_when_an_experience_was_stored_is_kept(tmp_path):
    path = tmp_path / 'm.sqlite'
    with closing(SqliteStore(path, clock=lambda: 1_800_000_000.5)) as store:
        add(store, experience(1))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute('SELECT created FROM experiences').fetchone() == (
            1_800_000_000.5,
        )


def test_migrations_run_in_order_once_and_wholly():
    scripts = ('CREATE TABLE one (a);', 'ALTER TABLE one ADD COLUMN b; CREATE TABLE two (c);')
    with closing(sqlite3.connect(':memory:', isolation_level=None)) as connection:
        migrate(connection, scripts[:1])
        connection.execute('INSERT INTO one VALUES (5)')
        with pytest.raises(sqlite3.Error):
            migrate(connection, (*scripts, 'CREATE TABLE three (d); nonsense;'))
        assert connection.execute('PRAGMA user_version').fetchone() == (1,)
        migrate(connection, scripts)
        migrate(connection, scripts)
        assert connection.execute('SELECT a, b FROM one').fetchall() == [(5, None)]
        assert connection.execute('PRAGMA user_version').fetchone() == (2,)


@pytest.mark.parametrize('may_write', [True, False])
def test_a_store_from_before_there_were_domains_opens_and_keeps_its_own(
    tmp_path, monkeypatch, may_write
):
    path = tmp_path / 'm.sqlite'
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, MIGRATIONS[:1])
        connection.execute("INSERT INTO encoder VALUES (1, 'hashed', 4)")
        connection.execute(
            'INSERT INTO experiences VALUES '
            "(1, 'old', 0, 0, 9, 1.0, '', '', '', '', 'find milk', 'Act: done')"
        )
        connection.execute(
            'INSERT INTO embeddings VALUES (1, ?)', (np.ones(4, np.float32).tobytes(),)
        )
    before = path.read_bytes()
    monkeypatch.setattr(os, 'access', lambda *_: may_write)
    with closing(SqliteStore(path)) as store:
        (rows,) = store.rows_after(0)
        assert rows.domains == ('',)
        assert rows.unconfirmed == (0,)
        (old,) = store.load([1])
        assert (old.experience_id, old.goal, old.domain) == ('old', 'find milk', '')
        assert not old.unconfirmed
    assert may_write or path.read_bytes() == before


def test_the_default_path_follows_xdg(monkeypatch, tmp_path):
    monkeypatch.setenv('XDG_DATA_HOME', str(tmp_path))
    assert default_path() == tmp_path / 'reactree' / 'memory.sqlite'
    monkeypatch.setenv('XDG_DATA_HOME', 'relative')
    monkeypatch.setenv('HOME', str(tmp_path))
    assert default_path() == tmp_path / '.local/share/reactree/memory.sqlite'
