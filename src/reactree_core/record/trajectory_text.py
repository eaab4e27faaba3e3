"""How a trajectory is written, and how a world's text is kept from reading like one.

Prompts, experiences, exports and the viewer all show these lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reactree_core.foreign_text import cleaned, looked_at
from reactree_core.record.events import ControlFlow

#: Text after which a node's three kinds of decision are written.
THINK = 'Think:'
ACT = 'Act:'
EXPAND = 'Expand:\n'
BEFORE_FLOW = '- control flow:'
BEFORE_SUBGOALS = '- subgoals:'
ACKNOWLEDGE = 'OK.\n'

#: Letters of what was observed that are read: a page of a shop, or a list of recipes.
_LONGEST_SEEN = 12_000
#: How lines begin that only the planner writes, and whose turn it is in chats.
_FRAME = (
    r'you must not\b|others have done\b|what earlier trials\b|other ways were\b'
    r'|earlier steps are left out\b'
    r'|(?:source|target) domain\b|(?:system|user|assistant|human)\s*:'
)
LIKE_A_FRAME = re.compile(rf'[^\w|]*(?:{_FRAME})', re.I)
#: The same, and how decisions, tasks and headings of plans begin.
_LIKE_A_BLOCK = re.compile(
    r'[^\w|]*(?:(?:think|act|expand|ok|your task is to|subgoals|control flow)\b'
    r'|(?:plan|answer|reflection|now|step \d+|skills|places|things|execution order|done so far'
    r'|done just before|tried without success)\s*:'
    rf'|which step comes next\b|the larger task is\b|its parts, done\b|{_FRAME})',
    re.I,
)


FLOW_WORDS = {
    ControlFlow.SEQUENCE: 'sequence',
    ControlFlow.FALLBACK: 'fallback',
    ControlFlow.PARALLEL: 'parallel',
}
_ORDERED = {
    ControlFlow.SEQUENCE: 'one after another',
    ControlFlow.FALLBACK: 'as different ways, until one succeeds',
    ControlFlow.PARALLEL: 'independently of each other',
}


def goal_information(parent_goal: str, flow: ControlFlow, siblings: Sequence[str]) -> str:
    """Why this node exists: its parent's goal, and its siblings with how they are ordered."""
    if not parent_goal:
        return ''
    return (
        f'The larger task is: {_with_quoted_ends(parent_goal)}\n'
        f'Its parts, done {_ORDERED[flow]}: {"; ".join(map(single_line, siblings))}\n'
    )


def task_line(goal: str) -> str:
    """How a goal is put, in prompts and in trajectories."""
    return f'Your task is to: {_with_quoted_ends(goal)}\n'


def _with_quoted_ends(text: str) -> str:
    """A text that begins in a line of the prompt; its further lines are none of the planner's."""
    text = cleaned(text)
    if not text.isprintable():
        first, *others = text.split('\n')
        text = '\n'.join((first, *map(marked, others)))
    return text


def marked(line: str, like: re.Pattern[str] = _LIKE_A_BLOCK) -> str:
    """A line of somebody else's text, marked where it reads like one of the planner's."""
    return f'| {line}' if like.match(looked_at(line)) else line


def single_line(text: str, limit: int = 4000) -> str:
    """A world's text as one line of the prompt: it cannot begin a decision of its own."""
    line = ' '.join(cleaned(text).split())
    return line if len(line) <= limit else line[:limit] + ' ...'


def quoted(text: str) -> str:
    """A world's text as it stands in a prompt: its lines kept, and none of them a decision.

    Lines that read like one, or like a task, are marked; the end gives way where it is very long.
    """
    lines = (' '.join(line.split()) for line in cleaned(text).splitlines())
    whole = '\n'.join(marked(line) for line in lines if line)
    return whole if len(whole) <= _LONGEST_SEEN else whole[:_LONGEST_SEEN] + ' ...'
