"""A conversation with a language model: turns of three roles, pictures with them.

What a turn says is data, whoever wrote it: the marks between turns are never read from it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum


class Role(Enum):
    """Who speaks; the model is the assistant."""

    SYSTEM = 'system'
    USER = 'user'
    ASSISTANT = 'assistant'


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture as the bytes of a file. :param media_type: 'image/png' or 'image/jpeg'."""

    data: bytes
    media_type: str = 'image/png'

    @property
    def data_uri(self) -> str:
        """The whole file as an address."""
        return f'data:{self.media_type};base64,{base64.b64encode(self.data).decode()}'


@dataclass(frozen=True, slots=True)
class Turn:
    """What one of them said. :param pictures: shown with it, before the text."""

    role: Role
    text: str
    pictures: tuple[PictureFile, ...] = ()


_LABELS = {Role.SYSTEM: 'System:', Role.USER: 'User:', Role.ASSISTANT: 'Assistant:'}
_LIKE_A_LABEL = re.compile(
    rf'^[ \t]*(?={"|".join(_LABELS.values())})', re.IGNORECASE | re.MULTILINE
)
#: Stands for a picture in texts.
_PICTURE = '(a picture)'
#: What begins the words of the assistant in plain text.
ANSWER = _LABELS[Role.ASSISTANT]
#: Where a model that goes on with plain text begins to speak for somebody else.
NEXT_SPEAKERS = tuple(f'\n{_LABELS[role]}' for role in (Role.USER, Role.SYSTEM))


def plain_text(turn: Turn) -> str:
    """A turn as plain text, for models without marks of turns, and for records.

    A line that begins like a turn is marked, as only the labels set here begin one.
    """
    shown = f'{_PICTURE} ' * len(turn.pictures)
    return f'{_LABELS[turn.role]} {shown}{_LIKE_A_LABEL.sub("| ", turn.text.strip())}\n'


@dataclass
class Conversation:
    """Turns in order, and what the assistant has said of its next one.

    Only the newest pictures are kept: they are large, and show what is now.

    :param turns: whole ones. :param answer: the beginning of the assistant's next turn.
    """

    turns: list[Turn] = field(default_factory=list)
    answer: str = ''

    def say(self, turn: Turn) -> None:
        """Add a whole turn; what was answered until now becomes one before it."""
        if self.answer:
            self.turns.append(Turn(Role.ASSISTANT, self.answer))
            self.answer = ''
        if turn.pictures:
            self.turns = [replace(one, pictures=()) for one in self.turns]
        self.turns.append(turn)

    @property
    def text(self) -> str:
        """Everything so far as plain text."""
        said = ''.join(map(plain_text, self.turns))
        return f'{said}{ANSWER} {self.answer}' if self.answer else said

    def copy(self) -> Conversation:
        """One that goes on by itself."""
        return Conversation(list(self.turns), self.answer)


def alternating(turns: Sequence[Turn]) -> list[Turn]:
    """The same for models that know only users and assistants who take turns.

    What the system says becomes the user's, and what one says twice in a row becomes one turn.
    """
    merged: list[Turn] = []
    for turn in turns:
        role = Role.ASSISTANT if turn.role is Role.ASSISTANT else Role.USER
        if merged and merged[-1].role is role:
            last = merged[-1]
            merged[-1] = Turn(role, f'{last.text}\n\n{turn.text}', last.pictures + turn.pictures)
        else:
            merged.append(replace(turn, role=role))
    return merged


#: How the turn markers and other control tokens of models are spelled.
_CONTROL = re.compile(
    r'<(?=[|｜][^<>\n]{0,60}[|｜]>'
    r'|/?(?:s|bos|eos|pad|unk|image|img|video|audio|think|tool_call|tool_response'
    r'|(?:start|end)_of_(?:turn|image|role|text)|image_soft_token|fake_token_around_image'
    r'|row_\d+_col_\d+|global-img|end_of_utterance)>'
    r'|</?SYS>>)'
    r'|\[(?=/?[A-Z][A-Z_]{2,40}\])',
    re.IGNORECASE,
)


def without_control(text: str) -> str:
    """A text in which nothing spells a control token, for those who read such from text.

    A space behind the first letter is enough: "<|im_end|>" becomes "< |im_end|>".
    """
    return _CONTROL.sub(lambda match: f'{match[0]} ', text)
