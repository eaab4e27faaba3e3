"""The simulator as a world: the household's texts and skills, with effects over HTTP.

Names, texts, checks and scores are those of the household, applied to the graph that the simulator
sends; as in the published WAH-NL client, a skill that a check stands against is not sent at all.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from random import Random
from typing import Any

from reactree_core.errors import BridgeLostError, ConfigurationError, SkillError
from reactree_core.observation import Observation, Outcome
from sim_bridge.pictures import Picture, read_picture
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.graph_reading import check_graph, without_characters
from sim_bridge.worlds.household.nodes import CHARACTER
from sim_bridge.worlds.household.skills import (
    carry_out,
    CLOSE,
    Command,
    failed,
    failed_precondition,
    GO_TO,
    OPEN,
    PICK_UP,
    PUT_DOWN,
    Reply,
    TURN_ON,
)
from sim_bridge.worlds.household.state import HouseholdState
from sim_bridge.worlds.household.world import HouseholdWorld, load_scene, Snapshot
from sim_bridge.worlds.virtualhome_unity.client import UnityClient
from sim_bridge.worlds.virtualhome_unity.mirror import MirroredState

URL = 'http://127.0.0.1:8080'
#: `apartment:<index>`: the simulator's own scene of that index.
APARTMENT = 'apartment:'
_VERBS = {GO_TO: 'walk', PICK_UP: 'grab', OPEN: 'open', CLOSE: 'close', TURN_ON: 'switchon'}
_RENDER = json.dumps(
    {
        'find_solution': False,
        'recording': False,
        'skip_animation': True,
        'processing_time_limit': 60,
        'image_synthesis': [],
    }
)


class VirtualHomeUnityWorld(HouseholdWorld):
    """The `World` port on a simulator that speaks VirtualHome's protocol.

    :param url: where it listens.
    :param timeout: seconds that one call may take.
    :param patience: seconds to wait for a simulator that does not listen yet.
    :param options: fields of the household's `Options`.
    :raises ConfigurationError: a value cannot be used.
    """

    name = 'virtualhome_unity'
    #: Calls take as long as the simulator likes (see `WorldThread`).
    quick = False

    def __init__(
        self, url: str = URL, timeout: float = 60.0, patience: float = 10.0, **options: Any
    ) -> None:
        super().__init__(**options)
        self._client = UnityClient(url, timeout, patience)
        self._lost = ''
        #: Of the scene and the character together; 0 while unknown.
        self._cameras = 0

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load a scene and a task into the simulator.

        :param scene: 'apartment:<index>' for one of the simulator's own, or a scene of the
            household, which is sent to it; '' for the loaded one as it was first (before any:
            'apartment:0').
        :raises ConfigurationError: either cannot be loaded.
        :raises SkillError: the simulator does not answer, or refuses.
        """
        scene = scene.strip()
        if not scene and self._data is not None:
            scene, data = self._scene, self._data
        else:
            scene = scene or f'{APARTMENT}0'
            data = self._load(scene)
        # What was there is gone as soon as the simulator begins to load.
        return self._begin(scene, data, task, seed)

    def picture(self, camera: int, width: int, height: int) -> Picture:
        """What a camera of the simulator sees; see `Cameras`.

        :param camera: those of the scene, then six of the character.
        :raises SkillError: the simulator does not answer, or refuses.
        """
        if camera < 0:
            if not self._cameras:
                self._cameras = self._client.call_or_fail('camera_count').value
            camera += self._cameras
        config = {'mode': 'normal', 'image_width': width, 'image_height': height}
        images = self._client.call_or_fail('camera_image', [camera], [json.dumps(config)]).images
        try:
            return read_picture(base64.b64decode(images[0] if images else '', validate=True))
        except (ValueError, TypeError) as error:
            raise SkillError(
                f'the simulator sent a picture that is not base64: {error}'
            ) from error

    def snapshot(self) -> Snapshot:
        """Not possible.

        :raises ConfigurationError: always.
        """
        raise ConfigurationError(
            'the simulator cannot be put back to a moment of a task, only reset: use the world '
            'household for snapshots'
        )

    def displace(self, thing: str, choice: Random) -> bool:
        """Not possible.

        :raises ConfigurationError: always.
        """
        raise ConfigurationError(
            'in the simulator only its characters move things: use the world household for things '
            'that vanish'
        )

    def close(self) -> None:
        """Give the connection back."""
        self._client.close()

    def step(self, skill: str) -> Observation:
        """Do one skill; what the simulator refuses is an EXECUTION_FAILED with its reason.

        :raises SkillError: the simulator does not answer; the world looks again before the next.
        """
        if self._lost:
            self._take_over(f'after {self._lost}')
        return super().step(skill)

    def _load(self, scene: str) -> Mapping[str, Any]:
        if not scene.startswith(APARTMENT):
            return load_scene(scene)
        index = scene.removeprefix(APARTMENT).strip()
        if not (index.isascii() and index.isdigit() and len(index) < 6):
            raise ConfigurationError(f"scene {scene!r:.80} needs an index, as in 'apartment:0'")
        self._client.call_or_fail('reset', [int(index)])
        return self._client.graph()

    def _make_state(self, data: Mapping[str, Any], seed: int) -> HouseholdState:
        """Set the stage in the simulator: the scene as it is given, then the character."""
        start = HouseholdState(data, self._options, seed)
        self._client.call_or_fail('reset')
        config = {'randomize': False, 'random_seed': -1, 'animate_character': False}
        graph = json.dumps(without_characters(data))
        self._client.call_or_fail('expand_scene', [], [json.dumps(config), graph])
        character = {'character_resource': 'Chars/Male1', **_where(start.graph, start.room)}
        self._client.call_or_fail('add_character', [], [json.dumps(character)])
        self._lost = ''
        self._cameras = 0
        return MirroredState(self._client.graph(), self._options, seed)

    def _perform(self, state: HouseholdState, command: Command) -> Reply:
        assert isinstance(state, MirroredState), 'made by _make_state'
        reason = failed_precondition(state, command)
        if reason:
            return failed(state, command, reason)
        line = _line(state, command)
        self._lost = f'"{line}"'
        answer = self._client.call('render_script', [], [_RENDER, line])
        if not answer.success:
            self._lost = ''
            said = answer.message or 'no reason'
            return Reply(f'The simulator refuses: {said:.300}', Outcome.EXECUTION_FAILED)
        graph = self._client.graph()
        self._lost = ''
        try:
            state.report(graph)
            reply = carry_out(state, command)
            different = state.differs(graph['nodes'])
        except (KeyError, TypeError, AttributeError) as error:
            # The graph is not checked as a whole after every skill: it is large.
            self._lost = f'"{line}"'
            raise SkillError('the simulator sends a malformed graph: reset the world') from error
        if different:
            self._replace(graph)
            return Reply(
                f'The simulator did something else: {different}.', Outcome.EXECUTION_FAILED
            )
        return reply

    def _take_over(self, when: str) -> None:
        """Look at the simulator's graph anew.

        :raises BridgeLostError: it has forgotten the scene.
        """
        graph = self._client.graph()
        try:
            check_graph(graph)
        except ConfigurationError as error:
            raise SkillError(f'the simulator sends what is no graph: {error}') from error
        if not any(node['class_name'] == CHARACTER for node in graph['nodes']):
            raise BridgeLostError(
                f'the simulator has no character {when}: it was started anew, reset the world'
            )
        self._replace(graph)
        self._lost = ''

    def _replace(self, graph: Mapping[str, Any]) -> None:
        """Begin again from what the simulator says; what was seen and where one stands stay."""
        episode = self._now
        before = episode.state
        state = MirroredState(graph, self._options, 0)
        state.seen |= before.seen & state.graph.nodes.keys()
        state.receptacle = before.receptacle
        target = before.stand.target
        if target is not None and target in state.sight.fixture:
            if state.graph.room_of(target) == state.room and target not in state.held:
                state.stand = state.sight.position_at(state.room, target)
        state.look()
        episode.take(state)


def _line(state: HouseholdState, command: Command) -> str:
    """E.g. '<char0> [putin] <apple> (12) <fridge> (103)'."""

    def named(key: int) -> str:
        return f'<{state.graph.nodes[key].class_name}> ({key})'

    if command.verb != PUT_DOWN:
        return f'<char0> [{_VERBS[command.verb]}] {named(command.target)}'
    receptacle = state.receptacle
    assert receptacle is not None, 'checked before'
    verb = 'putin' if state.goes_in(receptacle) else 'putback'
    return f'<char0> [{verb}] {named(command.target)} {named(receptacle)}'


def _where(graph: SceneGraph, room: int) -> dict[str, Any]:
    """How `add_character` is told of a room: by its class, or by its middle if that is shared."""
    class_name = graph.nodes[room].class_name
    alike = [key for key in graph.rooms if graph.nodes[key].class_name == class_name]
    box = graph.nodes[room].box
    if len(alike) == 1 or box is None:
        return {
            'mode': 'fix_room',
            'character_position': {'x': 0.0, 'y': 0.0, 'z': 0.0},
            'initial_room': class_name,
        }
    x, y, z = box.center
    position = {'x': x, 'y': y, 'z': z}
    return {'mode': 'fix_position', 'character_position': position, 'initial_room': ''}
