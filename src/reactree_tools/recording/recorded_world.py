"""The world in which a recorded run began, made anew, and the skill server in it."""

from __future__ import annotations

from reactree_core.errors import RecordingError
from reactree_planner.tree.events import Decision
from sim_bridge.in_process import InProcessSkillServer
from sim_bridge.worlds import make_world


def recorded_server(start: Decision, backend: str, seed: int) -> InProcessSkillServer:
    """A skill server whose world is in the state of a run's beginning.

    :param start: the run's START, which tells scene and task.
    :param backend: of the bridge; '' takes the household.
    :param seed: of the recorded world, for what scene and task leave open.
    :raises RecordingError: the record does not tell, or the run began in a changed world.
    :raises ConfigurationError: world, scene or task cannot be loaded here.
    """
    settings = start.settings
    if not settings.scene:
        raise RecordingError(
            'The record does not tell in which scene the run began: its bridge did not answer '
            'get_world_state. Bring a bridge into the state in which the run began, and use '
            '--bridge --no-reset.'
        )
    check_began_fresh(start)
    world = make_world(backend or 'household')
    world.reset(settings.scene, settings.world_task, seed)
    return InProcessSkillServer(
        world, lambda: world.reset(settings.scene, settings.world_task, seed)
    )


def check_began_fresh(start: Decision) -> None:
    """Whether a reset leads to where a run began.

    :raises RecordingError: it began in a world that had been changed.
    """
    before = start.settings.skills_before
    if before:
        raise RecordingError(
            f'The run began after {before} other skills in its world, which cannot be made anew. '
            'Reset the world before a run that is to be done again (`reactree world reset`), or '
            'bring a bridge into the state in which this one began and use --bridge --no-reset.'
        )
