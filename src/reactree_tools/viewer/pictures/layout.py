"""Where the boxes of a tree stand: children below their parent, subtrees beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reactree_core.record.snapshot import AgentTree
from reactree_tools.viewer.pictures.boxes import Box

#: Pixels between neighbours, between a parent and its children, and around the picture.
BESIDE = 18.0
BELOW = 30.0
MARGIN = 20.0


@dataclass(frozen=True, slots=True)
class Place:
    """Upper left corner of a box, pixels."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Layout:
    """All places, and the size of the whole, pixels."""

    places: dict[int, Place]
    width: float
    height: float


#: Left and right edge of a subtree on every level, from its root down.
_Contour = list[tuple[float, float]]


def lay_out(tree: AgentTree, boxes: Mapping[int, Box]) -> Layout:
    """Tidy: a parent stands over the middle of its children, and subtrees stand as close as their
    outlines let them (Reingold and Tilford).

    :param boxes: by node id, one for every node of the tree.
    """
    offsets: dict[int, float] = {}
    roots = tree.children(0)
    if not roots:
        return Layout({}, 2 * MARGIN, 2 * MARGIN)
    root = roots[0].node_id
    contour = _arrange(tree, boxes, root, offsets)
    left = min(edge for edge, _ in contour)
    width = max(edge for _, edge in contour) - left
    heights = _level_heights(tree, boxes, root)
    places: dict[int, Place] = {}
    waiting = [(root, MARGIN - left, 0)]
    while waiting:
        node_id, centre, level = waiting.pop()
        y = MARGIN + sum(heights[:level]) + BELOW * level
        places[node_id] = Place(centre - boxes[node_id].width / 2, y)
        for child in tree.children(node_id):
            waiting.append((child.node_id, centre + offsets[child.node_id], level + 1))
    height = sum(heights) + BELOW * (len(heights) - 1)
    return Layout(places, width + 2 * MARGIN, height + 2 * MARGIN)


def _arrange(
    tree: AgentTree, boxes: Mapping[int, Box], node_id: int, offsets: dict[int, float]
) -> _Contour:
    """Offsets of all centres below a node from their parents'; the subtree's outline."""
    half = boxes[node_id].width / 2
    together: _Contour = []
    centres: list[tuple[int, float]] = []
    for child in tree.children(node_id):
        contour = _arrange(tree, boxes, child.node_id, offsets)
        pairs = zip(together, contour, strict=False)
        shift = max((mine[1] + BESIDE - its[0] for mine, its in pairs), default=0.0)
        centres.append((child.node_id, shift))
        moved = [(left + shift, right + shift) for left, right in contour]
        joined = [(mine[0], its[1]) for mine, its in zip(together, moved, strict=False)]
        longer = together if len(together) > len(moved) else moved
        together = joined + longer[len(joined) :]
    if not centres:
        return [(-half, half)]
    middle = (centres[0][1] + centres[-1][1]) / 2
    for child_id, centre in centres:
        offsets[child_id] = centre - middle
    return [(-half, half), *((left - middle, right - middle) for left, right in together)]


def _level_heights(tree: AgentTree, boxes: Mapping[int, Box], root: int) -> list[float]:
    heights: list[float] = []
    level = [root]
    while level:
        heights.append(max(boxes[node_id].height for node_id in level))
        level = [child.node_id for node_id in level for child in tree.children(node_id)]
    return heights
