"""What is said in the conversations of AgentBench, ALFChat and StateFlow, and answers read.

A turn of the user says what was observed and which actions are admissible; the model answers
`THOUGHT: ... ACTION: ...`, or the action alone (AgentBench, src/server/tasks/alfworld/task.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reactree_core.chat import Role, Turn
from reactree_core.record.trajectory_text import ACKNOWLEDGE, ACT, EXPAND, single_line, THINK

THOUGHT = 'THOUGHT:'
ACTION = 'ACTION:'
#: Where a model begins to answer itself.
ANSWER_STOPS = ('OBSERVATION:', 'Observation:')
#: Asked of a model that has said no action.
ASKED_AGAIN = (
    f'That was no action. Answer with {THOUGHT} and {ACTION}, or with {ACTION} alone, and one '
    'action of the list.'
)
BEGIN = 'Here is your task.'
_AVAILABLE = 'AVAILABLE ACTIONS:'
#: Letters of the actions that are listed.
_LONGEST_LIST = 3000
_LONGEST_ACTION = 500
_LABEL = re.compile(r'\s*[*#`"\']*\b(THOUGHT|ACTION)\b\s*[*`]*\s*:\s*[*`]*', re.IGNORECASE)
_ENDS = ' \t"\'`*'


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer taken apart. :param thought: one line. :param action: one line; '' for none."""

    thought: str
    action: str

    @property
    def text(self) -> str:
        """As it stands in the conversation."""
        thought = f'{THOUGHT} {self.thought}\n' if self.thought else ''
        return f'{thought}{ACTION} {self.action}\n' if self.action else thought


def parse_reply(text: str) -> Reply:
    """An answer in the form that was asked for, however it is decorated.

    The first action counts, up to the end of its line; what a model goes on to say does not.
    What stands under no label is a thought.
    """
    parts = _LABEL.split(text)
    thoughts = [parts[0]]
    for label, said in zip(parts[1::2], parts[2::2], strict=True):
        if label.upper() == 'THOUGHT':
            thoughts.append(said)
            continue
        line = next((line for line in said.splitlines() if line.strip(_ENDS)), '')
        action = single_line(line.strip(_ENDS), _LONGEST_ACTION)
        if action:
            return Reply(_joined(thoughts), action)
    return Reply(_joined(thoughts), '')


def _joined(texts: Sequence[str]) -> str:
    return single_line(' '.join(texts), 1000)


def available_actions(skills: Sequence[str]) -> str:
    """What can be done now; the end gives way where the list is very long."""
    lines: list[str] = []
    letters = 0
    for skill in map(single_line, skills):
        letters += len(skill)
        if letters > _LONGEST_LIST:
            lines.append(f'(and {len(skills) - len(lines)} more)')
            break
        lines.append(skill)
    return '\n'.join((_AVAILABLE, *lines))


def example_turns(trajectory: str) -> tuple[Turn, ...]:
    """A trajectory, in its published form, as turns of a conversation.

    What comes after an expansion is left out: a conversation has none.
    """
    turns: list[Turn] = []
    seen: list[str] = []
    thoughts: list[str] = []
    for line in trajectory.strip().splitlines():
        if line == EXPAND.strip():
            break
        if line.startswith(THINK):
            thoughts.append(line.removeprefix(THINK))
        elif line.startswith(ACT):
            begins = not turns
            text = '\n'.join(([BEGIN] if begins else []) + seen)
            reply = Reply(_joined(thoughts), single_line(line.removeprefix(ACT)))
            turns += [Turn(Role.USER, text), Turn(Role.ASSISTANT, reply.text.strip())]
            seen, thoughts = [], []
        elif line != ACKNOWLEDGE.strip():
            seen.append(line)
    return tuple(turns)


def states_of(text: str) -> dict[str, str]:
    """What a domain says in each state: blocks that begin with `Name:`, blank lines between."""
    blocks = (block.partition(':') for block in text.strip().split('\n\n'))
    return {name.strip(): said.strip() for name, colon, said in blocks if colon}
