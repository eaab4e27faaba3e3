"""A study as it grows, whoever runs it: what it asks for, and its episodes as they are added."""

from __future__ import annotations

import fcntl
import math
import os
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import BinaryIO, NamedTuple

from reactree_core.errors import ConfigurationError, ReactreeError
from reactree_core.written_files import read_file
from reactree_tools.bench.rows import Cell, EpisodeRow, LOCK, row_of, ROWS, RUNS, STUDY
from reactree_tools.bench.study import make_study, StudyFile
from reactree_tools.plain_text import count, visible

#: Longest line that is read, in bytes.
_LONGEST_LINE = 2**20
#: Longest text of an episode that is kept, in characters.
_LONGEST_TEXT = 400
#: Newest episodes whose ends tell how many run at a time, and most of these.
_ARRIVALS = 20
_MOST_AT_ONCE = 10_000.0
#: Columns of cells.
_KINDS = {'str': str, 'int': int}
_WHICH = 'give the folder that reactree bench run --out was given'


class Group(NamedTuple):
    """What is tried on a task; see `Cell`."""

    planner: str
    preset: str
    model: str
    memory: str
    store: str
    store_size: int


class Task(NamedTuple):
    """What groups are tried on: a task with a planner's seed; see `Cell`."""

    world: str
    tasks: str
    task: str
    scene: str
    world_seed: int
    seed: int


def task_of(cell: Cell) -> Task:
    """Its task with its seed."""
    return Task(cell.world, cell.tasks, cell.task, cell.scene, cell.world_seed, cell.seed)


def group_of(cell: Cell) -> Group:
    """What is tried."""
    return Group(cell.planner, cell.preset, cell.model, cell.memory, cell.store, cell.store_size)


@dataclass(frozen=True, slots=True)
class Episode:
    """What is shown of a row; texts are printable and bounded.

    :param share: of the goal conditions, 0..1. :param met: the same as '2/3', or '0.50'.
    """

    run: str
    instruction: str
    success: bool
    false_success: bool
    share: float
    met: str
    judged: str
    ended: str
    reason: str
    decisions: int
    steps: int
    seconds: float


@dataclass(slots=True)
class Tally:
    """Sums over the episodes of a group in a world.

    :param asked: that the study asks for. :param waiting: of them, those that have no row.
    :param number: of rows. :param share: of conditions, summed.
    """

    asked: int = 0
    waiting: int = 0
    number: int = 0
    solved: int = 0
    share: float = 0.0
    decisions: int = 0
    seconds: float = 0.0


class FollowedStudy:
    """A study's folder, read as it grows: a look reads only what was added since the last one.

    :param folder: of `reactree bench run`; the first look is taken at once.
    :raises ConfigurationError: there is no study in it, or the study's file has mistakes.

    Public: `folder`, `file`, `running` (whether a process has the study), `episodes` (by cell, in
    the order they ended), `tasks` and `groups` (in the study's order), `tallies` (by world and
    group), `instructions` (of tasks), `damaged` (lines that were left out).
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise ConfigurationError(f'there is no folder {folder}: {_WHICH}')
        if not (folder / STUDY).exists():
            raise ConfigurationError(f'{folder} holds no study, for it has no {STUDY}: {_WHICH}')
        self.folder = folder
        self.running = False
        self._stamp = self._stamp_now()
        self._misread = self._unread = ''
        self._begin(read_file(folder / STUDY, StudyFile))
        self.look()

    def _begin(self, file: StudyFile | None) -> None:
        """Forget everything, and take a study that nothing is known of."""
        self.file = file or StudyFile()
        self.episodes: dict[Cell, Episode] = {}
        self.tasks: dict[Task, None] = {}
        self.groups: dict[Group, None] = {}
        self.tallies: dict[tuple[str, Group], Tally] = {}
        self.instructions: dict[Task, str] = {}
        self.damaged = 0
        self._asked: set[Cell] = set()
        self._arrivals: deque[tuple[float, float]] = deque(maxlen=_ARRIVALS)
        self._inode = self._offset = 0
        self._unknown = ''
        try:
            cells = list(make_study(self.file).cells())
        except ReactreeError as error:
            # Of a study from elsewhere, for example, the files of tasks may not be here.
            self._unknown = f'How many episodes there will be is not known here: {error}'
            return
        for cell in cells:
            if cell not in self._asked:
                self._asked.add(cell)
                tally = self._tally(cell)
                tally.asked += 1
                tally.waiting += 1

    def _tally(self, cell: Cell) -> Tally:
        group = group_of(cell)
        self.tasks.setdefault(task_of(cell))
        self.groups.setdefault(group)
        return self.tallies.setdefault((cell.world, group), Tally())

    @property
    def total(self) -> int | None:
        """Episodes that the study asks for; None where its tasks cannot be read here."""
        return None if self._unknown else len(self._asked)

    @property
    def done(self) -> int:
        """Episodes that have ended, of those that the study asks for."""
        if self._unknown:
            return len(self.episodes)
        return len(self._asked) - sum(tally.waiting for tally in self.tallies.values())

    @property
    def at_once(self) -> float:
        """Episodes that run at a time, 1 or more: by the seconds and the ends of the newest."""
        if not self.running or len(self._arrivals) < 2:
            return 1.0
        between = self._arrivals[-1][0] - self._arrivals[0][0]
        work = sum(seconds for _, seconds in list(self._arrivals)[1:])
        # Fewer than one: the study stood still for a while.
        return min(max(1.0, work / between), _MOST_AT_ONCE) if between > 0 else 1.0

    @property
    def left(self) -> float | None:
        """Seconds until all have ended, where they go on as until now; None: not known.

        What waits of a group lasts as long as what has ended of it, or of all.
        """
        number = sum(tally.number for tally in self.tallies.values())
        if self._unknown or not number:
            return None
        mean = sum(tally.seconds for tally in self.tallies.values()) / number
        waiting = sum(
            tally.waiting * (tally.seconds / tally.number if tally.number else mean)
            for tally in self.tallies.values()
        )
        return waiting / self.at_once

    @property
    def troubles(self) -> list[str]:
        """What cannot be read, in sentences."""
        said = [self._misread, self._unknown, self._unread]
        if self.damaged:
            said.append(
                f'{count(self.damaged, "line")} of {ROWS} cannot be read, and counts as not '
                'there: the same command of reactree bench run tries these episodes again.'
            )
        return [visible(text) for text in said if text]

    def asks_for(self, cell: Cell) -> bool:
        """Whether the study has this episode."""
        return cell in self._asked

    @property
    def mark(self) -> str:
        """Changes when a look would see something else. Reads nothing."""
        about = [*self._stamp_now(), int(self._is_run())]
        with suppress(OSError):
            rows = (self.folder / ROWS).stat()
            about += [rows.st_ino, rows.st_size]
        return '-'.join(map(str, about))

    def look(self) -> None:
        """Read what was added; everything anew where the study itself was changed."""
        self.running = self._is_run()
        stamp = self._stamp_now()
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                self._begin(read_file(self.folder / STUDY, StudyFile))
                self._misread = ''
            except ConfigurationError as error:
                self._misread = f'What was read before is shown: {error}'
        self._unread = ''
        try:
            with (self.folder / ROWS).open('rb') as file:
                about = os.fstat(file.fileno())
                if self._offset and (about.st_ino != self._inode or about.st_size < self._offset):
                    self._begin(self.file)
                self._inode = about.st_ino
                self._read(file)
        except FileNotFoundError:
            if self._offset:
                self._begin(self.file)
        except OSError as error:
            self._unread = f'{self.folder / ROWS} cannot be read: {error.strerror or error}.'

    def _read(self, file: BinaryIO) -> None:
        file.seek(self._offset)
        while line := file.readline(_LONGEST_LINE):
            row = row_of(line)
            # The last line may still be being written; what is an object already is whole.
            if row is None and not line.endswith(b'\n') and len(line) < _LONGEST_LINE:
                return
            self._offset += len(line)
            if line.strip():
                self._take(row)

    def _take(self, row: EpisodeRow | None) -> None:
        try:
            episode = _episode(row) if row is not None else None
            known = row is not None and row.cell in self.episodes
        except (ValueError, TypeError, OverflowError, ZeroDivisionError):
            episode, known = None, False
        if row is None or episode is None:
            self.damaged += 1
            return
        if known:
            return
        self.episodes[row.cell] = episode
        self.instructions.setdefault(task_of(row.cell), episode.instruction)
        tally = self._tally(row.cell)
        tally.waiting -= row.cell in self._asked
        tally.number += 1
        tally.solved += episode.success
        tally.share += episode.share
        tally.decisions += episode.decisions
        tally.seconds += episode.seconds
        with suppress(OSError):
            ended = (self.folder / RUNS / f'{episode.run}.jsonl').stat().st_mtime
            self._arrivals.append((ended, episode.seconds))

    def _stamp_now(self) -> tuple[int, int]:
        try:
            about = (self.folder / STUDY).stat()
        except OSError:
            return (0, 0)
        return about.st_mtime_ns, about.st_size

    def _is_run(self) -> bool:
        # Shared, and given back at once: a process that runs the study has it for itself.
        try:
            with (self.folder / LOCK).open('rb') as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False


def _episode(row: EpisodeRow) -> Episode:
    """:raises ValueError: (TypeError, OverflowError) a value is not what it should be."""
    share, seconds = float(row.subgoal_rate), float(row.seconds)
    if not (math.isfinite(share) and math.isfinite(seconds)):
        raise ValueError('a number is not finite')
    values = [(getattr(row.cell, one.name), _KINDS[str(one.type)]) for one in fields(Cell)]
    values += [(row.decisions, int), (row.steps, int), (row.run, str)]
    if not all(isinstance(value, kind) for value, kind in values):
        raise TypeError('a column is of another kind')
    return Episode(
        row.run if row.run.isalnum() else '',
        visible(row.instruction, _LONGEST_TEXT),
        bool(row.success),
        row.false_success,
        min(max(share, 0.0), 1.0),
        f'{row.met}/{row.total}' if row.total else '' if row.score is None else f'{row.score:.2f}',
        visible(row.judged),
        visible(row.ended, _LONGEST_TEXT),
        visible(row.reason, _LONGEST_TEXT),
        row.decisions,
        row.steps,
        max(0.0, seconds),
    )
