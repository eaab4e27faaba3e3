"""The action tree: sampled plans, their common beginnings merged (section 3.2, algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field

from reactree_planner.planners.plans.steps import Step


@dataclass(eq=False)
class ActionNode:
    """One step of one or more plans; the root has none.

    :param plans: how many sampled plans lead through it.
    :param valid: whether it may still be chosen; its subtree goes with it.
    """

    step: Step | None = None
    parent: ActionNode | None = None
    plans: int = 0
    valid: bool = True
    children: list[ActionNode] = field(default_factory=list)

    @property
    def valid_children(self) -> list[ActionNode]:
        """Steps that may still come next, in the order first sampled."""
        return [child for child in self.children if child.valid]

    @property
    def text(self) -> str:
        """Its step; '' for the root."""
        return self.step.text if self.step else ''

    def nodes(self) -> Iterator[ActionNode]:
        """This node and all below it, parents first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def run_of_steps(self) -> list[ActionNode]:
        """From this node down to where paths part, or to the end."""
        found = [self]
        while len(found[-1].children) == 1:
            found.append(found[-1].children[0])
        return found

    def mark_failed(self) -> ActionNode | None:
        """Mark the subtree of a step that failed, and whatever has no valid step left above it.

        :return: the last fork above with a valid child; None when no way is left.
        """
        for node in self.nodes():
            node.valid = False
        above = self.parent
        while above is not None and not above.valid_children:
            above.valid = False
            above = above.parent
        return above


def build_action_tree(plans: Iterable[Sequence[Step]]) -> ActionNode:
    """Merge plans: those with a common beginning share its nodes.

    :param plans: each ends with the end step, so that no plan is lost in a longer one.
    :return: the root.
    """
    root = ActionNode()
    for plan in plans:
        node = root
        node.plans += 1
        for step in plan:
            child = next((child for child in node.children if child.step == step), None)
            if child is None:
                child = ActionNode(step, node)
                node.children.append(child)
            child.plans += 1
            node = child
    return root


def prune(root: ActionNode, most_children: int, most_forks: int | None) -> None:
    """Cut what a run's tree cannot hold, the steps of the fewest plans first.

    :param most_children: of any fork, 1 or more.
    :param most_forks: on any path; None for any number. Further down, the step of the most plans
        stays alone.
    """
    stack = [(root, 0)]
    while stack:
        node, forks = stack.pop()
        may_fork = most_forks is None or forks < most_forks
        most = most_children if may_fork else 1
        if len(node.children) > most:
            kept = sorted(node.children, key=lambda child: -child.plans)[:most]
            node.children = [child for child in node.children if child in kept]
        forks += len(node.children) > 1
        stack.extend((child, forks) for child in node.children)


def paths(root: ActionNode) -> list[tuple[str, ...]]:
    """Texts of every way from the root to an end, in the order first sampled."""
    found: list[tuple[str, ...]] = []
    stack: list[tuple[ActionNode, tuple[str, ...]]] = [(root, ())]
    while stack:
        node, path = stack.pop()
        if node.step is not None:
            path = (*path, node.step.text)
        if not node.children and path:
            found.append(path)
        stack.extend((child, path) for child in reversed(node.children))
    return found


@dataclass(frozen=True, slots=True)
class TreeCounts:
    """How large an action tree is; the root is not counted, the ends are."""

    plans: int
    steps: int
    forks: int


def counts_of(root: ActionNode) -> TreeCounts:
    """Count its different plans, its nodes and its forks."""
    nodes = list(root.nodes())
    return TreeCounts(
        sum(not node.children for node in nodes[1:]),
        len(nodes) - 1,
        sum(len(node.children) > 1 for node in nodes),
    )
