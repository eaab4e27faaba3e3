"""Splitting a goal: control flow and subgoals by the model, made usable by the guards."""

from __future__ import annotations

import math

from reactree_core.experience import Experience
from reactree_core.ports import LanguageSession
from reactree_planner.planners.coverage import about_the_goal
from reactree_planner.planners.coverage import completed_counts
from reactree_planner.planners.coverage import missing_things
from reactree_planner.planners.coverage import named_counts
from reactree_planner.planners.coverage import with_full_names
from reactree_planner.planners.coverage import with_names_of_goal
from reactree_planner.planners.names import words_of
from reactree_planner.planners.node_context import NodeContext
from reactree_planner.planners.run import PlanRun
from reactree_planner.planners.situation import NodeSituation
from reactree_planner.planners.subgoals import completed_search
from reactree_planner.planners.subgoals import split_subgoals
from reactree_planner.planners.subgoals import usable_subgoals
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.tree.events import ControlFlow

Expansion = tuple[ControlFlow, tuple[str, ...]]

_FLOW_OPTIONS = (ControlFlow.SEQUENCE, ControlFlow.FALLBACK, ControlFlow.PARALLEL)


class Expander:
    """Asks for expansions of one agent node.

    :param examples: whose words subgoals may use.
    """

    def __init__(
        self,
        run: PlanRun,
        context: NodeContext,
        situation: NodeSituation,
        examples: tuple[Experience, ...],
    ) -> None:
        self._run = run
        self._context = context
        self._situation = situation
        self._guards = run.settings.guards
        self._names = run.knowledge.names
        goals = [situation.goal, *situation.chain, *(example.goal for example in examples)]
        texts = [*goals, *run.knowledge.vocabulary.templates]
        self._words = frozenset(word for text in texts for word in words_of(text))

    def propose(self) -> Expansion | None:
        """Control flow and subgoals, or None when no try was usable.

        :raises ModelError: the model failed. :raises CanceledError: stopped.
        """
        with self._context.fork() as stem:
            stem.append(prompt.EXPAND + '- control flow:')
            flows = self._flows()
            words = [f' {prompt.FLOW_WORDS[flow]}\n' for flow in flows]
            flow = flows[self._run.choose(stem, words)]
            stem.append('- subgoals:')
            subgoals = self._best_subgoals(stem, flow)
        if not subgoals:
            return None
        if self._guards.complete_search and flow is ControlFlow.FALLBACK:
            unseen = self._run.knowledge.unseen
            rooms = tuple(room for room in self._situation.scope if unseen((room,)))
            subgoals = completed_search(subgoals, self._names, rooms)
        return flow, subgoals

    def _flows(self) -> tuple[ControlFlow, ...]:
        """Control flows on offer: several things are not brought by one of several ways."""
        several = named_counts(self._situation.goal, self._names).total() > 1
        if self._guards.cover_goal and several:
            return (ControlFlow.SEQUENCE, ControlFlow.PARALLEL)
        return _FLOW_OPTIONS

    def _best_subgoals(self, stem: LanguageSession, flow: ControlFlow) -> tuple[str, ...]:
        """The first flawless list of subgoals, else the best try; () when none is usable."""
        goal = self._situation.goal
        best: tuple[str, ...] = ()
        fewest = math.inf
        for attempt in range(self._run.settings.expand_tries):
            listed = split_subgoals(self._list_subgoals(stem, attempt))
            if self._guards.known_subgoals:
                listed = tuple(with_full_names(text, goal, self._names) for text in listed)
            usable = self._usable(flow, listed)
            flaws = len(listed) - len(usable)
            if self._guards.cover_goal:
                usable = with_names_of_goal(flow, usable, goal, self._names)
                usable = about_the_goal(flow, usable, goal, self._names)
                usable = completed_counts(flow, usable, goal, self._names)
                flaws += missing_things(flow, usable, goal, self._names)
            if usable and flaws < fewest:
                best, fewest = usable, flaws
            if fewest == 0:
                break
        return best

    def _list_subgoals(self, stem: LanguageSession, attempt: int) -> str:
        """What the model writes after `- subgoals:`; greedy first, then sampled."""
        settings = self._run.settings
        with self._context.fork(stem) as fork:
            return fork.generate(
                stop=('\n',),
                max_tokens=settings.expand_tokens,
                temperature=0.7 if attempt else 0.0,
                seed=settings.seed + attempt,
            )

    def _usable(self, flow: ControlFlow, subgoals: tuple[str, ...]) -> tuple[str, ...]:
        knowledge = self._run.knowledge
        instances = frozenset(
            [fact.name for fact in knowledge.memory.facts()] + list(knowledge.vocabulary.rooms)
        )
        return usable_subgoals(
            flow,
            subgoals,
            self._situation.goal,
            self._situation.chain,
            self._names,
            self._words,
            instances,
            self._guards,
        )
