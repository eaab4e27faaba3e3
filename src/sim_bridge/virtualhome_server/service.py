"""The calls of VirtualHome's Unity simulator, answered from a household.

Walking is immediate and works over any distance; closeness is that of the household
(`closeness`). `environment_graph` has CLOSE edges to all that a character is close to, hidden
things included, as the simulator's own.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from reactree_core.errors import ConfigurationError, ReactreeError
from sim_bridge.virtualhome_server import scene_preparation
from sim_bridge.virtualhome_server.calls import Answer, bad, good, read_object, read_value
from sim_bridge.virtualhome_server.cameras import Cameras
from sim_bridge.virtualhome_server.characters import Characters
from sim_bridge.virtualhome_server.graph_writing import as_json_text, GraphWriter, JsonText
from sim_bridge.virtualhome_server.script_lines import read_lines, Script
from sim_bridge.worlds.household.pictures.drawing import instance_colour
from sim_bridge.worlds.household.pictures.views import Pose
from sim_bridge.worlds.household.scenes import generate_apartment
from sim_bridge.worlds.household.state import Options
from sim_bridge.worlds.household.visibility import SHOW

_MOST_LINES = 1000
#: Calls whose message published clients read as JSON, whether or not they were refused.
_READ_AS_JSON = frozenset({'environment_graph', 'instance_colors', 'camera_data', 'point_cloud'})
#: Accepted, as clients call them on the way to something else.
_WITHOUT_EFFECT = {
    'set_time': 'the time changes nothing here',
    'activate_physics': 'nothing falls or collides here: things stay where they are put',
    'remove_terrain': 'there is no terrain here',
}
#: Calls that take no time.
_QUICK = {
    'idle',
    'reset',
    'fast_reset',
    'environment',
    'clear',
    'clear_procedural',
    'environment_graph',
    'move_character',
    'render_script',
    'camera_count',
    'character_cameras',
    'observation',
    *_WITHOUT_EFFECT,
}
#: Calls that take their turn themselves, if at all.
_FREE = {'idle', 'expand_scene', *_WITHOUT_EFFECT}
#: Seconds that a call waits for its turn when it is to be answered at once.
_MOMENT = 0.002


class VirtualHomeService:
    """The state behind the protocol; any thread may ask.

    :param scenes: graphs that `reset` chooses among by index; 1 or more, not changed.
    :param seed: for characters that are added anywhere.
    :param options: of the household.
    :raises ConfigurationError: there are no scenes, or one is malformed.

    Public: `actions` (names of all calls).
    """

    def __init__(
        self, scenes: Sequence[Mapping[str, Any]], seed: int = 0, options: Options | None = None
    ) -> None:
        if not scenes:
            raise ConfigurationError('the VirtualHome server needs a scene')
        self._scenes = [scene_preparation.completed(scene) for scene in scenes]
        # The simulator hides only what is behind a door.
        self._options = replace(options or Options(), doorless=SHOW)
        self._random = Random(f'virtualhome {int(seed)}')
        #: Held by the call that reads or changes what follows.
        self._turn = threading.Lock()
        self._index = 0
        #: Never changed, only replaced.
        self._scene = self._scenes[0]
        self._characters: Characters | None = None
        self._writer: GraphWriter | None = None
        self._written: JsonText | None = None
        self._actions: dict[str, Callable[[list[Any], list[Any]], Answer]] = {
            'idle': _noop(''),
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
            'observation': self._observation,
            'instance_colors': self._instance_colors,
            **{name: _noop(said) for name, said in _WITHOUT_EFFECT.items()},
        }
        self._cameras = Cameras(self.graph, lambda: self._characters)
        self._actions |= self._cameras.actions
        self.actions = tuple(self._actions)

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Answer one call: `success`, `message`, and `value` or `message_list` where it has one.

        What is refused has an empty list of pictures too, and a message in JSON where clients read
        that: their functions look at them before they look at `success`.

        :param request: `action`, `intParams` and `stringParams`; anything else is answered too.
        """
        said = self.reply(request)
        assert said is not None
        return {**said, 'message': str(said['message'])}

    def reply(self, request: Mapping[str, Any], at_once: bool = False) -> Answer | None:
        """The same, with a `JsonText` as the message where there is one.

        :param at_once: None instead of a call that takes long or has to wait for one that does.
        """
        name = request.get('action')
        answer = self._answer(name, request, at_once)
        if answer is None or answer['success']:
            return answer
        if isinstance(name, str) and name in _READ_AS_JSON:
            answer['message'] = json.dumps(answer['message'])
        return {'value': 0, 'message_list': [], **answer}

    def _answer(self, name: Any, request: Mapping[str, Any], at_once: bool) -> Answer | None:
        action = self._actions.get(name) if isinstance(name, str) else None
        if action is None:
            known = ', '.join(self.actions)
            return bad(f'there is no action {name!r:.80}; actions are: {known}')
        ints, strings = request.get('intParams') or [], request.get('stringParams') or []
        if not _all_are(ints, int) or not _all_are(strings, str):
            return bad('intParams must be a list of whole numbers, stringParams of strings')
        if at_once and name not in _QUICK:
            return None
        free = name in _FREE
        if not (free or self._turn.acquire(timeout=_MOMENT if at_once else -1)):
            return None
        try:
            return action(ints, strings)
        except ReactreeError as error:
            return bad(str(error))
        finally:
            if not free:
                self._turn.release()

    # Scenes

    def _reset(self, ints: list[int], strings: list[str]) -> Answer:
        if ints:
            # Published clients ask for apartments 0 to 6 whatever they bring along themselves.
            self._index = ints[0] % len(self._scenes)
        self._change(self._scenes[self._index])
        return good()

    def _clear(self, ints: list[int], strings: list[str]) -> Answer:
        """Characters go; the home stays until the next is asked for."""
        self._change(self._scene)
        return good()

    def _generate(self, ints: list[int], strings: list[str]) -> Answer:
        """A home that no file contains; the message is its seed, which makes it again."""
        seed = ints[0] if ints else self._random.randrange(1 << 31)
        self._change(scene_preparation.completed(generate_apartment(seed)))
        return good(str(seed))

    def _change(self, scene: scene_preparation.Graph) -> None:
        self._scene, self._characters, self._writer, self._written = scene, None, None, None
        self._cameras.clear()

    def _environment_graph(self, ints: list[int], strings: list[str]) -> Answer:
        if self._written is None:
            self._written = self._write()
        return good(self._written)

    def graph(self) -> dict[str, Any]:
        """The scene as it is now."""
        if self._characters is None:
            return self._scene
        state = self._characters.state
        self._characters.write_others()
        return state.graph.to_dict(state.sight.in_reach(state.stand))

    def _write(self) -> JsonText:
        if self._characters is None or self._writer is None:
            return as_json_text(self._scene)
        state = self._characters.state
        self._characters.write_others()
        return self._writer.write([(state.graph.character, state.sight.in_reach(state.stand))])

    def _expand_scene(self, ints: list[int], strings: list[str]) -> Answer:
        if len(strings) < 2:
            return bad('expand_scene needs stringParams: configuration and graph')
        graph = read_value(strings[1], 'the graph')
        if not isinstance(graph, dict):
            return bad('the graph of expand_scene must be an object with nodes and edges')
        # Large homes take seconds: others go on meanwhile.
        before = self._scene
        scene, remarks = self._expanded(before, graph)
        with self._turn:
            if self._scene is not before:
                scene, remarks = self._expanded(self._scene, graph)
            characters, self._characters = self._characters, None
            self._scene, self._writer, self._written = scene, None, None
            if characters is not None:
                self._return(characters)
        return good(json.dumps(remarks) if remarks else '')

    def _expanded(
        self, scene: scene_preparation.Graph, graph: Mapping[str, Any]
    ) -> tuple[scene_preparation.Graph, dict[str, Any]]:
        new, remarks = scene_preparation.expanded(scene, graph)
        scene_preparation.complete_properties(scene, new)
        # Whatever cannot be played is refused now, not with the first step.
        return scene_preparation.completed(new), remarks

    def _return(self, characters: Characters) -> None:
        """Characters come back to their rooms in the expanded scene, empty-handed."""
        rooms = [room.node_id for room in scene_preparation.rooms_of(self._scene)]
        for number in range(len(characters.members)):
            room = characters.room_of(number)
            self._enter(room if room in rooms else rooms[0])

    # Characters

    def _add_character(self, ints: list[int], strings: list[str]) -> Answer:
        config = read_object(strings, 'the configuration of add_character')
        mode = config.get('mode', 'random')
        if mode == 'fix_room':
            room = scene_preparation.room_called(self._scene, str(config.get('initial_room', '')))
        elif mode == 'fix_position':
            room = scene_preparation.room_at(self._scene, _position(config))
        elif mode == 'random':
            rooms = scene_preparation.rooms_of(self._scene)
            if not rooms:
                return bad('the scene has no rooms: expand it with a graph that has')
            room = self._random.choice(rooms).node_id
        else:
            return bad(f'mode {mode!r:.80} is unknown: use random, fix_room or fix_position')
        self._enter(room)
        self._cameras.join(len(self._characters.members) - 1 if self._characters else 0)
        if mode == 'fix_position':
            self._stand_at(-1, room, _position(config))
        return good()

    def _move_character(self, ints: list[int], strings: list[str]) -> Answer:
        if self._characters is None:
            return bad('there is no character to move: add one')
        config = read_object(strings, 'the configuration of move_character')
        who = config.get('char_index', 0)
        if not isinstance(who, int) or not 0 <= who < len(self._characters.members):
            return bad(f'char_index must be 0 to {len(self._characters.members) - 1}')
        position = _position(config)
        self._stand_at(who, scene_preparation.room_at(self._scene, position), position)
        return good()

    def _enter(self, room: int) -> None:
        if self._characters is None:
            self._characters = Characters(self._scene, room, self._options)
        else:
            self._characters.join(room)
        self._writer, self._written = GraphWriter(self._characters.state.graph), None

    def _stand_at(self, who: int, room: int, position: Mapping[str, Any]) -> None:
        assert self._characters is not None, 'checked before'
        with self._characters.acting(who % len(self._characters.members)) as state:
            state.go_to_room(room)
            self._characters.settle()
            box = state.graph.nodes[room].box
            floor = box.bottom if box else position['y']
            self._characters.me.pose = Pose(position['x'], floor, position['z'])
        self._written = None

    # Scripts

    def _render_script(self, ints: list[int], strings: list[str]) -> Answer:
        config = read_object(strings, 'the configuration of render_script')
        characters = self._characters if config.get('skip_execution') is not True else None
        answer = self._run(characters, strings[1:], config.get('find_solution') is True)
        if answer['success'] and config.get('recording') is True:
            answer['message']['recording'] = (
                'nothing was recorded: run lines one by one and ask camera_image after each'
            )
        return {**answer, 'message': json.dumps(answer['message'])}

    def _check_script(self, ints: list[int], strings: list[str]) -> Answer:
        answer = self._run(None, strings, find=False)
        return {**answer, 'message': json.dumps(answer['message'])}

    def _run(self, characters: Characters | None, lines: list[str], find: bool) -> dict[str, Any]:
        """Run a script; on a copy of the home if no characters are given."""
        if self._characters is None:
            raise ConfigurationError('there is no character to do it: call add_character first')
        if len(lines) > _MOST_LINES:
            raise ConfigurationError(f'a script has at most {_MOST_LINES} lines')
        read = read_lines(lines)
        if characters is not None:
            self._written = None
        script = Script(characters or self._characters.copy(), find)
        message: dict[str, Any] = {}
        for number, together in enumerate(read):
            failed = False
            for line in together:
                reason = script.perform(line)
                failed |= bool(reason)
                message[str(line.step.who)] = (
                    {'line': number, 'message': reason} if reason else {'message': 'Success'}
                )
            if failed:
                return {'success': False, 'message': message}
        return {'success': True, 'message': message or {'0': {'message': 'Success'}}}

    # Seeing

    def _observation(self, ints: list[int], strings: list[str]) -> Answer:
        if self._characters is None:
            return bad('there is no character to see anything: add one')
        room, who = self._cameras.seen_by(ints)
        with self._characters.acting(who or 0) as state:
            if who is not None:
                seen: list[int] = list(state.visible())
            else:
                rooms = state.graph.rooms if room is None else (room,)
                seen = [key for one in rooms for key in state.sight.visible(one)]
            nodes = state.graph.nodes
        return good(json.dumps({str(key): nodes[key].class_name for key in seen}))

    def _instance_colors(self, ints: list[int], strings: list[str]) -> Answer:
        colours = {
            str(node['id']): [part / 255 for part in instance_colour(node['id'])]
            for node in self.graph()['nodes']
        }
        return good(json.dumps(colours))


def _noop(said: str) -> Callable[[list[Any], list[Any]], Answer]:
    """A call without effect that says so."""
    return lambda ints, strings: good(said)


def _position(config: Mapping[str, Any]) -> Mapping[str, Any]:
    position = config.get('character_position')
    if not isinstance(position, dict):
        raise ConfigurationError('character_position must be an object with x, y and z')
    return position


def _all_are(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(
        isinstance(value, kind) and not isinstance(value, bool) for value in values
    )
