"""A tree cut down to the lines of a terminal."""

from __future__ import annotations

import io

from hypothesis import given, settings, strategies

from reactree_core.record.events import NodeKind
from reactree_core.record.snapshot import reduce_events
from reactree_tools.output import Output
from reactree_tools.viewer.sources import GivenRun
from reactree_tools.viewer.terminal.replay_view import show_record
from reactree_tools.viewer.terminal.watch_display import WatchDisplay
from reactree_tools.views.agent_tree import fitted
from support.made_up_runs import MadeUpRun

RUN = 'a' * 32


def agents(nodes):
    return {node.node_id for node in nodes if node.kind is NodeKind.AGENT}


@settings(max_examples=40, deadline=None)
@given(
    strategies.integers(1, 60),
    strategies.integers(0, 1000),
    strategies.floats(0.05, 1),
    strategies.integers(1, 30),
)
def test_the_agent_at_work_and_all_above_it_stay(nodes, seed, share, lines):
    events = list(MadeUpRun(nodes, seed=seed))
    tree = reduce_events(events[: max(1, int(len(events) * share))])
    shown = fitted(tree, lines)
    known = {node.node_id: node for node in tree.nodes}
    above = {1}
    here = tree.active_node_id
    while here:
        above.add(here)
        here = known[here].parent_id
    above = {one for one in above if known[one].kind is NodeKind.AGENT}
    kept = agents(shown.tree.nodes)
    assert above <= kept
    assert len(kept) == max(len(above), min(lines, len(agents(tree.nodes))))
    assert len(kept) + sum(shown.hidden.values()) == len(agents(tree.nodes))
    for node in shown.tree.nodes:
        if node.kind is NodeKind.AGENT and node.node_id != 1:
            assert known[node.parent_id].parent_id in kept, 'an agent without the one above it'


def test_in_a_pipe_a_watched_run_is_a_transcript():
    out = io.StringIO()
    display = WatchDisplay(Output(out=out))
    with display:
        display.tick()
        run = display.begin(RUN)
        events = list(MadeUpRun(5))
        for event in events[:-1]:
            run.add(event)
        display.tick()
        assert not display.ended
        run.add(events[-1])
        display.tick()
    assert display.ended
    assert 'tidy up the whole house' in out.getvalue()
    assert '\x1b' not in out.getvalue()


def test_a_recorded_run_is_drawn_with_its_figures():
    out = io.StringIO()
    show_record(GivenRun(RUN, MadeUpRun(20)), Output(out=out), transcript=True)
    text = out.getvalue()
    tree = reduce_events(MadeUpRun(20))
    assert f'{tree.decisions} decisions' in text
    assert RUN in text
    assert 'I should find and pick up' in text
