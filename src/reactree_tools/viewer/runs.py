"""All runs that can be looked at: live ones, and those that sources keep."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

from reactree_core.errors import JournalError
from reactree_core.observation import Vocabulary
from reactree_core.record.answers import vocabulary_in
from reactree_core.record.events import Event
from reactree_core.record.journal_lines import Answer, Record
from reactree_tools.viewer.frames import RunHistory
from reactree_tools.viewer.sources import FindingSource, RecordSource, RunEntry, RunSource

#: Histories of each sort that stay in memory.
KEPT_RUNS = 3


class Runs:
    """Live runs are begun and fed by a node; recorded ones are read when somebody looks.

    :param sources: asked in this order.
    """

    def __init__(self, sources: Sequence[RunSource] = ()) -> None:
        self._sources = tuple(sources)
        self._live: dict[str, RunHistory] = {}
        self._recorded: dict[str, RunHistory] = {}
        #: When the record of each was written to last, and how long its run was, when it was read:
        #: the planner of another viewer, or of none, may still write.
        self._read_at: dict[str, tuple[float, float]] = {}
        #: What the skill server of live runs declares; None before it was heard of.
        self._vocabulary: Vocabulary | None = None
        self._lock = threading.Lock()
        self._reading = threading.Lock()

    def begin(self, run_id: str) -> RunHistory:
        """A new live run; the oldest one makes room."""
        history = RunHistory(run_id)
        with self._lock:
            if self._vocabulary is not None:
                history.know(self._vocabulary)
            self._live.pop(run_id, None)
            self._live[run_id] = history
            while len(self._live) > KEPT_RUNS:
                del self._live[next(iter(self._live))]
            self._forget(run_id)
        return history

    def know(self, vocabulary: Vocabulary) -> None:
        """Know what the skill server of live runs declares."""
        with self._lock:
            self._vocabulary = vocabulary
            for history in self._live.values():
                history.know(vocabulary)

    @property
    def newest(self) -> str:
        """Id of the run that began last; without a live one, of the newest recorded; or ''."""
        with self._lock:
            if self._live:
                return next(reversed(self._live))
        entries = (entry for source in self._sources for entry in source.entries())
        return next((entry.run_id for entry in entries if not entry.trouble), '')

    @property
    def live(self) -> str:
        """Id of the live run that began last; '' when there was none."""
        with self._lock:
            return next(reversed(self._live), '')

    def is_live(self, run_id: str) -> bool:
        """Whether more events may come."""
        with self._lock:
            history = self._live.get(run_id)
        return history is not None and not history.finished

    def known(self, run_id: str) -> RunHistory | None:
        """A run's frames if they are in memory."""
        with self._lock:
            return self._live.get(run_id) or self._recorded.get(run_id)

    def history(self, run_id: str) -> RunHistory:
        """A run's frames; takes as long as reading its record, whenever that has grown.

        :raises JournalError: there is no such run, or its record is damaged.
        """
        with self._lock:
            live, found = self._live.get(run_id), self._recorded.get(run_id)
            read_at = self._read_at.get(run_id)
        if live is not None:
            return live
        if found is not None and found.finished:
            return found
        with self._reading:
            try:
                source, entry = self._kept(run_id)
            except JournalError:
                if found is None:
                    raise
                return found  # what is no longer there does not grow
            written = entry.changed, entry.duration
            if found is not None and written == read_at:
                return found
            return self._read(run_id, source, written)

    def _read(self, run_id: str, source: RunSource, written: tuple[float, float]) -> RunHistory:
        history = RunHistory(run_id)
        for record in _records_of(source, run_id):
            if not isinstance(record, Answer):
                history.add(record)
            elif (vocabulary := vocabulary_in(record)) is not None:
                history.know(vocabulary)
        with self._lock:
            self._recorded.pop(run_id, None)
            self._recorded[run_id], self._read_at[run_id] = history, written
            while len(self._recorded) > KEPT_RUNS:
                self._forget(next(iter(self._recorded)))
        return history

    def _forget(self, run_id: str) -> None:
        self._recorded.pop(run_id, None)
        self._read_at.pop(run_id, None)

    def _kept(self, run_id: str) -> tuple[RunSource, RunEntry]:
        for source in self._sources:
            if isinstance(source, FindingSource):
                entry = source.entry(run_id)
            else:
                entry = next((one for one in source.entries() if one.run_id == run_id), None)
            if entry is not None:
                return source, entry
        raise JournalError('No record of this run can be read here: the journal is elsewhere.')

    def events(self, run_id: str) -> tuple[Event, ...]:
        """A run's events as they were recorded, also while it runs.

        :raises JournalError: no source has them.
        """
        return tuple(self._source(run_id).events(run_id))

    def records(self, run_id: str) -> tuple[Record, ...]:
        """A run's events, with the answers between them where its source has these.

        :raises JournalError: no source has them.
        """
        return tuple(_records_of(self._source(run_id), run_id))

    def _source(self, run_id: str) -> RunSource:
        return self._kept(run_id)[0]

    def entries(self) -> list[RunEntry]:
        """Every run once, newest first."""
        with self._lock:
            live = dict(self._live)
        found: dict[str, RunEntry] = {}
        for run_id in reversed(live):
            found[run_id] = _entry_of(live[run_id])
        for source in self._sources:
            for entry in source.entries():
                found.setdefault(entry.run_id, entry)
        return list(found.values())

    @property
    def count(self) -> tuple[int, bool]:
        """Changes when a live run begins or ends."""
        with self._lock:
            newest = next(reversed(self._live.values()), None)
            return len(self._live), newest is not None and newest.finished


def _records_of(source: RunSource, run_id: str) -> Iterable[Record]:
    return source.records(run_id) if isinstance(source, RecordSource) else source.events(run_id)


def _entry_of(history: RunHistory) -> RunEntry:
    maker = history.maker
    ends = [max(node.started, node.ended) for node in maker.tree.snapshot().nodes]
    return RunEntry(
        history.run_id,
        maker.tree.task,
        0.0,
        maker.status,
        max(ends, default=0.0),
        planner=maker.tree.planner,
        reason=maker.reason,
    )
