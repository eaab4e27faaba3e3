"""Decisions and observations come on two topics and are shown in one order."""

from __future__ import annotations

from hypothesis import given, strategies

from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_tools.event_order import EventOrder


@given(strategies.data())
def test_every_interleaving_of_the_two_topics_gives_the_same_order(
    data: strategies.DataObject,
) -> None:
    events = _run(data.draw(strategies.lists(strategies.sampled_from('TALD'), max_size=30)))
    decisions = [event for event in events if isinstance(event, Decision)]
    observations = [event for event in events if isinstance(event, Observation)]
    order = EventOrder(patience=10.0)
    shown: list[Event] = []
    while decisions or observations:
        topics = [topic for topic in (decisions, observations) if topic]
        order.add(data.draw(strategies.sampled_from(topics)).pop(0), now=0.0)
        if data.draw(strategies.booleans()):
            shown += order.ready(now=0.0)
    shown += order.ready(now=0.0)
    assert shown == events


def _run(kinds: list[str]) -> list[Event]:
    """T: a thought, A: an act and its observation, L: a look, D: an act that is `done`."""
    events: list[Event] = []
    for number, kind in enumerate(kinds, start=1):
        if kind == 'T':
            events.append(Decision(number, 1, DecisionKind.THINK))
        elif kind == 'A':
            events.append(Decision(number, 1, DecisionKind.ACT, skill='open fridge 1'))
            events.append(Observation('', skill='open fridge 1', sequence=number))
        elif kind == 'L':
            events.append(Observation('', sequence=number))
        else:
            events.append(Decision(number, 1, DecisionKind.ACT, skill='done'))
    return events


def test_a_lost_event_is_waited_for_only_so_long() -> None:
    order = EventOrder(patience=0.5)
    order.add(Decision(2, 1, DecisionKind.THINK), now=0.0)
    assert order.ready(now=0.4) == []
    assert [event.sequence for event in order.ready(now=0.6)] == [2]
    order.add(Decision(1, 1, DecisionKind.THINK), now=0.7)
    assert order.ready(now=9.0) == []


def test_the_same_event_twice_is_shown_once() -> None:
    order = EventOrder()
    event = Decision(1, 0, DecisionKind.START)
    order.add(event, now=0.0)
    order.add(event, now=0.0)
    assert order.ready(now=0.0) == [event]
    order.add(event, now=0.1)
    assert order.ready(now=9.0) == []


def test_what_still_waits_at_the_end_comes_in_order() -> None:
    order = EventOrder()
    order.add(Decision(5, 1, DecisionKind.THINK), now=0.0)
    order.add(Observation('', sequence=3), now=0.0)
    assert [event.sequence for event in order.rest()] == [3, 5]
    assert order.rest() == []
