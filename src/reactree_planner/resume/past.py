"""What a journal holds of a run that is to go on."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path

from reactree_core.errors import ResumeError
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.journal import read_records
from reactree_planner.tree.journal import Record
from reactree_planner.tree.run_settings import Limits
from reactree_planner.tree.run_settings import RunSettings


@dataclass(frozen=True, slots=True)
class Past:
    """A run as its journal has it."""

    task: str
    settings: RunSettings
    records: tuple[Record, ...]


def changed_limits(known: Limits, **given: float) -> Limits:
    """Limits of a run that goes on: those given now, where they are not 0."""
    return replace(known, **{name: value for name, value in given.items() if value})  # type: ignore[arg-type]


def check_past(directory: Path, run_id: str) -> None:
    """Whether a run has a journal in a folder. :raises ResumeError: it has none."""
    path = directory / f'{run_id}.jsonl'
    if not path.is_file():
        raise ResumeError(
            f'There is no journal {path}: check the run id, and the parameter journal_directory '
            'of the planner.'
        )


def read_past(directory: Path, run_id: str) -> Past:
    """The run whose journal is in a folder.

    :raises ResumeError: there is none, it was ended, or it cannot be resumed.
    :raises JournalError: the journal is damaged.
    """
    check_past(directory, run_id)
    path = directory / f'{run_id}.jsonl'
    records = tuple(read_records(path))
    first = records[0] if records else None
    if not isinstance(first, Decision) or first.kind is not DecisionKind.START:
        raise ResumeError(
            f'The journal {path} has no beginning to go on from: give the task again.'
        )
    last = records[-1]
    if (
        isinstance(last, Decision)
        and (last.kind, last.node_id) == (DecisionKind.FINISH, 0)
        and last.status is NodeStatus.CANCELED
    ):
        raise ResumeError(
            f'The run {run_id} had ended ("{last.text[:200]}"), so there is nothing to resume: '
            'give the task again.'
        )
    return Past(first.text, first.settings, records)
