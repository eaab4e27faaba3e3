"""A model reads in one request; what the check refuses goes back, at most twice."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from reactree_core.chat import Role
from reactree_core.errors import ModelOutputError
from reactree_planner.reading.check import End
from reactree_planner.reading.form import FormCondition, FormMilestone, GoalForm, to_json
from reactree_planner.reading.model_reader import (
    CORRECTIONS,
    first_object,
    ModelReader,
    vocabulary_text,
)
from reactree_planner.reading.vocabulary import ServerWords
from support.prohibited import HOUSE

_WORDS = ServerWords(HOUSE)
_TEXT = 'Put the mug on the sofa.'
_MUG = FormCondition('in', 'mug', 'sofa', words='mug on the sofa')
_RIGHT = GoalForm(milestones=(FormMilestone((_MUG,)),))
_WRONG = GoalForm(milestones=(FormMilestone((replace(_MUG, value='attic'),)),))


def written(form: GoalForm) -> str:
    return json.dumps(to_json(form))


@dataclass
class Scripted:
    """A conversation whose answers are given; it opens itself."""

    answers: list[str]
    heard: list[str] = field(default_factory=list)
    schemas: list[dict[str, Any]] = field(default_factory=list)
    open: int = 0

    def chat(self, turns: object) -> Scripted:
        self.open += 1
        return self

    def drop(self, session: Scripted) -> None:
        self.open -= 1

    def say(self, role: Role, text: str) -> None:
        self.heard.append(text)

    def generate(self, stop: object, max_tokens: int) -> str:
        return self.answers.pop(0)


class Structured(Scripted):
    """The same, kept to a schema."""

    def write(self, schema: dict[str, Any], max_tokens: int) -> str:
        self.schemas.append(schema)
        return self.answers.pop(0)


def reader(*answers: str) -> tuple[ModelReader, Scripted]:
    scripted = Scripted(list(answers))
    return ModelReader(scripted), scripted  # type: ignore[arg-type]


def test_a_right_form_takes_one_request() -> None:
    model, scripted = reader(written(_RIGHT))
    report = model.read(_TEXT, _WORDS)
    assert (report.end, report.form, model.requests) == (End.WHOLE, _RIGHT, 1)
    assert scripted.open == 0
    assert json.dumps(_TEXT) in scripted.heard[0] and 'kitchen table' in scripted.heard[0]


def test_a_violation_is_sent_back_and_mended() -> None:
    model, scripted = reader(written(_WRONG), written(_RIGHT))
    assert model.read(_TEXT, _WORDS).end is End.WHOLE
    assert model.requests == 2
    assert 'The server has no name "attic"' in scripted.heard[1]


def test_what_stays_wrong_is_refused_after_the_corrections() -> None:
    model, scripted = reader(*[written(_WRONG)] * (CORRECTIONS + 1))
    assert model.read(_TEXT, _WORDS).end is End.REFUSED
    assert model.requests == CORRECTIONS + 1 and not scripted.answers


def test_the_best_of_several_answers_is_kept() -> None:
    worse = GoalForm(milestones=(FormMilestone((replace(_MUG, value='attic', words='no'),)),))
    model, _ = reader(written(_WRONG), written(worse), 'nothing')
    assert model.read(_TEXT, _WORDS).form == _WRONG


@pytest.mark.parametrize(
    'answer',
    [
        f'```json\n{written(_RIGHT)}\n```',
        f'Here you are: {written(_RIGHT)} I hope that helps.',
        f'{written(_RIGHT)}\n{written(_WRONG)}',
        f'{{not JSON}} {written(_RIGHT)}',
    ],
)
def test_the_first_object_of_an_answer_is_read(answer: str) -> None:
    model, _ = reader(answer)
    assert model.read(_TEXT, _WORDS).form == _RIGHT


@pytest.mark.parametrize(
    'answer', ['', 'I cannot.', '{"milestones": [', '{"milestones": 3}', '[]']
)
def test_an_answer_without_a_form_says_so_and_leaves_nothing_open(answer: str) -> None:
    model, scripted = reader(*[answer] * (CORRECTIONS + 1))
    with pytest.raises(ModelOutputError, match='The model wrote no goal'):
        model.read(_TEXT, _WORDS)
    assert scripted.open == 0


def test_a_session_with_a_schema_gets_the_names_and_acts_of_the_server() -> None:
    scripted = Structured([written(_RIGHT)])
    ModelReader(scripted).read(_TEXT, _WORDS)  # type: ignore[arg-type]
    text = json.dumps(scripted.schemas[0])
    assert '"kitchen table"' in text and '"switch on"' in text


def test_no_object_is_an_error() -> None:
    with pytest.raises(ModelOutputError):
        first_object('no braces')


def test_a_prompt_lists_names_and_skills() -> None:
    lines = vocabulary_text(_WORDS).splitlines()
    assert 'Things: apple, milk, book, cutlery knife, mug' in lines
    assert '- open <place> (open)' in lines
