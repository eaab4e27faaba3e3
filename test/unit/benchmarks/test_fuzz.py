"""The readers hold on what fuzzing found; a reader that falls is found with its input."""

from __future__ import annotations

import json

import pytest

from benchmarks.fuzz.__main__ import fuzz
from benchmarks.fuzz.targets import CORPUS, inputs_of, Target, TARGETS
from reactree_core.errors import ConfigurationError
from support.needs import needs


@pytest.mark.parametrize('name', TARGETS)
def test_every_reader_holds_on_its_corpus(name, tmp_path):
    TARGETS[name].prepare(tmp_path)
    for file in inputs_of(name):
        assert TARGETS[name].fault(file.read_bytes(), tmp_path) == ''


def test_the_corpus_is_small():
    files = [file for file in CORPUS.rglob('*') if file.is_file()]
    assert {file.parent.name for file in files} == set(TARGETS)
    assert sum(file.stat().st_size for file in files) < 200_000


def test_an_error_without_a_sentence_is_a_fault(tmp_path):
    def read(path):
        data = path.read_bytes()
        if b'[' not in data:
            raise ConfigurationError('a list is missing')
        return {}[data]

    target = Target(read, 'x.txt')
    assert target.fault(b'a good file', tmp_path) == ''
    assert target.fault(b'[', tmp_path).startswith('KeyError at ')


@needs('atheris')
@pytest.mark.timeout(180)
def test_atheris_finds_new_code_and_a_later_run_goes_on(tmp_path):
    first = fuzz('graph', 1.0, 1, tmp_path)
    assert not first.findings, (tmp_path / 'log.txt').read_text()
    assert first.tried > 20 and first.kept > 2
    second = fuzz('graph', 1.0, 2, tmp_path)
    assert second.tried > first.tried and second.kept >= first.kept
    runs = [json.loads(line) for line in (tmp_path / 'runs.jsonl').read_text().splitlines()]
    assert [run['tried'] for run in runs] == [first.tried, second.tried - first.tried]
