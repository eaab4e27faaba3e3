"""Pictures of a home, drawn from its bounding boxes, or in words where it has none.

Every thing is a box in the colour of its class, with its name where there is room. The same
projection gives depth, normals, and which thing is seen where.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from reactree_core.errors import ConfigurationError
from sim_bridge.pictures import LARGEST_SIDE, opencv, Picture, picture_of
from sim_bridge.worlds.household.nodes import CHARACTER, is_room, Node
from sim_bridge.worlds.household.pictures.boxes import Boxes, boxes_of, Figure, SIDES
from sim_bridge.worlds.household.pictures.canvas import Canvas
from sim_bridge.worlds.household.pictures.in_words import written_down
from sim_bridge.worlds.household.pictures.views import axes_of, Camera
from sim_bridge.worlds.household.roles import name_of

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
#: Of one picture; the buffers behind it take about 40 bytes each.
_MOST_PIXELS = 3840 * 2160
_EMPTY, _FLOOR, _LINE, _RED = 58, (222, 218, 210), 0.6, (226, 72, 66)
#: How light sides are: towards east, west, up, down, north and south.
_LIGHT = np.array([0.86, 0.78, 1.0, 0.55, 0.91, 0.72], np.float32)
_LETTERS, _INK = (0.45, 0.36), (20, 20, 20)
#: At most so many names, of things of at least so many pixels; every so many pixels are looked at.
_NAMES, _LEAST_NAMED, _SPARSE = 80, 150, 3
#: Share of a name that is on what it names.
_FITS = 0.85

Colour = tuple[int, int, int]
Array = Any


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
        return written_down(graph, camera.room, width, height)
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


# What is seen of them


@dataclass(slots=True)
class _Seen:
    """A picture before it is coloured.

    :param side: index of a side of a box for each pixel, 6 x box + side; -1 where nothing is.
    :param depth: metres along the camera's axis. :param axes: right, up and ahead, 3 x 3.
    """

    boxes: Boxes
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
        seen = (SIDES @ self.axes.T) * np.array([1, 1, -1], np.float32)
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
    if camera.view is None:
        raise ConfigurationError(
            "this scene has no bounding boxes: only pictures of the mode 'normal', in words"
        )
    opencv()
    boxes = boxes_of(graph, camera, figures)
    axes = np.array(axes_of(camera.view.rotation))
    index, side, corners = boxes.sides(camera)
    canvas = Canvas(camera.view, width, height)
    canvas.fill(6 * index + side, corners, (SIDES @ axes.T)[side])
    return _Seen(boxes, canvas.side, canvas.depth(), axes)


def _colour(node: Node) -> Colour:
    if node.class_name == CHARACTER:
        return _RED
    if is_room(node):
        return _FLOOR
    red, green, blue = class_colour(node.class_name)
    # Pale, so that edges and names stand out.
    return 105 + red // 2, 105 + green // 2, 105 + blue // 2
