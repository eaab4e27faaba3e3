"""Encoders behind an OpenAI-compatible server: POST <address>/embeddings."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, EncoderError
from reactree_core.http_client import HttpClient, HttpLimits
from reactree_core.http_faults import Fault, HttpFault
from reactree_core.ports import FloatMatrix
from reactree_core.server_access import parse_address, ServerKey

#: Bytes of an answer, beside those of its numbers.
_OVERHEAD = 1 << 20
_BYTES_PER_TEXT = 1 << 18
_PAUSE = 0.2
_ADVICE = {
    Fault.LATE: 'look at the server, or raise encoder_timeout',
    Fault.DENIED: 'check the key that encoder_key_variable names',
    Fault.COMPRESSED: 'put no compressing proxy before it',
    Fault.TOO_LONG: 'check encoder_server',
}
_OTHERWISE = 'check encoder_server and encoder_model, and that the server runs'


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
        url = parse_address(address, 'encoder_server', 'encoder_key_variable')
        self._url = f'{str(url).rstrip("/")}/embeddings'
        self._name = f'the embeddings server {self._url}'
        self._model = model
        self._timeout = timeout
        self._batch = batch
        self._http = HttpClient(
            url,
            HttpLimits(timeout, timeout, timeout, tries - 1, _PAUSE),
            ServerKey(
                key_variable,
                'embeddings server',
                'encoder_key_variable',
                'encoder_key_over_http',
                key_over_http,
            ),
            self._name,
        )
        self._lock = threading.Lock()
        try:
            first = self._request(['the first text gives the dimension'], 0)
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
        self._http.close()

    def _request(self, texts: Sequence[str], dimension: int) -> FloatMatrix:
        # Lone surrogates are no JSON text, and many servers refuse an empty one.
        clean = [text.encode('utf-8', 'replace').decode('utf-8') or ' ' for text in texts]
        body = {'model': self._model, 'input': clean, 'encoding_format': 'float'}
        return self._rows(self._ask(body, len(texts)), len(texts), dimension)

    def _ask(self, body: dict[str, Any], count: int) -> bytes:
        """The server's answer, asked for once the texts of others have theirs."""
        deadline = time.monotonic() + self._timeout
        try:
            if not self._lock.acquire(timeout=self._timeout):
                raise HttpFault(Fault.LATE, self._name, seconds=self._timeout)
            try:
                return self._http.request(
                    'POST',
                    self._url,
                    CancelToken(),
                    body,
                    within=max(0.001, deadline - time.monotonic()),
                    longest=_OVERHEAD + count * _BYTES_PER_TEXT,
                )
            finally:
                self._lock.release()
        except HttpFault as fault:
            raise EncoderError(f'{fault}: {_ADVICE.get(fault.fault, _OTHERWISE)}') from fault

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
                f'{self._name} gives no vectors ({error}): check that '
                'encoder_server is an OpenAI-compatible server and encoder_model an encoder'
            ) from error
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise EncoderError(
                f'{self._name} gives vectors without a direction: choose another encoder_model'
            )
        if dimension and rows.shape[1] != dimension:
            raise EncoderError(
                f'{self._name} changed its vectors from {dimension} to '
                f'{rows.shape[1]} numbers: restart the node'
            )
        unit: FloatMatrix = rows / lengths
        return unit
