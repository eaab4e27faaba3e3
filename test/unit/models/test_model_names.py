"""Names and paths of models, and what is said about those that cannot be used."""

from __future__ import annotations

import io
from pathlib import Path
from typing import get_args

import pytest
from rich.console import Console

from reactree_core.errors import ConfigurationError, ModelError
from reactree_planner.llm.models import (
    ChatTemplate,
    check_model,
    DEFAULT_MODEL,
    fetch_model,
    FetchStatus,
    list_models,
    load_catalogue,
    model_folder,
    remove_model,
    resolve_model,
    terminal_progress,
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    folder = tmp_path / 'reactree' / 'models'
    folder.mkdir(parents=True)
    return folder


def test_every_entry_of_the_catalogue_is_pinned():
    catalogue = load_catalogue()
    assert next(iter(catalogue)) == DEFAULT_MODEL
    for entry in catalogue.values():
        assert len(bytes.fromhex(entry.sha256)) == 32
        assert entry.size > 100_000_000
        assert entry.licence
        assert '<N>' in entry.source.distribution
        assert entry.source.requirement(1).endswith(f'1=={entry.source.version}')
        assert entry.chat_template in get_args(ChatTemplate)
        assert (entry.chat_template != 'none') == entry.instructed


def test_the_cache_follows_the_environment(tmp_path, monkeypatch):
    assert model_folder() == tmp_path / 'reactree' / 'models'
    monkeypatch.setenv('HOME', '/home/robot')
    for nothing in ('', 'relative/folder'):
        monkeypatch.setenv('XDG_CACHE_HOME', nothing)
        assert model_folder() == Path('/home/robot/.cache/reactree/models')


def test_an_unknown_name_lists_the_names_there_are():
    with pytest.raises(ConfigurationError, match=DEFAULT_MODEL):
        resolve_model('gpt-17')


@pytest.mark.parametrize('work', [fetch_model, check_model, remove_model])
def test_a_file_of_ones_own_is_neither_fetched_nor_checked_nor_removed(tmp_path, work):
    file = tmp_path / 'mine.gguf'
    file.write_bytes(b'GGUF')
    with pytest.raises(ConfigurationError, match='by its path and needs no fetching'):
        work(str(file))
    assert file.read_bytes() == b'GGUF'


def test_a_model_that_is_not_fetched_says_how_to_fetch_it():
    with pytest.raises(ConfigurationError, match=f'reactree model fetch {DEFAULT_MODEL}'):
        resolve_model(DEFAULT_MODEL)
    with pytest.raises(ConfigurationError, match='reactree model fetch'):
        check_model(DEFAULT_MODEL)


def test_a_path_of_a_gguf_file_is_a_model(tmp_path):
    file = tmp_path / 'mine.bin'
    file.write_bytes(b'GGUF and more')
    assert resolve_model(str(file)) == file


@pytest.mark.parametrize('name', ['absent.gguf', 'absent/model', '~/absent'])
def test_a_missing_file_is_named(name):
    with pytest.raises(ConfigurationError, match=f'no model file {name}'):
        resolve_model(name)


def test_a_file_that_is_no_gguf_is_refused(tmp_path):
    file = tmp_path / 'weights.gguf'
    file.write_bytes(b'PK\x03\x04')
    with pytest.raises(ConfigurationError, match='is not a GGUF file'):
        resolve_model(str(file))


def test_a_truncated_model_is_neither_used_nor_listed_as_present(cache):
    (cache / f'{DEFAULT_MODEL}.gguf').write_bytes(b'GGUF')
    with pytest.raises(ConfigurationError, match='not the file it should be'):
        resolve_model(DEFAULT_MODEL)
    assert not list_models()[0].present


def test_check_finds_a_damaged_model_and_remove_removes_it(cache):
    (cache / f'{DEFAULT_MODEL}.gguf').write_bytes(b'GGUF')
    with pytest.raises(ModelError, match=f'reactree model remove {DEFAULT_MODEL}'):
        check_model(DEFAULT_MODEL)
    assert remove_model(DEFAULT_MODEL) == 4
    assert remove_model(DEFAULT_MODEL) == 0
    assert list(cache.glob('*.gguf')) == []


def test_progress_is_a_few_plain_lines_where_there_is_no_terminal():
    output = io.StringIO()
    with terminal_progress(Console(file=output)) as progress:
        for joined in range(1001):
            progress(FetchStatus('tiny', 'fetching', joined * 1000, 1_000_000))
    lines = output.getvalue().splitlines()
    assert lines[0] == 'tiny: fetching (0 of 1 MB)'
    assert len(lines) == 11
    assert '\x1b' not in output.getvalue()


def test_a_size_that_is_not_known_yet_is_not_told():
    output = io.StringIO()
    with terminal_progress(Console(file=output)) as progress:
        progress(FetchStatus('tiny', 'asking the hub', 0, 0))
    assert output.getvalue() == 'tiny: asking the hub\n'


def test_progress_is_a_bar_on_a_terminal():
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, width=100)
    with terminal_progress(console) as progress:
        progress(FetchStatus('tiny', 'fetching part 1 of 2', 500, 1000))
    assert 'fetching part 1 of 2' in output.getvalue()
    assert '\x1b' in output.getvalue()
