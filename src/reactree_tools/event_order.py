"""Puts the events of a run in order: decisions and observations arrive on two topics."""

from __future__ import annotations

from dataclasses import replace

from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind, Event

#: Acts that end an agent node; no skill runs, so no observation follows.
_ENDINGS = ('done', 'failure')
#: Seconds that an observation is waited for of which nobody knows whether there is one.
_PERHAPS_PATIENCE = 0.5


class EventOrder:
    """Holds an event back until those before it are there, or have had their time.

    Events are numbered from 1; an act and the observation of its skill share a number.

    :param patience: seconds after which a missing event is no longer waited for. The topics are
        reliable, so on a busy machine it is late rather than lost.
    :param after: number of the last event that is known already; 0 for none.
    """

    def __init__(self, patience: float = 2.0, after: int = 0) -> None:
        self._patience = patience
        self._waiting: dict[tuple[int, bool], tuple[Event, float]] = {}
        # The observation of an act that is known may still come, or there is none.
        self._next = (after, True) if after else (1, False)
        self._perhaps = after > 0

    def add(self, event: Event, now: float) -> None:
        """Take an event in; one that was there before is ignored.

        :param now: seconds of any clock that only moves forward.
        """
        key = (event.sequence, isinstance(event, Observation))
        if key >= self._next and key not in self._waiting:
            self._waiting[key] = (event, now)

    def ready(self, now: float, give_up: bool = True) -> list[Event]:
        """Events whose turn it is, in order.

        :param give_up: whether a missing event that has had its time is left out.
        """
        events = []
        while self._waiting:
            key = min(self._waiting)
            event, since = self._waiting[key]
            if not self._is_next(key, event):
                may_follow = self._may_follow(key, event)
                patience = _PERHAPS_PATIENCE if may_follow else self._patience
                if now - since < patience or not (give_up or may_follow):
                    break
            del self._waiting[key]
            self._follow(key, event)
            events.append(event)
        return events

    def gap(self, now: float) -> bool:
        """Whether `ready` would now give up an event that is missing."""
        if not self._waiting:
            return False
        key = min(self._waiting)
        event, since = self._waiting[key]
        in_turn = self._is_next(key, event) or self._may_follow(key, event)
        return not in_turn and now - since >= self._patience

    @property
    def waiting(self) -> bool:
        """Whether events are held back."""
        return bool(self._waiting)

    def rest(self) -> list[Event]:
        """Everything that still waits, in order, when nothing more will come."""
        events = [self._waiting[key][0] for key in sorted(self._waiting)]
        self._waiting.clear()
        return events

    def _is_next(self, key: tuple[int, bool], event: Event) -> bool:
        if key == self._next:
            return True
        # A look belongs to no act, so it is the first thing under its number.
        look = isinstance(event, Observation) and not event.skill
        return look and self._next == (key[0], False)

    def _may_follow(self, key: tuple[int, bool], event: Event) -> bool:
        """Whether this is next if nothing more belongs to the last event that is known."""
        number, observed = key
        look = isinstance(event, Observation) and not event.skill
        return self._perhaps and number == self._next[0] + 1 and (look or not observed)

    def _follow(self, key: tuple[int, bool], event: Event) -> None:
        self._perhaps = False
        number = key[0]
        awaits_observation = (
            isinstance(event, Decision)
            and event.kind is DecisionKind.ACT
            and event.skill not in _ENDINGS
        )
        self._next = (number, True) if awaits_observation else (number + 1, False)


class RunClock:
    """Messages carry the node's clock; a reader wants to know how long a run has been going."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._last = 0.0

    def rebase(self, event: Event) -> Event:
        """The event with its stamp counted from the first event that came here.

        :param event: the next one, in order.
        """
        if self._began is None:
            self._began = event.stamp
        self._last = max(self._last, event.stamp - self._began)
        return replace(event, stamp=self._last)
