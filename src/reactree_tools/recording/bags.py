"""Bags of runs: where they are, which one a user means, and their messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel
from rosbags.interfaces import MessageDefinitionFormat
from rosbags.rosbag2 import Reader, ReaderError
from rosbags.typesys import get_types_from_idl, get_types_from_msg, get_typestore, Stores
from rosbags.typesys.store import Typestore

from reactree_core.errors import ConfigurationError, RecordingError
from reactree_core.written_files import read_file
from reactree_tools.plain_text import count
from reactree_tools.recording.bag_names import (
    is_bag_folder,
    METADATA,
    UNFINISHED,
)
from reactree_tools.recording.bag_writing import finish, unfinished_folder
from reactree_tools.recording.mcap_reading import (
    COMPRESSED,
    DamagedFileError,
    decompressed,
    RawMessage,
    read_mcap,
    Topic,
)


@dataclass(frozen=True, slots=True)
class BagMessage:
    """One message.

    :param time: nanoseconds since 1970. :param content: has the message's fields.
    """

    topic: str
    kind: str
    time: int
    content: Any


#: Characters of what a reader said about a broken bag.
_LONGEST_REASON = 300
#: Endings of the files that hold messages; either may be compressed as a whole.
_MCAP, _SQLITE = '.mcap', '.db3'


@cache
def _published_types() -> Typestore:
    """For bags without definitions, of older distributions."""
    return get_typestore(Stores.LATEST)


def no_warning(sentence: str) -> None:
    """For whoever cannot tell anybody."""


def read_messages(
    bag: Path,
    wanted: Callable[[str], bool] = lambda kind: True,
    warn: Callable[[str], None] = no_warning,
    definition_of: Callable[[str], str] = lambda kind: '',
) -> Iterator[BagMessage]:
    """Messages in the order they were recorded; of MCAP or SQLite, as any tool writes them.

    :param bag: a rosbag2 folder, with or without its metadata, or a file of one.
    :param wanted: whether the messages of a type are; others may be of any form.
    :param warn: called with what of the bag is missing.
    :param definition_of: the text of a type for a bag that does not bring it along; '' for the
        one that ROS 2 has published.
    :raises RecordingError: it is no bag, or nothing of it can be read.
    """
    try:
        files, compression = _files_of(bag, warn)
        if any(_SQLITE in file.suffixes for file in files):
            # Its own reader decompresses it, by what the metadata say.
            whole = [bag] if (bag / METADATA).is_file() else files
            found, compression = list(_of_sqlite(whole, wanted)), ''
        else:
            found = _of_mcap(files, wanted, warn)
        types = _Types(definition_of)
        for message in sorted(found, key=lambda message: message.time):
            data = decompressed(message.data) if compression == 'message' else message.data
            topic = message.topic
            yield BagMessage(topic.name, topic.kind, message.time, types.content(topic, data))
    except RecordingError:
        raise
    except Exception as error:  # the reader of a bag that may hold anything raises anything
        said = str(error) or type(error).__name__
        raise RecordingError(f'The bag {bag} cannot be read: {said[:_LONGEST_REASON]}') from error


class _Information(BaseModel):
    """What is needed of a bag's metadata; MCAP files say the rest."""

    relative_file_paths: tuple[str, ...]
    compression_mode: str | None = ''


class _Metadata(BaseModel):
    rosbag2_bagfile_information: _Information


def _files_of(bag: Path, warn: Callable[[str], None]) -> tuple[list[Path], str]:
    """Files that hold a bag's messages, one at least, and how its messages are compressed.

    :raises RecordingError: there is none.
    """
    if bag.is_file():
        return [bag], ''
    there = sorted(path for path in bag.glob('*') if is_bag_file(path))
    if not there:
        raise RecordingError(
            f'The folder {bag} is no bag: it has no {_MCAP} or {_SQLITE} file. Give the folder '
            'that the recorder wrote.'
        )
    try:
        about = read_file(bag / METADATA, _Metadata).rosbag2_bagfile_information
    except ConfigurationError:
        # Its recorder was killed, or somebody has left it out: the files say the same.
        return there, ''
    named = [bag / Path(name).name for name in about.relative_file_paths]
    missing = [path.name for path in named if not path.exists()]
    if missing and len(there) < len(named):
        warn(f'Of the bag {bag} {", ".join(missing[:_TOLD])} is missing: its messages are too.')
    # Files that were given other names are those that are there.
    return there if missing else named, (about.compression_mode or '').lower()


def _of_mcap(
    files: Iterable[Path], wanted: Callable[[str], bool], warn: Callable[[str], None]
) -> list[RawMessage]:
    """Messages of MCAP files.

    :raises RecordingError: a file is damaged before its first message, or cannot be read.
    """
    messages: list[RawMessage] = []
    seen: set[str] = set()

    def notice(kind: str) -> bool:
        seen.add(kind)
        return wanted(kind)

    for file in files:
        seen.clear()
        try:
            messages.extend(read_mcap(file, notice))
        except DamagedFileError as damage:
            said = f'The bag {file} is damaged ({str(damage)[:_LONGEST_REASON]})'
            if not seen:
                raise RecordingError(
                    f'{said} before its first message: `mcap recover` may find more of it.'
                ) from damage
            warn(f'{said}: what comes behind the damage is missing.')
    return messages


class _Types:
    """Makes messages of data by the definitions that a bag brings along, or that are given."""

    def __init__(self, definition_of: Callable[[str], str]) -> None:
        self._definition_of = definition_of
        self._stores: dict[str, Typestore] = {}

    def content(self, topic: Topic, data: bytes) -> Any:
        """The message."""
        return self._store(topic).deserialize_cdr(data, topic.kind)

    def _store(self, topic: Topic) -> Typestore:
        if topic.kind not in self._stores:
            # One for each: two topics may have definitions of different age.
            self._stores[topic.kind] = store = get_typestore(Stores.EMPTY)
            text = topic.definition or self._definition_of(topic.kind)
            if not text:
                store.register(_published_types().fielddefs)
            elif topic.language == _IDL:
                parts = text.split('=' * 80 + '\n')
                for part in [part.partition('\n')[2] for part in parts[1:]] or parts:
                    store.register(get_types_from_idl(part))
            else:
                store.register(get_types_from_msg(text, topic.kind))
        return self._stores[topic.kind]


#: Language of definitions, as MCAP calls it.
_IDL = 'ros2idl'


def _of_sqlite(bags: Sequence[Path], wanted: Callable[[str], bool]) -> Iterator[RawMessage]:
    try:
        for bag in bags:
            with Reader(bag) as reader:
                topics = {
                    one.id: Topic(
                        one.topic,
                        one.msgtype,
                        one.msgdef.data,
                        language=_IDL if one.msgdef.format is MessageDefinitionFormat.IDL else '',
                    )
                    for one in reader.connections
                }
                chosen = [one for one in reader.connections if wanted(one.msgtype)]
                for connection, time, data in reader.messages(chosen) if chosen else ():
                    yield RawMessage(topics[connection.id], time, bytes(data))
    except ReaderError as error:
        said = str(error)[:_LONGEST_REASON]
        raise RecordingError(
            f'The bag {bag} cannot be read: {said}. If its file is damaged, '
            '`sqlite3 FILE .recover` may save what is whole.'
        ) from error


def is_bag_file(path: Path) -> bool:
    """Whether the name is that of a file with messages."""
    inner = path.with_suffix('') if path.suffix == COMPRESSED else path
    return inner.suffix in (_MCAP, _SQLITE) and path.is_file()


def find_bag(name: str, directory: Path) -> Path:
    """A bag by what a user calls it; one that a crash left unfinished is finished first.

    :param name: path of a rosbag2 folder or of a file in it, or the beginning of a run's id.
    :raises RecordingError: there is none, several begin so, or it is being recorded.
    """
    path = Path(name).expanduser()
    if path.is_dir() or unfinished_folder(path).is_dir():
        return _finished(path if path.is_dir() else unfinished_folder(path))
    if path.is_file():
        if is_bag_file(path):
            return path
        raise RecordingError(
            f'The file {name[:80]} is no bag: give an {_MCAP} or {_SQLITE} file of ROS 2, or the '
            "bag's folder."
        )
    bags = filter(is_bag_folder, directory.glob('*'))
    found = [bag for bag in bags if bag.name.startswith(name.lower())]
    # A run that was recorded twice has its id, and its id with a number behind it.
    found = [bag for bag in found if bag.name == name.lower()] or found
    if len(found) == 1:
        return _finished(found[0])
    if found:
        raise RecordingError(
            f'{len(found)} bags begin with {name[:40]}: give more of the name of the one you mean.'
        )
    raise RecordingError(
        f'There is no bag {name[:80]}: neither a folder or file of this name nor one in '
        f"{directory}. Give a bag's folder, the first digits of a run's id, or the word last; "
        '`reactree record` makes bags.'
    )


def _finished(folder: Path) -> Path:
    if (folder / METADATA).is_file() or not folder.name.endswith(UNFINISHED):
        return folder
    bag = finish(folder)
    if bag is None:
        raise RecordingError(f'The bag {folder} held no message.')
    return bag


#: Ids that are given, and digits of each.
_TOLD = 5
_DIGITS = 8


class NamedRun(Protocol):
    """Whatever is one run."""

    @property
    def run_id(self) -> str:
        """32 hexadecimal digits, or the name of a journal."""


_Run = TypeVar('_Run', bound=NamedRun)


def first_run(runs: Sequence[_Run], warn: Callable[[str], None]) -> _Run:
    """The run to show, where only one can be; that there are others is said.

    :param runs: of one record, 1 or more, in the order they began.
    :param warn: takes the sentence for people.
    """
    first, *others = runs
    if others:
        names = ', '.join(run.run_id[:_DIGITS] for run in others[:_TOLD])
        names += ', ...' if len(others) > _TOLD else ''
        left_out = count(len(others), 'other run')
        warn(
            f'This is run {first.run_id[:_DIGITS]}; the bag has {left_out} ({names}). Choose one '
            'with --run.'
        )
    return first
