"""Shared prefixes: what is held, what waits on disk, and what a new one takes over."""

from __future__ import annotations

import errno

import numpy as np
import pytest

from reactree_core.cancellation import CancelToken
from reactree_planner.llm.in_process.prefixes import PrefixCache

SYSTEM = list(range(100))
LESSON_A = list(range(200, 260))
LESSON_B = list(range(300, 360))


class TokenStore:
    """An engine that keeps tokens and files of them, and counts what it evaluates."""

    cells = 1024
    sequences_left = 9

    def __init__(self):
        self.texts = {}
        self.evaluated = 0

    def take_sequence(self):
        number = max(self.texts, default=-1) + 1
        self.texts[number] = []
        return number

    def release_sequence(self, sequence):
        del self.texts[sequence]

    def copy_sequence(self, source, target, length):
        self.texts[target] = self.texts[source][:length]

    def cut_sequence(self, sequence, length):
        del self.texts[sequence][length:]

    def evaluate(self, sequence, start, tokens, cancel, wanted=1):
        assert start == len(self.texts[sequence])
        self.texts[sequence] += tokens
        self.evaluated += len(tokens)
        return [np.zeros(4, np.float32)]

    def save_sequence(self, sequence, tokens, path):
        path.write_text(repr(self.texts[sequence]))
        return True

    def load_sequence(self, sequence, tokens, path):
        if not path.exists() or path.read_text() != repr(list(tokens)):
            return False
        self.texts[sequence] = list(tokens)
        return True


@pytest.fixture
def store():
    return TokenStore()


def evaluated_of(store, cache, tokens):
    before = store.evaluated
    sequence, told = cache.sequence_with(tokens, CancelToken())
    assert store.texts[sequence] == tokens
    assert told == store.evaluated - before
    return told


def test_idle_prefixes_wait_on_disk_and_come_back_without_evaluation(store, tmp_path):
    cache = PrefixCache(store, tmp_path, 'model', 1_000_000)
    assert evaluated_of(store, cache, SYSTEM + LESSON_A) == 160
    assert evaluated_of(store, cache, LESSON_B) == 60
    assert len(store.texts) == 1, 'the older of two gave its cells back'
    assert evaluated_of(store, cache, SYSTEM + LESSON_A) == 0
    assert cache.restored_from_disk == 1


def test_a_folder_that_cannot_be_written_costs_time_only(store, tmp_path, monkeypatch):
    cache = PrefixCache(store, tmp_path, 'model', 1_000_000)
    assert evaluated_of(store, cache, SYSTEM + LESSON_A) == 160
    assert evaluated_of(store, cache, LESSON_B) == 60

    def refuse(*_, **__):
        raise OSError(errno.EROFS, 'Read-only file system')

    monkeypatch.setattr('os.utime', refuse)
    monkeypatch.setattr('pathlib.Path.unlink', refuse)
    assert evaluated_of(store, cache, SYSTEM + LESSON_A) == 0
    for file in tmp_path.glob('*.kv'):
        file.write_text('damaged')
    assert evaluated_of(store, cache, LESSON_B) == 60


def test_a_new_prefix_begins_as_one_that_waits_on_disk_does(store, tmp_path):
    cache = PrefixCache(store, tmp_path, 'model', 1_000_000)
    evaluated_of(store, cache, SYSTEM + LESSON_A)
    evaluated_of(store, cache, LESSON_B)
    assert evaluated_of(store, cache, SYSTEM + LESSON_B) == 60
    assert evaluated_of(store, cache, SYSTEM) == 1, 'the logits are of its last token'


def test_a_file_that_is_gone_costs_time_and_nothing_else(store, tmp_path):
    cache = PrefixCache(store, tmp_path, 'model', 1_000_000)
    evaluated_of(store, cache, SYSTEM + LESSON_A)
    evaluated_of(store, cache, LESSON_B)
    for file in tmp_path.iterdir():
        file.unlink()
    assert evaluated_of(store, cache, SYSTEM + LESSON_B) == 160


def test_without_a_folder_prefixes_are_held_and_shared(store):
    cache = PrefixCache(store, None, 'model', 0)
    assert evaluated_of(store, cache, SYSTEM + LESSON_A) == 160
    assert evaluated_of(store, cache, SYSTEM + LESSON_B) == 60
    assert evaluated_of(store, cache, SYSTEM + LESSON_A) == 0
