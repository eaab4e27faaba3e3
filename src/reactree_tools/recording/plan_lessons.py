"""What a written plan came to, from a run's events: the way that led to the end, and nothing else.

Without the steps that failed, and those that were taken back.
"""

from __future__ import annotations

from reactree_core.experience import Termination
from reactree_core.observation import Observation
from reactree_planner.planners.offering import DONE
from reactree_planner.planners.plans.execution import TAKEN_BACK
from reactree_planner.planners.transcript import act_block
from reactree_planner.planners.transcript import NodeTranscript
from reactree_planner.prompting.reactree_prompt import quoted
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import Event
from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.snapshot import AgentTree

_ROOT = 1


class PlanLessons:
    """Takes the events of a run.

    Which steps count no more when a plan goes back is told by where it goes on: GLOBAL REPLAN
    looks anew, Tree-Planner does the first step of another branch.

    :param tree: grows by the same events, each before it is taken here.
    :param undo: whether the planner took steps back (its parameter plans.undo).
    :param begins_anew: whether every look is a new beginning.
    """

    def __init__(self, tree: AgentTree, undo: bool, begins_anew: bool = False) -> None:
        self._tree = tree
        self._undo = undo
        self._begins_anew = begins_anew
        self._first_observation: str | None = None
        self._done: list[tuple[str, str]] = []
        #: Steps that had been done when a node was split into branches.
        self._done_at: dict[int, int] = {}
        #: Nodes that have decided something.
        self._begun: set[int] = set()
        self._takes_back = False

    def take(self, event: Event) -> None:
        """The next event."""
        if isinstance(event, Decision):
            self._decide(event)
        elif not event.skill:
            self._look(event)
        elif event.succeeded and not self._takes_back:
            self._done.append((event.skill, quoted(event.text)))

    def _look(self, seen: Observation) -> None:
        if self._first_observation is None or self._begins_anew:
            self._first_observation = quoted(seen.text)
            self._leave(0)

    def _decide(self, decision: Decision) -> None:
        if not decision.node_id or decision.kind is DecisionKind.FINISH:
            return
        node_id = decision.node_id
        self._takes_back = decision.text == TAKEN_BACK
        if node_id not in self._begun and node_id != _ROOT:
            fork = self._tree.node(self._tree.node(node_id).parent_id).parent_id
            self._leave(self._done_at[fork])
        self._begun.add(node_id)
        if decision.kind is DecisionKind.EXPAND:
            self._done_at[node_id] = len(self._done)

    def _leave(self, count: int) -> None:
        """Go back to where so many steps had been done."""
        if self._undo:
            del self._done[count:]

    def transcripts(self) -> dict[int, NodeTranscript]:
        """One, of the whole task; none of a run that the planner itself does not hold for done."""
        if self._first_observation is None:
            return {}
        if self._tree.node(_ROOT).status is not NodeStatus.SUCCESS:
            return {}
        transcript = NodeTranscript(self._tree.task, Termination.SUCCESS)
        transcript.add(self._first_observation + '\n')
        for skill, text in self._done:
            transcript.add(act_block(skill, text))
        transcript.add(act_block(DONE, None))
        return {_ROOT: transcript}
