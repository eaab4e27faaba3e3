"""What is drawn of a home, box by box, and which sides of the boxes look towards a camera.

Rooms are hollow: floor, walls, and no ceiling; so are open things and shelves with something in
them. Not drawn are things without a box, what is overhead when one looks down, and walls, whose
boxes would cover rooms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_bridge.worlds.household.nodes import Box, CHARACTER, is_floor, is_room, Node, read_node
from sim_bridge.worlds.household.pictures.canvas import NEAR
from sim_bridge.worlds.household.pictures.views import axes_of, Camera, Place, Pose
from sim_bridge.worlds.household.placement import INSIDE

Array = Any

#: Looking down steeper than this, in degrees, what begins so high above the ground is left out, in
#: metres: lamps, but not wall cabinets.
_STEEP, _OVERHEAD = 50.0, 2.1
#: Metres that walls stand behind the sides of a room, so that what hangs on them is seen.
_WALL = 0.12
#: Categories of nodes that no picture shows.
UNDRAWN = frozenset({'Walls', 'Ceiling', 'Rooms'})
#: Where sides look; opposite ones are neighbours.
SIDES = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32)
#: Corners of a box by their bits (x, y, z), and those of each side in turn.
_CORNERS = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)], np.float32)
_OF_SIDE = np.array(
    [[1, 3, 7, 5], [0, 2, 6, 4], [2, 3, 7, 6], [0, 1, 5, 4], [4, 5, 7, 6], [0, 1, 3, 2]]
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A character in a picture.

    :param held: ids of the things in its hands.
    """

    character: int
    pose: Pose
    held: tuple[int, ...] = ()


@dataclass(slots=True)
class Boxes:
    """What is drawn, box by box.

    :param low: corners, count x 3. :param high: the opposite ones.
    :param hollow: whether it is seen from inside.
    """

    nodes: list[Node]
    low: Array
    high: Array
    hollow: Array

    def sides(self, camera: Camera) -> tuple[Array, Array, Array]:
        """Sides that a camera with a view sees, if nothing is before them.

        :return: of each the number of its box, that of the side, 0..5, and its corners: metres
            right, up and ahead of the camera; count x 4 x 3.
        """
        view = camera.view
        assert view is not None, 'checked before'
        axes, eye = np.array(axes_of(view.rotation)), np.array(view.position)
        # Sides that look towards the camera; of hollow boxes those that look away from it.
        if view.extent is not None:
            beyond = np.broadcast_to(SIDES @ -axes[2], (len(self.nodes), 6))
        else:
            beyond = np.stack([eye - self.high, self.low - eye], axis=2).reshape(-1, 6)
        shown = np.where(self.hollow[:, None], beyond < -1e-6, beyond > 1e-6)
        shown[self._in_the_way(eye, camera.subject)] = False
        spans = (self.high - self.low)[:, None, :]
        corners = (self.low[:, None, :] + spans * _CORNERS[None] - eye) @ axes.T
        index, side = np.nonzero(shown)
        return index, side, corners[index[:, None], _OF_SIDE[side]]

    def _in_the_way(self, eye: Array, subject: Place | None) -> Array:
        """Which boxes a camera is in, or look through to see its subject."""
        stays = [is_room(node) or node.class_name == CHARACTER for node in self.nodes]
        around = ((self.low - NEAR < eye) & (eye < self.high + NEAR)).all(axis=1)
        if subject is not None:
            # Where a line enters and leaves what is between two opposite sides, 0 at the camera.
            line = np.array(subject) - eye
            line[np.abs(line) < 1e-9] = 1e-9
            cuts = np.sort(np.stack([self.low - eye, self.high - eye]) / line, axis=0)
            enters, leaves = cuts[0].max(axis=1), cuts[1].min(axis=1)
            around |= (enters < leaves) & (leaves > 0.0) & (enters < 1.0)
        return around & ~np.array(stays, bool)


def boxes_of(graph: Mapping[str, Any], camera: Camera, figures: Sequence[Figure]) -> Boxes:
    """What a camera with a view has before it. :param graph: VirtualHome's format."""
    assert camera.view is not None, 'checked before'
    nodes = {node.node_id: node for node in map(read_node, graph['nodes'])}
    only = nodes[camera.room].box if camera.room in nodes else None
    ground = only.bottom if only else None
    steep = camera.view.rotation[0] > _STEEP
    rooms = frozenset(key for key, node in nodes.items() if is_room(node))
    filled = {edge['to_id'] for edge in graph['edges'] if edge['relation_type'] == INSIDE} - rooms
    found: list[tuple[Node, Box, bool]] = []
    for node in nodes.values():
        box = node.box
        if box is None or node.class_name == CHARACTER or node.node_id == camera.eyes:
            continue
        if node.node_id in rooms:
            if only is None or node.node_id == camera.room:
                wide = (box.size[0] + 2 * _WALL, box.size[1], box.size[2] + 2 * _WALL)
                found.append((node, Box(box.center, wide), True))
            continue
        if node.category in UNDRAWN or is_floor(node) or (only and not _is_in(box, only)):
            continue
        if steep and box.bottom - (ground if ground is not None else 0.0) > _OVERHEAD:
            continue
        hollow = node.is_open or (node.node_id in filled and 'CLOSED' not in node.states)
        found.append((node, box, hollow and min(box.size) > 0.05))
    for figure in figures:
        if figure.character in nodes and figure.character != camera.eyes:
            body = nodes[figure.character]
            found += [(body, box, False) for box in _body(figure.pose)]
        for key, side in zip(figure.held, (0.3, -0.3), strict=False):
            if key in nodes:
                place = figure.pose.at(side, 0.6 if figure.pose.sits else 1.1, 0.35)
                found.append((nodes[key], Box(place, (0.14, 0.14, 0.14)), False))
    middle = np.array([box.center for _, box, _ in found], np.float32).reshape(-1, 3)
    half = np.array([box.size for _, box, _ in found], np.float32).reshape(-1, 3) / 2
    return Boxes(
        [node for node, _, _ in found],
        middle - half,
        middle + half,
        np.array([hollow for _, _, hollow in found], bool),
    )


def _is_in(box: Box, room: Box) -> bool:
    """Whether the middle of a thing is in a room or its walls."""
    return all(
        abs(box.center[axis] - room.center[axis]) <= room.size[axis] / 2 + 2 * _WALL
        for axis in (0, 2)
    )


def _body(pose: Pose) -> list[Box]:
    """A figure: body, head, and a nose that says where it looks."""
    wide, tall, deep = pose.body().size
    tall -= 0.3
    return [
        Box(pose.at(0.0, tall / 2, 0.0), (wide, tall, deep)),
        Box(pose.at(0.0, tall + 0.15, 0.0), (0.24, 0.3, 0.24)),
        Box(pose.at(0.0, tall + 0.12, 0.22), (0.12, 0.12, 0.12)),
    ]
