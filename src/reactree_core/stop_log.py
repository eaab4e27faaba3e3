"""The emergency stops of a robot in a file: pressed and released with or without its processes.

    reactree stop ------+                      +--> bridge, also one that starts later
    bridge (service, ---+--> stop log (append) +--> planner
    topic, robot) ------+                      +--> reactree stop --release

A line is an event, and the last line is the state. Lines are only appended, so whoever looks away
for a while (a suspended bridge, a planner that waits) misses no stop that was released meanwhile.
"""

from __future__ import annotations

import getpass
import json
import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from reactree_core.durability import (
    force_to_disk,
    make_private_folder,
    open_private,
    state_file,
    state_files,
    this_domain,
)

_KIND = 'emergency_stop.jsonl'
#: Bytes at the end of a log that are read for its state.
_TAIL = 64 * 1024
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class StopEvent:
    """A press or a release of a robot's emergency stop.

    :param pressed: false for a release. :param node: full name of the robot's skill server.
    :param robot: its name, or ''.
    :param by: the person, where known. :param how: e.g. 'by the service'.
    :param why: reason given, or ''. :param at: seconds since 1970. :param id: of this event.
    """

    pressed: bool
    node: str
    robot: str = ''
    by: str = ''
    how: str = ''
    why: str = ''
    at: float = 0.0
    id: str = ''

    def __str__(self) -> str:
        """E.g. '(with `reactree stop`, by ana) on 2026-11-28 at 19:55:01, "a child is there"'."""
        text = f'({", ".join(filter(None, (self.how, f"by {self.by}" if self.by else "")))})'
        if self.at > 0.0:
            text += time.strftime(' on %Y-%m-%d at %H:%M:%S', time.localtime(self.at))
        return f'{text}, "{self.why}"' if self.why else text


#: Stands for what cannot be read.
UNREADABLE = StopEvent(True, '', how='its log cannot be read, which counts as pressed')


def stop_event(
    pressed: bool, node: str, robot: str = '', by: str = '', how: str = '', why: str = ''
) -> StopEvent:
    """An event of now; the parameters are those of StopEvent."""
    return StopEvent(
        pressed,
        node,
        robot,
        by,
        how,
        why[:_LONGEST],
        time.time(),
        uuid.uuid4().hex,
    )


def this_person() -> str:
    """The user of this process, for the record."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container without names
        return f'user {os.getuid()}'


class StopLog:
    """The log of one robot's emergency stop. Methods may come from any thread or process.

    :param path: of the file, which need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, event: StopEvent, durable: bool = True) -> None:
        """Write an event down.

        :param durable: wait until the disk has it; else `settle` does that later.
        :raises OSError: it cannot be written.
        """
        make_private_folder(self.path.parent)
        line = json.dumps(asdict(event)) + '\n'
        # A line that a power cut has left in part ends here.
        begin = '' if self._ends_whole() else '\n'
        handle = open_private(str(self.path), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            # One write: lines of two writers do not mix.
            os.write(handle, (begin + line).encode())
            if durable:
                os.fsync(handle)
        finally:
            os.close(handle)
        if durable:
            force_to_disk(self.path.parent)

    def settle(self) -> None:
        """Wait until the disk has all. :raises OSError: it refuses."""
        force_to_disk(self.path)
        force_to_disk(self.path.parent)

    def events(self) -> list[StopEvent]:
        """The newest events, oldest first; `UNREADABLE` stands for what cannot be read."""
        try:
            with self.path.open('rb') as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _TAIL))
                lines = file.read().split(b'\n')
        except FileNotFoundError:
            return []
        except OSError:
            return [UNREADABLE]
        if size > _TAIL:
            lines = lines[1:]
        return [_read(line) for line in lines if line.strip()]

    def last(self) -> StopEvent | None:
        """The newest event; None where there was none."""
        events = self.events()
        return events[-1] if events else None

    @property
    def is_pressed(self) -> bool:
        """Whether nothing may move; a log that cannot be read says that nothing may."""
        last = self.last()
        return last is not None and last.pressed

    def newest_press(self) -> StopEvent | None:
        """The newest press, released since or not; None where there was none."""
        return next((event for event in reversed(self.events()) if event.pressed), None)

    def version(self) -> tuple[int, int]:
        """A value that changes with each event; cheap."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return 0, 0
        except OSError:
            return -1, -1
        return found.st_size, found.st_mtime_ns

    def _ends_whole(self) -> bool:
        try:
            with self.path.open('rb') as file:
                if file.seek(0, os.SEEK_END) == 0:
                    return True
                file.seek(-1, os.SEEK_END)
                return file.read(1) == b'\n'
        except OSError:
            return True


def stop_log(node: str, folder: Path | None = None) -> StopLog:
    """The log of a skill server in this ROS domain.

    :param node: full name, e.g. '/robot_1/bridge'. :param folder: None for the user's state.
    """
    return StopLog(state_file(_KIND, node, folder))


def stop_logs(folder: Path | None = None) -> Iterator[StopLog]:
    """The logs of all robots of this ROS domain. :param folder: None for the user's state."""
    for path, domain in state_files(_KIND, folder).items():
        if domain == this_domain():
            yield StopLog(path)


def _read(line: bytes) -> StopEvent:
    try:
        values = json.loads(line)
        names = {field.name for field in fields(StopEvent)}
        event = StopEvent(**{name: values[name] for name in names & values.keys()})
        texts = (event.node, event.robot, event.by, event.how, event.why, event.id)
        numbers_fit = isinstance(event.at, float | int) and isinstance(event.pressed, bool)
        if not numbers_fit or not all(isinstance(text, str) for text in texts):
            return UNREADABLE
    except (ValueError, TypeError, AttributeError, KeyError):
        return UNREADABLE
    return event
