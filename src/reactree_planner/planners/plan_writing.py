"""Asking the model for a plan: a thought, steps, and an execution order (ADaPT section 3.2).

Whatever it writes, a usable plan comes out or none: steps are asked for one by one, an order that
cannot be read is asked for again, and so is a plan of which something is known to be wrong.
"""

from __future__ import annotations

import math

from reactree_core.errors import ModelOutputError
from reactree_core.ports import LanguageSession
from reactree_core.record import trajectory_text
from reactree_core.record.events import ControlFlow, MOST_SUBGOALS
from reactree_core.usage import LlmUsage
from reactree_planner.agents.node_context import NodeContext, SAMPLING
from reactree_planner.agents.subgoals import LONGEST_SUBGOAL, SubgoalCheck
from reactree_planner.planners.plan import (
    Expression,
    Group,
    in_order,
    joined,
    parse_expression,
    Plan,
    Step,
    steps_of,
)
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.prompting.reactree_prompt import PromptParts
from reactree_planner.runs.planner import PlannedRun

_ORDER = 'Execution Order:'
#: Lines for which room is kept in the prompt.
_USUAL_LINES = 8


def write_plan(
    run: PlannedRun, node_id: int, goal: str, template: str, information: str = ''
) -> tuple[Plan | None, LlmUsage]:
    """A plan for a goal, or None when no try was usable; and what it cost.

    The thought before it is a decision of the node.

    :param template: name of the prompt with instructions and examples.
    :param information: lines before the task: what is known from others.
    :raises ReactreeError: whatever ended the run.
    """
    text, demonstrations = prompt.with_demonstrations(run.prompts.text(template))
    chain = tuple(ancestor.goal for ancestor in run.tree.ancestors(node_id))
    first_observation = trajectory_text.quoted(run.acting.look(node_id).text)
    parts = PromptParts(
        text,
        demonstrations,
        information
        + prompt.forbidden(run.world.rules.must_not, run.tree.corrections)
        + trajectory_text.task_line(goal),
        first_observation,
        words=run.prompts.domain.words,
    )
    spare = run.settings.thought_tokens + _USUAL_LINES * run.settings.plan_tokens
    context = NodeContext(run, goal, parts, spare, account=run.planning)
    check = SubgoalCheck(run.world, (goal, *chain), run.settings.guards.check_expansions)
    try:
        run.acting.before_decision()
        context.session.append(trajectory_text.THINK)
        thought = context.thought()
        context.session.append('\n')
        run.events.think(node_id, trajectory_text.single_line(thought, 1000), context.take_usage())
        run.acting.before_decision()
        plan = _PlanWriter(run, context, check).best_plan()
        return plan, context.take_usage()
    finally:
        context.end()


class _PlanWriter:
    """Tries for one plan, after its thought."""

    def __init__(self, run: PlannedRun, context: NodeContext, check: SubgoalCheck) -> None:
        self._run = run
        self._context = context
        self._check = check

    def best_plan(self) -> Plan | None:
        """The first flawless plan, else the best try."""
        best: Plan | None = None
        fewest = math.inf
        for attempt in range(self._run.settings.expand_tries):
            with self._context.fork() as session:
                plan, flaws = self._judged(*self._written(session, attempt))
            if plan is not None and flaws < fewest:
                best, fewest = plan, flaws
            if fewest == 0:
                break
        return best

    def _written(
        self, session: LanguageSession, attempt: int
    ) -> tuple[tuple[str, ...], Expression | None]:
        """Steps and order as the model writes them; None for an order that cannot be read."""
        steps: list[str] = []
        heading = 'Step 1:'
        session.append(heading)
        while heading != _ORDER:
            text = ' '.join(self._line(session, attempt).split()).rstrip('.')
            steps.append(text[:LONGEST_SUBGOAL])
            session.append('\n')
            headings = [f'Step {len(steps) + 1}:', _ORDER]
            if len(steps) == MOST_SUBGOALS:
                session.append(_ORDER)
                break
            heading = headings[self._run.planning.choose(session, headings)]
        try:
            return tuple(steps), parse_expression(self._line(session, attempt), len(steps))
        except ModelOutputError:
            return tuple(steps), None

    def _line(self, session: LanguageSession, attempt: int) -> str:
        settings = self._run.settings
        return session.generate(
            stop=('\n',),
            max_tokens=settings.plan_tokens,
            temperature=SAMPLING if attempt else 0.0,
            seed=settings.seed + attempt,
        )

    def _judged(
        self, steps: tuple[str, ...], order: Expression | None
    ) -> tuple[Plan | None, float]:
        """The plan as it was written, and its flaws; None when nothing is left."""
        flaws = 0
        if order is None:
            # As the published program reads it: one after another.
            order, flaws = in_order(ControlFlow.SEQUENCE, len(steps)), 1
        flaws += len(steps) - len(set(steps_of(order)))
        kept = self._written_part(steps, order)
        if kept is None:
            return None, math.inf
        flow = kept.flow if isinstance(kept, Group) else ControlFlow.SEQUENCE
        texts = tuple(steps[number - 1] for number in steps_of(kept))
        flaws += len(steps_of(order)) - len(texts) + bool(self._check.objection(flow, texts))
        return Plan(steps, kept), flaws

    def _written_part(self, steps: tuple[str, ...], part: Expression) -> Expression | None:
        """An order without the steps of which nothing was written."""
        if isinstance(part, Step):
            return part if steps[part.number - 1] else None
        found = [self._written_part(steps, inner) for inner in part.parts]
        kept = [inner for inner in found if inner is not None]
        return joined(part.flow, kept) if kept else None
