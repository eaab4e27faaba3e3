"""From corners of things to pixels: a projection, and for each pixel what is nearest there."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_bridge.worlds.household.pictures.views import View

Array = Any

#: Nothing is seen farther away, in metres, or nearer.
FAR, NEAR = 100.0, 0.1
#: Width over height up to which pictures from above show all of their room.
_ASPECT = 4 / 3


def projection(view: View, aspect: float) -> Array:
    """From what is right, up and ahead of a camera, in metres, to -1..1: 4 x 4, as in OpenGL.

    :param aspect: width over height of the picture.
    """
    matrix = np.zeros((4, 4))
    matrix[2, 2], matrix[2, 3] = -2 / (FAR - NEAR), -(FAR + NEAR) / (FAR - NEAR)
    if view.extent:
        # As with an angle, a wider picture shows more at its sides; a narrower one all the same.
        half = max(view.extent[1], view.extent[0] / min(aspect, _ASPECT)) / 2
        matrix[0, 0], matrix[1, 1], matrix[3, 3] = 1 / (half * aspect), 1 / half, 1.0
        return matrix
    cot = 1 / np.tan(np.radians(view.field_of_view) / 2)
    matrix[0, 0], matrix[1, 1], matrix[3, 2] = cot / aspect, cot, -1.0
    matrix[2, 2], matrix[2, 3] = matrix[2, 3], -2 * FAR * NEAR / (FAR - NEAR)
    return matrix


class Canvas:
    """What is nearest, pixel by pixel."""

    def __init__(self, view: View, width: int, height: int) -> None:
        self.side = np.full((height, width), -1, np.int32)
        self._near = np.zeros((height, width), np.float32)
        self._flat = view.extent is not None
        matrix = projection(view, width / height)
        self._scale = np.array((matrix[0, 0] * width / 2, -matrix[1, 1] * height / 2))
        self._middle = np.array((width / 2, height / 2))
        # Middles of pixels.
        self._columns = np.arange(width, dtype=np.float32) + 0.5
        self._rows = np.arange(height, dtype=np.float32)[:, None] + 0.5

    def depth(self) -> Array:
        """Metres for each pixel."""
        near = self._near
        if self._flat:
            return (FAR - near).astype(np.float32)
        return np.divide(1.0, near, out=np.full_like(near, FAR), where=near > 1.0 / FAR)

    def fill(self, numbers: Array, sides: Array, normals: Array) -> None:
        """Draw flat sides where they are nearest.

        :param numbers: what pixels become. :param sides: corners of each, in metres right, up and
            ahead of the camera; count x 4 x 3. :param normals: where they look; count x 3.
        """
        before = sides[..., 2].max(axis=1) > NEAR
        numbers, sides, normals = numbers[before], sides[before], normals[before]
        # Nearness is linear over a flat side in the picture: 1 / depth, or FAR - depth.
        reach = (normals * sides[:, 0]).sum(axis=1)
        if self._flat:
            planes = np.column_stack((normals[:, :2], FAR * normals[:, 2] - reach))
            planes = planes / normals[:, 2:]
        else:
            planes = normals / reach[:, None]
        for number, corners, plane in zip(numbers, sides, planes, strict=True):
            self._fill(number, corners, plane)

    def _fill(self, number: int, corners: Array, plane: Array) -> None:
        """Draw one. :param plane: how nearness depends on right and up, and what it is ahead."""
        if corners[:, 2].min() < NEAR:
            corners = _clipped(corners)
        points = corners[:, :2] * self._scale
        if not self._flat:
            points = points / corners[:, 2:]
        points += self._middle
        height, width = self.side.shape
        (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
        if right <= 0 or bottom <= 0 or left >= width or top >= height:
            return
        part = np.s_[
            max(int(top), 0) : min(int(bottom) + 1, height),
            max(int(left), 0) : min(int(right) + 1, width),
        ]
        columns, rows = self._columns[part[1]], self._rows[part[0]]
        across, down = plane[0] / self._scale[0], plane[1] / self._scale[1]
        level = plane[2] - across * self._middle[0] - down * self._middle[1]
        near = (np.float32(across) * columns) + (np.float32(down) * rows + np.float32(level))
        better = near > self._near[part]
        if not better.any():
            return
        # Within the polygon is on the same side of all its lines.
        ahead = np.roll(points, -1, axis=0)
        (x, y), (dx, dy) = points.T, (ahead - points).T
        turn = 1.0 if (x * ahead[:, 1] - y * ahead[:, 0]).sum() > 0 else -1.0
        for a, b, c in zip(-dy * turn, dx * turn, (dy * x - dx * y) * turn, strict=True):
            if abs(a) + abs(b) > 1e-9:
                better &= np.float32(a) * columns + (np.float32(b) * rows + np.float32(c)) >= 0.0
        np.copyto(self._near[part], near, where=better)
        np.copyto(self.side[part], number, where=better)


def _clipped(corners: Array) -> Array:
    """The part of a polygon that is before the camera."""
    kept = []
    for one, other in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if one[2] >= NEAR:
            kept.append(one)
        if (one[2] < NEAR) != (other[2] < NEAR):
            kept.append(one + (other - one) * ((NEAR - one[2]) / (other[2] - one[2])))
    return np.array(kept)
