"""What a home offers to tasks: what can be brought from where, and whether a goal holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.placement import INSIDE
from sim_bridge.worlds.household.roles import PUBLISHED, roles_of
from sim_bridge.worlds.household.scoring import Condition, Goal


class Home:
    """A home as somebody knows it who has seen everything.

    :param graph: in VirtualHome's format.
    """

    def __init__(self, graph: Mapping[str, Any]) -> None:
        self._graph = SceneGraph(graph)
        self._by_class: dict[str, list[int]] = {}
        for node_id, node in self._graph.nodes.items():
            self._by_class.setdefault(node.class_name.casefold(), []).append(node_id)

    def conditions(self, goal: Mapping[str, int]) -> tuple[Condition, ...]:
        """A goal, taken apart.

        :raises ConfigurationError: it cannot be understood.
        """
        return Goal(goal, self._graph).conditions

    def missing(self, goal: Mapping[str, int]) -> int:
        """How many of a goal's things are not where they should be yet; switches are not counted.

        :raises ConfigurationError: the goal cannot be understood.
        """
        bring = {key: need for key, need in goal.items() if not key.startswith('turnOn_')}
        progress = Goal(bring, self._graph).progress()
        return progress.total - progress.met if progress else 0

    def has_class(self, class_name: str) -> bool:
        """Whether there is one at all."""
        return class_name.casefold() in self._by_class

    def has_target(self, class_name: str) -> bool:
        """Whether something can be put down at one of this class."""
        for node_id in self._by_class.get(class_name, ()):
            roles = roles_of(self._graph.nodes[node_id], PUBLISHED)
            if roles.observable and roles.receptacle and self._graph.room_of(node_id) is not None:
                return True
        return False

    def supply(self, class_name: str, target_class: str) -> int:
        """How many things of a class can be fetched from elsewhere than the target."""
        return sum(
            1
            for node_id in self._by_class.get(class_name, ())
            if self._can_be_fetched(node_id) and not self._is_at(node_id, target_class)
        )

    def stored(self, class_name: str, target_class: str) -> int:
        """How many things of a class are at a target already."""
        return sum(
            1
            for node_id in self._by_class.get(class_name, ())
            if self._is_at(node_id, target_class)
        )

    def _can_be_fetched(self, node_id: int) -> bool:
        graph = self._graph
        node = graph.nodes[node_id]
        roles = roles_of(node, PUBLISHED)
        if not (roles.observable and roles.grabbable and node.has('GRABBABLE')):
            return False
        if graph.room_of(node_id) is None or node_id in graph.held:
            return False
        here = node_id
        while here in graph.parent:
            relation, here = graph.parent[here]
            holder = graph.nodes[here]
            openable = holder.has('CAN_OPEN') and roles_of(holder, PUBLISHED).openable
            if relation == INSIDE and not (holder.is_open or openable):
                return False
        return True

    def _is_at(self, node_id: int, target_class: str) -> bool:
        here = node_id
        while here in self._graph.parent:
            here = self._graph.parent[here][1]
            if self._graph.nodes[here].class_name.casefold() == target_class:
                return True
        return any(
            self._graph.nodes[target].class_name.casefold() == target_class
            for _, target in self._graph.places(node_id)
        )
