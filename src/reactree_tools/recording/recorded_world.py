"""The world in which a recorded run began, made anew."""

from __future__ import annotations

from reactree_core.errors import RecordingError
from reactree_core.ports import World
from reactree_planner.tree.events import Decision
from sim_bridge.worlds import make_world


def recorded_world(start: Decision, backend: str, seed: int) -> World:
    """A world in the state of a run's beginning.

    :param start: the run's START, which tells scene and task.
    :param backend: of the bridge; '' takes the household.
    :param seed: of the recorded world, for what scene and task leave open.
    :raises RecordingError: the record does not tell, or the run began in a changed world.
    :raises ConfigurationError: world, scene or task cannot be loaded here.
    """
    settings = start.settings
    scene = settings.get('scene', '')
    if not scene:
        raise RecordingError(
            'The record does not tell in which scene the run began: its bridge did not answer '
            'get_world_state. Use --bridge with a bridge in the state in which the run began.'
        )
    before = settings.get('skills_before', '0')
    if before != '0':
        raise RecordingError(
            f'The run began after {before} other skills in its world, which cannot be made anew. '
            'Reset the world before a run that is to be done again (`reactree world reset`).'
        )
    world = make_world(backend or 'household')
    world.reset(scene, settings.get('world_task', ''), seed)
    return world
