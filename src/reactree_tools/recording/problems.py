"""What a run knew and what was left to do, as a planning problem in PDDL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation, Vocabulary
from reactree_core.record.events import Decision, Event
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.pddl import pddl_of, PddlFiles
from reactree_planner.facts.reasoner import Reasoner


def problem_after(events: Sequence[Event], vocabulary: Vocabulary, record: int) -> PddlFiles:
    """Domain and problem of the milestone that came next after a record of a run.

    :param record: number of an event. :param vocabulary: of the run's skill server.
    :raises ConfigurationError: the task has no goal, it was reached, or no way to it was known.
    """
    milestones = _milestones(events)
    if not milestones:
        raise ConfigurationError('Nothing of the task was read as conditions: there is no goal.')
    reasoner = Reasoner(
        vocabulary, tuple(conditions_of(tuple(one.split('; '))) for one in milestones)
    )
    for event in events:
        if isinstance(event, Observation) and event.sequence <= record:
            reasoner.see(event)
            reasoner.advance()
    at = f'After record {record}'
    if not reasoner.advance():
        raise ConfigurationError(
            f'{at} all that the task asks for held: name an earlier record with --at.'
        )
    bound = reasoner.bound()
    if bound.missing:
        raise ConfigurationError(
            f'{at} the run had not found {", ".join(bound.missing)}: name a later one with --at.'
        )
    goal = [*bound.goal, *bound.later]
    if bound.hopeless or not goal:
        left = '; '.join(one.text for one in reasoner.goal.unmet())
        raise ConfigurationError(f'{at} no way to "{left}" was known, so there is no problem.')
    return pddl_of(bound.problem, goal)


def _milestones(events: Iterable[Event]) -> tuple[str, ...]:
    read = (one.goal for one in events if isinstance(one, Decision))
    return next((goal.milestones for goal in read if goal.milestones), ())
