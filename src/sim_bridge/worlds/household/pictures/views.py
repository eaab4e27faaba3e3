"""Where cameras are: those of a scene, then those that each character brings, as in VirtualHome.

Of the scene there is one above each room, then sixteen in each room (from its corners and the
middles of its walls, near the ceiling and at the height of eyes), and the last is above the home.
Places and angles are Unity's: x to the east, y up, z to the north; a camera without a rotation
looks north, and turns about z, then x (down), then y (to the east).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.nodes import Box, Node

Place = tuple[float, float, float]

#: Metres from where one stands to what one has walked to, and from walls.
_STEP = 0.5
_MARGIN = 0.3
#: Metres around a room that is seen from above.
_AROUND = 0.5
_ABOVE = 30.0


@dataclass(frozen=True, slots=True)
class View:
    """A camera.

    :param position: x, y, z in metres. :param rotation: about x, y and z, in degrees.
    :param field_of_view: angle from the top of a picture to its bottom, in degrees.
    :param extent: metres across and down that a picture without perspective shows at least; None
        with perspective.
    """

    position: Place
    rotation: Place
    field_of_view: float = 60.0
    extent: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Camera:
    """A view and what it is for.

    :param view: None where nothing is known of places.
    :param room: id of the only room that is drawn, which it may be outside of; None for all.
    :param eyes: id of the character that looks, and is not seen; None for none.
    :param subject: place that is seen whatever stands before it; None for none.
    """

    name: str
    view: View | None
    room: int | None = None
    eyes: int | None = None
    subject: Place | None = None


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a character stands, or sits.

    :param x: metres. :param y: of the feet, in metres. :param z: metres.
    :param heading: degrees from north (z) to the east.
    """

    x: float
    y: float
    z: float
    heading: float = 0.0
    sits: bool = False

    def at(self, right: float, up: float, ahead: float) -> Place:
        """A place beside it, metres as it sees them."""
        angle = math.radians(self.heading)
        sine, cosine = math.sin(angle), math.cos(angle)
        return (
            self.x + right * cosine + ahead * sine,
            self.y + up,
            self.z - right * sine + ahead * cosine,
        )

    def body(self) -> Box:
        """The box around it."""
        tall = 1.0 if self.sits else 1.7
        return Box(self.at(0.0, tall / 2, 0.0), (0.42, tall, 0.42))

    def ahead(self, metres: float, room: Box) -> Pose:
        """Some steps on, not through the walls of a room."""
        x, _, z = self.at(0.0, 0.0, metres)
        return replace(self, x=_within(x, room, 0), z=_within(z, room, 2))


#: Cameras that a character brings, as the published client knows them: place, rotation, angle.
CHARACTER_VIEWS: Mapping[str, View] = {
    'PERSON_FRONT': View((0.0, 1.6, 1.6), (10.0, 180.0, 0.0)),
    'FIRST_PERSON': View((0.0, 1.6, 0.0), (15.0, 0.0, 0.0), 75.0),
    'PERSON_TOP': View((0.0, 6.0, 0.0), (90.0, 0.0, 0.0), 45.0),
    'PERSON_FROM_BACK': View((0.0, 2.2, -2.0), (25.0, 0.0, 0.0)),
    'PERSON_RIGHT': View((2.4, 1.7, 0.0), (15.0, -90.0, 0.0)),
    'PERSON_LEFT': View((-2.4, 1.7, 0.0), (15.0, 90.0, 0.0)),
}


def scene_cameras(nodes: Mapping[int, Node], rooms: Sequence[int]) -> list[Camera]:
    """The cameras of a scene.

    :param rooms: ids, in their order.
    """
    boxes = {room: nodes[room].box for room in rooms}
    cameras = [Camera(f'{room} TOP', _above(boxes[room]), room) for room in rooms]
    for room in rooms:
        box = boxes[room]
        for number in range(16):
            view = _in_room(box, number) if box else None
            cameras.append(Camera(f'{room} {number}', view, room))
    home = [box for box in boxes.values() if box]
    return [*cameras, Camera('HOME', _above(_around(home) if home else None))]


def character_cameras(
    character: int, room: int, pose: Pose | None, views: Mapping[str, View] = CHARACTER_VIEWS
) -> list[Camera]:
    """The cameras that a character brings.

    :param views: by name, as its eyes see places and angles.
    """
    cameras = []
    for name, view in views.items():
        own = name == 'FIRST_PERSON'
        subject = None if own or pose is None else pose.at(0.0, 1.0, 0.0)
        placed = _carried(view, pose) if pose else None
        cameras.append(Camera(name, placed, room, character if own else None, subject))
    return cameras


def camera_at(cameras: Sequence[Camera], index: int) -> Camera:
    """One of some cameras.

    :param index: negative ones count from the last.
    :raises ConfigurationError: there is no such camera.
    """
    if -len(cameras) <= index < len(cameras):
        return cameras[index]
    raise ConfigurationError(
        f'there is no camera {index}: there are {len(cameras)}, counted from 0'
    )


def pose_at(nodes: Mapping[int, Node], room: int, place: int) -> Pose | None:
    """Where one stands who has walked to a thing: beside it, looking at it.

    :param place: id of the thing, or of the room for its middle.
    :return: None where the room has no box.
    """
    around, box = nodes[room].box, nodes[place].box if place in nodes else None
    if around is None:
        return None
    (x, _, z), floor = around.center, around.bottom
    if place == room or box is None:
        return Pose(x, floor, z)
    # On the side of the thing that is nearest to the middle of the room, and a step from it.
    near = [box.nearest(around.center[axis], axis) for axis in (0, 2)]
    gap = math.hypot(x - near[0], z - near[1])
    if gap > 0.0:
        share = min(_STEP, gap) / gap
        near = [near[0] + (x - near[0]) * share, near[1] + (z - near[1]) * share]
    x, z = _within(near[0], around, 0), _within(near[1], around, 2)
    return Pose(x, floor, z, _heading(box.center[0] - x, box.center[2] - z))


def pose_on(nodes: Mapping[int, Node], room: int, seat: int) -> Pose | None:
    """Where one sits on a thing: looking at the middle of the room."""
    around, box = nodes[room].box, nodes[seat].box
    if around is None or box is None:
        return pose_at(nodes, room, seat)
    x, _, z = box.center
    heading = _heading(around.center[0] - x, around.center[2] - z)
    return Pose(x, box.bottom + min(box.size[1], 0.5), z, heading, True)


def axes_of(rotation: Place) -> tuple[Place, Place, Place]:
    """What is right, up and ahead for a camera, as unit vectors."""
    (a, b, c) = (math.radians(angle) for angle in rotation)
    (sa, sb, sc), (ca, cb, cc) = map(math.sin, (a, b, c)), map(math.cos, (a, b, c))
    return (
        (cb * cc + sb * sa * sc, ca * sc, -sb * cc + cb * sa * sc),
        (-cb * sc + sb * sa * cc, ca * cc, sb * sc + cb * sa * cc),
        (sb * ca, -sa, cb * ca),
    )


def _above(box: Box | None) -> View | None:
    if box is None:
        return None
    x, _, z = box.center
    extent = (box.size[0] + 2 * _AROUND, box.size[2] + 2 * _AROUND)
    return View((x, box.bottom + _ABOVE, z), (90.0, 0.0, 0.0), extent=extent)


def _in_room(box: Box, number: int) -> View:
    """One of the sixteen of a room: eight directions from its middle, low or high."""
    turn, low = divmod(number, 2)
    angle = math.radians(45.0 * turn)
    # Corners and middles of walls are on the border of a square of two by two.
    reach = max(abs(math.sin(angle)), abs(math.cos(angle)))
    halves = [max(box.size[axis] / 2 - _MARGIN, 0.0) for axis in (0, 2)]
    across, along = math.sin(angle) / reach * halves[0], math.cos(angle) / reach * halves[1]
    height = min(1.6 if low else 2.2, 0.9 * box.size[1])
    position = (box.center[0] + across, box.bottom + height, box.center[2] + along)
    away = math.hypot(across, along)
    down = math.degrees(math.atan2(height - (1.0 if low else 0.6), max(away, 0.5)))
    return View(position, (down, _heading(-across, -along), 0.0), 70.0)


def _carried(view: View, pose: Pose) -> View:
    down, turn, roll = view.rotation
    right, up, ahead = view.position
    # Eyes are lower on a seat.
    lower = 0.75 if pose.sits else 0.0
    return replace(
        view,
        position=pose.at(right, up - lower, ahead),
        rotation=(down, turn + pose.heading, roll),
    )


def _heading(east: float, north: float) -> float:
    return math.degrees(math.atan2(east, north)) if east or north else 0.0


def _around(boxes: Sequence[Box]) -> Box:
    """The box around some."""
    low = [min(box.center[axis] - box.size[axis] / 2 for box in boxes) for axis in range(3)]
    high = [max(box.center[axis] + box.size[axis] / 2 for box in boxes) for axis in range(3)]
    x, y, z = ((one + other) / 2 for one, other in zip(low, high, strict=True))
    wide, tall, deep = (other - one for one, other in zip(low, high, strict=True))
    return Box((x, y, z), (wide, tall, deep))


def _within(point: float, room: Box, axis: int) -> float:
    """A coordinate away from the walls of a room."""
    half = max(room.size[axis] / 2 - _MARGIN, 0.0)
    return min(max(point, room.center[axis] - half), room.center[axis] + half)
