"""Where places are by the robot's file alone."""

from __future__ import annotations

import time

from reactree_core.errors import SkillError
from robot_bridge.poses import Pose
from robot_bridge.robot import Robot
from robot_bridge.robot_file import PlaceEntry


class ToldPlaces:
    """Surroundings of which only the file says: for a dry run without a robot."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def now(self) -> float:
        """The time of this machine, s."""
        return time.time()

    def pose_of(self, name: str, frame: str = '') -> Pose:
        """Where a place is. :raises SkillError: the file does not say."""
        place = self._robot.file.places.get(name)
        if place is None or place.x is None or frame not in ('', place.frame):
            raise SkillError(
                f'The pose of "{name}" is not in the file: it needs the running robot.'
            )
        return told_pose(place)


def told_pose(place: PlaceEntry) -> Pose:
    """A place's pose that the file tells."""
    x, y = place.x or 0.0, place.y or 0.0
    if place.orientation is not None:
        return Pose(place.frame, x, y, place.z, *place.orientation)
    return Pose.flat(place.frame, x, y, place.yaw, place.z)
