"""A recorded run done again by a running bridge: a simulator's, or a robot."""

from __future__ import annotations

import uuid

from reactree_core.cancellation import CancelToken
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.ros.skill_client import SkillDeadlines
from reactree_tools.recording.rerun import Rerun
from reactree_tools.recording.rerun import rerun
from reactree_tools.recording.ros.run_reading import RecordedRun
from reactree_tools.ros.session import Session
from reactree_tools.ros.world_client import reset_world


def rerun_with_bridge(recorded: RecordedRun, namespace: str, seed: int) -> Rerun:
    """Reset the bridge's world to the run's scene and task, and do its skills.

    :param namespace: of the bridge. :param seed: for the reset.
    :raises ConfigurationError: the bridge does not reset its world.
    :raises SkillError: no bridge answers.
    """
    settings = recorded.start.settings
    with Session(namespace) as session:
        skills = RosSkillServer(session.node, SkillDeadlines())
        # Ids of their own: a skill of the recorded run is never executed again under its id.
        skills.run_id = uuid.uuid4().hex
        cancel = CancelToken()
        skills.find(cancel)
        reset_world(session, settings.get('scene', ''), settings.get('world_task', ''), seed)
        return rerun(recorded.events, skills, cancel)
