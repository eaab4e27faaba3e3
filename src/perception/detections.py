"""What a detector of the robot's has found, from its vision_msgs, as sightings with poses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from perception.cameras import Lens
from perception.errors import PictureError
from perception.markers import Sighting
from perception.pictures import Depths
from reactree_core.skill_types import class_and_number
from robot_bridge.perception_file import DETECTIONS_3D, DetectionsEntry
from robot_bridge.poses import Pose
from robot_bridge.reading import pose_from

#: Detections of one message that are read.
_MOST = 200
#: Part of a box whose depth is asked, in its middle: its edges show what is behind the thing.
_INNER = 0.5
#: Least part of that with a measured depth.
_LEAST_MEASURED = 0.1


def sightings_of(
    message: Any, entry: DetectionsEntry, lens: Lens | None, depths: Depths | None
) -> Iterator[Sighting]:
    """What a message reports of classes that the file names; each with a pose in its frame.

    :param lens: of the camera whose picture 2D boxes are in. :param depths: of the same view.
    :raises PictureError: boxes in a picture without depth, or of another picture.
    """
    for detection in list(message.detections)[:_MOST]:
        best = max(detection.results, key=lambda one: one.hypothesis.score, default=None)
        if best is None or not entry.score <= best.hypothesis.score <= 1.0:
            continue
        name = entry.classes.get(best.hypothesis.class_id, '')
        if not name:
            continue
        frame = (detection.header.frame_id or message.header.frame_id).lstrip('/')
        outline: tuple[float, ...] = ()
        if entry.type == DETECTIONS_3D:
            pose: Pose | None = pose_from(detection.bbox.center, frame)
        else:
            if lens is None or depths is None:
                raise PictureError('boxes in a picture give no place without its depth')
            outline = _corners(detection.bbox)
            pose = _in_space(outline, lens, depths, frame)
        if pose is not None and pose.is_finite:
            unique = bool(class_and_number(name)[1])
            yield Sighting(name, pose, outline, float(best.hypothesis.score), unique)


def _corners(box: Any) -> tuple[float, ...]:
    x, y = box.center.position.x, box.center.position.y
    right, down = box.size_x / 2, box.size_y / 2
    return (x - right, y - down, x + right, y - down, x + right, y + down, x - right, y + down)


def _in_space(outline: tuple[float, ...], lens: Lens, depths: Depths, frame: str) -> Pose | None:
    """Where a box's middle is; None where no depth was measured there."""
    if not all(map(math.isfinite, outline)):
        return None
    lens.check(depths.shape[1], depths.shape[0])
    left, top, right, bottom = outline[0], outline[1], outline[4], outline[5]
    x, y = (left + right) / 2, (top + bottom) / 2
    width, height = (right - left) * _INNER / 2, (bottom - top) * _INNER / 2
    rows = slice(max(0, round(y - height)), max(0, round(y + height)) + 1)
    columns = slice(max(0, round(x - width)), max(0, round(x + width)) + 1)
    inside = depths[rows, columns]
    measured = inside[np.isfinite(inside)]
    if measured.size == 0 or measured.size < _LEAST_MEASURED * inside.size:
        return None
    return Pose(frame, *lens.point(x, y, float(np.median(measured))))
