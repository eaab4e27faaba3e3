"""A robot's record: what a stop needs to reach it when none of our processes helps.

A skill server writes it when it serves, and notes in it when it has ended with nothing at work. So
a record whose skill server is gone without that note is that of a robot which may still move.

    alive       a stop asks the skill server, and reaches the robot beside it
    gone        a stop reaches the robot by what stands here
    ended       a stop is kept for the next skill server; forgotten after a day
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import Enum
from pathlib import Path
from typing import Any

from reactree_core.durability import (
    force_to_disk,
    state_file,
    state_files,
    this_domain,
    write_private,
)

_KIND = 'robot.json'
#: Seconds for which the record of a skill server that has ended is kept.
KEPT = 24 * 3600.0
#: Skills of an action that are kept for sentences.
_SKILLS_OF_ACTION = 3


#: What the text of a file raises that is no record.
_UNREADABLE = (OSError, ValueError, TypeError, KeyError, AttributeError)


class Life(Enum):
    """What is known of a process."""

    ALIVE = 'alive'
    SUSPENDED = 'suspended'
    GONE = 'gone'
    UNKNOWN = 'unknown'


@dataclass(frozen=True, slots=True)
class Command:
    """A request or a message that stops something.

    :param kind: 'service' or 'publish'. :param name: on the graph. :param type: of the interface.
    :param values: its fields, nested. :param latched: of a topic.
    """

    kind: str
    name: str
    type: str
    values: Mapping[str, Any] = field(default_factory=dict)
    latched: bool = False


@dataclass(frozen=True, slots=True)
class RobotRecord:
    """A robot as a stop sees it. All names are those on the graph.

    :param node: full name of its skill server. :param robot: the name in its file, or '' of a
        simulated world. :param actions: name -> templates of the skills that use it.
    :param services: that skills call. :param topics: that skills publish on.
    :param heard: topics on which the robot reports. :param asked: services that report.
    :param press: presses its own emergency stop. :param pressed: reports that one, as the section
        of a robot's file. :param ends: ends what skills publish.
    :param patience: seconds in which its skill server answers a stop.
    :param host: where the skill server runs. :param boot: of that machine.
    :param pid: of the skill server. :param born: start of that process, in ticks since the boot.
    :param ended: when it ended with nothing at work, in seconds since 1970; 0: it has not.
    """

    node: str
    robot: str = ''
    simulated: bool = False
    actions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    services: Sequence[str] = ()
    topics: Sequence[str] = ()
    heard: Sequence[str] = ()
    asked: Sequence[str] = ()
    press: Command | None = None
    pressed: Mapping[str, Any] = field(default_factory=dict)
    ends: Sequence[Command] = ()
    patience: float = 2.0
    host: str = ''
    boot: str = ''
    pid: int = 0
    born: int = 0
    ended: float = 0.0

    @property
    def namespace(self) -> str:
        """Of its skill server, with a leading slash."""
        return self.node.rpartition('/')[0] or '/'

    @property
    def life(self) -> Life:
        """Of its skill server's process; UNKNOWN on another machine."""
        if self.ended:
            return Life.GONE
        if self.host != socket.gethostname():
            return Life.UNKNOWN
        if self.boot != _boot():
            return Life.GONE
        state, born = _process(self.pid)
        if not state or born != self.born:
            return Life.GONE
        return Life.SUSPENDED if state in 'Tt' else Life.ALIVE


def this_process() -> dict[str, Any]:
    """Fields of a record that name this process and machine."""
    pid = os.getpid()
    return {
        'host': socket.gethostname(),
        'boot': _boot(),
        'pid': pid,
        'born': _process(pid)[1],
    }


def skills_of_actions(uses: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Actions with the first skills that use each. :param uses: (action, template of a skill)."""
    found: dict[str, list[str]] = {}
    for action, skill in uses:
        skills = found.setdefault(action, [])
        if skill not in skills and len(skills) < _SKILLS_OF_ACTION:
            skills.append(skill)
    return found


def record_file(node: str, folder: Path | None = None) -> Path:
    """Where a skill server's record is. :param node: its full name."""
    return state_file(_KIND, node, folder)


def write_record(record: RobotRecord, folder: Path | None = None) -> None:
    """Keep a record, in the place of an older one of this node.

    :raises OSError: it cannot be written.
    """
    write_private(record_file(record.node, folder), json.dumps(asdict(record), indent=1) + '\n')


def read_record(node: str, folder: Path | None = None) -> RobotRecord | None:
    """The record of a skill server; None where there is none that can be read.

    :param node: its full name.
    """
    try:
        return _read(record_file(node, folder).read_text(encoding='utf-8'))
    except _UNREADABLE:
        return None


def forget_outdated(folder: Path | None = None) -> None:
    """Remove records of skill servers of this domain that ended long ago. Their stops stay.

    :raises OSError: one cannot be removed.
    """
    for record in read_records(folder).here:
        if record.ended and time.time() - record.ended > KEPT:
            remove_record(record.node, folder)


def remove_record(node: str, folder: Path | None = None) -> None:
    """Forget a robot. :param node: of its skill server. :raises OSError: it cannot be removed."""
    path = record_file(node, folder)
    path.unlink(missing_ok=True)
    if path.parent.is_dir():
        force_to_disk(path.parent)


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a user.

    :param here: of this ROS domain. :param elsewhere: of others, each with its domain.
    :param broken: files that are none.
    """

    here: Sequence[RobotRecord]
    elsewhere: Sequence[tuple[int, RobotRecord]]
    broken: Sequence[Path]


def read_records(folder: Path | None = None) -> Records:
    """All records. :param folder: None for the user's state."""
    here: list[RobotRecord] = []
    elsewhere: list[tuple[int, RobotRecord]] = []
    broken = []
    for path, domain in state_files(_KIND, folder).items():
        try:
            record = _read(path.read_text(encoding='utf-8'))
            if domain == this_domain():
                here.append(record)
            else:
                elsewhere.append((domain, record))
        except FileNotFoundError:
            continue
        except _UNREADABLE:
            broken.append(path)
    return Records(here, elsewhere, broken)


def _read(text: str) -> RobotRecord:
    """:raises ValueError: the text is no record; also the other errors of values that are none."""
    values = json.loads(text)
    known = {one.name: values[one.name] for one in fields(RobotRecord) if one.name in values}
    known['press'] = Command(**known['press']) if known.get('press') else None
    for name in ('services', 'topics', 'heard', 'asked'):
        known[name] = tuple(known.get(name, ()))
    known['ends'] = tuple(Command(**one) for one in known.get('ends', ()))
    known['actions'] = {str(name): tuple(of) for name, of in known.get('actions', {}).items()}
    record = RobotRecord(**known)
    numbers = (record.pid, record.ended, record.patience)
    if not record.node.startswith('/') or not all(isinstance(one, int | float) for one in numbers):
        raise ValueError(text[:80])
    return record


def _boot() -> str:
    """The id of this run of the machine; '' where there is none."""
    try:
        return Path('/proc/sys/kernel/random/boot_id').read_text(encoding='ascii').strip()
    except OSError:
        return ''


def _process(pid: int) -> tuple[str, int]:
    """State letter of a process, and its start in ticks since the boot; '' where it is gone."""
    try:
        text = Path(f'/proc/{pid}/stat').read_text(encoding='utf-8', errors='replace')
    except OSError:
        return _signalled(pid), 0
    words = text.rpartition(')')[2].split()  # the name before it may hold anything
    state = words[0]
    return ('' if state in 'ZX' else state), int(words[19])


def _signalled(pid: int) -> str:
    """The letter of a running process where no /proc shows it; '' where it is gone."""
    if Path('/proc/self').exists():
        return ''
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ''
    except OSError:
        pass
    return 'R'
