"""The skills of a running bridge, for commands that need no planner."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable

from reactree_core.cancellation import CancelToken
from reactree_planner.ros.bridge_services import SkillDeadlines
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_tools.output import Output
from reactree_tools.plain_text import visible
from reactree_tools.ros.session import Session

#: Skills of a list that are shown; the rest is counted.
_SHOWN = 50


def find_skills(session: Session, cancel: CancelToken, approved: bool = False) -> RosSkillServer:
    """The skill server in a session's namespace.

    :param approved: whether a person has approved all that is done; rules may still deny skills.
    :raises SkillError: none answers. :raises CanceledError: stopped.
    """
    skills = RosSkillServer(session.node, SkillDeadlines)
    # Of its own: no skill of another run is ever executed again under its id.
    skills.run_id = uuid.uuid4().hex
    skills.all_approved = approved
    skills.find(cancel)
    return skills


def ask_approval(namespace: str, skills: Iterable[str], output: Output) -> bool:
    """Ask at the terminal whether the skills of a command may be done where a person decides.

    Nobody is asked about a simulated world, or without a terminal: rules refuse such skills then.

    :param namespace: of the bridge. :param skills: that the command may use.
    :raises SkillError: no bridge answers.
    """
    if not sys.stdin.isatty():
        return False
    with Session(namespace) as session:
        status = find_skills(session, CancelToken()).status
    if status is not None and status.simulated:
        return False
    for line in _listed(tuple(dict.fromkeys(skills))):
        output.console.print(line, markup=False, soft_wrap=True)
    output.console.print('Approve all of them, where rules want a person to decide? [yes/no]')
    try:
        return input('> ').strip().lower() == 'yes'
    except EOFError:
        return False


def _listed(skills: tuple[str, ...]) -> Iterable[str]:
    yield 'The robot may be sent:'
    yield from (f'  {visible(skill, 200)}' for skill in skills[:_SHOWN])
    if len(skills) > _SHOWN:
        yield f'  and {len(skills) - _SHOWN} more'
