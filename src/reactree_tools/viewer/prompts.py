"""The prompt of a node, as the planner `reactree` writes it, made again from the run's events.

Events do not hold the examples that the memory gave, so the text says where they stood.
"""

from __future__ import annotations

from collections.abc import Iterable

from reactree_core.observation import Observation
from reactree_planner.planners.transcript import act_block
from reactree_planner.planners.transcript import expand_block
from reactree_planner.planners.transcript import NodeTranscript
from reactree_planner.planners.transcript import think_block
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import Event
from reactree_planner.tree.events import NodeKind
from reactree_planner.tree.snapshot import AgentTree

#: The planner whose prompts these are.
PLANNER = 'reactree'
#: Stands in for the examples.
EXAMPLES = '(Here stood the examples that the memory gave; events do not hold them.)\n\n'


def prompt_of(tree: AgentTree, events: Iterable[Event], node_id: int) -> str:
    """System text, goal, observations and decisions of an agent node, in the prompt's form.

    :param tree: of the run, with the node in it. :param events: of the run, in order.
    :raises KeyError: no such node.
    """
    node = tree.node(node_id)
    transcript = NodeTranscript(node.goal)
    skill: str | None = None
    for event in events:
        if event.node_id != node_id:
            continue
        if isinstance(event, Observation):
            text = prompt.single_line(event.text)
            transcript.add(act_block(skill, text) if skill is not None else text + '\n')
            skill = None
        else:
            skill = _add(transcript, event)
    head = prompt.read_template('reactree_system') + EXAMPLES
    return head + _goal_information(tree, node_id) + transcript.text


def _add(transcript: NodeTranscript, event: Decision) -> str | None:
    """Add a decision; a skill waits for its observation."""
    if event.kind is DecisionKind.THINK:
        transcript.add(think_block(event.text))
    elif event.kind is DecisionKind.EXPAND:
        transcript.add(expand_block(event.control_flow, event.subgoals))
    elif event.kind is DecisionKind.ACT:
        if event.skill not in ('done', 'failure'):
            return event.skill
        transcript.add(act_block(event.skill, None))
    return None


def _goal_information(tree: AgentTree, node_id: int) -> str:
    control = tree.node(node_id).parent_id
    if not control or tree.node(control).kind is NodeKind.AGENT:
        return ''
    siblings = [child.goal for child in tree.children(control)]
    parent = tree.ancestors(node_id)[0].goal
    return prompt.goal_information(parent, ControlFlow(tree.node(control).kind), siblings)
