"""CLOSE: by boxes, by the file's edges, by the order of ids; and what follows for planning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.closeness import NearFixtures
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.nodes import Box

Graph = dict[str, Any]
MakeHome = Callable[..., Graph]


def close_to(graph: Graph, thing: str, **options: Any) -> str:
    world = HouseholdWorld(**options)
    world.reset_to(graph)
    return world.step(f'go to {thing}').text.partition('You see ')[2]


def test_the_gap_between_boxes_is_free_horizontal_distance() -> None:
    low = Box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    assert low.gap(Box((0.5, 9.0, 0.5), (1.0, 1.0, 1.0))) == 0.0
    assert low.gap(Box((4.0, 0.0, 0.0), (1.0, 1.0, 1.0))) == pytest.approx(3.0)
    assert low.gap(Box((4.0, 5.0, 5.0), (1.0, 1.0, 1.0))) == pytest.approx(5.0)


def test_furniture_with_boxes_is_close_within_reach(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (20, 'kitchentable', '', 10, 0),
        (21, 'bed', '', 10, 2.4),
        (22, 'sofa', '', 10, 3.2),
        (23, 'bench', '', 10, -4),
        character=10,
    )
    assert close_to(graph, 'kitchen table 1') == 'bed (1), kitchen table (1)'
    assert close_to(graph, 'kitchen table 1', reach=0.0) == 'kitchen table (1)'
    assert close_to(graph, 'kitchen table 1', reach=3.0) == (
        'bed (1), bench (1), kitchen table (1), sofa (1)'
    )


def test_nothing_in_another_room_is_close(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (11, 'bedroom', '', 0),
        (20, 'kitchentable', '', 10, 0),
        (21, 'bed', '', 11, 1.2),
        character=10,
    )
    assert close_to(graph, 'kitchen table 1') == 'kitchen table (1)'


def test_what_stands_on_furniture_is_close_however_far_its_box(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (20, 'kitchencounter', '', 10, 0),
        (21, 'microwave', 'on 20', 10, 4),
        (22, 'apple', 'on 21', 10, 9),
        character=10,
    )
    assert close_to(graph, 'kitchen counter 1') == (
        'apple (1), kitchen counter (1), microwave oven (1)'
    )


def test_without_boxes_the_files_close_edges_decide(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (20, 'kitchentable', '', 10),
        (21, 'bed', '', 10),
        (22, 'sofa', '', 10),
        (30, 'apple', 'on 22', 10),
        character=10,
    )
    graph['edges'].append({'from_id': 22, 'to_id': 20, 'relation_type': 'CLOSE'})
    assert close_to(graph, 'kitchen table 1') == 'apple (1), kitchen table (1), sofa (1)'


def test_without_boxes_and_edges_neighbours_in_the_order_of_ids_are_close(
    make_home: MakeHome,
) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        *((20 + i, 'chair', '', 10) for i in range(20)),
        character=10,
    )
    assert close_to(graph, 'chair 1') == 'chair (1, 2, 3, 4)'
    assert close_to(graph, 'chair 10', neighbours=2) == 'chair (8, 9, 10, 11, 12)'
    assert close_to(graph, 'chair 10', neighbours=0) == 'chair (10)'


def test_near_is_symmetrical_and_includes_oneself(home: Graph) -> None:
    graph = SceneGraph(home)
    near = NearFixtures(graph, [20, 21, 22, 23, 24, 25, 26])
    for fixture, others in near.items():
        assert fixture in others
        assert all(fixture in near[other] for other in others)


def test_everything_listed_on_arrival_can_be_picked_up_from_there(
    world: HouseholdWorld,
) -> None:
    for skill in world.candidate_skills():
        if not skill.startswith('go to'):
            continue
        observation = world.step(skill)
        for fact in observation.facts:
            if fact.receptacle and f'pick up {fact.name}' in world.candidate_skills():
                if fact.object_class != 'chair':
                    assert f'pick up {fact.name}' in observation.admissible_skills


def test_a_moved_thing_is_as_close_as_what_it_was_put_on(world: HouseholdWorld) -> None:
    for skill in ('go to kitchen table 1', 'pick up apple 2', 'go to kitchen counter 1'):
        assert world.step(skill).succeeded
    assert world.step('put down apple 2').succeeded
    assert 'apple (2)' not in world.step('go to kitchen table 1').text
    assert 'apple (2)' in world.step('go to kitchen counter 1').text


def test_in_the_middle_of_a_room_nothing_is_close(world: HouseholdWorld) -> None:
    verbs = {skill.split()[0] for skill in world.admissible_skills()}
    assert verbs == {'go'}


def plainly_near(
    graph: SceneGraph, fixtures: set[int], reach: float, neighbours: int
) -> dict[int, set[int]]:
    """The definition, pair by pair."""
    drawn = {frozenset(edge) for edge in graph.other_edges('CLOSE')}
    near = {fixture: {fixture} for fixture in fixtures}
    for first in fixtures:
        for second in fixtures - {first}:
            if graph.room_of(first) != graph.room_of(second):
                continue
            between = [
                one
                for one in fixtures
                if min(first, second) <= one < max(first, second)
                and graph.room_of(one) == graph.room_of(first)
            ]
            box, other_box = graph.nodes[first].box, graph.nodes[second].box
            if box and other_box:
                close = box.gap(other_box) <= reach
            elif drawn:
                close = frozenset((first, second)) in drawn
            else:
                close = len(between) <= neighbours
            places = graph.parent.get(first), graph.parent.get(second)
            if close or any(
                place and place[1] == other
                for place, other in zip(places, (second, first), strict=True)
            ):
                near[first].add(second)
    return near


_TENTHS = st.integers(0, 60).map(lambda number: number / 10)
_THING = st.fixed_dictionaries(
    {
        'room': st.sampled_from([10, 11]),
        'box': st.none() | st.tuples(_TENTHS, _TENTHS, _TENTHS, _TENTHS),
        'on': st.none() | st.integers(20, 40),
        'close': st.lists(st.integers(10, 40), max_size=2),
        'properties': st.sampled_from([[], ['GRABBABLE'], ['SURFACES']]),
    }
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_THING, min_size=1, max_size=15), _TENTHS, st.integers(0, 6), st.booleans())
def test_near_is_what_the_definition_says_of_each_pair(
    things: list[dict[str, Any]], reach: float, neighbours: int, with_close: bool
) -> None:
    nodes: list[Graph] = [
        {'id': room, 'class_name': 'kitchen', 'category': 'Rooms'} for room in (10, 11)
    ]
    edges = []
    for number, thing in enumerate(things, 20):
        node = {'id': number, 'class_name': 'thing', 'properties': thing['properties']}
        if thing['box']:
            x, z, width, depth = thing['box']
            node['bounding_box'] = {'center': [x, 1.0, z], 'size': [width, 1.0, depth]}
        nodes.append(node)
        places = [('INSIDE', thing['room'])]
        places += [('ON', thing['on'])] if thing['on'] else []
        places += [('CLOSE', end) for end in thing['close'] if with_close]
        edges += [{'from_id': number, 'relation_type': kind, 'to_id': end} for kind, end in places]
    graph = SceneGraph({'nodes': nodes, 'edges': edges})
    fixtures = set(range(20, 20 + len(things)))
    near = NearFixtures(graph, fixtures, reach, neighbours)
    assert dict(near) == plainly_near(graph, fixtures, reach, neighbours)
    assert near.get(99) is None and len(near) == len(fixtures)
