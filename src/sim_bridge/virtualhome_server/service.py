"""The calls of VirtualHome's Unity simulator, answered from a household.

One character is simulated. Walking is immediate and works over any distance; closeness is that of
the household (`closeness`). `environment_graph` has CLOSE edges to all that the character is close
to, hidden things included, as the simulator's own.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_core.errors import ReactreeError
from sim_bridge.pictures import write_png
from sim_bridge.virtualhome_server import stage_setting
from sim_bridge.virtualhome_server.graph_writing import GraphWriter
from sim_bridge.virtualhome_server.script_lines import perform_line
from sim_bridge.worlds.household.drawing import CHARACTER_CAMERAS
from sim_bridge.worlds.household.drawing import draw
from sim_bridge.worlds.household.drawing import instance_colour
from sim_bridge.worlds.household.drawing import room_of_camera
from sim_bridge.worlds.household.programs.script import read_step
from sim_bridge.worlds.household.programs.script import Step
from sim_bridge.worlds.household.scenes import generate_apartment
from sim_bridge.worlds.household.state import HouseholdState
from sim_bridge.worlds.household.state import Options

_MOST_LINES = 1000
_MOST_CAMERAS = 64
#: Calls whose message published clients read as JSON, whether or not they were refused.
_READ_AS_JSON = frozenset({'environment_graph', 'instance_colors', 'camera_data', 'point_cloud'})

Answer = dict[str, Any]


class VirtualHomeService:
    """The state behind the protocol. Not thread-safe.

    :param scenes: graphs that `reset` chooses among by index; 1 or more, not changed.
    :param seed: for characters that are added anywhere.
    :param options: of the household.
    :raises ConfigurationError: there are no scenes, or one is malformed.
    """

    def __init__(
        self, scenes: Sequence[Mapping[str, Any]], seed: int = 0, options: Options | None = None
    ) -> None:
        if not scenes:
            raise ConfigurationError('the VirtualHome server needs a scene')
        self._scenes = [stage_setting.without_characters(scene) for scene in scenes]
        self._options = options or Options()
        self._random = Random(f'virtualhome {int(seed)}')
        self._index = 0
        self._scene = self._scenes[0]
        self._state: HouseholdState | None = None
        self._writer: GraphWriter | None = None
        self._written: str | None = None
        self._actions: dict[str, Callable[[list[Any], list[Any]], Answer]] = {
            'idle': lambda ints, strings: _good(),
            'reset': self._reset,
            'fast_reset': self._reset,
            'clear': self._clear,
            'environment': self._reset,
            'clear_procedural': self._clear,
            'procedural_generation': self._generate,
            'environment_graph': self._environment_graph,
            'expand_scene': self._expand_scene,
            'add_character': self._add_character,
            'move_character': self._move_character,
            'check_script': self._check_script,
            'render_script': self._render_script,
            'camera_count': self._camera_count,
            'character_cameras': lambda ints, strings: _good(json.dumps(CHARACTER_CAMERAS)),
            'camera_image': self._camera_image,
            'observation': self._observation,
            'instance_colors': self._instance_colors,
        }

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Answer one call: `success`, `message`, and `value` or `message_list` where it has one.

        What is refused has an empty list of pictures too, and a message in JSON where clients read
        that: their functions look at them before they look at `success`.

        :param request: `action`, `intParams` and `stringParams`; anything else is answered too.
        """
        name = request.get('action')
        answer = self._answer(name, request)
        if answer['success']:
            return answer
        if isinstance(name, str) and name in _READ_AS_JSON:
            answer['message'] = json.dumps(answer['message'])
        return {'value': 0, 'message_list': [], **answer}

    def _answer(self, name: Any, request: Mapping[str, Any]) -> Answer:
        action = self._actions.get(name) if isinstance(name, str) else None
        if action is None:
            known = ', '.join(self._actions)
            return _bad(f'there is no action {name!r:.80}; actions are: {known}')
        ints, strings = request.get('intParams') or [], request.get('stringParams') or []
        if not _all_are(ints, int) or not _all_are(strings, str):
            return _bad('intParams must be a list of whole numbers, stringParams of strings')
        try:
            return action(ints, strings)
        except ReactreeError as error:
            return _bad(str(error))

    # Scenes

    def _reset(self, ints: list[int], strings: list[str]) -> Answer:
        if ints:
            # Published clients ask for apartments 0 to 6 whatever they bring along themselves.
            self._index = ints[0] % len(self._scenes)
        self._change(self._scenes[self._index])
        return _good()

    def _clear(self, ints: list[int], strings: list[str]) -> Answer:
        """Characters go; the home stays until the next is asked for."""
        self._change(self._scene)
        return _good()

    def _generate(self, ints: list[int], strings: list[str]) -> Answer:
        """A home that no file contains; the message is its seed, which makes it again."""
        seed = ints[0] if ints else self._random.randrange(1 << 31)
        self._change(stage_setting.without_characters(generate_apartment(seed)))
        return _good(str(seed))

    def _change(self, scene: stage_setting.Graph) -> None:
        self._scene, self._state, self._writer, self._written = scene, None, None, None

    def _environment_graph(self, ints: list[int], strings: list[str]) -> Answer:
        if self._written is None:
            self._written = self._write()
        return _good(self._written)

    def graph(self) -> dict[str, Any]:
        """The scene as it is now."""
        state = self._state
        if state is None:
            return self._scene
        return state.graph.to_dict(state.sight.in_reach(state.stand))

    def _write(self) -> str:
        state = self._state
        if state is None or self._writer is None:
            return json.dumps(self._scene)
        return self._writer.write(state.sight.in_reach(state.stand))

    def _expand_scene(self, ints: list[int], strings: list[str]) -> Answer:
        if self._state is not None:
            return _bad('expand_scene comes before add_character: reset first')
        if len(strings) < 2:
            return _bad('expand_scene needs stringParams: configuration and graph')
        graph = _read_json(strings[1], 'the graph')
        if not isinstance(graph, dict):
            return _bad('the graph of expand_scene must be an object with nodes and edges')
        scene, lost = stage_setting.expanded(self._scene, graph)
        # Whatever cannot be played is refused now, not with the first step.
        HouseholdState(scene, self._options, 0)
        self._change(scene)
        return _good(json.dumps({'unplaced': lost}) if lost else '')

    # Characters

    def _add_character(self, ints: list[int], strings: list[str]) -> Answer:
        if self._state is not None:
            return _bad('one character is simulated, and it is there already')
        config = _read_object(strings, 'the configuration of add_character')
        mode = config.get('mode', 'random')
        if mode == 'fix_room':
            room = stage_setting.room_called(self._scene, str(config.get('initial_room', '')))
        elif mode == 'fix_position':
            room = stage_setting.room_at(self._scene, _position(config))
        elif mode == 'random':
            rooms = stage_setting.rooms_of(self._scene)
            if not rooms:
                return _bad('the scene has no rooms: expand it with a graph that has')
            room = self._random.choice(rooms).node_id
        else:
            return _bad(f'mode {mode!r:.80} is unknown: use random, fix_room or fix_position')
        self._enter(room)
        return _good()

    def _move_character(self, ints: list[int], strings: list[str]) -> Answer:
        if self._state is None:
            return _bad('there is no character to move: add one')
        position = _position(_read_object(strings, 'the configuration of move_character'))
        self._state.go_to_room(stage_setting.room_at(self._scene, position))
        self._written = None
        return _good()

    def _enter(self, room: int) -> None:
        scene = stage_setting.with_character(self._scene, room)
        self._state, self._written = HouseholdState(scene, self._options, 0), None
        self._writer = GraphWriter(self._state.graph)

    # Scripts

    def _render_script(self, ints: list[int], strings: list[str]) -> Answer:
        config = _read_object(strings, 'the configuration of render_script')
        if config.get('skip_execution') is True:
            return self._check_script(ints, strings[1:])
        return self._run(self._state, strings[1:])

    def _check_script(self, ints: list[int], strings: list[str]) -> Answer:
        return self._run(deepcopy(self._state), strings)

    def _run(self, state: HouseholdState | None, lines: list[str]) -> Answer:
        if state is None:
            return _bad('there is no character to do it: call add_character first')
        if len(lines) > _MOST_LINES:
            return _bad(f'a script has at most {_MOST_LINES} lines')
        if state is self._state:
            self._written = None
        for number, step in enumerate(_read_lines(lines)):
            reason = (
                perform_line(state, step)
                if step.who == 0
                else f'there is no <char{step.who}>: one character is simulated'
            )
            if reason:
                return _bad(json.dumps({'0': {'line': number, 'message': reason}}))
        return _good(json.dumps({'0': {'message': 'Success'}}))

    # Cameras

    def _camera_count(self, ints: list[int], strings: list[str]) -> Answer:
        mine = len(CHARACTER_CAMERAS) if self._state is not None else 0
        return {**_good(), 'value': len(stage_setting.rooms_of(self._scene)) + mine}

    def _camera_image(self, ints: list[int], strings: list[str]) -> Answer:
        config = _read_object(strings, 'the configuration of camera_image')
        if any(camera < 0 for camera in ints):
            return _bad('cameras are counted from 0: ask for camera_count')
        if len(ints) > _MOST_CAMERAS:
            return _bad(f'at most {_MOST_CAMERAS} images are drawn at once')
        rooms = [room.node_id for room in stage_setting.rooms_of(self._scene)]
        here = self._state.room if self._state is not None else None
        graph = self.graph()
        pictures = (
            draw(
                graph,
                room_of_camera(rooms, here, camera),
                str(config.get('mode', 'normal')),
                config.get('image_width', 640),
                config.get('image_height', 480),
                self._state.place() if self._state is not None else None,
            )
            for camera in ints
        )
        encoded = [base64.b64encode(write_png(one)).decode('ascii') for one in pictures]
        return {**_good(), 'message_list': encoded}

    def _observation(self, ints: list[int], strings: list[str]) -> Answer:
        if self._state is None:
            return _bad('there is no character to see anything: add one')
        nodes = self._state.graph.nodes
        seen = {str(key): nodes[key].class_name for key in self._state.visible()}
        return _good(json.dumps(seen))

    def _instance_colors(self, ints: list[int], strings: list[str]) -> Answer:
        colours = {
            str(node['id']): [part / 255 for part in instance_colour(node['id'])]
            for node in self._scene['nodes']
        }
        return _good(json.dumps(colours))


def _read_lines(lines: list[str]) -> list[Step]:
    return [read_step(part) for line in lines for part in line.split('|')]


def _read_object(strings: list[str], what: str) -> dict[str, Any]:
    value = _read_json(strings[0], what) if strings else {}
    if not isinstance(value, dict):
        raise ConfigurationError(f'{what} must be a JSON object')
    return value


def _read_json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f'{what} is not JSON: {error}') from error


def _position(config: Mapping[str, Any]) -> Mapping[str, Any]:
    position = config.get('character_position')
    if not isinstance(position, dict):
        raise ConfigurationError('character_position must be an object with x, y and z')
    return position


def _all_are(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(
        isinstance(value, kind) and not isinstance(value, bool) for value in values
    )


def _good(message: str = '') -> Answer:
    return {'success': True, 'message': message}


def _bad(message: str) -> Answer:
    return {'success': False, 'message': message}
