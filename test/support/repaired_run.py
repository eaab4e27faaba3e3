"""A small run by hand: its words are grounded, a failure is repaired, and its end is overruled."""

from __future__ import annotations

from dataclasses import replace

from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, Event, NodeStatus
from reactree_core.record.run_settings import Limits, RunSettings

TASK = 'Put the boxes on the lorry, start the glimmer, and leave the gate shut.'
MEANT = 'put 2 crates into the truck and switch on the pump'
WANTED = ('2 crate in truck', 'pump is on')
TIES = (
    '"boxes" is crate (nearest in meaning)',
    '"lorry" is truck (another word for it)',
    '"glimmer" is unknown here',
)
WHY = 'crate 1 was not on shelf 1'
OVERRULED = 'pump is on: not known to hold'


def repaired_run() -> list[Event]:
    """The events in order. Agent 1 fails by 3, goes on with 7, 8 and 9, and is overruled."""
    events: list[Event] = []

    def decide(node_id: int, kind: DecisionKind, **content: object) -> None:
        events.append(Decision(_next(events), node_id, kind, stamp=len(events) * 1.5, **content))  # type: ignore[arg-type]

    def look(node_id: int) -> None:
        events.append(
            Observation(
                'You are in hall 1. You see shelf (1, 2), truck (1), pump (1).',
                place='hall 1',
                room='hall 1',
                sequence=_next(events),
                node_id=node_id,
                stamp=len(events) * 1.5,
            )
        )

    def act(node_id: int, skill: str, seen: str, outcome: Outcome = Outcome.SUCCEEDED) -> None:
        decide(node_id, DecisionKind.ACT, skill=skill)
        done = Observation(seen, outcome, skill, room='hall 1', node_id=node_id)
        stamp = len(events) * 1.5
        events.append(replace(done, sequence=events[-1].sequence, stamp=stamp))

    def end(node_id: int, status: NodeStatus) -> None:
        word = 'done' if status is NodeStatus.SUCCESS else 'failure'
        decide(node_id, DecisionKind.ACT, skill=word)
        decide(node_id, DecisionKind.FINISH, status=status, text=word)

    settings = RunSettings('reactree', limits=Limits(100, 100))
    decide(0, DecisionKind.START, text=TASK, settings=settings)
    decide(0, DecisionKind.FORBID, subgoals=('open gate',))
    decide(0, DecisionKind.GROUND, text=MEANT, subgoals=WANTED, ties=TIES)
    look(1)
    decide(1, DecisionKind.THINK, text='Both crates have to go into the truck first.')
    first = ('load crate 1 from shelf 1', 'load crate 2 from shelf 2', 'switch on the pump')
    decide(1, DecisionKind.EXPAND, control_flow=ControlFlow.SEQUENCE, subgoals=first)
    look(3)
    act(3, 'go to shelf 1', 'You arrive at shelf (1). It is empty.')
    act(3, 'take crate 1', 'You see no crate (1) here.', Outcome.PRECONDITION_FAILED)
    end(3, NodeStatus.FAILURE)
    second = ('find a crate in the aisles', 'load 2 crates into the truck', 'switch on the pump')
    decide(1, DecisionKind.REPAIR, control_flow=ControlFlow.SEQUENCE, subgoals=second, text=WHY)
    for node_id, skill in ((7, 'go to aisle 2'), (8, 'put crate 2 in truck'), (9, 'push button')):
        look(node_id)
        act(node_id, skill, 'You see crate (2, 3).')
        end(node_id, NodeStatus.SUCCESS)
    decide(1, DecisionKind.REPAIR, status=NodeStatus.FAILURE, text=OVERRULED)
    decide(0, DecisionKind.FINISH, status=NodeStatus.FAILURE, text='TASK_FAILED')
    return events


def _next(events: list[Event]) -> int:
    return events[-1].sequence + 1 if events else 1
