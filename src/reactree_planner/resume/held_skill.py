"""A skill that people have canceled by "wait": the run goes on, with what is seen then."""

from __future__ import annotations

from dataclasses import replace

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.observation import Observation, Outcome
from reactree_core.ports import SettlingSkillServer, SkillServer

_WAITED = 'a person wants the robot to wait'


def executed(
    skills: SkillServer, sequence: int, node_id: int, skill: str, cancel: CancelToken
) -> Observation:
    """Run one skill to its end, or until its token ends alone.

    :raises CanceledError: the run was stopped. :raises SkillError: as `SkillServer.execute`; also
        where a canceled skill does not end.
    """
    whole = cancel.whole
    try:
        if not cancel.ends_alone:
            return skills.execute(sequence, node_id, skill, cancel)
        text = f'"{skill}" was not begun: {_WAITED}.'
    except CanceledError:
        if not cancel.ends_alone:
            raise
        text = f'"{skill}" was canceled: {_WAITED}.'
        if isinstance(skills, SettlingSkillServer):
            skills.settle(whole, fresh=True)
    seen = skills.look(whole)
    text = f'{text} What is seen now: {seen.text}'
    return replace(seen, text=text, outcome=Outcome.CANCELED, skill=skill)
