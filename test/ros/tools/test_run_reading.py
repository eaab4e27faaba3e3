"""Events from the messages of a bag: exactly those of the journal, resumed or not."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from builtin_interfaces.msg import Time
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import RecordingError
from reactree_core.observation import ObjectFact, Observation
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.run_settings import RunSettings
from reactree_core.record.snapshot import reduce_events
from reactree_core.ros.conversions import observation_to_message
from reactree_planner.ros.run_messages import decision_to_message, TreeMessages
from reactree_tools.recording.bags import BagMessage
from reactree_tools.recording.ros.run_reading import read_runs
from support.repaired_run import repaired_run, TIES

RUN = '0123456789abcdef' * 2
BEGAN = 1_795_329_666_527_227_512


def message_of(event, began):
    """What a planner that began then (nanoseconds) publishes."""
    if isinstance(event, Observation):
        message, name = observation_to_message(event, RUN), 'Observation'
    else:
        message, name = decision_to_message(event, RUN, 0.0), 'Decision'
    sec, nanosec = divmod(began + round(event.stamp * 1e9), 10**9)
    message.header.stamp = Time(sec=sec, nanosec=nanosec)
    return BagMessage(f'/planner/{name.lower()}s', f'reactree_ros/msg/{name}', 0, message)


def run_of(stamps):
    """A journal: acts and what was seen after each."""
    events = [Decision(1, 0, DecisionKind.START, 'tidy up')]
    for number, stamp in enumerate(stamps):
        sequence = 2 + number // 2
        if number % 2:
            events.append(
                Observation('seen', skill='look', sequence=sequence, node_id=1, stamp=stamp)
            )
        else:
            events.append(Decision(sequence, 1, DecisionKind.ACT, skill='look', stamp=stamp))
    return events


nanoseconds = st.lists(st.integers(1, 10**10), min_size=4, max_size=20)


@settings(max_examples=60, deadline=None)
@given(nanoseconds, st.data())
def test_a_run_of_one_planner_is_read_to_the_last_bit(gaps, data):
    stamps = [sum(gaps[: number + 1]) / 1e9 for number in range(len(gaps))]
    events = run_of(stamps)
    messages = data.draw(st.permutations([message_of(event, BEGAN) for event in events]))
    (run,) = read_runs(messages)
    assert run.events == tuple(events) and run.run_id == RUN


@settings(max_examples=60, deadline=None)
@given(nanoseconds, st.data())
def test_a_resumed_run_is_read_as_its_journal_has_it(gaps, data):
    stamps = [sum(gaps[: number + 1]) / 1e9 for number in range(len(gaps))]
    events = run_of(stamps)
    cut = data.draw(st.integers(2, len(events) - 1))
    # The killed planner had written down one more event than it sent.
    lost = data.draw(st.integers(0, 1))
    used = events[cut - 1].stamp
    pause = data.draw(st.integers(10**10 + 1, 10**13))
    began_anew = BEGAN + pause
    again = Decision(
        events[cut - 1].sequence,
        0,
        DecisionKind.START,
        'tidy up',
        settings=RunSettings('reactree', resumed=True, elapsed=used),
        stamp=used,
    )
    journal = [*events[:cut], again, *events[cut:]]
    messages = [message_of(event, BEGAN) for event in events[: cut - lost]]
    messages += [message_of(event, began_anew) for event in journal[cut - lost :]]
    (run,) = read_runs(messages)
    assert run.events == tuple(journal)


def as_recorded(message, *missing):
    """As a bag has it whose definition lacks some fields."""
    fields = {name: getattr(message, name) for name in message.get_fields_and_field_types()}
    kept = {name: value for name, value in fields.items() if name not in missing}
    return SimpleNamespace(__msgtype__=f'reactree_ros/msg/{type(message).__name__}', **kept)


def test_fields_that_came_later_are_those_of_a_new_message():
    events = run_of([1.0, 2.0, 3.0, 4.0])
    events[2] = replace(events[2], facts=(ObjectFact('cup', 1, 'hall 1', seen_by='left'),))
    messages = [message_of(event, BEGAN) for event in events]
    for place, message in enumerate(messages):
        content = message.content
        if message.kind.endswith('Observation'):
            older = as_recorded(content, 'over')
            older.facts = [as_recorded(fact, 'seen_by') for fact in content.facts]
            messages[place] = replace(message, content=older)
    (run,) = read_runs(messages)
    events[2] = replace(events[2], facts=(ObjectFact('cup', 1, 'hall 1'),))
    assert run.events == tuple(events)


def tree_message(events):
    """What a planner publishes of its tree after these events."""
    content = TreeMessages(RUN).message(reduce_events(events), 0.0)
    return BagMessage('/planner/tree', 'reactree_ros/msg/TreeSnapshot', 0, content)


def test_a_grounded_and_repaired_run_is_read_with_its_trees():
    events = repaired_run()
    (run,) = read_runs([*(message_of(event, BEGAN) for event in events), tree_message(events)])
    assert list(run.events) == events
    assert run.trees == [reduce_events(events)] and run.trees[0].ties == TIES


def test_a_bag_from_before_words_were_grounded_is_read():
    events = [*run_of([1.0, 2.0]), Decision(9, 0, DecisionKind.FORBID, subgoals=('x',), stamp=3.0)]
    messages = [message_of(event, BEGAN) for event in events]
    older = [
        replace(message, content=as_recorded(message.content, 'ties'))
        if message.kind.endswith('Decision')
        else message
        for message in messages
    ]
    tree = tree_message(events)
    older.append(replace(tree, content=as_recorded(tree.content, 'wanted', 'ties')))
    (run,) = read_runs(older)
    assert list(run.events) == events and run.trees == [reduce_events(events)]


def test_what_no_run_can_have_said_is_told():
    message = message_of(run_of([1.0])[1], BEGAN)
    message.content.kind = 77
    with pytest.raises(RecordingError, match='cannot be understood'):
        read_runs([message])


def test_the_beginning_may_be_missing_and_is_then_missed_when_it_is_needed():
    events = run_of([1.0, 2.0])[1:]
    (run,) = read_runs([message_of(event, BEGAN) for event in events])
    assert [replace(event, stamp=0.0) for event in run.events] == [
        replace(event, stamp=0.0) for event in events
    ]
    with pytest.raises(RecordingError, match='beginning'):
        _ = run.start
