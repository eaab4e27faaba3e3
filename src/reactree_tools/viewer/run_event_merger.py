"""Puts together what is heard of runs: events of two topics, the latched tree, a record.

Any of them may be late or lost; what a viewer shows still never goes back, and ends where the
planner ended. No ROS here: the time is handed in, so that every order of arrivals can be tried.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from reactree_core.errors import ReactreeError
from reactree_core.observation import Observation
from reactree_core.record.events import Event
from reactree_core.record.snapshot import TreeSnapshot
from reactree_planner.resume.run_log import is_resumption
from reactree_tools.event_order import EventOrder
from reactree_tools.views.status_line import is_end_of_run

#: Seconds that events of a run are held back until the tree is there that they go on from.
_TREE_PATIENCE = 2.0
#: Seconds that a tree may be ahead of the events, which come on topics of their own.
_EVENT_PATIENCE = 2.0
#: Highest number that a run's first look has, after its start and what its task forbids and means;
#: they come on another topic, and may be heard of later.
_FIRST = 4
#: Seconds of silence after which is asked whether something was missed; each time twice as many.
_SILENCE = 1.0
_LONGEST_SILENCE = 16.0
#: Ended runs whose late events and trees are known.
_PAST_RUNS = 16


class RunSink(Protocol):
    """Takes one run in."""

    def add(self, event: Event) -> None:
        """The next event; its stamp counts from the run's start."""

    def adopt(self, snapshot: TreeSnapshot) -> None:
        """The run is under way, and its earlier events are lost."""


class RunEventMerger:
    """Hears of one run after the other and hands each on in order.

    A run that has begun before is taken from its record up to where the topics go on; where no
    record can be read, from the latched tree, without what was said before. The same mends a gap.

    :param begin: called with the id of every run that is heard of; takes its events.
    :param record: a run's events as recorded so far; raises JournalError when there are none.
    """

    def __init__(
        self, begin: Callable[[str], RunSink], record: Callable[[str], Iterable[Event]]
    ) -> None:
        self._begin_run = begin
        self._record = record
        #: Runs that were followed before: what comes of them is late, unless they are resumed.
        self._past: deque[str] = deque(maxlen=_PAST_RUNS)
        self._run_id = ''
        self._taker: RunSink | None = None
        self._order = EventOrder()
        self._recorded = False
        #: What was handed on: the number of its last event, and whether that was the run's end.
        self._known = (0, False)
        self._began: float | None = None
        self._last_stamp = 0.0
        #: Until when events are held back for a tree; 0 when they are not.
        self._held_until = 0.0
        #: A tree that is ahead of the events, and since when no event has come nearer.
        self._ahead: tuple[TreeSnapshot, float] | None = None
        #: Whether an event was given up, and no tree has told since what it did.
        self._torn = False
        #: Whether the topics have reported anything yet.
        self._heard = False
        self._looking = False
        self._silence = _SILENCE
        self._next_look = 0.0

    @property
    def wants_tree(self) -> bool:
        """Whether the newest tree would tell anything: it follows every event and may be big."""
        return not self._run_id or self._held_until > 0 or self._torn or self._looking

    def hear(self, run_id: str, event: Event, now: float) -> None:
        """An event of a topic; its stamp is the planner's clock.

        :param now: seconds of any clock that only moves forward.
        """
        late = run_id in self._past and not is_resumption(event)
        if not run_id or late:
            return
        self._heard = True
        if run_id != self._run_id:
            self._begin(run_id, event.sequence, now)
        if self._recorded:
            event = self._in_time_of_record(event, now)
        self._order.add(event, now)
        self._silence = _SILENCE
        self._next_look = now + _SILENCE
        self._pass_on(now)

    def _in_time_of_record(self, event: Event, now: float) -> Event:
        """The event with its stamp counted from the run's start, as recorded ones have it."""
        if self._began is None:
            # The same event says when the run began.
            known = next((one for one in self._read(now) if _same(one, event)), None)
            if known is not None:
                self._began = event.stamp - known.stamp
        return self._counted(event)

    def _counted(self, event: Event) -> Event:
        if self._began is None:
            self._began = event.stamp - self._last_stamp
        return replace(event, stamp=max(0.0, event.stamp - self._began))

    def hear_tree(self, run_id: str, snapshot: TreeSnapshot, now: float) -> None:
        """The newest tree of the planner, as wanted."""
        if run_id != self._run_id:
            asked = not self._run_id or self._looking
            if not run_id or run_id in self._past or not asked:
                return
            self._begin(run_id, snapshot.sequence, now)
        self._looking = False
        if _mark(snapshot) > self._known or (self._torn and _mark(snapshot) == self._known):
            self._ahead = snapshot, self._ahead[1] if self._ahead else now
            self._pass_on(now)

    def look(self, now: float) -> None:
        """To be called a few times a second: what is overdue is asked for."""
        # Until they have told anything, the topics may not be connected.
        may_miss = not self._known[1] or not self._heard
        if self._run_id and may_miss and now >= self._next_look:
            self._silence = min(2 * self._silence, _LONGEST_SILENCE)
            self._next_look = now + self._silence
            self._looking = True
            if self._recorded:
                self._read(now)
        elif self._recorded and (self._order.waiting or self._ahead):
            self._read(now)
        self._pass_on(now)

    def _begin(self, run_id: str, sequence: int, now: float) -> None:
        """A new run, heard of by this event; what its record has of it goes first."""
        if self._run_id:
            self._past.append(self._run_id)
        if run_id in self._past:
            self._past.remove(run_id)
        self._run_id = run_id
        self._order = EventOrder()
        self._known = (0, False)
        self._began = None
        self._last_stamp = 0.0
        self._ahead = None
        self._looking = False
        self._silence = _SILENCE
        self._next_look = now + _SILENCE
        self._held_until = 0.0
        self._torn = False
        self._taker = self._begin_run(run_id)
        self._recorded = bool(self._read(now))
        if not self._recorded and sequence > _FIRST:
            self._held_until = now + _TREE_PATIENCE
        self._pass_on(now)

    def _read(self, now: float) -> tuple[Event, ...]:
        """Take in what the run's record has so far; events that are known are ignored."""
        try:
            recorded = tuple(self._record(self._run_id))
        except ReactreeError:
            return ()
        for event in recorded:
            self._order.add(event, now)
        return recorded

    def _pass_on(self, now: float) -> None:
        taker = self._taker
        if taker is None:
            return
        if self._ahead is not None:
            snapshot, since = self._ahead
            if self._torn or self._held_until or now - since >= _EVENT_PATIENCE:
                self._adopt(taker, snapshot, now)
        if now < self._held_until:
            return
        events = self._order.ready(now, give_up=False)
        if self._order.gap(now):
            if self._held_until:
                self._torn = True
                events += self._order.ready(now)
                self._held_until = 0.0
            else:
                self._held_until = now + _TREE_PATIENCE
        else:
            self._held_until = 0.0
        for event in events:
            self._hand_on(taker, event, now)

    def _hand_on(self, taker: RunSink, event: Event, now: float) -> None:
        if not self._recorded:
            event = self._counted(event)
        self._last_stamp = max(self._last_stamp, event.stamp)
        self._known = max(self._known, (event.sequence, is_end_of_run(event)))
        if self._ahead is not None:
            snapshot, _ = self._ahead
            self._ahead = (snapshot, now) if _mark(snapshot) > self._known else None
        taker.add(event)

    def _adopt(self, taker: RunSink, snapshot: TreeSnapshot, now: float) -> None:
        """Go on from a tree, with the events that came after it."""
        self._held_until = 0.0
        self._torn = False
        self._ahead = None
        self._known = _mark(snapshot)
        held = self._order.rest()
        self._order = EventOrder(after=snapshot.sequence)
        for event in held:
            self._order.add(event, now)
        taker.adopt(snapshot)


def _mark(snapshot: TreeSnapshot) -> tuple[int, bool]:
    return snapshot.sequence, snapshot.finished


def _same(one: Event, other: Event) -> bool:
    return one.sequence == other.sequence and isinstance(one, Observation) == isinstance(
        other, Observation
    )
