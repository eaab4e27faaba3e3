"""Frames: laid over each other they show what the reducer and working memory say."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies

from reactree_core.observation import Observation
from reactree_core.working_memory import WorkingMemory
from reactree_planner.tree.events import WORLD_RESET
from reactree_planner.tree.snapshot import AgentTree
from reactree_planner.tree.snapshot import reduce_events
from reactree_tools.viewer.frames import count_of
from reactree_tools.viewer.frames import folded
from reactree_tools.viewer.frames import FrameMaker
from reactree_tools.viewer.history import RunHistory
from reactree_tools.viewer.made_up import MadeUpRun

#: Which looks the world is put back after.
RESETS = strategies.lists(strategies.integers(0, 100), max_size=4)


def laid(frames):
    """What a page has after these frames."""
    nodes, facts, looked_at = {}, {}, []
    for frame in frames:
        nodes.update((node[0], node) for node in frame['nodes'])
        if frame.get('cleared'):
            facts, looked_at = {}, []
        facts.update(frame.get('facts', {}))
        looked_at += frame.get('looked_at', [])
    known = {name: fact for name, fact in facts.items() if fact is not None}
    return nodes, known, looked_at


def with_resets(events, resets):
    """The events with the world put back after some of the looks, as planners of trials do."""
    looks = [event for event in events if isinstance(event, Observation)]
    after = [looks[number % len(looks)] for number in resets] if looks else []
    for event in events:
        yield event
        if any(event is one for one in after):
            yield Observation(
                WORLD_RESET, sequence=event.sequence, node_id=event.node_id, stamp=event.stamp
            )


def told(tree):
    return {node.node_id: (node.parent_id, node.kind, node.status, node.goal) for node in tree}


@settings(max_examples=25, deadline=None)
@given(strategies.integers(1, 40), strategies.integers(0, 1000), strategies.floats(0, 1), RESETS)
def test_at_any_moment_frames_show_the_reducers_tree_and_the_working_memory(
    nodes, seed, share, resets
):
    events = list(with_resets(list(MadeUpRun(nodes, seed=seed)), resets))
    events = events[: max(1, int(len(events) * share))]
    maker = FrameMaker()
    frames = [json.loads(json.dumps(maker.frame(event))) for event in events]
    memory = WorkingMemory()
    for event in events:
        if isinstance(event, Observation) and event.text == WORLD_RESET:
            memory = WorkingMemory()
        elif isinstance(event, Observation):
            memory.update(event)
    seen, facts, looked_at = laid(frames)
    tree = reduce_events(events)
    assert {key: (node[1], node[2], node[3], node[4]) for key, node in seen.items()} == told(
        tree.nodes
    )
    assert facts == {
        fact.name: [fact.room, fact.receptacle, fact.state] for fact in memory.facts()
    }
    assert tuple(looked_at) == memory.looked_at()
    last = frames[-1]['run']
    assert (last['decisions'], last['steps']) == (tree.decisions, tree.steps)
    assert (last['active'], last['finished']) == (tree.active_node_id, tree.finished)


@settings(max_examples=25, deadline=None)
@given(strategies.integers(2, 60), strategies.integers(0, 1000), RESETS)
def test_folded_frames_lead_to_the_same_state(count, seed, resets):
    maker = FrameMaker()
    events = with_resets(list(MadeUpRun(20, seed=seed)), resets)
    frames = [maker.frame(event) for event in events]
    together = folded(frames[:count])
    assert laid([together, *frames[count:]]) == laid(frames)
    assert count_of(together) == len(frames[:count])


def read_all(history, position=0, most=7):
    """What a reader gets in small pieces, and where it is then."""
    frames = []
    while True:
        text, end, anew = history.after(position, most)
        if anew:
            frames = []
        if end == position and not anew:
            return frames, position
        frames += json.loads(text)
        position = end


def test_readers_get_every_frame_once_and_then_only_what_is_new():
    history = RunHistory('run')
    events = list(MadeUpRun(10))
    for event in events[:9]:
        history.add(event)
    frames, position = read_all(history)
    assert len(frames) == position == 9
    for event in events[9:]:
        history.add(event)
    more, position = read_all(history, position)
    assert len(more) == len(events) - 9
    assert position == history.end == len(events)


def test_a_long_run_keeps_so_many_frames_and_readers_that_lag_begin_anew():
    history = RunHistory('run', kept=40)
    events = list(MadeUpRun(60))
    for event in events[:30]:
        history.add(event)
    frames, position = read_all(history)
    for event in events[30:]:
        history.add(event)
    late, _ = read_all(history, position)
    fresh, end = read_all(history)
    assert end == len(events)
    assert len(fresh) <= 41
    assert late == fresh
    assert told(reduce_events(events).nodes).keys() == laid(fresh)[0].keys()
    assert sum(map(count_of, fresh)) == len(events)
    assert len(frames) == 30


def test_a_reader_with_frames_of_another_run_begins_anew():
    history = RunHistory('run')
    for event in MadeUpRun(5):
        history.add(event)
    _, _, anew = history.after(10**6)
    assert anew


def test_a_run_goes_on_from_a_tree_whose_events_are_lost():
    events = list(MadeUpRun(30))
    middle = len(events) // 2
    history = RunHistory('run')
    history.adopt(reduce_events(events[:middle]))
    for event in events[middle:]:
        history.add(event)
    frames, _ = read_all(history)
    assert frames[0]['event']['kind'] == 'joined'
    nodes = laid(frames)[0]
    whole = reduce_events(events)
    assert {key: (node[3], node[4]) for key, node in nodes.items()} == {
        node.node_id: (node.status, node.goal) for node in whole.nodes
    }
    assert history.finished


def test_a_tree_made_from_a_snapshot_shows_that_snapshot():
    snapshot = reduce_events(list(MadeUpRun(30))[:80])
    assert AgentTree.from_snapshot(snapshot).snapshot() == snapshot
