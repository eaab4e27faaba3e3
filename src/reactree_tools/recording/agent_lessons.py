"""What agents did that decide step by step, from a run's events: one trajectory per agent node."""

from __future__ import annotations

from reactree_core.experience import Termination
from reactree_core.observation import Observation
from reactree_planner.planners.offering import DONE
from reactree_planner.planners.offering import FAILURE
from reactree_planner.planners.transcript import act_block
from reactree_planner.planners.transcript import expand_block
from reactree_planner.planners.transcript import NodeTranscript
from reactree_planner.planners.transcript import think_block
from reactree_planner.prompting.reactree_prompt import quoted
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import Event
from reactree_planner.tree.events import is_world_reset
from reactree_planner.tree.snapshot import AgentTree

_CONCLUSIONS = {DONE: Termination.SUCCESS, FAILURE: Termination.FAILURE}


class AgentLessons:
    """Takes the events of a run; a node's trajectory ends with the agent's own conclusion.

    What comes after it in the node is somebody else's: a reflection, or the plan that ADaPT makes
    of what its executor could not do.

    :param tree: grows by the same events, each before it is taken here.
    :param expands: whether agents expand themselves, and so come to their end (ReAcTree).
    :param whole_task: whether every agent does the whole task, whatever its node is called.
    """

    def __init__(self, tree: AgentTree, expands: bool = False, whole_task: bool = False) -> None:
        self._tree = tree
        self._expands = expands
        self._whole_task = whole_task
        self._begun: dict[int, NodeTranscript] = {}
        self._concluded: set[int] = set()

    def take(self, event: Event) -> None:
        """The next event."""
        if event.node_id in self._concluded:
            return
        if isinstance(event, Observation):
            self._see(event)
        elif event.node_id in self._begun:
            self._decide(event, self._begun[event.node_id])

    def _see(self, seen: Observation) -> None:
        transcript = self._begun.get(seen.node_id)
        if transcript is not None and seen.skill:
            transcript.add(act_block(seen.skill, seen.text))
        elif transcript is None and not is_world_reset(seen):
            tree = self._tree
            goal = tree.task if self._whole_task else tree.node(seen.node_id).goal
            transcript = self._begun[seen.node_id] = NodeTranscript(goal)
            transcript.add(quoted(seen.text) + '\n')

    def _decide(self, decision: Decision, transcript: NodeTranscript) -> None:
        if decision.kind is DecisionKind.THINK:
            transcript.add(think_block(decision.text))
        elif decision.kind is DecisionKind.EXPAND and self._expands:
            transcript.add(expand_block(decision.control_flow, decision.subgoals))
            self._conclude(decision, transcript, Termination.EXPAND)
        elif decision.kind is DecisionKind.ACT and decision.skill in _CONCLUSIONS:
            transcript.add(act_block(decision.skill, None))
            self._conclude(decision, transcript, _CONCLUSIONS[decision.skill])

    def _conclude(
        self, decision: Decision, transcript: NodeTranscript, termination: Termination
    ) -> None:
        transcript.termination = termination
        self._concluded.add(decision.node_id)

    def transcripts(self) -> dict[int, NodeTranscript]:
        """Those of the nodes that came to their own end, in the order they began."""
        return {
            node_id: transcript
            for node_id, transcript in self._begun.items()
            if node_id in self._concluded
        }
