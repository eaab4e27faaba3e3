"""Pictures of a home, drawn from its bounding boxes, or in words where it has none.

Every thing is a box in the colour of its class. Rooms are seen from inside: floor, walls, and no
ceiling; so are open things and shelves with something in them. Not drawn are things without a
box, what is overhead when one looks down, and walls, whose boxes would cover rooms. The same
projection gives depth, normals, and which thing is seen where.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from reactree_core.errors import ConfigurationError
from sim_bridge.pictures import LARGEST_SIDE
from sim_bridge.pictures import opencv
from sim_bridge.pictures import Picture
from sim_bridge.pictures import picture_of
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.names import Names
from sim_bridge.worlds.household.nodes import Box
from sim_bridge.worlds.household.nodes import CHARACTER
from sim_bridge.worlds.household.nodes import is_floor
from sim_bridge.worlds.household.nodes import is_room
from sim_bridge.worlds.household.nodes import Node
from sim_bridge.worlds.household.nodes import read_node
from sim_bridge.worlds.household.placement import INSIDE
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.household.views import axes_of
from sim_bridge.worlds.household.views import Camera
from sim_bridge.worlds.household.views import Place
from sim_bridge.worlds.household.views import Pose
from sim_bridge.worlds.household.views import View

#: Of pictures with three bytes a pixel; `depth_of` is the other.
MODES = (
    'normal',
    'seg_inst',
    'seg_class',
    'surf_normals',
    'albedo',
    'illumination',
    'flow',
)
#: Nothing is seen farther away, in metres.
FAR = 100.0
_NEAR = 0.1
#: Width over height up to which pictures from above show all of their room.
_ASPECT = 4 / 3
#: Looking down steeper than this, in degrees, what begins so high above the ground is left out, in
#: metres: lamps, but not wall cabinets.
_STEEP, _OVERHEAD = 50.0, 2.1
#: Metres that walls stand behind the sides of a room, so that what hangs on them is seen.
_WALL = 0.12
#: Of one picture; the buffers behind it take about 40 bytes each.
_MOST_PIXELS = 3840 * 2160
_UNDRAWN = frozenset({'Walls', 'Ceiling', 'Rooms'})
_EMPTY, _FLOOR, _LINE, _RED = 58, (222, 218, 210), 0.6, (226, 72, 66)
#: How light sides are: towards east, west, up, down, north and south.
_LIGHT = np.array([0.86, 0.78, 1.0, 0.55, 0.91, 0.72], np.float32)
_SIDES = np.array(
    [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32
)
#: Corners of a box by their bits (x, y, z), and those of each side in turn.
_CORNERS = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)], np.float32)
_OF_SIDE = np.array(
    [[1, 3, 7, 5], [0, 2, 6, 4], [2, 3, 7, 6], [0, 1, 5, 4], [4, 5, 7, 6], [0, 1, 3, 2]]
)
_LETTERS, _INK = (0.45, 0.36), (20, 20, 20)
#: At most so many names, of things of at least so many pixels; every so many pixels are looked at.
_NAMES, _LEAST_NAMED, _SPARSE = 80, 150, 3
#: Share of a name that is on what it names.
_FITS = 0.85

Colour = tuple[int, int, int]
Array = Any


@dataclass(frozen=True, slots=True)
class Figure:
    """A character in a picture.

    :param held: ids of the things in its hands.
    """

    character: int
    pose: Pose
    held: tuple[int, ...] = ()


def draw(
    graph: Mapping[str, Any],
    camera: Camera,
    mode: str,
    width: int,
    height: int,
    figures: Sequence[Figure] = (),
) -> Picture:
    """What a camera sees.

    :param graph: VirtualHome's format. :param mode: one of `MODES`.
    :param width: pixels. :param height: pixels.
    :raises ConfigurationError: no such mode or size, OpenCV is missing, or there are no boxes and
        the mode is not 'normal', which then is in words.
    """
    if mode not in MODES:
        modes = ', '.join((*MODES, 'depth'))
        raise ConfigurationError(f'no image mode {mode!r:.80}; choose one of: {modes}')
    _check_size(width, height)
    if camera.view is None and mode == 'normal':
        return _write_down(graph, camera.room, width, height)
    seen = _look(graph, camera, width, height, figures)
    if mode == 'normal':
        return picture_of(seen.lit())
    if mode == 'albedo':
        return picture_of(seen.colours())
    if mode == 'illumination':
        return picture_of(np.repeat((seen.light() * 255)[..., None].astype(np.uint8), 3, axis=2))
    if mode == 'surf_normals':
        return picture_of(seen.normals())
    if mode == 'flow':
        # Between two calls nothing is under way: what moves has arrived.
        return picture_of(np.zeros((height, width, 3), np.uint8))
    return picture_of(seen.segments(mode == 'seg_inst'))


def depth_of(
    graph: Mapping[str, Any],
    camera: Camera,
    width: int,
    height: int,
    figures: Sequence[Figure] = (),
) -> Array:
    """Metres along the camera's axis for each pixel, `FAR` where nothing is: height x width.

    :raises ConfigurationError: no such size, OpenCV is missing, or there are no boxes.
    """
    _check_size(width, height)
    return _look(graph, camera, width, height, figures).depth


def projection(view: View, aspect: float) -> Array:
    """From what is right, up and ahead of a camera, in metres, to -1..1: 4 x 4, as in OpenGL.

    :param aspect: width over height of the picture.
    """
    matrix = np.zeros((4, 4))
    matrix[2, 2], matrix[2, 3] = -2 / (FAR - _NEAR), -(FAR + _NEAR) / (FAR - _NEAR)
    if view.extent:
        # As with an angle, a wider picture shows more at its sides; a narrower one all the same.
        half = max(view.extent[1], view.extent[0] / min(aspect, _ASPECT)) / 2
        matrix[0, 0], matrix[1, 1], matrix[3, 3] = 1 / (half * aspect), 1 / half, 1.0
        return matrix
    cot = 1 / np.tan(np.radians(view.field_of_view) / 2)
    matrix[0, 0], matrix[1, 1], matrix[3, 2] = cot / aspect, cot, -1.0
    matrix[2, 2], matrix[2, 3] = matrix[2, 3], -2 * FAR * _NEAR / (FAR - _NEAR)
    return matrix


def instance_colour(node_id: int) -> Colour:
    """Red, green, blue of one thing; different for ids below 2 ** 24."""
    # An odd factor permutes the numbers of 24 bits.
    mixed = (node_id * 0x9E3779B1 + 0x7F4A7C) % (1 << 24)
    return mixed >> 16, (mixed >> 8) & 255, mixed & 255


def class_colour(class_name: str) -> Colour:
    """Red, green, blue of a class."""
    return instance_colour(zlib.crc32(class_name.encode('utf-8', 'replace')) % (1 << 24))


def _check_size(width: Any, height: Any) -> None:
    for side in (width, height):
        if isinstance(side, bool) or not isinstance(side, int) or not 1 <= side <= LARGEST_SIDE:
            raise ConfigurationError(f'an image has 1 to {LARGEST_SIDE} pixels a side')
    if width * height > _MOST_PIXELS:
        raise ConfigurationError(f'an image has at most {_MOST_PIXELS} pixels: ask for a smaller')


# Which boxes there are


@dataclass(slots=True)
class _Boxes:
    """What is drawn, box by box.

    :param low: corners, count x 3. :param high: the opposite ones.
    :param hollow: whether it is seen from inside.
    """

    nodes: list[Node]
    low: Array
    high: Array
    hollow: Array


def _boxes(graph: Mapping[str, Any], camera: Camera, figures: Sequence[Figure]) -> _Boxes:
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
        if node.category in _UNDRAWN or is_floor(node) or (only and not _is_in(box, only)):
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
    return _Boxes(
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
    """A figure: body, head, and a nose that tells where it looks."""
    wide, tall, deep = pose.body().size
    tall -= 0.3
    return [
        Box(pose.at(0.0, tall / 2, 0.0), (wide, tall, deep)),
        Box(pose.at(0.0, tall + 0.15, 0.0), (0.24, 0.3, 0.24)),
        Box(pose.at(0.0, tall + 0.12, 0.22), (0.12, 0.12, 0.12)),
    ]


# What is seen of them


@dataclass(slots=True)
class _Seen:
    """A picture before it is coloured.

    :param side: index of a side of a box for each pixel, 6 x box + side; -1 where nothing is.
    :param depth: metres along the camera's axis. :param axes: right, up and ahead, 3 x 3.
    """

    boxes: _Boxes
    side: Array
    depth: Array
    axes: Array

    def colours(self) -> Array:
        """Colours of classes without light, as OpenCV has them."""
        return self._pixels([_colour(node) for node in self.boxes.nodes], _EMPTY)

    def segments(self, instances: bool) -> Array:
        """A colour for each thing, or for each class; black where nothing is."""
        return self._pixels(
            [
                instance_colour(node.node_id) if instances else class_colour(node.class_name)
                for node in self.boxes.nodes
            ],
            0,
        )

    def light(self) -> Array:
        """How light pixels are, 0..1."""
        return np.where(self.side < 0, 1.0, _LIGHT[self._facing()]).astype(np.float32)

    def normals(self) -> Array:
        """Where sides look, as the camera sees it: right, up and back as red, green, blue."""
        seen = (_SIDES @ self.axes.T) * np.array([1, 1, -1], np.float32)
        table = np.rint((seen + 1) * 127.5).astype(np.uint8)[:, ::-1]
        pixels = table[self._facing()]
        pixels[self.side < 0] = 0
        return pixels

    def lit(self) -> Array:
        """Colours in the light, with the edges of things and their names."""
        shade = self.light()
        edge = self.side[:, 1:] != self.side[:, :-1]
        shade[:, 1:][edge] *= _LINE
        edge = self.side[1:] != self.side[:-1]
        shade[1:][edge] *= _LINE
        pixels = (self.colours() * shade[..., None]).astype(np.uint8)
        self._write_names(pixels)
        return pixels

    def _facing(self) -> Array:
        """Where sides look; what is seen from inside looks the other way."""
        facing = self.side % 6
        if not len(self.boxes.hollow):
            return facing
        # Opposite sides are neighbours.
        return np.where(self.boxes.hollow[self.side // 6], facing ^ 1, facing)

    def _pixels(self, colours: Sequence[Colour], nothing: int) -> Array:
        """One of some colours for each pixel, by box; grey where nothing is."""
        table = np.array([*colours, (nothing,) * 3], np.uint8)[:, ::-1]
        return table[np.where(self.side < 0, len(colours), self.side // 6)]

    def _write_names(self, pixels: Array) -> None:
        """Names of things on them, the largest first, where there is room."""
        library = opencv()
        font = library.FONT_HERSHEY_SIMPLEX
        owner = np.where(self.side < 0, -1, self.side // 6)
        # Where things are is seen from some of the pixels.
        some = owner[::_SPARSE, ::_SPARSE].ravel() + 1
        height, width = -(-owner.shape[0] // _SPARSE), -(-owner.shape[1] // _SPARSE)
        boxes = len(self.boxes.nodes) + 1
        count = np.bincount(some, minlength=boxes)[1:]
        rows = np.bincount(some, np.repeat(np.arange(height), width), boxes)[1:] * _SPARSE
        columns = np.bincount(some, np.tile(np.arange(width), height), boxes)[1:] * _SPARSE
        taken, named = np.zeros(owner.shape, bool), set()
        from_above = self.axes[2, 1] < -0.99
        for index in np.argsort(-count, kind='stable')[:_NAMES]:
            node = self.boxes.nodes[index]
            if count[index] * _SPARSE**2 < _LEAST_NAMED or node.node_id in named:
                continue
            if is_room(node) and not from_above:
                continue
            name = 'robot' if node.class_name == CHARACTER else name_of(node.class_name)
            area = count[index] * _SPARSE**2
            sizes = [(scale, *library.getTextSize(name, font, scale, 1)) for scale in _LETTERS]
            sizes = [size for size in sizes if size[1][0] * size[1][1] * _FITS < area]
            # In the middle, or else where some of it is seen.
            spots = [(columns[index] / count[index], rows[index] / count[index])]
            if sizes:
                own = np.flatnonzero(some == index + 1)[:: max(count[index] // 8, 1)]
                spots += [(x % width * _SPARSE, x // width * _SPARSE) for x in own]
            for (x, y), (scale, (wide, tall), below) in product(spots, sizes):
                left, top = int(x - wide / 2), int(y - tall / 2)
                part = np.s_[max(top - 1, 0) : top + tall + below, max(left - 1, 0) : left + wide]
                if left < 2 or left + wide > owner.shape[1] - 2 or top < 2 or taken[part].any():
                    continue
                if (owner[part] == index).mean() > _FITS:
                    taken[part] = True
                    named.add(node.node_id)
                    place = (left, top + tall)
                    library.putText(pixels, name, place, font, scale, _INK, 1, library.LINE_AA)
                    break


def _look(
    graph: Mapping[str, Any],
    camera: Camera,
    width: int,
    height: int,
    figures: Sequence[Figure],
) -> _Seen:
    view = camera.view
    if view is None:
        raise ConfigurationError(
            "this scene has no bounding boxes: only pictures of the mode 'normal', in words"
        )
    opencv()
    boxes = _boxes(graph, camera, figures)
    axes, eye = np.array(axes_of(view.rotation)), np.array(view.position)
    flat = view.extent is not None
    # Sides that look towards the camera; of hollow boxes those that look away from it.
    if flat:
        beyond = np.broadcast_to(_SIDES @ -axes[2], (len(boxes.nodes), 6))
    else:
        beyond = np.stack([eye - boxes.high, boxes.low - eye], axis=2).reshape(-1, 6)
    shown = np.where(boxes.hollow[:, None], beyond < -1e-6, beyond > 1e-6)
    spans = (boxes.high - boxes.low)[:, None, :]
    # What is right, up and ahead of the camera.
    corners = (boxes.low[:, None, :] + spans * _CORNERS[None] - eye) @ axes.T
    shown[_in_the_way(boxes, eye, camera.subject)] = False
    index, side = np.nonzero(shown)
    sides = corners[index[:, None], _OF_SIDE[side]]
    before = sides[..., 2].max(axis=1) > _NEAR
    index, side, sides = index[before], side[before], sides[before]
    # Nearness is linear over a flat side in the picture: 1 / depth, or FAR - depth.
    normals = (_SIDES @ axes.T)[side]
    reach = (normals * sides[:, 0]).sum(axis=1)
    if flat:
        planes = np.column_stack((normals[:, :2], FAR * normals[:, 2] - reach)) / normals[:, 2:]
    else:
        planes = normals / reach[:, None]
    canvas = _Canvas(view, width, height)
    for number, polygon, plane in zip(6 * index + side, sides, planes, strict=True):
        canvas.fill(polygon, plane, number)
    return _Seen(boxes, canvas.side, canvas.depth(), axes)


def _in_the_way(boxes: _Boxes, eye: Array, subject: Place | None) -> Array:
    """Which boxes a camera is in, or look through to see its subject."""
    room = np.array([is_room(node) or node.class_name == CHARACTER for node in boxes.nodes], bool)
    around = ((boxes.low - _NEAR < eye) & (eye < boxes.high + _NEAR)).all(axis=1)
    if subject is not None:
        # Where a line enters and leaves what is between two opposite sides, 0 at the camera.
        line = np.array(subject) - eye
        line[np.abs(line) < 1e-9] = 1e-9
        cuts = np.sort(np.stack([boxes.low - eye, boxes.high - eye]) / line, axis=0)
        enters, leaves = cuts[0].max(axis=1), cuts[1].min(axis=1)
        around |= (enters < leaves) & (leaves > 0.0) & (enters < 1.0)
    return around & ~room


class _Canvas:
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

    def fill(self, corners: Array, plane: Array, side: int) -> None:
        """Draw a flat polygon where it is nearest.

        :param corners: right, up and ahead of the camera, in metres; count x 3.
        :param plane: how nearness depends on right and up, and what it is ahead.
        """
        if corners[:, 2].min() < _NEAR:
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
        np.copyto(self.side[part], side, where=better)


def _clipped(corners: Array) -> Array:
    """The part of a polygon that is before the camera."""
    kept = []
    for one, other in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if one[2] >= _NEAR:
            kept.append(one)
        if (one[2] < _NEAR) != (other[2] < _NEAR):
            kept.append(one + (other - one) * ((_NEAR - one[2]) / (other[2] - one[2])))
    return np.array(kept)


def _colour(node: Node) -> Colour:
    if node.class_name == CHARACTER:
        return _RED
    if is_room(node):
        return _FLOOR
    red, green, blue = class_colour(node.class_name)
    # Pale, so that edges and names stand out.
    return 105 + red // 2, 105 + green // 2, 105 + blue // 2


# In words


def _write_down(graph: Mapping[str, Any], room: int | None, width: int, height: int) -> Picture:
    """A picture that says what is where: room by room, place by place."""
    library = opencv()
    font = library.FONT_HERSHEY_SIMPLEX
    pixels = np.full((height, width, 3), 245, np.uint8)
    words = _words(graph, room)
    for scale in (0.5, 0.45, 0.4, 0.35, 0.3):
        lines = _wrapped(library, words, width - 16, scale)
        step = round(34 * scale) + 1
        if step * len(lines) <= height - 12:
            break
    shown = max((height - 12) // step, 1)
    if len(lines) > shown:
        lines = [*lines[: shown - 1], f'... and {len(lines) - shown + 1} lines more']
    for number, line in enumerate(lines, start=1):
        colour = (40, 40, 214) if line.startswith('robot') else (40, 40, 40)
        place = (8, number * step)
        library.putText(pixels, line, place, font, scale, colour, 1, library.LINE_AA)
    return picture_of(pixels)


def _words(graph: Mapping[str, Any], room: int | None) -> list[str]:
    """What is where, a line for each place."""
    scene = SceneGraph(graph)
    names = Names(scene.nodes)
    lines = ['This home has no bounding boxes; in words:']
    for one in scene.rooms if room is None else [room]:
        lines.append(f'{names.name[one].upper()}')
        if scene.room_of(scene.character) == one:
            held = ', '.join(names.name[key] for key in scene.held)
            lines.append(f'robot: here, holding {held or "nothing"}')
        free = []
        for key, node in scene.nodes.items():
            if node.category in _UNDRAWN or is_floor(node) or key == scene.character:
                continue
            if key in scene.parent or key in scene.held or scene.room_of(key) != one:
                continue
            upon = sorted(names.name[below] for below in _in_sight(scene, key))
            name = names.name[key] + (' (closed)' if 'CLOSED' in node.states else '')
            if upon:
                lines.append(f'{name}: {", ".join(upon)}')
            else:
                free.append(name)
        lines.append(f'besides: {", ".join(sorted(free)) or "nothing"}')
    return lines


def _in_sight(scene: SceneGraph, key: int) -> list[int]:
    """What is on or in a thing, however deep, and not behind a closed door."""
    shut = 'CLOSED' in scene.nodes[key].states
    found = []
    for below in scene.children.get(key, ()):
        if not (shut and scene.parent[below][0] == INSIDE):
            found += [below, *_in_sight(scene, below)]
    return found


def _wrapped(library: Any, words: list[str], width: int, scale: float) -> list[str]:
    """Lines that are no wider than a picture."""
    lines = []
    for line in words:
        rest = ''
        for word in line.split(' '):
            longer = f'{rest} {word}'.lstrip() if rest else word
            if rest and library.getTextSize(longer, 0, scale, 1)[0][0] > width:
                lines.append(rest)
                longer = f'   {word}'
            rest = longer
        lines.append(rest)
    return lines
