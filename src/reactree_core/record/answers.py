"""Answers of a model, as a journal has them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from reactree_core.errors import (
    ConfigurationError,
    JournalError,
    ModelError,
    ModelOutputError,
    PromptTooLongError,
)
from reactree_core.observation import Vocabulary
from reactree_core.ports import Sample
from reactree_core.record.journal import read_records
from reactree_core.record.journal_lines import Answer, value_of
from reactree_core.usage import LlmUsage


def answers_in(path: Path) -> list[Answer]:
    """What a run was answered, by models, people and other ports, from its journal.

    :raises ConfigurationError: the file cannot be read.
    """
    try:
        return [one for one in read_records(path) if isinstance(one, Answer)]
    except JournalError as error:
        raise ConfigurationError(str(error)) from error


def vocabulary_in(answer: Answer) -> Vocabulary | None:
    """What a skill server reported of its skills; None for answers of others.

    :raises JournalError: it cannot be read.
    """
    if answer.kind != 'list_skills':
        return None
    try:
        return value_of(Vocabulary, answer.content['vocabulary'])
    except (TypeError, ValueError, KeyError) as error:
        raise JournalError(f'The skills in the journal cannot be read ({error}).') from error


def sample_of(answer: Mapping[str, Any]) -> Sample:
    """A text that was generated, with the probabilities of its tokens where they were given."""
    tokens: list[tuple[str, float]] = []
    for entry in answer.get('tokens') or ():
        match entry:
            case (str(token), float() | int() as score):
                tokens.append((token, float(score)))
    return Sample(str(answer.get('text', '')), tuple(tokens))


def digest_of(text: str, options: Sequence[str] | None) -> str:
    """Tells a request from others: the session's text, and the options where there are any."""
    asked = '\0'.join((text, *(options or ())))
    return hashlib.sha256(asked.encode(errors='replace')).hexdigest()[:16]


#: Errors that the planner tells from others of a model, by the name that a log has of them.
_ERRORS = {kind.__name__: kind for kind in (ModelOutputError, PromptTooLongError)}


def answered_error(answer: Mapping[str, Any]) -> ModelError:
    """The error that the model answered with."""
    kind = _ERRORS.get(str(answer['error']), ModelError)
    return kind(str(answer.get('message')))


def usage_entry(usage: LlmUsage) -> dict[str, Any]:
    """A cost as it is written, without the model."""
    return {name: value for name, value in asdict(usage).items() if name != 'model' and value}


def usage_of(entry: Mapping[str, Any], model: str) -> LlmUsage:
    """A written cost."""
    costs = entry.get('usage')
    costs = costs if isinstance(costs, dict) else {}

    def count(name: str) -> int:
        value = costs.get(name, 0)
        return value if isinstance(value, int) else 0

    latency = costs.get('latency', 0.0)
    return LlmUsage(
        model,
        count('prompt_tokens'),
        count('cached_tokens'),
        count('evaluated_tokens'),
        count('completion_tokens'),
        count('requests'),
        float(latency) if isinstance(latency, int | float) else 0.0,
    )
