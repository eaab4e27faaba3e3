"""Both ways to talk with the client: pipes, and HTTP in which the client is the server."""

from __future__ import annotations

import http.client
import json
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.stand_in import records
from sim_bridge.worlds.thor.stand_in.records import ProtocolError
from sim_bridge.worlds.thor.stand_in.simulation import Event

#: Seconds that a client may take to listen.
_START = 20.0
_TYPES = {
    'image': records.IMAGE,
    'image_depth': records.DEPTH,
    'image_classes': records.CLASSES,
    'image_ids': records.INSTANCES,
}

Action = Mapping[str, Any]


class Transport(Protocol):
    """A connection to a client."""

    def exchange(self, event: Event) -> Action | None:
        """Tell an event and wait for the next action.

        :return: None when the client has ended.
        :raises ProtocolError: what came is no action.
        """

    def close(self) -> None:
        """End the connection."""


class Pipes:
    """Named pipes (FIFO).

    :param out: path of the pipe that the program writes. :param into: of the one it reads.
    :raises ConfigurationError: msgpack is not installed.
    """

    def __init__(self, out: Path, into: Path) -> None:
        try:
            import msgpack
        except ImportError as error:
            raise ConfigurationError(
                'FIFO needs msgpack: pip install -r requirements/thor.txt'
            ) from error
        self._pack = msgpack.Packer(use_bin_type=True).pack
        self._paths = out, into
        self._out: BinaryIO | None = None
        self._into: BinaryIO | None = None

    def exchange(self, event: Event) -> Action | None:
        """Tell an event and wait for the next action."""
        found = [(records.METADATA, self._pack(event.metadata))]
        found += [(_TYPES[name], data) for name, data in event.frames]
        try:
            if self._out is None:
                self._out = self._paths[0].open('wb', buffering=0)
            _write_all(self._out, records.encode(found))
            if self._into is None:
                self._into = self._paths[1].open('rb', buffering=0)
            message = records.read_message(self._into.read)
        except BrokenPipeError:
            return None
        if message is None:
            return None
        bodies = [body for kind, body in message if kind == records.ACTION]
        if not bodies:
            raise ProtocolError('a message had no action')
        return read_action(bodies[-1])

    def close(self) -> None:
        """Close both pipes."""
        for pipe in (self._out, self._into):
            if pipe is not None:
                pipe.close()


def _write_all(pipe: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[pipe.write(view) or 0 :]


class Posts:
    """HTTP: each event is a POST, and its reply the next action.

    :param host: of the client. :param token: that the client gave.
    """

    def __init__(self, host: str, port: int, token: str) -> None:
        self._token = token
        self._connection = http.client.HTTPConnection(host, port)

    def exchange(self, event: Event) -> Action | None:
        """Tell an event and wait for the next action."""
        kind, body = multipart(
            {
                'metadata': json.dumps(event.metadata, separators=(',', ':')),
                'token': self._token,
                'actionReturns': '',
            },
            event.frames,
        )
        deadline = time.monotonic() + _START
        while True:
            try:
                self._connection.request('POST', '/train', body, {'Content-Type': kind})
                break
            except ConnectionRefusedError:
                # Only before the first event: the client may not listen yet.
                if time.monotonic() > deadline:
                    raise
                self._connection.close()
                time.sleep(0.05)
            except (BrokenPipeError, ConnectionResetError):
                return None
        try:
            response = self._connection.getresponse()
            answer = response.read()
        except (http.client.HTTPException, ConnectionResetError, BrokenPipeError):
            return None
        if response.status != 200:
            raise ProtocolError(f'the client answered with status {response.status}')
        return read_action(answer)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def multipart(fields: Mapping[str, str], files: Sequence[tuple[str, bytes]]) -> tuple[str, bytes]:
    """A form as both generations of the client read it.

    :param files: a name may come once for each agent.
    :return: the content type, and the body: it begins with an end of line, which 2.1.0 needs.
    """
    boundary = uuid.uuid4().hex
    parts = []
    for name, text in fields.items():
        head = f'Content-disposition: form-data; name="{name}"'
        parts.append((head, 'text/plain; charset=utf-8', text.encode()))
    for name, data in files:
        head = f'Content-disposition: form-data; name="{name}"; filename="{name}.raw"'
        parts.append((head, 'application/octet-stream', data))
    body = []
    for head, kind, data in parts:
        body += [f'\r\n--{boundary}\r\n{head}\r\nContent-Type: {kind}\r\n\r\n'.encode(), data]
    body.append(f'\r\n--{boundary}--\r\n'.encode())
    return f'multipart/form-data; boundary={boundary}', b''.join(body)


def read_action(body: bytes) -> Action | None:
    """An action from JSON; None for an empty one, which ends the program.

    :raises ProtocolError: it is no table.
    """
    try:
        action = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProtocolError('an action was no JSON') from error
    if not isinstance(action, dict):
        raise ProtocolError('an action was no table')
    # HTTP's client adds its sequence id to the empty action.
    return action if action.get('action') else None


def transport(environment: Mapping[str, str]) -> Transport:
    """The connection that a client asked for.

    :param environment: variables, as the client sets them.
    :raises ConfigurationError: they are not there or not usable.
    """
    kind = environment.get('AI2THOR_SERVER_TYPE', '')
    if kind == 'FIFO':
        try:
            return Pipes(
                Path(environment['AI2THOR_FIFO_SERVER_PIPE_PATH']),
                Path(environment['AI2THOR_FIFO_CLIENT_PIPE_PATH']),
            )
        except KeyError as error:
            raise ConfigurationError(f'the variable {error.args[0]} is not set') from error
    if kind in ('', 'WSGI') and 'AI2THOR_PORT' in environment:
        port = environment['AI2THOR_PORT']
        if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
            raise ConfigurationError(f'AI2THOR_PORT is no port: {port[:20]!r}')
        return Posts(
            environment.get('AI2THOR_HOST') or '127.0.0.1',
            int(port),
            environment.get('AI2THOR_CLIENT_TOKEN', ''),
        )
    raise ConfigurationError(
        'no client started this program: it is started by `ai2thor` with variables AI2THOR_...; '
        'write one that it can start with `reactree thor-stand-in PATH`'
    )
