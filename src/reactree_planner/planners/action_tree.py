"""The action tree: sampled plans, their common beginnings merged (section 3.2, algorithm 1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from reactree_core.ports import LanguageSession, Sample
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.agents.node_context import NodeContext
from reactree_planner.llm.sampling import Draw, draw_samples
from reactree_planner.planners.plans.execution import DoneStep
from reactree_planner.planners.plans.grounding import plan_parts
from reactree_planner.planners.plans.steps import Step, step_reader, StepReader
from reactree_planner.prompting import plan_prompt
from reactree_planner.prompting.plan_prompt import PLAN_STOPS
from reactree_planner.runs.planner import PlannedRun


@dataclass(eq=False)
class ActionNode:
    """One step of one or more plans; the root has none.

    :param plans: how many sampled plans lead through it.
    :param likelihood: sum of the probabilities that the model gave its step in these plans; of
        plans whose probabilities are not given, 1 each.
    :param valid: whether it may still be chosen; its subtree goes with it.
    """

    step: Step | None = None
    parent: ActionNode | None = None
    plans: int = 0
    likelihood: float = 0.0
    valid: bool = True
    children: list[ActionNode] = field(default_factory=list)

    @property
    def valid_children(self) -> list[ActionNode]:
        """Steps that may still come next, in the order first sampled."""
        return [child for child in self.children if child.valid]

    @property
    def text(self) -> str:
        """Its step; '' for the root."""
        return self.step.text if self.step else ''

    def nodes(self) -> Iterator[ActionNode]:
        """This node and all below it, parents first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def run_of_steps(self) -> list[ActionNode]:
        """From this node down to where paths part, or to the end."""
        found = [self]
        while len(found[-1].children) == 1:
            found.append(found[-1].children[0])
        return found

    def mark_failed(self) -> ActionNode | None:
        """Mark the subtree of a step that failed, and whatever has no valid step left above it.

        :return: the last fork above with a valid child; None when no way is left.
        """
        for node in self.nodes():
            node.valid = False
        above = self.parent
        while above is not None and not above.valid_children:
            above.valid = False
            above = above.parent
        return above


@dataclass(frozen=True, slots=True)
class SampledPlan:
    """A plan that the model wrote.

    :param steps: the last is the end. :param probabilities: of each step as it was written, after
        those before it; () where that is not given.
    """

    steps: tuple[Step, ...]
    probabilities: tuple[float, ...] = ()


def build_action_tree(plans: Iterable[SampledPlan]) -> ActionNode:
    """Merge plans: those with a common beginning share its nodes.

    :param plans: each ends with the end step, so that no plan is lost in a longer one.
    :return: the root.
    """
    root = ActionNode()
    for plan in plans:
        node = root
        node.plans += 1
        chances = plan.probabilities or (1.0,) * len(plan.steps)
        for step, probability in zip(plan.steps, chances, strict=True):
            child = next((child for child in node.children if child.step == step), None)
            if child is None:
                child = ActionNode(step, node)
                node.children.append(child)
            child.plans += 1
            child.likelihood += probability
            node = child
    return root


def prune(root: ActionNode, most_children: int, most_forks: int | None) -> None:
    """Cut what a run's tree cannot hold, the steps of the fewest plans first.

    :param most_children: of any fork, 1 or more.
    :param most_forks: on any path; None for any number. Further down, the step of the most plans
        stays alone.
    """
    stack = [(root, 0)]
    while stack:
        node, forks = stack.pop()
        may_fork = most_forks is None or forks < most_forks
        most = most_children if may_fork else 1
        if len(node.children) > most:
            kept = sorted(node.children, key=lambda child: -child.plans)[:most]
            node.children = [child for child in node.children if child in kept]
        forks += len(node.children) > 1
        stack.extend((child, forks) for child in node.children)


@dataclass(frozen=True, slots=True)
class TreeCounts:
    """How large an action tree is; the root is not counted, the ends are."""

    plans: int
    steps: int
    forks: int


def counts_of(root: ActionNode) -> TreeCounts:
    """Count its different plans, its nodes and its forks."""
    nodes = list(root.nodes())
    return TreeCounts(
        sum(not node.children for node in nodes[1:]),
        len(nodes) - 1,
        sum(len(node.children) > 1 for node in nodes),
    )


#: Stands where the first step of a plan goes.
_FIRST = '1.'


def sample_plans(run: PlannedRun, account: TokenAccount) -> list[SampledPlan]:
    """The usable ones of the sampled plans, in the order sampled; equal ones stay.

    :param account: called with what sampling cost, and how many samples would pay.
    :raises ModelError: the model failed. :raises CanceledError: stopped.
    :raises LimitReached: time or tokens ran out.
    :raises SkillError: the gold plan is wanted, and the world has no expert.
    """
    settings = run.settings
    wanted = settings.plans
    reader = step_reader(run)
    parts = plan_parts(run)
    plans = []
    context = NodeContext(run, run.tree.goal, parts, wanted.tokens)
    try:
        context.session.append(_FIRST)
        prompt = context.session.text
        run.acting.before_decision()
        seeds = [settings.seed_of(number) for number in range(wanted.samples)]
        draw = Draw(wanted.tokens, wanted.temperature, wanted.top_p, PLAN_STOPS)
        for sample in context.samples(seeds, draw):
            plan = _read_plan(reader, _whole_lines(sample, run, wanted.tokens), wanted.steps)
            if plan.steps:
                plans.append(plan)
            run.acting.before_decision()
        account.sampling += context.take_usage()
        if wanted.gold:
            gold = Sample('\n'.join(run.world.expert_plan()))
            plans.append(_read_plan(reader, gold, wanted.steps))
    finally:
        context.end()
    account.critical = _critical(run, prompt, [plan.steps for plan in plans])
    return plans


def _read_plan(reader: StepReader, sample: Sample, most: int) -> SampledPlan:
    lines = reader.read_lines(sample.text, most)
    scores = [sample.log_probability_of(line.begin, line.end) for line in lines]
    chances = tuple(math.exp(score) for score in scores if score is not None)
    return SampledPlan(tuple(line.step for line in lines), chances)


def _whole_lines(sample: Sample, run: PlannedRun, most_tokens: int) -> Sample:
    """The plan without a last line that was cut off where it became too long."""
    if run.ports.model.count_tokens(sample.text) < most_tokens - 1:
        return sample
    return sample.cut(len(sample.text.rpartition('\n')[0]))


def _critical(run: PlannedRun, prompt: str, plans: Sequence[Sequence[Step]]) -> float:
    """The published bound, with the means of this run's prompt and plans."""
    steps = [step.text for plan in plans for step in plan]
    if not steps:
        return 0.0
    count_tokens = run.ports.model.count_tokens
    tokens = {text: count_tokens(text) for text in set(steps)}
    mean_tokens = sum(tokens[text] for text in steps) / len(steps)
    return critical_samples(count_tokens(prompt), max(1.0, mean_tokens), len(steps) / len(plans))


#: Kept free for the answer.
_SPARE_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Choice:
    """What was decided.

    :param votes: of each option; all 0 when no vote named any.
    """

    index: int
    votes: tuple[int, ...]
    usage: LlmUsage = NO_USAGE

    @property
    def sentence(self) -> str:
        """How it came about, for people."""
        cast = sum(self.votes)
        if not cast:
            return 'no vote named an option: the likeliest was taken'
        return f'{self.votes[self.index]} of {cast} votes'


def decide(
    run: PlannedRun, options: Sequence[str], done: Sequence[DoneStep], now: str, error: str
) -> Choice:
    """One of two or more steps that may come next.

    The majority of the votes decides, of equals the first. Where no vote names an option, the
    model is kept to one.

    :param now: what the robot sees, one line. :param error: of the step that failed last, or ''.
    """
    session = run.model.session(run.prompts.text('decide').strip() + '\n\n')
    marks = plan_prompt.marks_of(len(options))
    spent = NO_USAGE

    def drop_fork(fork: LanguageSession) -> None:
        nonlocal spent
        spent += run.model.drop(fork)

    try:
        session.append(_question(run, session.text, options, done, now, error))
        tally: Counter[int] = Counter()
        plans = run.settings.plans
        seeds = [run.settings.seed_of(number) for number in range(plans.votes)]
        # With the space before it, a mark is at most as many tokens as it has letters; one more
        # would have to be evaluated for each vote.
        draw = Draw(len(marks[0]), plans.vote_temperature)
        for vote in draw_samples(session, seeds, draw, drop_fork):
            option = plan_prompt.option_of(vote.text, len(options))
            if option is not None:
                tally[option] += 1
        votes = tuple(tally[index] for index in range(len(options)))
        index = votes.index(max(votes))
        if not tally:
            index = run.model.choose(session, [f' {mark}' for mark in marks])
    finally:
        spent += run.model.drop(session)
    return Choice(index, votes, spent)


def _question(
    run: PlannedRun,
    instruction: str,
    options: Sequence[str],
    done: Sequence[DoneStep],
    now: str,
    error: str,
) -> str:
    """What is asked; the oldest steps give way where all do not fit the model."""
    model = run.ports.model
    room = model.context_tokens - _SPARE_TOKENS
    for first in range(len(done) + 1):
        history = [(step.skill, step.text) for step in done[first:]]
        text = plan_prompt.decision_text(run.tree.goal, history, now, error, options, first > 0)
        if (
            len((instruction + text).encode()) <= room
            or model.count_tokens(instruction) + model.count_tokens(text) <= room
        ):
            break
    if first:
        run.notify(
            'The history exceeded the context of the model: the oldest steps and observations '
            'were left out of the vote at a fork. Raise context_tokens to keep them.'
        )
    return text


def critical_samples(prompt_tokens: float, step_tokens: float, steps: float) -> float:
    """Fewer sampled plans than this cost less than deciding every step from the whole prompt.

    The published bound: (1 - 1/M) / (1 + 1/|a|) * rho / |a| + |a| / (|a| + 1).

    :param prompt_tokens: rho, of the prompt that plans are sampled from, over 0.
    :param step_tokens: |a|, mean of a step, over 0. :param steps: M, mean of a plan, 1 or more.
    """
    share = (1 - 1 / steps) / (1 + 1 / step_tokens)
    return share * prompt_tokens / step_tokens + step_tokens / (step_tokens + 1)


@dataclass
class TokenAccount:
    """Model work of one run by phase.

    :param critical: as `critical_samples` says for this run; 0.0 before plans were sampled.
    """

    samples: int
    sampling: LlmUsage = NO_USAGE
    deciding: LlmUsage = NO_USAGE
    critical: float = 0.0

    @property
    def sentence(self) -> str:
        """Both phases, for people."""
        return f'sampling: {_told(self.sampling)}; deciding: {_told(self.deciding)}'

    @property
    def bound_sentence(self) -> str:
        """Whether sampling pays, by the published bound."""
        relation = 'fewer' if self.samples < self.critical else 'not fewer'
        return (
            f'{self.samples} samples are {relation} than the {self.critical:.1f} up to which '
            'sampling takes fewer tokens than deciding step by step'
        )


def _told(usage: LlmUsage) -> str:
    return (
        f'{usage.requests} requests, {usage.prompt_tokens} tokens read '
        f'({usage.cached_tokens} of them cached), {usage.completion_tokens} written'
    )
