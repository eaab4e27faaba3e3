"""Sign and colour of each status; the sign alone says it."""

from __future__ import annotations

from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.snapshot import TreeNode
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count

_STYLES = {
    NodeStatus.IDLE: 'bright_black',
    NodeStatus.RUNNING: 'blue',
    NodeStatus.SUCCESS: 'green',
    NodeStatus.FAILURE: 'red',
    NodeStatus.EXPANDED: 'blue',
    NodeStatus.CANCELED: 'yellow',
}


_WORDS = {
    NodeStatus.IDLE: 'not tried',
    NodeStatus.RUNNING: 'at work',
    NodeStatus.SUCCESS: 'succeeded',
    NodeStatus.FAILURE: 'failed',
    NodeStatus.EXPANDED: 'expanded',
    NodeStatus.CANCELED: 'canceled',
}


def status_word(status: NodeStatus) -> str:
    """For people."""
    return _WORDS[status]


def node_figures(node: TreeNode) -> list[str]:
    """What a node itself did, without what it did not do: ['3 decisions', '1 step']."""
    figures = [count(node.decisions, 'decision')] if node.decisions else []
    return figures + ([count(node.steps, 'step')] if node.steps else [])


def status_style(status: NodeStatus) -> str:
    """A rich style."""
    return _STYLES[status]


def status_glyph(status: NodeStatus, glyphs: Glyphs) -> str:
    """One column."""
    return {
        NodeStatus.IDLE: glyphs.idle,
        NodeStatus.RUNNING: glyphs.running,
        NodeStatus.SUCCESS: glyphs.success,
        NodeStatus.FAILURE: glyphs.failure,
        NodeStatus.EXPANDED: glyphs.running,
        NodeStatus.CANCELED: glyphs.canceled,
    }[status]
