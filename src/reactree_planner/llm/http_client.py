"""JSON over HTTP with deadlines, retries and cancel, for servers that are slow, busy or wrong.

Requests run on one private event loop in one thread: a cancel then closes the connection at once
(a server sees that and stops working), and no thread is left behind by a server that hangs.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import email.utils
import json
import logging
import random
import ssl
import threading
import time
from collections.abc import AsyncGenerator
from collections.abc import Coroutine
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from datetime import UTC
from typing import Any
from typing import cast

import httpx

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_core.errors import PromptTooLongError
from reactree_core.server_access import is_loopback
from reactree_core.server_access import read_api_key
from reactree_core.server_access import refuse_open_key

_LOG = logging.getLogger(__name__)

#: Seconds between two looks at the cancel token while a request runs.
_POLL = 0.05
#: Longest wait between two tries that we choose ourselves.
_LONGEST_PAUSE = 30.0
_CLOSE_SECONDS = 2.0


class HttpClient:
    """GET and POST of JSON to one server; may be used from several threads.

    :param address: where the server is, for messages; must not hold secrets.
    :param api_key_env: name of the environment variable with the API key; '' for none.
    :param key_over_http: send the key to another machine unencrypted too.
    :raises ConfigurationError: that variable is not set, holds no usable key, or one that would be
        sent unencrypted.
    """

    def __init__(
        self,
        address: str,
        api_key_env: str = '',
        limits: HttpLimits | None = None,
        key_over_http: bool = False,
    ) -> None:
        self.address = address
        self.limits = limits or HttpLimits()
        key = read_api_key(api_key_env, 'model server', 'api_key_variable')
        self._reader = AnswerReader(address, key, api_key_env)
        url = httpx.URL(address)
        local, plain = is_loopback(url.host), url.scheme == 'http'
        # Stated, because compressed answers cannot be bounded before they are unpacked.
        headers = {'Accept': 'application/json', 'Accept-Encoding': 'identity'}
        if key:
            headers['Authorization'] = f'Bearer {key}'
            refuse_open_key(
                api_key_env, url.scheme, url.host, address, 'api_key_over_http', key_over_http
            )
        self._client = httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(self.limits.read_timeout, connect=self.limits.connect_timeout),
            follow_redirects=False,
            # A proxy of the environment is for the outside world, never for this machine.
            trust_env=not local,
            # Loading the authorities takes long, and nothing speaks TLS here: trust nobody.
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if local and plain else True,
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name='language-model-http', daemon=True
        )
        self._thread.start()
        self._random = random.Random()
        self._closed = False
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f'HttpClient({self.address!r})'

    def get(
        self, url: str, cancel: CancelToken, tries: int | None = None, within: float | None = None
    ) -> Any:
        """JSON value at an address.

        :param tries: at most so many; None for what the limits say.
        :param within: seconds for all tries; None for what the limits say.
        :raises RequestRefused: the server will not. :raises ModelError: no usable answer.
        :raises CanceledError: stopped.
        """
        return self._request('GET', url, None, cancel, tries, within)

    def post(
        self, url: str, body: dict[str, Any], cancel: CancelToken, within: float | None = None
    ) -> Any:
        """JSON answer to a JSON request; errors as for `get`."""
        return self._request('POST', url, json.dumps(body).encode(), cancel, None, within)

    def close(self) -> None:
        """End what runs, close every connection and the thread; safe to call twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            ending = asyncio.run_coroutine_threadsafe(self._end_all(), self._loop)
        concurrent.futures.wait([ending], timeout=2.0 * _CLOSE_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSE_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    async def _end_all(self) -> None:
        running = asyncio.all_tasks() - {asyncio.current_task()}
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._client.aclose()
                # Answers that were not read to the end are closed by tasks of their own.
                await asyncio.sleep(0)
                while left := asyncio.all_tasks() - {asyncio.current_task()}:
                    await asyncio.gather(*left, return_exceptions=True)
                    await asyncio.sleep(0)
        except TimeoutError:
            _LOG.info('%s does not take part in closing the connection', self.address)

    def _request(
        self,
        method: str,
        url: str,
        body: bytes | None,
        cancel: CancelToken,
        tries: int | None,
        within: float | None,
    ) -> Any:
        total = min(self.limits.total_timeout, within or self.limits.total_timeout)
        deadline = time.monotonic() + total
        tries = tries or self.limits.max_retries + 1
        for number in range(1, tries + 1):
            cancel.check()
            try:
                return self._once(method, url, body, deadline, cancel)
            except MayPassError as error:
                said = f'{error}' if number == 1 else f'{error} ({number} tries)'
                if number == tries:
                    raise self._given_up(said, error.status) from error
                pause = max(self._pause(number), error.retry_after)
                if time.monotonic() + pause >= deadline:
                    raise self._given_up(
                        f'{said} The next try would be in {pause:.0f} s, past the time limit '
                        f'of {total:g} s (request_timeout).',
                        error.status,
                    ) from error
                _LOG.info('%s; next try in %.1f s', said, pause)
                cancel.wait(cancel.remaining(pause))
        raise AssertionError('unreachable')

    def _given_up(self, message: str, status: int) -> ModelError:
        return RequestRefused(message, status) if status else ModelError(message)

    def _pause(self, number: int) -> float:
        longest = min(_LONGEST_PAUSE, self.limits.first_pause * 2.0 ** (number - 1))
        return longest * self._random.uniform(0.5, 1.0)

    def _once(
        self, method: str, url: str, body: bytes | None, deadline: float, cancel: CancelToken
    ) -> Any:
        with self._lock:
            if self._closed:
                raise ModelError(f'The connection to {self.address} is closed.')
            future = asyncio.run_coroutine_threadsafe(
                self._exchange(method, url, body, deadline), self._loop
            )
        while not future.done():
            concurrent.futures.wait([future], timeout=_POLL)
            if cancel.stopped and not future.done():
                future.cancel()
                cancel.check()
        try:
            response, content = future.result()
        except concurrent.futures.CancelledError as error:
            raise CanceledError(f'the connection to {self.address} was closed') from error
        return self._reader.value_of(response, content)

    async def _exchange(
        self, method: str, url: str, body: bytes | None, deadline: float
    ) -> tuple[httpx.Response, bytes]:
        limits = self.limits
        where = self.address
        try:
            async with asyncio.timeout(deadline - time.monotonic()):
                return await self._stream(method, url, body)
        except TimeoutError as error:
            raise ModelError(
                f'{where} did not finish its answer within {limits.total_timeout:g} s: raise '
                'request_timeout, or use a faster model or server.'
            ) from error
        except httpx.ConnectTimeout as error:
            raise MayPassError(
                f'{where} takes no connection within {limits.connect_timeout:g} s: check the '
                'address and that the server runs.'
            ) from error
        except httpx.ConnectError as error:
            if any(isinstance(cause, ssl.SSLError) for cause in _causes(error)):
                raise ModelError(
                    f'{where} gives no TLS connection that can be trusted: check the address '
                    '(http or https?), or name the authority that signed its certificate in '
                    'SSL_CERT_FILE.'
                ) from error
            raise MayPassError(
                f'{where} cannot be reached: check the address and start the server there.'
            ) from error
        except httpx.TimeoutException as error:
            raise ModelError(
                f'{where} took the request but was silent for {limits.read_timeout:g} s: look '
                'at the server, or raise request_timeout.'
            ) from error
        except UnicodeError as error:
            # httpx looks at a redirect even when it is not to follow it, and lets this through.
            raise ModelError(
                f'{where} redirects to an unreadable address, which is not followed: check the '
                'base URL.'
            ) from error
        except httpx.RequestError as error:
            raise MayPassError(
                f'{where} broke the connection ({type(error).__name__}): look at the server.'
            ) from error

    def _stream(
        self,
        method: str,
        url: str,
        body: bytes | None,
    ) -> Coroutine[Any, Any, tuple[httpx.Response, bytes]]:
        return self._read(
            self._client.build_request(
                method, url, content=body, headers={'Content-Type': 'application/json'}
            )
        )

    async def _read(self, request: httpx.Request) -> tuple[httpx.Response, bytes]:
        response = await self._client.send(request, stream=True)
        try:
            if response.headers.get('content-encoding', 'identity') != 'identity':
                raise ModelError(
                    f'{self.address} compresses its answers though asked not to: put no '
                    'compressing proxy before it.'
                )
            parts: list[bytes] = []
            size = 0
            # Closed here: what is left half read would be closed by a loop that may have ended.
            coming = cast('AsyncGenerator[bytes, None]', response.aiter_raw())
            async with contextlib.aclosing(coming):
                async for part in coming:
                    size += len(part)
                    if size > self.limits.max_answer_bytes:
                        raise ModelError(
                            f'{self.address} answered with more than '
                            f'{self.limits.max_answer_bytes} bytes: it does not seem to be a '
                            'model server; check the address.'
                        )
                    parts.append(part)
            return response, b''.join(parts)
        finally:
            await response.aclose()


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Deadlines, retries and sizes of one server.

    :param connect_timeout: seconds until a connection stands, over 0.
    :param read_timeout: longest silence in seconds; a model on a CPU is silent while it reads
        a long prompt. Over 0.
    :param total_timeout: seconds for one request with all its tries, over 0.
    :param max_retries: further tries after 429, 5xx or a lost connection, 0..20.
    :param first_pause: seconds before the second try; doubles with each, with jitter.
    :param max_answer_bytes: longest answer that is read, 1024 or more.
    """

    connect_timeout: float = 5.0
    read_timeout: float = 300.0
    total_timeout: float = 600.0
    max_retries: int = 4
    first_pause: float = 0.5
    max_answer_bytes: int = 4 * 1024**2

    def __post_init__(self) -> None:
        for name in ('connect_timeout', 'read_timeout', 'total_timeout'):
            if not getattr(self, name) > 0.0:
                raise ConfigurationError(f'{name} must be more than 0 seconds.')
        if not 0 <= self.max_retries <= 20:
            raise ConfigurationError('max_retries must be 0 to 20.')
        if self.first_pause < 0.0 or self.max_answer_bytes < 1024:
            raise ConfigurationError(
                'first_pause must not be negative, and max_answer_bytes 1024 or more.'
            )


#: Characters of a server's own words that are repeated in an error.
_EXCERPT = 200
_MAY_PASS = frozenset({408, 429, 500, 502, 503, 504, 529})
_TOO_LONG = (
    'exceed_context_size',
    'context_length_exceeded',
    'maximum context length',
    'context size',
    'context window',
    'maximum model length',
)


class RequestRefused(ModelError):
    """The server answered that it will not do this request.

    :param status: HTTP status, 400..599.
    :param parameter: the request field the server names as the reason, '' when it names none.
    """

    def __init__(self, message: str, status: int, parameter: str = '') -> None:
        super().__init__(message)
        self.status = status
        self.parameter = parameter


class MayPassError(Exception):
    """Something that a later try may not meet."""

    def __init__(self, message: str, status: int = 0, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class AnswerReader:
    """Reads the answers of one server; its messages never hold the key."""

    def __init__(self, address: str, key: str, api_key_env: str) -> None:
        self._address = address
        self._key = key
        self._api_key_env = api_key_env

    def value_of(self, response: httpx.Response, content: bytes) -> Any:
        """JSON value of a good answer.

        :raises MayPassError: a later try may succeed. :raises RequestRefused: it will not.
        :raises ModelError: the answer is unusable.
        """
        status = response.status_code
        if 200 <= status < 300:
            return self._parse(content)
        where = self._address
        if 300 <= status < 400:
            target = _origin(response.headers.get('location', ''))
            raise ModelError(
                f'{where} redirects to {target}, which is not followed: if that is right, give '
                'its address as the base URL.'
            )
        said, parameter = self._words_of(content)
        if status in (401, 403):
            hint = (
                f'check the key in {self._api_key_env}'
                if self._api_key_env
                else 'name the environment variable with its key in api_key_variable'
            )
            raise ModelError(f'{where} refuses access (HTTP {status}): {hint}.')
        if status in _MAY_PASS:
            raise MayPassError(
                f'{where} is busy or failing (HTTP {status}{said}): try again later, or look at '
                'the server.',
                status,
                seconds_of(response.headers.get('retry-after', '')),
            )
        if any(word in said.lower() for word in _TOO_LONG):
            raise PromptTooLongError(
                f'{where} has no room for this prompt (HTTP {status}{said}): give the server a '
                'longer context, or lower the token budget of the prompt.'
            )
        raise RequestRefused(
            f'{where} refuses {response.request.url.path} (HTTP {status}{said}): check the '
            'address and the model name.',
            status,
            parameter,
        )

    def _parse(self, content: bytes) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            start = content[:200].lstrip().lower()
            kind = 'a web page' if start.startswith((b'<!doctype', b'<html')) else 'no valid JSON'
            raise ModelError(
                f'{self._address} answers with {kind}: it is no OpenAI-compatible server, or the '
                'path is wrong; the base URL is usually like http://host:8080/v1.'
            ) from error

    def _words_of(self, content: bytes) -> tuple[str, str]:
        """What an error answer says, bounded, on one line and without the key."""
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            return '', ''
        error = value.get('error', value) if isinstance(value, dict) else value
        parameter = ''
        if isinstance(error, dict):
            parameter = str(error.get('param') or '')[:100]
            error = f'{error.get("type") or ""} {error.get("message") or ""}'
        words = ' '.join(str(error).split())
        if self._key:
            words = words.replace(self._key, '***')
        words = ''.join(letter for letter in words if letter.isprintable())[:_EXCERPT]
        return (f', it says: {words}' if words.strip() else ''), parameter


def _origin(location: str) -> str:
    try:
        url = httpx.URL(location)
        host = url.host
    except (httpx.InvalidURL, UnicodeError):
        # UnicodeError: a host name that looks encoded (xn--...) and is not.
        return 'an unreadable address'
    return f'{url.scheme}://{url.netloc.decode()}'[:_EXCERPT] if host else 'another path'


def seconds_of(retry_after: str) -> float:
    """Seconds a Retry-After header asks for, as a number or a date; 0.0 when unreadable."""
    text = retry_after.strip()
    try:
        return max(0.0, float(text)) if float(text) < float('inf') else 0.0
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
