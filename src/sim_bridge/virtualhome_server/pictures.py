"""Pictures from above, drawn from bounding boxes, with OpenCV (`requirements/virtualhome.txt`).

North is up (z), east to the right (x). Things without a box are not drawn.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.nodes import Box
from sim_bridge.worlds.household.nodes import CHARACTER
from sim_bridge.worlds.household.nodes import is_floor
from sim_bridge.worlds.household.nodes import is_room
from sim_bridge.worlds.household.nodes import Node
from sim_bridge.worlds.household.nodes import read_node

MODES = ('normal', 'seg_inst', 'seg_class')
_LARGEST_SIDE = 4096
#: Metres around the room.
_MARGIN = 0.5
_EMPTY = (40, 40, 40)
_FLOOR = (225, 225, 225)
_OUTLINE = (60, 60, 60)

Colour = tuple[int, int, int]


def draw(graph: Mapping[str, Any], room: int, mode: str, width: int, height: int) -> bytes:
    """A room from above.

    :param graph: VirtualHome's format. :param room: id of the room in the middle.
    :param mode: one of `MODES`. :param width: pixels. :param height: pixels.
    :return: a PNG file.
    :raises ConfigurationError: no such mode or size, the room has no box, or OpenCV is missing.
    """
    if mode not in MODES:
        raise ConfigurationError(f'no image mode {mode!r:.80}; choose one of: {", ".join(MODES)}')
    for side in (width, height):
        if isinstance(side, bool) or not isinstance(side, int) or not 1 <= side <= _LARGEST_SIDE:
            raise ConfigurationError(f'an image has 1 to {_LARGEST_SIDE} pixels a side')
    library = _library()
    nodes = {node.node_id: node for node in map(read_node, graph['nodes'])}
    middle = nodes[room].box if room in nodes else None
    if middle is None:
        raise ConfigurationError('this scene has no bounding boxes: nothing can be drawn of it')
    image = np.full((height, width, 3), _EMPTY, dtype=np.uint8)
    view = _View(middle, width, height)
    for node in sorted(nodes.values(), key=_layer):
        if node.box is None or (mode != 'normal' and is_room(node)):
            continue
        low, high = view.corners(node.box)
        library.rectangle(image, low, high, _colour(node, mode)[::-1], -1)
        if mode == 'normal':
            library.rectangle(image, low, high, _OUTLINE, 1)
    if mode == 'normal':
        _mark_character(library, image, graph, nodes, view)
    done, data = library.imencode('.png', image)
    if not done:
        raise ConfigurationError('OpenCV could not write the picture as PNG')
    return bytes(data.tobytes())


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
        limit = 4.0 * _LARGEST_SIDE
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


def _mark_character(
    library: Any, image: Any, graph: Mapping[str, Any], nodes: Mapping[int, Node], view: _View
) -> None:
    """A red dot in the middle of the character's room, or at the first thing it is close to."""
    for node in nodes.values():
        if node.class_name != CHARACTER:
            continue
        places = [
            nodes[edge['to_id']].box
            for relation in ('CLOSE', 'INSIDE')
            for edge in graph['edges']
            if edge['from_id'] == node.node_id and edge['relation_type'] == relation
        ]
        box = next((place for place in places if place is not None), None)
        if box is not None:
            library.circle(image, view.point(box.center[0], box.center[2]), 8, (0, 0, 220), -1)


def _library() -> Any:
    try:
        import cv2
    except ImportError as error:
        raise ConfigurationError(
            'pictures need OpenCV: pip install -r requirements/virtualhome.txt'
        ) from error
    return cv2
