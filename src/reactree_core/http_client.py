"""HTTP with deadlines, bounds, retries and cancel, for servers that are slow, busy or wrong.

The one client for model servers, embeddings servers and the hub of models. Requests run on one
private event loop in one thread: a cancel then closes the connection at once (a server sees that
and stops working), and no thread is left behind by a server that hangs.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import logging
import random
import ssl
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast, TypeVar

import httpx

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ConfigurationError
from reactree_core.http_faults import Fault, HttpFault, refusal_of
from reactree_core.server_access import is_loopback, ServerKey

_LOG = logging.getLogger(__name__)

THREAD_NAME = 'http-client'
#: Seconds between two looks at the cancel token while a request runs.
_POLL = 0.05
#: Longest wait between two tries that we choose ourselves.
_LONGEST_PAUSE = 30.0
_CLOSE_SECONDS = 2.0
#: What a later try may not meet.
_PASSING = frozenset({Fault.UNREACHABLE, Fault.NO_CONNECTION, Fault.BROKEN, Fault.BUSY})

_Result = TypeVar('_Result')


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


class HttpClient:
    """Requests to one server, which may come from several threads.

    :param url: where the server is; must hold no secrets.
    :param limits: of every request.
    :param key: sent to the server; None for none.
    :param name: how errors call the server; '' for its address.
    :raises ConfigurationError: the key is not set, not usable, or would be sent unencrypted.
    """

    def __init__(
        self, url: httpx.URL, limits: HttpLimits, key: ServerKey | None = None, name: str = ''
    ) -> None:
        self.name = name or str(url)
        self.limits = limits
        self._key = key.read(url) if key else ''
        local, plain = is_loopback(url.host), url.scheme == 'http'
        # Stated, because compressed answers cannot be bounded before they are unpacked.
        headers = {'Accept-Encoding': 'identity', 'User-Agent': 'reactree'}
        if self._key:
            headers['Authorization'] = f'Bearer {self._key}'
        self._client = httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(limits.read_timeout, connect=limits.connect_timeout),
            follow_redirects=False,
            # A proxy of the environment is for the outside world, never for this machine.
            trust_env=not local,
            # Loading the authorities takes long; where nothing speaks TLS, nobody is trusted.
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            if local and plain
            else httpx.create_ssl_context(),
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name=THREAD_NAME, daemon=True
        )
        self._thread.start()
        self._random = random.Random()
        self._closed = False
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f'HttpClient({self.name!r})'

    def request(
        self,
        method: str,
        url: str | httpx.URL,
        cancel: CancelToken,
        body: object = None,
        tries: int | None = None,
        within: float | None = None,
        longest: int | None = None,
    ) -> bytes:
        """Content of a good answer (200..299).

        :param body: sent as JSON; None for nothing.
        :param tries: at most so many; None for what the limits say.
        :param within: seconds for all tries, at most what the limits say, as for None.
        :param longest: bytes of the answer, at most; None for what the limits say.
        :raises HttpFault: there is none. :raises CanceledError: stopped.
        """
        total = min(self.limits.total_timeout, within or self.limits.total_timeout)
        deadline = time.monotonic() + total
        tries = tries or self.limits.max_retries + 1
        longest = longest or self.limits.max_answer_bytes
        headers = {'Accept': 'application/json', 'Content-Type': 'application/json'}
        content = None if body is None else json.dumps(body).encode()
        request = self._client.build_request(method, url, content=content, headers=headers)
        for number in range(1, tries + 1):
            cancel.check()
            try:
                return self._run(self._exchange(request, deadline, total, longest), cancel)
            except HttpFault as fault:
                fault.tries = number
                if fault.fault not in _PASSING or number == tries:
                    raise
                pause = max(self._pause(number), fault.retry_after)
                if time.monotonic() + pause >= deadline:
                    fault.next_pause = pause
                    raise
                _LOG.info('%s; next try in %.1f s', fault, pause)
            cancel.wait(cancel.remaining(pause))
        raise AssertionError('unreachable')

    def _pause(self, number: int) -> float:
        longest = min(_LONGEST_PAUSE, self.limits.first_pause * 2.0 ** (number - 1))
        return longest * self._random.uniform(0.5, 1.0)

    async def _exchange(
        self, request: httpx.Request, deadline: float, total: float, longest: int
    ) -> bytes:
        try:
            # httpx gives each byte that arrives the whole time again: a server that drips its
            # headers or its answer would never end.
            async with asyncio.timeout(deadline - time.monotonic()):
                return await self._read(request, longest)
        except TimeoutError as error:
            raise HttpFault(Fault.LATE, self.name, seconds=round(total, 2)) from error
        except (httpx.RequestError, UnicodeError) as error:
            raise self._fault_of(error, self.name) from error

    async def _read(self, request: httpx.Request, longest: int) -> bytes:
        response = await self._client.send(request, stream=True)
        try:
            if response.headers.get('content-encoding', 'identity') != 'identity':
                raise HttpFault(Fault.COMPRESSED, self.name)
            content = bytearray()
            # Closed here: what is left half read would be closed by a loop that may have ended.
            coming = cast('AsyncGenerator[bytes, None]', response.aiter_raw())
            async with contextlib.aclosing(coming):
                async for part in coming:
                    content += part
                    if len(content) > longest:
                        raise HttpFault(Fault.TOO_LONG, self.name, size=longest)
        finally:
            await response.aclose()
        if not response.is_success:
            raise refusal_of(response, bytes(content), self.name, self._key)
        return bytes(content)

    @contextlib.contextmanager
    def opened(
        self, url: httpx.URL, headers: Mapping[str, str]
    ) -> Iterator[tuple[httpx.Response, Iterator[bytes]]]:
        """Status and headers of any answer, and its bytes as they come, however many.

        The headers have the time of a whole request; the bytes only must not stop coming.

        :raises HttpFault: none comes, or it breaks off, also while the bytes are read.
        """
        request = self._client.build_request('GET', url, headers=dict(headers))

        async def begin() -> httpx.Response:
            async with asyncio.timeout(self.limits.total_timeout):
                return await self._client.send(request, stream=True)

        async def part() -> bytes | None:
            return await anext(coming, None)

        async def end() -> None:
            await coming.aclose()
            await response.aclose()

        def parts() -> Iterator[bytes]:
            while (block := self._run(self._guarded(part, url.host))) is not None:
                yield block

        response = self._run(self._guarded(begin, url.host))
        coming = cast('AsyncGenerator[bytes, None]', response.aiter_raw())
        try:
            yield response, parts()
        finally:
            self._run(end())

    async def _guarded(self, work: Callable[[], Awaitable[_Result]], server: str) -> _Result:
        try:
            return await work()
        except TimeoutError as error:
            raise HttpFault(Fault.LATE, server, seconds=self.limits.total_timeout) from error
        except (httpx.RequestError, UnicodeError) as error:
            raise self._fault_of(error, server) from error

    def _run(
        self, work: Coroutine[Any, Any, _Result], cancel: CancelToken | None = None
    ) -> _Result:
        """What work on the loop answers, or nothing as soon as nobody wants it any more."""
        with self._lock:
            if self._closed:
                work.close()
                raise HttpFault(Fault.CLOSED, self.name)
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        while not future.done():
            concurrent.futures.wait([future], timeout=_POLL)
            if cancel and cancel.stopped and not future.done():
                future.cancel()
                cancel.check()
        try:
            return future.result()
        except concurrent.futures.CancelledError as error:
            raise CanceledError(f'the connection to {self.name} was closed') from error

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
            _LOG.info('%s does not take part in closing the connection', self.name)

    def _fault_of(self, error: httpx.RequestError | UnicodeError, server: str) -> HttpFault:
        """What a request that failed means."""
        if isinstance(error, UnicodeError):
            # httpx looks at a redirect even when it is not to follow it, and lets this through.
            return HttpFault(Fault.REDIRECT, server, target='an unreadable address')
        if isinstance(error, httpx.ConnectTimeout):
            return HttpFault(Fault.NO_CONNECTION, server, seconds=self.limits.connect_timeout)
        if isinstance(error, httpx.ConnectError):
            untrusted = any(isinstance(cause, ssl.SSLError) for cause in _causes(error))
            return HttpFault(Fault.NO_TLS if untrusted else Fault.UNREACHABLE, server)
        if isinstance(error, httpx.TimeoutException):
            return HttpFault(Fault.SILENT, server, seconds=self.limits.read_timeout)
        return HttpFault(Fault.BROKEN, server, reason=type(error).__name__)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
