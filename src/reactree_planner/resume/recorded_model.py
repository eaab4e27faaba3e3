"""Model and people that answer as the journal of an earlier run has it: to find a change."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.errors import JournalError
from reactree_core.errors import ModelError
from reactree_core.ports import Sample
from reactree_core.record.journal import Answer
from reactree_core.record.journal import read_records
from reactree_core.record.journal import Record
from reactree_planner.llm.scripted import PolicyModel
from reactree_planner.resume.logged_model import answered_error
from reactree_planner.resume.logged_model import digest_of
from reactree_planner.resume.logged_model import sample_of
from reactree_planner.runs.questions import Question

_EXCERPT = 300


class ReplayDivergedError(ModelError):
    """A recorded model was asked something else than in its record."""


class _RecordedAnswers:
    """Gives the answers of a journal in order, each for exactly its prompt."""

    def __init__(self, path: Path, answers: Sequence[Answer]) -> None:
        self._path = path
        self._left = deque(answers)
        self._given = 0

    def __call__(self, text: str, options: Sequence[str] | None) -> int | str | Sample:
        kind = 'generate' if options is None else 'select'
        asked = f'{kind} after {text[-_EXCERPT:]!r}'
        if not self._left:
            raise ReplayDivergedError(
                f'The record {self._path} has only {self._given} answers of the model; the run '
                f'needs another: {asked}.'
            )
        answer = self._left[0]
        content = answer.content
        was = f'{answer.kind} {str(content.get("option", content.get("text")))!r}'
        if answer.kind != kind or content.get('of', '') not in ('', digest_of(text, options)):
            raise ReplayDivergedError(
                f'The run differs from its record {self._path} at answer {self._given + 1} of the '
                f'model, which was {was}: now {asked}. The planner, its prompts or the world have '
                'changed since.'
            )
        self._left.popleft()
        self._given += 1
        if 'error' in content:
            raise answered_error(content)
        return sample_of(content) if options is None else str(content['option'])


class RecordedPeople:
    """Port `People`: those of an earlier run, who say again what they said.

    :param answers: of its journal.
    """

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._left = deque(one for one in answers if one.kind in ('attended', 'person'))

    @property
    def attended(self) -> bool:
        """Whether somebody was there."""
        known = self._next('attended')
        return known is not None and bool(known.content.get('attended'))

    def ask(self, question: Question, cancel: CancelToken) -> str | None:
        """What was answered."""
        known = self._next('person')
        said = None if known is None else known.content.get('said')
        return None if said is None else str(said)

    def _next(self, kind: str) -> Answer | None:
        return self._left.popleft() if self._left and self._left[0].kind == kind else None


def load_recorded_people(path: Path) -> RecordedPeople:
    """The people of a run, from its journal.

    :raises ConfigurationError: the file cannot be read.
    """
    return RecordedPeople([one for one in _records(path) if isinstance(one, Answer)])


def _records(path: Path) -> list[Record]:
    try:
        return list(read_records(path))
    except JournalError as error:
        raise ConfigurationError(str(error)) from error


def load_recorded_model(path: Path) -> PolicyModel:
    """The model of a run, from its journal; asked the same, it answers the same.

    :raises ConfigurationError: the file cannot be read, or holds no answers of a model.
    """
    answers = [
        record
        for record in _records(path)
        if isinstance(record, Answer)
        and (
            'error' in record.content
            or (record.kind == 'select' and 'option' in record.content)
            or (record.kind == 'generate' and 'text' in record.content)
        )
    ]
    if not answers:
        raise ConfigurationError(
            f'The journal {path} holds no answers of a model: journals of runs without a model, '
            'and bags, have none.'
        )
    return PolicyModel(_RecordedAnswers(path, answers), f'recorded:{path.name}')
