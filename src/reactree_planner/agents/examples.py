"""Which retrieved experiences become examples of a prompt.

The memory answers by goal similarity (ReAcTree section 4.2). A small model copies what it reads,
so the choice here prefers goals of the same kind, begun in the same situation, and shows
different ends; among equals the order is fixed, so that prompts share their beginnings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, takewhile
from pathlib import Path

from reactree_core.experience import Experience, Termination
from reactree_core.record.run_settings import Frame, RetrievalUnit
from reactree_core.record.trajectory_text import ACT, task_line
from reactree_core.working_memory import RECALL
from reactree_core.written_files import read_text
from reactree_planner.reading.names import Names
from reactree_planner.reading.vocabulary import NameKind
from reactree_planner.resume.logged_model import is_elsewhere
from reactree_planner.runs.planner import AgentRun

_BLOCKS = ('Think:', 'Act:', 'Expand:')
_GOAL = task_line('').rstrip()
#: Of a goal, a first observation and the known names.
Features = Callable[[str, str, Names], frozenset[str]]


def opening_features(goal: str, opening: str, names: Names) -> frozenset[str]:
    """What of a goal's named things a first observation speaks of, by their kinds.

    A domain that knows the sentences of its worlds may read more from them (`rules.py`).
    """
    seen = {mention.name for mention in names.find_all(opening)}
    named = names.find_all(goal)
    return frozenset(mention.kind.value for mention in named if mention.name in seen)


def first_observation_of(experience: Experience) -> str:
    """What stands between the goal and the first decision."""
    lines = experience.trajectory.splitlines()
    # Published ones may begin with the parent's goal and the siblings.
    goal = next((place for place, line in enumerate(lines) if line.startswith(_GOAL)), 0)
    seen = lines[goal + experience.goal.count('\n') + 1 :]
    return '\n'.join(takewhile(lambda line: not line.startswith(_BLOCKS), seen))


def in_stable_order(
    chosen: Sequence[Experience], shown: Sequence[Sequence[Experience]]
) -> tuple[Experience, ...]:
    """The same examples, so that their prompt begins like an earlier one as far as it can.

    :param shown: examples of earlier prompts, in their order.
    """
    begun = (tuple(takewhile(chosen.__contains__, earlier)) for earlier in shown)
    alike = max(begun, key=len, default=())
    return (*alike, *(one for one in chosen if one not in alike))


def _is_about_several(goal: str, names: Names) -> bool:
    """Whether a goal names more than one movable thing."""
    return sum(one.kind is NameKind.THING for one in names.find_all(goal)) > 1


def choose_examples(
    candidates: Sequence[Experience],
    goal: str,
    first_observation: str,
    names: Names,
    count: int,
    token_budget: int,
    count_tokens: Callable[[str], int],
    features: Features = opening_features,
) -> tuple[Experience, ...]:
    """At most `count` examples within the budget, most relevant last (nearest to the goal).

    :param candidates: best first, as the memory answered.
    :param features: what of a goal's things a first observation shows.
    """
    kind = names.masked(goal)
    here = features(goal, first_observation, names)

    def strangeness(candidate: Experience) -> int:
        there = features(candidate.goal, first_observation_of(candidate), names)
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
    several = _is_about_several(goal, names)
    # Else whoever is about one thing, or about several, as this goal is; nearest first.
    similar = sorted(
        candidates,
        key=lambda candidate: _is_about_several(candidate.goal, names) != several,
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
    count_tokens: Callable[[Experience], int],
    by_task: bool = False,
) -> tuple[Experience, ...]:
    """As published, the best until one does not fit the budget; the best is last.

    :param by_task: of a run all nodes stand, in their order, or none.
    """
    chosen: list[Experience] = []
    spent = 0
    for _, nodes in groupby(candidates, lambda kept: kept.run_id if by_task else kept):
        group = list(nodes)
        spent += sum(map(count_tokens, group))
        if spent > token_budget or len(chosen) + len(group) > count:
            break
        chosen += group
    return tuple(reversed(chosen))


def fixed_example(path: str) -> Experience:
    """The text of a file, e.g. the trajectories of a task one after another, as an example.

    :raises ConfigurationError: it cannot be read, or is too long.
    """
    text = read_text(Path(path).expanduser(), _LARGEST_EXAMPLE).strip()
    return Experience('fixed', '', text, Termination.SUCCESS)


#: Experiences among which examples are chosen; of 350 chosen ones none was past the 50th.
_CANDIDATES = 64
#: Bytes of a fixed example.
_LARGEST_EXAMPLE = 1024**2


def retrieved_examples(
    run: AgentRun,
    goal: str,
    first_observation: str,
    is_wanted: Callable[[Experience], bool],
    planner: str = '',
) -> tuple[Experience, ...]:
    """Examples for an agent, as they stand in its prompt; () when the settings want none.

    The most relevant is last, in the published frame the first; before a model behind a server,
    those with which the prompt of another agent begins come first.

    :param first_observation: one line. :param is_wanted: which may be shown.
    :param planner: only this planner's; '' for all.
    """
    settings = run.settings
    if settings.fixed_example:
        return (fixed_example(settings.fixed_example),)
    if not settings.example_count or not settings.example_tokens:
        return ()
    found = [
        experience
        for experience in run.memory.retrieve(goal, _CANDIDATES, first_observation, planner)
        if is_wanted(experience)
        # An example that recalls would teach what is not offered.
        and (settings.working_memory or f'{ACT} {RECALL}' not in experience.trajectory)
    ]
    count_tokens = run.model.model.count_tokens
    if settings.guards.choose_examples:
        chosen = choose_examples(
            found,
            goal,
            first_observation,
            run.world.belief.names,
            settings.example_count,
            settings.example_tokens,
            count_tokens,
            getattr(run.prompts.domain.rules, 'opening_features', opening_features),
        )
    else:
        chosen = nearest_examples(
            found,
            settings.example_count,
            settings.example_tokens,
            lambda example: count_tokens(run.prompts.example_text(example)),
            settings.retrieval_unit is RetrievalUnit.TASK,
        )
    if settings.frame is Frame.PUBLISHED:
        chosen = tuple(reversed(chosen))
    if is_elsewhere(run.model.model):
        chosen = in_stable_order(chosen, run.memory.shown)
        run.memory.shown.append(chosen)
    run.memory.note_chosen([experience.experience_id for experience in chosen])
    return chosen
