"""What the robot knows of a simulator's scene: a household that is told what is close.

The simulator decides what is close, what is where and in which state; texts, names and what can be
seen follow from that as in the household. A mirror takes the effect of each skill over by itself,
compares itself with the graph that the simulator sends after it, and says when the two differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim_bridge.worlds.household.graph import CLOSE
from sim_bridge.worlds.household.graph import HANDS
from sim_bridge.worlds.household.placement import INSIDE
from sim_bridge.worlds.household.placement import ON
from sim_bridge.worlds.household.sight import Sight
from sim_bridge.worlds.household.sight import Stand
from sim_bridge.worlds.household.state import HouseholdState
from sim_bridge.worlds.household.state import Options


class ReportedSight(Sight):
    """Sight that is told what is close."""

    #: Ids of the things that the simulator says the character is close to.
    reported: frozenset[int] = frozenset()

    def close_in_room(self, stand: Stand) -> tuple[int, ...]:
        """Visible things that the simulator says are close."""
        return tuple(key for key in self.visible(stand.room) if key in self.reported)


class MirroredState(HouseholdState):
    """An episode as the simulator tells it.

    :param data: the simulator's graph with its character.
    """

    def __init__(self, data: Mapping[str, Any], options: Options, seed: int) -> None:
        super().__init__(data, options, seed)
        self.reported_sight = ReportedSight(
            self.graph, self.names, self.roles, options.reach, options.neighbours, options.doorless
        )
        self.sight = self.reported_sight
        self._still: frozenset[tuple[int, str, int]] = frozenset(
            _places(data, {self.graph.character, *self.graph.moved})
        )
        #: Of things that were not moved: how many edges, and for how many moved ones that counts.
        self._unmoved = self._counted = -1
        self.report(data)

    def is_close(self, node_id: int) -> bool:
        """Whether a thing is held, or close by what the simulator says."""
        held = self.graph.root(node_id) in self.graph.held
        return held or node_id in self.reported_sight.reported

    def report(self, graph: Mapping[str, Any]) -> None:
        """Take over what the simulator says is close."""
        me = self.graph.character
        close = frozenset(
            edge['to_id']
            for edge in graph['edges']
            if edge['from_id'] == me and edge['relation_type'] == CLOSE
        )
        if close != self.reported_sight.reported:
            self.reported_sight.reported = close
            for kept in self._kept.values():
                kept.clear()

    def differs(self, graph: Mapping[str, Any]) -> str:
        """What the simulator's graph says otherwise, in a few words; '' when nothing does."""
        if len(graph['nodes']) != len(self.graph.nodes):
            return 'things came or went'
        for written in graph['nodes']:
            node, states = self.graph.nodes.get(written['id']), written.get('states', [])
            if node is None:
                return 'things came or went'
            if states != node.states and set(states) != set(node.states):
                name = self.names.name[node.node_id]
                return f'the {name} is {", ".join(states) or "changed"}'
        me, moved = self.graph.character, self.graph.moved
        hands: dict[str, int] = {}
        places: dict[int, set[tuple[str, int]]] = {key: set() for key in (me, *moved)}
        still = 0
        for edge in graph['edges']:
            start, relation, end = edge['from_id'], edge['relation_type'], edge['to_id']
            if relation in (INSIDE, ON):
                if start in places:
                    places[start].add((relation, end))
                elif (start, relation, end) not in self._still:
                    return f'the {self.names.name[start]} was moved'
                else:
                    still += 1
            elif start == me and relation in HANDS:
                hands[relation] = end
        if hands != self.graph.hands:
            return 'the hands hold something else'
        for key, found in places.items():
            if found != set(self.graph.places(key)):
                return f'the {self.names.name[key]} is somewhere else'
        if len(places) != self._counted:
            self._counted = len(places)
            self._unmoved = sum(1 for start, _, _ in self._still if start not in places)
        return '' if still == self._unmoved else 'something was moved'


def _places(graph: Mapping[str, Any], without: set[int]) -> list[tuple[int, str, int]]:
    return [
        (edge['from_id'], edge['relation_type'], edge['to_id'])
        for edge in graph['edges']
        if edge['relation_type'] in (INSIDE, ON) and edge['from_id'] not in without
    ]
