"""Graphs as they are sent: always the scene as it is, whatever has happened to it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sim_bridge.virtualhome_server.graph_writing import as_json_text, GraphWriter
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.scenes import generate_apartment


@cache
def home(close: bool) -> dict[str, Any]:
    """A home, with CLOSE edges between its things as exports have them, or without."""
    graph: dict[str, Any] = generate_apartment(1)
    if not close:
        return graph
    ids = [node['id'] for node in graph['nodes'] if node['class_name'] != 'character']
    edges = [
        {'from_id': one, 'relation_type': 'CLOSE', 'to_id': other}
        for pair in zip(ids, ids[3:], strict=False)
        for one, other in (pair, pair[::-1])
    ]
    # A name that needs escapes, twice.
    nodes = [{**node, 'prefab_name': 'a "b"\\ \u00fc\n'} for node in graph['nodes']]
    return {**graph, 'nodes': nodes, 'edges': [*edges, *graph['edges']]}


def check(writer: GraphWriter, scene: SceneGraph, close: list[int]) -> None:
    written = writer.write([(scene.character, close)])
    text = json.dumps(scene.to_dict(close), separators=(',', ':'))
    assert str(written) == text
    assert b''.join(written.pieces) == json.dumps(text).encode('ascii')


_STEPS = st.lists(
    st.tuples(st.sampled_from(['take', 'lay', 'swap', 'enter', 'write']), st.integers(0, 10**6)),
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(st.booleans(), _STEPS)
def test_what_is_written_is_always_the_scene_as_it_is(
    with_close: bool, steps: list[tuple[str, int]]
) -> None:
    scene = SceneGraph(home(with_close))
    writer = GraphWriter(scene)
    things = [key for key in scene.nodes if key not in scene.rooms and key != scene.character]
    for step, number in steps:
        thing = things[number % len(things)]
        if step == 'take' and len(scene.held) < 2 and thing not in scene.held:
            if scene.root(thing) not in scene.held:
                scene.take(thing)
        elif step == 'lay' and scene.held:
            held = scene.held[number % len(scene.held)]
            if thing not in set(scene.subtree(held)) and scene.root(thing) not in scene.held:
                scene.lay(held, ('INSIDE', 'ON')[number % 2], thing)
        elif step == 'swap':
            scene.swap_state(thing, 'CLOSED', 'OPEN')
        elif step == 'enter':
            scene.enter(scene.rooms[number % len(scene.rooms)])
        elif step == 'write':
            check(writer, scene, things[: number % 9])
    check(writer, scene, [])


def test_several_characters_are_close_to_things_of_their_own() -> None:
    scene = SceneGraph(home(False))
    one, other, *things = list(scene.nodes)[-6:]
    written = json.loads(str(GraphWriter(scene).write([(one, things[:2]), (other, things[1:])])))
    close = [
        (edge['from_id'], edge['to_id'])
        for edge in written['edges']
        if edge['relation_type'] == 'CLOSE'
    ]
    pairs = [(one, thing) for thing in things[:2]] + [(other, thing) for thing in things[1:]]
    assert close == [edge for start, end in pairs for edge in ((start, end), (end, start))]


def test_a_text_within_a_text_is_read_back() -> None:
    value = {'a': ['"', '\\', '\u20ac', 1.5]}
    assert json.loads(str(as_json_text(value))) == value
