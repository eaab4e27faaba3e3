"""Plans with an order of AND and OR: read, written, and made into levels of the tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reactree_core.errors import ModelOutputError
from reactree_core.record.events import ControlFlow, MOST_SUBGOALS
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.agents.subgoals import LONGEST_SUBGOAL
from reactree_planner.runs.planner import PlannedRun

_BETWEEN = {ControlFlow.SEQUENCE: ', then ', ControlFlow.FALLBACK: ', or '}


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps and how they are joined.

    :param steps: what is to be done, step 1 first. :param order: names steps by number.
    """

    steps: tuple[str, ...]
    order: Expression

    def goal_of(self, part: Expression) -> str:
        """A part of the order in words, as the goal of a node."""
        if isinstance(part, Step):
            return self.steps[part.number - 1]
        return _BETWEEN[part.flow].join(map(self.goal_of, part.parts))[:LONGEST_SUBGOAL]

    @property
    def levels(self) -> int:
        """Levels of control flow below the node that plans, 1 or more."""
        return max(1, levels_of(self.order))


@dataclass(frozen=True, slots=True)
class StepEnd:
    """How a step ended.

    :param information: passed on to later steps; '' unless the step succeeded.
    """

    success: bool
    information: str = ''


#: Runs a step's node to its end, given its goal and the information so far.
RunStep = Callable[[int, str, str], StepEnd]


def run_plan(
    run: PlannedRun,
    node_id: int,
    plan: Plan,
    run_step: RunStep,
    information: str = '',
    usage: LlmUsage = NO_USAGE,
    why: str = '',
) -> StepEnd:
    """Grow a plan below a node and run it: AND is a sequence, OR a fallback (ADaPT 3.2).

    An expression inside another becomes a node of its own, which expands at once: several levels
    (appendix B). Information comes from successful steps only; those joined by OR are all told
    the same (appendix A).

    :param usage: model work of writing the plan. :param why: there is a plan, for people.
    :raises LimitReached: the tree may not be so deep.
    """
    reason = f'{why}Execution Order: {print_expression(plan.order)}'
    return _run_part(run, node_id, plan, plan.order, run_step, information, usage, reason)


def _run_part(
    run: PlannedRun,
    node_id: int,
    plan: Plan,
    part: Expression,
    run_step: RunStep,
    information: str,
    usage: LlmUsage = NO_USAGE,
    reason: str = '',
) -> StepEnd:
    flow = ControlFlow.SEQUENCE if isinstance(part, Step) else part.flow
    inner = (part,) if isinstance(part, Step) else part.parts
    goals = [plan.goal_of(one) for one in inner]
    parts = dict(zip(run.events.grow(node_id, flow, goals, usage, reason), inner, strict=True))
    known = information

    def run_child(child: int) -> bool:
        nonlocal known
        one = parts[child]
        if isinstance(one, Step):
            end = run_step(child, plan.goal_of(one), known)
        else:
            end = _run_part(run, child, plan, one, run_step, known)
        if end.success:
            known = end.information or known
        return end.success

    success = run.run_children(flow, tuple(parts), run_child)
    return StepEnd(success, known if success else '')


#: Levels of brackets that are followed.
_DEEPEST = 16
_TOKEN = re.compile(r'\s*(?:(?P<step>(?:step\s*)?\d{1,4})|(?P<word>and|or|\(|\)))', re.IGNORECASE)
_WORDS = {ControlFlow.SEQUENCE: 'AND', ControlFlow.FALLBACK: 'OR'}


@dataclass(frozen=True, slots=True)
class Step:
    """One step. :param number: from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class Group:
    """Two or more parts under one operator.

    :param flow: SEQUENCE for AND, FALLBACK for OR.
    """

    flow: ControlFlow
    parts: tuple[Expression, ...]


Expression = Step | Group


def joined(flow: ControlFlow, parts: Sequence[Expression]) -> Expression:
    """Parts under one operator; a part under the same operator is taken apart.

    :param parts: 1 or more; one stands for itself.
    """
    flat: list[Expression] = []
    for part in parts:
        same = isinstance(part, Group) and part.flow is flow
        flat += part.parts if same and isinstance(part, Group) else [part]
    return flat[0] if len(flat) == 1 else Group(flow, tuple(flat))


def in_order(flow: ControlFlow, steps: int) -> Expression:
    """Steps 1 to `steps` under one operator."""
    return joined(flow, [Step(number) for number in range(1, steps + 1)])


def steps_of(expression: Expression) -> tuple[int, ...]:
    """Numbers of the steps, from left to right."""
    if isinstance(expression, Step):
        return (expression.number,)
    return tuple(number for part in expression.parts for number in steps_of(part))


def levels_of(expression: Expression) -> int:
    """Levels of control flow that the expression becomes: 1 for steps under one operator."""
    if isinstance(expression, Step):
        return 0
    return 1 + max(levels_of(part) for part in expression.parts)


def print_expression(expression: Expression) -> str:
    """The expression as a plan writes it, without brackets around the whole."""
    if isinstance(expression, Step):
        return f'Step {expression.number}'
    parts = (
        f'({print_expression(part)})' if isinstance(part, Group) else print_expression(part)
        for part in expression.parts
    )
    return f' {_WORDS[expression.flow]} '.join(parts)


def parse_expression(text: str, steps: int) -> Expression:
    """Read an execution order.

    :param text: e.g. '(Step 1 OR Step 2) AND Step 3'; case and a final full stop do not matter.
    :param steps: how many steps the plan has.
    :raises ModelOutputError: it is none; says where.
    """
    return _Reader(text, steps).read()


class _Reader:
    def __init__(self, text: str, steps: int) -> None:
        self._text = text.strip().removesuffix('.')
        self._steps = steps
        self._tokens = self._split()
        self._next = 0

    def _error(self, what: str) -> ModelOutputError:
        return ModelOutputError(f'The execution order "{self._text[:200]}" {what}.')

    def _split(self) -> list[str]:
        tokens = []
        position = 0
        while position < len(self._text):
            match = _TOKEN.match(self._text, position)
            if match is None:
                rest = self._text[position:].strip()
                raise self._error(f'cannot be read from "{rest[:20]}" on')
            tokens.append((match['step'] or match['word']).upper())
            position = match.end()
        return tokens

    def read(self) -> Expression:
        expression = self._any(0)
        if self._next < len(self._tokens):
            raise self._error(f'goes on with "{self._tokens[self._next]}" after its end')
        if len(steps_of(expression)) > MOST_SUBGOALS:
            raise self._error(f'names more than {MOST_SUBGOALS} steps')
        return expression

    def _takes(self, token: str) -> bool:
        taken = self._next < len(self._tokens) and self._tokens[self._next] == token
        self._next += taken
        return taken

    def _any(self, depth: int) -> Expression:
        parts = [self._all(depth)]
        while self._takes('OR'):
            parts.append(self._all(depth))
        return joined(ControlFlow.FALLBACK, parts)

    def _all(self, depth: int) -> Expression:
        parts = [self._part(depth)]
        while self._takes('AND'):
            parts.append(self._part(depth))
        return joined(ControlFlow.SEQUENCE, parts)

    def _part(self, depth: int) -> Expression:
        if self._takes('('):
            if depth == _DEEPEST:
                raise self._error(f'has more than {_DEEPEST} levels of brackets')
            inner = self._any(depth + 1)
            if not self._takes(')'):
                raise self._error('lacks a closing bracket')
            return inner
        if self._next == len(self._tokens):
            raise self._error('ends where a step should be')
        number = self._tokens[self._next].removeprefix('STEP').strip()
        if not number.isdigit() or not 1 <= int(number) <= self._steps:
            raise self._error(
                f'has "{self._tokens[self._next]}" where one of steps 1 to {self._steps} should be'
            )
        self._next += 1
        return Step(int(number))
