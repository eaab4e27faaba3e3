"""A tree cut down to a number of lines, around the agent that is at work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field

from reactree_planner.tree.events import NodeKind
from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.snapshot import TreeNode

_ENDED = (NodeStatus.SUCCESS, NodeStatus.FAILURE, NodeStatus.CANCELED)


@dataclass(frozen=True, slots=True)
class FittedTree:
    """What is shown, and how many agents are not, by the agent above them."""

    nodes: tuple[TreeNode, ...]
    hidden: dict[int, int] = field(default_factory=dict)


def fitted(nodes: Sequence[TreeNode], active: int, lines: int) -> FittedTree:
    """Leave out what matters least until the agents fit.

    First go agents below ended ones, then ended ones, then those not tried; within each, what is
    longest ago or farthest ahead. Agents above the active one stay, whatever the number.

    :param nodes: parents before children. :param active: id of the agent at work; 0 for none.
    :param lines: agents that fit, 1 or more.
    """
    known = {node.node_id: node for node in nodes}
    kept = {node.node_id for node in nodes if node.kind is NodeKind.AGENT}
    above = _ancestors(known, active)
    surplus = len(kept) - lines
    for node_id in _in_order_of_leaving(nodes, known, above):
        if surplus <= 0:
            break
        if node_id in kept:
            kept.remove(node_id)
            surplus -= 1
    hidden: dict[int, int] = {}
    for node in nodes:
        if node.kind is NodeKind.AGENT and node.node_id not in kept:
            holder = _nearest(known, kept, node)
            hidden[holder] = hidden.get(holder, 0) + 1
    shown = tuple(
        node for node in nodes if node.node_id in kept or node.kind is not NodeKind.AGENT
    )
    return FittedTree(shown, hidden)


def _ancestors(known: dict[int, TreeNode], node_id: int) -> set[int]:
    found = {1}
    while node_id in known:
        found.add(node_id)
        node_id = known[node_id].parent_id
    return found


def _in_order_of_leaving(
    nodes: Sequence[TreeNode], known: dict[int, TreeNode], above: set[int]
) -> list[int]:
    agents = [node for node in nodes if node.kind is NodeKind.AGENT and node.node_id not in above]
    ended = {node.node_id for node in agents if node.status in _ENDED}
    below = [node for node in agents if ended & _ancestors(known, node.parent_id)]
    settled = [node for node in agents if node.node_id in ended and node not in below]
    rest = [node for node in agents if node not in below and node not in settled]
    # Children come after their parents, and must go before them.
    ordered = [*sorted(below, key=lambda node: -node.depth), *settled, *reversed(rest)]
    return [node.node_id for node in ordered]


def _nearest(known: dict[int, TreeNode], kept: set[int], node: TreeNode) -> int:
    while node.parent_id in known:
        node = known[node.parent_id]
        if node.node_id in kept:
            return node.node_id
    return 0
