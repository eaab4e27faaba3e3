"""A client of the simulator's protocol: one POST of JSON a call, each with a deadline.

By the standard library: layers for redirects, cookies and proxies, which are for the network and
not for a simulator on this machine, would cost more than most calls.
"""

from __future__ import annotations

import itertools
import json
import select
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from reactree_core.errors import BridgeLostError, ConfigurationError, SkillError
from sim_bridge.worlds.virtualhome_unity.graph_parsing import GraphReader

#: Of an answer; graphs of large homes have some megabytes, pictures too.
LARGEST_ANSWER = 256 * 1024 * 1024
#: Longest wait between two attempts to connect, in seconds.
_LONGEST_PAUSE = 1.0
_FIRST_PAUSE = 0.05
#: Bytes taken from the connection at once, at most.
_PART = 1024 * 1024
_HEADERS = {'Content-Type': 'application/json'}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the simulator said.

    :param value: a number, for calls that have one. :param images: base64, for `camera_image`.
    """

    success: bool
    message: str
    value: int
    images: tuple[str, ...]


class UnityClient:
    """A connection that is made again when it breaks.

    :param url: e.g. 'http://127.0.0.1:8080'.
    :param timeout: seconds that one call may take, above 0.
    :param patience: seconds to go on trying to connect, 0 or more.
    :raises ConfigurationError: one of them cannot be used.
    """

    def __init__(self, url: str, timeout: float, patience: float) -> None:
        if not 0.0 < timeout < 1e6 or not 0.0 <= patience < 1e6:
            raise ConfigurationError('timeout must be above 0 and patience 0 or more, in seconds')
        self._connection = _connection(url, timeout)
        self._url = url
        self._timeout = timeout
        self._patience = patience
        self._ids = itertools.count(1)
        self._graphs = GraphReader()

    def call(self, action: str, ints: Sequence[int] = (), strings: Sequence[str] = ()) -> Answer:
        """One call; when nothing listens yet it is tried again, as nothing has happened then.

        :raises BridgeLostError: nothing listens, or no answer came; the call may have had effect.
        :raises SkillError: what came is no answer of a simulator.
        """
        request: dict[str, Any] = {'id': str(next(self._ids)), 'action': action}
        if ints:
            request['intParams'] = list(ints)
        if strings:
            request['stringParams'] = list(strings)
        return self._read(action, *self._post(action, json.dumps(request).encode('ascii')))

    def call_or_fail(
        self, action: str, ints: Sequence[int] = (), strings: Sequence[str] = ()
    ) -> Answer:
        """The same for calls that must succeed.

        :raises SkillError: also when the simulator refuses.
        """
        answer = self.call(action, ints, strings)
        if not answer.success:
            reason = answer.message or 'no reason'
            raise SkillError(f'the simulator refuses {action}: {reason:.300}')
        return answer

    def graph(self) -> dict[str, Any]:
        """The scene as it is now; its form is not checked beyond JSON.

        :raises SkillError: it does not come, or is no JSON object.
        """
        message = self.call_or_fail('environment_graph').message
        try:
            graph = self._graphs.read(message)
        except (ValueError, RecursionError) as error:
            raise SkillError(f'environment_graph answers what is not JSON: {error}') from error
        return graph

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()

    def _post(self, action: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer."""
        self._connect()
        try:
            self._connection.request('POST', '/', body, _HEADERS)
            response = self._connection.getresponse()
            return response.status, self._receive(response)
        except (OSError, HTTPException) as error:
            self._connection.close()
            kind = type(error).__name__
            raise BridgeLostError(
                f'the simulator at {self._url} did not answer {action} ({kind}): what became '
                'of it is unknown; look, or reset the world'
            ) from error

    def _receive(self, response: HTTPResponse) -> bytes:
        """The body; what is longer than an answer can be is cut off.

        :raises OSError: it comes too slowly, or breaks off.
        """
        end = time.monotonic() + self._timeout
        parts: list[bytes] = []
        left = LARGEST_ANSWER + 1
        while left > 0 and (part := response.read1(min(left, _PART))):
            parts.append(part)
            left -= len(part)
            if time.monotonic() > end:
                raise TimeoutError('the answer comes too slowly')
        if left <= 0:
            self._connection.close()
        elif response.length:
            raise ConnectionError('the answer breaks off')
        else:
            # Tells the connection that it is free for the next call.
            response.read()
        return b''.join(parts)

    def _connect(self) -> None:
        """Be connected, waiting for a simulator that does not listen yet."""
        if self._connection.sock is not None:
            # Nothing is to be read between two calls but that the other side has hung up.
            poll = select.poll()
            poll.register(self._connection.sock, select.POLLIN)
            if not poll.poll(0):
                return
            self._connection.close()
        end = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            try:
                self._connection.connect()
                return
            except OSError as error:
                self._connection.close()
                left = end - time.monotonic()
                if left <= 0.0:
                    raise BridgeLostError(
                        f'no VirtualHome simulator answers at {self._url} ({error}): start it, '
                        'or `reactree virtualhome-server`'
                    ) from error
                time.sleep(min(pause, left))
                pause = min(2 * pause, _LONGEST_PAUSE)

    def _read(self, action: str, status: int, body: bytes) -> Answer:
        if len(body) > LARGEST_ANSWER:
            raise SkillError(f'the answer to {action} is too large to be one')
        try:
            data = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise SkillError(
                f'{self._url} answers {action} with status {status} and what is '
                'not JSON: is it a VirtualHome simulator?'
            ) from error
        if not isinstance(data, Mapping) or not isinstance(data.get('success'), bool):
            raise SkillError(f'{self._url} answers {action} like no VirtualHome simulator')
        message, value, images = data.get('message'), data.get('value'), data.get('message_list')
        return Answer(
            data['success'] and status == HTTPStatus.OK,
            message if isinstance(message, str) else '',
            value if isinstance(value, int) else 0,
            tuple(images) if isinstance(images, list) else (),
        )


def _connection(url: str, timeout: float) -> HTTPConnection:
    """Where to connect, not connected yet.

    :raises ConfigurationError: it is no address of a web server.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except (ValueError, AttributeError, TypeError) as error:
        raise ConfigurationError(f'url {url!r:.80} cannot be used: {error}') from error
    if parts.scheme not in ('http', 'https') or not host:
        raise ConfigurationError(f'url {url!r:.80} must be like http://127.0.0.1:8080')
    kind = HTTPSConnection if parts.scheme == 'https' else HTTPConnection
    return kind(host, port, timeout=timeout)
