"""A run from the messages of its bag: the same events as in its journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import reactree_ros.msg
from reactree_core.errors import RecordingError, SkillError
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.journal import read_journal
from reactree_core.record.snapshot import TreeSnapshot
from reactree_core.ros.conversions import observation_from_message, run_id_from_message
from reactree_planner.resume.run_log import is_resumption
from reactree_planner.ros.run_messages import decision_from_message, snapshot_from_message
from reactree_tools.recording.bags import BagMessage, find_bag, no_warning, read_messages
from reactree_tools.recording.ros.definitions import definition_of

_DECISION = 'reactree_ros/msg/Decision'
_OBSERVATION = 'reactree_ros/msg/Observation'
_TREE = 'reactree_ros/msg/TreeSnapshot'
_STATUS = 'reactree_ros/msg/BridgeStatus'
_KINDS = frozenset({_DECISION, _OBSERVATION, _TREE, _STATUS})


@dataclass
class RecordedRun:
    """One run as its bag has it.

    :param events: in order; stamps are seconds since the run's start.
    :param trees: every snapshot that was published, by the number of its last event.
    :param backend: of the bridge; '' when the bag does not say.
    :param twice: number of the first event that stands in the bag in two ways; 0 for none.
    """

    run_id: str
    events: tuple[Event, ...] = ()
    trees: list[TreeSnapshot] = field(default_factory=list)
    backend: str = ''
    twice: int = 0

    @property
    def start(self) -> Decision:
        """How the run began.

        :raises RecordingError: the bag does not have it.
        """
        first = self.events[0] if self.events else None
        if not isinstance(first, Decision) or first.kind is not DecisionKind.START:
            raise RecordingError(
                f'The bag of run {self.run_id} does not have its beginning: record from before '
                'the run starts.'
            )
        return first


def runs_of(
    bag: Path, run_id: str = '', warn: Callable[[str], None] = no_warning
) -> list[RecordedRun]:
    """The runs of a bag of which it has events, in the order they began; 1 or more.

    :param run_id: digits with which the wanted ones begin; '' takes all.
    :param warn: called with what of the bag is missing.
    :raises RecordingError: it is no bag, is damaged, or holds no such run.
    """
    lacks: list[str] = []
    messages = read_messages(bag, _KINDS.__contains__, lacks.append, definition_of)
    runs = [run for run in read_runs(messages) if run.events]
    found = [run for run in runs if run.run_id.startswith(run_id.lower())]
    if runs and not found:
        there = ', '.join(run.run_id[:8] for run in runs[:8])
        raise RecordingError(f'The bag {bag} holds no run {run_id[:40]}, but {there}.')
    if not found:
        raise RecordingError(
            ' '.join(lacks)
            or f'The bag {bag} holds no event of a planner: record planner/decisions and '
            'planner/observations.'
        )
    for sentence in lacks:
        warn(sentence)
    return found


def read_runs(messages: Iterable[BagMessage]) -> list[RecordedRun]:
    """The runs of messages, in the order they began.

    :raises RecordingError: a message cannot be understood.
    """
    reading: dict[str, _Reading] = {}
    backend = ''
    for message in messages:
        content = _complete(message.content)
        if message.kind == _STATUS:
            backend = str(content.backend)
        elif message.kind in (_DECISION, _OBSERVATION, _TREE):
            if message.topic.endswith('/approvals'):
                continue  # the decision follows when it was approved
            run_id = run_id_from_message(content.run_id)
            run = reading.setdefault(run_id, _Reading(run_id, backend))
            try:
                run.take(message.kind, content)
            except (ValueError, AttributeError, SkillError) as error:
                raise RecordingError(
                    f'A message on {message.topic} cannot be understood ({error}): replay the bag '
                    'with the version that recorded it.'
                ) from error
    return [run.recorded() for run in reading.values()]


def _complete(value: Any) -> Any:
    """A recorded value; a message with the fields that its type has been given since then."""
    if isinstance(value, list):
        return [_complete(one) for one in value]
    package, _, name = getattr(value, '__msgtype__', '').partition('/msg/')
    known = getattr(reactree_ros.msg, name, None) if package == 'reactree_ros' else None
    return value if known is None else _Completed(value, known())


class _Completed:
    """A recorded message: fields that it does not have are those of a message made now."""

    def __init__(self, recorded: Any, new: Any) -> None:
        self._recorded, self._new = recorded, new

    def __getattr__(self, name: str) -> Any:
        found = self._recorded if hasattr(self._recorded, name) else self._new
        return _complete(getattr(found, name))


class _Reading:
    """Takes the messages of one run."""

    def __init__(self, run_id: str, backend: str) -> None:
        self._run = RecordedRun(run_id, backend=backend)
        #: With the time of each, in nanoseconds of the node's clock.
        self._events: dict[tuple[int, bool, int], tuple[Event, int]] = {}

    def take(self, kind: str, content: Any) -> None:
        if kind == _TREE:
            self._run.trees.append(snapshot_from_message(content))
            return
        stamp = content.header.stamp
        time = int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)
        event: Event
        if kind == _DECISION:
            event = decision_from_message(content)
        else:
            event = observation_from_message(content)
        # A run may be resumed more than once before its next event.
        again = 0
        if isinstance(event, Decision) and is_resumption(event):
            again = round(event.settings.elapsed * 1e9)
        key = (event.sequence, kind == _OBSERVATION, again)
        known, _ = self._events.setdefault(key, (event, time))
        # A planner that resumes a run sends its events again, by a clock of its own.
        if known != replace(event, stamp=known.stamp):
            self._run.twice = self._run.twice or event.sequence

    def recorded(self) -> RecordedRun:
        """The run, its events in order and with times of their own."""
        in_order = sorted(
            self._events.values(),
            key=lambda pair: (pair[0].sequence, pair[1], is_resumption(pair[0])),
        )
        beginnings = _beginnings(in_order)
        self._run.events = tuple(
            replace(event, stamp=(time - _beginning_at(time, beginnings)) / 1e9)
            for event, time in in_order
        )
        return self._run


def _beginnings(events: list[tuple[Event, int]]) -> list[tuple[int, int]]:
    """From which time on the run counts as begun when, in nanoseconds of the node's clock.

    A START says how much of the run's time had passed. A planner that resumes a run begins anew
    at that, whenever it does.
    """
    found = [
        (time, time - round(event.settings.elapsed * 1e9))
        for event, time in events
        if isinstance(event, Decision) and event.kind is DecisionKind.START
    ]
    first = events[0][1] if events else 0
    return found or [(first, first)]


def _beginning_at(time: int, beginnings: list[tuple[int, int]]) -> int:
    """What a message's time counts from.

    What a killed planner had written down but not sent any more comes from the one that resumed
    the run, before it reports that: by the beginning before, it would be later than everything.
    """
    began = beginnings[0][1]
    for told_at, began_anew in beginnings[1:]:
        if time >= told_at or time - began > told_at - began_anew:
            began = began_anew
    return began


def open_runs(
    name: str, directory: Path, run_id: str = '', warn: Callable[[str], None] = no_warning
) -> list[RecordedRun]:
    """The runs of a record, read whole, in the order they began; 1 or more.

    :param name: as of `find_bag`, or the path of a journal.
    :param directory: of the bags. :param run_id: which of a bag with several; '' takes all.
    :param warn: called with what of a bag is missing.
    :raises RecordingError: there is no such bag or run, or it cannot be read.
    :raises JournalError: the journal is damaged.
    """
    path = Path(name).expanduser()
    if not path.is_file() or path.suffix != '.jsonl':
        return runs_of(find_bag(name, directory), run_id, warn)
    recorded = RecordedRun(path.stem, tuple(read_journal(path)))
    if not recorded.events:
        raise RecordingError(f'The journal {name} holds no event of its run.')
    return [recorded]
