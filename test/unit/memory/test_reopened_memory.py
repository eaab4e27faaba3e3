"""Memories that cannot be opened at once: tried again when asked for, and only where it helps."""

import threading
from contextlib import closing

import pytest

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.episodic.reopened_memory import ReopenedMemory
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.errors import ConfigurationError, EncoderError, MemoryStoreError


def memory_in(path):
    return EpisodicMemory(SqliteStore(path), HashingEmbedder(64))


class Opener:
    """Raises what it is given, one after the other, then opens a memory."""

    def __init__(self, *failures):
        self.failures = list(failures)
        self.calls = 0

    def __call__(self):
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return memory_in(None)


def test_a_memory_is_tried_again_when_asked_for_but_not_too_often():
    now = [100.0]
    opener = Opener(EncoderError('silent'), MemoryStoreError('no server'))
    door = ReopenedMemory(opener, 10.0, lambda: now[0])
    assert (door.memory, door.fault) == (None, 'silent')
    for now[0], says, calls in ((109.9, 'silent', 1), (110.0, 'no server', 2)):
        for _ in range(3):
            with pytest.raises(MemoryStoreError, match=says):
                door.enter()
        assert opener.calls == calls
    now[0] = 120.0
    assert door.enter() is door.enter() is door.memory
    assert (opener.calls, door.fault) == (3, '')
    door.close()


def test_a_store_opens_when_its_place_is_there(tmp_path):
    (tmp_path / 'disk').touch()  # where a disk is to be mounted
    door = ReopenedMemory(lambda: memory_in(tmp_path / 'disk' / 'm.sqlite'), 0.0)
    with pytest.raises(MemoryStoreError, match='cannot look at'):
        door.enter()
    (tmp_path / 'disk').unlink()
    assert len(door.enter()) == 0
    door.close()


def test_a_damaged_store_stays_shut(tmp_path):
    path = tmp_path / 'm.sqlite'
    path.write_bytes(b'x' * 4096)
    door = ReopenedMemory(lambda: memory_in(path), 0.0)
    path.unlink()
    with pytest.raises(MemoryStoreError, match='damaged'):
        door.enter()
    assert not path.exists()


def test_what_the_user_gave_wrongly_ends_the_start_and_later_the_tries():
    with pytest.raises(ConfigurationError, match='wrong'):
        ReopenedMemory(Opener(ConfigurationError('wrong')), 0.0)
    opener = Opener(MemoryStoreError('no server'), ConfigurationError('wrong'))
    door = ReopenedMemory(opener, 0.0)
    for _ in range(2):
        with pytest.raises(MemoryStoreError, match='wrong'):
            door.enter()
    assert opener.calls == 2


def test_nobody_waits_for_a_try_of_somebody_else():
    trying, ending = threading.Event(), threading.Event()

    def slow():
        if trying.is_set() or not first:
            first.append(1)
            raise MemoryStoreError('no server')
        trying.set()
        assert ending.wait(60)
        return memory_in(None)

    first = []
    door = ReopenedMemory(slow, 0.0)
    other = threading.Thread(target=door.enter)
    other.start()
    try:
        assert trying.wait(60)
        with pytest.raises(MemoryStoreError, match='no server'):
            door.enter()
    finally:
        ending.set()
        other.join(60)
    with closing(door):
        assert len(door.enter()) == 0
