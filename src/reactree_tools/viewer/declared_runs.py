"""Recorded runs with the skills that their server declared: from a journal or a bag."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reactree_core.errors import JournalError
from reactree_core.observation import Vocabulary
from reactree_core.record.events import Event
from reactree_core.record.journal_lines import Answer, Record
from reactree_tools.recording.vocabularies import vocabulary_among, vocabulary_of_run
from reactree_tools.viewer.sources import is_bag, LAST, named_path, open_runs


@dataclass(frozen=True, slots=True)
class DeclaredRun:
    """A run with the skills that its server declared.

    :param records: events in order, and the answers between them where it is a journal.
    """

    run_id: str
    records: tuple[Record, ...]
    vocabulary: Vocabulary

    @property
    def events(self) -> tuple[Event, ...]:
        """Its events alone."""
        return tuple(one for one in self.records if not isinstance(one, Answer))


def open_declared_run(
    name: str,
    journals: Path,
    bags: Path,
    run_id: str = '',
    warn: Callable[[str], None] = lambda text: None,
) -> list[DeclaredRun]:
    """The runs of a record, in the order they began.

    :param name: as of `viewer.sources.open_runs`. :param journals: their folder, where the skills
        of a run of a bag are looked up, too. :param bags: their folder.
    :param run_id: which of a bag with several; '' takes all.
    :raises JournalError: there is no such run, or its record is damaged.
    :raises RecordingError: the bag cannot be read, or nothing reports the skills of its run.
    """
    path = named_path(name, journals, bags, warn)
    if is_bag(path):
        # A bag holds messages, which need ROS; journals do not.
        from reactree_tools.recording.ros import run_reading

        found = []
        for one in run_reading.open_runs(str(path), bags, run_id, warn):
            journal = journals / f'{one.run_id}.jsonl'
            vocabulary = vocabulary_of_run(one.start, one.backend, journal)
            found.append(DeclaredRun(one.run_id, one.events, vocabulary))
        return found
    found = []
    for run in open_runs(name if name != LAST else str(path), journals, run_id, warn):
        records = tuple(run.records(run.run_id))
        names = vocabulary_among(records)
        if names is None:
            raise JournalError(
                f'The journal of run {run.run_id} does not say which skills there were: the run '
                'ended before its skill server was asked.'
            )
        found.append(DeclaredRun(run.run_id, records, names))
    return found
