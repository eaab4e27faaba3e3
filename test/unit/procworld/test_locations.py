"""Frontier locations: they hang together, and from them all of a room is seen."""

from __future__ import annotations

from math import dist

from hypothesis import given, settings, strategies

from sim_bridge.worlds.procworld.generator import generated_house
from sim_bridge.worlds.procworld.ground import inner_points, largest_part, squared
from sim_bridge.worlds.procworld.locations import frontier_locations, joined, REACH

REACH_METRES = 1.5


def connected(points, reach):
    points = list(points)
    reached, edge = {points[0]}, [points[0]]
    while edge:
        here = edge.pop()
        beside = {point for point in points if dist(point, here) <= reach} - reached
        reached |= beside
        edge += beside
    return len(reached) == len(set(points))


@settings(max_examples=8, deadline=None)
@given(strategies.integers(0, 10**9))
def test_locations_of_a_house_hang_together_and_show_everything(seed):
    house = generated_house(seed)
    for rooms in joined([room.name for room in house.rooms], house.openings):
        places = [location.at for location in house.locations if location.room in rooms]
        assert connected(places, REACH_METRES)
        for thing in house.things:
            if thing.at and thing.room in rooms:
                assert min(dist(thing.at, place) for place in places) <= REACH_METRES
    assert [location.name for location in house.locations] == [
        f'loc {number}' for number in range(1, len(house.locations) + 1)
    ]
    assert house.start in house.location


@settings(max_examples=8, deadline=None)
@given(strategies.integers(0, 10**9))
def test_both_sides_of_a_door_have_a_location_near_it(seed):
    house = generated_house(seed)
    for door in house.doors:
        for room in door.rooms:
            away = [dist(door.at, one.at) for one in house.locations if one.room == room]
            assert not away or min(away) <= 2.5


#: Floors of one to three rectangles that begin at one corner: they hang together.
floors = strategies.lists(
    strategies.tuples(strategies.integers(2, 30), strategies.integers(2, 30)),
    min_size=1,
    max_size=3,
).map(lambda sides: {(x, z) for wide, deep in sides for x in range(wide) for z in range(deep)})


@settings(max_examples=60, deadline=None)
@given(floors, strategies.data())
def test_any_floor_is_covered(floor, data):
    free = largest_part(inner_points(floor))
    things = data.draw(strategies.sets(strategies.sampled_from(sorted(free)), max_size=5))
    chosen = frontier_locations(free, things, floor)
    assert len(chosen) == len(set(chosen)) and set(chosen) <= free
    assert connected(chosen, REACH**0.5)
    for point in free | things:
        assert min(squared(point, place) for place in chosen) <= REACH


def test_locations_of_a_hall_are_a_reach_apart():
    floor = {(x, z) for x in range(32) for z in range(24)}
    chosen = frontier_locations(inner_points(floor), (), floor)
    nearest = [min(dist(one, other) for other in chosen if other != one) / 4 for one in chosen]
    assert 12 <= len(chosen) <= 24
    assert min(nearest) >= 1.0 and max(nearest) <= REACH_METRES
    assert sum(nearest) / len(nearest) >= 1.3


def test_openings_join_rooms():
    rooms = ['kitchen 1', 'kitchen 2', 'livingroom 1', 'bedroom 1']
    assert joined(rooms, [('kitchen 2', 'livingroom 1')]) == [
        ['kitchen 1'],
        ['kitchen 2', 'livingroom 1'],
        ['bedroom 1'],
    ]
    assert joined(rooms, [('kitchen 2', 'livingroom 1'), ('kitchen 1', 'livingroom 1')]) == [
        ['kitchen 1', 'kitchen 2', 'livingroom 1'],
        ['bedroom 1'],
    ]
