"""Decisions by facts: the next skill towards conditions that were read whole, without a model.

Where the goal of a node is known as conditions, the first skill of a plan for them is done without
asking; a look where something is not known; `done` once they hold; `failure`, with the missing
link, where they cannot be reached.

A model decides for such a goal in one case alone: in a simulated world whose server does not say
what its skills need, where a skill turns out not to be on offer and nothing reports why, until
facts know a way again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from reactree_core.record.trajectory import DONE, FAILURE
from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import Condition
from reactree_planner.facts.plan import Why
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.unreachable import hopeless
from reactree_planner.reading.reader import read_alone
from reactree_planner.runs.aims import Aims
from reactree_planner.runs.run_world import RunWorld


class Taken(NamedTuple):
    """A skill, `done` or `failure` that is taken without asking, and why."""

    skill: str
    reason: str


class Guide:
    """Leads one node through milestones of a goal.

    :param until: how many milestones are met once the node is done; 0: all of them.
    :param may_ask: whether a model may decide where facts know no way and cannot tell why.
    """

    def __init__(self, reasoner: Reasoner, until: int = 0, may_ask: bool = True) -> None:
        self._reasoner = reasoner
        self._may_ask = may_ask
        self._until = until or len(reasoner.goal.milestones)
        self._ways: dict[str, Guide] = {}

    @property
    def is_done(self) -> bool:
        """Whether the node's milestones were met."""
        self._reasoner.advance()
        return self._reasoner.goal.met >= self._until

    def next(self) -> Taken | None:
        """What is done next, and why; None where facts do not know."""
        # Asked first: a step that is not done would be missing from the plan of the next node.
        step = None if self.is_done else self._reasoner.next()
        if step is None or step.is_done:
            not_so = self._reasoner.goal.not_so
            holds = f'nothing is to be done: not so: {not_so}' if not_so else ''
            return Taken(DONE, holds or 'all that it asks for holds')
        if step.skill:
            reasons = {Why.LOOK: f'to look for {", ".join(step.look_for)}', Why.MAKE: 'a recipe'}
            return Taken(step.skill, reasons.get(step.why, 'it follows from facts'))
        assert step.unreachable is not None, 'a goal that is not met goes on, or says why not'
        why = step.unreachable
        is_left = self.may_ask and not why.is_certain
        return None if is_left else Taken(FAILURE, why.text)

    @property
    def may_ask(self) -> bool:
        """Permission to ask a model: never for a server that declares all that counts."""
        return self._may_ask and not self._reasoner.belief.names_senses

    def towards(self, skills: Iterable[str]) -> str:
        """The next skill on the way to one of these, by what it brings about; '' for none."""
        for text in skills:
            skill = self._reasoner.belief.skills.parse(text)
            effects = tuple(
                Condition(Relation.HOLDING, one.value)
                if one.relation is Relation.HOLDING
                else Condition(one.relation, one.subject, one.value)
                for one in (skill.effects() if skill is not None else ())
                if one.holds
            )
            if effects and text not in self._ways:
                self._ways[text] = Guide(self._reasoner.part((effects,)))
            step = self._ways[text].next() if effects else None
            if step is not None and step.skill not in (DONE, FAILURE):
                return step.skill
        return ''


def guide_of(
    world: RunWorld, aims: Aims, goal: str, is_whole_task: bool, until: int
) -> Guide | None:
    """What leads a node; None where the model decides.

    :param goal: of the node, in the words of whoever wrote it.
    :param is_whole_task: whether it is the run's task. :param until: how many milestones of that
        are met once the node is done; 0: it is no part of that.
    """
    reasoner = world.reasoner
    if reasoner is None:
        return None
    if is_whole_task or until:
        may_ask = aims.understanding.has_model and aims.understanding.is_simulated
        return Guide(reasoner, until, may_ask) if aims.is_read else None
    part = read_alone(goal, world.belief.names)
    if not part.whole or not part.milestones or part.never or part.rules:
        return None
    return Guide(reasoner.part(part.milestones))


def hopeless_part(world: RunWorld, goal: str) -> str:
    """Why a part of the task cannot be done, where that is known; '' elsewhere."""
    reasoner = world.reasoner
    if reasoner is None:
        return ''
    part = read_alone(goal, world.belief.names)
    if not part.whole or not part.milestones:
        return ''
    found = hopeless(reasoner.belief, part.milestones[0], reasoner.may_ever)
    return found.text if found is not None else ''
