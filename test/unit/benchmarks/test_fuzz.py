"""Fuzzing finds what a reader must not do, and the readers hold on what was found before."""

from __future__ import annotations

import pytest

from benchmarks.fuzz.__main__ import CORPUS
from benchmarks.fuzz.__main__ import fuzz
from benchmarks.fuzz.__main__ import inputs_of
from benchmarks.fuzz.targets import Target
from benchmarks.fuzz.targets import TARGETS
from reactree_core.errors import ConfigurationError


@pytest.mark.parametrize('name', TARGETS)
def test_every_reader_holds_on_its_corpus_and_a_few_mutations(name, tmp_path):
    found = fuzz(TARGETS[name], inputs_of(name), 0.3, 1, tmp_path)
    assert not found.findings
    assert found.tried >= len(inputs_of(name))


def test_the_corpus_is_small():
    files = [file for file in CORPUS.rglob('*') if file.is_file()]
    assert {file.parent.name for file in files} == set(TARGETS)
    assert sum(file.stat().st_size for file in files) < 200_000


def test_a_reader_that_falls_is_found_with_its_input(tmp_path):
    def read(path):
        data = path.read_bytes()
        if b'[' not in data:
            raise ConfigurationError('a list is missing')
        return {}[data]

    found = fuzz(Target(read, 'x.txt'), [b'a good file'], 5.0, 0, tmp_path).findings
    assert any(sentence.startswith('KeyError at ') for sentence in found)
    assert all(b'[' in data for data in found.values())
