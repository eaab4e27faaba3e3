"""The published sentences, letter by letter."""

from __future__ import annotations

from collections.abc import Callable

from reactree_core.observation import Outcome
from sim_bridge.worlds.household import HouseholdWorld

Do = Callable[..., str]


def test_the_first_text_names_the_rooms_and_the_furniture_around(world: HouseholdWorld) -> None:
    assert world.observe().text == (
        'You are in the house, and there are 2 rooms: kitchen (1), living room (1). '
        'You are in the middle of a kitchen (1). Looking quickly around the room, you see '
        'chair (1), dishwasher (1), fridge (1), kitchen counter (1), kitchen table (1), '
        'microwave oven (1), sink (1).'
    )


def test_the_first_text_comes_again_wherever_the_robot_stands(
    world: HouseholdWorld, do: Do
) -> None:
    first = world.observe().text
    do('go to fridge 1', 'open fridge 1', 'pick up juice 1')
    assert world.observe().text == first + ' You hold juice (1).'


def test_going_to_a_room_looks_around_it(do: Do) -> None:
    assert do('go to living room 1') == (
        'You move to the living room (1). Looking quickly around the room, you see '
        'coffee table (1), computer (1), desk (1), sofa (1).'
    )


def test_arriving_lists_what_is_close_without_a_final_period(do: Do) -> None:
    assert do('go to kitchen table 1') == (
        'You arrive at the kitchen table (1). You see apple (2), chair (1), cutlery fork (1), '
        'kitchen table (1), plate (1)'
    )


def test_arriving_at_something_shut_says_so(do: Do) -> None:
    assert do('go to fridge 1') == (
        'You arrive at the fridge (1). The fridge (1) is closed. '
        'You see dishwasher (1), fridge (1)'
    )


def test_arriving_at_something_open_says_so(do: Do) -> None:
    assert do('go to microwave oven 1') == (
        'You arrive at the microwave oven (1). The microwave oven (1) is open. '
        'You see dishwasher (1), kitchen counter (1), microwave oven (1), sink (1), '
        'slice of bread (1)'
    )


def test_arriving_at_a_desk_does_not_tell_whether_it_is_shut(do: Do) -> None:
    assert do('go to living room 1', 'go to desk 1') == (
        'You arrive at the desk (1). You see box (1), computer (1), desk (1)'
    )


def test_opening_tells_what_is_close_then(do: Do) -> None:
    assert do('go to fridge 1', 'open fridge 1') == (
        'You open fridge. You see apple (1), dishwasher (1), fridge (1), juice (1)'
    )


def test_picking_up_ends_with_what_is_held(do: Do) -> None:
    do('go to fridge 1', 'open fridge 1')
    assert do('pick up juice 1') == 'You pick up juice. You hold juice (1).'
    assert do('pick up apple 1') == 'You pick up apple. You hold apple (1), juice (1).'


def test_things_of_one_class_are_held_in_one_group(do: Do) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'go to fridge 1', 'open fridge 1')
    assert do('pick up apple 1') == 'You pick up apple. You hold apple (1, 2).'


def test_putting_on_a_surface_says_on(do: Do) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'go to kitchen counter 1')
    assert do('put down apple 2') == 'You put down apple on kitchen counter'


def test_putting_into_a_container_says_in(do: Do) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'pick up plate 1')
    do('go to microwave oven 1')
    assert do('put down apple 2') == 'You put down apple in microwave oven You hold plate (1).'


def test_closing_and_switching_name_the_thing(do: Do) -> None:
    do('go to dishwasher 1', 'open dishwasher 1')
    assert do('close dishwasher 1') == 'You close dishwasher.'
    assert do('turn on dishwasher 1') == 'You turn on dishwasher.'


def test_a_room_without_furniture_shows_nothing(
    make_home: Callable[..., dict[str, object]],
) -> None:
    world = HouseholdWorld()
    text = world.reset_to(make_home((10, 'kitchen', '', 0), character=10)).text
    assert text == (
        'You are in the house, and there are 1 rooms: kitchen (1). You are in the middle of a '
        'kitchen (1). Looking quickly around the room, you see nothing.'
    )


def test_an_observation_says_where_the_robot_is_and_what_it_holds(
    world: HouseholdWorld, do: Do
) -> None:
    assert world.observe().place == world.observe().room == 'kitchen 1'
    do('go to kitchen table 1')
    do('pick up plate 1')
    observation = world.observe()
    assert (observation.place, observation.room) == ('kitchen table 1', 'kitchen 1')
    assert observation.held == ('plate 1',)
    assert observation.outcome is Outcome.SUCCEEDED
    assert observation.skill == ''


def test_the_place_of_a_robot_that_took_what_it_went_to_is_what_that_was_on(
    world: HouseholdWorld, do: Do
) -> None:
    do('go to apple 2')
    assert world.observe().place == 'apple 2'
    do('pick up apple 2')
    assert world.observe().place == 'kitchen table 1'
    do('go to chair 1', 'pick up chair 1')
    assert world.observe().place == 'kitchen 1'
