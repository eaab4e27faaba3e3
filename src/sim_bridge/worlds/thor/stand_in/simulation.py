"""One program: actions in, events out, whatever the transport."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.stand_in import motion, restoring
from sim_bridge.worlds.thor.stand_in.arguments import Arguments, flag, number, text
from sim_bridge.worlds.thor.stand_in.frames import colour_bounds, colours, Frames
from sim_bridge.worlds.thor.stand_in.handling import HANDLING
from sim_bridge.worlds.thor.stand_in.metadata import MetadataWriter
from sim_bridge.worlds.thor.stand_in.path_queries import ASKING
from sim_bridge.worlds.thor.stand_in.scene import AGENT_HEIGHT, FLOOR_PLANS, Scene, Start
from sim_bridge.worlds.thor.stand_in.spawning import initial_random_spawn
from sim_bridge.worlds.thor.stand_in.state import (
    ActionFailedError,
    Agent,
    Failures,
    INVALID,
    MISSING,
    Settings,
    State,
)
from sim_bridge.worlds.thor.stand_in.visibility import Sight

PROCEDURAL = 'Procedural'
#: In one scene, as in the program.
MOST_AGENTS = 6
#: Pixels, of either side of a frame, and of all of it.
_LARGEST_SIDE, _MOST_PIXELS = 4096, 3840 * 2160
NO_SIZE = f'a frame has 1 to {_LARGEST_SIDE} pixels a side, and at most {_MOST_PIXELS}'

_MOTION: Mapping[str, Callable[[State, Arguments], Any]] = {
    'TeleportFull': motion.teleport,
    'Teleport': motion.teleport,
    'MoveAhead': motion.move_ahead,
    'MoveBack': motion.move_back,
    'MoveLeft': motion.move_left,
    'MoveRight': motion.move_right,
    'RotateLeft': motion.rotate_left,
    'RotateRight': motion.rotate_right,
    'LookUp': motion.look_up,
    'LookDown': motion.look_down,
    'Stand': motion.stand,
    'Crouch': motion.crouch,
    'GetReachablePositions': motion.reachable_positions,
    'InitialRandomSpawn': initial_random_spawn,
    'SetObjectPoses': restoring.set_object_poses,
    'SetObjectToggles': restoring.set_object_toggles,
    'SetStateOfAllObjects': restoring.set_state_of_all,
}
#: What changes nothing here.
_IDLE = frozenset({
    'Pass', 'Done', 'ChangeQuality', 'PausePhysicsAutoSim', 'UnpausePhysicsAutoSim',
    'AdvancePhysicsStep',
})  # fmt: skip


class Scenes(Protocol):
    """Where scenes come from."""

    def scene(self, name: str) -> Scene:
        """A scene by its name, e.g. 'FloorPlan10'; the caller may change it.

        :raises ConfigurationError: it cannot be read, or there is none.
        """

    def house(self, description: Mapping[str, Any]) -> Scene:
        """A ProcTHOR house.

        :raises ConfigurationError: it is none.
        """


@dataclass(slots=True)
class Event:
    """What the program answers.

    :param metadata: with agents and sequence id around. :param frames: field and bytes, the names
        as in HTTP ('image', 'image_depth', ...), of one agent after the other.
    """

    metadata: dict[str, Any]
    frames: list[tuple[str, bytes]] = field(default_factory=list)


class Simulation:
    """The program's world.

    :param width: pixels. :param height: pixels. :param rates: class -> share of attempts to open
        it that fail. :param seed: decides which.
    """

    def __init__(
        self,
        scenes: Scenes,
        frames: Frames,
        width: int,
        height: int,
        rates: Mapping[str, float],
        seed: int = 0,
    ) -> None:
        self._scenes = scenes
        self._frames = frames
        self.width, self.height = width, height
        self._rates, self._seed = dict(rates), seed
        self._begin(_nowhere())

    def first_event(self) -> Event:
        """What the program says before it is asked."""
        return self._event('', {}, None, None)

    def answer(self, action: Mapping[str, Any]) -> Event:
        """Do one action; whatever is wrong with it is given in the event."""
        name = action.get('action')
        name = name if isinstance(name, str) else ''
        failed: ActionFailedError | None = None
        returned: Any = None
        try:
            self._take_turn(action)
            returned = self._do(name, action)
        except ActionFailedError as error:
            failed = error
        return self._event(name, action, returned, failed)

    def _take_turn(self, action: Arguments) -> None:
        """Have the agent act that an action names; the first one where it names none."""
        self.state.active = 0
        active = number(action, 'agentId', 0.0)
        if active not in range(len(self.state.agents)):
            raise ActionFailedError(f'there is no agent {active:g}', INVALID)
        self.state.active = int(active)

    def _do(self, name: str, action: Arguments) -> Any:
        if name == 'Reset':
            return self._reset(text(action, 'sceneName'))
        if name == 'Initialize':
            return self._initialize(action)
        if name == 'CreateHouse':
            return self._create_house(action)
        if name == 'ChangeResolution':
            return self._resize(action)
        if name == 'GetScenesInBuild':
            return [*(f'{plan}_physics' for plan in FLOOR_PLANS), PROCEDURAL]
        if 'renderImage' in action:
            self.state.settings.image = flag(action, 'renderImage', True)
        if name in _MOTION:
            return _MOTION[name](self.state, action)
        if name in ASKING:
            return ASKING[name](self.state, action, self._sight)
        if name in HANDLING:
            return HANDLING[name](self.state, action, self._sight.visible(self.state))
        if name == 'GetScenePhysicsAtRest' or name in _IDLE:
            return None
        raise ActionFailedError(f'the stand-in does not know the action {name[:60]!r}', INVALID)

    def _begin(self, scene: Scene, settings: Settings | None = None) -> None:
        # Python's random() is the same in all versions; what fails follows from seed and scene.
        failures = Failures(self._rates, Random(f'opening {self._seed} {scene.name}'))
        self.state = State.begin(scene, settings or Settings(), failures)
        self._sight = Sight()
        #: Of each agent what writes its metadata, and what they say of its last action.
        self._writers, self._told = [MetadataWriter()], [_told('', None, None)]

    def _reset(self, name: str) -> None:
        plain = name.removesuffix('_physics')
        if plain == PROCEDURAL:
            scene = _nowhere()
        else:
            scene = self._found(lambda: self._scenes.scene(plain))
            scene.name = plain
        self._begin(scene)

    def _create_house(self, action: Arguments) -> None:
        house = action.get('house')
        if not isinstance(house, Mapping):
            raise ActionFailedError('the argument house is missing', MISSING)
        self._begin(self._found(lambda: self._scenes.house(house)), self.state.settings)

    def _found(self, make: Callable[[], Scene]) -> Scene:
        try:
            return make()
        except ConfigurationError as error:
            raise ActionFailedError(str(error), INVALID) from error

    def _initialize(self, action: Arguments) -> dict[str, float]:
        settings = self.state.settings
        settings.grid = number(action, 'gridSize', settings.grid) or settings.grid
        settings.visibility = number(action, 'visibilityDistance', settings.visibility)
        if not 0.0 < settings.grid <= 5.0 or not 0.0 < settings.visibility <= 1000.0:
            raise ActionFailedError('gridSize and visibilityDistance are metres above 0', INVALID)
        settings.camera_height = number(action, 'cameraY', settings.camera_height)
        view = number(action, 'fieldOfView', settings.field_of_view) or settings.field_of_view
        if not 1.0 <= view < 180.0:
            raise ActionFailedError('fieldOfView is from 1 to 180 degrees', INVALID)
        settings.field_of_view = view
        self._join(int(min(max(number(action, 'agentCount', 1.0), 1.0), MOST_AGENTS)))
        settings.image = flag(action, 'renderImage', True)
        # The later names of the same: 5.0.0 says renderInstanceSegmentation and so on.
        settings.depth = flag(action, 'renderDepthImage')
        settings.classes = flag(action, 'renderClassImage') or flag(
            action, 'renderSemanticSegmentation'
        )
        settings.instances = flag(action, 'renderObjectImage') or flag(
            action, 'renderInstanceSegmentation'
        )
        return {'cameraNearPlane': 0.1, 'cameraFarPlane': 20.0}

    def _join(self, count: int) -> None:
        """Have so many agents: those besides the first begin anew, at points as in the program."""
        state = self.state
        state.active = 0
        height, points = state.agent.position[1], state.scene.reachable
        del state.agents[1:]
        for at in range(1, count):
            if not points:
                raise ActionFailedError('there is no point for another agent')
            x, z = points[(at + 4) % len(points)]
            state.agents.append(Agent((x, height, z)))
        self._writers = [MetadataWriter() for _ in state.agents]
        self._told = [_told('Initialize', None, None) for _ in state.agents]

    def _resize(self, action: Arguments) -> None:
        width, height = number(action, 'x'), number(action, 'y')
        if not is_size(width, height):
            raise ActionFailedError(NO_SIZE, 'InvalidArgument')
        self.width, self.height = int(width), int(height)

    def _event(
        self, name: str, action: Arguments, returned: Any, failed: ActionFailedError | None
    ) -> Event:
        state = self.state
        active = state.active
        self._told[active] = _told(name, returned, failed)
        bodies: list[dict[str, Any]] = []
        frames: list[tuple[str, bytes]] = []
        for number_of in range(len(state.agents)):
            state.active = number_of
            body, shown = self._seen()
            bodies.append(body)
            frames += shown.items()
        state.active = active
        sequence = action.get('sequenceId', 0)
        return Event(
            {
                'agents': bodies,
                'activeAgentId': active,
                'sequenceId': sequence if isinstance(sequence, int) else 0,
                'thirdPartyCameras': [],
            },
            frames,
        )

    def _seen(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """What the agent that acts is given, and its frames."""
        state = self.state
        body = self._writers[state.active].write(state, self._sight.visible(state))
        frames = self._frames.draw(state, self.width, self.height)
        segmented = state.settings.instances or state.settings.classes
        ids = frames.get('image_ids')
        body.update(
            {
                'agentId': state.active,
                **self._told[state.active],
                'screenWidth': self.width,
                'screenHeight': self.height,
                'currentTime': 0.0,
                'depthFormat': 'Meters',
                'colors': colours(state) if segmented else None,
                'colorBounds': colour_bounds(ids, self.width, self.height) if ids else None,
            }
        )
        return body, frames


def _told(name: str, returned: Any, failed: ActionFailedError | None) -> dict[str, Any]:
    """What metadata say of an agent's last action."""
    return {
        'lastAction': name,
        'lastActionSuccess': failed is None,
        'errorCode': failed.code if failed else '',
        'errorMessage': str(failed) if failed else '',
        'actionReturn': returned,
    }


def is_size(width: float, height: float) -> bool:
    """Whether frames can have a size."""
    sides = all(1 <= side <= _LARGEST_SIDE and side == int(side) for side in (width, height))
    return sides and width * height <= _MOST_PIXELS


def _nowhere() -> Scene:
    """What there is before a scene is asked for."""
    return Scene(PROCEDURAL, [], [], Start((0.0, AGENT_HEIGHT, 0.0)))
