"""Records of a run as lines of JSON, and back: what a journal holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from math import inf
from typing import Any, TypeVar

from reactree_core.belief import Fact, Source, SourceKind
from reactree_core.chain_link import ChainLink
from reactree_core.errors import JournalError
from reactree_core.experience import Termination
from reactree_core.observation import ObjectFact, Observation, Outcome
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, Event, NodeStatus
from reactree_core.record.goal_record import GoalRecord, NO_GOAL
from reactree_core.record.run_settings import (
    Ask,
    Kept,
    Limits,
    ParallelPolicy,
    RunSettings,
    settings_of_lines,
)
from reactree_core.skill_types import Effect, Relation, SkillKind, SkillType
from reactree_core.usage import LlmUsage

#: Written into every line; a reader refuses newer ones. Before 2, a START told "name=value" lines;
#: before 3 there was no GROUND and no REPAIR; before 4 a GROUND told no goal, and there was no
#: MILESTONE; before 5 no line held the hash of the one before it (see `chain`), and before 6 no
#: event that of the event before; before 7 there was no CORRECT, WAIT and FIRE, and no goal had a
#: trigger. A line says the oldest format that has all of it.
FORMAT = 7
#: What is told by lines without anything of the last one.
_PLAIN_FORMAT = 6
_NEW_KINDS = (DecisionKind.CORRECT, DecisionKind.WAIT, DecisionKind.FIRE)
#: The last format whose events did not tell of the event before.
_ONE_LINK = 5


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
    # A line holds its link by itself.
    kind: tuple(field.name for field in fields(kind) if field.name != 'link')
    for kind in (Decision, Observation, LlmUsage, ObjectFact, GoalRecord)
}


def _plain(value: LlmUsage | ObjectFact | GoalRecord) -> dict[str, Any]:
    return {name: getattr(value, name) for name in _FIELDS[type(value)]}


def _plain_evidence(fact: Fact) -> list[str | float | bool]:
    """Relation, subject, value, truth, kind and name of the source, time, and age (0.0: any)."""
    what, source, age = fact.what, fact.source, 0.0 if fact.age == inf else float(fact.age)
    said = [what.relation.value, what.subject, what.value, what.holds]
    return [*said, source.kind.value, source.name, float(fact.time), age]


def _evidence(line: object) -> Fact:
    """:raises TypeError, ValueError: it is no fact."""
    relation, subject, value, so, kind, name, time, age = _list(line)
    what = Effect(Relation(text(relation)), text(subject), text(value), _truth(so))
    source = Source(SourceKind(text(kind)), text(name))
    return Fact(what, source, _number(time), _number(age) or inf)


def _plain_goal(goal: GoalRecord) -> dict[str, Any]:
    plain = _plain(goal)
    if not goal.trigger:
        del plain['trigger']
    return plain


def format_of(event: Event) -> int:
    """The oldest format that has what an event says."""
    is_new = isinstance(event, Decision) and (event.kind in _NEW_KINDS or event.goal.trigger)
    return FORMAT if is_new else _PLAIN_FORMAT


def _with_floats(record: dict[str, Any], *names: str) -> dict[str, Any]:
    """With numbers as a message has them: 0.0, and never 0."""
    for name in names:
        record[name] = float(record[name])
    return record


def _plain_settings(settings: RunSettings) -> dict[str, Any]:
    return {
        **asdict(settings),
        'limits': {
            **asdict(settings.limits),
            'seconds': float(settings.limits.seconds),
            'cost': float(settings.limits.cost),
        },
        'elapsed': float(settings.elapsed),
        'parallel_policy': settings.parallel_policy.value,
        'kept': settings.kept.value,
        'ask': settings.ask.value,
    }


def encode_event(event: Event, version: int = 0) -> str:
    """One event as one line of JSON, without the newline and without its link.

    An event that was sent and read again gives the same line: `chain` relies on that.

    :param version: of the format that the line says; 0: `format_of` the event.
    """
    # Not asdict(): it copies every value deeply, which costs more than all else of an event.
    record = {name: getattr(event, name) for name in _FIELDS[type(event)]}
    if isinstance(event, Decision):
        record['usage'] = _with_floats(_plain(event.usage), 'latency', 'cost')
        if event.kind is DecisionKind.START:
            record['settings'] = _plain_settings(event.settings)
        else:
            del record['settings']
        for name in ('ties', 'allowed_by', 'approver', 'undone_by', 'who'):
            if not record[name]:
                del record[name]
        if event.kind is DecisionKind.GROUND or event.goal != NO_GOAL:
            record['goal'] = _plain_goal(event.goal)
        else:
            del record['goal']
    else:
        record['facts'] = [_plain(fact) for fact in event.facts]
        record['distance'] = float(record['distance'])
        record['evidence'] = list(map(_plain_evidence, event.evidence))
        for name in ('distance', 'over', 'sensed', 'assumed', 'evidence', 'who'):
            # As journals were before there was such a thing.
            if not record[name]:
                del record[name]
    record['stamp'] = float(record['stamp'])
    record['event'] = 'decision' if isinstance(event, Decision) else 'observation'
    record['format'] = version or format_of(event)
    return json.dumps(record, ensure_ascii=False, separators=(',', ':'))


def encode_record(record: Record) -> str:
    """One record as one line of JSON, without the newline."""
    if not isinstance(record, Answer):
        return encode_event(record)
    line = {'answer': record.kind, **record.content, 'event': 'answer', 'format': _PLAIN_FORMAT}
    return json.dumps(line, ensure_ascii=False, separators=(',', ':'))


def hash_of(line: bytes) -> str:
    """What the next line holds of this one: SHA-256 of its bytes, without the newline."""
    return sha256(line).hexdigest()


def chained(text: str, link: ChainLink) -> bytes:
    """A line of a journal. :param text: of the record, as JSON. :param link: of its event."""
    event = f'"event_before":"{link.event_before}",' if link.format > _ONE_LINK else ''
    if link.event_before == link.line_before:
        event = ''
    line = f'{text[:-1]},{event}"before":"{link.line_before}"}}'
    return line.encode(errors='replace')


def decode_event(line: str) -> Event:
    """The event of a line. :raises JournalError: it is none, or of a newer format."""
    record = decode_record(line)
    if isinstance(record, Answer):
        raise JournalError(f'A journal line is no event but an answer ({record.kind}).')
    return record


class NewerFormatError(JournalError):
    """A later version of this program wrote the line."""


def decode_record(line: str) -> Record:
    """The record of a line. :raises JournalError: it is none, or of a newer format."""
    try:
        record: dict[str, Any] = json.loads(line)
        if '\\u' in line:
            json.dumps(record, ensure_ascii=False).encode()  # half a character fits no text
        before = record.pop('before', None)
        event_before = record.pop('event_before', before)
        kind = record.pop('event')
        version = count(record.pop('format'))
        if version > FORMAT:
            raise NewerFormatError(
                f'The journal has format {version}; this version reads up to '
                f'{FORMAT}: use the version that wrote it.'
            )
        if kind == 'answer':
            return Answer(text(record.pop('answer')), record)
        if version < 2 and kind == 'decision' and record.get('kind') == DecisionKind.START:
            settings = settings_of_lines(texts(record.pop('subgoals', ())))
            return replace(value_of(Decision, record), settings=settings)
        if version > _ONE_LINK and before is not None and 'link' not in record:
            record['link'] = ChainLink(version, text(before), text(event_before))
        return value_of(_EVENTS[kind], record)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise JournalError(f'A journal line is no event ({error}).') from error


# JSON values of unknown origin --------------------------------------------------------------


def text(value: object) -> str:
    """A text. :raises TypeError: it is none."""
    if not isinstance(value, str):
        raise TypeError(f'{type(value).__name__} instead of a text')
    return value


def texts(value: object) -> tuple[str, ...]:
    """A list of texts. :raises TypeError: it is none."""
    return tuple(map(text, _list(value)))


def count(value: object) -> int:
    """A whole number from 0. :raises TypeError: it is none. :raises ValueError: out of range."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f'{type(value).__name__} instead of a whole number')
    if not 0 <= value < 2**63:
        raise ValueError('a whole number below 0, or too large')
    return value


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f'{type(value).__name__} instead of true or false')
    return value


def _number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f'{type(value).__name__} instead of a number')
    if not -1e18 < value < 1e18:
        raise ValueError('a number that is not finite, or too large')
    return value


def _list(value: object) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise TypeError(f'{type(value).__name__} instead of a list')
    return value


def _link(value: object) -> ChainLink:
    if not isinstance(value, ChainLink):
        raise TypeError('a link that stands in the event itself')
    return value


_T = TypeVar('_T')
#: By the annotation of a field.
_READERS: dict[str, Callable[[Any], Any]] = {
    'str': text,
    'int': count,
    'bool': _truth,
    'float | None': lambda value: None if value is None else _number(value),
    'float': _number,
    'tuple[str, ...]': texts,
    'tuple[ObjectFact, ...]': lambda facts: tuple(
        value_of(ObjectFact, fact) for fact in _list(facts)
    ),
    'tuple[Fact, ...]': lambda facts: tuple(map(_evidence, _list(facts))),
    'tuple[tuple[str, ...], ...]': lambda rows: tuple(map(texts, _list(rows))),
    'tuple[SkillType, ...]': lambda skills: tuple(
        value_of(SkillType, skill) for skill in _list(skills)
    ),
    'ChainLink': _link,
    'SkillKind': lambda number: SkillKind(count(number)),
    'LlmUsage': lambda usage: value_of(LlmUsage, usage),
    'GoalRecord': lambda goal: value_of(GoalRecord, goal),
    'RunSettings': lambda settings: value_of(RunSettings, settings),
    'Limits': lambda limits: value_of(Limits, limits),
    'ParallelPolicy': lambda name: ParallelPolicy(text(name)),
    'Kept': lambda name: Kept(text(name)),
    'Ask': lambda name: Ask(text(name)),
    'DecisionKind': lambda number: DecisionKind(count(number)),
    'ControlFlow': lambda number: ControlFlow(count(number)),
    'NodeStatus': lambda number: NodeStatus(count(number)),
    'Outcome': lambda number: Outcome(count(number)),
    'Termination': lambda number: Termination(count(number)),
}
_EVENTS: dict[str, type[Event]] = {'decision': Decision, 'observation': Observation}


def value_of(kind: type[_T], content: object) -> _T:
    """A dataclass of the fields that a JSON object has.

    :raises TypeError, ValueError, KeyError: a field is missing, unknown or of another type.
    """
    if not isinstance(content, dict):
        raise TypeError(f'{type(content).__name__} instead of an object')
    annotations = kind.__annotations__  # texts, as everything here postpones their evaluation
    return kind(**{name: _READERS[annotations[name]](value) for name, value in content.items()})
