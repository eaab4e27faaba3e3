"""What a node read: its prompt made again from events, and what memory gave it.

Only the planner `reactree` has its prompts written again; of the others it is the transcript.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from reactree_core.domain import Domain, load_domain, NEUTRAL
from reactree_core.errors import ConfigurationError, JournalError
from reactree_core.experience import Experience
from reactree_core.observation import Vocabulary
from reactree_core.record import trajectory_text
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.journal_lines import Answer, Record
from reactree_core.record.run_settings import NO_SETTINGS, RunSettings
from reactree_core.record.snapshot import AgentTree
from reactree_core.record.trajectory import relatives, trajectories_of, Trajectory
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.prompting.reactree_prompt import PromptParts
from reactree_planner.resume.logged_experiences import EXAMPLES, LoggedExperiences, RETRIEVE
from reactree_planner.resume.run_log import is_resumption
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.settings import PlannerSettings

#: The planner whose prompts these are.
PLANNER = 'reactree'
#: Stands in for what the skill server reported.
UNTOLD = '(Not recorded: what the skill server declares about the robot and its skills.)'
#: Stands in for examples that nobody wrote down.
UNTOLD_EXAMPLES = '(Not recorded: the examples from memory.)'


def prompt_of(
    tree: AgentTree, events: Iterable[Event], node_id: int, examples: Sequence[str] | None
) -> str:
    """The prompt of an agent node of the planner `reactree` after its last step.

    :param tree: of the run, with the node in it. :param events: of the run, in order.
    :param examples: in the order of the prompt; None when nobody knows them.
    :raises KeyError: no such node.
    """
    events = tuple(events)
    trajectory = _trajectory(events, node_id)
    settings = _settings(events)
    domain = _domain(settings)
    chosen = _chosen(settings)
    name = prompt.prompt_name('reactree', chosen.frame)
    system = domain.prompt(name, Vocabulary(about=UNTOLD), settings.recall)
    parts = PromptParts(
        prompt.with_flows(system, chosen.flows),
        (UNTOLD_EXAMPLES,) if examples is None else tuple(examples),
        relatives(tree, node_id)
        + prompt.forbidden(tree.must_not, tree.corrections)
        + trajectory_text.task_line(tree.node(node_id).goal),
        trajectory.first_observation,
        tuple(trajectory.steps),
        words=prompt.frame_words(domain.words, chosen.frame),
    )
    return parts.head + parts.rest


def _settings(events: Iterable[Event]) -> RunSettings:
    for event in events:
        if isinstance(event, Decision) and event.kind is DecisionKind.START:
            return event.settings
    return NO_SETTINGS


def _chosen(settings: RunSettings) -> PlannerSettings:
    """What the run's preset says; the default of a run that tells none, or one of its own."""
    try:
        return settings_of_preset(settings.preset or 'default', settings.planner)
    except ValueError:
        return PlannerSettings()


def _domain(settings: RunSettings) -> Domain:
    """The domain of a run; of runs from before that was given, the one there was."""
    name = settings.domain or 'household'
    try:
        return load_domain(name)
    except ConfigurationError:
        # Another machine's folder, or not installed here.
        return load_domain(NEUTRAL)


def transcript_of(tree: AgentTree, events: Iterable[Event], node_id: int) -> str:
    """Goal, observations and decisions of an agent node of any planner.

    :param tree: of the run, with the node in it. :param events: of the run, in order.
    :raises KeyError: no such node.
    """
    trajectory = _trajectory(events, node_id)
    return trajectory.text + ''.join(trajectory.later)


def _trajectory(events: Iterable[Event], node_id: int) -> Trajectory:
    return trajectories_of(events).of(node_id)


#: Experiences told of one question, beside those that the prompt showed.
_MOST = 12
#: Characters of an experience that are given.
_LONGEST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One question to the memory.

    :param offered: best first.
    :param chosen: ids of those that the prompt showed, in its order; None when nobody wrote
        that down.
    """

    offered: tuple[Experience, ...] = ()
    chosen: tuple[str, ...] | None = None

    @property
    def examples(self) -> tuple[Experience, ...] | None:
        """Those that the prompt showed, in its order."""
        if self.chosen is None:
            return None
        by_id = {one.experience_id: one for one in self.offered}
        return tuple(by_id[name] for name in self.chosen if name in by_id)

    def listed(self) -> list[Experience]:
        """Those that the prompt showed, most relevant first, then the best of the others."""
        shown = list(reversed(self.examples or ()))
        return shown + [one for one in self.offered if one not in shown][:_MOST]


def retrieval_of(records: Iterable[Record], node_id: int) -> Retrieval | None:
    """What memory gave a node, the last time that it asked; empty when it did not ask.

    :param records: of the run, in order.
    :return: None where records have no answers, as those of bags and of early versions.
    :raises JournalError: an answer is damaged.
    """
    retrievals = LoggedExperiences()
    found = Retrieval()
    answers = False
    # A node asks right after its first look; the run itself asks for its root.
    asking = 1
    for record in records:
        if not isinstance(record, Answer):
            asking = asking if is_resumption(record) else record.node_id or 1
            continue
        answers = True
        try:
            if record.kind == RETRIEVE:
                offered = retrievals.read(record.content)
                if asking == node_id:
                    found = Retrieval(offered)
            elif record.kind == EXAMPLES and asking == node_id:
                found = replace(found, chosen=tuple(map(str, record.content['chosen'])))
        except (LookupError, TypeError, ValueError) as error:
            raise JournalError(
                f'What memory gave cannot be read from the journal ({error}).'
            ) from error
    return found if answers else None


def experiences_for_page(
    experiences: Sequence[Experience], shown: Sequence[str] | None
) -> list[dict[str, Any]]:
    """Experiences as JSON values.

    :param shown: ids of those that a prompt showed; None when nobody knows.
    """
    return [
        {
            'goal': str(one.goal)[:_LONGEST_TEXT],
            'termination': one.termination.name.lower(),
            'similarity': round(one.similarity, 3) if isfinite(one.similarity) else 0.0,
            'planner': str(one.planner),
            'run': str(one.run_id),
            'text': cut(str(one.trajectory), _LONGEST_TEXT),
            'shown': None if shown is None else one.experience_id in shown,
        }
        for one in experiences
    ]


def cut(text: str, longest: int) -> str:
    """A text of any length, as much of it as a page can take."""
    if len(text) <= longest:
        return text
    return f'{text[:longest]}\n... ({len(text) - longest} more characters)'
