"""Playing a record back: time, steps, jumps, and what the screen shows."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Observation
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, NodeStatus
from reactree_core.record.snapshot import reduce_events
from reactree_tools.output import Output
from reactree_tools.viewer.terminal.replay_view import (
    LONGEST_PAUSE,
    Player,
    print_run,
    ReplayView,
    tree_window,
)
from reactree_tools.views.keys import named_keys

EVENTS = (
    Decision(1, 0, DecisionKind.START, 'find a pear'),
    Observation('You are in a kitchen.', sequence=2, node_id=1, stamp=1.0),
    Decision(3, 1, DecisionKind.ACT, skill='go to table 1', stamp=2.0),
    Observation('A pear.', skill='go to table 1', sequence=3, node_id=1, stamp=100.0),
    Decision(4, 1, DecisionKind.ACT, skill='done', stamp=101.0),
    Decision(5, 1, DecisionKind.FINISH, 'done', status=NodeStatus.SUCCESS, stamp=101.0),
    Decision(6, 0, DecisionKind.FINISH, status=NodeStatus.SUCCESS, stamp=101.0),
)


def test_events_come_at_the_pace_of_the_run_but_nobody_waits_long() -> None:
    player = Player(EVENTS)
    assert (player.position, player.tick(0.9), player.tick(0.2), player.position) == (1, 0, 1, 2)
    player.tick(1.0)
    assert player.position == 3
    player.tick(LONGEST_PAUSE)
    assert player.position == 4
    player.speed = 100.0
    player.tick(1.0)
    assert player.at_end and player.tree.finished


@given(st.lists(st.tuples(st.sampled_from('sjt'), st.integers(-20, 20))))
def test_wherever_it_stands_the_tree_is_that_of_the_events_so_far(moves) -> None:
    player = Player(EVENTS)
    for kind, number in moves:
        if kind == 's':
            player.step(number)
        elif kind == 'j':
            player.jump(number)
        else:
            player.tick(abs(number) / 4)
        assert 1 <= player.position <= len(EVENTS)
        assert player.tree == reduce_events(EVENTS[: player.position])


def test_keys_are_named_and_unknown_ones_left_out() -> None:
    assert named_keys('q \x1b[C\x1b[5~\x1b') == ['q', 'space', 'right', 'page up', 'escape']


def view() -> tuple[ReplayView, Player]:
    player = Player(EVENTS)
    return ReplayView(player, Output(plain=True, out=io.StringIO())), player


@pytest.mark.parametrize(
    ('keys', 'position', 'playing', 'speed'),
    [
        (['right', 'right'], 3, False, 1.0),
        (['end'], 7, True, 1.0),
        (['end', 'left'], 6, False, 1.0),
        (['5'], 4, True, 1.0),
        (['space'], 1, False, 1.0),
        (['end', 'space'], 1, True, 1.0),
        (['up', 'up', 'down', 'x'], 1, True, 2.0),
        (['page down', 'home'], 1, False, 1.0),
    ],
)
def test_keys_stop_step_jump_and_change_the_pace(keys, position, playing, speed) -> None:
    shown, player = view()
    for key in keys:
        shown.obey(key)
    assert (player.position, player.playing, player.speed) == (position, playing, speed)


def test_the_screen_shows_the_tree_and_what_was_said_so_far() -> None:
    output = Output(plain=True, out=io.StringIO())
    shown = ReplayView(Player(EVENTS), output)
    for key in ('right', 'right'):
        shown.obey(key)
    output.console.print(shown.picture())
    text = output.console.file.getvalue()
    assert '3 of 7' in text and 'find a pear' in text and 'go to table 1' in text
    assert 'A pear.' not in text


def test_a_large_tree_is_shown_around_the_agent_at_work() -> None:
    output = Output(plain=True, out=io.StringIO())
    goals = tuple(f'part {number}' for number in range(16))
    events = [
        Decision(1, 0, DecisionKind.START, 'everything'),
        Observation('a room', sequence=2, node_id=1),
        Decision(3, 1, DecisionKind.EXPAND, control_flow=ControlFlow.SEQUENCE, subgoals=goals),
        Observation('a room', sequence=4, node_id=9),
    ]
    lines = tree_window(reduce_events(events), output.glyphs, output.console, 5)
    assert len(lines) == 5
    assert any('part 6' in line.plain for line in lines)


def test_a_pipe_gets_everything_at_once() -> None:
    output = Output(plain=True, out=io.StringIO())
    print_run(Player(EVENTS), output, full=False)
    text = output.console.file.getvalue()
    assert 'go to table 1' in text and 'A pear.' in text
    assert text.rstrip().endswith('1 step, 101 s')
