"""Splitting a goal: control flow and subgoals by the model, made usable by the guards."""

from __future__ import annotations

import math

from reactree_core.ports import LanguageSession
from reactree_planner.agents.likely import Expectations
from reactree_planner.agents.node_context import NodeContext
from reactree_planner.agents.node_context import SAMPLING
from reactree_planner.agents.search import searched
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.subgoals import search_of
from reactree_planner.agents.subgoals import split_subgoals
from reactree_planner.agents.subgoals import SubgoalRepair
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.runs.run import PlanRun
from reactree_planner.tree.events import ControlFlow

Expansion = tuple[ControlFlow, tuple[str, ...]]

_FLOW_OPTIONS = (ControlFlow.SEQUENCE, ControlFlow.FALLBACK, ControlFlow.PARALLEL)


class Expander:
    """Asks for expansions of one agent node."""

    def __init__(
        self,
        run: PlanRun,
        context: NodeContext,
        situation: NodeSituation,
    ) -> None:
        self._run = run
        self._context = context
        self._situation = situation
        self._repair = SubgoalRepair(run, situation)

    def propose(self) -> Expansion | None:
        """Control flow and subgoals, or None when no try was usable.

        :raises ModelError: the model failed. :raises CanceledError: stopped.
        """
        with self._context.fork() as stem:
            stem.append(prompt.EXPAND + '- control flow:')
            flows = self._flows()
            words = [f' {prompt.FLOW_WORDS[flow]}\n' for flow in flows]
            flow = flows[self._run.model.choose(stem, words)]
            stem.append('- subgoals:')
            subgoals = self._best_subgoals(stem, flow)
        subgoals = self._repair.add_unsearched_rooms(flow, subgoals)
        if not subgoals or self._repeats_goal(subgoals):
            return None
        if self._run.settings.guards.search_order and flow is ControlFlow.FALLBACK:
            subgoals = likeliest_first(self._run, self._context, self._situation, subgoals)
        return flow, subgoals

    def _repeats_goal(self, subgoals: tuple[str, ...]) -> bool:
        """Whether one subgoal would stand for the whole goal of a node that is a part itself."""
        below_root = bool(self._situation.chain)
        return self._run.settings.guards.cover_goal and below_root and len(subgoals) == 1

    def _flows(self) -> tuple[ControlFlow, ...]:
        """Control flows on offer: no FALLBACK for a goal about several objects, only SEQUENCE for
        a goal that states an order.
        """
        if self._repair.is_ordered:
            return (ControlFlow.SEQUENCE,)
        if self._repair.is_about_several:
            return (ControlFlow.SEQUENCE, ControlFlow.PARALLEL)
        return _FLOW_OPTIONS

    def _best_subgoals(self, stem: LanguageSession, flow: ControlFlow) -> tuple[str, ...]:
        """The first flawless list of subgoals, else the best try; () when none is usable."""
        best: tuple[str, ...] = ()
        fewest = math.inf
        for attempt in range(self._run.settings.expand_tries):
            listed = split_subgoals(self._list_subgoals(stem, attempt))
            usable, flaws = self._repair.repaired(flow, listed)
            flaws += self._repeats_goal(usable)
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
                temperature=SAMPLING if attempt else 0.0,
                seed=settings.seed + attempt,
            )


def likeliest_first(
    run: PlanRun, context: NodeContext, situation: NodeSituation, subgoals: tuple[str, ...]
) -> tuple[str, ...]:
    """Sort the subgoals of a search by likely room; other subgoals keep their position.

    A place counts with the room it is in. Subgoals of one room keep their order. Nothing is asked
    where the domain has no sentence for it.

    :param context: pays for the question.
    :raises ModelError: the model failed. :raises CanceledError: stopped.
    """
    # Duplicates are dropped.
    subgoals = tuple(dict.fromkeys(subgoals))
    belief = run.belief
    things = searched(situation) if run.domain.words.usually_kept else ()
    _, ways = search_of(subgoals, belief.names)
    rooms = {}
    for subgoal, where in ways.items():
        fact = belief.memory.fact(where)
        room = where if where in belief.vocabulary.rooms else fact.room if fact else ''
        if room:
            rooms[subgoal] = room
    if not things or len(set(rooms.values())) < 2:
        return subgoals
    order = Expectations(run, context).order(things[0].name, rooms.values())
    sorted_ways = iter(sorted(rooms, key=lambda subgoal: order.index(rooms[subgoal])))
    return tuple(next(sorted_ways) if subgoal in rooms else subgoal for subgoal in subgoals)
