"""The questions of the exam, as files in `questions/`, one for each invented domain.

* `vocabulary`: skills and names, as `reactree_core.vocabulary_files` reads them
* `readings`: `kind`, `say`, and what a right reading comes to
* `choices`: `task`, `seen`, `offered`, and `right`: of what is offered, or `done`
* `worlds`: a task that is played to its end: `place` of the robot, `things` and where they are,
  `wanted`, and skills that `never` may be executed
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from pydantic import Field

from reactree_core.observation import Vocabulary
from reactree_core.vocabulary_files import Names, Text, vocabulary_of, WrittenServer
from reactree_core.written_files import read_file, Written

#: Of the questions; grows when one of them changes, and older profiles count no more.
VERSION = 2
#: Requests of a whole exam at most; corrections of readings take what is left.
MOST_REQUESTS = 40


class Kind(Enum):
    """What a question is about."""

    VAGUE = 'vague requests'
    CONDITION = 'conditions'
    UNREACHABLE = 'unreachable states'
    COUNT = 'counts, limits'
    PROHIBITION = 'unknown nouns'
    NOTHING = 'nothing asked'
    LANGUAGE = 'other languages'
    DECISION = 'choices'
    WORLD = 'a whole task'

    @property
    def is_reading(self) -> bool:
        """Whether a sentence is to be read."""
        return self not in (Kind.DECISION, Kind.WORLD)


class ReadingQuestion(Written):
    """A sentence to read.

    :param right: goals that are right, as `Goal.means`; '' for nothing that is asked.
    :param forbids: skills that it must forbid, and :param allows: that it must not.
    :param rules: wordings of its limits. :param unreachable: whether no skill brings it about.
    :param asked: whether a person has to be asked before anything moves.
    """

    kind_: Literal[
        'vague', 'condition', 'unreachable', 'count', 'prohibition', 'nothing', 'language'
    ] = Field(alias='kind')
    say: Text
    right: list[str]
    forbids: Names = Field(default=[])
    allows: Names = Field(default=[])
    rules: Names = Field(default=[])
    unreachable: bool = False
    asked: bool = False

    @property
    def kind(self) -> Kind:
        """Which of them."""
        return Kind[self.kind_.upper()]

    @property
    def about(self) -> str:
        """For people."""
        return self.say


class ChoiceQuestion(Written):
    """A moment of a task, and what may be done next."""

    kind_: Literal['decision'] = Field(alias='kind')
    task: Text
    seen: Text
    offered: Names
    right: Names

    @property
    def kind(self) -> Kind:
        """The only one."""
        return Kind.DECISION

    @property
    def about(self) -> str:
        """For people."""
        return self.task


class WorldQuestion(Written):
    """A task in a small world. :param wanted: where which things are in the end."""

    task: Text
    place: Text
    places: Names
    things: dict[Text, Text]
    wanted: dict[Text, Text]
    never: Names = Field(default=[])

    @property
    def kind(self) -> Kind:
        """The only one."""
        return Kind.WORLD

    @property
    def about(self) -> str:
        """For people."""
        return self.task


Question = ReadingQuestion | ChoiceQuestion | WorldQuestion


class _File(Written):
    vocabulary: WrittenServer
    readings: list[ReadingQuestion]
    choices: list[ChoiceQuestion]
    worlds: list[WorldQuestion]


@dataclass(frozen=True, slots=True)
class ExamDomain:
    """An invented domain. :param questions: in the order in which they are asked."""

    name: str
    vocabulary: Vocabulary
    questions: tuple[Question, ...]


@cache
def exam_domains() -> tuple[ExamDomain, ...]:
    """The domains of the exam, by name.

    :raises ConfigurationError: a file is damaged.
    """
    folder = files(__package__) / 'questions'
    found = sorted(one.name for one in folder.iterdir() if one.name.endswith('.yaml'))
    return tuple(_domain(Path(name).stem, read_file(folder / name, _File)) for name in found)


def exam_questions() -> Iterator[tuple[ExamDomain, Question]]:
    """All questions, those of one kind behind each other, which share most of their prompts."""
    order = list(Kind)
    pairs = [(domain, question) for domain in exam_domains() for question in domain.questions]
    yield from sorted(pairs, key=lambda pair: order.index(pair[1].kind))


def _domain(name: str, file: _File) -> ExamDomain:
    vocabulary = vocabulary_of(file.vocabulary, Path(name))
    return ExamDomain(name, vocabulary, (*file.readings, *file.choices, *file.worlds))
