"""Where things are in pictures: the projection, for any camera."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sim_bridge.worlds.procworld.eyes import (
    Eyes,
    is_hidden,
    markers,
    place,
    QUARTERS,
    rooms_in_sight,
    walls_of,
)
from sim_bridge.worlds.procworld.generator import generated_house
from sim_bridge.worlds.procworld.house import House, Location, Room
from sim_bridge.worlds.procworld.layout import Layout

metres = st.floats(-20.0, 20.0)
points = st.tuples(metres, metres)
headings = st.floats(0.0, 359.0)
cameras = st.builds(
    Eyes, points, st.floats(0.5, 2.0), headings, st.floats(-30.0, 60.0), st.floats(40.0, 120.0)
)
SIDE = 300


def ahead_of(eyes, away, turned=0.0):
    """A point some metres away, so many degrees to the right."""
    angle = math.radians(eyes.heading + turned)
    return eyes.at[0] + away * math.sin(angle), eyes.at[1] + away * math.cos(angle)


@given(cameras, st.floats(0.5, 10.0), st.floats(0.0, 2.5))
def test_what_is_straight_ahead_is_in_the_middle(eyes, away, high):
    assume(eyes.depth(ahead_of(eyes, away), high) > 0.05)
    column, _ = eyes.pixel(ahead_of(eyes, away), high, SIDE, SIDE)
    assert column == pytest.approx(SIDE / 2, abs=1e-3)


@given(cameras, st.floats(0.5, 10.0), st.integers(0, QUARTERS - 1))
def test_each_quarter_has_what_is_ahead_of_it_and_the_opposite_one_what_is_behind(
    eyes, away, number
):
    view = eyes.turned(number)
    assert view.faces(ahead_of(eyes, away, 90.0 * number))
    behind = ahead_of(view, -away)
    assert not view.faces(behind) and view.turned(2).faces(behind)
    # To the right is right of the middle.
    aside = ahead_of(view, away, 20.0)
    column, _ = view.pixel(aside, view.height, SIDE, SIDE)
    assert column > SIDE / 2


@given(cameras, st.floats(0.5, 10.0), st.floats(-44.9, 44.9), st.integers(0, QUARTERS - 1))
def test_every_direction_is_in_one_view(eyes, away, aside, number):
    point = ahead_of(eyes, away, 90.0 * number + aside)
    views = [eyes.turned(one) for one in range(QUARTERS)]
    assert [one.faces(point) for one in views] == [one == number for one in range(QUARTERS)]


@given(headings, points, st.floats(0.5, 10.0), st.floats(-44.0, 44.0))
def test_what_a_level_camera_faces_is_in_its_picture(heading, at, away, aside):
    eyes = Eyes(at, heading=heading)
    column, row = eyes.pixel(ahead_of(eyes, away, aside), eyes.height, SIDE, SIDE)
    assert 0.0 <= column <= SIDE and row == pytest.approx(SIDE / 2)
    # 90 degrees: half the picture for a metre to the side, one metre ahead.
    assert column == pytest.approx(SIDE / 2 * (1 + math.tan(math.radians(aside))), abs=1e-3)


@given(cameras, st.floats(0.5, 10.0), st.floats(-40.0, 40.0))
def test_a_point_of_the_floor_is_found_again_from_its_pixel(eyes, away, aside):
    point = ahead_of(eyes, away, aside)
    assume(eyes.depth(point, 0.0) > 0.05)
    column, row = eyes.pixel(point, 0.0, SIDE, SIDE)
    right, low = ((value - SIDE / 2) / eyes.focus(SIDE) for value in (column, row))
    pitch, heading = math.radians(eyes.pitch), math.radians(eyes.heading)
    # The ray through the pixel, down to the floor.
    ahead, down = (
        math.cos(pitch) - low * math.sin(pitch),
        math.sin(pitch) + low * math.cos(pitch),
    )
    far = eyes.height / down
    found = (
        eyes.at[0] + far * (right * math.cos(heading) + ahead * math.sin(heading)),
        eyes.at[1] + far * (ahead * math.cos(heading) - right * math.sin(heading)),
    )
    assert found == pytest.approx(point, abs=1e-3)


def test_looking_down_moves_things_up():
    eyes = Eyes((0.0, 0.0))
    level = eyes.pixel((0.0, 3.0), 0.0, SIDE, SIDE)
    down = Eyes((0.0, 0.0), pitch=30.0).pixel((0.0, 3.0), 0.0, SIDE, SIDE)
    assert down[1] < level[1] and eyes.pixel((0.0, -1.0), 0.0, SIDE, SIDE) is None
    # Nearer by half: twice as far below the horizon.
    near = eyes.pixel((0.0, 1.5), 0.0, SIDE, SIDE)
    assert near[1] - SIDE / 2 == pytest.approx(2 * (level[1] - SIDE / 2))


#: A room around a corner: from its south-east end one does not see its north-west end.
CORNER = House(
    0,
    (Room('hall 1', ((0.0, 0.0), (6.0, 0.0), (6.0, 2.0), (2.0, 2.0), (2.0, 6.0), (0.0, 6.0))),),
    (),
    (),
    (
        Location('loc 1', (5.0, 1.0), 'hall 1'),
        Location('loc 2', (1.0, 1.0), 'hall 1'),
        Location('loc 3', (1.0, 5.0), 'hall 1'),
    ),
    'loc 1',
)


def test_markers_are_placed_in_one_view_each_and_not_through_walls():
    walls = walls_of(CORNER, ['hall 1'])
    one, two, three = (spot.at for spot in CORNER.locations)
    assert is_hidden(walls, one, three) and not is_hidden(walls, one, two)
    marks = [*markers(CORNER, {'loc 2', 'loc 3'})]
    seen = [
        [each.mark.label for each in place(Eyes(one).turned(number), marks, walls, SIDE, SIDE)]
        for number in range(QUARTERS)
    ]
    assert seen == [[], [], [], ['loc 2']]
    assert [each.mark.label for each in place(Eyes(two), marks, walls, SIDE, SIDE)] == ['loc 3']


def test_a_wall_between_two_rooms_that_are_open_to_a_third_is_seen():
    house = generated_house(5)
    assert {*house.openings} == {('kitchen 1', 'livingroom 1'), ('kitchen 1', 'livingroom 2')}
    walls = walls_of(house, rooms_in_sight(house, 'livingroom 1'))
    door = next(one for one in house.doors if {*one.rooms} == {'livingroom 1', 'livingroom 2'})
    assert any(door.at in wall for wall in walls)
    loc6, loc7, loc12, loc1 = (house.location[f'loc {number}'].at for number in (6, 7, 12, 1))
    # A metre and a half away, beyond the wall; in the kitchen nothing is in the way.
    assert is_hidden(walls, loc6, loc12) and not is_hidden(walls, loc7, loc1)
    near = Layout(house, 2.0).near
    assert 'loc 12' not in near(loc6, 'livingroom 1') and 'loc 1' in near(loc7, 'livingroom 1')


@given(st.integers(0, 20), st.integers(0, 10**6))
def test_what_a_wall_hides_one_way_it_hides_the_other_way(seed, choice):
    house = generated_house(seed)
    room = house.rooms[choice % len(house.rooms)]
    spots = [one.at for one in house.locations if one.room == room.name]
    walls = walls_of(house, [room.name])
    for spot in spots:
        assert is_hidden(walls, spot, spots[0]) == is_hidden(walls, spots[0], spot)
