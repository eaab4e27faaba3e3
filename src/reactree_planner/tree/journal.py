"""A run's journal: one JSON line per event, append-only, readable after any crash."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any
from typing import TextIO

from reactree_core.errors import JournalError
from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.usage import LlmUsage
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import Event
from reactree_planner.tree.events import NodeStatus

#: Written into every line; a reader refuses newer ones.
FORMAT = 1


_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (Decision, Observation, LlmUsage, ObjectFact)
}


def _plain(value: LlmUsage | ObjectFact) -> dict[str, Any]:
    return {name: getattr(value, name) for name in _FIELDS[type(value)]}


def encode_event(event: Event) -> str:
    """One event as one line of JSON, without the newline."""
    # Not asdict(): it copies every value deeply, which costs more than all else of an event.
    record = {name: getattr(event, name) for name in _FIELDS[type(event)]}
    if isinstance(event, Decision):
        record['usage'] = _plain(event.usage)
    else:
        record['facts'] = [_plain(fact) for fact in event.facts]
    record['event'] = 'decision' if isinstance(event, Decision) else 'observation'
    record['format'] = FORMAT
    return json.dumps(record, ensure_ascii=False, separators=(',', ':'))


def decode_event(line: str) -> Event:
    """The event of a line. :raises JournalError: it is none, or of a newer format."""
    try:
        record: dict[str, Any] = json.loads(line)
        kind = record.pop('event')
        version = record.pop('format')
        if version > FORMAT:
            raise JournalError(
                f'The journal has format {version}; this version reads up to '
                f'{FORMAT}: use the version that wrote it.'
            )
        if kind == 'decision':
            record['kind'] = DecisionKind(record['kind'])
            record['control_flow'] = ControlFlow(record['control_flow'])
            record['status'] = NodeStatus(record['status'])
            record['subgoals'] = tuple(record['subgoals'])
            record['usage'] = LlmUsage(**record['usage'])
            return Decision(**record)
        record['outcome'] = Outcome(record['outcome'])
        record['facts'] = tuple(ObjectFact(**fact) for fact in record['facts'])
        for name in ('looked_at', 'held', 'admissible_skills'):
            record[name] = tuple(record[name])
        return Observation(**record)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise JournalError(f'A journal line is no event ({error}).') from error


class Journal:
    """Appends events to `<directory>/<run_id>.jsonl`, each on the file before it is acted on.

    :param sync: also force every line to the disk (survives power loss, costs milliseconds).
    :raises JournalError: the file cannot be created.
    """

    def __init__(self, directory: Path, run_id: str, sync: bool = False) -> None:
        self.path = directory / f'{run_id}.jsonl'
        self._sync = sync
        self._file: TextIO | None = None
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open('a', encoding='utf-8')
        except OSError as error:
            raise JournalError(self._sentence(error)) from error

    def _sentence(self, error: OSError) -> str:
        return (
            f'The journal {self.path} cannot be written ({error.strerror}). Free disk space '
            'or set journal_directory to a folder that can be written.'
        )

    def append(self, event: Event) -> None:
        """Write one event. :raises JournalError: the disk is full or gone."""
        if self._file is None:
            raise JournalError(f'The journal {self.path} is closed.')
        try:
            self._file.write(encode_event(event) + '\n')
            self._file.flush()
            if self._sync:
                os.fsync(self._file.fileno())
        except OSError as error:
            raise JournalError(self._sentence(error)) from error

    def close(self) -> None:
        """Close the file; safe to call twice."""
        if self._file is not None:
            self._file.close()
            self._file = None


def read_journal(path: Path) -> Iterator[Event]:
    """Events of a journal in order. A torn last line (a crash while writing) is left out.

    :raises JournalError: the file cannot be read, or a line before the last is damaged.
    """
    try:
        lines = path.read_text(encoding='utf-8', errors='replace').splitlines(keepends=True)
    except OSError as error:
        raise JournalError(f'The journal {path} cannot be read ({error.strerror}).') from error
    for number, line in enumerate(lines, start=1):
        try:
            event = decode_event(line)
        except JournalError as error:
            if number == len(lines):
                return
            raise JournalError(f'{path}, line {number}: {error}') from error
        yield event
