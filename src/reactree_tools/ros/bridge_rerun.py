"""A recorded run done again by a running bridge: a simulator's, or a robot."""

from __future__ import annotations

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, SkillError
from reactree_tools.recording.rerun import check_began_fresh, Rerun, rerun
from reactree_tools.recording.ros.run_reading import RecordedRun
from reactree_tools.ros.bridge_skills import find_skills
from reactree_tools.ros.session import reset_world, Session


def rerun_with_bridge(
    recorded: RecordedRun, namespace: str, seed: int, reset: bool = True, approved: bool = False
) -> Rerun:
    """Do a run's skills with a bridge in the state in which the run began.

    :param namespace: of the bridge. :param seed: for the reset.
    :param reset: to the run's scene and task; False where somebody has seen to that, which is the
        only way with a robot. :param approved: whether a person has approved the run's skills.
    :raises RecordingError: no reset leads to where the run began.
    :raises ConfigurationError: the bridge does not reset its world.
    :raises SkillError: no bridge answers.
    """
    if reset:
        check_began_fresh(recorded.start)
    with Session(namespace) as session:
        cancel = CancelToken()
        skills = find_skills(session, cancel, approved)
        if reset:
            _reset(session, recorded, seed)
        return rerun(recorded.events, skills, cancel)


def _reset(session: Session, recorded: RecordedRun, seed: int) -> None:
    settings = recorded.start.settings
    try:
        reset_world(session, settings.scene, settings.world_task, seed)
    except (ConfigurationError, SkillError) as error:
        raise ConfigurationError(
            f'The bridge was not reset to the initial state of the run: {error} Bring a robot to '
            'that state by hand, and add --no-reset.'
        ) from error
