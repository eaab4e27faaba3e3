"""The skills of a running bridge, for commands that need no planner."""

from __future__ import annotations

import uuid

from reactree_core.cancellation import CancelToken
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.ros.skill_client import SkillDeadlines
from reactree_tools.ros.session import Session


def find_skills(session: Session, cancel: CancelToken) -> RosSkillServer:
    """The skill server in a session's namespace.

    :raises SkillError: none answers. :raises CanceledError: stopped.
    """
    skills = RosSkillServer(session.node, SkillDeadlines)
    # Of its own: no skill of another run is ever executed again under its id.
    skills.run_id = uuid.uuid4().hex
    # Who gives such a command wants its skills done; a rule of the skill server may deny them.
    skills.all_approved = True
    skills.find(cancel)
    return skills
