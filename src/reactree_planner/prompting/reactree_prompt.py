"""The prompt of an agent node: system text, examples, goal information, goal, observation.

Everything a node shares with others comes first and unchanged, so that it is evaluated once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

from reactree_planner.tree.events import ControlFlow

#: Text after which a node's three kinds of decision are written.
THINK = 'Think:'
ACT = 'Act:'
EXPAND = 'Expand:\n'
ACKNOWLEDGE = 'OK.\n'
#: Stands where a prompt that has grown too long leaves steps out.
EARLIER_STEPS = '(Earlier steps are left out here.)\n'

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


@cache
def read_template(name: str) -> str:
    """A template of this package. :raises FileNotFoundError: there is none of this name."""
    folder = resources.files('reactree_planner.prompting') / 'templates'
    return (folder / f'{name}.txt').read_text(encoding='utf-8')


def goal_information(parent_goal: str, flow: ControlFlow, siblings: Sequence[str]) -> str:
    """Why this node exists: its parent's goal, and its siblings with how they are ordered."""
    if not parent_goal:
        return ''
    return (
        f'The larger task is: {parent_goal}\n'
        f'Its parts, done {_ORDERED[flow]}: {"; ".join(siblings)}\n'
    )


def task_line(goal: str) -> str:
    """How a goal is put, in prompts and in trajectories."""
    return f'Your task is to: {goal}\n'


def single_line(text: str, limit: int = 4000) -> str:
    """A world's text as one line of the prompt: it cannot begin a decision of its own."""
    line = ' '.join(text.split())
    return line if len(line) <= limit else line[:limit] + ' ...'
