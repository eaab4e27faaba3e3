"""A map from above, made of what a program renders: depth, and which thing each pixel shows.

    pixels with depth -> points in space -> cells: floor was seen there, or something is in the way

The points where what was seen ends, and floor goes on, are the frontiers (ProcWorld, appendix C.2:
oracle depth and segmentation, mapped onto a 2-D map, with frontiers that change as it grows).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from sim_bridge.worlds.procworld.eyes import Eyes
from sim_bridge.worlds.procworld.ground import squared, Step, STEPS_A_METRE

#: Metres above the floor between which something is in the way.
_STEPPED_OVER, _WALKED_UNDER = 0.1, 1.6
#: Points in a cell that make something of it: a single one may be the edge of two.
_LEAST = 3
#: Steps around the robot that it stands on without seeing them, and between two frontiers.
_BENEATH, _APART = 2, 4
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def points_of(depth: Any, eyes: Eyes) -> Any:
    """Where the pixels of a square picture are: height x width x (x, y, z), in metres.

    :param depth: metres along the camera's axis. :param eyes: what took it.
    """
    side = depth.shape[0]
    reach = math.tan(math.radians(eyes.field_of_view) / 2)
    across = ((np.arange(side) + 0.5) / side * 2 - 1) * reach
    right, up = depth * across[None, :], depth * -across[:, None]
    pitch, heading = math.radians(eyes.pitch), math.radians(eyes.heading)
    ahead = depth * math.cos(pitch) + up * math.sin(pitch)
    height = eyes.height - depth * math.sin(pitch) + up * math.cos(pitch)
    x = eyes.at[0] + ahead * math.sin(heading) + right * math.cos(heading)
    z = eyes.at[1] + ahead * math.cos(heading) - right * math.sin(heading)
    return np.stack((x, height, z), axis=2)


class OracleMap:
    """Cells of a quarter of a metre, named by their middles, as far as they were seen.

    :param reach: metres around the robot within which it sees.
    """

    def __init__(self, reach: float) -> None:
        self._reach = reach
        self.free: set[Step] = set()
        self.blocked: set[Step] = set()
        #: Ways through doors, which pictures need not show.
        self._passages: set[Step] = set()

    def stand(self, cell: Step) -> None:
        """Know that the robot stands somewhere: there is floor beneath it, and nothing else."""
        self.blocked.discard(cell)
        self.free.add(cell)
        x, z = cell
        for dx in range(-_BENEATH, _BENEATH + 1):
            for dz in range(-_BENEATH, _BENEATH + 1):
                near = (x + dx, z + dz)
                if dx * dx + dz * dz <= _BENEATH**2 and near not in self.blocked:
                    self.free.add(near)

    def bump(self, cell: Step) -> None:
        """Know that the robot cannot get somewhere, whatever was seen there."""
        self._passages.discard(cell)
        self.free.discard(cell)
        self.blocked.add(cell)

    def open(self, cells: Iterable[Step]) -> None:
        """Know a way through a door."""
        self._passages.update(cells)
        self.blocked -= self._passages
        self.free |= self._passages

    def take(self, points: Any, at: tuple[float, float]) -> None:
        """Take in what a picture shows. :param points: of `points_of`. :param at: of the robot."""
        x, height, z = (points[..., axis].ravel() for axis in range(3))
        near = np.hypot(x - at[0], z - at[1]) <= self._reach
        columns = np.round(x[near] * STEPS_A_METRE).astype(int)
        rows = np.round(z[near] * STEPS_A_METRE).astype(int)
        high = height[near]
        is_floor = high < _STEPPED_OVER
        is_body = ~is_floor & (high <= _WALKED_UNDER)
        self.blocked |= _cells(columns[is_body], rows[is_body]) - self._passages
        self.free.update(_cells(columns[is_floor], rows[is_floor]))
        self.free -= self.blocked

    def reachable(self, start: Step) -> dict[Step, Step]:
        """Free cells that hang together with one, and from where each is stepped to first."""
        found = {start: start}
        waiting = deque(found)
        while waiting:
            cell = waiting.popleft()
            for beside in _beside(cell):
                if beside in self.free and beside not in found:
                    found[beside] = cell
                    waiting.append(beside)
        return found

    def frontiers(self, reached: Iterable[Step]) -> list[Step]:
        """Where what was seen ends, one for about each metre of it; in an order that is kept."""
        edge = sorted(
            cell
            for cell in reached
            if any(one not in self.free and one not in self.blocked for one in _beside(cell))
        )
        found: list[Step] = []
        for cell in edge:
            if all(squared(cell, one) >= _APART**2 for one in found):
                found.append(cell)
        return found

    def is_clear(self, cell: Step) -> bool:
        """Whether nothing is known to be in the way right beside a cell."""
        x, z = cell
        around = ((x + dx, z + dz) for dx in (-1, 0, 1) for dz in (-1, 0, 1))
        return self.blocked.isdisjoint(around)

    def nearest(
        self, reached: Iterable[Step], to: Step, within: Callable[[Step], bool]
    ) -> Step | None:
        """The reached cell nearest to a point. :param within: which cells may be it."""
        cells = (cell for cell in reached if within(cell))
        return min(cells, key=lambda cell: (squared(cell, to), cell), default=None)

    def way(self, start: Step, goal: Step) -> list[Step]:
        """Cells from one to another, both included, clear of what is in the way if it can be.

        [] where none is known.
        """
        best = {start: (0, start)}
        layers: dict[int, list[Step]] = {0: [start]}
        cost = 0
        while layers:
            cost = min(layers)
            for cell in layers.pop(cost):
                if best[cell][0] != cost:
                    continue
                if cell == goal:
                    return _back(goal, best)
                for beside in _beside(cell):
                    if beside not in self.free:
                        continue
                    # A step beside something costs as much as four.
                    tight = any(one in self.blocked for one in _beside(beside))
                    further = cost + (4 if tight else 1)
                    if beside not in best or further < best[beside][0]:
                        best[beside] = further, cell
                        layers.setdefault(further, []).append(beside)
        return []


def _back(goal: Step, best: dict[Step, tuple[int, Step]]) -> list[Step]:
    way = [goal]
    while best[way[-1]][1] != way[-1]:
        way.append(best[way[-1]][1])
    return way[::-1]


def _beside(cell: Step) -> Iterator[Step]:
    for dx, dz in _SIDES:
        yield cell[0] + dx, cell[1] + dz


def _cells(columns: Any, rows: Any) -> set[Step]:
    """Cells with as many points as make something of them."""
    if not columns.size:
        return set()
    left, low = int(columns.min()), int(rows.min())
    deep = int(rows.max()) - low + 1
    counts = np.bincount((columns - left) * deep + rows - low)
    return {
        (left + number // deep, low + number % deep)
        for number in np.flatnonzero(counts >= _LEAST).tolist()
    }


def straight_runs(way: list[Step]) -> Iterator[tuple[float, list[Step]]]:
    """A way as straight parts: degrees from greater z towards greater x, and the next cells."""
    part: list[Step] = []
    heading = 0.0
    for before, after in pairwise(way):
        towards = math.degrees(math.atan2(after[0] - before[0], after[1] - before[1])) % 360.0
        if part and towards != heading:
            yield heading, part
            part = []
        heading = towards
        part.append(after)
    if part:
        yield heading, part
