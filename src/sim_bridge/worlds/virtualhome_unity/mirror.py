"""What the robot knows of a simulator's scene: a household that is told what is close.

The simulator decides what is close, what is where and in which state; texts, names and what can be
seen follow from that as in the household. A mirror takes the effect of each skill over by itself,
compares itself with the graph that the simulator sends after it, and says when the two differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from sim_bridge.worlds.household.graph import CLOSE, HANDS
from sim_bridge.worlds.household.placement import INSIDE, ON
from sim_bridge.worlds.household.state import HouseholdState, Options
from sim_bridge.worlds.household.visibility import RobotPosition, Visibility

Edge = tuple[int, str, int]
_edge = itemgetter('from_id', 'relation_type', 'to_id')
_LASTING = frozenset((INSIDE, ON, *HANDS))
_IS = {True: 'holds', False: 'does not hold'}


class ReportedSight(Visibility):
    """Sight that is told what is close."""

    #: Ids of the things that the simulator says the character is close to.
    reported: frozenset[int] = frozenset()

    def close_in_room(self, stand: RobotPosition) -> tuple[int, ...]:
        """Visible things that the simulator says are close."""
        return tuple(key for key in self.visible(stand.room) if key in self.reported)


class MirroredState(HouseholdState):
    """An episode as the simulator reports it.

    :param data: the simulator's graph with its character.
    """

    def __init__(self, data: Mapping[str, Any], options: Options, seed: int) -> None:
        super().__init__(data, options, seed)
        self.reported_sight = ReportedSight(
            self.graph, self.names, self.roles, options.reach, options.neighbours, options.doorless
        )
        self.sight = self.reported_sight
        self._first = frozenset(map(_edge, data['edges']))
        self._from: dict[int, list[Edge]] = {}
        for edge in self._first:
            if edge[1] in _LASTING:
                self._from.setdefault(edge[0], []).append(edge)
        self._now = self._first
        #: Nodes that were found to agree, as long as no state has been changed here.
        self._checked: Any = None
        self.report(data)

    def is_close(self, node_id: int) -> bool:
        """Whether a thing is held, or close by what the simulator says."""
        held = self.graph.root(node_id) in self.graph.held
        return held or node_id in self.reported_sight.reported

    def swap_state(self, target: int, old: str, new: str) -> None:
        """Open, close or switch a thing."""
        super().swap_state(target, old, new)
        self._checked = None

    def report(self, graph: Mapping[str, Any]) -> None:
        """Take over what the simulator says is close."""
        me = self.graph.character
        self._now = frozenset(map(_edge, graph['edges']))
        close = frozenset(
            end for start, relation, end in self._now if start == me and relation == CLOSE
        )
        if close != self.reported_sight.reported:
            self.reported_sight.reported = close
            for kept in self._kept.values():
                kept.clear()

    def differs(self, nodes: list[dict[str, Any]]) -> str:
        """What the simulator's graph says otherwise, in a few words; '' when nothing does.

        :param nodes: of the graph that was reported last.
        """
        if nodes is not self._checked:
            reason = self._differing_state(nodes)
            if reason:
                return reason
            self._checked = nodes
        moving = self.graph.moved | {self.graph.character}
        for edge in self._now ^ self._first:
            if edge[1] in _LASTING and edge[0] not in moving:
                return f'the {self.names.name[edge[0]]} was moved'
        there = {edge for edge in self._now - self._first if edge[1] in _LASTING}
        for key in moving:
            there.update(edge for edge in self._from.get(key, ()) if edge in self._now)
        for edge in there.symmetric_difference(
            edge for edge in self.graph.moving_edges() if edge[1] in _LASTING
        ):
            end = self.names.name[edge[2]]
            return f'{self.names.name[edge[0]]} {edge[1]} {end} {_IS[edge in there]}'
        return ''

    def _differing_state(self, nodes: list[dict[str, Any]]) -> str:
        if len(nodes) != len(self.graph.nodes):
            return 'things came or went'
        for written in nodes:
            node, states = self.graph.nodes.get(written['id']), written.get('states', [])
            if node is None:
                return 'things came or went'
            if set(states) not in (set(node.reported_states), set(node.states)):
                name = self.names.name[node.node_id]
                return f'the {name} is {", ".join(states) or "changed"}'
        return ''
