"""Bags of runs: where they are, which one a user means, and their messages."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from typing import Protocol
from typing import TypeVar

import platformdirs
from rosbags.highlevel import AnyReader
from rosbags.typesys import get_typestore
from rosbags.typesys import Stores
from rosbags.typesys.store import Typestore

from reactree_core.errors import RecordingError
from reactree_tools.plain_text import count
from reactree_tools.recording.bag_writing import finish
from reactree_tools.recording.bag_writing import UNFINISHED
from reactree_tools.recording.bag_writing import unfinished_folder


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
    except Exception as error:  # the reader of a bag that may hold anything raises anything
        said = str(error) or type(error).__name__
        raise RecordingError(f'The bag {bag} cannot be read: {said[:_LONGEST_REASON]}') from error


#: Stands for the bag that was written last.
LAST = 'last'


def bag_directory(given: str | None = None) -> Path:
    """The folder that was given, or that of the user's state."""
    if given:
        return Path(given).expanduser()
    return platformdirs.user_state_path('reactree') / 'bags'


def find_bag(name: str, directory: Path) -> Path:
    """A bag by what a user calls it; one that a crash left unfinished is finished first.

    :param name: path of a rosbag2 folder, the beginning of a run's id, or 'last'.
    :raises RecordingError: there is none, several begin so, or it is being recorded.
    """
    path = Path(name).expanduser()
    if path.is_dir() or unfinished_folder(path).is_dir():
        return _finished(path if path.is_dir() else unfinished_folder(path))
    bags = sorted(
        (bag for bag in directory.glob('*') if _is_bag(bag)), key=lambda bag: bag.stat().st_mtime
    )
    if name == LAST and bags:
        return _finished(bags[-1])
    found = [bag for bag in bags if bag.name.startswith(name.lower())]
    if len(found) == 1:
        return _finished(found[0])
    if found:
        raise RecordingError(
            f'{len(found)} bags begin with {name[:40]}: give more of the name of the one you mean.'
        )
    raise RecordingError(
        f'There is no bag {name[:80]}: neither a folder of this name nor one in {directory}. Give '
        "a bag's folder, the first digits of a run's id, or the word last; `reactree record` "
        'makes bags.'
    )


def _is_bag(folder: Path) -> bool:
    return (folder / 'metadata.yaml').is_file() or folder.name.endswith(UNFINISHED)


def _finished(folder: Path) -> Path:
    if (folder / 'metadata.yaml').is_file():
        return folder
    if not folder.name.endswith(UNFINISHED):
        raise RecordingError(
            f'The folder {folder} is no bag: it has no metadata.yaml. Was its recorder killed? '
            f'Then give its name an ending {UNFINISHED!r} and its MCAP file the name part.mcap.'
        )
    bag = finish(folder)
    if bag is None:
        raise RecordingError(f'The bag {folder} held no message.')
    return bag


#: Ids that are told, and digits of each.
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
