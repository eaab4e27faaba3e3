"""Files: graphs however they are wrapped, and what is no graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.graph_reading import find_graph, read_graph

Graph = dict[str, Any]


@pytest.mark.parametrize(
    'wrap',
    [
        lambda graph: graph,
        lambda graph: {'init_graph': graph, 'final_graph': graph},
        lambda graph: {'graph': graph, 'instruction': ['[walk]'], 'count': 3},
        lambda graph: [graph, graph],
        lambda graph: {'env': [{'id': 1, 'init': graph}]},
        lambda graph: {**graph, 'trimmed_nodes': [1], 'characters': []},
    ],
    ids=['bare', 'init_graph', 'graph', 'list', 'deep', 'more keys'],
)
def test_a_graph_is_found_however_it_is_wrapped(wrap: Any, home: Graph, tmp_path: Path) -> None:
    file = tmp_path / 'scene.json'
    file.write_text(json.dumps(wrap(home)))
    assert read_graph(file)['nodes'] == home['nodes']
    world = HouseholdWorld()
    assert world.reset(str(file), '', 0).succeeded
    assert world.scene == str(file)


@pytest.mark.parametrize(
    ('content', 'sentence'),
    [
        ('', 'is not JSON'),
        ('not json', 'is not JSON'),
        ('[' * 100_000, 'is not JSON'),
        ('3', 'holds no scene graph'),
        ('{"a": [1, 2]}', 'holds no scene graph'),
        ('{"nodes": [], "edges": []}', 'has no nodes'),
        ('{"nodes": {}, "edges": []}', 'must be lists'),
        ('{"nodes": [3], "edges": []}', "no whole number 'id'"),
        ('{"nodes": [{"id": "a"}], "edges": []}', "no whole number 'id'"),
        ('{"nodes": [{"id": 1}], "edges": []}', "no 'class_name'"),
        (
            '{"nodes": [{"id": 1, "class_name": "a"}, {"id": 1, "class_name": "b"}], "edges": []}',
            'two nodes with the id 1',
        ),
        ('{"nodes": [{"id": 1, "class_name": "a"}], "edges": [[1, 2]]}', 'edge 0'),
        ('{"nodes": [{"id": 1, "class_name": "apple"}], "edges": []}', 'has no rooms'),
    ],
)
def test_what_is_no_graph_is_refused_and_the_world_stays_as_it_was(
    content: str, sentence: str, home: Graph, tmp_path: Path
) -> None:
    world = HouseholdWorld()
    world.reset_to(home)
    world.step('go to fridge 1')
    before = world.observe(), world.graph(), world.scene
    file = tmp_path / 'scene.json'
    file.write_text(content)
    with pytest.raises(ConfigurationError, match=sentence):
        world.reset(str(file), '', 0)
    assert (world.observe(), world.graph(), world.scene) == before


@pytest.mark.parametrize('name', ['missing.json', '.', 'a\0b'])
def test_a_file_that_cannot_be_read_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        read_graph(tmp_path / name)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(['nodes', 'edges', 'graph', 'id', 'class_name', 'x']),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(_JSON)
def test_any_json_is_a_graph_or_a_configuration_error(data: Any) -> None:
    try:
        graph = find_graph(data)
    except ConfigurationError as error:
        assert str(error)
    else:
        assert graph['nodes']


@given(
    node=st.fixed_dictionaries(
        {'id': st.integers(2, 5), 'class_name': st.sampled_from(['apple', 'fridge', 'odd'])},
        optional={
            'category': st.sampled_from(['Rooms', 'Food', None, 7]),
            'properties': _JSON,
            'states': _JSON,
            'bounding_box': _JSON | st.fixed_dictionaries({'center': _JSON, 'size': _JSON}),
        },
    ),
    relation=st.sampled_from(['INSIDE', 'ON', 'CLOSE', 'HOLDS_RH', 'odd']),
    ends=st.tuples(st.integers(0, 6), st.integers(0, 6)),
)
def test_odd_fields_of_a_graph_do_no_harm(
    node: dict[str, Any], relation: str, ends: tuple[int, int]
) -> None:
    world = HouseholdWorld()
    observation = world.reset_to(
        {
            'nodes': [{'id': 1, 'class_name': 'kitchen', 'category': 'Rooms'}, node],
            'edges': [{'from_id': ends[0], 'to_id': ends[1], 'relation_type': relation}],
        }
    )
    for skill in observation.admissible_skills:
        assert world.step(skill).succeeded
    json.dumps(world.graph())
