"""What is offered: admissible skills and the wider published set."""

from __future__ import annotations

from collections.abc import Callable

from sim_bridge.worlds.household import HouseholdWorld

Do = Callable[..., str]


def test_in_the_middle_of_a_room_one_can_go_anywhere_else(world: HouseholdWorld) -> None:
    assert world.admissible_skills() == (
        'go to apple 2',
        'go to chair 1',
        'go to cutlery fork 1',
        'go to dishwasher 1',
        'go to fridge 1',
        'go to kitchen counter 1',
        'go to kitchen table 1',
        'go to living room 1',
        'go to microwave oven 1',
        'go to plate 1',
        'go to sink 1',
        'go to slice of bread 1',
    )


def test_at_a_thing_one_can_go_back_to_the_middle_of_its_room(
    world: HouseholdWorld, do: Do
) -> None:
    do('go to fridge 1')
    assert 'go to kitchen 1' in world.admissible_skills()
    assert 'go to fridge 1' not in world.admissible_skills()


def test_doors_and_switches_are_offered_as_they_stand(world: HouseholdWorld, do: Do) -> None:
    do('go to dishwasher 1')
    assert {'open dishwasher 1', 'turn on dishwasher 1', 'open fridge 1'} <= set(
        world.admissible_skills()
    )
    do('open dishwasher 1', 'turn on dishwasher 1')
    offered = set(world.admissible_skills())
    assert 'close dishwasher 1' in offered
    assert {'open dishwasher 1', 'turn on dishwasher 1'}.isdisjoint(offered)


def test_putting_down_is_offered_where_it_works(world: HouseholdWorld, do: Do) -> None:
    do('go to kitchen table 1', 'pick up apple 2')
    assert 'put down apple 2' in world.admissible_skills()
    do('go to fridge 1')
    assert 'put down apple 2' not in world.admissible_skills()
    do('open fridge 1')
    assert 'put down apple 2' in world.admissible_skills()
    do('go to kitchen 1')
    assert 'put down apple 2' not in world.admissible_skills()


def test_with_full_hands_only_walking_and_putting_down_are_offered(
    world: HouseholdWorld, do: Do
) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'pick up plate 1')
    rest = [skill for skill in world.admissible_skills() if not skill.startswith('go to')]
    assert rest == ['put down apple 2', 'put down plate 1']


def test_the_wider_set_offers_every_skill_of_everything_visible(world: HouseholdWorld) -> None:
    offered = world.candidate_skills()
    assert {
        'go to kitchen 1',
        'pick up apple 2',
        'put down apple 2',
        'open fridge 1',
        'close fridge 1',
        'turn on fridge 1',
        'turn on microwave oven 1',
        'pick up chair 1',
    } <= set(offered)
    assert 'pick up fridge 1' not in offered
    assert 'open sink 1' not in offered
    assert not any('apple 1' in skill or 'apple 3' in skill for skill in offered)


def test_the_wider_set_covers_what_is_held(world: HouseholdWorld, do: Do) -> None:
    do('go to kitchen table 1', 'pick up apple 2', 'go to living room 1')
    assert 'put down apple 2' in world.candidate_skills()


def test_lists_are_sorted_without_doubles_and_the_one_is_in_the_other(
    world: HouseholdWorld, do: Do
) -> None:
    for skill in ('go to kitchen table 1', 'pick up plate 1', 'go to fridge 1', 'open fridge 1'):
        do(skill)
        admissible, candidates = world.admissible_skills(), world.candidate_skills()
        assert list(admissible) == sorted(set(admissible))
        assert list(candidates) == sorted(set(candidates))
        assert set(admissible) <= set(candidates)


def test_asking_changes_nothing(world: HouseholdWorld, do: Do) -> None:
    do('go to fridge 1')
    before = world.graph()
    for _ in range(2):
        assert world.admissible_skills() == world.observe().admissible_skills
        world.candidate_skills()
        world.vocabulary()
        world.progress()
    assert world.graph() == before


def test_the_vocabulary_names_what_the_home_has(world: HouseholdWorld) -> None:
    vocabulary = world.vocabulary()
    assert vocabulary.templates == (
        'go to <room>',
        'go to <object>',
        'pick up <object>',
        'put down <object>',
        'open <object>',
        'close <object>',
        'turn on <object>',
    )
    assert vocabulary.rooms == ('kitchen 1', 'living room 1')
    assert {'apple', 'cutlery fork', 'pudding', 'Chinese food'} <= set(vocabulary.object_classes)
    assert {'fridge', 'kitchen table', 'light switch'} <= set(vocabulary.place_classes)
    assert not set(vocabulary.object_classes) & set(vocabulary.place_classes)
