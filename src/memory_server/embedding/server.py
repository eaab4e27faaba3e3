"""Encoders behind an OpenAI-compatible server: POST <address>/embeddings."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Coroutine
from collections.abc import Sequence
from typing import Any

import httpx
import numpy as np

from reactree_core.errors import ConfigurationError
from reactree_core.errors import EncoderError
from reactree_core.ports import FloatMatrix
from reactree_core.server_access import is_loopback
from reactree_core.server_access import read_api_key
from reactree_core.server_access import refuse_open_key

_MAY_PASS = frozenset({408, 429, 500, 502, 503, 504, 529})
#: Bytes of an answer, beside those of its numbers.
_OVERHEAD = 1 << 20
_BYTES_PER_TEXT = 1 << 18
_EXCERPT = 200
_PAUSE = 0.2


class ServerEmbedder:
    """Asks a server for vectors, in batches, and scales them to length 1.

    :param address: base URL, usually like 'http://host:8080/v1'.
    :param model: model name to ask for.
    :param key_variable: name of the environment variable with the server's key; '' for none.
    :param timeout: seconds for one batch with all its tries, over 0.
    :param batch: texts in one request, 1 or more.
    :param tries: of one batch, 1 or more; a busy server or a lost connection is tried again.
    :param key_over_http: send the key to another machine unencrypted too.
    :raises ConfigurationError: address, model or key cannot be used.
    :raises EncoderError: the server gives no vector for a first text.
    """

    def __init__(
        self,
        address: str,
        model: str,
        key_variable: str = '',
        timeout: float = 10.0,
        batch: int = 64,
        tries: int = 3,
        key_over_http: bool = False,
    ) -> None:
        if not model:
            raise ConfigurationError(
                'encoder:=server needs the name of a model: set encoder_model'
            )
        self._url = _checked(address)
        self._model = model
        self._timeout = timeout
        self._batch = batch
        self._tries = tries
        self._key = read_api_key(key_variable, 'embeddings server', 'encoder_key_variable')
        self._key_variable = key_variable
        headers = {'Accept': 'application/json', 'Accept-Encoding': 'identity'}
        if self._key:
            headers['Authorization'] = f'Bearer {self._key}'
            refuse_open_key(
                key_variable,
                self._url.scheme,
                self._url.host,
                address,
                'encoder_key_over_http',
                key_over_http,
            )
        self._client = httpx.AsyncClient(
            headers=headers,
            # A request has one time limit for the whole of it, see `_exchange`.
            timeout=None,
            follow_redirects=False,
            # A proxy of the environment is for the outside world, never for this machine.
            trust_env=not is_loopback(self._url.host),
        )
        # What runs on a loop can be ended wherever it waits; the caller's thread runs it.
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._lock = threading.Lock()
        try:
            first = self._request(['the first text tells the dimension'], 0)
        except BaseException:
            self.close()
            raise
        self._dimension = int(first.shape[1])

    @property
    def name(self) -> str:
        """The model: another server with the same one gives the same vectors."""
        return f'server/{self._model}'

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """One unit row a text.

        :raises EncoderError: the server gives no usable answer in time.
        """
        parts = [np.empty((0, self._dimension), np.float32)]
        for start in range(0, len(texts), self._batch):
            parts.append(self._request(texts[start : start + self._batch], self._dimension))
        return np.concatenate(parts)

    def close(self) -> None:
        """End the connections; nothing else may be called after."""
        with self._lock:
            if not self._client.is_closed:
                self._runner.run(self._client.aclose())
                self._runner.close()

    def _request(self, texts: Sequence[str], dimension: int) -> FloatMatrix:
        # Lone surrogates are no JSON text, and many servers refuse an empty one.
        clean = [text.encode('utf-8', 'replace').decode('utf-8') or ' ' for text in texts]
        body = {'model': self._model, 'input': clean, 'encoding_format': 'float'}
        deadline = time.monotonic() + self._timeout
        for number in range(1, self._tries + 1):
            try:
                status, content = self._exchange(body, len(texts), deadline)
            except TimeoutError as error:
                raise self._silent() from error
            except httpx.RequestError as error:
                failure = f'cannot be reached ({type(error).__name__})'
            else:
                if status == 200:
                    return self._rows(content, len(texts), dimension)
                failure = f'refuses (HTTP {status}{self._words_of(content)})'
                if status in (401, 403):
                    failure += ': check the key that encoder_key_variable names'
                if status not in _MAY_PASS:
                    break
            pause = _PAUSE * 2 ** (number - 1)
            if number == self._tries or time.monotonic() + pause >= deadline:
                break
            threading.Event().wait(pause)
        raise EncoderError(
            f'the embeddings server {self._url} {failure}: check encoder_server and '
            'encoder_model, and that the server runs'
        )

    def _exchange(self, body: dict[str, Any], count: int, deadline: float) -> tuple[int, bytes]:
        if not self._lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise TimeoutError
        try:
            return self._runner.run(self._within(deadline, self._read(body, count)))
        finally:
            self._lock.release()

    async def _within(
        self, deadline: float, answer: Coroutine[Any, Any, tuple[int, bytes]]
    ) -> tuple[int, bytes]:
        # httpx gives each byte that arrives the whole time again: a server that drips its headers
        # or its answer would never end.
        async with asyncio.timeout(deadline - time.monotonic()):
            return await answer

    async def _read(self, body: dict[str, Any], count: int) -> tuple[int, bytes]:
        longest = _OVERHEAD + count * _BYTES_PER_TEXT
        async with self._client.stream('POST', self._url, json=body) as response:
            if response.headers.get('content-encoding', 'identity') != 'identity':
                raise EncoderError(
                    f'the embeddings server {self._url} compresses its answers though asked not '
                    'to: put no compressing proxy before it'
                )
            content = bytearray()
            async for part in response.aiter_raw():
                content += part
                if len(content) > longest:
                    raise EncoderError(
                        f'the embeddings server {self._url} answers with more than {longest} '
                        'bytes: check encoder_server'
                    )
            return response.status_code, bytes(content)

    def _rows(self, content: bytes, count: int, dimension: int) -> FloatMatrix:
        try:
            entries = json.loads(content)['data']
            # Servers may answer in another order.
            entries = sorted(entries, key=lambda entry: int(entry['index']))
            order = [int(entry['index']) for entry in entries]
            rows = np.array([entry['embedding'] for entry in entries], np.float32)
            if order != list(range(count)) or rows.ndim != 2:
                raise ValueError('not one vector for each text')
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise EncoderError(
                f'the embeddings server {self._url} gives no vectors ({error}): check that '
                'encoder_server is an OpenAI-compatible server and encoder_model an encoder'
            ) from error
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise EncoderError(
                f'the embeddings server {self._url} gives vectors without a direction: choose '
                'another encoder_model'
            )
        if dimension and rows.shape[1] != dimension:
            raise EncoderError(
                f'the embeddings server {self._url} changed its vectors from {dimension} to '
                f'{rows.shape[1]} numbers: restart the node'
            )
        unit: FloatMatrix = rows / lengths
        return unit

    def _silent(self) -> EncoderError:
        return EncoderError(
            f'the embeddings server {self._url} gave no answer within {self._timeout:g} s: look '
            'at the server, or raise encoder_timeout'
        )

    def _words_of(self, content: bytes) -> str:
        """What an error answer says, bounded, on one line and without the key."""
        words = ' '.join(content[: 10 * _EXCERPT].decode('utf-8', 'replace').split())
        if self._key:
            words = words.replace(self._key, '***')
        words = ''.join(letter for letter in words if letter.isprintable())[:_EXCERPT]
        return f', it says: {words}' if words else ''


def _checked(address: str) -> httpx.URL:
    try:
        url = httpx.URL(address.rstrip('/') + '/embeddings')
    except httpx.InvalidURL:
        url = httpx.URL('')
    if url.scheme not in ('http', 'https') or not url.host:
        raise ConfigurationError(
            'encoder_server is no address: it must be like http://host:8080/v1'
        )
    if url.userinfo or url.query:
        raise ConfigurationError(
            'encoder_server holds a user, password or query, and addresses end up in logs: name '
            'the environment variable with the key in encoder_key_variable'
        )
    return url
