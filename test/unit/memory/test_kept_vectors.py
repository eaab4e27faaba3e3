"""Vectors of known texts on the disk: the same as computed, and nothing else is written down."""

from __future__ import annotations

import stat

import numpy as np
import pytest

from memory_server.seed.kept_vectors import KeptVectors
from reactree_core.embedding.encoders import HashingEmbedder

TEXTS = [f'put the cup number {number} (RED) on table {number % 7}' for number in range(80)]


class Counting(HashingEmbedder):
    """Counts the texts that it is asked for."""

    def __init__(self, name='counting'):
        super().__init__(64)
        self._name = name
        self.asked = 0

    @property
    def name(self):
        return self._name

    def embed(self, texts):
        self.asked += len(texts)
        return super().embed(texts)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / 'cache' / 'vectors'


def embedded(folder, texts=TEXTS, known=TEXTS, name='counting'):
    """The rows of a start, and how many texts its encoder saw."""
    inner = Counting(name)
    return KeptVectors(inner, known, folder).embed(texts), inner.asked


def test_a_second_start_has_the_same_vectors_and_computes_none(folder):
    first, asked = embedded(folder)
    again, asked_again = embedded(folder)
    assert (asked, asked_again) == (len(TEXTS), 0)
    assert np.array_equal(first, again) and np.array_equal(first, HashingEmbedder(64).embed(TEXTS))
    assert again.dtype == np.float32 and again.flags.writeable


@pytest.mark.parametrize(
    ('texts', 'known'),
    [(TEXTS, TEXTS[1:]), ([*TEXTS, 'my own'], TEXTS), (TEXTS[:40], TEXTS), ([], TEXTS)],
)
def test_of_other_texts_and_of_few_nothing_is_written(folder, texts, known):
    rows, asked = embedded(folder, texts, known)
    assert len(rows) == asked == len(texts)
    assert not folder.exists()


def test_another_order_another_text_or_another_encoder_is_computed(folder):
    embedded(folder)
    for texts, name in ((TEXTS[::-1], 'counting'), (TEXTS[:70], 'counting'), (TEXTS, 'Counting')):
        rows, asked = embedded(folder, texts, name=name)
        assert asked == len(texts)
        assert np.array_equal(rows, HashingEmbedder(64).embed(texts))


def damaged(rows):
    """What a file may hold instead of these rows."""
    nan, zero = rows.copy(), rows.copy()
    nan[3, 5], zero[7] = np.nan, 0.0
    objects = np.array([[{}] * 64] * len(rows), dtype=object)
    return [nan, zero, rows[:-1], rows.astype(np.float64), rows[:, :-1], objects, 2 * rows]


@pytest.mark.parametrize('number', range(7))
def test_wrong_rows_are_computed_again(folder, number):
    right, _ = embedded(folder)
    (file,) = folder.iterdir()
    np.save(file, damaged(right)[number], allow_pickle=True)
    rows, asked = embedded(folder)
    assert asked == len(TEXTS) and np.array_equal(rows, right)
    assert embedded(folder)[1] == 0


@pytest.mark.parametrize('cut', [0, 1, 60, 128, 1000])
def test_a_damaged_file_costs_time_only(folder, cut):
    right, _ = embedded(folder)
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:cut])
    rows, asked = embedded(folder)
    assert asked == len(TEXTS) and np.array_equal(rows, right)


def test_a_folder_that_cannot_be_made_costs_time_only(folder):
    folder.parent.mkdir()
    folder.write_text('a file')
    assert embedded(folder)[1] == embedded(folder)[1] == len(TEXTS)


def test_it_is_for_its_user_alone_and_does_not_grow_without_end(folder):
    for number in range(12):
        embedded(folder, name=f'encoder {number}')
    files = list(folder.iterdir())
    assert len(files) == 8 and {file.suffix for file in files} == {'.npy'}
    assert embedded(folder, name='encoder 11')[1] == 0
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
