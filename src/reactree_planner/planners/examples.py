"""Which retrieved experiences become examples of a prompt.

The memory answers by goal similarity (ReAcTree section 4.2). A small model copies what it reads,
so the choice here prefers goals of the same kind, begun in the same situation, and shows
different ends; among equals the order is fixed, so that prompts share their beginnings.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

from reactree_core.experience import Experience
from reactree_core.experience import Termination
from reactree_planner.planners.coverage import named_counts
from reactree_planner.planners.names import Names


def situation_of(goal: str, first_observation: str, names: Names) -> frozenset[str]:
    """What of a goal's named things the first observation shows already."""
    text = first_observation.casefold()
    _, holds, held = text.partition('you hold ')
    features = set()
    for mention in names.find(goal):
        name = mention.name.casefold()
        if holds and name in held:
            features.add(f'holds {mention.kind.value}')
        elif mention.instance is not None:
            if f'in the middle of a {name} ({mention.instance})' in text:
                features.add(f'in {mention.kind.value}')
        elif f'{name} (' in text:
            features.add(f'sees {mention.kind.value}')
    return frozenset(features)


def first_observation_of(experience: Experience) -> str:
    """The line after the goal."""
    lines = experience.trajectory.splitlines()
    return lines[1] if len(lines) > 1 else ''


def choose_examples(
    candidates: Sequence[Experience],
    goal: str,
    first_observation: str,
    names: Names,
    count: int,
    token_budget: int,
    count_tokens: Callable[[str], int],
) -> tuple[Experience, ...]:
    """At most `count` examples within the budget, most telling last (nearest to the goal).

    :param candidates: best first, as the memory answered.
    """
    kind = names.masked(goal)
    here = situation_of(goal, first_observation, names)

    def strangeness(candidate: Experience) -> int:
        there = situation_of(candidate.goal, first_observation_of(candidate), names)
        return len(here ^ there)

    alike = [candidate for candidate in candidates if names.masked(candidate.goal) == kind]
    # Of the same kind the object hardly matters, so a fixed order lets nodes share prompts.
    exact = names.masked(goal, whole=True)
    alike.sort(
        key=lambda candidate: (
            strangeness(candidate) + (names.masked(candidate.goal, whole=True) != exact),
            candidate.experience_id,
        )
    )
    several = named_counts(goal, names).total() > 1
    # Else whoever is about one thing, or about several, as this goal is; nearest first.
    similar = sorted(
        candidates,
        key=lambda candidate: (named_counts(candidate.goal, names).total() > 1) != several,
    )
    chosen: list[Experience] = []
    seen: set[Termination] = set()
    spent = 0
    # One of each ending first, then more of them; other kinds only when there is none alike.
    for fresh_only in (True, False):
        for candidate in alike or similar:
            if len(chosen) == count or candidate in chosen:
                continue
            if fresh_only and alike and candidate.termination in seen:
                continue
            tokens = count_tokens(candidate.trajectory)
            if spent + tokens > token_budget:
                continue
            chosen.append(candidate)
            seen.add(candidate.termination)
            spent += tokens
    return tuple(reversed(chosen))


def nearest_examples(
    candidates: Sequence[Experience],
    count: int,
    token_budget: int,
    count_tokens: Callable[[str], int],
) -> tuple[Experience, ...]:
    """As published: best first until one does not fit the budget."""
    chosen: list[Experience] = []
    spent = 0
    for candidate in candidates[:count]:
        spent += count_tokens(candidate.trajectory)
        if spent > token_budget:
            break
        chosen.append(candidate)
    return tuple(chosen)
