"""FIFO's records: type (1 byte), length (4 bytes, big endian), body; several make a message.

Types are 1 metadata (msgpack), 2 action (JSON), 4 frame, 5 depth, 8 classes, 9 instances, and 255
for the end of a message.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable

METADATA, ACTION, IMAGE, DEPTH, CLASSES, INSTANCES, END = 1, 2, 4, 5, 8, 9, 255
#: Largest body in bytes.
LARGEST = 256 * 1024**2
_HEADER = struct.Struct('>BI')

Record = tuple[int, bytes]


class ProtocolError(Exception):
    """What came from the other side is no message."""


def encode(records: Iterable[Record]) -> bytes:
    """A message of some records.

    :raises ValueError: a type is no byte or the end's, or a body is too large.
    """
    parts = []
    for kind, body in records:
        if not 0 <= kind < END or len(body) > LARGEST:
            raise ValueError(f'no record: type {kind}, {len(body)} bytes')
        parts += [_HEADER.pack(kind, len(body)), body]
    return b''.join((*parts, _HEADER.pack(END, 0)))


def read_message(read: Callable[[int], bytes]) -> list[Record] | None:
    """The next message.

    :param read: gives up to so many bytes, b'' at the end of the stream.
    :return: None at the end of the stream.
    :raises ProtocolError: the stream ends in a message, or a body is too large.
    """
    records: list[Record] = []
    while True:
        header = _exactly(read, _HEADER.size)
        if not header and not records:
            return None
        if len(header) < _HEADER.size:
            raise ProtocolError('the stream ended in the middle of a message')
        kind, length = _HEADER.unpack(header)
        if length > LARGEST:
            raise ProtocolError(f'a record of {length} bytes is too large')
        body = _exactly(read, length)
        if len(body) < length:
            raise ProtocolError('the stream ended in the middle of a record')
        if kind == END:
            return records
        records.append((kind, body))


def _exactly(read: Callable[[int], bytes], count: int) -> bytes:
    parts = []
    while count > 0:
        part = read(count)
        if not part:
            break
        parts.append(part)
        count -= len(part)
    return b''.join(parts)
