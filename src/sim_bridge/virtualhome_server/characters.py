"""Several characters in one home: each has its own place, hands, seat and direction.

One acts at a time, and the household is seen with its eyes. What the others hold and are close to
is written into the graph beside that.
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from sim_bridge.virtualhome_server import scene_preparation
from sim_bridge.worlds.household.closeness import fixture_of
from sim_bridge.worlds.household.company import Companion, Company
from sim_bridge.worlds.household.graph import CLOSE
from sim_bridge.worlds.household.pictures.boxes import Figure
from sim_bridge.worlds.household.pictures.views import Pose, pose_at, pose_on
from sim_bridge.worlds.household.placement import ON, Place
from sim_bridge.worlds.household.state import HouseholdState, Options
from sim_bridge.worlds.household.visibility import RobotPosition


class Home(HouseholdState):
    """A household where one can be close to all things, not only to those of WAH-NL's lists."""

    def is_close(self, node_id: int) -> bool:
        """Whether a thing is held or within reach, visible or not."""
        if node_id in self.sight.fixture or node_id in self.graph.held:
            return super().is_close(node_id)
        stand = self.stand
        return (
            stand.fixture is not None
            and self.graph.room_of(node_id) == stand.room
            and self.sight.near(stand.fixture, fixture_of(self.graph, node_id))
        )

    def go_to_thing(self, target: int) -> None:
        """Stand at a thing of this room."""
        if target in self.sight.fixture:
            super().go_to_thing(target)
        elif self.graph.root(target) not in self.graph.held:
            self.stand = RobotPosition(self.room, target, fixture_of(self.graph, target))


@dataclass(slots=True)
class Character(Companion):
    """One of them.

    :param seat: id of what it sits or lies on.
    :param taken: where things were that it took.
    :param faced: ids of what it looks at. :param pose: where it is when it has turned or made a
        step; None where its stand or seat tells. :param written: where it is in the graph.
    """

    seat: int | None = None
    faced: frozenset[int] = frozenset()
    taken: dict[int, Place | None] = field(default_factory=dict)
    pose: Pose | None = None
    written: Pose | None = None


class Characters(Company[Home, Character]):
    """A household and its characters; see there.

    :param scene: without characters. :param room: id of that of the first one.
    """

    def __init__(self, scene: scene_preparation.Graph, room: int, options: Options) -> None:
        state = Home(scene_preparation.with_character(scene, room), options, 0)
        super().__init__(state, Character(state.graph.character, state.stand))

    def copy(self) -> Characters:
        """The same home, to try something in."""
        state = self.state
        # What never changes is shared.
        shared = [node.source for node in state.graph.nodes.values()]
        memo = {id(one): one for one in (*shared, state.names, state.roles, state.options)}
        return deepcopy(self, memo)

    def join(self, room: int) -> None:
        """One more.

        :raises ConfigurationError: there are as many as there can be.
        """
        self.members.append(Character(*self.new_place(room)))

    def write_others(self) -> None:
        """Tell the graph what it does not know of by itself: seats, places, who does not act."""
        graph = self.state.graph
        for number, member in enumerate(self.members):
            pose = self.pose(number)
            if pose is not None and pose != member.written:
                node, member.written = graph.nodes[member.node_id], pose
                node.source = {**node.source, **_place_of(pose)}
                graph.changes.append(member.node_id)
        edges: list[tuple[int, str, int]] = []
        for number, member in enumerate(self.members):
            me = member.node_id
            if member.seat is not None:
                edges.append((me, ON, member.seat))
            edges += [(me, 'FACING', key) for key in sorted(member.faced)]
            if number != self._active:
                with self.acting(number) as state:
                    edges += [(me, hand, held) for hand, held in state.graph.hands.items()]
                    for key in state.sight.in_reach(state.stand):
                        edges += [(me, CLOSE, key), (key, CLOSE, me)]
        graph.more_edges = edges

    def holder_of(self, node_id: int) -> int | None:
        """Number of who holds a thing, or what it is on or in."""
        root = self.state.graph.root(node_id)
        for number, member in enumerate(self.members):
            hands = self.state.graph.hands if number == self._active else member.hands
            if root in hands.values():
                return number
        return None

    # Where it stands

    def settle(self) -> None:
        """It has walked: it sits on nothing, and looks at where it has gone to."""
        me = self.me
        me.seat, me.faced, me.pose = None, frozenset(), None

    def turn(self, degrees: float) -> None:
        """Turn to the right."""
        pose = self.me.pose = self._pose()
        if pose is not None:
            self.me.pose = replace(pose, heading=pose.heading + degrees)
        self.me.faced = frozenset()

    def step(self, metres: float) -> None:
        """Go straight on, not through the walls of the room; what is close stays so."""
        pose, room = self._pose(), self.state.graph.nodes[self.state.room].box
        if pose is not None and room is not None:
            self.me.pose = pose.ahead(metres, room)

    def figures(self) -> list[Figure]:
        """All of them, as far as it is known where they are."""
        found = []
        for number in range(len(self.members)):
            pose = self.pose(number)
            if pose is not None:
                hands = self.members[number].hands
                if number == self._active:
                    hands = self.state.graph.hands
                held = tuple(hands.values())
                found.append(Figure(self.members[number].node_id, pose, held))
        return found

    def pose(self, who: int) -> Pose | None:
        """Where one of them is; None where the room has no box."""
        with self.acting(who):
            return self._pose()

    def _pose(self) -> Pose | None:
        state, me = self.state, self.me
        if me.pose is not None:
            return me.pose
        if me.seat is not None:
            return pose_on(state.graph.nodes, state.room, me.seat)
        return pose_at(state.graph.nodes, state.room, state.place())

    def room_of(self, who: int) -> int:
        """Id of the room that one of them is in."""
        return self.state.room if who == self._active else self.members[who].stand.room


def _place_of(pose: Pose) -> dict[str, Any]:
    """As Unity writes it: a box, and a place with a turn about the vertical as a quaternion."""
    half = math.radians(pose.heading) / 2
    return {
        'obj_transform': {
            'position': [pose.x, pose.y, pose.z],
            'rotation': [0.0, math.sin(half), 0.0, math.cos(half)],
            'scale': [1.0, 1.0, 1.0],
        },
        'bounding_box': pose.body().as_graph(),
    }
