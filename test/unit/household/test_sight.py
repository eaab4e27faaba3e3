"""Who sees what: rooms, doors, hands and classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household import HouseholdWorld

Do = Callable[..., str]
Graph = dict[str, Any]
MakeHome = Callable[..., Graph]


def seen(world: HouseholdWorld) -> set[str]:
    """What one can go to, the robot's own place aside."""
    return {
        skill.removeprefix('go to ')
        for skill in world.candidate_skills()
        if skill.startswith('go to ')
    }


def test_only_things_of_the_robots_room_are_visible(world: HouseholdWorld, do: Do) -> None:
    assert 'apple 2' in seen(world) and 'apple 3' not in seen(world)
    do('go to living room 1')
    assert 'apple 3' in seen(world) and 'apple 2' not in seen(world)


def test_all_rooms_are_known_from_everywhere(world: HouseholdWorld) -> None:
    assert {'kitchen 1', 'living room 1'} <= seen(world)


def test_what_is_in_a_shut_container_is_hidden_until_it_is_opened(
    world: HouseholdWorld, do: Do
) -> None:
    assert 'apple 1' not in seen(world)
    do('go to fridge 1', 'open fridge 1')
    assert 'apple 1' in seen(world)
    do('close fridge 1')
    assert 'apple 1' not in seen(world)


def test_what_lies_on_a_thing_in_a_shut_container_is_hidden_too(
    world: HouseholdWorld, do: Do
) -> None:
    do('go to plate 1', 'pick up plate 1', 'go to microwave oven 1', 'put down plate 1')
    assert 'cutlery fork 1' in seen(world)
    do('close microwave oven 1')
    assert {'cutlery fork 1', 'plate 1'}.isdisjoint(seen(world))


def test_held_things_are_visible_in_every_room(world: HouseholdWorld, do: Do) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'go to living room 1')
    assert 'apple 2' in seen(world)


def test_what_lies_on_a_held_thing_comes_along(world: HouseholdWorld, do: Do) -> None:
    do('go to kitchen table 1', 'pick up plate 1', 'go to living room 1')
    assert 'cutlery fork 1' in seen(world)
    do('go to coffee table 1', 'pick up cutlery fork 1', 'put down plate 1')
    assert world.observe().held == ('cutlery fork 1',)


def test_classes_that_are_not_observable_are_never_seen(world: HouseholdWorld) -> None:
    assert 'pillow 1' not in seen(world)


def test_with_properties_alone_every_useful_thing_is_seen(home: Graph) -> None:
    world = HouseholdWorld(classes='properties')
    world.reset_to(home)
    assert 'pillow 1' in seen(world)


def test_any_home_can_be_played_whole_by_the_properties_of_its_nodes(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'dining_room', '', 0),
        (20, 'filing_cabinet', '', 10, 0),
        (30, 'secretLetter', 'in 20', 10, 0),
        (40, 'wallpaper', '', 10, 0),
        character=10,
    )
    cabinet, letter = graph['nodes'][1], graph['nodes'][2]
    cabinet |= {
        'category': 'Furniture',
        'properties': ['CAN_OPEN', 'CONTAINERS'],
        'states': ['CLOSED'],
    }
    letter |= {'properties': ['GRABBABLE']}
    world = HouseholdWorld(classes='properties')
    text = world.reset_to(graph).text
    assert text.endswith('you see filing cabinet (1).') and 'dining room (1)' in text
    for skill in (
        'go to filing cabinet 1',
        'open filing cabinet 1',
        'pick up secret letter 1',
        'put down secret letter 1',
        'close filing cabinet 1',
    ):
        assert world.step(skill).succeeded
    assert 'wallpaper 1' not in seen(world)
    assert world.vocabulary().place_classes == ('filing cabinet',)
    assert 'secret letter' in world.vocabulary().object_classes


def test_classes_outside_the_lists_are_not_there_as_published(make_home: MakeHome) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (11, 'dining_room', '', 0),
        (20, 'closet', '', 10, 0),
        (21, 'drawer', 'in 20', 10, 0),
        (30, 'apple', 'in 21', 10, 0),
        (31, 'drawer', '', 10, 0),
        (32, 'plum', 'in 31', 10, 0),
        character=10,
    )
    for node in graph['nodes']:
        if node['class_name'] in ('drawer', 'closet'):
            node |= {'properties': ['CAN_OPEN', 'CONTAINERS'], 'states': ['CLOSED']}
    # As Unity exports it: the room, the drawer, the closet.
    graph['edges'].append({'from_id': 30, 'relation_type': 'INSIDE', 'to_id': 20})
    world = HouseholdWorld()
    text = world.reset_to(graph).text
    assert 'there are 1 rooms: kitchen (1).' in text
    assert text.endswith('you see closet (1).')
    assert seen(world) == {'kitchen 1', 'closet 1', 'plum 1'}
    assert 'no dining_room, so one cannot go' in world.step('go to dining room 1').text
    world.step('go to closet 1')
    # The plum shows for want of a drawer, and cannot be had for the drawer.
    assert world.step('pick up plum 1').text == 'The plum is inside closed drawer.'
    assert 'pick up plum 1' not in world.admissible_skills()
    assert (
        world.step('open closet 1').text
        == 'You open closet. You see apple (1), closet (1), plum (1)'
    )
    assert world.step('pick up apple 1').text == 'The apple is inside closed drawer.'


@pytest.mark.parametrize(('doorless', 'visible'), [('hide', False), ('show', True)])
def test_what_is_stored_in_a_container_without_a_door_is_hidden_as_published(
    make_home: MakeHome, doorless: str, visible: bool
) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (20, 'bookshelf', '', 10, 0),
        (30, 'apple', 'in 20', 10, 0),
        (31, 'apple', 'on 20', 10, 0),
        character=10,
    )
    world = HouseholdWorld(doorless=doorless)
    world.reset_to(graph)
    assert ('apple 1' in seen(world)) is visible
    assert 'apple 2' in seen(world)


def test_what_the_robot_put_in_a_container_without_a_door_stays_visible(
    world: HouseholdWorld, do: Do
) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'go to sink 1', 'put down apple 2')
    assert 'apple 2' in seen(world)
    assert 'You see apple (2), ' in do('go to sink 1')
    assert do('pick up apple 2') == 'You pick up apple. You hold apple (2).'


def test_options_out_of_range_are_refused() -> None:
    for options in (
        {'doorless': 'maybe'},
        {'classes': 'all'},
        {'reach': -1.0},
        {'neighbours': -1},
        {'failure_rate': 1.5},
        {'reach': float('nan')},
    ):
        with pytest.raises(ConfigurationError):
            HouseholdWorld(**options)
