"""Questions to people: what is asked, how it stands in the record of a run, and who answers.

In the record a question is an ACT decision whose skill begins with `ask: `, and the answer is its
observation. It reaches no robot and is no step of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.foreign_text import HIDDEN_CHARACTER
from reactree_core.record.events import QUESTION

#: Longest text of a question or an answer, in characters; the rest is cut, visibly.
LONGEST_TEXT = 500
#: Longest option, in characters, and most options of a question.
LONGEST_OPTION = 100
MOST_OPTIONS = 20
YES, NO = 'yes', 'no'

_LINE = re.compile(r'(?P<text>.*?)(?: \[(?P<options>[^\[\]]+)\])?')
#: Signs that would be read as those around and between the options.
_ROUND = str.maketrans('[]|', '()/')


def one_line(text: str, limit: int = LONGEST_TEXT) -> str:
    """What a person or a model wrote, as one line without characters that control or reorder.

    :param limit: characters, 4 or more.
    """
    shown = HIDDEN_CHARACTER.sub('', text)
    shown = ''.join(letter if letter.isprintable() else ' ' for letter in shown)
    line = ' '.join(shown.split())
    return line if len(line) <= limit else f'{line[: limit - 4].rstrip()} ...'


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked. Texts are made one line each, and bounded.

    :param text: the question itself. :param options: what may be answered; none: any words.
    :param default: taken where nobody answers; '' for none.
    :param number: of its decision within the run; 0 before it is asked.
    :param node_id: agent node that asks; 0 for the run itself.
    :raises ValueError: the text is empty.
    """

    text: str
    options: tuple[str, ...] = ()
    default: str = ''
    number: int = 0
    node_id: int = 0

    def __post_init__(self) -> None:
        text = one_line(self.text).translate(_ROUND)
        if not text:
            raise ValueError('a question without words')
        options = tuple(filter(None, map(_option, self.options)))
        object.__setattr__(self, 'text', text)
        object.__setattr__(self, 'options', tuple(dict.fromkeys(options))[:MOST_OPTIONS])
        object.__setattr__(self, 'default', _option(self.default))

    @property
    def line(self) -> str:
        """As it stands in the record, e.g. 'ask: Which crate? [crate 1 | crate 2]'."""
        options = f' [{" | ".join(self.options)}]' if self.options else ''
        return f'{QUESTION}{self.text}{options}'

    def answer(self, said: str) -> str:
        """The answer that is meant: an option by its words or number, else what was said.

        :raises ConfigurationError: it is empty, or fits none of the options or several.
        """
        words = one_line(said)
        if not words:
            raise ConfigurationError('The answer is empty: say something.')
        if not self.options:
            return words
        folded = words.casefold()
        for option in self.options:
            if option.casefold() == folded:
                return option
        if words.isdecimal() and 0 < int(words[:4]) <= len(self.options) and len(words) <= 4:
            return self.options[int(words) - 1]
        parts = [option for option in self.options if _has_words(option.casefold(), folded)]
        if len(parts) == 1:
            return parts[0]
        fits = 'fits several of the options' if parts else 'is none of the options'
        raise ConfigurationError(
            f'"{one_line(words, 80)}" {fits}: answer with the words or the number of one of '
            f'{", ".join(f"{number} {text}" for number, text in enumerate(self.options, 1))}.'
        )


def _option(text: str) -> str:
    return one_line(text, LONGEST_OPTION).translate(_ROUND)


def _has_words(text: str, words: str) -> bool:
    """Whether words begin a text, or a word in it."""
    return re.search(rf'(?<!\w){re.escape(words)}', text) is not None


def read_question(line: str) -> Question:
    """The question of a line, with or without `ask: `; its options stand in brackets at the end.

    :raises ValueError: it has no words.
    """
    found = _LINE.fullmatch(one_line(line.removeprefix(QUESTION), 4 * LONGEST_TEXT))
    assert found is not None, 'every line fits'
    options = (found['options'] or '').split('|')
    return Question(found['text'], tuple(option.strip() for option in options))


def confirmation(understood: str) -> Question:
    """Ask whether something was understood as it was meant; silence is consent."""
    return Question(understood, (YES, NO), YES)


def answer_text(answer: str | None, default: str) -> str:
    """What the observation of a question says.

    :param answer: None where nobody answered.
    """
    if answer is not None:
        return f'The person answers: {answer}'
    return f'Nobody answered: "{default}" is taken.' if default else 'Nobody answered.'


class People(Protocol):
    """Whoever may be asked while a run is under way."""

    @property
    def attended(self) -> bool:
        """Whether somebody is there to see a question."""

    def ask(self, question: Question, cancel: CancelToken) -> str | None:
        """The answer of a person; None where nobody answered before the deadline.

        :raises CanceledError: the run was stopped while it waited.
        """


class _Nobody:
    """Port `People` where nobody is there."""

    attended = False

    def ask(self, question: Question, cancel: CancelToken) -> str | None:
        """Nobody answers."""
        return None


NOBODY: People = _Nobody()
