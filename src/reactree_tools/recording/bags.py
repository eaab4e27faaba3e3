"""Messages of a bag, read by the definitions in it: a bag outlives versions of the messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rosbags.highlevel import AnyReader
from rosbags.highlevel import AnyReaderError
from rosbags.rosbag2 import ReaderError
from rosbags.serde import SerdeError
from rosbags.typesys import get_typestore
from rosbags.typesys import Stores
from rosbags.typesys import TypesysError
from rosbags.typesys.store import Typestore

from reactree_core.errors import RecordingError


@dataclass(frozen=True, slots=True)
class BagMessage:
    """One message.

    :param time: nanoseconds since 1970. :param content: has the message's fields.
    """

    topic: str
    kind: str
    time: int
    content: Any


@cache
def _published_types() -> Typestore:
    """For bags without definitions, of older distributions."""
    return get_typestore(Stores.LATEST)


def read_messages(bag: Path) -> Iterator[BagMessage]:
    """All messages in the order they were recorded; of any rosbag2 folder, MCAP or SQLite.

    :raises RecordingError: it is no bag, or damaged.
    """
    try:
        with AnyReader([bag], default_typestore=_published_types()) as reader:
            for connection, time, data in reader.messages():
                content = reader.deserialize(data, connection.msgtype)
                yield BagMessage(connection.topic, connection.msgtype, time, content)
    except (AnyReaderError, ReaderError, SerdeError, TypesysError, OSError) as error:
        raise RecordingError(f'The bag {bag} cannot be read: {error}') from error
