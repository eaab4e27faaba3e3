"""A camera's lens: from points in space to pixels and back, by its CameraInfo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.errors import PictureError
from robot_bridge.poses import Pose

Numbers = NDArray[np.float64]
#: Models of distortion that OpenCV's functions for lenses know by their number of terms.
_MODELS = ('', 'plumb_bob', 'rational_polynomial')
#: Numbers of terms of a distortion that OpenCV takes.
_TERMS = (0, 4, 5, 8, 12, 14)
#: Nearest to a lens that anything is, m.
_NEAREST = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """A pinhole with distortion. :param matrix: 3 x 3, pixels. :param terms: of the distortion.

    :param width: pixels of the picture. :param height: pixels.
    """

    matrix: Numbers
    terms: Numbers
    width: int
    height: int

    @classmethod
    def from_info(cls, info: Any) -> Lens:
        """That of a sensor_msgs/CameraInfo. :raises PictureError: it is not calibrated."""
        matrix = np.array(info.k, float).reshape(3, 3)
        terms = np.array(info.d, float)
        if info.distortion_model not in _MODELS:
            raise PictureError(
                f'the lens model {str(info.distortion_model)[:30]!r} is not known: publish '
                'rectified pictures (image_proc), with their CameraInfo'
            )
        if terms.size not in _TERMS:
            raise PictureError(f'its CameraInfo has {terms.size} terms of distortion, not 5 or 8')
        good = np.isfinite(matrix).all() and np.isfinite(terms).all()
        if not good or matrix[0, 0] <= 0 or matrix[1, 1] <= 0:
            raise PictureError('its CameraInfo has no calibration: calibrate the camera')
        return cls(matrix, terms, int(info.width), int(info.height))

    def check(self, width: int, height: int) -> None:
        """:raises PictureError: pictures have another size than the CameraInfo says."""
        if (width, height) != (self.width, self.height):
            raise PictureError(
                f'the picture has {width} x {height} pixels, its CameraInfo is of '
                f'{self.width} x {self.height}'
            )

    def pixels(self, points: Sequence[tuple[float, float, float]]) -> Numbers:
        """Where points are seen, n x 2. :param points: in the camera's optical frame, m.

        Those behind the lens are not a number.
        """
        given = np.array(points, float).reshape(-1, 3)
        behind = given[:, 2] < _NEAREST
        safe = np.where(behind[:, None], (0.0, 0.0, 1.0), given)
        found, _ = cv2.projectPoints(safe, np.zeros(3), np.zeros(3), self.matrix, self.terms)
        seen = np.asarray(found, float).reshape(-1, 2)
        seen[behind] = np.nan
        return seen

    def shows(self, points: Sequence[tuple[float, float, float]], edge: float = 2.0) -> bool:
        """Whether all points are inside the picture. :param edge: pixels from its border."""
        seen = self.pixels(points)
        inside = (seen >= edge) & (seen <= (self.width - 1 - edge, self.height - 1 - edge))
        # Far outside, the terms of a distortion fold back into the picture.
        limits = np.array([self.width, self.height]) / np.diag(self.matrix)[:2]
        given = np.array(points, float).reshape(-1, 3)
        with np.errstate(divide='ignore', invalid='ignore'):
            slopes = np.abs(given[:, :2] / given[:, 2:])
        return bool(inside.all() and (slopes < limits).all())

    def point(self, x: float, y: float, depth: float) -> tuple[float, float, float]:
        """What a pixel shows, in the optical frame, m. :param depth: along z, m."""
        pixel = np.array([[[x, y]]], float)
        flat = np.asarray(cv2.undistortPoints(pixel, self.matrix, self.terms)).reshape(2)
        return float(flat[0]) * depth, float(flat[1]) * depth, depth


def pose_of_vectors(frame: str, turn: Numbers, shift: Numbers) -> Pose:
    """A pose as OpenCV tells it. :param turn: axis times angle, rad. :param shift: m."""
    angle = float(np.linalg.norm(turn))
    axis = turn.reshape(3) / angle if angle > 1e-12 else np.zeros(3)
    x, y, z = (float(part) for part in axis * np.sin(angle / 2))
    sx, sy, sz = (float(part) for part in shift.reshape(3))
    return Pose(frame, sx, sy, sz, x, y, z, float(np.cos(angle / 2)))
