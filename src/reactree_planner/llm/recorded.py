"""A model that answers as the journal of an earlier run has it: to find a change."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path

from reactree_core.errors import ConfigurationError, ModelError
from reactree_core.ports import Sample
from reactree_core.record.answers import answered_error, answers_in, digest_of, sample_of
from reactree_core.record.journal_lines import Answer
from reactree_planner.llm.policy import PolicyModel

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


def load_recorded_model(path: Path) -> PolicyModel:
    """The model of a run, from its journal; asked the same, it answers the same.

    :raises ConfigurationError: the file cannot be read, or holds no answers of a model.
    """
    answers = [
        answer
        for answer in answers_in(path)
        if 'error' in answer.content
        or (answer.kind == 'select' and 'option' in answer.content)
        or (answer.kind == 'generate' and 'text' in answer.content)
    ]
    if not answers:
        raise ConfigurationError(
            f'The journal {path} holds no answers of a model: journals of runs without a model, '
            'and bags, have none.'
        )
    return PolicyModel(_RecordedAnswers(path, answers), f'recorded:{path.name}')
