"""Splitting a goal: control flow and subgoals by the model, made usable by the guards."""

from __future__ import annotations

import math
from typing import NamedTuple

from reactree_core.ports import LanguageSession
from reactree_planner.agents.likely import Expectations
from reactree_planner.agents.node_context import NodeContext
from reactree_planner.agents.node_context import SAMPLING
from reactree_planner.agents.search import searched
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.subgoals import search_of
from reactree_planner.agents.subgoals import split_subgoals
from reactree_planner.agents.subgoals import SubgoalRepair
from reactree_planner.instructions.asked import asks_of_names_only
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.runs.run import PlanRun
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.run_settings import Frame


class Expansion(NamedTuple):
    """How a goal is split. :param reason: why, where the model did not write it; '' else.

    :param by_milestones: whether each part is a milestone of the task.
    """

    flow: ControlFlow
    subgoals: tuple[str, ...]
    reason: str = ''
    by_milestones: bool = False


class Expander:
    """Asks for expansions of one agent node.

    :param mending: makes the lists of its model usable.
    """

    def __init__(
        self,
        run: PlanRun,
        context: NodeContext,
        situation: NodeSituation,
        mending: SubgoalRepair,
    ) -> None:
        self._run = run
        self._context = context
        self._situation = situation
        self._repair = mending

    def is_called_for(self, was_told: bool) -> bool:
        """Whether a task lacks so much that it is split before anything is done for it.

        :param was_told: whether the agent was told that something is missing.
        """
        lacked = self._repair.lacked if self._situation.reading.single is None else ()
        return len(lacked) > 1 or (bool(lacked) and was_told)

    def milestones(self) -> Expansion | None:
        """The milestones of a task that was read whole, where it has several left."""
        reasoner, goal = self._run.world.reasoner, self._run.understanding.goal
        if reasoner is None or goal is None or reasoner.met or len(goal.milestones) < 2:
            return None
        parts = tuple('; '.join(one.text for one in step) for step in goal.steps)
        return Expansion(ControlFlow.SEQUENCE, parts, 'the task tells this order', True)

    def derived(self) -> Expansion | None:
        """Subgoals that follow from the conditions of a task that is understood as a whole.

        A thing is changed before it is put away, and put into a container before that is carried.
        """
        if not self._run.settings.takes_direct_steps or self._situation.reading.single is not None:
            return None
        goal = self._situation.goal
        if not asks_of_names_only(goal, self._run.belief.names.find_all(goal)):
            return None
        written = self._repair.written()
        return written and Expansion(*written, 'the task asks for just this')

    def propose(self) -> Expansion | None:
        """Control flow and subgoals, or None when no try was usable.

        Where every try is objected to, the task's own are written from what it asks for.

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
        if not subgoals or self._repair.objection(flow, subgoals):
            written = self._repair.written()
            if written is not None:
                return Expansion(*written, 'written from what the task asks for')
            if subgoals and self._repair.has_failed(subgoals):
                return None
        if not subgoals or self._repeats_goal(subgoals):
            return None
        if self._run.settings.guards.search_order and flow is ControlFlow.FALLBACK:
            subgoals = likeliest_first(self._run, self._context, self._situation, subgoals)
        return Expansion(flow, subgoals)

    def _repeats_goal(self, subgoals: tuple[str, ...]) -> bool:
        """Whether one subgoal would stand for the whole goal of a node that is a part itself."""
        below_root = bool(self._situation.chain)
        return self._run.settings.guards.cover_goal and below_root and len(subgoals) == 1

    def _flows(self) -> tuple[ControlFlow, ...]:
        """Control flows on offer: no FALLBACK for a goal about several objects, only SEQUENCE for
        a goal that states an order.
        """
        flows = prompt.FLOWS[self._run.settings.flows]
        if self._repair.is_ordered:
            return (ControlFlow.SEQUENCE,)
        if self._repair.is_about_several:
            return tuple(flow for flow in flows if flow is not ControlFlow.FALLBACK)
        return flows

    def _best_subgoals(self, stem: LanguageSession, flow: ControlFlow) -> tuple[str, ...]:
        """The first flawless list of subgoals, else the best try; () when none is usable."""
        best: tuple[str, ...] = ()
        fewest = math.inf
        told = ''
        for attempt in range(self._run.settings.expand_tries):
            line = self._list_subgoals(stem, attempt, told)
            settings = self._run.settings
            as_written = settings.frame is Frame.PUBLISHED
            listed = split_subgoals(line, settings.subgoals, as_written)
            usable, flaws = self._repair.repaired(flow, listed)
            flaws += self._repeats_goal(usable)
            objection = self._repair.objection(flow, usable)
            flaws += bool(objection)
            if usable and flaws < fewest:
                best, fewest = usable, flaws
            if fewest == 0:
                break
            if objection:
                told = f' {", ".join(usable)}\n{objection}\n- subgoals:'
        return best

    def _list_subgoals(self, stem: LanguageSession, attempt: int, told: str) -> str:
        """What the model writes after `- subgoals:`; greedy first, then sampled.

        :param told: its last list, and what is wrong with that; '' for nothing.
        """
        settings = self._run.settings
        with self._context.fork(stem) as fork:
            if told:
                fork.append(told)
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
