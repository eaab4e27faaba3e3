from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, UTC
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ConfigurationError, ModelError
from reactree_core.http_client import HttpLimits, THREAD_NAME
from reactree_core.http_faults import seconds_of
from reactree_planner.llm.openai_server.connection import RequestRefused, ServerConnection
from reactree_planner.llm.registry import load_model, ModelOptions

QUICK = HttpLimits(
    connect_timeout=1.0,
    read_timeout=0.3,
    total_timeout=2.0,
    max_retries=2,
    first_pause=0.01,
    max_answer_bytes=100_000,
)
KEY = 'sk-secret-1234567890'

Opening = Callable[..., ServerConnection]


@pytest.fixture
def opened() -> Iterator[Opening]:
    clients: list[ServerConnection] = []

    def opening(
        address: str, limits: HttpLimits = QUICK, api_key_env: str = ''
    ) -> ServerConnection:
        clients.append(ServerConnection(address, api_key_env, limits))
        return clients[-1]

    yield opening
    for client in clients:
        client.close()


def refusing_address() -> str:
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return f'http://127.0.0.1:{probe.getsockname()[1]}'


def test_an_answer_comes_back_as_json(server: Any, reply: Any, opened: Opening) -> None:
    server.on('/x', reply({'a': [1]}))
    client = opened(server.url)
    assert client.post(f'{server.url}/x', {'q': 'ü'}, CancelToken()) == {'a': [1]}
    assert server.seen[0].body == {'q': 'ü'}


def test_an_address_that_refuses_ends_in_one_sentence_that_names_it(opened: Opening) -> None:
    address = refusing_address()
    with pytest.raises(ModelError, match=r'cannot be reached.*start the server') as caught:
        opened(address).get(f'{address}/x', CancelToken())
    assert address in str(caught.value)
    assert '(3 tries)' in str(caught.value)


def test_an_unknown_host_cannot_be_reached(opened: Opening) -> None:
    address = 'http://no-such-host.invalid'
    with pytest.raises(ModelError, match=r'no-such-host\.invalid cannot be reached'):
        opened(address).get(f'{address}/x', CancelToken(), tries=1)


def test_a_server_that_hangs_ends_by_the_read_timeout(
    server: Any, reply: Any, opened: Opening
) -> None:
    server.on('/x', reply(fault='hang'))
    started = time.monotonic()
    with pytest.raises(ModelError, match=r'silent for 0\.3 s.*request_timeout'):
        opened(server.url).get(f'{server.url}/x', CancelToken())
    assert time.monotonic() - started < 1.5
    assert len(server.seen) == 1, 'a silent server is not asked again'


def test_a_slow_drip_ends_by_the_total_timeout(server: Any, reply: Any, opened: Opening) -> None:
    server.on('/x', reply(fault='drip'))
    limits = HttpLimits(total_timeout=0.4, max_retries=2, first_pause=0.01)
    started = time.monotonic()
    with pytest.raises(ModelError, match=r'within 0\.4 s.*request_timeout'):
        opened(server.url, limits).get(f'{server.url}/x', CancelToken())
    assert time.monotonic() - started < 1.5


@pytest.mark.parametrize('page', ['<!DOCTYPE html><html>Welcome</html>', '<html></html>'])
def test_a_web_page_is_said_to_be_one(server: Any, reply: Any, opened: Opening, page: str) -> None:
    server.on('/x', reply(page, headers={'Content-Type': 'text/html'}))
    with pytest.raises(ModelError, match=r'answers with a web page.*base URL') as caught:
        opened(server.url).get(f'{server.url}/x', CancelToken())
    assert server.url in str(caught.value)


@pytest.mark.parametrize('body', ['{"a": [1, ', '', b'\xff\xfe', '[' * 90_000])
def test_json_that_does_not_parse_is_an_error(
    server: Any, reply: Any, opened: Opening, body: Any
) -> None:
    server.on('/x', reply(body))
    with pytest.raises(ModelError, match='no valid JSON'):
        opened(server.url).get(f'{server.url}/x', CancelToken())


def test_a_truncated_answer_is_asked_for_again(server: Any, reply: Any, opened: Opening) -> None:
    server.on('/x', reply({'a': 1}, fault='truncate'), reply({'a': 2}))
    assert opened(server.url).get(f'{server.url}/x', CancelToken()) == {'a': 2}


def test_a_lost_connection_is_tried_again(server: Any, reply: Any, opened: Opening) -> None:
    server.on('/x', reply(fault='close'), reply(fault='close'), reply({'a': 1}))
    assert opened(server.url).get(f'{server.url}/x', CancelToken()) == {'a': 1}
    assert len(server.seen) == 3


@pytest.mark.parametrize('status', [408, 429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again(
    server: Any, reply: Any, opened: Opening, status: int
) -> None:
    server.on('/x', reply({}, status), reply({'a': 1}))
    assert opened(server.url).get(f'{server.url}/x', CancelToken()) == {'a': 1}


def test_a_lasting_failure_ends_after_the_tries(server: Any, reply: Any, opened: Opening) -> None:
    server.on('/x', reply({'error': {'message': 'Loading model'}}, 503))
    said = r'HTTP 503, it says: Loading model.*3 tries'
    with pytest.raises(RequestRefused, match=said) as found:
        opened(server.url).get(f'{server.url}/x', CancelToken())
    assert found.value.status == 503
    assert len(server.seen) == 3


def test_retry_after_is_honoured(server: Any, reply: Any, opened: Opening) -> None:
    server.on('/x', reply({}, 429, {'Retry-After': '0.4'}), reply({'a': 1}))
    started = time.monotonic()
    assert opened(server.url).get(f'{server.url}/x', CancelToken()) == {'a': 1}
    assert 0.4 <= time.monotonic() - started < 1.5


def test_a_retry_after_beyond_the_deadline_ends_at_once(
    server: Any, reply: Any, opened: Opening
) -> None:
    server.on('/x', reply({}, 429, {'Retry-After': '3600'}))
    started = time.monotonic()
    with pytest.raises(ModelError, match='3600 s, past the time limit of 2 s'):
        opened(server.url).get(f'{server.url}/x', CancelToken())
    assert time.monotonic() - started < 1.0


def test_retry_after_may_be_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 80.0 < seconds_of(later) <= 90.0
    assert seconds_of('Wed, 21 Oct 2015 07:28:00 GMT') == 0.0


@hypothesis.settings(deadline=None)
@hypothesis.given(strategies.text())
def test_any_retry_after_is_some_number_of_seconds(text: str) -> None:
    seconds = seconds_of(text)
    assert 0.0 <= seconds < float('inf')


def test_waiting_for_the_next_try_listens_to_the_cancel(
    server: Any, reply: Any, opened: Opening, canceler: Any
) -> None:
    server.on('/x', reply({}, 429, {'Retry-After': '30'}))
    client = opened(server.url, HttpLimits())
    with pytest.raises(CanceledError):
        client.get(f'{server.url}/x', canceler.start())
    assert canceler.seconds_since() < 0.5


@pytest.mark.parametrize('fault', ['hang', 'drip'])
def test_a_cancel_ends_a_request_in_flight_and_closes_its_connection(
    server: Any, reply: Any, opened: Opening, fault: str, canceler: Any
) -> None:
    server.on('/x', reply(fault=fault))
    client = opened(server.url, HttpLimits())
    with pytest.raises(CanceledError):
        client.get(f'{server.url}/x', canceler.start())
    assert canceler.seconds_since() < 0.5
    assert server.disconnected.wait(2.0), 'the server must see that nobody waits any more'


def test_a_token_past_its_deadline_ends_a_request_too(
    server: Any, reply: Any, opened: Opening
) -> None:
    server.on('/x', reply(fault='hang'))
    client = opened(server.url, HttpLimits())
    deadline = time.monotonic() + 0.1
    with pytest.raises(CanceledError, match='time limit'):
        client.get(f'{server.url}/x', CancelToken(deadline))
    assert time.monotonic() - deadline < 0.5


def test_closing_ends_a_request_in_flight(server: Any, reply: Any, opened: Opening) -> None:
    server.on('/x', reply(fault='hang'))
    client = opened(server.url, HttpLimits())
    threading.Timer(0.2, client.close).start()
    with pytest.raises(CanceledError):
        client.get(f'{server.url}/x', CancelToken())
    with pytest.raises(ModelError, match='closed'):
        client.get(f'{server.url}/x', CancelToken())


def test_closing_leaves_no_thread(server: Any, reply: Any) -> None:
    server.on('/x', reply({}))
    before = set(threading.enumerate())
    client = ServerConnection(server.url, limits=QUICK)
    client.get(f'{server.url}/x', CancelToken())
    client.close()
    left = [
        thread.name for thread in set(threading.enumerate()) - before if thread.name == THREAD_NAME
    ]
    assert not left


def test_no_redirect_is_followed_to_another_host(
    server: Any, other_server: Any, reply: Any, opened: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('TEST_KEY', KEY)
    server.on('/x', reply({}, 307, {'Location': f'{other_server.url}/x?token=1'}))
    with pytest.raises(ModelError, match='redirects to') as caught:
        opened(server.url, api_key_env='TEST_KEY').get(f'{server.url}/x', CancelToken())
    assert other_server.url in str(caught.value)
    assert not other_server.seen


def test_a_huge_answer_is_not_read_to_its_end(server: Any, reply: Any, opened: Opening) -> None:
    server.on('/x', reply(b' ' * 10_000_000))
    with pytest.raises(ModelError, match=r'more than 100000 bytes.*check the address'):
        opened(server.url).get(f'{server.url}/x', CancelToken())


def test_a_compressed_answer_is_not_unpacked(server: Any, reply: Any, opened: Opening) -> None:
    server.on('/x', reply(b'...', headers={'Content-Encoding': 'gzip'}))
    with pytest.raises(ModelError, match='compresses'):
        opened(server.url).get(f'{server.url}/x', CancelToken())
    assert server.seen[0].headers['Accept-Encoding'] == 'identity'


def test_the_key_is_sent_and_shown_nowhere(
    server: Any,
    reply: Any,
    opened: Opening,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv('TEST_KEY', KEY)
    caplog.set_level(logging.DEBUG)
    server.on('/x', reply({'error': {'message': f'wrong key {KEY}'}}, 400))
    server.on('/y', reply({'error': {'message': f'wrong key {KEY}'}}, 401))
    client = opened(server.url, api_key_env='TEST_KEY')
    with pytest.raises(RequestRefused, match=r'wrong key \*\*\*') as refused:
        client.get(f'{server.url}/x', CancelToken())
    with pytest.raises(ModelError, match='check the key in TEST_KEY') as denied:
        client.get(f'{server.url}/y', CancelToken())
    assert server.seen[0].headers['Authorization'] == f'Bearer {KEY}'
    for shown in (repr(client), caplog.text, str(refused.value), str(denied.value)):
        assert KEY not in shown


def test_a_key_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('TEST_KEY', raising=False)
    with pytest.raises(ConfigurationError, match='TEST_KEY is not set'):
        ServerConnection('http://127.0.0.1:1', 'TEST_KEY')


def test_a_key_that_cannot_stand_in_a_header_is_refused_unseen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv('TEST_KEY', 'two words')
    with pytest.raises(ConfigurationError, match='TEST_KEY holds no usable') as caught:
        ServerConnection('http://127.0.0.1:1', 'TEST_KEY')
    assert 'two' not in str(caught.value)


@pytest.mark.parametrize(
    'host', ['192.0.2.1', 'models.example', '127.0.0.1.example', '[2001:db8::1]']
)
def test_a_key_goes_over_plain_http_to_another_machine_only_where_that_is_allowed(
    host: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv('TEST_KEY', KEY)
    with pytest.raises(ConfigurationError, match='use https, or set api_key_over_http') as caught:
        ServerConnection(f'http://{host}:8000/v1', 'TEST_KEY')
    ServerConnection(f'http://{host}:8000/v1').close()
    ServerConnection(f'https://{host}:8000/v1', 'TEST_KEY').close()
    assert not caplog.text
    ServerConnection(f'http://{host}:8000/v1', 'TEST_KEY', key_over_http=True).close()
    assert 'unencrypted' in caplog.text
    assert KEY not in caplog.text + str(caught.value)


@pytest.mark.parametrize('host', ['localhost', '127.0.0.1', '127.8.9.1', '[::1]'])
def test_a_key_may_go_over_plain_http_to_this_machine(
    host: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv('TEST_KEY', KEY)
    ServerConnection(f'http://{host}:8000/v1', 'TEST_KEY').close()
    assert not caplog.text


def test_the_planners_parameter_lets_a_key_go_over_plain_http(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv('TEST_KEY', KEY)
    options = ModelOptions(api_key_variable='TEST_KEY')
    with pytest.raises(ConfigurationError, match='api_key_over_http'):
        load_model('http://192.0.2.1:8000/v1', options)
    allowed = replace(options, api_key_over_http=True)
    load_model('http://192.0.2.1:8000/v1', allowed).close()


def test_what_a_server_says_is_bounded_and_on_one_line(
    server: Any, reply: Any, opened: Opening
) -> None:
    server.on('/x', reply({'error': {'message': 'a\nb\x1b[31m' + 'x' * 5000}}, 400))
    with pytest.raises(RequestRefused) as caught:
        opened(server.url).get(f'{server.url}/x', CancelToken())
    message = str(caught.value)
    assert len(message) < 500
    assert message.isprintable()


def test_a_prompt_that_does_not_fit_says_so(server: Any, reply: Any, opened: Opening) -> None:
    server.on(
        '/x',
        reply(
            {
                'error': {
                    'type': 'exceed_context_size_error',
                    'message': 'request (15002 tokens) exceeds the available context size',
                }
            },
            400,
        ),
    )
    with pytest.raises(ModelError, match='no room for this prompt') as caught:
        opened(server.url).post(f'{server.url}/x', {}, CancelToken())
    assert not isinstance(caught.value, RequestRefused)


def test_a_certificate_that_nobody_signed_is_not_trusted(server: Any, opened: Opening) -> None:
    # A server that speaks no TLS fails the same way: the handshake ends in an SSL error.
    address = server.url.replace('http:', 'https:')
    with pytest.raises(ModelError, match='no TLS connection that can be trusted'):
        opened(address).get(f'{address}/x', CancelToken(), tries=1)


@pytest.mark.parametrize(
    'wrong',
    [
        {'connect_timeout': 0.0},
        {'read_timeout': float('nan')},
        {'total_timeout': -1.0},
        {'max_retries': -1},
        {'max_retries': 21},
        {'first_pause': -1.0},
        {'max_answer_bytes': 0},
    ],
)
def test_limits_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        HttpLimits(**wrong)


def sockets_and_threads() -> tuple[int, int]:
    """Open sockets and client threads of this process."""
    links = []
    for descriptor in Path('/proc/self/fd').iterdir():
        try:
            links.append(str(descriptor.readlink()))
        except FileNotFoundError:
            continue
    threads = [thread for thread in threading.enumerate() if thread.name == THREAD_NAME]
    return sum(link.startswith('socket:') for link in links), len(threads)


def test_no_fault_leaves_a_thread_or_a_socket_behind(server: Any, reply: Any) -> None:
    faults = [reply(fault=fault) for fault in ('hang', 'drip', 'close', 'truncate')]
    faults += [
        reply({}, 429, {'Retry-After': '60'}),
        reply({}, 503),
        reply('{"a": ['),
        reply('<html>'),
        reply(b' ' * 200_000),
        reply({}, 307, {'Location': '/y'}),
    ]
    limits = HttpLimits(
        connect_timeout=0.2,
        read_timeout=0.05,
        total_timeout=0.2,
        max_retries=1,
        first_pause=0.01,
        max_answer_bytes=100_000,
    )
    before = sockets_and_threads()
    for fault in faults * 3:
        server.on('/x', fault)
        client = ServerConnection(server.url, limits=limits)
        started = time.monotonic()
        with pytest.raises(ModelError):
            client.get(f'{server.url}/x', CancelToken())
        assert time.monotonic() - started < 1.0
        client.close()
    # The other ends of the connections are in this process too, and close a moment later.
    deadline = time.monotonic() + 5.0
    while sockets_and_threads() != before and time.monotonic() < deadline:
        threading.Event().wait(0.02)
    assert sockets_and_threads() == before
