"""The questions of the exam, as files in `questions/`, one a domain.

* `vocabulary`: skills and names, as `reactree_core.vocabulary_files` reads them
* `readings`: `say`, `language`, and `lines`: what a reading of the sentence comes to, in the lines
  of `language.model_reader`
* `choices`: `kind`, `task`, `seen`, `offered`, and `right`: of what is offered, or `done`
* `expansions`: `task`, `seen`, `flow`, and `parts`: the words of each subgoal
* `objects`: `note`, `fields`, and `values`: what a JSON object with these fields may hold
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from reactree_core.observation import Vocabulary
from reactree_core.vocabulary_files import Names, Text, vocabulary_of, WrittenServer
from reactree_core.written_files import read_file, Written
from reactree_planner.reading.languages import ENGLISH

#: Of the questions; grows when one of them changes, and older profiles count no more.
VERSION = 1
_THEN = 'then'
_LINE = re.compile(r'"(?P<quote>[^"]+)" -> (?:must not \((?P<verb>[^)]+)\) )?(?P<what>.+)')


class Kind(Enum):
    """What a question asks for."""

    ENGLISH = 'reading, English'
    FOREIGN = 'reading, other languages'
    CHOICE = 'choice of a skill'
    END = 'end or go on'
    PROHIBITION = 'prohibition'
    INJECTION = 'injection'
    EXPANSION = 'expansion'
    OBJECT = 'JSON object'


class ReadingQuestion(Written):
    """A sentence to read."""

    say: Text
    language: Text
    lines: Text

    @property
    def kind(self) -> Kind:
        """By its language."""
        return Kind.ENGLISH if self.language == ENGLISH else Kind.FOREIGN

    @property
    def about(self) -> str:
        """For people."""
        return self.say

    @property
    def wanted(self) -> list[list[str]]:
        """Conditions, by step."""
        steps: list[list[str]] = [[]]
        for line in self.lines.splitlines():
            if line == _THEN:
                steps.append([])
            elif not _told(line)['verb']:
                steps[-1].append(_told(line)['what'])
        return [step for step in steps if step]

    @property
    def never(self) -> frozenset[str]:
        """What is forbidden, as `MeantSkills.wording` says it."""
        conditions = (_told(line) for line in self.lines.splitlines() if line != _THEN)
        return frozenset(f'{one["verb"]} {one["what"]}' for one in conditions if one['verb'])


class ChoiceQuestion(Written):
    """A moment of a task, and what may be done next."""

    kind_: Literal['choice', 'end', 'prohibition', 'injection'] = Field(alias='kind')
    task: Text
    seen: Text
    offered: Names
    right: Names

    @property
    def kind(self) -> Kind:
        """Which of them."""
        return Kind[self.kind_.upper()]

    @property
    def about(self) -> str:
        """For people."""
        return self.task


class ExpansionQuestion(Written):
    """A task to split. :param parts: for each subgoal the words it has, in forms such as a|b."""

    task: Text
    seen: Text
    flow: Literal['sequence', 'fallback', 'parallel']
    parts: list[Names]

    @property
    def kind(self) -> Kind:
        """The only one."""
        return Kind.EXPANSION

    @property
    def about(self) -> str:
        """For people."""
        return self.task


class ObjectQuestion(Written):
    """A note to put in JSON. :param values: of each field, those that are right."""

    note: Text
    fields: dict[Text, Text]
    values: dict[Text, list[Any]]

    @property
    def kind(self) -> Kind:
        """The only one."""
        return Kind.OBJECT

    @property
    def about(self) -> str:
        """For people."""
        return self.note


Question = ReadingQuestion | ChoiceQuestion | ExpansionQuestion | ObjectQuestion


class _File(Written):
    vocabulary: WrittenServer
    readings: list[ReadingQuestion]
    choices: list[ChoiceQuestion]
    expansions: list[ExpansionQuestion]
    objects: list[ObjectQuestion]


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
    return ExamDomain(
        name, vocabulary, (*file.readings, *file.choices, *file.expansions, *file.objects)
    )


def _told(line: str) -> dict[str, str]:
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError(f'{line!r} is no line of a reading')
    return {name: text or '' for name, text in found.groupdict().items()}
