"""Where recorded runs come from: journals and bags, by name or the beginning of an id."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Protocol, runtime_checkable

from reactree_core.errors import JournalError
from reactree_core.record.events import Decision, DecisionKind, Event, NodeStatus
from reactree_core.record.journal import read_journal, read_records
from reactree_core.record.journal_lines import Answer, decode_event, Record
from reactree_tools.recording.bag_names import is_bag_folder

#: Runs of a folder that are listed, newest first.
LISTED_RUNS = 200
#: Bytes at the end of a journal in which its last line is looked for.
_TAIL = 65536
_SUFFIX = '.jsonl'
_RUN_ID = re.compile('[0-9a-f]{32}')


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run of a list.

    :param task: the sentence; '' when unknown.
    :param changed: when something was last written, seconds since 1970; 0 when unknown.
    :param status: how the run ended; RUNNING while no end is known.
    :param duration: seconds from the run's start to its last event.
    :param planner: which one; '' when unknown. :param reason: why the run ended, as recorded.
    :param trouble: why its record cannot be read; '' when it can.
    """

    run_id: str
    task: str = ''
    changed: float = 0.0
    status: NodeStatus = NodeStatus.RUNNING
    duration: float = 0.0
    planner: str = ''
    reason: str = ''
    trouble: str = ''


class RunSource(Protocol):
    """Recorded runs. Whoever can tell these two things can be looked at in the viewer.

    Methods may be called from any thread.
    """

    def entries(self) -> Sequence[RunEntry]:
        """The runs there are, newest first."""

    def events(self, run_id: str) -> Iterable[Event]:
        """A run's events in order; stamps are seconds since the run's start.

        :raises JournalError: there is no such run, or it cannot be read.
        """


@runtime_checkable
class RecordSource(Protocol):
    """A source that also has the answers between the events, as journals do."""

    def records(self, run_id: str) -> Iterable[Record]:
        """A run's events and answers in order.

        :raises JournalError: there is no such run, or it cannot be read.
        """


@runtime_checkable
class FindingSource(Protocol):
    """A source that finds one run among many without listing them, as journals do."""

    def entry(self, run_id: str) -> RunEntry | None:
        """The run of this id; None where there is none."""


class GivenRun:
    """One run whose events are at hand, wherever they come from.

    :param records: events in order; the answers between them may be there too.
    """

    def __init__(self, run_id: str, records: Iterable[Record]) -> None:
        self._records = tuple(records)
        self._events = tuple(one for one in self._records if not isinstance(one, Answer))
        first = self._events[0] if self._events else None
        self._entry = _entry(run_id, first, self._events[-1] if self._events else None)

    @property
    def run_id(self) -> str:
        """Its name."""
        return self._entry.run_id

    def entries(self) -> Sequence[RunEntry]:
        """The one run."""
        return (self._entry,)

    def events(self, run_id: str) -> Iterable[Event]:
        """Its events.

        :raises JournalError: another run is asked for.
        """
        self._check(run_id)
        return self._events

    def records(self, run_id: str) -> Iterable[Record]:
        """Its events, and the answers between them where they are known.

        :raises JournalError: another run is asked for.
        """
        self._check(run_id)
        return self._records

    def _check(self, run_id: str) -> None:
        if run_id != self._entry.run_id:
            raise JournalError(f'There is no run {run_id[:40]} here.')


class JournalFolder:
    """The journals of a folder, `<run_id>.jsonl` each; read only when asked for.

    :param folder: need not exist.
    :param newest: ids of the runs that are listed, newest first, where somebody knows them: a
        folder of very many need not be gone through then.
    """

    def __init__(self, folder: Path, newest: Callable[[], Iterable[str]] | None = None) -> None:
        self._folder = folder
        self._newest = newest
        self._known: dict[str, tuple[tuple[int, int], RunEntry]] = {}

    def entries(self) -> Sequence[RunEntry]:
        """The newest runs. A journal that cannot be read is among them; other files are not."""
        if self._newest is not None:
            named = (self.entry(run_id) for run_id in islice(self._newest(), LISTED_RUNS))
            return tuple(entry for entry in named if entry is not None)
        found: list[tuple[int, int, Path]] = []
        try:
            paths = [path for path in self._folder.iterdir() if path.suffix == _SUFFIX]
        except OSError:
            return ()
        for path in paths:
            with suppress(OSError):  # it is gone, or a link to nowhere
                about = path.stat()
                if S_ISREG(about.st_mode):
                    found.append((about.st_mtime_ns, about.st_size, path))
        found.sort(key=lambda item: item[0], reverse=True)
        entries = (self._read_entry(*item) for item in found[:LISTED_RUNS])
        return tuple(entry for entry in entries if entry is not None)

    def entry(self, run_id: str) -> RunEntry | None:
        """The run of this id; None where it has no journal here."""
        with suppress(OSError, JournalError):
            path = self._path(run_id)
            about = path.stat()
            if S_ISREG(about.st_mode):
                return self._read_entry(about.st_mtime_ns, about.st_size, path)
        return None

    def _read_entry(self, changed: int, size: int, path: Path) -> RunEntry | None:
        stamp, entry = self._known.get(path.stem, (None, None))
        if entry is not None and stamp == (changed, size):
            return entry
        try:
            first, last = _ends(path, size)
        except (OSError, JournalError) as error:
            if not size or not _RUN_ID.fullmatch(path.stem):
                return None  # of a run that begins, or of somebody else
            reason = error.strerror if isinstance(error, OSError) else str(error)
            return RunEntry(path.stem, changed=changed * 1e-9, trouble=reason or 'It is damaged.')
        entry = _entry(path.stem, first, last, changed * 1e-9)
        self._known[path.stem] = ((changed, size), entry)
        return entry

    def events(self, run_id: str) -> Iterable[Event]:
        """The events of a journal.

        :raises JournalError: there is none of this name, or it is damaged.
        """
        return read_journal(self._path(run_id))

    def records(self, run_id: str) -> Iterable[Record]:
        """The events of a journal and the answers between them.

        :raises JournalError: there is none of this name, or it is damaged.
        """
        return read_records(self._path(run_id))

    def _path(self, run_id: str) -> Path:
        if not run_id.isalnum():
            raise JournalError('A run is named by its 32 hexadecimal digits.')
        return self._folder / f'{run_id}{_SUFFIX}'


def _ends(path: Path, size: int) -> tuple[Event, Event]:
    """First and last event of a journal; a torn last line counts as not there."""
    with path.open('rb') as file:
        first = decode_event(file.readline().decode('utf-8', 'replace'))
        tail = _TAIL
        # Answers of a memory may be long, and the last event stands before them.
        while True:
            file.seek(max(0, size - tail))
            for line in reversed(file.read(tail).splitlines()):
                try:
                    return first, decode_event(line.decode('utf-8', 'replace'))
                except JournalError:
                    continue
            if tail >= size:
                return first, first
            tail *= 8


def _entry(run_id: str, first: Event | None, last: Event | None, changed: float = 0.0) -> RunEntry:
    task = planner = reason = ''
    if isinstance(first, Decision) and first.kind is DecisionKind.START:
        task = first.text
        planner = first.settings.planner
    status = NodeStatus.RUNNING
    if isinstance(last, Decision) and last.kind is DecisionKind.FINISH and last.node_id == 0:
        status, reason = last.status, last.text
    duration = last.stamp if last is not None else 0.0
    return RunEntry(run_id, task, changed, status, duration, planner=planner, reason=reason)


#: Stands for the run that was written last, for every command.
LAST = 'last'
#: Digits of a run's id, with which the name of its bag begins.
_ID_DIGITS = 32
#: Endings of files of bags.
_BAG_FILES = ('.mcap', '.db3')


@dataclass(frozen=True, slots=True)
class NewestRun:
    """The run that `last` stands for, with what there is of it.

    :param journal: its file; None where there is none. :param bag: its folder, likewise.
    """

    run_id: str
    journal: Path | None
    bag: Path | None

    @property
    def path(self) -> Path:
        """The journal, which has the answers between the events too, else the bag."""
        found = self.journal or self.bag
        assert found is not None
        return found


def newest_run(
    journals: Path,
    bags: Path | None,
    warn: Callable[[str], None] = lambda text: None,
    readable: bool = True,
) -> NewestRun | None:
    """The run that was written last, whatever it left; None where there is none.

    :param journals: folder of journals. :param bags: folder of bags; None: there are none.
    :param warn: called with journals that were passed over, since they cannot be read.
    :param readable: whether they are; else what cannot be read is a run too.
    """
    folders = filter(is_bag_folder, bags.glob('*')) if bags is not None else ()
    newest = sorted(folders, key=lambda folder: folder.stat().st_mtime)
    # A run that was recorded twice has its id, and its id with a number behind it.
    bag_of = {folder.name[:_ID_DIGITS]: folder for folder in newest}
    found = {
        run_id: (folder.stat().st_mtime, NewestRun(run_id, None, folder))
        for run_id, folder in bag_of.items()
    }
    for entry in JournalFolder(journals).entries():
        bag = bag_of.get(entry.run_id)
        trouble = entry.trouble if readable else ''
        if trouble and bag is None:
            known = max((changed for changed, _ in found.values()), default=0.0)
            if entry.changed > known:
                warn(f'The journal of run {entry.run_id} cannot be read: {entry.trouble}')
            continue
        journal = None if trouble else journals / f'{entry.run_id}{_SUFFIX}'
        found[entry.run_id] = (entry.changed, NewestRun(entry.run_id, journal, bag))
    return max(found.values(), key=lambda item: item[0])[1] if found else None


def open_runs(
    name: str,
    folder: Path,
    run_id: str = '',
    warn: Callable[[str], None] = lambda text: None,
    bags: Path | None = None,
) -> Sequence[GivenRun]:
    """A run, read whole; of a bag that holds several all of them, in the order they began.

    :param name: path of a journal, of a bag's folder or of a file in it, the beginning of the id
        of a run in the journals, or 'last'.
    :param folder: of the journals. :param run_id: which of a bag with several; '' takes all.
    :param warn: called with journals that were passed over, since they cannot be read, and with
        what is missing of a bag.
    :param bags: folder of bags, for 'last'; None: there are none.
    :raises JournalError: there is no such run, several begin so, or its record is damaged.
    :raises RecordingError: the bag cannot be read.
    """
    path = named_path(name, folder, bags, warn)
    if is_bag(path):
        return _open_bag(path, run_id, warn)
    if path.is_file():
        return [GivenRun(path.stem, read_records(path))]
    return [_open_journal(name, JournalFolder(folder), folder)]


def named_path(
    name: str,
    journals: Path,
    bags: Path | None,
    warn: Callable[[str], None] = lambda text: None,
    readable: bool = True,
) -> Path:
    """A name as a path; of 'last', that of the newest run's journal, or bag where it has none.

    :param warn: and :param readable: as of `newest_run`.
    """
    newest = newest_run(journals, bags, warn, readable) if name == LAST else None
    return Path(name).expanduser() if newest is None else newest.path


def bag_name(
    name: str,
    journals: Path,
    bags: Path,
    warn: Callable[[str], None] = lambda text: None,
) -> str:
    """A name for who reads bags: of 'last', the newest run's bag, or journal where it has none.

    :param warn: as of `newest_run`.
    """
    newest = newest_run(journals, bags, warn) if name == LAST else None
    return name if newest is None else str(newest.bag or newest.journal)


def journal_path(name: str, folder: Path) -> Path:
    """The file of a journal, read or not.

    :param name: its path, or the first digits of a run's id. :param folder: of journals.
    :raises JournalError: there is none, or several begin so.
    """
    path = Path(name).expanduser()
    if path.is_file():
        return path
    run_ids = [entry.run_id for entry in JournalFolder(folder).entries()]
    found = [one for one in run_ids if one.startswith(name)]
    if len(found) == 1:
        return folder / f'{found[0]}{_SUFFIX}'
    raise JournalError(
        f'{len(found) or "No"} journals in {folder} are named {name[:80]}: give a path, more '
        "digits of the run's id, or the word last."
    )


def is_bag(path: Path) -> bool:
    """Whether a path is that of a bag, and not of a journal."""
    return path.is_dir() or any(suffix in _BAG_FILES for suffix in path.suffixes)


def _open_journal(name: str, journals: JournalFolder, folder: Path) -> GivenRun:
    run_ids = [entry.run_id for entry in journals.entries()]
    found = [run_id for run_id in run_ids if run_id.startswith(name.lower())]
    if len(found) == 1:
        return GivenRun(found[0], journals.records(found[0]))
    if found:
        raise JournalError(
            f'{len(found)} runs begin with {name[:40]}: give more digits of the one you mean.'
        )
    raise JournalError(
        f'There is no run {name[:80]}: neither a file of this name nor a journal in {folder}. '
        "Give a journal's path, a bag's folder, the first digits of a run's id, or the word last."
    )


def _open_bag(path: Path, run_id: str, warn: Callable[[str], None]) -> Sequence[GivenRun]:
    # A bag holds messages, which need ROS; journals do not.
    from reactree_tools.recording.bag_names import bag_directory
    from reactree_tools.recording.ros import run_reading

    runs = run_reading.open_runs(str(path), bag_directory(), run_id, warn)
    return [GivenRun(recorded.run_id, recorded.events) for recorded in runs]
