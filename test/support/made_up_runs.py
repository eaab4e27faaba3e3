"""A made-up run of any size, to try out how a view looks and whether it keeps up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from reactree_core.observation import ObjectFact, Observation, Outcome
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, Event, NodeStatus
from reactree_core.record.run_settings import Limits, RunSettings
from reactree_core.record.snapshot import AgentTree
from reactree_core.usage import LlmUsage

_ROOMS = ('kitchen 1', 'living room 1', 'bedroom 1', 'bathroom 1')
_PLACES = ('fridge', 'kitchen table', 'coffee table', 'cabinet', 'sofa', 'sink', 'desk')
_THINGS = ('apple', 'pudding', 'juice', 'wine glass', 'plate', 'cutlery fork', 'book', 'towel')
_FLOWS = (ControlFlow.SEQUENCE, ControlFlow.FALLBACK, ControlFlow.PARALLEL)
#: Agents deeper than this do not expand.
_DEEPEST = 15
_USAGE = LlmUsage('made-up-1b', 900, 800, 100, 12, 2, 0.08)


class MadeUpRun:
    """Events of a run whose tree grows to a number of nodes.

    :param nodes: of the whole tree, 1 or more; a few more may come, to end an expansion.
    :param decisions: once the tree is whole, an agent goes on acting until there are so many; 0
        for no more than the tree needs.
    :param pace: seconds between two decisions, as the stamps tell.
    :param ends: whether the run comes to its end.
    """

    def __init__(
        self, nodes: int, decisions: int = 0, pace: float = 0.1, seed: int = 0, ends: bool = True
    ) -> None:
        self._wanted = nodes
        self._decisions = decisions
        self._pace = pace
        self._ends = ends
        self._random = Random(seed)
        self._tree = AgentTree()
        self._sequence = 0
        self._time = 0.0

    def __iter__(self) -> Iterator[Event]:
        yield self._decision(
            0,
            DecisionKind.START,
            text='tidy up the whole house and set the table for two',
            settings=RunSettings('reactree', limits=Limits(2000, 2000)),
        )
        yield from self._agent(1)
        if self._ends:
            yield self._decision(0, DecisionKind.FINISH, status=self._tree.node(1).status)

    def _count(self) -> int:
        return len(self._tree.snapshot().nodes)

    def _decision(self, node_id: int, kind: DecisionKind, **content: object) -> Decision:
        self._sequence += 1
        event = Decision(
            self._sequence,
            node_id,
            kind,
            stamp=self._time,
            **content,  # type: ignore[arg-type]
        )
        if kind in (DecisionKind.THINK, DecisionKind.ACT, DecisionKind.EXPAND):
            self._time += self._pace
            event = replace(event, stamp=self._time, usage=_USAGE)
        self._tree.apply(event)
        return event

    def _agent(self, node_id: int) -> Iterator[Event]:
        draw = self._random
        yield self._look(node_id)
        goal = self._tree.node(node_id).goal
        yield self._decision(node_id, DecisionKind.THINK, text=f'I should {goal}, step by step.')
        # Depth first, so room is left for the siblings that wait.
        if self._count() < self._wanted and self._tree.node(node_id).depth < _DEEPEST:
            yield from self._expansion(node_id)
            return
        for _ in range(draw.randint(1, 3)):
            yield from self._act(node_id)
        while self._count() >= self._wanted and self._tree.decisions < self._decisions:
            yield from self._act(node_id)
        good = draw.random() < 0.9
        ending = 'done' if good else 'failure'
        yield self._decision(node_id, DecisionKind.ACT, skill=ending)
        status = NodeStatus.SUCCESS if good else NodeStatus.FAILURE
        yield self._decision(node_id, DecisionKind.FINISH, status=status, text=ending)

    def _expansion(self, node_id: int) -> Iterator[Event]:
        draw = self._random
        subgoals = tuple(
            f'find and pick up {draw.choice(_THINGS)} in {draw.choice(_ROOMS)}'
            for _ in range(min(draw.randint(2, 6), max(1, self._wanted - self._count() - 1)))
        )
        flow = draw.choice(_FLOWS)
        yield self._decision(node_id, DecisionKind.EXPAND, control_flow=flow, subgoals=subgoals)
        control = self._tree.children(node_id)[-1].node_id
        for child in self._tree.children(control):
            if self._tree.node(control).status is not NodeStatus.RUNNING:
                return
            yield from self._agent(child.node_id)

    def _act(self, node_id: int) -> Iterator[Event]:
        place = f'{self._random.choice(_PLACES)} {self._random.randint(1, 3)}'
        act = self._decision(node_id, DecisionKind.ACT, skill=f'go to {place}')
        yield act
        yield replace(
            self._look(node_id, place), sequence=act.sequence, skill=act.skill, stamp=self._time
        )

    def _look(self, node_id: int, place: str = '') -> Observation:
        draw = self._random
        room = draw.choice(_ROOMS)
        things = tuple((draw.choice(_THINGS), draw.randint(1, 4)) for _ in range(12))
        text = ', '.join(f'{name} ({number})' for name, number in things)
        if not place:
            self._sequence += 1
        event = Observation(
            f'You are at the {place or room}. Looking quickly around, you see {text}.',
            Outcome.EXECUTION_FAILED if place and draw.random() < 0.1 else Outcome.SUCCEEDED,
            place=place or room,
            room=room,
            looked_at=(place,) if place else (),
            held=(f'{things[0][0]} {things[0][1]}',) if draw.random() < 0.5 else (),
            admissible_skills=tuple(f'pick up {name} {number}' for name, number in things),
            facts=tuple(ObjectFact(name, number, room, place) for name, number in things),
            sequence=self._sequence,
            node_id=node_id,
            stamp=self._time,
        )
        self._tree.apply(event)
        return event
