"""The agent tree as a picture for the end of a run."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence

from rich.text import Text
from rich.tree import Tree

from reactree_planner.tree.events import NodeKind
from reactree_planner.tree.snapshot import TreeNode
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count
from reactree_tools.plain_text import visible
from reactree_tools.views.statuses import must_not_line
from reactree_tools.views.statuses import node_figures
from reactree_tools.views.statuses import status_glyph
from reactree_tools.views.statuses import status_style
from reactree_tools.views.statuses import status_word

#: Characters of a goal that are shown.
GOAL_CHARACTERS = 200


def agent_tree(
    nodes: Sequence[TreeNode],
    glyphs: Glyphs,
    hidden: Mapping[int, int] | None = None,
    must_not: Sequence[str] = (),
) -> Tree | None:
    """A rich tree; a control-flow node is shown on the line of the agent that expanded.

    :param nodes: parents before children, as a snapshot has them.
    :param hidden: how many agents are left out below an agent, by its id; lines are then cut to
        the width instead of wrapped. None when all are there.
    :param must_not: what the task forbids, a line below it.
    :returns: None when there are no nodes.
    """
    branches: dict[int, Tree] = {}
    flows = {node.parent_id: node for node in nodes if node.kind is not NodeKind.AGENT}
    top: Tree | None = None
    for node in nodes:
        if node.kind is not NodeKind.AGENT:
            parent = branches.get(node.parent_id)
            if parent is not None:
                branches[node.node_id] = parent
            continue
        label = _label(node, flows.get(node.node_id), glyphs)
        if hidden is not None:
            label.no_wrap, label.overflow = True, 'ellipsis'
            if node.node_id in hidden:
                label.append(f'  +{count(hidden[node.node_id], "agent")}', style='bright_black')
        parent = branches.get(node.parent_id)
        if parent is not None:
            branches[node.node_id] = parent.add(label)
        elif top is None:
            if must_not:
                label.append(f'\n  {must_not_line(must_not)}', style='not bold yellow')
            top = branches[node.node_id] = Tree(label, guide_style='bright_black')
    return top


def _label(node: TreeNode, flow: TreeNode | None, glyphs: Glyphs) -> Text:
    style = status_style(node.status)
    label = Text(f'{status_glyph(node.status, glyphs)} ', style=f'bold {style}')
    label.append(f'{node.node_id}  ', style='not bold bright_black')
    label.append(visible(node.goal, GOAL_CHARACTERS), style='not bold default')
    label.append(f'  {status_word(node.status)}', style=f'not bold {style}')
    if flow is not None:
        label.append(f', {flow.kind.name.lower()}', style='not bold magenta')
    figures = node_figures(node)
    if figures:
        label.append(f'  ({", ".join(figures)})', style='not bold bright_black')
    return label
