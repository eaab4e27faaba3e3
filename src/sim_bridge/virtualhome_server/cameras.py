"""The calls about cameras: which there are, what they see, adding and moving them.

Indices are in the order in which cameras came: those of the scene, then what was added and what
characters brought along.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from reactree_core.errors import ConfigurationError
from sim_bridge.pictures import opencv, write_png
from sim_bridge.virtualhome_server.calls import Answer, bad, good, read_object
from sim_bridge.virtualhome_server.characters import Characters
from sim_bridge.worlds.household.nodes import is_room, Node, read_node
from sim_bridge.worlds.household.pictures.canvas import projection
from sim_bridge.worlds.household.pictures.drawing import depth_of, draw
from sim_bridge.worlds.household.pictures.views import (
    axes_of,
    Camera,
    camera_at,
    character_cameras,
    CHARACTER_VIEWS,
    Place,
    scene_cameras,
    View,
)

_MOST_IMAGES = 64
_MOST_ADDED = 256
#: Width over height of the pictures that `camera_data` is about, those of the default size.
_ASPECT = 640 / 480
#: Metres between points of a thing, and how many it has at most on a side.
_GRID, _MOST_POINTS = 0.05, 12


class Cameras:
    """The cameras of one scene.

    :param graph: the scene as it is now. :param characters: its characters; None without any.
    """

    def __init__(
        self, graph: Callable[[], dict[str, Any]], characters: Callable[[], Characters | None]
    ) -> None:
        self._graph, self._characters = graph, characters
        self.actions: dict[str, Callable[[list[Any], list[Any]], Answer]] = {
            'camera_count': self._count,
            'character_cameras': lambda ints, strings: good(json.dumps(list(self._views))),
            'camera_image': self._image,
            'camera_data': self._data,
            'point_cloud': self._point_cloud,
            'add_camera': self._add,
            'update_camera': self._update,
            'add_character_camera': self._add_to_characters,
            'update_character_camera': self._update_of_characters,
        }
        self.clear()

    def clear(self) -> None:
        """Another scene: only its own cameras are left."""
        self._views: dict[str, View] = dict(CHARACTER_VIEWS)
        #: Views that were added, and numbers of characters, in their order.
        self._order: list[View | int] = []
        self._changed: dict[int, View] = {}

    def join(self, who: int) -> None:
        """A character brings its cameras.

        :param who: its number.
        """
        self._order.append(who)

    def leave(self) -> None:
        """The characters go with their cameras."""
        self._order = [one for one in self._order if isinstance(one, View)]

    def _all(self, graph: Mapping[str, Any]) -> list[Camera]:
        nodes = {node.node_id: node for node in map(read_node, graph['nodes'])}
        rooms = sorted(key for key, node in nodes.items() if is_room(node))
        cameras = scene_cameras(nodes, rooms)
        characters = self._characters()
        for one in self._order:
            if isinstance(one, View):
                cameras.append(Camera('ADDED', one if _has_places(nodes, rooms) else None))
            elif characters is not None:
                me, room = characters.members[one].node_id, characters.room_of(one)
                cameras += character_cameras(me, room, characters.pose(one), self._views)
        for index, view in self._changed.items():
            # An expanded scene may have fewer.
            if index < len(cameras):
                cameras[index] = Camera('CHANGED', view if _has_places(nodes, rooms) else None)
        return cameras

    # Asking

    def _count(self, ints: list[int], strings: list[str]) -> Answer:
        return {**good(), 'value': len(self._all(self._graph()))}

    def _asked_for(self, graph: Mapping[str, Any], ints: list[int]) -> list[Camera]:
        if any(index < 0 for index in ints):
            raise ConfigurationError('cameras are counted from 0: ask for camera_count')
        if len(ints) > _MOST_IMAGES:
            raise ConfigurationError(f'at most {_MOST_IMAGES} cameras are asked at once')
        cameras = self._all(graph)
        return [camera_at(cameras, index) for index in ints]

    def _image(self, ints: list[int], strings: list[str]) -> Answer:
        config = read_object(strings, 'the configuration of camera_image')
        graph = self._graph()
        cameras = self._asked_for(graph, ints)
        mode = str(config.get('mode', 'normal'))
        width, height = config.get('image_width', 640), config.get('image_height', 480)
        characters = self._characters()
        figures = characters.figures() if characters is not None else []
        encoded = []
        for camera in cameras:
            if mode == 'depth':
                data = _as_tiff(depth_of(graph, camera, width, height, figures))
            else:
                data = write_png(draw(graph, camera, mode, width, height, figures))
            encoded.append(base64.b64encode(data).decode('ascii'))
        return {**good(), 'message_list': encoded}

    def _data(self, ints: list[int], strings: list[str]) -> Answer:
        cameras = self._asked_for(self._graph(), ints)
        return good(
            json.dumps(
                [_described(camera, index) for index, camera in zip(ints, cameras, strict=True)]
            )
        )

    def _point_cloud(self, ints: list[int], strings: list[str]) -> Answer:
        """Points on the boxes of things, those of each thing in a row: x, y, z, x, ..."""
        clouds = []
        for node in map(read_node, self._graph()['nodes']):
            if node.box is not None and not is_room(node):
                points = np.round(_points_on(node), 4).ravel().tolist()
                clouds.append({'id': node.node_id, 'name': node.class_name, 'points': points})
        if not clouds:
            return bad('this scene has no bounding boxes: there are no points of its things')
        return good(json.dumps(clouds))

    def seen_by(self, ints: list[int]) -> tuple[int | None, int | None]:
        """The room that a camera looks into, and the number of the character that brought it.

        :param ints: its index; without one it is the first character's.
        """
        characters, graph = self._characters(), self._graph()
        if not ints:
            return None, 0
        own = len(self._all(graph))
        for one in reversed(self._order):
            own -= 1 if isinstance(one, View) else len(self._views)
            if not isinstance(one, View) and characters is not None:
                if own <= ints[0] < own + len(self._views):
                    return characters.room_of(one), one
        return self._asked_for(graph, ints[:1])[0].room, None

    # Adding and moving

    def _add(self, ints: list[int], strings: list[str]) -> Answer:
        if len(self._order) >= _MOST_ADDED:
            return bad(f'at most {_MOST_ADDED} cameras are added')
        index = len(self._all(self._graph()))
        self._order.append(_read_view(strings, 40.0))
        return good(f'New camera created. Id:{index}')

    def _update(self, ints: list[int], strings: list[str]) -> Answer:
        if len(ints) != 1:
            return bad('update_camera needs the index of one camera in intParams')
        camera = self._asked_for(self._graph(), ints)[0]
        if camera.name in self._views:
            return bad(f'camera {ints[0]} is one of a character: use update_character_camera')
        self._changed[ints[0]] = _read_view(strings, 40.0)
        return good('Camera updated')

    def _add_to_characters(self, ints: list[int], strings: list[str]) -> Answer:
        return self._change_characters(strings, new=True)

    def _update_of_characters(self, ints: list[int], strings: list[str]) -> Answer:
        return self._change_characters(strings, new=False)

    def _change_characters(self, strings: list[str], new: bool) -> Answer:
        name = read_object(strings, 'the configuration of the camera').get('camera_name')
        if not isinstance(name, str) or not name:
            return bad('a camera of characters needs a camera_name')
        if (name in self._views) == new:
            known = ', '.join(self._views)
            return bad(f'{name:.80} is taken' if new else f'{name!r:.80} is none of: {known}')
        if new and self._characters() is not None:
            return bad('add_character_camera comes before add_character: reset first')
        if new and len(self._views) >= _MOST_IMAGES:
            return bad(f'a character has at most {_MOST_IMAGES} cameras')
        self._views[name] = _read_view(strings, 60.0)
        return good(f'Camera {name} {"created" if new else "updated"}')


def _has_places(nodes: Mapping[int, Node], rooms: list[int]) -> bool:
    return any(nodes[room].box is not None for room in rooms)


def _described(camera: Camera, index: int) -> dict[str, Any]:
    """A camera as Unity describes it: matrices column by column, as in OpenGL."""
    view = camera.view
    if view is None:
        raise ConfigurationError('this scene has no bounding boxes: its cameras have no places')
    right, up, ahead = map(np.array, axes_of(view.rotation))
    turned = np.vstack((right, up, -ahead))
    to_camera = np.eye(4)
    to_camera[:3, :3], to_camera[:3, 3] = turned, -turned @ np.array(view.position)
    return {
        'index': index,
        'name': camera.name,
        'aspect': _ASPECT,
        'field_of_view': view.field_of_view,
        'orthographic': view.extent is not None,
        'position': dict(zip('xyz', view.position, strict=True)),
        'rotation': dict(zip('xyz', view.rotation, strict=True)),
        'projection_matrix': projection(view, _ASPECT).T.ravel().tolist(),
        'world_to_camera_matrix': to_camera.T.ravel().tolist(),
    }


def _points_on(node: Node) -> Any:
    """A grid on the sides of a box: count x 3."""
    box = node.box
    assert box is not None, 'checked before'
    steps = [min(max(int(side / _GRID) + 1, 2), _MOST_POINTS) for side in box.size]
    shares = np.stack(
        np.meshgrid(*(np.linspace(-0.5, 0.5, count) for count in steps), indexing='ij'), axis=-1
    ).reshape(-1, 3)
    outer = shares[(np.abs(shares) == 0.5).any(axis=1)]
    return np.array(box.center) + outer * np.array(box.size)


def _as_tiff(depth: Any) -> bytes:
    """Metres as a picture of three equal channels of 32-bit floats."""
    done, data = opencv().imencode('.tiff', np.repeat(depth[..., None], 3, axis=2))
    if not done:
        raise ConfigurationError('OpenCV could not write depths as TIFF')
    return bytes(data.tobytes())


def _read_view(strings: list[str], usual: float) -> View:
    """The view of a call.

    :param usual: field of view where it gives none, in degrees.
    """
    config = read_object(strings, 'the configuration of the camera')
    view = View(_triple(config, 'position'), _triple(config, 'rotation'))
    angle = config.get('field_view', usual)
    if not _is_number(angle) or not 1.0 <= angle <= 170.0:
        raise ConfigurationError('field_view must be 1 to 170 degrees')
    return replace(view, field_of_view=float(angle))


def _triple(config: Mapping[str, Any], name: str) -> Place:
    value = config.get(name)
    numbers = [value.get(axis) for axis in 'xyz'] if isinstance(value, dict) else []
    if len(numbers) != 3 or not all(map(_is_number, numbers)):
        raise ConfigurationError(f'{name} must be an object with numbers x, y and z')
    x, y, z = (float(number) for number in numbers if number is not None)
    return x, y, z


def _is_number(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and abs(value) < 1e6
