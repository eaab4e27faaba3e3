"""What observations tell working memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactree_core.observation import ObjectFact, Observation
from reactree_core.working_memory import WorkingMemory
from sim_bridge.worlds.household import HouseholdWorld

Do = Callable[..., str]
Graph = dict[str, Any]


def facts(observation: Observation) -> dict[str, ObjectFact]:
    return {fact.name: fact for fact in observation.facts}


def test_a_look_around_tells_rooms_but_no_places(world: HouseholdWorld) -> None:
    seen = facts(world.observe())
    assert set(seen) == {
        'chair 1',
        'dishwasher 1',
        'fridge 1',
        'kitchen counter 1',
        'kitchen table 1',
        'microwave oven 1',
        'sink 1',
    }
    assert {fact.room for fact in seen.values()} == {'kitchen 1'}
    assert {fact.receptacle for fact in seen.values()} == {''}


def test_states_are_told(world: HouseholdWorld, do: Do) -> None:
    seen = facts(world.observe())
    assert seen['fridge 1'].state == 'closed'
    assert seen['microwave oven 1'].state == 'open'
    assert seen['kitchen table 1'].state == ''
    do('go to dishwasher 1', 'turn on dishwasher 1')
    assert facts(world.step('open dishwasher 1'))['dishwasher 1'].state == 'open, on'


def test_what_is_close_on_arrival_is_at_what_one_went_to(world: HouseholdWorld) -> None:
    observation = world.step('go to kitchen table 1')
    seen = facts(observation)
    assert seen['apple 2'].receptacle == seen['chair 1'].receptacle == 'kitchen table 1'
    assert seen['kitchen table 1'].receptacle == ''


def test_what_is_close_to_a_thing_one_can_carry_is_at_what_that_is_on(
    world: HouseholdWorld,
) -> None:
    seen = facts(world.step('go to apple 2'))
    assert seen['apple 2'].receptacle == seen['plate 1'].receptacle == 'kitchen table 1'
    assert seen['kitchen table 1'].receptacle == ''


def test_opening_tells_what_is_in_it(world: HouseholdWorld) -> None:
    assert 'apple 1' not in facts(world.step('go to fridge 1'))
    seen = facts(world.step('open fridge 1'))
    assert seen['apple 1'].receptacle == 'fridge 1'


def test_opening_something_near_tells_only_what_is_in_reach_of_it(world: HouseholdWorld) -> None:
    # The fridge is close to the dishwasher, and so is the counter, but not to the fridge.
    world.step('go to dishwasher 1')
    seen = facts(world.step('open fridge 1'))
    assert seen['apple 1'].receptacle == 'fridge 1'
    assert seen['kitchen counter 1'].receptacle == 'dishwasher 1'


def test_what_is_held_is_at_the_agent_in_every_room(world: HouseholdWorld, do: Do) -> None:
    do('go to kitchen table 1')
    taken = facts(world.step('pick up apple 2'))['apple 2']
    assert (taken.room, taken.receptacle) == ('kitchen 1', 'agent 1')
    moved = facts(world.step('go to living room 1'))['apple 2']
    assert (moved.room, moved.receptacle) == ('living room 1', 'agent 1')


def test_what_is_held_stays_at_the_agent_whatever_is_done_with_it(home: Graph) -> None:
    world = HouseholdWorld(classes='properties')
    home['nodes'].append(
        {
            'id': 50,
            'class_name': 'candle',
            'properties': ['GRABBABLE', 'HAS_SWITCH'],
            'states': ['OFF'],
        }
    )
    home['edges'].append({'from_id': 50, 'to_id': 20, 'relation_type': 'ON'})
    world.reset_to(home)
    for skill in ('go to kitchen table 1', 'pick up candle 1'):
        assert world.step(skill).succeeded
    seen = facts(world.step('turn on candle 1'))
    assert (seen['candle 1'].receptacle, seen['candle 1'].state) == ('agent 1', 'on')


def test_what_is_put_down_is_at_its_receptacle_with_all_on_it(
    world: HouseholdWorld, do: Do
) -> None:
    do('go to kitchen table 1', 'pick up plate 1', 'go to kitchen counter 1')
    seen = facts(world.step('put down plate 1'))
    assert seen['plate 1'].receptacle == seen['cutlery fork 1'].receptacle == 'kitchen counter 1'


def test_places_whose_whole_content_shows_are_named(world: HouseholdWorld) -> None:
    assert world.observe().looked_at == ()
    assert world.step('go to kitchen table 1').looked_at == ('chair 1', 'kitchen table 1')
    assert 'fridge 1' not in world.step('go to fridge 1').looked_at
    assert 'fridge 1' in world.step('open fridge 1').looked_at
    assert 'microwave oven 1' in world.step('go to microwave oven 1').looked_at


def test_what_memory_recalls_can_be_fetched(world: HouseholdWorld, do: Do) -> None:
    memory = WorkingMemory()
    memory.update(world.observe())
    for skill in (
        'go to kitchen table 1',
        'go to fridge 1',
        'open fridge 1',
        'go to living room 1',
        'go to coffee table 1',
    ):
        memory.update(world.step(skill))
    assert memory.recall('apple') == (
        'You saw apple 2 near kitchen table 1 in kitchen 1. '
        'You saw apple 1 near fridge 1 in kitchen 1. '
        'You saw apple 3 near coffee table 1 in living room 1.'
    )
    for name in ('apple 1', 'apple 2', 'apple 3'):
        fact = memory.fact(name)
        assert fact is not None
        do(f'go to {fact.room}', f'go to {fact.receptacle}')
        do(f'pick up {name}', f'put down {name}')
