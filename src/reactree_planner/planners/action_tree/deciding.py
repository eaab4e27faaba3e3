"""Grounded deciding: which step comes next at a fork, by votes (sections 3.3 and 4.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reactree_core.ports import LanguageSession
from reactree_core.usage import LlmUsage
from reactree_core.usage import NO_USAGE
from reactree_planner.planners.plans.undoing import DoneStep
from reactree_planner.planners.run import PlanRun
from reactree_planner.prompting import plan_prompt

#: A letter with the space before it; a second token would have to be evaluated for each vote.
_VOTE_TOKENS = 1
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
    run: PlanRun, options: Sequence[str], done: Sequence[DoneStep], now: str, error: str
) -> Choice:
    """One of two or more steps that may come next.

    The majority of the votes decides, of equals the first. Where no vote names an option, the
    model is kept to one.

    :param now: what the robot sees, one line. :param error: of the step that failed last, or ''.
    """
    session = run.model.session(run.prompt('decide').strip() + '\n\n')
    spent = NO_USAGE
    try:
        session.append(_question(run, session.text, options, done, now, error))
        tally: Counter[int] = Counter()
        for number in range(run.settings.plans.votes):
            vote, usage = _vote(run, session, number)
            spent += usage
            option = plan_prompt.option_of(vote, len(options))
            if option is not None:
                tally[option] += 1
        votes = tuple(tally[index] for index in range(len(options)))
        index = votes.index(max(votes))
        if not tally:
            letters = [f' {plan_prompt.letter_of(number)}' for number in range(len(options))]
            index = run.model.choose(session, letters)
    finally:
        spent += run.model.drop(session)
    return Choice(index, votes, spent)


def _question(
    run: PlanRun,
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
        text = plan_prompt.decision_text(run.task, history, now, error, options, first > 0)
        if (
            len((instruction + text).encode()) <= room
            or model.count_tokens(instruction) + model.count_tokens(text) <= room
        ):
            break
    if first:
        run.tell(
            'What was done outgrew the context of the model: the oldest steps and observations '
            'gave way where a branch was decided. Raise context_tokens to keep them.'
        )
    return text


def _vote(run: PlanRun, session: LanguageSession, number: int) -> tuple[str, LlmUsage]:
    """What one sample answers, and its cost."""
    settings = run.settings
    fork = session.fork()
    try:
        vote = fork.generate(
            max_tokens=_VOTE_TOKENS,
            temperature=settings.plans.vote_temperature,
            seed=settings.seed_of(number),
        )
    finally:
        spent = run.model.drop(fork)
    return vote, spent
