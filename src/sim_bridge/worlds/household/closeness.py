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

from collections.abc import Iterable, Iterator, Mapping

from sim_bridge.worlds.household.graph import CLOSE, SceneGraph
from sim_bridge.worlds.household.nodes import Box

#: Free distance between two boxes, in metres.
REACH = 1.6
#: Places in the order of ids where there are neither boxes nor CLOSE edges.
NEIGHBOURS = 3


def fixture_of(graph: SceneGraph, node_id: int) -> int:
    """What a thing belongs to: itself unless it is carried by something."""
    while node_id in graph.parent and graph.nodes[node_id].has('GRABBABLE'):
        node_id = graph.parent[node_id][1]
    return node_id


class NearFixtures(Mapping[int, frozenset[int]]):
    """Per fixture those near it, itself included, as the scene is now; symmetrical.

    Worked out when a fixture is asked for: a robot goes to few of thousands.

    :param reach: metres, 0 or more. :param neighbours: 0 or more.
    """

    def __init__(
        self,
        graph: SceneGraph,
        fixtures: Iterable[int],
        reach: float = REACH,
        neighbours: int = NEIGHBOURS,
    ) -> None:
        self._reach, self._neighbours = reach, neighbours
        self._boxes: dict[int, Box | None] = {}
        self._room: dict[int, list[int]] = {}
        self._place: dict[int, int] = {}
        rooms: dict[int | None, list[int]] = {}
        for fixture in sorted(fixtures):
            self._boxes[fixture] = graph.nodes[fixture].box
            self._room[fixture] = room = rooms.setdefault(graph.room_of(fixture), [])
            self._place[fixture] = len(room)
            room.append(fixture)
        #: Which stand on or in each other, and which the file says are close.
        self._touching = _pairs((one, graph.parent[one][1]) for one in graph.parent)
        self._drawn = _pairs(graph.other_edges(CLOSE))
        self._known: dict[int, frozenset[int]] = {}

    def __getitem__(self, fixture: int) -> frozenset[int]:
        known = self._known.get(fixture)
        if known is None:
            known = self._known[fixture] = frozenset(self._near(fixture))
        return known

    def __iter__(self) -> Iterator[int]:
        return iter(self._boxes)

    def __len__(self) -> int:
        return len(self._boxes)

    def _near(self, fixture: int) -> Iterator[int]:
        yield fixture
        room, place, box = self._room[fixture], self._place[fixture], self._boxes[fixture]
        drawn = self._drawn.get(fixture, _NONE)
        touching = self._touching.get(fixture, _NONE)
        for other_place, other in enumerate(room):
            other_box = self._boxes[other]
            if box and other_box:
                close = box.gap(other_box) <= self._reach
            elif self._drawn:
                close = other in drawn
            else:
                close = abs(other_place - place) <= self._neighbours
            if close or other in touching:
                yield other


_NONE: frozenset[int] = frozenset()


def _pairs(edges: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    """By each end, the other ends."""
    pairs: dict[int, set[int]] = {}
    for one, other in edges:
        pairs.setdefault(one, set()).add(other)
        pairs.setdefault(other, set()).add(one)
    return pairs
