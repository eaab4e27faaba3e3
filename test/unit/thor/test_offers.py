"""What is offered, by the program's flags and by the published classes; facts."""

from __future__ import annotations

from sim_bridge.worlds.thor.names import Names
from sim_bridge.worlds.thor.offers import admissible_skills, candidate_skills, facts
from sim_bridge.worlds.thor.skills import Robot
from sim_bridge.worlds.thor.texts import Texts
from support.small_kitchen import metadata, SmallClient, thing

APPLE, KNIFE, FRIDGE, SHELF, LAMP = 'Apple|1', 'Knife|1', 'Fridge|1', 'Shelf|1', 'DeskLamp|1'


def offered(held='', receptacle='', seen=(APPLE, FRIDGE, LAMP), **more):
    told = metadata(
        thing('Apple_1', objectId=APPLE, visible=True, pickupable=True, sliceable=True,
              parentReceptacles=[FRIDGE]),
        thing('Knife_1', objectId=KNIFE, visible=True, pickupable=True),
        thing('Fridge_1', objectId=FRIDGE, visible=True, receptacle=True, openable=True, **more),
        thing('Shelf_1', objectId=SHELF, receptacle=True),
        thing('DeskLamp_1', objectId=LAMP, visible=True, toggleable=True),
        held=held,
    )  # fmt: skip
    names = Names()
    robot = Robot(SmallClient(told), names, Texts('plain', names), told, [])
    robot.receptacle, robot.seen = receptacle, seen
    return robot, names, admissible_skills(robot, names)


def test_what_the_flags_allow_is_offered():
    _, _, skills = offered()
    assert skills == (
        'go to Shelf (1)', 'go to Fridge (1)', 'go to DeskLamp (1)', 'go to Apple (1)',
        'pick up Knife (1)', 'open Fridge (1)', 'turn on DeskLamp (1)', 'pick up Apple (1)',
    )  # fmt: skip
    # Of what the last text did not tell, nothing is gone to but places.
    assert [text for text in offered(seen=())[2] if text.startswith('go to ')] == [
        'go to Shelf (1)', 'go to Fridge (1)',
    ]  # fmt: skip


def test_a_hand_that_is_full_puts_down_where_it_can_be_and_a_knife_slices():
    _, _, skills = offered(held=KNIFE)
    assert 'slice Apple (1)' in skills and not [one for one in skills if 'Knife' in one]
    assert not [one for one in skills if one.startswith(('pick up', 'put down'))]
    assert 'put down Knife (1)' not in offered(held=KNIFE, receptacle=FRIDGE)[2]
    assert 'put down Knife (1)' in offered(held=KNIFE, receptacle=FRIDGE, isOpen=True)[2]
    assert 'put down Knife (1)' in offered(held=KNIFE, receptacle=SHELF)[2]
    assert 'put down Knife (1)' not in offered(held=KNIFE, receptacle=LAMP)[2]


def test_candidates_go_by_classes_whatever_can_succeed():
    robot, names, _ = offered(held=KNIFE)
    robot.seen = (APPLE, LAMP)
    assert candidate_skills(robot, names) == (
        'go to Shelf (1)', 'go to Fridge (1)', 'go to DeskLamp (1)', 'turn on DeskLamp (1)',
        'turn off DeskLamp (1)', 'go to Apple (1)', 'pick up Apple (1)', 'put down Knife (1)',
        'slice Apple (1)',
    )  # fmt: skip
    robot.seen = ()
    assert candidate_skills(robot, names) == ('go to Shelf (1)', 'go to Fridge (1)')


def test_facts_tell_where_visible_things_lie_and_how_they_are():
    robot, names, _ = offered(held=KNIFE, isOpen=True)
    robot.treated.cold.add(APPLE)
    told = {fact.name: fact for fact in facts(robot, names, 'kitchen 1')}
    assert set(told) == {'Apple 1', 'Knife 1', 'Fridge 1', 'DeskLamp 1'}
    assert told['Apple 1'].receptacle == 'Fridge 1' and told['Apple 1'].state == 'cold'
    assert told['Apple 1'].room == 'kitchen 1'
    assert told['Knife 1'].receptacle == 'agent 1'
    assert told['Fridge 1'].state == 'open' and told['DeskLamp 1'].state == 'off'
