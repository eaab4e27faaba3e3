"""What facts decide: the next skill towards conditions that were read whole, without a model.

Where the goal of a node is known as conditions, the first skill of a plan for them is done without
asking; a look where something is not known; `done` once they hold; `failure`, with the missing
link, where they cannot be reached.
"""

from __future__ import annotations

from typing import NamedTuple
from typing import Protocol

from reactree_core.permission.permission import Permission
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.reasoner import Why
from reactree_planner.runs.outcome import Ending
from reactree_planner.tree.trajectory import DONE
from reactree_planner.tree.trajectory import FAILURE


def ending_of_goal(reasoner: Reasoner) -> Ending:
    """What is known of a goal's conditions: a milestone that was not met yet is missing whole."""
    found: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    reasoner.unmet()
    for milestone in reasoner.milestones[reasoner.met : -1]:
        found[False].append('; '.join(one.text for one in milestone))
    last = reasoner.milestones[-1]
    for condition in last:
        found[reasoner.holds(condition, last)].append(condition.text)
    return Ending(tuple(found[True]), tuple(found[False]), tuple(found[None]))


class Taken(NamedTuple):
    """A skill, `done` or `failure` that is taken without asking, and why."""

    skill: str
    reason: str


class PermissionRules:
    """What permission says, as the reasoner asks it: it keeps its own record of what was done."""

    def __init__(self, permission: Permission) -> None:
        self._permission = permission

    def forbids(self, skill: str) -> bool:
        """Whether a skill may not be done now."""
        return bool(self._permission.objection(skill))

    def after(self, skill: str) -> PermissionRules:
        """The same: permission records by itself what was done."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> PermissionRules:
        """Itself: what was done stays done where a world is put back."""
        return self

    @property
    def is_met(self) -> bool:
        """Whether a run may end here."""
        return not self._permission.pending()


class Guide:
    """Leads one node through milestones of a goal.

    :param until: how many milestones are met once the node is done; 0: all of them.
    """

    def __init__(self, reasoner: Reasoner, until: int = 0) -> None:
        self._reasoner = reasoner
        self._until = until or len(reasoner.milestones)

    @property
    def is_done(self) -> bool:
        """Whether the node's milestones were met."""
        self._reasoner.unmet()
        return self._reasoner.met >= self._until

    def next(self) -> Taken:
        """What is done next, and why."""
        step = self._reasoner.next()
        if self._reasoner.met >= self._until:
            return Taken(DONE, 'all that it asks for holds')
        if step.skill:
            reasons = {Why.LOOK: f'to look for {", ".join(step.look_for)}', Why.MAKE: 'a recipe'}
            return Taken(step.skill, reasons.get(step.why, 'it follows from facts'))
        assert step.unreachable is not None, 'a goal that is not met goes on, or says why not'
        return Taken(FAILURE, step.unreachable.text)
