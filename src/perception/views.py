"""What a camera has in view: without this, what is not seen would count as gone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perception.cameras import Lens
from robot_bridge.poses import Pose

if TYPE_CHECKING:
    from perception.pictures import Depths

#: Points of a place's edge that must be in view, beside its middle.
_EDGE = 8
#: How much nearer than a point something must be to hide it, m: higher than things stand.
_BEFORE = 0.15
#: A camera that has moved more than this since its last picture sees nothing for sure, m and rad.
_STILL, _TURNED = 0.01, 0.02


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera's view at one moment.

    :param camera: pose of its optical frame in the frame that is given.
    :param depths: of the same view, m; None where none are measured.
    :param still: whether it stands still.
    """

    lens: Lens
    camera: Pose
    depths: Depths | None = None
    still: bool = True

    def shows(self, pose: Pose, around: float = 0.0) -> bool:
        """Whether something at a pose would be seen. :param around: m, level, beside it."""
        if not self.still:
            return False
        back = self.camera.inverse('camera')
        ring = [(0.0, 0.0)]
        if around > 0:
            turns = (2 * math.pi * step / _EDGE for step in range(_EDGE))
            ring += [(around * math.cos(turn), around * math.sin(turn)) for turn in turns]
        seen = [Pose(pose.frame, pose.x + x, pose.y + y, pose.z).after(back) for x, y in ring]
        points = [(one.x, one.y, one.z) for one in seen]
        if not self.lens.shows(points):
            return False
        if self.depths is None:
            return True
        found = np.rint(self.lens.pixels(points)).astype(int)
        measured = self.depths[found[:, 1], found[:, 0]]
        # What was not measured may be hidden too.
        return bool(
            all(d >= point[2] - _BEFORE for d, point in zip(measured, points, strict=True))
        )

    def is_near(self, other: Pose) -> bool:
        """Whether the camera is where it was."""
        dot = sum(
            a * b
            for a, b in (
                (self.camera.qx, other.qx),
                (self.camera.qy, other.qy),
                (self.camera.qz, other.qz),
                (self.camera.qw, other.qw),
            )
        )
        angle = 2 * math.acos(min(1.0, abs(dot)))
        return self.camera.distance(other) <= _STILL and angle <= _TURNED
