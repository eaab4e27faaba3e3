"""CLOSE, defined without the simulator: what can be reached from where one has walked to.

The simulator computes CLOSE from the character's position; no stored graph has it. Here it is a
relation between *fixtures*: things that are not carried (furniture, appliances, what stands on the
floor). Everything that can be carried belongs to the fixture it is on or in, wherever it is moved.
Walking to a thing makes close

1. the fixture it belongs to, with what is visible on and in it;
2. every fixture near that one, with what is visible on and in it. Near is, in the same room:
   * when one stands on or in the other (a microwave on a counter);
   * when both have bounding boxes: a free horizontal distance of at most `reach` metres;
   * else, when the file has CLOSE edges: an edge between the two;
   * else at most `neighbours` places from each other in the order of ids, which in VirtualHome
     exports follows the arrangement of a room.

In the middle of a room, where one stands after walking to the room, nothing is close.
So whatever is listed on arrival can be picked up from there, and from there again later.
`docs/decisions/closeness.md` has the measurements behind the two numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping

from sim_bridge.worlds.household.graph import CLOSE
from sim_bridge.worlds.household.graph import SceneGraph

#: Free distance between two boxes, in metres.
REACH = 1.6
#: Places in the order of ids where there are neither boxes nor CLOSE edges.
NEIGHBOURS = 5


def fixture_of(graph: SceneGraph, node_id: int) -> int:
    """What a thing belongs to: itself unless it is carried by something."""
    while node_id in graph.parent and graph.nodes[node_id].has('GRABBABLE'):
        node_id = graph.parent[node_id][1]
    return node_id


def near_fixtures(
    graph: SceneGraph,
    fixtures: Iterable[int],
    reach: float = REACH,
    neighbours: int = NEIGHBOURS,
) -> Mapping[int, frozenset[int]]:
    """Per fixture those near it, itself included; symmetrical.

    :param reach: metres, 0 or more. :param neighbours: 0 or more.
    """
    rooms: dict[int | None, list[int]] = {}
    for fixture in sorted(fixtures):
        rooms.setdefault(graph.room_of(fixture), []).append(fixture)
    drawn = {frozenset(edge) for edge in graph.other_edges(CLOSE)}
    near = {fixture: {fixture} for group in rooms.values() for fixture in group}
    for group in rooms.values():
        for place, first in enumerate(group):
            box = graph.nodes[first].box
            for other_place in range(place + 1, len(group)):
                second = group[other_place]
                other_box = graph.nodes[second].box
                if box and other_box:
                    close = box.gap(other_box) <= reach
                elif drawn:
                    close = frozenset((first, second)) in drawn
                else:
                    close = other_place - place <= neighbours
                if close or _touch(graph, first, second):
                    near[first].add(second)
                    near[second].add(first)
    return {fixture: frozenset(others) for fixture, others in near.items()}


def _touch(graph: SceneGraph, first: int, second: int) -> bool:
    """Whether one stands on or in the other."""
    places = (graph.parent.get(first), graph.parent.get(second))
    return any(
        place is not None and place[1] == other
        for place, other in zip(places, (second, first), strict=True)
    )
