"""Fetching from a server that speaks like the Hugging Face hub, with all that can go wrong."""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, HealthCheck, settings, strategies

from reactree_core.errors import ConfigurationError, ModelError
from reactree_planner.llm.models import (
    check_model,
    fetch_model,
    FetchStatus,
    list_hub_models,
    remove_model,
    resolve_model,
)
from reactree_planner.llm.models.hub import Hub, HUB_ADDRESS

NAME = 'hf:me/tiny/tiny.gguf'
TOKEN = 'hf_secret1234567890'

Fetch = Callable[..., Path]


class Killed(BaseException):
    """Stands for the end of the process: nothing in the package catches it."""


@pytest.fixture
def folder(cache: Path) -> Path:
    return cache / 'huggingface' / 'me' / 'tiny' / 'main'


@pytest.fixture
def fetch(hub_server: Any, cache: Path) -> Fetch:
    """Fetches from the hub of the test."""

    def fetching(name: str = NAME, *arguments: Any, **more: Any) -> Path:
        hub = Hub(more.pop('address', hub_server.url), connect_timeout=2.0, read_timeout=0.3)
        return fetch_model(name, *arguments, hub=hub, **more)

    return fetching


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def redirect_to(hub_server: Any, bytes_server: Any) -> None:
    hub_server.manner.redirect = f'{bytes_server.url}/blob?signature=1'


def kill_at(count: int) -> Callable[[FetchStatus], None]:
    """Ends the process when so many bytes or more are there."""

    def progress(status: FetchStatus) -> None:
        if status.sentence == 'fetching' and status.joined >= count:
            raise Killed

    return progress


def test_the_hub_is_asked_over_https() -> None:
    assert HUB_ADDRESS == 'https://huggingface.co'


def test_a_file_comes_by_way_of_the_redirect_and_leaves_nothing_else(
    fetch: Fetch, hub_server: Any, bytes_server: Any, folder: Path
) -> None:
    redirect_to(hub_server, bytes_server)
    path = fetch()
    assert path == folder / 'tiny.gguf'
    assert path.read_bytes() == hub_server.manner.content
    assert hub_server.paths == ['/me/tiny/resolve/main/tiny.gguf']
    assert bytes_server.paths == ['/blob?signature=1']
    assert names_in(folder) == ['tiny.gguf', 'tiny.gguf.json', 'tiny.gguf.lock']
    assert check_model(NAME) == path
    assert resolve_model(NAME) == path


def test_a_small_file_that_the_hub_sends_itself_comes_too(
    fetch: Fetch, hub_server: Any, folder: Path
) -> None:
    assert fetch().read_bytes() == hub_server.manner.content
    assert names_in(folder) == ['tiny.gguf', 'tiny.gguf.json', 'tiny.gguf.lock']


def test_a_fetched_file_is_used_and_fetched_again_without_the_hub(
    fetch: Fetch, hub_server: Any
) -> None:
    path = fetch()
    assert fetch() == path
    assert len(hub_server.requests) == 1
    assert fetch(address='http://127.0.0.1:9') == resolve_model(NAME) == path


def test_revisions_are_kept_apart(fetch: Fetch, hub_server: Any, cache: Path) -> None:
    first = fetch()
    hub_server.manner.content = b'GGUF of old'
    second = fetch(f'{NAME}@refs/pr/3')
    assert hub_server.paths[-1] == '/me/tiny/resolve/refs%2Fpr%2F3/tiny.gguf'
    assert first.read_bytes() != second.read_bytes() == b'GGUF of old'
    assert [model.file.name for model in list_hub_models()] == [NAME, f'{NAME}@refs/pr/3']


def test_a_file_that_is_not_there_tells_in_one_sentence_how_to_fetch_it(cache: Path) -> None:
    for look in (resolve_model, check_model):
        with pytest.raises(ConfigurationError) as caught:
            look(f'{NAME}@v1')
        assert f'`reactree model fetch {NAME}@v1`' in str(caught.value)
        assert '\n' not in str(caught.value)
    assert not cache.exists(), 'looking creates nothing'


def test_progress_grows_up_to_the_size(fetch: Fetch, hub_server: Any) -> None:
    seen: list[FetchStatus] = []
    fetch(NAME, seen.append)
    joined = [status.joined for status in seen]
    assert joined == sorted(joined)
    assert (joined[0], joined[-1]) == (0, len(hub_server.manner.content))
    assert [seen[0].sentence, seen[-1].sentence] == ['asking the hub', 'ready']


def test_a_hub_that_refuses_connections_cannot_be_reached(fetch: Fetch, folder: Path) -> None:
    with socket.create_server(('127.0.0.1', 0)) as server:
        address = f'http://127.0.0.1:{server.getsockname()[1]}'
    with pytest.raises(ModelError, match=r'cannot be reached; run this again.*MODEL=path'):
        fetch(address=address)
    assert names_in(folder) == ['tiny.gguf.lock']


def test_a_hub_that_is_silent_is_given_up(fetch: Fetch, hub_server: Any) -> None:
    hub_server.manner.hang = True
    with pytest.raises(ModelError, match=r'was silent for 0\.3 s; run this again'):
        fetch()


@pytest.mark.parametrize(
    ('status', 'words'),
    [
        (401, r'127\.0\.0\.1/me/tiny refuses tiny\.gguf \(HTTP 401\).*set HF_TOKEN'),
        (403, r'refuses tiny\.gguf \(HTTP 403\).*set HF_TOKEN'),
        (404, r'127\.0\.0\.1/me/tiny has no file tiny\.gguf in revision main'),
        (416, r'HTTP 416'),
        (418, r'does not send hf:me/tiny/tiny\.gguf \(HTTP 418\)'),
        (429, r'busy or failing \(HTTP 429\); run this again'),
        (503, r'busy or failing \(HTTP 503\); run this again'),
    ],
)
def test_a_refusal_says_what_to_do(
    fetch: Fetch, hub_server: Any, folder: Path, status: int, words: str
) -> None:
    hub_server.manner.status = status
    with pytest.raises(ModelError, match=words):
        fetch()
    assert len(hub_server.requests) == 1
    assert names_in(folder) == ['tiny.gguf.lock']


def test_the_token_goes_to_the_hub_alone_and_is_shown_nowhere(
    fetch: Fetch,
    hub_server: Any,
    bytes_server: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv('HF_TOKEN', f' {TOKEN}\n')
    caplog.set_level(logging.DEBUG)
    hub_server.manner.status = 401
    with pytest.raises(ModelError, match='the token in HF_TOKEN may not read it') as denied:
        fetch()
    redirect_to(hub_server, bytes_server)
    fetch()
    sent = [request.get('authorization') for request in hub_server.requests]
    assert sent == [f'Bearer {TOKEN}'] * 2
    assert 'authorization' not in bytes_server.requests[0]
    assert TOKEN not in caplog.text + str(denied.value) + repr(denied.value)


@pytest.mark.parametrize('token', ['two words', 'new\nline', 'schlüssel'])
def test_a_token_that_cannot_stand_in_a_header_is_refused_unseen(
    fetch: Fetch, hub_server: Any, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv('HF_TOKEN', token)
    with pytest.raises(ConfigurationError, match='HF_TOKEN holds no usable token') as caught:
        fetch()
    assert token not in str(caught.value)
    assert not hub_server.requests


@pytest.mark.parametrize('redirected', [False, True])
def test_a_file_that_breaks_off_is_gone_on_with(
    fetch: Fetch, hub_server: Any, bytes_server: Any, redirected: bool
) -> None:
    sending = bytes_server if redirected else hub_server
    if redirected:
        redirect_to(hub_server, bytes_server)
    sending.manner.cuts = [500, 300]
    assert fetch().read_bytes() == hub_server.manner.content
    assert sending.starts == [0, 500, 800]
    assert sending.sent == len(hub_server.manner.content), 'no byte comes twice'


def test_a_connection_that_brings_nothing_more_ends_the_fetch(
    fetch: Fetch, hub_server: Any, folder: Path
) -> None:
    hub_server.manner.cuts = [500, 0]
    with pytest.raises(ModelError, match=r'broke the connection.*run this again later'):
        fetch()
    assert (folder / 'tiny.gguf.partial').stat().st_size == 500
    (listed,) = list_hub_models()
    assert (listed.present, listed.joined, listed.size) == (False, 500, 1284)
    with pytest.raises(ConfigurationError, match='reactree model fetch'):
        resolve_model(NAME)
    assert fetch().read_bytes() == hub_server.manner.content
    assert hub_server.starts == [0, 500, 500]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(
    killed_at=strategies.lists(strategies.integers(1, 1283), max_size=3),
    cuts=strategies.lists(strategies.integers(1, 900), max_size=3),
)
def test_however_often_it_is_killed_or_breaks_off_the_file_is_whole(
    fetch: Fetch, hub_server: Any, killed_at: list[int], cuts: list[int]
) -> None:
    remove_model(NAME)
    hub_server.sent = 0
    hub_server.manner.cuts = list(cuts)
    for count in sorted(killed_at):
        try:
            fetch(NAME, kill_at(count))
        except Killed:
            pass
    assert fetch().read_bytes() == hub_server.manner.content
    assert hub_server.sent == len(hub_server.manner.content), 'no byte came twice'
    assert check_model(NAME)


def test_a_fetch_killed_before_the_check_needs_the_hub_no_more(
    fetch: Fetch, hub_server: Any
) -> None:
    with pytest.raises(Killed):
        fetch(NAME, kill_at(len(hub_server.manner.content)))
    path = fetch(address='http://127.0.0.1:9')
    assert path.read_bytes() == hub_server.manner.content


def test_a_server_that_sends_no_parts_starts_over(fetch: Fetch, hub_server: Any) -> None:
    hub_server.manner.ranges = False
    hub_server.manner.cuts = [500]
    assert fetch().read_bytes() == hub_server.manner.content
    assert hub_server.starts == [0, 500]
    assert hub_server.sent == 500 + len(hub_server.manner.content)


@pytest.mark.parametrize('redirected', [False, True])
def test_a_file_that_changed_meanwhile_is_started_over(
    fetch: Fetch, hub_server: Any, bytes_server: Any, redirected: bool
) -> None:
    sending = bytes_server if redirected else hub_server
    if redirected:
        redirect_to(hub_server, bytes_server)
    with pytest.raises(Killed):
        sending.manner.cuts = [500]
        fetch(NAME, kill_at(500))
    hub_server.manner.content = bytes_server.manner.content = b'GGUF' + bytes(range(255, 0, -1))
    assert fetch().read_bytes() == hub_server.manner.content


def test_a_file_without_a_digest_is_not_put_together_from_two_answers(
    fetch: Fetch, hub_server: Any, folder: Path
) -> None:
    hub_server.manner.leave_out = ('ETag',)
    hub_server.manner.cuts = [500]
    with pytest.raises(ModelError, match='broke the connection'):
        fetch()
    assert fetch().read_bytes() == hub_server.manner.content
    assert hub_server.starts == [0, 0]
    assert check_model(NAME), 'later damage can be seen all the same'


@pytest.mark.parametrize('record', ['', '{"size": 1284', '{"size": -1, "sha256": ""}', '[]'])
def test_a_record_that_cannot_be_read_starts_over(
    fetch: Fetch, hub_server: Any, folder: Path, record: str
) -> None:
    with pytest.raises(Killed):
        hub_server.manner.cuts = [500]
        fetch(NAME, kill_at(500))
    (folder / 'tiny.gguf.json').write_text(record)
    assert fetch().read_bytes() == hub_server.manner.content
    assert hub_server.starts == [0, 0]


@pytest.mark.parametrize('redirected', [False, True])
def test_a_wrong_digest_deletes_everything_and_says_what_to_do(
    fetch: Fetch, hub_server: Any, bytes_server: Any, folder: Path, redirected: bool
) -> None:
    if redirected:
        redirect_to(hub_server, bytes_server)
        bytes_server.manner.content = hub_server.manner.content[:-1] + b'!'
    else:
        hub_server.manner.headers = {'ETag': f'"{"12" * 32}"'}
    with pytest.raises(ModelError, match=r'its sha256 is not the one.*deleted.*MODEL=path'):
        fetch()
    assert names_in(folder) == ['tiny.gguf.lock']


def test_a_file_that_is_no_gguf_is_deleted(fetch: Fetch, hub_server: Any, folder: Path) -> None:
    hub_server.manner.content = b'<!DOCTYPE html><html>Please log in</html>'
    with pytest.raises(ModelError, match='it is not a GGUF file'):
        fetch()
    assert names_in(folder) == ['tiny.gguf.lock']


def test_more_bytes_than_announced_are_not_kept(
    fetch: Fetch, hub_server: Any, folder: Path
) -> None:
    hub_server.manner.cuts = [500, 0]
    with pytest.raises(ModelError):
        fetch()
    hub_server.manner.more = b'more' * 100
    with pytest.raises(ModelError, match='longer than announced'):
        fetch()
    assert names_in(folder) == ['tiny.gguf.lock']


@pytest.mark.parametrize(
    ('headers', 'leave_out'),
    [
        ({}, ('Content-Length',)),
        ({'Content-Length': '-5'}, ()),
        ({'Content-Length': 'many'}, ()),
    ],
)
def test_a_file_of_unknown_length_is_refused(
    fetch: Fetch, hub_server: Any, headers: dict[str, str], leave_out: tuple[str, ...]
) -> None:
    hub_server.manner.headers, hub_server.manner.leave_out = headers, leave_out
    with pytest.raises(ModelError, match=r'does not say how long|broke the connection'):
        fetch()


def test_a_part_that_is_not_the_one_asked_for_is_refused(
    fetch: Fetch, hub_server: Any, folder: Path
) -> None:
    hub_server.manner.cuts = [500, 0]
    with pytest.raises(ModelError):
        fetch()
    hub_server.manner.headers = {'Content-Range': 'bytes 600-1283/1284'}
    with pytest.raises(ModelError, match='does not say how long'):
        fetch()
    hub_server.manner.headers = {}
    assert fetch().read_bytes() == hub_server.manner.content


def test_a_part_that_ends_before_the_size_it_tells_is_not_taken_for_the_whole(
    fetch: Fetch, hub_server: Any
) -> None:
    hub_server.manner.cuts = [500, 0]
    with pytest.raises(ModelError):
        fetch()
    hub_server.manner.headers = {'Content-Range': 'bytes 500-1283/2000'}
    path = fetch()
    assert resolve_model(NAME) == check_model(NAME) == path
    assert path.read_bytes() == hub_server.manner.content


def test_a_compressed_file_is_refused(fetch: Fetch, hub_server: Any) -> None:
    hub_server.manner.headers = {'Content-Encoding': 'gzip'}
    with pytest.raises(ModelError, match='compresses'):
        fetch()
    assert hub_server.requests[0]['accept-encoding'] == 'identity'


def test_too_little_space_is_said_before_anything_is_kept(
    fetch: Fetch, hub_server: Any, folder: Path
) -> None:
    size = len(hub_server.manner.content)
    with pytest.raises(ModelError, match=r'needs .* GB in .* set XDG_CACHE_HOME'):
        fetch(free=lambda _: size - 1)
    assert (folder / 'tiny.gguf.partial').stat().st_size == 0
    assert fetch(free=lambda _: size)


def test_only_what_is_missing_must_still_fit(fetch: Fetch, hub_server: Any) -> None:
    hub_server.manner.cuts = [500, 0]
    with pytest.raises(ModelError):
        fetch()
    assert fetch(free=lambda _: len(hub_server.manner.content) - 500)


def test_a_disk_that_fills_up_meanwhile_is_a_clear_sentence(
    fetch: Fetch, hub_server: Any, folder: Path
) -> None:
    folder.mkdir(parents=True)
    (folder / 'tiny.gguf.partial').symlink_to('/dev/full')
    with pytest.raises(ModelError, match='free some space'):
        fetch()
    (folder / 'tiny.gguf.partial').unlink()
    assert fetch().read_bytes() == hub_server.manner.content


def test_a_cache_that_cannot_be_written_is_a_clear_sentence(fetch: Fetch, cache: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text('a file where the folder should be')
    with pytest.raises(ModelError, match='set XDG_CACHE_HOME to a folder that can be written'):
        fetch()


@pytest.mark.parametrize(
    'target',
    [
        'file:///etc/passwd',
        'ftp://127.0.0.1/x',
        'http://user:word@127.0.0.1/x',
        'https://xn--/x',
        'https:///x',
    ],
)
def test_a_redirect_to_something_else_than_the_web_is_not_followed(
    fetch: Fetch, hub_server: Any, target: str
) -> None:
    hub_server.manner.redirect = target
    with pytest.raises(ModelError, match='redirects to something else than an https address'):
        fetch()


def test_a_redirect_to_itself_ends(fetch: Fetch, hub_server: Any) -> None:
    hub_server.manner.redirect = '/again'
    with pytest.raises(ModelError, match='redirects without end'):
        fetch()
    assert len(hub_server.requests) < 10


def test_a_certificate_that_nobody_signed_is_not_trusted(fetch: Fetch, secure_server: Any) -> None:
    with pytest.raises(ModelError, match='no TLS connection that can be trusted'):
        fetch(address=secure_server.url)
    assert not secure_server.requests


def test_from_https_only_https_is_gone_to(
    fetch: Fetch,
    secure_server: Any,
    bytes_server: Any,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv('SSL_CERT_FILE', str(certificate))
    redirect_to(secure_server, bytes_server)
    with pytest.raises(ModelError, match='redirects to something else than an https address'):
        fetch(address=secure_server.url)
    assert not bytes_server.requests
    secure_server.manner.redirect = ''
    assert fetch(address=secure_server.url).read_bytes() == secure_server.manner.content


def test_only_one_process_fetches_a_file(fetch: Fetch, hub_server: Any, folder: Path) -> None:
    folder.mkdir(parents=True)
    told: list[str] = []
    with (folder / 'tiny.gguf.lock').open('w') as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ModelError, match='Another process'):
            fetch(NAME, lambda status: told.append(status.sentence), lock_timeout=0.05)
        with pytest.raises(ModelError, match='Another process'):
            remove_model(NAME)
    assert told == ['waiting for another process that fetches it']
    assert not hub_server.requests


def test_removing_tells_the_bytes_and_leaves_other_files(
    fetch: Fetch, hub_server: Any, folder: Path
) -> None:
    other = fetch('hf:me/tiny/other.gguf')
    assert remove_model(NAME) == 0
    fetch()
    assert remove_model(NAME) == len(hub_server.manner.content)
    assert not [name for name in names_in(folder) if name in ('tiny.gguf', 'tiny.gguf.json')]
    assert remove_model(NAME) == 0
    hub_server.manner.cuts = [500, 0]
    with pytest.raises(ModelError):
        fetch()
    assert remove_model(NAME) == 500
    assert [model.file.name for model in list_hub_models()] == ['hf:me/tiny/other.gguf']
    assert other.is_file()


def test_a_truncated_file_is_neither_used_nor_listed_and_fetched_anew(
    fetch: Fetch, hub_server: Any
) -> None:
    path = fetch()
    path.write_bytes(hub_server.manner.content[:700])
    with pytest.raises(ConfigurationError, match=f'reactree model remove {NAME}'):
        resolve_model(NAME)
    assert not list_hub_models()[0].present
    assert fetch().read_bytes() == hub_server.manner.content


def test_a_damaged_file_is_found_by_its_digest(fetch: Fetch, hub_server: Any) -> None:
    path = fetch()
    path.write_bytes(hub_server.manner.content[:-1] + b'!')
    with pytest.raises(ModelError, match=f'is damaged.*reactree model remove {NAME}'):
        check_model(NAME)


def test_a_file_copied_there_by_hand_is_used_but_cannot_be_checked(
    cache: Path, folder: Path
) -> None:
    folder.mkdir(parents=True)
    (folder / 'tiny.gguf').write_bytes(b'GGUF from elsewhere')
    assert resolve_model(NAME) == folder / 'tiny.gguf'
    (listed,) = list_hub_models()
    assert (listed.present, listed.joined, listed.size) == (True, 19, 19)
    with pytest.raises(ModelError, match='cannot be checked'):
        check_model(NAME)


def test_what_else_lies_in_the_folder_is_not_listed(cache: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / 'notes.txt').write_text('')
    (folder / 'a.gguf').mkdir()
    (folder.parent / 'b.gguf').write_text('')
    (folder.parents[2] / 'c.gguf').write_text('')
    (folder / '.d.gguf').write_text('')
    for revision in ('v%31', 'a@b'):
        (folder.parent / revision).mkdir()
        (folder.parent / revision / 'e.gguf').write_text('')
    assert list_hub_models() == []


def test_the_record_is_plain_json(fetch: Fetch, hub_server: Any, folder: Path) -> None:
    fetch()
    record = json.loads((folder / 'tiny.gguf.json').read_text())
    content = hub_server.manner.content
    assert record == {'size': len(content), 'sha256': hashlib.sha256(content).hexdigest()}
