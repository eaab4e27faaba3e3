"""Runs of the small warehouse, recorded step by step, and a robot that may do what it wants."""

from __future__ import annotations

from dataclasses import replace

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Outcome
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, NodeStatus
from reactree_core.record.run_settings import RunSettings
from support.small_warehouse import SmallWarehouse


class FreeWarehouse(SmallWarehouse):
    """Refuses what cannot be done instead of taking it for a fault of the test."""

    def execute(self, sequence, node_id, skill, cancel):
        if skill not in self._skills():
            self.executed.append(skill)
            return replace(
                self._observation('That cannot be done.'), outcome=Outcome.PRECONDITION_FAILED
            )
        return super().execute(sequence, node_id, skill, cancel)


def warehouse(**changes) -> FreeWarehouse:
    """Two aisles, two bins, a shelf and a press; the crate is in the second bin."""
    places = {'shelf 1': 'aisle 1', 'bin 1': 'aisle 1', 'bin 2': 'aisle 1', 'press 1': 'aisle 2'}
    given = {'places': places, 'things': {'crate 1': 'bin 2'}, **changes}
    return FreeWarehouse(**given)


class Recording:
    """Writes down what agent nodes decide and what comes of it.

    :param server: does the skills. :param wanted: conditions that the task asks for.
    """

    def __init__(self, server: SmallWarehouse, task: str, wanted: tuple[str, ...] = ()) -> None:
        self.server = server
        self.vocabulary = server.vocabulary
        self.events: list = []
        self._decide(0, DecisionKind.START, text=task, settings=RunSettings('reactree'))
        if wanted:
            self._decide(0, DecisionKind.GROUND, text=task, subgoals=wanted)
        self.look(1)

    def _decide(self, node: int, kind: DecisionKind, **fields) -> Decision:
        self.events.append(Decision(len(self.events) + 1, node, kind, **fields))
        return self.events[-1]

    def look(self, node: int) -> None:
        """A node begins."""
        seen = self.server.look(CancelToken())
        self.events.append(replace(seen, sequence=len(self.events) + 1, node_id=node))

    def act(self, node: int, *skills: str) -> None:
        """A node does skills, whatever comes of them."""
        for skill in skills:
            decision = self._decide(node, DecisionKind.ACT, skill=skill)
            seen = self.server.execute(decision.sequence, node, skill, CancelToken())
            number = len(self.events) + 1
            self.events.append(replace(seen, sequence=number, node_id=node, skill=skill))

    def expand(self, node: int, flow: ControlFlow, *subgoals: str) -> None:
        """A node splits its goal."""
        self._decide(node, DecisionKind.EXPAND, control_flow=flow, subgoals=subgoals)

    def finish(self, node: int, success: bool = True) -> None:
        """A node ends."""
        status = NodeStatus.SUCCESS if success else NodeStatus.FAILURE
        self._decide(node, DecisionKind.FINISH, status=status)
