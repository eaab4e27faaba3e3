"""What is drawn of a robot from above: its places, things, base, and the way that it went.

The form is that of the floor which explored worlds tell, with what a map has besides
(docs/robot_contract.md), so that the viewer draws both.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reactree_core.errors import SkillError
from robot_bridge.belief import Belief
from robot_bridge.poses import Pose
from robot_bridge.robot_file import RobotFile

Point = tuple[float, float]
#: Metres: moves that are smaller are noise, and what is dropped is nearer to the way than this.
STEP, TOLERANCE = 0.05, 0.05
#: Corners of a way that are kept, and points between two of them.
MOST_CORNERS, _MOST_BETWEEN = 500, 200


class Way:
    """Where the base went, by the corners of that way; the oldest are forgotten.

    Straight drives cost two points, so that hours of them can be given and drawn again and again.
    """

    def __init__(self) -> None:
        self._corners: deque[Point] = deque(maxlen=MOST_CORNERS)
        #: What came since the last corner; the newest is the end of the way.
        self._since: list[Point] = []
        #: Metres that the base has gone, without what is noise.
        self.length = 0.0

    def follow(self, x: float, y: float) -> None:
        """Go on to a point. :param x: m. :param y: m."""
        point = x, y
        if not self._corners:
            self._corners.append(point)
            return
        begin = self._corners[-1]
        step = math.dist(point, self._since[-1] if self._since else begin)
        if step < STEP:
            return
        self.length += step
        if len(self._since) == _MOST_BETWEEN or any(
            _aside(between, begin, point) > TOLERANCE for between in self._since
        ):
            self._corners.append(self._since[-1])
            self._since.clear()
        self._since.append(point)

    @property
    def points(self) -> list[Point]:
        """Its corners and its end, oldest first."""
        return [*self._corners, *self._since[-1:]]


def _aside(point: Point, begin: Point, end: Point) -> float:
    """How far a point is from a straight way, m."""
    x, y = end[0] - begin[0], end[1] - begin[1]
    squared = x * x + y * y
    if squared == 0.0:
        return math.dist(point, begin)
    along = ((point[0] - begin[0]) * x + (point[1] - begin[1]) * y) / squared
    part = min(1.0, max(0.0, along))
    return math.dist(point, (begin[0] + part * x, begin[1] + part * y))


@dataclass(frozen=True, slots=True)
class Base:
    """Where the robot's base is.

    :param pose: as it was given last, in the frame of the map; None before, or where unknown.
    :param age: of the pose, s. :param trouble: why nothing newer is known; '' where it is.
    """

    pose: Pose | None = None
    age: float = 0.0
    trouble: str = ''


def map_frame(file: RobotFile) -> str:
    """The frame that most of the places are in; '' where none has a pose."""
    frames = Counter(place.frame for place in file.places.values() if place.has_pose)
    return max(frames, key=frames.__getitem__, default='')


def robot_floor(
    file: RobotFile, belief: Belief, pose_of: Callable[[str, str], Pose], base: Base, way: Way
) -> dict[str, Any] | None:
    """A robot's map, for JSON; None where no place has a pose.

    :param pose_of: of a place or thing in a frame. :raises SkillError: that is not known.
    """
    frame = map_frame(file)
    if not frame:
        return None
    places, unplaced = [], []
    for name in file.places:
        try:
            places.append({'name': name, **_told(pose_of(name, frame))})
        except SkillError as error:
            unplaced.append({'name': name, 'why': str(error)})
    things = []
    for name, thing in belief.things.items():
        if thing.pose is None or name in belief.held:
            continue
        try:
            things.append({'name': name, **_told(pose_of(name, frame))})
        except SkillError:
            continue  # the outline tells of it
    drawn: dict[str, Any] = {
        'frame': frame,
        'locations': places,
        'unplaced': unplaced,
        'things': things,
        'here': belief.place,
        'trouble': base.trouble,
        'way': [[round(x, 2), round(y, 2)] for x, y in way.points],
    }
    if base.pose is not None:
        pose = _told(base.pose)
        drawn |= {'agent': pose['at'], 'heading': pose['heading'], 'age': round(base.age, 1)}
    return drawn


def _told(pose: Pose) -> dict[str, Any]:
    """:raises SkillError: it cannot be drawn."""
    if not pose.is_finite:
        raise SkillError('Its pose is no finite number.')
    return {'at': [round(pose.x, 3), round(pose.y, 3)], 'heading': round(pose.yaw, 3)}
