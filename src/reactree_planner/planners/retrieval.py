"""Examples for a prompt, from the memory: asked for once, chosen as the settings say."""

from __future__ import annotations

from collections.abc import Callable

from reactree_core.experience import Experience
from reactree_planner.planners.examples import choose_examples
from reactree_planner.planners.examples import nearest_examples
from reactree_planner.planners.examples import opening_features
from reactree_planner.planners.run import PlanRun
from reactree_planner.resume.told_experiences import EXAMPLES

#: Experiences asked of the memory before the choice of examples.
_CANDIDATES = 160


def retrieved_examples(
    run: PlanRun,
    goal: str,
    first_observation: str,
    is_wanted: Callable[[Experience], bool],
    planner: str = '',
) -> tuple[Experience, ...]:
    """Examples for an agent, most telling last; () when the settings want none.

    :param first_observation: one line. :param is_wanted: which may be shown.
    :param planner: only this planner's; '' for all.
    """
    settings = run.settings
    if not settings.example_count or not settings.example_tokens:
        return ()
    found = [
        experience
        for experience in run.retrieve(goal, 0, _CANDIDATES, first_observation, planner)
        if is_wanted(experience)
    ]
    count_tokens = run.ports.model.count_tokens
    if settings.guards.choose_examples:
        chosen = choose_examples(
            found,
            goal,
            first_observation,
            run.knowledge.names,
            settings.example_count,
            settings.example_tokens,
            count_tokens,
            getattr(run.domain.rules, 'opening_features', opening_features),
        )
    else:
        chosen = nearest_examples(
            found, settings.example_count, settings.example_tokens, count_tokens
        )
    run.log.note(EXAMPLES, {'chosen': [experience.experience_id for experience in chosen]})
    return chosen
