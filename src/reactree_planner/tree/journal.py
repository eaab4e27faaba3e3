"""A run's journal: one JSON line per record, append-only, readable after any crash.

Records are the run's events and, between them, the answers that led to them (see `resume`).
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
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
#: Bytes at a journal's end that hold its last line, whatever is in it.
_LONGEST_TAIL = 64 * 1024**2


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model, the memory or a person said to the planner; no event, but it led to one.

    :param kind: e.g. 'select'. :param content: JSON values.
    """

    kind: str
    content: Mapping[str, Any]


#: One line of a journal.
Record = Event | Answer

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


def encode_record(record: Record) -> str:
    """One record as one line of JSON, without the newline."""
    if not isinstance(record, Answer):
        return encode_event(record)
    line = {'answer': record.kind, **record.content, 'event': 'answer', 'format': FORMAT}
    return json.dumps(line, ensure_ascii=False, separators=(',', ':'))


def decode_event(line: str) -> Event:
    """The event of a line. :raises JournalError: it is none, or of a newer format."""
    record = decode_record(line)
    if isinstance(record, Answer):
        raise JournalError(f'A journal line is no event but an answer ({record.kind}).')
    return record


def decode_record(line: str) -> Record:
    """The record of a line. :raises JournalError: it is none, or of a newer format."""
    try:
        record: dict[str, Any] = json.loads(line)
        kind = record.pop('event')
        version = record.pop('format')
        if version > FORMAT:
            raise JournalError(
                f'The journal has format {version}; this version reads up to '
                f'{FORMAT}: use the version that wrote it.'
            )
        if kind == 'answer':
            return Answer(str(record.pop('answer')), record)
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
    """Appends records to `<directory>/<run_id>.jsonl`, each on the file before it is acted on.

    A line that a crash tore is cut off first. One planner at a time writes a journal.

    :param sync: also force every line to the disk (survives power loss, costs milliseconds).
    :raises JournalError: the file cannot be created, or another planner writes it.
    """

    def __init__(self, directory: Path, run_id: str, sync: bool = False) -> None:
        self.path = directory / f'{run_id}.jsonl'
        self._sync = sync
        self._file: TextIO | None = None
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open('a', encoding='utf-8')
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _cut_torn_line(self.path)
        except BlockingIOError as error:
            self.close()
            raise JournalError(
                f'Another planner is at work on the run of {self.path}: wait for its end.'
            ) from error
        except OSError as error:
            raise JournalError(self._sentence(error)) from error

    def _sentence(self, error: OSError) -> str:
        return (
            f'The journal {self.path} cannot be written ({error.strerror}). Free disk space '
            'or set journal_directory to a folder that can be written.'
        )

    def append(self, record: Record) -> None:
        """Write one record. :raises JournalError: the disk is full or gone."""
        if self._file is None:
            raise JournalError(f'The journal {self.path} is closed.')
        try:
            self._file.write(encode_record(record) + '\n')
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


def _cut_torn_line(path: Path) -> None:
    """Take away what follows the last newline. (A device has no size and nothing to cut.)"""
    size = path.stat().st_size
    if not size:
        return
    with path.open('rb+') as file:
        file.seek(max(0, size - _LONGEST_TAIL))
        tail = file.read()
        torn = len(tail) - (tail.rfind(b'\n') + 1)
        if torn:
            file.truncate(size - torn)


def read_journal(path: Path) -> Iterator[Event]:
    """Events of a journal in order, without the answers between them. See `read_records`."""
    return (record for record in read_records(path) if not isinstance(record, Answer))


def read_records(path: Path) -> Iterator[Record]:
    """Records of a journal in order. A torn last line (a crash while writing) is left out.

    :raises JournalError: the file cannot be read, or a line before the last is damaged.
    """
    try:
        text = path.read_text(encoding='utf-8', errors='replace')
    except OSError as error:
        raise JournalError(f'The journal {path} cannot be read ({error.strerror}).') from error
    # Not splitlines: texts hold other separators (U+2028), which JSON leaves as they are.
    lines = text.removesuffix('\n').split('\n') if text else []
    for number, line in enumerate(lines, start=1):
        try:
            record = decode_record(line)
        except JournalError as error:
            if number == len(lines):
                return
            raise JournalError(f'{path}, line {number}: {error}') from error
        yield record
