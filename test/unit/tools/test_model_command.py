"""`reactree model` with models of the Hugging Face hub, without the hub."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode

NAME = 'hf:me/tiny/tiny.gguf@v1'
CONTENT = b'GGUF and more'


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file as a fetch leaves it."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    path = tmp_path / 'reactree' / 'models' / 'huggingface' / 'me' / 'tiny' / 'v1' / 'tiny.gguf'
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    record = {'size': len(CONTENT), 'sha256': hashlib.sha256(CONTENT).hexdigest()}
    path.with_name('tiny.gguf.json').write_text(json.dumps(record))
    return path


def test_it_is_listed_below_the_catalogue(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['model', 'list', '--plain']) == ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    assert f'+ {NAME}  0 MB  fetched' in lines
    assert lines[-1].startswith('kept in')


@pytest.mark.parametrize(
    ('record', 'state'),
    [('{"size": 26, "sha256": ""}', '50 % fetched'), ('', 'fetched in part')],
)
def test_how_much_of_it_is_there_is_told(
    kept: Path, capsys: pytest.CaptureFixture[str], record: str, state: str
) -> None:
    kept.rename(kept.with_name('tiny.gguf.partial'))
    kept.with_name('tiny.gguf.json').write_text(record)
    assert main(['model', 'list', '--plain']) == ExitCode.OK
    assert f'o {NAME}  0 MB  {state}' in capsys.readouterr().out


def test_it_is_fetched_already_without_the_hub(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(['model', 'fetch', NAME]) == ExitCode.OK
    assert capsys.readouterr().out == f'{kept}\n'


def test_all_that_is_fetched_is_checked(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['model', 'check']) == ExitCode.OK
    assert NAME in capsys.readouterr().out
    kept.write_bytes(CONTENT[:-1] + b'!')
    assert main(['model', 'check']) == ExitCode.UNUSABLE
    assert 'is damaged' in capsys.readouterr().err


def test_removing_tells_how_many_bytes_that_freed(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(['model', 'remove', NAME]) == ExitCode.OK
    assert capsys.readouterr().out == f'{NAME} was removed: 13 bytes freed.\n'
    assert not kept.exists()
    assert main(['model', 'remove', NAME]) == ExitCode.OK
    assert 'was not on this machine; there was nothing to remove' in capsys.readouterr().out


@pytest.mark.parametrize('name', ['gpt-99', 'hf:tiny.gguf', 'hf:../../tiny.gguf'])
@pytest.mark.parametrize('action', ['fetch', 'check', 'remove'])
def test_what_is_no_name_is_one_sentence(
    kept: Path, capsys: pytest.CaptureFixture[str], action: str, name: str
) -> None:
    assert main(['model', action, name]) == ExitCode.UNUSABLE
    sentence = capsys.readouterr().err
    assert 'hf:owner/repository/file.gguf' in sentence
    assert sentence.count('\n') == 1


def test_a_model_that_is_not_fetched_is_told_before_anything_starts(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept.unlink()
    assert main(['up', '--model', NAME]) == ExitCode.UNUSABLE
    assert f'`reactree model fetch {NAME}`' in capsys.readouterr().err
