"""A house as a ProcTHOR record: read again it is the same house, as far as such records tell."""

from __future__ import annotations

import pytest

from sim_bridge.worlds.procworld.generator import generated_house
from sim_bridge.worlds.procworld.procthor_house import procthor_house
from sim_bridge.worlds.procworld.procthor_writing import passages_of, procthor_of
from sim_bridge.worlds.thor.stand_in.houses import house_scene


@pytest.mark.parametrize('seed', [1, 3, 8])
def test_a_house_that_is_written_is_read_with_its_rooms_doors_and_things(seed):
    house = generated_house(seed)
    record, ids = procthor_of(house)
    again = procthor_house(record)
    assert again.rooms == house.rooms
    assert {door.at for door in again.doors} >= {door.at for door in house.doors}
    assert ids.keys() == house.thing.keys() and len({*ids.values()}) == len(ids)
    outermost = {(one.thing_class, one.at) for one in house.things if one.at}
    assert {(one.thing_class, one.at) for one in again.things if one.at} == outermost
    scene = house_scene(record)
    assert {thing.object_id for thing in scene.things} == {*ids.values()}
    mine = {thing.object_id: thing.parent for thing in scene.things}
    for one in house.things:
        assert mine[ids[one.name]] == ids.get(one.container, '')


def test_the_robot_of_the_stand_in_gets_from_room_to_room():
    house = generated_house(3)
    points = {(x, z) for x, z in house_scene(procthor_of(house)[0]).reachable}
    for at, rooms in passages_of(house):
        assert at in points, rooms
