"""A run as lines."""

from __future__ import annotations

from dataclasses import replace

from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind, Event, NodeStatus
from reactree_tools.glyphs import ASCII
from reactree_tools.views.transcript import clock, Transcript
from support.repaired_run import OVERRULED, repaired_run, WHY


def _lines(events: list[Event], width: int = 80, full: bool = False) -> list[str]:
    transcript = Transcript(ASCII, width, full)
    return [line.plain for event in events for line in transcript.lines(event)]


def test_everything_that_happens_is_there_at_its_depth(sample_run: list[Event]) -> None:
    lines = _lines(sample_run, width=200)
    text = '\n'.join(lines)
    assert '  0:01 # 1  Bring a pudding and a juice to the coffee table, please.' in lines
    assert '       | | 3  bring a pudding to the coffee table' in lines
    assert '| | > go to fridge 1' in text
    assert '| | x precondition failed: The pudding (1) is inside closed fridge.' in text
    assert '| | | > pick up juice 1' in text
    assert '| + 4  succeeded: fallback: 1 of 2 succeeded' in text
    assert lines[-1].startswith('  0:23 + 1  succeeded: sequence: 2 of 2 succeeded')


def test_no_line_is_wider_than_the_terminal(sample_run: list[Event]) -> None:
    for width in (40, 80, 120):
        assert max(len(line) for line in _lines(sample_run, width)) <= max(width, 66)


def test_the_same_view_is_shown_once(sample_run: list[Event]) -> None:
    text = '\n'.join(_lines(sample_run, width=400))
    assert text.count('You are in the house') == 1


def test_a_long_observation_is_cut_unless_all_is_asked_for(sample_run: list[Event]) -> None:
    events: list[Event] = [*sample_run[:2], Observation('y' * 5000, sequence=3, node_id=1)]
    assert '[4400 more' in '\n'.join(_lines(events))
    assert ''.join(_lines(events, full=True)).count('y') > 5000


def test_the_reason_of_an_act_and_of_an_end_is_told(sample_run: list[Event]) -> None:
    act = Decision(3, 1, DecisionKind.ACT, skill='open fridge 1', text='the goal asks for it')
    end = Decision(4, 1, DecisionKind.FINISH, status=NodeStatus.FAILURE, text='nothing is left')
    lines = _lines([*sample_run[:2], act, end])
    assert any('open fridge 1  (the goal asks for it)' in line for line in lines)
    assert any('- 1  failed: nothing is left' in line for line in lines)


def test_what_a_person_is_asked_and_answers_is_told_also_before_the_root(
    sample_run: list[Event],
) -> None:
    line = 'ask: Which crate? [crate 1 | crate 2]'
    for node_id, begun in ((0, sample_run[:1]), (1, sample_run[:2])):
        asked = Decision(3, node_id, DecisionKind.ACT, skill=line)
        told = Observation('The person answers: crate 2', skill=line, sequence=3, node_id=node_id)
        *_, question, answer = _lines([*begun, asked, told])
        assert question.endswith('? Which crate? [crate 1 | crate 2]')
        assert answer.endswith('< The person answers: crate 2')


def test_an_unfinished_tree_ends_as_canceled_when_the_run_does(sample_run: list[Event]) -> None:
    end = Decision(
        99, 0, DecisionKind.FINISH, status=NodeStatus.CANCELED, text='canceled by request'
    )
    lines = _lines([*sample_run[:9], end])
    assert '/ 3  canceled: canceled by request' in lines[-2]
    assert '/ 1  canceled: sequence: 0 of 2 succeeded' in lines[-1]


def test_a_repair_is_told_with_its_reason_and_its_subgoals() -> None:
    lines = _lines(repaired_run(), width=100)
    place = next(number for number, line in enumerate(lines) if 'repair' in line)
    assert lines[place - 1].endswith(
        '- 1  failed: sequence: 0 of 3 succeeded  (2 decisions, 14 s)'
    )
    assert lines[place].endswith(f'| @ repair, sequence of 3 subgoals: {WHY}')
    assert [line.split('|')[-1].strip(' `') for line in lines[place + 1 : place + 4]] == [
        '7  find a crate in the aisles',
        '8  load 2 crates into the truck',
        '9  switch on the pump',
    ]


def test_an_end_that_is_overruled_says_so_and_one_that_stays_ends_once() -> None:
    events = repaired_run()
    lines = _lines(events, width=100)
    assert lines[-2].endswith(f'| @ overruled, failed instead of succeeded: {OVERRULED}')
    assert lines[-1].endswith('- 1  failed  (4 decisions, 39 s)')
    failed = next(
        number
        for number, event in enumerate(events)
        if isinstance(event, Decision) and event.kind is DecisionKind.REPAIR
    )
    given_up = replace(events[failed], subgoals=(), status=NodeStatus.FAILURE)
    lines = _lines([*events[:failed], given_up], width=100)
    assert lines[-1].endswith(f'| @ no repair, stays failed: {WHY}')
    assert sum('- 1  failed' in line for line in lines) == 1


def test_events_of_unknown_nodes_show_nothing(sample_run: list[Event]) -> None:
    stray = [replace(event, node_id=77) for event in sample_run if event.node_id]
    assert _lines([sample_run[0], *stray]) == []


def test_the_clock_counts_minutes_and_seconds() -> None:
    assert [clock(-1), clock(7.9), clock(4330)] == ['0:00', '0:07', '72:10']


def test_each_line_of_a_team_says_which_robot(sample_run: list[Event]) -> None:
    act = Decision(3, 1, DecisionKind.ACT, skill='open fridge 1', who='robot_2')
    seen = Observation('It is open.', skill='open fridge 1', sequence=3, node_id=1, who='robot_2')
    *_, skill, answer = _lines([*sample_run[:2], act, seen])
    assert skill.endswith('> robot_2: open fridge 1')
    assert answer.endswith('< robot_2: It is open.')
