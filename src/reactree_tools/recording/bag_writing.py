"""Bags as they are written: every message there at once, and a rosbag2 folder in the end.

A killed recorder loses nothing of it, and a power failure what came after the last `sync`. It is
made a rosbag2 folder, with chunks and an index, when its run has ended (see `finishing`).
"""

from __future__ import annotations

import fcntl
import io
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from mcap.writer import IndexType, Writer
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import StoragePlugin, WriterError
from rosbags.rosbag2 import Writer as RosbagWriter
from rosbags.typesys import get_types_from_msg, get_typestore, Stores

from reactree_core.durability import force_to_disk, make_private_folder, open_private
from reactree_core.errors import RecordingError
from reactree_tools.recording.bag_names import UNFINISHED
from reactree_tools.recording.mcap_reading import CHECKED, RawMessage, read_unfinished, Topic


class UnfinishedBag:
    """Grows by messages; locked while it does.

    :param path: of the file, made anew.
    :raises RecordingError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._channels: dict[str, int] = {}
        self._schemas: dict[str, int] = {}
        #: What goes into the file next, and how much is in it.
        self._outbox = io.BytesIO()
        self._size = 0
        try:
            make_private_folder(path.parent)
            self._file = io.FileIO(path, 'xb', opener=open_private)
        except OSError as error:
            self._leave_no_folder()
            raise self._trouble(error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._writer = Writer(self._outbox, use_chunking=False, index_types=IndexType.NONE)
            self._writer.start('ros2')
            self._send()
        except OSError as error:
            self._file.close()
            path.unlink(missing_ok=True)
            self._leave_no_folder()
            raise self._trouble(error) from error

    def _leave_no_folder(self) -> None:
        """What could not be begun is tried again, and must not find its name taken."""
        with suppress(OSError):
            self.path.parent.rmdir()

    def _trouble(self, error: OSError) -> RecordingError:
        return RecordingError(
            f'The bag {self.path} cannot be written ({error.strerror}): free some disk space, or '
            'record into another folder.'
        )

    def write(self, message: RawMessage) -> None:
        """Append a message; it is in the file when this returns, and nothing of it when it raises.

        :raises RecordingError: the disk is full or gone.
        """
        topic = message.topic
        try:
            self._writer.add_message(
                self._channel(topic),
                message.time,
                message.data,
                message.time,
                crc32(message.data),
            )
            self._send()
        except OSError as error:
            # Perhaps the file has never heard of them: they are told anew.
            self._channels.pop(topic.name, None)
            self._schemas.pop(topic.kind, None)
            raise self._trouble(error) from error

    def _send(self) -> None:
        """Put the outbox into the file, whole or not at all: what is torn ends a bag."""
        data = self._outbox.getvalue()
        self._outbox.seek(0)
        self._outbox.truncate()
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            with suppress(OSError):
                self._file.truncate(self._size)
                self._file.seek(self._size)
            raise
        self._size += len(data)

    def _channel(self, topic: Topic) -> int:
        if topic.name not in self._channels:
            if topic.kind not in self._schemas:
                self._schemas[topic.kind] = self._writer.register_schema(
                    topic.kind, 'ros2msg', topic.definition.encode()
                )
            about = {
                'digest': topic.digest,
                'depth': str(topic.depth),
                'latched': str(int(topic.latched)),
                'sequence': CHECKED,
            }
            self._channels[topic.name] = self._writer.register_channel(
                topic.name, 'cdr', self._schemas[topic.kind], about
            )
        return self._channels[topic.name]

    def sync(self) -> None:
        """Have everything so far on the disk.

        :raises RecordingError: it cannot be.
        """
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._trouble(error) from error

    def close(self) -> None:
        """Close the file; safe to call twice.

        :raises RecordingError: the disk took back what it had accepted; the file is closed.
        """
        try:
            self._file.close()
        except OSError as error:
            raise self._trouble(error) from error


def is_being_written(path: Path) -> bool:
    """Whether a recorder holds the file."""
    with path.open('rb') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


#: The file in a folder whose bag is still written, or was when its recorder ended.
PART = 'part.mcap'
#: Version of metadata.yaml: that of Jazzy and later.
_VERSION = 9
_FOREVER = QosTime(9223372036, 854775807)


def unfinished_folder(bag: Path) -> Path:
    """Where a bag is while it is written."""
    return bag.with_name(bag.name + UNFINISHED)


def write_bag(bag: Path, messages: Iterable[RawMessage]) -> int:
    """Make a rosbag2 folder, whole or not at all; it is on the disk when this returns.

    :param bag: the folder, which must not be there.
    :return: messages written.
    :raises RecordingError: it cannot be written.
    """
    # The file in the folder bears the folder's name, so only the folder above is another one.
    workshop = bag.with_name(f'.{bag.name}.finishing')
    shutil.rmtree(workshop, ignore_errors=True)
    count = 0
    try:
        make_private_folder(workshop)
        with RosbagWriter(
            workshop / bag.name, version=_VERSION, storage_plugin=StoragePlugin.MCAP
        ) as writer:
            connections = {}
            for message in messages:
                topic = message.topic
                if topic.name not in connections:
                    connections[topic.name] = writer.add_connection(
                        topic.name,
                        topic.kind,
                        msgdef=topic.definition,
                        rihs01=topic.digest or _digest(topic),
                        offered_qos_profiles=[_quality(topic)],
                    )
                writer.write(connections[topic.name], message.time, message.data)
                count += 1
        _close_folder(workshop / bag.name)
        (workshop / bag.name).rename(bag)
        force_to_disk(bag.parent)
    except (OSError, WriterError) as error:
        raise RecordingError(
            f'The bag {bag} cannot be finished ({error}): free some disk space; what was recorded '
            'is kept.'
        ) from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    return count


def _close_folder(folder: Path) -> None:
    """Have a folder and its files for the user alone, and on the disk: a rename does neither."""
    folder.chmod(0o700)
    for path in folder.iterdir():
        path.chmod(0o600)
        force_to_disk(path)
    force_to_disk(folder)


def _digest(topic: Topic) -> str:
    """Hash of a type whose package does not report it."""
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(topic.definition, topic.kind))
    return store.hash_rihs01(topic.kind)


def _quality(topic: Topic) -> Qos:
    durability = QosDurability.TRANSIENT_LOCAL if topic.latched else QosDurability.VOLATILE
    return Qos(
        QosHistory.KEEP_LAST,
        topic.depth,
        QosReliability.RELIABLE,
        durability,
        _FOREVER,
        _FOREVER,
        QosLiveliness.AUTOMATIC,
        _FOREVER,
        False,
    )


def finish(folder: Path) -> Path | None:
    """Make a bag of what a recorder has left, to wherever a crash has torn it.

    :param folder: ends in UNFINISHED.
    :return: the bag; None when it held no message, and is gone.
    :raises RecordingError: a recorder is at work on it, or it cannot be written.
    """
    part = folder / PART
    if part.is_file() and is_being_written(part):
        raise RecordingError(f'The bag {folder} is being recorded: wait until its run has ended.')
    bag = folder.with_name(folder.name.removesuffix(UNFINISHED))
    bag = free_name(bag) if bag.exists() else bag
    messages = list(read_unfinished(part)) if part.is_file() else []
    if messages:
        write_bag(bag, messages)
    shutil.rmtree(folder, ignore_errors=True)
    return bag if messages else None


def finish_all(directory: Path) -> list[Path]:
    """Make bags of everything that recorders have left in a folder."""
    bags = []
    for folder in sorted(directory.glob(f'*{UNFINISHED}')):
        with suppress(RecordingError):
            bag = finish(folder)
            if bag is not None:
                bags.append(bag)
    return bags


def free_name(bag: Path) -> Path:
    """The name, or with a number behind it where there is such a bag already."""
    number, name = 1, bag
    while name.exists() or unfinished_folder(name).is_dir():
        number += 1
        name = bag.with_name(f'{bag.name}_{number}')
    return name
