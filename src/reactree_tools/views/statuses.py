"""Sign and colour of each status; the sign alone says it."""

from __future__ import annotations

import re

from rich.text import Text

from reactree_core.record.events import NodeStatus
from reactree_core.record.outcome import stop_words
from reactree_core.record.snapshot import ENDED, TreeNode, TreeSnapshot
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count, visible
from reactree_tools.views.goal_view import (
    living_lines,
    milestone_texts,
    milestones_line,
    sources_line,
    unread_line,
)

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
    """How a run ended, for people: who canceled it, or which limit, is distinguished.

    :param status: of the whole run; RUNNING while no end is known.
    :param reason: text of the FINISH of the whole run.
    """
    if status is NodeStatus.RUNNING:
        return 'no end recorded'
    if status is NodeStatus.SUCCESS and reason:
        # Whether it is verified.
        return f'{_WORDS[status]}, {visible(reason, 200)}'
    if status is not NodeStatus.CANCELED or reason in _BY_PERSON:
        return _WORDS[status]
    stopped = stop_words(reason)
    if stopped:
        return stopped[0].lower() + stopped[1:]
    limit = _LIMIT.search(reason)
    if limit is not None:
        name = limit[1] or limit[2]
        return f'stopped by the {_LIMITS.get(name, name)} limit'
    if reason == 'the time limit ran out':
        return 'stopped by the time limit'
    return 'stopped by an error'


def repair_words(before: NodeStatus, now: NodeStatus) -> str:
    """What became of a node's end by a repair without subgoals: overruled, or it stays."""
    if before is now or before not in ENDED:
        return f'no repair, {"stays" if before is now else "now"} {_WORDS[now]}'
    return f'overruled, {_WORDS[now]} instead of {_WORDS[before]}'


#: What a task means of which nothing was told when the first decision was made.
NOT_READ = 'not read as conditions; the model decides when it is done'


def means(tree: TreeSnapshot) -> str:
    """What the task was taken to mean; '' where nobody has reported that yet."""
    goal = tree.nodes[0].goal if tree.nodes else ''
    meaning = '; then '.join(milestone_texts(tree.goal)) or '; '.join(tree.wanted)
    # Where no condition was found, the task in the world's names says what was understood.
    meaning = meaning or (goal if goal != tree.task else '')
    if meaning and tree.goal.trigger:
        meaning = f'{tree.goal.trigger}: {meaning}'
    return meaning or (NOT_READ if tree.decisions else '')


def means_line(tree: TreeSnapshot) -> str:
    """What the task was taken to mean, in a line; '' where nobody has reported that yet."""
    meaning = means(tree)
    return f'means: {visible(meaning)}' if meaning else ''


def must_not_line(tree: TreeSnapshot) -> str:
    """What the task forbids, in a line; '' where it forbids nothing."""
    return f'must not: {visible(", ".join(tree.must_not))}' if tree.must_not else ''


def lines_below_task(tree: TreeSnapshot) -> list[Text]:
    """What the task means, what of it was not read, how its words were taken, and what it
    forbids: a line each.
    """
    lines = (
        Text(means_line(tree), style='cyan'),
        Text(sources_line(tree), style='cyan'),
        Text(milestones_line(tree), style='cyan'),
        Text(unread_line(tree), style='yellow'),
        Text(visible('; '.join(tree.ties)), style='bright_black'),
        Text(must_not_line(tree), style='yellow'),
        *(Text(line, style='magenta') for line in living_lines(tree)),
    )
    return [line for line in lines if line]


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
