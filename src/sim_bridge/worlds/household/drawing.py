"""Pictures from above, drawn from bounding boxes.

North is up (z), east to the right (x). Not drawn are things without a box,
what is overhead, such as the ceiling, and walls around a corner, whose boxes would cover a room.
Cameras are counted as in VirtualHome's simulator: those of the scene, here one above each room,
then the robot's, here all above the room it is in.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import numpy as np

from reactree_core.errors import ConfigurationError
from sim_bridge.pictures import LARGEST_SIDE
from sim_bridge.pictures import opencv
from sim_bridge.pictures import Picture
from sim_bridge.pictures import picture_of
from sim_bridge.worlds.household.nodes import Box
from sim_bridge.worlds.household.nodes import is_floor
from sim_bridge.worlds.household.nodes import is_room
from sim_bridge.worlds.household.nodes import Node
from sim_bridge.worlds.household.nodes import read_node
from sim_bridge.worlds.household.roles import name_of

MODES = ('normal', 'seg_inst', 'seg_class')
#: Names of the cameras that a character brings, as in the published client.
CHARACTER_CAMERAS = (
    'AUTO',
    'FIRST_PERSON',
    'PERSON_TOP',
    'PERSON_FROM_BACK',
    'PERSON_RIGHT',
    'PERSON_LEFT',
)
#: Metres around the room.
_MARGIN = 0.5
#: What begins higher above the ground is overhead, in metres: lamps, but not wall cabinets.
_OVERHEAD = 2.1
#: No wall is thicker, in metres.
_THICKEST_WALL = 0.6
_LETTERS = 0.35
_EMPTY = (40, 40, 40)
_FLOOR = (225, 225, 225)
_OUTLINE = (60, 60, 60)
_RED = (0, 0, 220)
_DOT = 8

Colour = tuple[int, int, int]


def draw(
    graph: Mapping[str, Any], room: int, mode: str, width: int, height: int, robot: int | None
) -> Picture:
    """A room from above.

    :param graph: VirtualHome's format. :param room: id of the room in the middle.
    :param mode: one of `MODES`. :param width: pixels. :param height: pixels.
    :param robot: id of the room or thing where the robot is, marked in red; None without one.
    :raises ConfigurationError: no such mode or size, the room has no box, or OpenCV is missing.
    """
    if mode not in MODES:
        raise ConfigurationError(f'no image mode {mode!r:.80}; choose one of: {", ".join(MODES)}')
    for side in (width, height):
        if isinstance(side, bool) or not isinstance(side, int) or not 1 <= side <= LARGEST_SIDE:
            raise ConfigurationError(f'an image has 1 to {LARGEST_SIDE} pixels a side')
    library = opencv()
    nodes = {node.node_id: node for node in map(read_node, graph['nodes'])}
    middle = nodes[room].box if room in nodes else None
    if middle is None:
        raise ConfigurationError('this scene has no bounding boxes: nothing can be drawn of it')
    image = np.full((height, width, 3), _EMPTY, dtype=np.uint8)
    view = _View(middle, width, height)
    for node in sorted(nodes.values(), key=_layer):
        if node.box is None or (mode != 'normal' and is_room(node)):
            continue
        if node.box.bottom - middle.bottom > _OVERHEAD or _is_corner(node.box, node):
            continue
        low, high = view.corners(node.box)
        library.rectangle(image, low, high, _colour(node, mode)[::-1], -1)
        if mode == 'normal':
            library.rectangle(image, low, high, _OUTLINE, 1)
            if not (is_room(node) or is_floor(node)):
                _write_name(library, image, node, low, high)
    place = nodes[robot].box if robot in nodes else None
    if mode == 'normal' and place is not None:
        # At the side of a thing that is towards the middle of the room.
        x, z = (_nearest(middle, place, axis) for axis in (0, 2))
        library.circle(image, view.point(x, z), _DOT, _RED, -1)
    return picture_of(image)


def room_of_camera(rooms: Sequence[int], here: int | None, camera: int) -> int:
    """The room that a camera looks down on.

    :param rooms: ids, in their order. :param here: of the character; None without one.
    :param camera: index; negative ones count from the last.
    :raises ConfigurationError: there is no such camera.
    """
    looked_at = list(rooms) + [here] * (0 if here is None else len(CHARACTER_CAMERAS))
    room = looked_at[camera] if -len(looked_at) <= camera < len(looked_at) else None
    if room is None:
        raise ConfigurationError(
            f'there is no camera {camera}: there are {len(looked_at)}, counted from 0'
        )
    return room


def instance_colour(node_id: int) -> Colour:
    """Red, green, blue of one thing; different for ids below 2 ** 24."""
    # An odd factor permutes the numbers of 24 bits.
    mixed = (node_id * 0x9E3779B1 + 0x7F4A7C) % (1 << 24)
    return mixed >> 16, (mixed >> 8) & 255, mixed & 255


def class_colour(class_name: str) -> Colour:
    """Red, green, blue of a class."""
    return instance_colour(zlib.crc32(class_name.encode('utf-8', 'replace')) % (1 << 24))


class _View:
    """From metres to pixels: the room fills the picture."""

    def __init__(self, middle: Box, width: int, height: int) -> None:
        self._middle, self._size = middle, (width, height)
        spans = (middle.size[0] + 2 * _MARGIN, middle.size[2] + 2 * _MARGIN)
        self._scale = min(width / max(spans[0], 0.1), height / max(spans[1], 0.1))

    def point(self, x: float, z: float) -> tuple[int, int]:
        """Where a place is; far away ones are moved to where they cannot be seen either."""
        across = (x - self._middle.center[0]) * self._scale + self._size[0] / 2
        down = (self._middle.center[2] - z) * self._scale + self._size[1] / 2
        limit = 4.0 * LARGEST_SIDE
        return int(min(max(across, -limit), limit)), int(min(max(down, -limit), limit))

    def corners(self, box: Box) -> tuple[tuple[int, int], tuple[int, int]]:
        """Two opposite corners of a box."""
        (x, _, z), (wide, _, deep) = box.center, box.size
        low = self.point(x - wide / 2, z - deep / 2)
        return low, self.point(x + wide / 2, z + deep / 2)


def _layer(node: Node) -> tuple[bool, bool, float, int]:
    """Rooms, floors, then everything from the lowest top to the highest."""
    box = node.box
    top = box.center[1] + box.size[1] / 2 if box else 0.0
    return not is_room(node), not is_floor(node), top, node.node_id


def _colour(node: Node, mode: str) -> Colour:
    if mode == 'seg_inst':
        return instance_colour(node.node_id)
    if mode == 'seg_class':
        return class_colour(node.class_name)
    if is_room(node) or is_floor(node):
        return _FLOOR
    red, green, blue = class_colour(node.class_name)
    # Pale, so that outlines and smaller things stand out.
    return 128 + red // 2, 128 + green // 2, 128 + blue // 2


def _write_name(
    library: Any, image: Any, node: Node, low: tuple[int, int], high: tuple[int, int]
) -> None:
    """The name of a thing in its upper left corner, where there is room for it."""
    font = library.FONT_HERSHEY_SIMPLEX
    name = name_of(node.class_name)
    (wide, tall), _ = library.getTextSize(name, font, _LETTERS, 1)
    left, top = min(low[0], high[0]) + 3, min(low[1], high[1]) + 3
    if left + wide < max(low[0], high[0]) and top + tall < max(low[1], high[1]):
        library.putText(
            image, name, (left, top + tall), font, _LETTERS, _OUTLINE, 1, library.LINE_AA
        )


def _nearest(middle: Box, place: Box, axis: int) -> float:
    """The coordinate within a box that is nearest to the middle of another."""
    half = place.size[axis] / 2
    low, high = place.center[axis] - half, place.center[axis] + half
    return min(max(middle.center[axis], low), high)


def _is_corner(box: Box, node: Node) -> bool:
    return node.category == 'Walls' and min(box.size[0], box.size[2]) > _THICKEST_WALL
