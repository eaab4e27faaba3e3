"""Frames of events: boxes drawn as for the household, or plain where speed counts.

Bytes are rows from the bottom up, red, green, blue, as the client reads them.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from sim_bridge.worlds.household.pictures.drawing import (
    class_colour,
    depth_of,
    draw,
    instance_colour,
)
from sim_bridge.worlds.household.pictures.views import Camera, View
from sim_bridge.worlds.thor.stand_in.scene import Box, Scene
from sim_bridge.worlds.thor.stand_in.state import State

#: Metres around the points where the agent can stand, and of rooms in height.
_AROUND, _TALL = 0.5, 2.7
_GREY = 127
#: Metres that depth reaches: 20 in 5.0.0 and 10 in 2.1.0.
_FAR, _FAR_LEGACY = 20.0, 10.0


class Frames:
    """Draws one event after another.

    :param drawn: whether boxes are drawn; else all pixels are grey.
    :param legacy: depth in three bytes, as 2.1.0 reads it.
    """

    def __init__(self, drawn: bool = True, legacy: bool = False) -> None:
        self.drawn, self._legacy = drawn, legacy
        #: Of each agent by its number.
        self._last: dict[int, tuple[Any, dict[str, bytes]]] = {}

    def draw(self, state: State, width: int, height: int) -> dict[str, bytes]:
        """What the agent that acts sees, as settings ask for, by the names of HTTP's fields."""
        settings = state.settings
        asked = (settings.image, settings.depth, settings.classes, settings.instances)
        if not any(asked):
            return {}
        key = (*asked, width, height, *_view_key(state)) if self.drawn else (*asked, width, height)
        last = self._last.get(state.active)
        if last is None or last[0] != key:
            last = self._last[state.active] = (key, self._make(state, width, height))
        return last[1]

    def _make(self, state: State, width: int, height: int) -> dict[str, bytes]:
        settings = state.settings
        if not self.drawn:
            grey = bytes([_GREY]) * (width * height * 3)
            names = (
                (settings.image, 'image', grey),
                (settings.depth, 'image_depth', self._depth(np.full((height, width), _FAR))),
                (settings.classes, 'image_classes', bytes(len(grey))),
                (settings.instances, 'image_ids', bytes(len(grey))),
            )
            return {name: data for wanted, name, data in names if wanted}
        graph, camera = graph_of(state), _camera(state)
        found = {}
        for wanted, name, mode in (
            (settings.image, 'image', 'normal'),
            (settings.classes, 'image_classes', 'seg_class'),
            (settings.instances, 'image_ids', 'seg_inst'),
        ):
            if wanted:
                picture = draw(graph, camera, mode, width, height)
                pixels = np.frombuffer(picture.data, np.uint8).reshape(height, width, 3)
                found[name] = pixels[::-1, :, ::-1].tobytes()
        if settings.depth:
            found['image_depth'] = self._depth(depth_of(graph, camera, width, height))
        return found

    def _depth(self, metres: Any) -> bytes:
        if not self._legacy:
            return bytes(np.minimum(metres, _FAR).astype('<f4')[::-1].tobytes())
        # 2.1.0: 256 ** 3 steps over 10 metres, the coarsest byte first; 255 is as far as it goes.
        steps = np.minimum(metres / _FAR_LEGACY, 1.0) * 255.0
        whole = np.floor(steps)
        fine = np.floor((steps - whole) * 256.0)
        finest = np.floor(((steps - whole) * 256.0 - fine) * 256.0)
        return bytes(np.stack((whole, fine, finest), axis=2).astype(np.uint8)[::-1].tobytes())


def colours(state: State) -> list[dict[str, Any]]:
    """What colours of segmented frames stand for: ids of things, and classes."""
    found = [{'name': key, 'color': [*instance_colour(number)]} for number, key in _numbers(state)]
    names = dict.fromkeys(thing.class_name for thing in state.things.values())
    return found + [{'name': name, 'color': [*class_colour(name)]} for name in names]


def colour_bounds(frame: bytes, width: int, height: int) -> list[dict[str, Any]]:
    """Where in a frame each colour is: left, bottom, right, top, rows counted from the bottom."""
    pixels = np.frombuffer(frame, np.uint8).reshape(height, width, 3).astype(np.int64)
    mixed = (pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]).ravel()
    values, where = np.unique(mixed, return_inverse=True)
    rows, columns = np.divmod(np.arange(mixed.size), width)
    found = []
    least, most = np.full((2, len(values)), mixed.size), np.full((2, len(values)), -1)
    for axis, places in enumerate((columns, rows)):
        np.minimum.at(least[axis], where, places)
        np.maximum.at(most[axis], where, places)
    for index, value in enumerate(values.tolist()):
        if value:
            colour = [value >> 16, (value >> 8) & 255, value & 255]
            bounds = [*least[:, index].tolist(), *most[:, index].tolist()]
            found.append({'color': colour, 'bounds': bounds})
    return found


def graph_of(state: State) -> dict[str, Any]:
    """A scene in VirtualHome's form, which is what is drawn."""
    nodes = [
        _node(number, f'room{number}', 'Rooms', [], box)
        for number, box in enumerate(_rooms(state.scene), start=1 << 24)
    ]
    for number, key in _numbers(state):
        thing = state.things[key]
        states = []
        if thing.is_a('openable'):
            states.append('OPEN' if thing.openness > 0.0 else 'CLOSED')
        nodes.append(_node(number, thing.class_name, 'Things', states, thing.box))
    return {'nodes': nodes, 'edges': []}


def _node(number: int, name: str, category: str, states: list[str], box: Box) -> dict[str, Any]:
    return {
        'id': number,
        'class_name': name,
        'category': category,
        'states': states,
        'bounding_box': {'center': [*box.center], 'size': [*box.size]},
    }


def _numbers(state: State) -> list[tuple[int, str]]:
    """A number of 24 bits for each thing, which stays while others come and go."""
    taken: dict[int, str] = {}
    for key in state.things:
        number = zlib.crc32(key.encode()) % (1 << 24)
        while number in taken or number == 0:
            number = (number + 1) % (1 << 24)
        taken[number] = key
    return [*taken.items()]


def _rooms(scene: Scene) -> list[Box]:
    if scene.rooms:
        corners = [room.corners for room in scene.rooms]
    elif scene.reachable:
        corners = [tuple(scene.reachable)]
    else:
        return []
    around = 0.0 if scene.rooms else _AROUND
    return [
        Box(
            (min(x for x, _ in some) - around, 0.0, min(z for _, z in some) - around),
            (max(x for x, _ in some) + around, _TALL, max(z for _, z in some) + around),
        )
        for some in corners
    ]


def _camera(state: State) -> Camera:
    rotation = (state.agent.horizon, state.agent.rotation, 0.0)
    return Camera('agent', View(state.camera(), rotation, state.settings.field_of_view))


def _view_key(state: State) -> tuple[Any, ...]:
    """What a frame depends on."""
    openness = tuple(thing.openness for thing in state.things.values() if thing.is_a('openable'))
    agent = state.agent
    return state.moved, state.camera(), agent.rotation, agent.horizon, openness
