"""Sign and colour of each status; the sign alone says it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.snapshot import TreeNode
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count
from reactree_tools.plain_text import visible

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


#: In the sentence of a limit that ended a run.
_LIMIT = re.compile(r'\braise max_(\w+)|\bmax_(depth) is')
_LIMITS = {'decisions': 'decision', 'steps': 'step', 'tokens': 'token'}
#: Reasons of a run that somebody canceled; others than these and limits are errors.
_BY_PERSON = ('', 'CANCELED', 'canceled by request')


def result_words(status: NodeStatus, reason: str) -> str:
    """How a run ended, for people: who canceled it, or which limit, is told apart.

    :param status: of the whole run; RUNNING while no end is known.
    :param reason: text of the FINISH of the whole run.
    """
    if status is NodeStatus.RUNNING:
        return 'no end recorded'
    if status is not NodeStatus.CANCELED or reason in _BY_PERSON:
        return _WORDS[status]
    limit = _LIMIT.search(reason)
    if limit is not None:
        name = limit[1] or limit[2]
        return f'stopped by the {_LIMITS.get(name, name)} limit'
    if reason == 'the time limit ran out':
        return 'stopped by the time limit'
    return 'stopped by an error'


def must_not_line(must_not: Sequence[str]) -> str:
    """What a task forbids, in a line."""
    return f'must not: {visible(", ".join(must_not))}'


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
