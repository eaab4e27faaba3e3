"""A recorded run as experiences for the memory: each agent node's trajectory, from its events."""

from __future__ import annotations

from collections.abc import Iterable

from reactree_core.experience import Experience
from reactree_core.experience import Termination
from reactree_core.observation import Observation
from reactree_planner.planners.transcript import act_block
from reactree_planner.planners.transcript import expand_block
from reactree_planner.planners.transcript import NodeTranscript
from reactree_planner.planners.transcript import think_block
from reactree_planner.prompting.reactree_prompt import single_line
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import Event
from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.snapshot import AgentTree

_ENDS = {
    NodeStatus.SUCCESS: Termination.SUCCESS,
    NodeStatus.FAILURE: Termination.FAILURE,
}


def lessons_of(run_id: str, events: Iterable[Event]) -> tuple[Experience, ...]:
    """Experiences of the nodes that came to their own end, parents first.

    :param events: of the run, in order.
    """
    tree = AgentTree()
    transcripts: dict[int, NodeTranscript] = {}
    ended: dict[int, Termination] = {}
    model, task_type = '', ''
    for event in events:
        tree.apply(event)
        if isinstance(event, Observation):
            if event.node_id not in transcripts:
                transcript = NodeTranscript(tree.node(event.node_id).goal)
                transcript.add(single_line(event.text) + '\n')
                transcripts[event.node_id] = transcript
            elif event.skill:
                transcripts[event.node_id].add(act_block(event.skill, event.text))
            continue
        model = model or event.usage.model
        if event.kind is DecisionKind.START:
            task_type = event.settings.get('world_task', '').partition(':')[0]
        elif event.node_id in transcripts:
            _note(event, transcripts[event.node_id], ended)
    found = []
    for node_id, transcript in transcripts.items():
        if node_id in ended:
            transcript.termination = ended[node_id]
            found.append(transcript.experience(run_id, node_id, tree.planner, model, task_type, 0))
    return tuple(found)


def _note(event: Decision, transcript: NodeTranscript, ended: dict[int, Termination]) -> None:
    """Take a decision of a node in."""
    if event.kind is DecisionKind.THINK:
        transcript.add(think_block(event.text))
    elif event.kind is DecisionKind.EXPAND:
        transcript.add(expand_block(event.control_flow, event.subgoals))
        ended[event.node_id] = Termination.EXPAND
    elif event.kind is DecisionKind.ACT and event.skill in ('done', 'failure'):
        transcript.add(act_block(event.skill, None))
    elif event.kind is DecisionKind.FINISH and event.status in _ENDS:
        ended[event.node_id] = _ENDS[event.status]
