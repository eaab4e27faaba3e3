"""How a node goes on whose subgoals have failed, or have left out what the task asks for.

What follows from facts is done without asking: parts that hold are dropped, those not begun are
kept, those that failed are tried again where something was learned since, and what the conditions
of the task still lack is added. Else the model is asked once for other subgoals. Every repair
spends one of the run's, none is the same as an earlier one in the same state, and where nothing
can be tried nothing is asked. So a run ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass

from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_core.usage import LlmUsage
from reactree_core.usage import NO_USAGE
from reactree_planner.agents.goal_reading import GoalReading
from reactree_planner.agents.offering import asks_no_more
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.subgoal_checks import brings_about
from reactree_planner.agents.subgoal_checks import infeasible
from reactree_planner.agents.subgoal_checks import not_covered
from reactree_planner.agents.subgoal_checks import written_in_order
from reactree_planner.agents.subgoals import search_of
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.conditions import conditions_of
from reactree_planner.instructions.coverage import named_counts
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.prompting.reactree_prompt import single_line
from reactree_planner.runs.outcome import Ending
from reactree_planner.runs.run import PlanRun
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import MOST_SUBGOALS
from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.snapshot import TreeNode

#: Letters of what a subgoal is told to have failed by.
_LONGEST_FAULT = 200
#: Letters of a line that tells the model what became of a goal.
_LONGEST_LINE = 600
#: Letters of all these lines.
_LONGEST_TOLD = 2400
_ROOT = 1
#: Repairs that are left to the root, which knows what the task asks for.
_KEPT_FOR_ROOT = 1


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """How a node goes on.

    :param subgoals: () where its goal holds already. :param reason: for people.
    """

    flow: ControlFlow
    subgoals: tuple[str, ...]
    reason: str
    usage: LlmUsage = NO_USAGE


#: Asks the model how a node may go on, given lines of what was done; None where it gives up.
AskRepair = Callable[[str], RepairPlan | None]


class Repairer:
    """Decides about the repairs of one run."""

    def __init__(self, run: PlanRun) -> None:
        self._run = run
        self._begun: dict[int, object] = {}
        self._failures: Counter[str] = Counter()
        #: Subgoals that were tried, and what was known then.
        self._tried: set[tuple[tuple[str, ...], object]] = set()
        #: Nodes for which the model was asked, and what was known then.
        self._asked: set[tuple[int, object]] = set()

    def begin(self, node_id: int) -> None:
        """Take note of what is known as a node begins."""
        self._begun[node_id] = self._run.belief.known_state()

    def has_tried(self, subgoals: tuple[str, ...]) -> bool:
        """Whether these subgoals were a repair, or failed, with just what is known now."""
        return (subgoals, self._run.belief.known_state()) in self._tried

    def verdict(self, node_id: int, success: bool) -> bool:
        """How a node ends that is not repaired; the facts overrule what its subgoals say."""
        run = self._run
        ending = self._ending(node_id)
        if run.belief.observation.over or not self._ends_truly:
            return success
        if success and ending.missing:
            run.overrule(node_id, False, ending.lack)
            return False
        if not success and ending.holds:
            run.overrule(node_id, True, 'everything asked for holds')
            return True
        return success

    @property
    def _ends_truly(self) -> bool:
        return self._run.settings.guards.true_ends

    def _ending(self, node_id: int) -> Ending:
        return self._run.ending if node_id == _ROOT else Ending()

    def plan_for(self, node_id: int, success: bool, ask: AskRepair) -> RepairPlan | None:
        """How a node goes on whose subgoals have ended; None where it does not.

        :raises ReactreeError: the run may decide no more, or the model failed.
        """
        run = self._run
        ending = self._ending(node_id)
        kept = 0 if node_id == _ROOT else _KEPT_FOR_ROOT
        if run.belief.observation.over or run.repairs_left <= kept:
            return None
        if success and not (ending.missing and self._ends_truly):
            return None
        if ending.holds and self._ends_truly:
            return None
        run.before_decision()
        control = run.tree.children(node_id)[-1]
        parts = run.tree.children(control.node_id)
        failed = [part for part in parts if part.status is NodeStatus.FAILURE]
        self._failures.update(part.goal for part in failed)
        missing = self._within_reach(conditions_of(ending.missing))
        for one in missing:
            if one.relation is Relation.IN:
                run.belief.take_again(one.subject, one.value)
        plan = self._from_facts(ControlFlow(control.kind), parts, failed, ending, missing)
        hopeless = ending.missing and not missing
        if plan is None and not (success or hopeless or all(map(self._is_hopeless, failed))):
            plan = self._asked_for(node_id, parts, ask)
        if plan is not None:
            self._tried.add((plan.subgoals, run.belief.known_state()))
        return plan

    def _from_facts(
        self,
        flow: ControlFlow,
        parts: tuple[TreeNode, ...],
        failed: list[TreeNode],
        ending: Ending,
        missing: tuple[Condition, ...],
    ) -> RepairPlan | None:
        """What follows without asking; None where nothing does, or it was tried.

        :param missing: what is within reach of what the task lacks.
        """
        why = f'"{failed[0].goal}" failed' if failed else ending.lack.rstrip('.')
        if flow is ControlFlow.FALLBACK:
            subgoals = self._other_ways(parts)
            if not subgoals and missing:
                flow, subgoals = self._written(missing)
        else:
            left = [part for part in parts if part.status is not NodeStatus.SUCCESS]
            left = [part for part in left if not self._holds(part, parts)]
            if not left and not missing and failed and not ending.missing:
                return RepairPlan(flow, (), 'every part of it holds')
            subgoals = tuple(part.goal for part in left if self._is_worthwhile(part))
            if missing:
                subgoals = self._without_detours(subgoals, failed, missing)
                flow, subgoals = self._with_missing(flow, subgoals, missing)
                subgoals = self._hopeful_first(flow, subgoals)
            elif len(subgoals) < len(left):
                # A part that cannot be done as it is said needs another.
                return None
        if not subgoals or self.has_tried(subgoals):
            return None
        return RepairPlan(flow, subgoals, why)

    def _without_detours(
        self, subgoals: tuple[str, ...], failed: list[TreeNode], missing: tuple[Condition, ...]
    ) -> tuple[str, ...]:
        """Subgoals without those that bring about nothing, where the rest does all that is asked:
        those that failed, and all where conditions tell the whole task.
        """
        belief = self._run.belief
        goals = set(subgoals)
        rest = tuple(
            subgoal
            for subgoal in subgoals
            if subgoal not in goals or any(brings_about(subgoal, one, belief) for one in missing)
        )
        return subgoals if not_covered(rest, missing, belief) else rest

    def _with_missing(
        self, flow: ControlFlow, subgoals: tuple[str, ...], missing: tuple[Condition, ...]
    ) -> tuple[ControlFlow, tuple[str, ...]]:
        """Subgoals that bring all that the task lacks: these, where they do, else written ones."""
        run = self._run
        if not not_covered(subgoals, missing, run.belief):
            return flow, subgoals
        about = {class_and_number(name)[0] for one in run.conditions for name in one.names}
        find = run.belief.names.find
        # Parts that no condition speaks of stay.
        further = [
            subgoal
            for subgoal in subgoals
            if about.isdisjoint(mention.name for mention in find(subgoal))
        ]
        written_flow, written = self._written(missing)
        return (flow if further else written_flow), (*written, *further)[:MOST_SUBGOALS]

    def _hopeful_first(self, flow: ControlFlow, subgoals: tuple[str, ...]) -> tuple[str, ...]:
        """What failed again and again is done last, so that the rest is reached, if it may be."""
        last = sorted(subgoals, key=lambda subgoal: max(0, self._failures[subgoal] - 1))
        stays = self._is_ordered or infeasible(flow, last, self._run.belief)
        return subgoals if stays else tuple(last)

    def _written(self, missing: tuple[Condition, ...]) -> tuple[ControlFlow, tuple[str, ...]]:
        return written_in_order(missing, self._run.belief, self._run.goal)

    @property
    def _is_ordered(self) -> bool:
        """Whether the task tells in which order it wants what it asks for."""
        belief = self._run.belief
        return GoalReading(self._run.goal, (), belief.names, belief.skills).ordered

    def _within_reach(self, conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        """Those whose things are known, or may still be found or made."""
        belief = self._run.belief
        if belief.exploration.unseen(belief.vocabulary.rooms):
            return conditions
        find = belief.names.find_all
        return tuple(
            one for one in conditions if all(self._are_known(find(name)) for name in one.names)
        )

    def _are_known(self, mentions: tuple[Mention, ...]) -> bool:
        """Whether movable things among them were seen, where that is told and none is made."""
        belief = self._run.belief
        if not belief.tells_facts or belief.skills.of_kind(SkillKind.MAKE):
            return True
        known = (*(fact.name for fact in belief.memory.facts()), *belief.observation.held)
        things = [one for one in mentions if one.kind is NameKind.THING]
        return all(any(one.matches(name) for name in known) for one in things)

    def _situation(self, part: TreeNode) -> NodeSituation:
        chain = tuple(above.goal for above in self._run.tree.ancestors(part.node_id))
        return NodeSituation(part.goal, chain, self._run.belief)

    def _holds(self, part: TreeNode, parts: tuple[TreeNode, ...]) -> bool:
        """Whether facts show that nothing of a part is left to do.

        Not of one that shares its things with others: what holds may be their work.
        """
        names = self._run.belief.names
        own = named_counts(part.goal, names)
        shared = any(own & named_counts(one.goal, names) for one in parts if one is not part)
        return not shared and asks_no_more(self._situation(part))

    def _is_worthwhile(self, part: TreeNode) -> bool:
        """Whether a part may succeed now: it was not begun, or something is different since."""
        if part.status is NodeStatus.IDLE or self._fault_below(part.node_id):
            return True
        changed = self._begun.get(part.node_id) != self._run.belief.known_state()
        return changed and not self._is_hopeless(part)

    def _is_hopeless(self, part: TreeNode) -> bool:
        """Whether a part has failed by no skill, but for a thing of which none is known, with
        nothing left to look at.
        """
        if self._fault_below(part.node_id):
            return False
        situation = self._situation(part)
        return not situation.left_to_look_at() and not self._are_known(situation.wanted)

    def _other_ways(self, parts: tuple[TreeNode, ...]) -> tuple[str, ...]:
        """Ways of a search that lead to where its thing was seen since, or to what is unseen; else
        those in which a skill failed.
        """
        belief = self._run.belief
        goals = tuple(part.goal for part in parts)
        faulty = tuple(part.goal for part in parts if self._fault_below(part.node_id))
        wording, ways = search_of(goals, belief.names)
        if not wording:
            return faulty
        situation = self._situation(parts[0])
        things = [one for one in situation.wanted if one.kind is NameKind.THING]
        seen = [
            fact.room or fact.receptacle
            for mention in things
            for fact in belief.memory.facts(mention.name)
            if mention.matches(fact.name) and not belief.is_in_its_place(fact.name)
        ]
        looked_in = [place for goal, place in ways.items() if goal not in faulty]
        unseen = [
            room
            for room in belief.vocabulary.rooms
            if room not in looked_in and belief.exploration.unseen((room,))
        ]
        where = [place for place in dict.fromkeys((*seen, *unseen)) if place]
        return tuple(wording.replace('\0', place) for place in where)[:MOST_SUBGOALS] or faulty

    def _fault_below(self, node_id: int) -> str:
        """The last skill that failed in a node or below it, and what was said; '' for none."""
        faults = self._run.world.failed_skills
        found = [faults[below] for below in self._nodes_below(node_id) if below in faults]
        return single_line(found[-1], _LONGEST_FAULT) if found else ''

    def _nodes_below(self, node_id: int) -> Iterator[int]:
        yield node_id
        for child in self._run.tree.children(node_id):
            yield from self._nodes_below(child.node_id)

    def _asked_for(
        self, node_id: int, parts: tuple[TreeNode, ...], ask: AskRepair
    ) -> RepairPlan | None:
        """What the model says, where it may know more than when it wrote the subgoals."""
        run = self._run
        now = run.belief.known_state()
        changed = self._begun.get(node_id) != now or self._fault_below(node_id)
        if not changed or (node_id, now) in self._asked:
            return None
        self._asked.add((node_id, now))
        # What has failed is no repair in this state, whoever says so.
        self._tried.add((tuple(part.goal for part in parts), now))
        plan = ask(self._told(node_id))
        return None if plan is None or self.has_tried(plan.subgoals) else plan

    def _told(self, node_id: int) -> str:
        """Lines for the model: what was done, what failed and why, what is known."""
        run = self._run
        parts = [
            part
            for control in run.tree.children(node_id)
            for part in run.tree.children(control.node_id)
        ]
        done = dict.fromkeys(part.goal for part in parts if part.status is NodeStatus.SUCCESS)
        failed: dict[str, str] = {}
        for part in parts:
            if part.status is NodeStatus.FAILURE and part.goal not in done:
                fault = self._fault_below(part.node_id)
                failed[part.goal] = fault or failed.get(part.goal, '')
        lines = [f'Done so far: {"; ".join(done)}.'] if done else []
        for goal, why in failed.items():
            lines.append(f'Failed: {goal}{f" ({why})" if why else ""}.')
        explored = run.belief.explored_text(run.belief.vocabulary.rooms)
        lines += [explored] if explored else []
        told, room = '', _LONGEST_TOLD
        # The newest says most.
        for line in reversed(lines):
            shown = f'{single_line(line, _LONGEST_LINE)}\n'
            room -= len(shown)
            if room < 0:
                break
            told = shown + told
        return told
