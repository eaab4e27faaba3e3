"""Every check, its sentence, and the order of checks; what fails changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reactree_core.observation import Outcome
from sim_bridge.worlds.household import HouseholdWorld

Do = Callable[..., str]


@pytest.fixture
def fails(world: HouseholdWorld) -> Callable[[str], str]:
    """Do a skill that must fail a check and change nothing; its text."""

    def fails(skill: str) -> str:
        before, offered = world.graph(), world.admissible_skills()
        observation = world.step(skill)
        assert observation.outcome is Outcome.PRECONDITION_FAILED
        assert skill not in offered
        assert world.graph() == before
        assert world.admissible_skills() == offered == observation.admissible_skills
        assert observation.facts == () and observation.looked_at == ()
        return observation.text

    return fails


Fails = Callable[[str], str]


def test_a_third_thing_cannot_be_picked_up(do: Do, fails: Fails) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'pick up plate 1')
    assert fails('pick up chair 1') == (
        'You do not have an empty hand. You hold apple (2), plate (1).'
    )


def test_a_thing_out_of_reach_cannot_be_picked_up(do: Do, fails: Fails) -> None:
    do('go to fridge 1')
    assert fails('pick up apple 2') == 'The apple is not close to you.'


def test_nothing_can_be_picked_up_from_the_middle_of_a_room(fails: Fails) -> None:
    assert fails('pick up apple 2') == 'The apple is not close to you.'


def test_a_thing_in_a_shut_container_cannot_be_picked_up(do: Do, fails: Fails) -> None:
    do('go to fridge 1', 'open fridge 1', 'close fridge 1')
    assert fails('pick up apple 1') == 'The apple is inside closed fridge.'


def test_the_sentence_about_a_shut_container_has_its_class_of_the_simulator(
    do: Do, fails: Fails
) -> None:
    do('go to microwave oven 1', 'close microwave oven 1')
    assert fails('pick up slice of bread 1') == 'The slice of bread is inside closed microwave.'


def test_furniture_cannot_be_grabbed(do: Do, fails: Fails) -> None:
    do('go to fridge 1')
    assert fails('pick up fridge 1') == 'The fridge cannot be grabbed.'


def test_what_is_held_can_be_picked_up_as_published_and_nothing_changes(
    world: HouseholdWorld, do: Do
) -> None:
    do('go to kitchen table 1', 'pick up apple 2')
    before = world.graph()
    assert 'pick up apple 2' not in world.admissible_skills()
    assert do('pick up apple 2') == 'You pick up apple. You hold apple (2).'
    assert world.graph() == before


def test_full_hands_come_before_distance(do: Do, fails: Fails) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'pick up plate 1', 'go to fridge 1')
    assert fails('pick up chair 1').startswith('You do not have an empty hand.')


def test_distance_comes_before_what_can_be_grabbed(fails: Fails) -> None:
    assert fails('pick up fridge 1') == 'The fridge is not close to you.'


def test_only_what_is_held_can_be_put_down(do: Do, fails: Fails) -> None:
    do('go to kitchen table 1')
    assert fails('put down apple 2') == 'You do not grab the apple.'


def test_without_a_receptacle_a_thing_is_put_on_itself_and_fails(do: Do, fails: Fails) -> None:
    do('go to apple 2', 'pick up apple 2')
    assert fails('put down apple 2') == (
        'The apple cannot be put down on apple. You hold apple (2).'
    )


def test_the_receptacle_must_be_close(do: Do, fails: Fails) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'go to dishwasher 1', 'go to living room 1')
    assert fails('put down apple 2') == 'The dishwasher is not close to you. You hold apple (2).'


def test_the_receptacle_outlasts_other_walks(do: Do) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'go to living room 1', 'go to kitchen 1')
    do('go to cutlery fork 1')
    assert do('put down apple 2') == 'You put down apple on kitchen table'


def test_a_shut_container_takes_nothing(do: Do, fails: Fails) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'go to fridge 1')
    assert fails('put down apple 2') == 'The fridge is closed. You hold apple (2).'


def test_a_container_of_the_lists_without_the_property_takes_nothing(
    make_home: Callable[..., dict[str, Any]],
) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0),
        (20, 'stove', '', 10, 0),
        (30, 'apple', 'on 20', 10, 0),
        (21, 'towelrack', '', 10, 0),
        character=10,
    )
    graph['nodes'][-2]['properties'] = []
    world = HouseholdWorld()
    world.reset_to(graph)
    for skill in ('go to stove 1', 'pick up apple 1'):
        assert world.step(skill).succeeded
    assert world.step('put down apple 1').text.startswith('The apple cannot be put down in stove.')
    world.step('go to towel rack 1')
    assert world.step('put down apple 1').text.startswith(
        'The apple cannot be put down on towel rack.'
    )


def test_the_closed_receptacle_is_told_after_the_distance(do: Do, fails: Fails) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'go to fridge 1', 'go to kitchen table 1')
    do('go to living room 1', 'go to kitchen 1')
    assert fails('put down apple 2').startswith('The kitchen table is not close to you.')


def test_a_thing_is_not_put_on_itself_or_on_what_lies_on_it(do: Do, fails: Fails) -> None:
    do('go to plate 1', 'pick up plate 1')
    assert fails('put down plate 1').startswith('The plate cannot be put down on plate.')


def test_nothing_is_put_on_something_held(do: Do, fails: Fails) -> None:
    do('go to apple 2', 'pick up apple 2', 'go to plate 1', 'pick up plate 1')
    assert fails('put down apple 2').startswith('The apple cannot be put down on plate.')


@pytest.mark.parametrize('verb', ['open', 'close', 'turn on'])
def test_doors_and_switches_need_a_free_hand(do: Do, fails: Fails, verb: str) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'pick up plate 1', 'go to dishwasher 1')
    assert fails(f'{verb} dishwasher 1').startswith('You do not have an empty hand.')


@pytest.mark.parametrize('verb', ['open', 'close', 'turn on'])
def test_doors_and_switches_must_be_close(fails: Fails, verb: str) -> None:
    assert fails(f'{verb} dishwasher 1').startswith('The dishwasher is not close to you.')


@pytest.mark.parametrize('verb', ['open', 'close'])
def test_what_has_no_door_cannot_be_opened(do: Do, fails: Fails, verb: str) -> None:
    do('go to sink 1')
    assert fails(f'{verb} sink 1').startswith('The sink cannot be opened')


def test_what_is_open_is_not_opened_again_but_tells_what_is_close(do: Do, fails: Fails) -> None:
    do('go to fridge 1', 'open fridge 1')
    assert fails('open fridge 1') == (
        'The fridge is already open. You see apple (1), dishwasher (1), fridge (1), juice (1)'
    )


def test_a_failed_open_tells_what_is_close_even_when_that_is_nothing(fails: Fails) -> None:
    assert fails('open fridge 1') == 'The fridge is not close to you. You see nothing'


def test_what_is_closed_is_not_closed_again(do: Do, fails: Fails) -> None:
    do('go to fridge 1')
    assert fails('close fridge 1') == 'The fridge is already closed.'


def test_what_has_no_switch_is_not_turned_on(do: Do, fails: Fails) -> None:
    do('go to kitchen table 1')
    assert fails('turn on kitchen table 1') == 'The kitchen table does not have a switch'


def test_what_is_on_is_not_turned_on_again(do: Do, fails: Fails) -> None:
    do('go to dishwasher 1', 'turn on dishwasher 1')
    assert fails('turn on dishwasher 1') == 'The dishwasher is already turned on.'


def test_movement_goes_over_any_distance(do: Do) -> None:
    do('go to living room 1', 'go to light switch 1', 'go to kitchen 1', 'go to living room 1')
    assert do('go to apple 3').startswith('You arrive at the apple (3).')


def test_going_where_one_is_changes_nothing_but_succeeds(world: HouseholdWorld, do: Do) -> None:
    do('go to fridge 1')
    before = world.graph()
    do('go to fridge 1')
    assert world.graph() == before


def test_injected_failures_leave_the_world_as_it_was(home: dict[str, Any]) -> None:
    world = HouseholdWorld(failure_rate=1.0)
    world.reset_to(home)
    world.step('go to fridge 1')
    before = world.graph()
    observation = world.step('open fridge 1')
    assert observation.outcome is Outcome.EXECUTION_FAILED
    assert observation.text == 'You fail to open fridge.'
    assert world.graph() == before
    world.step('go to kitchen table 1')
    assert world.step('pick up apple 2').outcome is Outcome.EXECUTION_FAILED
    assert world.step('turn on light switch 1').outcome is not Outcome.EXECUTION_FAILED


def test_injected_failures_come_from_the_seed(home: dict[str, Any]) -> None:
    def outcomes(seed: int) -> list[Outcome]:
        world = HouseholdWorld(failure_rate=0.5)
        world.reset_to(home, seed=seed)
        world.step('go to kitchen table 1')
        answers = []
        for _ in range(20):
            answers.append(world.step('pick up apple 2').outcome)
            answers.append(world.step('put down apple 2').outcome)
        return answers

    assert outcomes(1) == outcomes(1)
    assert outcomes(1) != outcomes(2)
    assert {Outcome.SUCCEEDED, Outcome.EXECUTION_FAILED} <= set(outcomes(1))


def test_a_check_that_fails_comes_before_an_injected_failure(home: dict[str, Any]) -> None:
    world = HouseholdWorld(failure_rate=1.0)
    world.reset_to(home)
    assert world.step('open fridge 1').outcome is Outcome.PRECONDITION_FAILED
