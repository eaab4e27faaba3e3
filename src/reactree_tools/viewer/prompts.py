"""What a node read, made again from the run's events: the prompt, or its transcript alone.

Only the planner `reactree` has its prompts written again; of the others it is the transcript.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_domains.domain import Domain
from reactree_domains.domain import load_domain
from reactree_domains.domain import NEUTRAL
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.prompting.budget import PromptParts
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import Event
from reactree_planner.tree.events import NodeKind
from reactree_planner.tree.run_settings import NO_SETTINGS
from reactree_planner.tree.run_settings import RunSettings
from reactree_planner.tree.snapshot import AgentTree
from reactree_planner.tree.trajectory import trajectories_of
from reactree_planner.tree.trajectory import Trajectory

#: The planner whose prompts these are.
PLANNER = 'reactree'
#: Stands in for what the skill server told.
UNTOLD = '(Here stood what the skill server told of the robot and its skills.)'
#: Stands in for examples that nobody wrote down.
EXAMPLES = '(Here stood the examples that the memory gave; it was not written down which.)'


def prompt_of(
    tree: AgentTree, events: Iterable[Event], node_id: int, examples: Sequence[str] | None
) -> str:
    """The prompt of an agent node of the planner `reactree` after its last step.

    :param tree: of the run, with the node in it. :param events: of the run, in order.
    :param examples: least telling first; None when nobody knows them.
    :raises KeyError: no such node.
    """
    events = tuple(events)
    trajectory = _trajectory(events, node_id)
    settings = _settings(events)
    domain = _domain(settings)
    parts = PromptParts(
        domain.prompt('reactree', Vocabulary(about=UNTOLD), settings.recall),
        (EXAMPLES,) if examples is None else tuple(examples),
        _goal_information(tree, node_id)
        + prompt.forbidden(tree.must_not)
        + prompt.task_line(tree.node(node_id).goal),
        trajectory.first_observation,
        tuple(trajectory.steps),
        words=domain.words,
    )
    return parts.head + parts.rest


def _settings(events: Iterable[Event]) -> RunSettings:
    for event in events:
        if isinstance(event, Decision) and event.kind is DecisionKind.START:
            return event.settings
    return NO_SETTINGS


def _domain(settings: RunSettings) -> Domain:
    """The domain of a run; of runs from before that was told, the one there was."""
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


def _goal_information(tree: AgentTree, node_id: int) -> str:
    control = tree.node(node_id).parent_id
    if not control or tree.node(control).kind is NodeKind.AGENT:
        return ''
    siblings = [child.goal for child in tree.children(control)]
    parent = tree.ancestors(node_id)[0].goal
    return prompt.goal_information(parent, ControlFlow(tree.node(control).kind), siblings)
