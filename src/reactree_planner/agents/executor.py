"""The executor that planners share: one agent does one task itself, by thinking and acting.

ADaPT section 3.1. The executor itself judges whether it has succeeded (`done` or `failure`). The
calling planner chooses the task and ends the tree node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reactree_core.errors import EPISODE_OVER, EpisodeOver, LimitReached, PromptTooLongError
from reactree_core.experience import Experience, Termination
from reactree_core.record import trajectory_text
from reactree_planner.agents import offering
from reactree_planner.agents.acting import Actor
from reactree_planner.agents.examples import retrieved_examples
from reactree_planner.agents.node_context import NodeContext
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.prompting.reactree_prompt import PromptParts
from reactree_planner.reading.plain_words import plain_words
from reactree_planner.runs.planner import AgentRun
from reactree_planner.runs.settings import ExecutorPrompt

#: Examples for a goal, given what is seen first.
FindExamples = Callable[[AgentRun, str, str], tuple[Experience, ...]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of a task.

    :param success: as the executor itself holds (ADaPT's success heuristic).
    :param reason: how it ended, e.g. 'done'.
    :param information: what it did last, for those who go on from there, or what it found by
        thinking alone, such as a list of products; '' when it failed.
    """

    success: bool
    reason: str
    information: str = ''

    @property
    def concluded(self) -> bool:
        """Whether the executor ended by itself."""
        return self.reason in (offering.DONE, offering.FAILURE, EPISODE_OVER)


def acted_examples(run: AgentRun, goal: str, first_observation: str) -> tuple[Experience, ...]:
    """Examples of tasks like this one that were done without splitting, whoever did them.

    Where the settings want it, the demonstrations of the domain instead, the same for every goal.
    """
    wanted = run.settings.executor_prompt
    if wanted is not ExecutorPrompt.RETRIEVED:
        return tuple(
            Experience('', goal, text.strip(), Termination.SUCCESS, '')
            for text in _demonstrations(run, goal, wanted)
        )
    return retrieved_examples(
        run, goal, first_observation, lambda kept: kept.termination is not Termination.EXPAND
    )


def _demonstrations(run: AgentRun, goal: str, wanted: ExecutorPrompt) -> list[str]:
    """Demonstrations of the domain, of skills first."""
    names = {
        ExecutorPrompt.SKILLS: ('skill_examples',),
        ExecutorPrompt.TASK: ('task_examples',),
    }.get(wanted, ('skill_examples', 'task_examples'))
    texts = '\n\n'.join(map(run.prompts.domain.text, names)).split('\n\n')
    texts = [text for text in texts if text.strip()]
    if not texts:
        run.notify(
            f'The domain "{run.prompts.domain.name}" has no {names[0]}, which executor_prompt '
            'asks for: executors read no examples. Add the file, or set it to retrieved.'
        )
    if wanted is ExecutorPrompt.TASK:
        # The first line is the task.
        said = set(plain_words(goal))
        texts.sort(key=lambda text: -len(said & set(plain_words(text.strip().splitlines()[0]))))
        return texts[:1]
    return texts


def prompt_parts(
    run: AgentRun, node_id: int, goal: str, find_examples: FindExamples, information: str = ''
) -> PromptParts:
    """The prompt of an executor that begins a task at a node.

    :param information: lines before the task: what is known from others.
    """
    seen = trajectory_text.quoted(run.acting.look(node_id).text)
    return PromptParts(
        run.prompts.text('executor'),
        tuple(map(run.prompts.example_text, find_examples(run, goal, seen))),
        information
        + prompt.forbidden(run.world.rules.must_not, run.tree.corrections)
        + trajectory_text.task_line(goal),
        seen,
        words=run.prompts.words,
    )


def attempt_task(
    run: AgentRun,
    node_id: int,
    goal: str,
    information: str = '',
    most_decisions: int = 0,
    trial: int = 0,
    find_examples: FindExamples = acted_examples,
) -> Attempt:
    """Have the executor try a task to its end.

    :param node_id: whose decisions these are; its end is left to the caller.
    :param information: lines before the task: what is known from others.
    :param most_decisions: after which it has failed; 0: only the run's limits hold.
    :param trial: 0 for the first trial of a task; later ones are sampled.
    :raises ReactreeError: whatever ended the run.
    """
    return attempted_within(
        run,
        lambda: _attempted(run, node_id, goal, information, most_decisions, trial, find_examples),
    )


def attempted_within(run: AgentRun, attempt: Callable[[], Attempt]) -> Attempt:
    """An attempt that has failed where it met a limit, if nodes fail at limits.

    :raises ReactreeError: whatever ended the run.
    """
    try:
        return attempt()
    except (LimitReached, PromptTooLongError) as error:
        if not run.budget.fails_node(error):
            raise
        return Attempt(False, str(error))


def _attempted(
    run: AgentRun,
    node_id: int,
    goal: str,
    information: str,
    most_decisions: int,
    trial: int,
    find_examples: FindExamples,
) -> Attempt:
    chain = tuple(ancestor.goal for ancestor in run.tree.ancestors(node_id))
    parts = prompt_parts(run, node_id, goal, find_examples, information)
    context = NodeContext(run, goal, parts, node_id=node_id)
    situation = NodeSituation(goal, chain, run.world.belief)
    actor = Actor(run, node_id, situation, context, trial, goal == run.tree.goal)
    try:
        return _attempt(run, actor, most_decisions)
    except EpisodeOver as over:
        return Attempt(actor.end(over), str(over), actor.last_success)
    finally:
        context.end()


def _attempt(run: AgentRun, actor: Actor, most_decisions: int) -> Attempt:
    decisions = 0
    while not most_decisions or decisions < most_decisions:
        run.acting.before_decision()
        actor.context.make_room()
        decisions += 1
        ended = decide(actor)
        if ended is not None:
            return own_end(actor, ended)
    # What it used since its last decision is counted when its session is given back.
    return Attempt(False, f'the executor used all its {most_decisions} decisions')


def own_end(actor: Actor, success: bool) -> Attempt:
    """An attempt that the executor ended itself."""
    reason = offering.DONE if success else offering.FAILURE
    found = actor.last_success or actor.last_thought
    return Attempt(success, reason, found if success else '')


def decide(actor: Actor) -> bool | None:
    """One decision: how the task ended, or None."""
    offered = actor.offered()
    obvious = actor.obvious(offered)
    if obvious is not None:
        return actor.perform(*obvious)
    if actor.think_first(offered):
        return None
    if actor.choose_kind(offered) == actor.think_word:
        actor.think()
        return None
    return actor.perform(actor.choose_skill(offered))
