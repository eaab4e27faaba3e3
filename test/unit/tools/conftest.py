"""A small run by hand: an expansion, a refused skill, a fallback and how all of it ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, Event, NodeStatus
from reactree_core.record.run_settings import RunSettings
from reactree_core.usage import LlmUsage

TASK = 'Bring a pudding and a juice to the coffee table, please.'
_HOUSE = (
    'You are in the house, and there are 4 rooms: bathroom (1), bedroom (1), kitchen (1), '
    'living room (1). You are in the middle of a kitchen (1). Looking quickly around the room, '
    'you see bench (1), cabinet (1, 2), dishwasher (1), fridge (1), kitchen cabinet (1, 2, 3, 4), '
    'kitchen counter (1), kitchen table (1), microwave (1), sink (1), stove (1).'
)


class _Builder:
    """Numbers events and moves the clock."""

    def __init__(self) -> None:
        self.sequence = 0
        self.stamp = 0.0

    def decision(self, node_id: int, kind: DecisionKind, **fields: object) -> Decision:
        self.sequence += 1
        self.stamp += 1.7
        usage = LlmUsage('scripted', 300, 250, 50, 12, 2, 1.5)
        return Decision(  # type: ignore[arg-type]
            self.sequence, node_id, kind, stamp=self.stamp, usage=usage, **fields
        )

    def look(self, node_id: int) -> Observation:
        self.sequence += 1
        return Observation(
            _HOUSE, room='kitchen 1', sequence=self.sequence, node_id=node_id, stamp=self.stamp
        )

    def act(
        self, node_id: int, skill: str, text: str, outcome: Outcome = Outcome.SUCCEEDED
    ) -> Iterator[Event]:
        yield self.decision(node_id, DecisionKind.ACT, skill=skill)
        self.stamp += 0.3
        yield Observation(
            text, outcome, skill, sequence=self.sequence, node_id=node_id, stamp=self.stamp
        )


@pytest.fixture
def sample_run() -> list[Event]:
    """Events of the run in order; run clocks start at 0."""
    build = _Builder()
    kinds = DecisionKind
    events: list[Event] = [
        build.decision(0, kinds.START, text=TASK, settings=RunSettings('reactree')),
        build.look(1),
        build.decision(
            1,
            kinds.THINK,
            text='I need a pudding and a juice on the coffee table. I should find each of them '
            'first, starting with the fridge in the kitchen, and bring them one after the other.',
        ),
        build.decision(
            1,
            kinds.EXPAND,
            control_flow=ControlFlow.SEQUENCE,
            subgoals=('bring a pudding to the coffee table', 'bring a juice to the coffee table'),
        ),
        build.look(3),
        build.decision(3, kinds.THINK, text='A pudding may be in the fridge.'),
        *build.act(3, 'go to fridge 1', 'You arrive at the fridge (1). The fridge (1) is closed.'),
        *build.act(
            3,
            'pick up pudding 1',
            'The pudding (1) is inside closed fridge.',
            Outcome.PRECONDITION_FAILED,
        ),
        *build.act(3, 'open fridge 1', 'You open fridge (1). You see juice (1), pudding (1)'),
        *build.act(3, 'pick up pudding 1', 'You pick up pudding (1). You hold pudding (1).'),
        build.decision(3, kinds.ACT, skill='done'),
        build.decision(3, kinds.FINISH, status=NodeStatus.SUCCESS, text='done'),
        build.look(4),
        build.decision(
            4,
            kinds.EXPAND,
            control_flow=ControlFlow.FALLBACK,
            subgoals=('take the juice from the fridge', 'look for a juice in the cabinets'),
        ),
        build.look(6),
        *build.act(6, 'pick up juice 1', 'You pick up juice (1). You hold both.'),
        build.decision(6, kinds.FINISH, status=NodeStatus.SUCCESS, text='done'),
        build.decision(0, kinds.FINISH, status=NodeStatus.SUCCESS, text='the tree succeeded'),
    ]
    return events
