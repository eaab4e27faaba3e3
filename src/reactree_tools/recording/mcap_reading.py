"""MCAP files from front to back: with or without an index, whole or torn, of any recorder."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from zlib import crc32

import zstandard
from mcap.exceptions import McapError
from mcap.records import Channel as McapChannel
from mcap.records import DataEnd
from mcap.records import Message as McapMessage
from mcap.records import Schema as McapSchema
from mcap.stream_reader import StreamReader

from reactree_core.errors import RecordingError

#: Ending of what rosbag2 has compressed as a whole.
COMPRESSED = '.zstd'
#: Largest message in bytes; a larger length in a torn file is rubbish.
_LARGEST = 256 * 1024**2
#: What the number of a message is here. A power failure may leave zeros instead of its end.
CHECKED = 'crc32'


class DamagedFileError(RecordingError):
    """A file could not be read to its end; what came before its damage has been told."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What is recorded of one topic.

    :param name: as on the graph, with its namespace.
    :param kind: e.g. 'std_msgs/msg/String'; '' where the file does not say.
    :param definition: text of the message definition with all it contains.
    :param digest: hash of the type, 'RIHS01_...'; '' when unknown.
    :param depth: messages that its publisher keeps. :param latched: also for later subscribers.
    :param language: of the definition, as MCAP calls it.
    """

    name: str
    kind: str
    definition: str
    digest: str = ''
    depth: int = 1
    latched: bool = False
    language: str = 'ros2msg'


@dataclass(frozen=True, slots=True)
class RawMessage:
    """One message as it came. :param time: nanoseconds since 1970. :param data: CDR."""

    topic: Topic
    time: int
    data: bytes


def read_unfinished(path: Path) -> Iterator[RawMessage]:
    """The messages of an MCAP file, whole or torn, up to where it is damaged.

    :raises RecordingError: it cannot be read at all.
    """
    # Torn by a crash: what came before is whole.
    with suppress(DamagedFileError):
        yield from read_mcap(path)


def read_mcap(
    path: Path, wanted: Callable[[str], bool] = lambda kind: True
) -> Iterator[RawMessage]:
    """The messages of an MCAP file, in the order of the file.

    No index is used: tools that cut, restore or convert files leave it out, or leave it empty.

    :param wanted: whether the messages of a type are.
    :raises DamagedFileError: after the last message that is whole, where the file is not.
    :raises RecordingError: it cannot be read at all.
    """
    schemas: dict[int, McapSchema] = {}
    topics: dict[int, Topic] = {}
    checked: set[int] = set()
    try:
        with _opened(path) as file:
            reader = StreamReader(file, validate_crcs=True, record_size_limit=_LARGEST)
            for record in reader.records:
                if isinstance(record, McapSchema):
                    schemas[record.id] = record
                elif isinstance(record, McapChannel):
                    topics[record.id] = _topic(record, schemas.get(record.schema_id))
                    if record.metadata.get('sequence') == CHECKED:
                        checked.add(record.id)
                elif isinstance(record, DataEnd):
                    return  # what follows repeats it, for whoever looks things up
                elif isinstance(record, McapMessage):
                    topic = topics[record.channel_id]
                    if record.channel_id in checked and crc32(record.data) != record.sequence:
                        raise ValueError('the checksum of a message is not its own')
                    if wanted(topic.kind):
                        yield RawMessage(topic, record.log_time, bytes(record.data))
    except (OSError, MemoryError) as error:
        said = getattr(error, 'strerror', None) or 'too large'
        raise RecordingError(f'The bag {path} cannot be read ({said}).') from error
    except _DAMAGES as error:
        raise DamagedFileError(str(error) or 'it ends in the middle') from error


#: What readers say of a file that somebody has torn, or that is none.
_DAMAGES = (
    McapError,
    struct.error,
    ValueError,
    KeyError,
    RuntimeError,
    EOFError,
    zstandard.ZstdError,
)


def _opened(path: Path) -> IO[bytes]:
    if path.suffix != COMPRESSED:
        return path.open('rb')
    opened: IO[bytes] = zstandard.open(path, 'rb')
    return opened


def decompressed(data: bytes) -> bytes:
    """One message of a bag whose messages are compressed one by one.

    :raises ValueError: it is none.
    """
    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as stream:
            found: bytes = stream.read(_LARGEST)
    except zstandard.ZstdError as error:
        raise ValueError(f'a message cannot be decompressed: {error}') from error
    return found


def _topic(channel: McapChannel, schema: McapSchema | None) -> Topic:
    about = channel.metadata
    depth = about.get('depth', '')
    return Topic(
        channel.topic,
        schema.name if schema else '',
        schema.data.decode('utf-8', 'replace') if schema else '',
        about.get('digest', ''),
        int(depth) if depth.isdecimal() else 1,
        about.get('latched', '0') == '1',
        schema.encoding if schema else '',
    )
