"""The graph: reading real ones' noise, one place each, and writing back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.graph import SceneGraph

Graph = dict[str, Any]
MakeHome = Callable[..., Graph]


def edges(graph: Graph) -> set[tuple[int, str, int]]:
    return {(edge['from_id'], edge['relation_type'], edge['to_id']) for edge in graph['edges']}


def add(graph: Graph, start: int, relation: str, end: int) -> None:
    graph['edges'].append({'from_id': start, 'to_id': end, 'relation_type': relation})


def test_an_unmoved_graph_is_written_as_it_was_read(home: Graph) -> None:
    add(home, 20, 'FACING', 22)
    add(home, 20, 'CLOSE', 21)
    written = SceneGraph(home).to_dict()
    assert edges(written) == edges(home)
    assert sorted(written['nodes'], key=lambda node: node['id']) == sorted(
        home['nodes'], key=lambda node: node['id']
    )


def test_reading_does_not_change_the_data_and_writing_shares_nothing(home: Graph) -> None:
    before = repr(home)
    world = HouseholdWorld()
    world.reset_to(home)
    written = world.graph()
    written['nodes'][3]['states'].append('BROKEN')
    written['edges'].clear()
    world.step('go to fridge 1')
    world.step('open fridge 1')
    assert repr(home) == before
    assert 'BROKEN' not in repr(world.graph())


def test_a_character_is_added_where_there_is_none(make_home: MakeHome) -> None:
    graph = SceneGraph(make_home((10, 'kitchen', '', 0)))
    assert graph.character == 1
    graph = SceneGraph(make_home((1, 'kitchen', '', 0), (7, 'apple', '', 1)))
    assert graph.character == 8


def test_the_first_room_of_an_added_character_comes_from_the_seed(make_home: MakeHome) -> None:
    graph = make_home(*((10 + i, 'bedroom', '', 0) for i in range(8)))
    world = HouseholdWorld()
    rooms = [world.reset_to(graph, seed=seed).room for seed in range(30)]
    assert rooms == [world.reset_to(graph, seed=seed).room for seed in range(30)]
    assert len(set(rooms)) > 3


def test_a_character_of_the_file_begins_in_its_room(home: Graph) -> None:
    world = HouseholdWorld()
    assert {world.reset_to(home, seed=seed).room for seed in range(10)} == {'kitchen 1'}


def test_things_held_in_the_file_are_held(home: Graph) -> None:
    add(home, 2, 'HOLDS_RH', 30)
    add(home, 2, 'HOLDS_LH', 31)
    world = HouseholdWorld()
    observation = world.reset_to(home)
    assert observation.held == ('apple 1', 'apple 2')
    assert observation.text.endswith('You hold apple (1, 2).')
    world.step('go to kitchen counter 1')
    assert world.step('put down apple 2').succeeded


@pytest.mark.parametrize(
    ('more', 'parent'),
    [
        (((30, 'INSIDE', 21), (30, 'INSIDE', 20), (21, 'INSIDE', 20)), ('INSIDE', 21)),
        (((30, 'ON', 20), (30, 'ON', 22), (22, 'ON', 20)), ('ON', 22)),
        (((30, 'ON', 23), (30, 'ON', 20)), ('ON', 20)),
        (((30, 'ON', 20), (30, 'INSIDE', 21)), ('INSIDE', 21)),
        (((30, 'ON', 22), (30, 'INSIDE', 21), (22, 'INSIDE', 21)), ('ON', 22)),
        (((30, 'ON', 30), (30, 'INSIDE', 30)), None),
        (((30, 'ON', 24),), None),
    ],
    ids=[
        'innermost',
        'topmost',
        'table over rug',
        'in over on',
        'tray in oven',
        'itself',
        'floor',
    ],
)
def test_of_several_places_the_most_particular_is_taken(
    make_home: MakeHome, more: tuple[tuple[int, str, int], ...], parent: Any
) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (20, 'kitchentable', '', 10),
        (21, 'fridge', '', 10),
        (22, 'plate', '', 10),
        (23, 'chair', '', 10),
        (24, 'floor', '', 10),
        (30, 'apple', '', 10),
        character=10,
    )
    for edge in more:
        add(graph, *edge)
    assert SceneGraph(graph).parent.get(30) == parent


def test_circles_of_places_are_cut(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (20, 'plate', 'on 21', 10),
        (21, 'plate', 'on 22', 10),
        (22, 'plate', 'on 20', 10),
        (23, 'plate', 'on 21', 10),
        character=10,
    )
    scene = SceneGraph(graph)
    assert scene.parent == {21: ('ON', 22), 22: ('ON', 20), 23: ('ON', 21)}
    assert scene.root(23) == 20


def test_things_without_a_room_are_where_what_they_lie_on_is(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (20, 'kitchentable', '', 10),
        (30, 'apple', 'on 20', 0),
        character=10,
    )
    assert SceneGraph(graph).room_of(30) == 10


def test_without_any_edges_boxes_tell_the_room(make_home: MakeHome) -> None:
    graph = make_home((10, 'kitchen', '', 0, 0), (11, 'bedroom', '', 0, 9), (20, 'bed', '', 0, 8))
    assert SceneGraph(graph).room_of(20) == 11


def test_without_properties_the_lists_tell_what_can_be_done(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (20, 'fridge/CLOSED OFF', '', 10),
        (30, 'apple', 'in 20', 10),
        character=10,
    )
    for node in graph['nodes']:
        del node['properties']
    world = HouseholdWorld()
    world.reset_to(graph)
    for skill in ('go to fridge 1', 'open fridge 1', 'pick up apple 1', 'put down apple 1'):
        assert world.step(skill).succeeded
    assert 'properties' not in world.graph()['nodes'][0]


def test_skills_leave_one_place_edge_and_the_room(home: Graph) -> None:
    world = HouseholdWorld()
    world.reset_to(home)
    for skill in ('go to kitchen table 1', 'pick up apple 2', 'go to living room 1'):
        assert world.step(skill).succeeded
    now = edges(world.graph())
    assert (2, 'HOLDS_RH', 31) in now
    assert {edge for edge in now if edge[0] == 31 and edge[1] != 'CLOSE'} == {(31, 'INSIDE', 11)}
    for skill in ('go to coffee table 1', 'put down apple 2'):
        assert world.step(skill).succeeded
    now = edges(world.graph())
    assert {edge for edge in now if edge[0] == 31 and edge[1] != 'CLOSE'} == {
        (31, 'ON', 41),
        (31, 'INSIDE', 11),
    }
    assert not any(relation.startswith('HOLDS') for _, relation, _ in now)
    assert {edge for edge in now if edge[0] == 2 and edge[1] == 'INSIDE'} == {(2, 'INSIDE', 11)}


def test_what_lies_on_a_moved_thing_keeps_its_place_and_changes_its_room(home: Graph) -> None:
    add(home, 33, 'ON', 20)
    world = HouseholdWorld()
    world.reset_to(home)
    for skill in (
        'go to kitchen table 1',
        'pick up plate 1',
        'go to living room 1',
        'go to coffee table 1',
        'put down plate 1',
    ):
        assert world.step(skill).succeeded
    now = edges(world.graph())
    assert {edge for edge in now if edge[0] == 33 and edge[1] != 'CLOSE'} == {
        (33, 'ON', 32),
        (33, 'INSIDE', 11),
    }


def test_the_right_hand_is_filled_first_and_again_when_it_is_free(home: Graph) -> None:
    world = HouseholdWorld()
    world.reset_to(home)
    for skill in (
        'go to kitchen table 1',
        'pick up apple 2',
        'pick up plate 1',
        'put down apple 2',
        'pick up chair 1',
    ):
        assert world.step(skill).succeeded
    now = edges(world.graph())
    assert {(2, 'HOLDS_RH', 21), (2, 'HOLDS_LH', 32)} <= now


def test_what_is_close_is_written_as_close_to_the_character(home: Graph) -> None:
    world = HouseholdWorld()
    world.reset_to(home)
    assert not any(relation == 'CLOSE' for _, relation, _ in edges(world.graph()))
    world.step('go to fridge 1')
    now = {edge for edge in edges(world.graph()) if edge[1] == 'CLOSE'}
    assert now == {(2, 'CLOSE', 22), (22, 'CLOSE', 2), (2, 'CLOSE', 23), (23, 'CLOSE', 2)}


def test_a_moved_thing_has_its_box_on_what_it_lies_on(home: Graph) -> None:
    world = HouseholdWorld()
    world.reset_to(home)
    for skill in ('go to kitchen table 1', 'pick up apple 2'):
        assert world.step(skill).succeeded

    def box() -> Any:
        return next(node for node in world.graph()['nodes'] if node['id'] == 31)['bounding_box']

    assert box() is None
    world.step('put down apple 2')
    assert box() == {'center': [0.0, 1.5, 0.0], 'size': [1.0, 1.0, 1.0]}


def places_of(graph: Graph, node_id: int) -> list[tuple[str, int]]:
    """INSIDE and ON edges of a thing, in their order."""
    return [
        (edge['relation_type'], edge['to_id'])
        for edge in graph['edges']
        if edge['from_id'] == node_id and edge['relation_type'] in ('INSIDE', 'ON')
    ]


def test_every_thing_has_its_room_before_its_container_as_unity_exports_them(
    make_home: MakeHome,
) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (20, 'fridge/CLOSED', '', 10),
        (30, 'apple', 'in 20', 0),
        (31, 'plate', 'in 20', 0),
        (32, 'cutlets', 'on 31', 0),
        (33, 'mug', 'on 34', 0),
        (34, 'kitchentable', '', 10),
        character=10,
    )
    # The file has the container first.
    graph['edges'].append({'from_id': 30, 'relation_type': 'INSIDE', 'to_id': 10})
    written = SceneGraph(graph).to_dict()
    assert places_of(written, 30) == [('INSIDE', 10), ('INSIDE', 20)]
    assert places_of(written, 31) == [('INSIDE', 10), ('INSIDE', 20)]
    # What it lies on is in the fridge, so it is.
    assert places_of(written, 32) == [('INSIDE', 10), ('ON', 31), ('INSIDE', 20)]
    assert places_of(written, 33) == [('INSIDE', 10), ('ON', 34)]


def test_what_the_robot_puts_where_no_door_hides_it_has_its_room_last(
    make_home: MakeHome,
) -> None:
    graph = SceneGraph(
        make_home(
            (10, 'kitchen', '', 0),
            (20, 'fridge/OPEN', '', 10),
            (21, 'sink', '', 10),
            (30, 'apple', '', 10),
            character=10,
        )
    )
    graph.take(30)
    assert places_of(graph.to_dict(), 30) == [('INSIDE', 10)]
    graph.lay(30, 'INSIDE', 21)
    assert places_of(graph.to_dict(), 30) == [('INSIDE', 21), ('INSIDE', 10)]
    graph.take(30)
    graph.lay(30, 'INSIDE', 20)
    assert places_of(graph.to_dict(), 30) == [('INSIDE', 10), ('INSIDE', 20)]


def test_things_that_are_in_each_other_are_written_without_a_circle(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'bathroom', '', 0),
        (20, 'bucket', 'in 21', 10),
        (21, 'bucket', 'in 20', 10),
        (22, 'bucket', 'in 22', 10),
        character=10,
    )
    written = SceneGraph(graph).to_dict()
    assert places_of(written, 22) == [('INSIDE', 10)]
    assert sorted(len(places_of(written, key)) for key in (20, 21)) == [1, 2]


def test_what_can_be_opened_or_switched_has_a_state(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (20, 'fridge', '', 10),
        (21, 'fridge/OPEN ON', '', 10),
        character=10,
    )
    nodes = {node['id']: node['states'] for node in SceneGraph(graph).to_dict()['nodes']}
    assert (nodes[20], nodes[21]) == (['CLOSED', 'OFF'], ['OPEN', 'ON'])
