"""Where each thing of a stored graph is: one parent each, out of edges that say too much.

Stored graphs come from overlapping bounding boxes: a shirt is INSIDE a drawer and INSIDE the
closet, a glass ON the table and ON the rug below it, two bowls INSIDE each other. The most
particular place wins, and circles are cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from sim_bridge.worlds.household.nodes import is_floor, Node

INSIDE = 'INSIDE'
ON = 'ON'

#: (relation, id of the node it is in or on)
Place = tuple[str, int]


def choose_places(
    nodes: Mapping[int, Node],
    stored: Mapping[int, Sequence[Place]],
    rooms: frozenset[int],
) -> dict[int, Place]:
    """One place per node; a node without one stands freely in its room.

    :param stored: INSIDE and ON edges by the node they start from.
    """
    inside = _targets(stored, INSIDE, rooms)
    on = _targets(stored, ON, rooms)
    chosen: dict[int, Place] = {}
    for node_id in stored:
        if node_id not in rooms:
            place = _choose(nodes, node_id, inside, on)
            if place is not None:
                chosen[node_id] = place
    _cut_circles(chosen)
    return chosen


def _targets(
    stored: Mapping[int, Sequence[Place]], relation: str, rooms: frozenset[int]
) -> dict[int, list[int]]:
    """Per node what it is in (or on) by the edges, without rooms and itself."""
    return {
        node_id: [
            target
            for kind, target in places
            if kind == relation and target not in rooms and target != node_id
        ]
        for node_id, places in stored.items()
    }


def _choose(
    nodes: Mapping[int, Node],
    node_id: int,
    inside: Mapping[int, Sequence[int]],
    on: Mapping[int, Sequence[int]],
) -> Place | None:
    supports = [target for target in on[node_id] if not is_floor(nodes[target])]
    containers = inside[node_id]
    if containers:
        rivals = set(containers)
        container = min(
            containers,
            key=lambda one: (not _in_rival(one, inside, rivals), _volume(nodes[one]), one),
        )
        # On a tray in the oven: carrying the tray carries it along.
        for support in supports:
            if support != container and container in inside.get(support, ()):
                return ON, support
        return INSIDE, container
    if supports:
        rivals = set(supports)
        # A glass on the table and on the rug below is on the table.
        return ON, min(
            supports,
            key=lambda one: (
                not _in_rival(one, on, rivals),
                nodes[one].has('GRABBABLE'),
                -_top(nodes[one]),
                one,
            ),
        )
    return None


def _in_rival(one: int, targets: Mapping[int, Sequence[int]], rivals: Set[int]) -> bool:
    """Whether a candidate is itself in (or on) another candidate, and so the nearer of the two."""
    return any(target in rivals for target in targets.get(one, ()) if target != one)


def _volume(node: Node) -> float:
    return node.box.volume if node.box else float('inf')


def _top(node: Node) -> float:
    return node.box.center[1] + node.box.size[1] / 2 if node.box else 0.0


def _cut_circles(chosen: dict[int, Place]) -> None:
    """Free one node of every circle of places, always the same one."""
    sound: set[int] = set()
    for start in sorted(chosen):
        path: list[int] = []
        on_path: set[int] = set()
        here = start
        while here in chosen and here not in sound:
            if here in on_path:
                circle = path[path.index(here) :]
                del chosen[min(circle)]
                break
            path.append(here)
            on_path.add(here)
            here = chosen[here][1]
        sound.update(path)
