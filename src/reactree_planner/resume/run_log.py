"""The log of one run: answers and events, from its journal while there are any, then new ones.

A planner that is asked the same and answered the same decides the same. So a run is resumed by
planning it again from its beginning, with every answer of the model, the memory and the robot
taken from the journal; where the journal ends, the real ones are asked. No planner has to know.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from reactree_core.chain_link import ChainLink
from reactree_core.errors import ResumeError
from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind, Event, NodeStatus
from reactree_core.record.journal import read_records
from reactree_core.record.journal_lines import Answer, Record
from reactree_core.record.run_settings import Limits, RunSettings

_EXCERPT = 100

#: Kind of a record of seconds that count for no limit: a model was fetched meanwhile.
UNCOUNTED = 'uncounted'

T = TypeVar('T')


def is_resumption(record: Record) -> bool:
    """Whether a record says that the run was resumed here."""
    return (
        isinstance(record, Decision)
        and record.kind is DecisionKind.START
        and record.settings.resumed
    )


def _is_uncounted(record: Record) -> bool:
    """Whether a record says that seconds count for no limit."""
    return isinstance(record, Answer) and record.kind == UNCOUNTED


class RunLog:
    """Used by one run, from its thread.

    :param write: keeps a new record before it is acted on, and says where an event stands then;
        raises JournalError when it cannot.
    :param past: records of a run that is resumed, in order; none for a new run.
    """

    def __init__(
        self,
        write: Callable[[Record], ChainLink | None] = lambda record: None,
        past: Sequence[Record] = (),
    ) -> None:
        self._write = write
        uncounted = [record for record in past if _is_uncounted(record)]
        #: Seconds of the past that count for no limit of time.
        self.uncounted_seconds = sum(
            float(record.content.get('seconds', 0.0))
            for record in uncounted
            if isinstance(record, Answer)
        )
        self._past = deque(
            record for record in past if not is_resumption(record) and not _is_uncounted(record)
        )
        self._resumptions = _resumptions(past)
        self._taken = 0
        self._logged = not past
        events = [record for record in past if not isinstance(record, Answer)]
        #: Seconds that the run had taken when it was interrupted.
        self.used_seconds = max((event.stamp for event in events), default=0.0)
        #: Number of the skill whose answer is missing; 0 for none.
        self.in_doubt = _unanswered(events)
        #: Numbers of the skills of a team whose answers are missing.
        self.under_way = _under_way(events)
        #: Newest observation of the past.
        self.last_observation = next(
            (event for event in reversed(events) if isinstance(event, Observation)), None
        )
        #: Called once, before anything new is written to a resumed run.
        self.on_resumed: Callable[[], None] = lambda: None
        #: Why the skill in doubt may not be done now; None where it may.
        self.refusal_now: Callable[[], str | None] = lambda: None
        #: Whether that is being asked; what is answered is no answer of the past, and not kept.
        self.asking_again = False

    @property
    def replaying(self) -> bool:
        """Whether the past still has answers."""
        return bool(self._past)

    @property
    def stamp(self) -> float | None:
        """Seconds at which the next event of the past happened; None when nothing is left."""
        for record in self._past:
            if not isinstance(record, Answer):
                return record.stamp
        return self.used_seconds if self._past else None

    def answer(
        self, kind: str, ask: Callable[[], Mapping[str, Any]], read: Callable[[Any], T]
    ) -> T:
        """The answer of the past, or a new one, which is written down.

        :param ask: gets a new answer, as JSON values. :param read: what they say.
        :raises ResumeError: the past has something else here, or it is damaged.
        """
        if not self._past:
            content = ask()
            self.keep(Answer(kind, content))
            return read(content)
        known = self.recall(kind)
        if known is None:
            raise self.diverged(f'asks ({kind})')
        try:
            return read(known)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise ResumeError(
                f'The run cannot be resumed: an answer in its journal is damaged ({kind}: '
                f'{error}). Give the task again.'
            ) from error

    def note(self, kind: str, content: Mapping[str, Any]) -> None:
        """Write down what follows from the answers, for whoever reads the log later.

        A log of before there were such notes is as good.
        """
        if not self._past:
            self.keep(Answer(kind, content))
        else:
            self.recall(kind)

    def peek(self, kind: str) -> Mapping[str, Any] | None:
        """The past's answer, when it has one of this kind here; it stays."""
        record = self._past[0] if self._past else None
        return record.content if isinstance(record, Answer) and record.kind == kind else None

    def recall(self, kind: str) -> Mapping[str, Any] | None:
        """The past's answer, when it has one of this kind here."""
        record = self._past[0] if self._past else None
        if not isinstance(record, Answer) or record.kind != kind:
            return None
        self._past.popleft()
        return record.content

    def observation(self) -> Observation:
        """What the past observed here; it stays until `take` takes the event.

        :raises ResumeError: the past has something else here.
        """
        record = self._past[0]
        if not isinstance(record, Observation):
            raise self.diverged('looks or runs a skill')
        return record

    def take(self, event: Event) -> Event:
        """The event as it stands in the log: checked against the past, or written down.

        :raises ResumeError: the past has something else here.
        """
        if not self._past:
            link = self.keep(event)
            return event if link is None else replace(event, link=link)
        record = self._past[0]
        if isinstance(record, Answer) or not _same(record, event):
            raise self.diverged(_said(event))
        self._past.popleft()
        self._taken += 1
        return record

    def next_event(self) -> Event | None:
        """The next event of the past, without a look at what a planner does; None at its end."""
        while self._past:
            record = self._past.popleft()
            if not isinstance(record, Answer):
                self._taken += 1
                return record
        return None

    def resumptions(self) -> Sequence[Decision]:
        """Earlier resumptions, right behind the event of the past that was taken last."""
        return self._resumptions.pop(self._taken, ())

    def keep(self, record: Record) -> ChainLink | None:
        """Write a new record down. :returns: where an event stands, if that is known."""
        self.go_on()
        return self._write(record)

    def go_on(self) -> None:
        """Call `on_resumed` once, before the first new record."""
        if not self._logged:
            self._logged = True
            self.on_resumed()

    def ask_again(self) -> str | None:
        """Why the skill in doubt may not be sent again; None where it may."""
        self.asking_again = True
        try:
            return self.refusal_now()
        finally:
            self.asking_again = False

    def diverged(self, now: str) -> ResumeError:
        """Error about a planner that does something else than the journal has."""
        return ResumeError(
            f'The run cannot be resumed: the planner now {now} where its journal has '
            f'{_said(self._past[0])}. Start the planner with the model and parameters that the '
            'run began with, or give the task again.'
        )


def _resumptions(past: Sequence[Record]) -> dict[int, list[Decision]]:
    """By the number of events before them that are none."""
    found: dict[int, list[Decision]] = {}
    events = 0
    for record in past:
        if isinstance(record, Decision) and is_resumption(record):
            found.setdefault(events, []).append(record)
        else:
            events += not isinstance(record, Answer)
    return found


def _same(known: Event, event: Event) -> bool:
    """Whether two events say the same, whenever it happened and whatever it cost."""
    if isinstance(known, Decision) and isinstance(event, Decision):
        if known.kind is event.kind is DecisionKind.START:
            # Limits may be other ones now.
            return (
                known.text == event.text
                and known.settings.planner == event.settings.planner
                and known.settings.parallel_policy is event.settings.parallel_policy
            )
        # Who allowed it is as it was: nobody is asked again for what has been done.
        compared = replace(
            event,
            stamp=known.stamp,
            usage=known.usage,
            allowed_by=known.allowed_by,
            approver=known.approver,
            undone_by=known.undone_by,
        )
        return known == compared
    if isinstance(known, Observation) and isinstance(event, Observation):
        return known == replace(event, stamp=known.stamp)
    return False


def _said(record: Record) -> str:
    if isinstance(record, Answer):
        return f'an answer ({record.kind})'
    if isinstance(record, Observation):
        return f'observes "{record.text[:_EXCERPT]}"'
    what = record.skill or record.text or ', '.join(record.subgoals)
    return f'{record.kind.name.lower()} "{what[:_EXCERPT]}"'


def _unanswered(events: Sequence[Event]) -> int:
    """Number of an act at the end that has no observation."""
    last = next((event for event in reversed(events) if not is_resumption(event)), None)
    if isinstance(last, Decision) and last.kind is DecisionKind.ACT and not last.who:
        return last.sequence
    return 0


def _under_way(events: Sequence[Event]) -> frozenset[int]:
    """Numbers of acts of robots of a team that have no observation."""
    answered = {event.sequence for event in events if isinstance(event, Observation)}
    return frozenset(
        event.sequence
        for event in events
        if isinstance(event, Decision) and event.kind is DecisionKind.ACT and event.who
        if event.sequence not in answered
    )


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
            f'The journal {path} does not begin with the start of a run: give the task again.'
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
