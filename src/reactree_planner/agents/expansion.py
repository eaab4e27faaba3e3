"""Splitting a goal: control flow and subgoals by the model, taken or refused."""

from __future__ import annotations

from typing import NamedTuple

from reactree_core.ports import LanguageSession
from reactree_core.record import trajectory_text
from reactree_core.record.events import ControlFlow
from reactree_core.record.run_settings import Frame
from reactree_planner.agents.node_context import NodeContext, SAMPLING
from reactree_planner.agents.subgoals import split_subgoals, SubgoalCheck
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.reading.goal import Goal


class Expansion(NamedTuple):
    """How a goal is split. :param reason: why, where the model did not write it; '' else.

    :param by_milestones: whether each part is a milestone of the task.
    """

    flow: ControlFlow
    subgoals: tuple[str, ...]
    reason: str = ''
    by_milestones: bool = False


def by_milestones(reasoner: Reasoner | None, goal: Goal | None) -> Expansion | None:
    """The milestones of a task that was read whole, where it has several left."""
    if reasoner is None or goal is None or reasoner.goal.met or len(goal.milestones) < 2:
        return None
    parts = tuple('; '.join(one.text for one in step) for step in goal.steps)
    return Expansion(ControlFlow.SEQUENCE, parts, 'the task gives this order', True)


class Expander:
    """Asks for expansions of one agent node. :param check: of what its model writes."""

    def __init__(self, context: NodeContext, check: SubgoalCheck) -> None:
        self._context = context
        self._check = check
        #: Whether subgoals were written, and every list of them was refused.
        self.was_refused = False

    def propose(self) -> Expansion | None:
        """Control flow and subgoals, or None when no try was usable.

        What is known to be wrong with a list is told to the model, which writes another.

        :raises ModelError: the model failed. :raises CanceledError: stopped.
        """
        with self._context.fork() as stem:
            stem.append(trajectory_text.EXPAND + trajectory_text.BEFORE_FLOW)
            flows = prompt.FLOWS[self._context.settings.flows]
            words = [f' {trajectory_text.FLOW_WORDS[flow]}\n' for flow in flows]
            flow = flows[self._context.choose(stem, words)]
            stem.append(trajectory_text.BEFORE_SUBGOALS)
            subgoals = self._usable_subgoals(stem, flow)
        return Expansion(flow, subgoals) if subgoals else None

    def _usable_subgoals(self, stem: LanguageSession, flow: ControlFlow) -> tuple[str, ...]:
        """The first list to which nothing is objected; () when every try was refused."""
        settings = self._context.settings
        objected = ''
        self.was_refused = False
        for attempt in range(settings.expand_tries):
            line = self._list_subgoals(stem, attempt, objected)
            as_written = settings.frame is Frame.PUBLISHED
            listed = split_subgoals(line, settings.subgoals, as_written)
            objection = self._check.objection(flow, listed)
            if listed and not objection:
                return listed
            if objection:
                self.was_refused = True
                objected = f' {", ".join(listed)}\n{objection}\n{trajectory_text.BEFORE_SUBGOALS}'
        return ()

    def _list_subgoals(self, stem: LanguageSession, attempt: int, objected: str) -> str:
        """What the model writes after `- subgoals:`; greedy first, then sampled.

        :param objected: its last list, and what is wrong with that; '' for nothing.
        """
        settings = self._context.settings
        with self._context.fork(stem) as fork:
            if objected:
                fork.append(objected)
            return fork.generate(
                stop=('\n',),
                max_tokens=settings.expand_tokens,
                temperature=SAMPLING if attempt else 0.0,
                seed=settings.seed + attempt,
            )
