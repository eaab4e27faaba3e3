"""The map that is made of depth: points, cells, frontiers and ways."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from sim_bridge.worlds.procworld.eyes import Eyes
from sim_bridge.worlds.procworld.oracle_map import OracleMap, points_of, straight_runs

SIDE = 201


def seen(eyes, wall=math.inf):
    """Depth of an endless floor, and of a wall across at greater z."""
    reach = math.tan(math.radians(eyes.field_of_view) / 2)
    across = ((np.arange(SIDE) + 0.5) / SIDE * 2 - 1) * reach
    right, up = np.meshgrid(across, -across)
    pitch, heading = math.radians(eyes.pitch), math.radians(eyes.heading)
    ahead = math.cos(pitch) + up * math.sin(pitch)
    rise = -math.sin(pitch) + up * math.cos(pitch)
    north = ahead * math.cos(heading) - right * math.sin(heading)
    with np.errstate(divide='ignore'):
        floor = np.where(rise < 0, -eyes.height / rise, np.inf)
        far = np.where(north > 0, (wall - eyes.at[1]) / north, np.inf)
    return np.minimum(np.minimum(floor, far), 20.0)


@pytest.mark.parametrize('heading', [0.0, 90.0, 180.0, 270.0, 30.0])
def test_points_of_a_floor_are_on_the_floor_ahead(heading):
    eyes = Eyes((3.0, -2.0), 1.5, heading, 40.0)
    points = points_of(seen(eyes), eyes)
    middle = points[SIDE - 1, SIDE // 2]
    assert np.allclose(points[SIDE // 2 :, :, 1], 0.0, atol=1e-6)
    assert math.degrees(math.atan2(middle[0] - 3.0, middle[2] + 2.0)) % 360.0 == pytest.approx(
        heading, abs=1.0
    )


def around(at, wall, reach=1.5):
    found = OracleMap(reach)
    for quarter in range(4):
        eyes = Eyes(at, 1.5, 90.0 * quarter, 40.0)
        found.take(points_of(seen(eyes, wall), eyes), at)
    found.stand((round(at[0] * 4), round(at[1] * 4)))
    return found


def test_floor_within_reach_is_free_and_a_wall_is_in_the_way():
    found = around((0.0, 0.0), wall=0.9)
    assert {(0, 0), (0, -5), (4, -3), (-4, 0)} <= found.free
    assert not any(z > 4 for _, z in found.free)
    assert {(0, 4), (2, 4), (-2, 4)} <= found.blocked
    assert all(math.hypot(x, z) <= 7.0 for x, z in found.free)


def test_frontiers_are_where_floor_ends_unseen_and_not_at_walls():
    found = around((0.0, 0.0), wall=0.9)
    frontiers = found.frontiers(found.reachable((0, 0)))
    assert len(frontiers) >= 4
    for one in frontiers:
        assert math.hypot(*one) > 4.0, 'at the rim of what is seen'
        assert one[1] < 4
    for one in frontiers:
        others = [other for other in frontiers if other != one]
        assert all(math.dist(one, other) >= 4 for other in others)
    assert frontiers == found.frontiers(found.reachable((0, 0)))


def room(*walls):
    """Seen whole: 11 x 11 cells, with something in the way."""
    found = OracleMap(9.0)
    cells = {(x, z) for x in range(11) for z in range(11)}
    found.blocked = set(walls)
    found.free = cells - found.blocked
    return found


def test_a_way_goes_round_and_keeps_clear_of_what_is_in_the_way():
    found = room(*((5, z) for z in range(8)))
    way = found.way((2, 2), (8, 2))
    assert way[0] == (2, 2) and way[-1] == (8, 2)
    assert all(cell in found.free for cell in way)
    assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in pairwise(way))
    assert (5, 9) in way, 'not along the end of the wall'
    assert found.way((2, 2), (20, 20)) == []


def test_where_it_bumped_it_does_not_go_again():
    found = room()
    assert (5, 0) in found.way((0, 0), (10, 0))
    found.bump((5, 0))
    way = found.way((0, 0), (10, 0))
    assert way and (5, 0) not in way


def test_a_way_is_walked_in_straight_parts():
    way = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1)]
    assert list(straight_runs(way)) == [
        (0.0, [(0, 1), (0, 2)]),
        (90.0, [(1, 2), (2, 2)]),
        (180.0, [(2, 1)]),
    ]
