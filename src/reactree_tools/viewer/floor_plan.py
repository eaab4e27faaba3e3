"""A scene graph seen from above: rooms, what stands in them, the robot, in metres."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from dataclasses import dataclass
from typing import Any

from reactree_core.errors import ReactreeError
from sim_bridge.worlds.household.state import HouseholdState
from sim_bridge.worlds.household.state import Options

#: Rooms and furniture that are drawn at most, whatever a graph holds.
_MOST_ROOMS = 200
_MOST_FIXTURES = 1500


@dataclass(frozen=True, slots=True)
class Box:
    """Something that stands on the floor.

    :param name: as in skills, e.g. 'fridge 1'.
    :param x: of its centre, metres. :param y: of its centre, metres, growing downwards.
    :param width: metres. :param height: metres, as seen from above.
    """

    name: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """What a page draws. The robot is None when the graph does not place it."""

    scene: str
    rooms: tuple[Box, ...]
    fixtures: tuple[Box, ...]
    robot: tuple[float, float] | None = None

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def floor_plan(scene: str, graph: Mapping[str, Any]) -> FloorPlan | None:
    """The plan of a graph in VirtualHome's format, with the names that a robot uses.

    :return: None when the graph cannot be read, or its rooms have no bounding boxes.
    """
    try:
        state = HouseholdState(graph, Options(), 0)
    except ReactreeError:
        return None
    nodes, names = state.graph.nodes, state.names
    rooms = []
    fixtures = []
    robot = None
    for record in graph['nodes']:
        key = record['id']
        box = _box(names.name.get(key, ''), record)
        if box is None or key not in nodes:
            continue
        if key in state.graph.rooms:
            rooms.append(box)
        elif key == state.graph.character:
            robot = (box.x, box.y)
        elif state.roles[key].place and state.roles[key].observable:
            fixtures.append(box)
    if not rooms:
        return None
    # What is large lies under what is small.
    fixtures.sort(key=lambda box: -box.width * box.height)
    return FloorPlan(scene, tuple(rooms[:_MOST_ROOMS]), tuple(fixtures[:_MOST_FIXTURES]), robot)


def _box(name: str, record: Mapping[str, Any]) -> Box | None:
    try:
        centre, size = record['bounding_box']['center'], record['bounding_box']['size']
        x, y = float(centre[0]), -float(centre[2])
        width, height = abs(float(size[0])), abs(float(size[2]))
    except (KeyError, TypeError, ValueError, IndexError):
        return None
    return Box(name, round(x, 3), round(y, 3), round(width, 3), round(height, 3))
