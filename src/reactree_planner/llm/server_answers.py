"""The answers of the kinds of servers, read into one shape.

Pure. What servers answer is data of unknown shape until it was read here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from reactree_core.errors import ModelOutputError
from reactree_planner.llm.option_constraints import TokenScore
from reactree_planner.llm.server_profile import Completion
from reactree_planner.llm.server_profile import Constraint

#: Asked for in a chat, whose answer names the option in JSON.
CHAT_JSON = (Constraint.JSON_SCHEMA, Constraint.JSON_OBJECT)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered.

    :param prompt_tokens: None when it did not count.
    :param tokens: with their log-probabilities; empty when not told.
    """

    text: str
    prompt_tokens: int | None = None
    cached_tokens: int = 0
    completion_tokens: int | None = None
    tokens: tuple[TokenScore, ...] = ()


def read_json_choice(constraint: Constraint, text: str) -> str:
    """The option named in a JSON answer; '' when there is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ''
    if constraint in CHAT_JSON:
        value = value.get('choice') if isinstance(value, dict) else None
    return value if isinstance(value, str) else ''


def read_answer(completion: Completion, value: object, where: str) -> Answer:
    """One answer of any of the three paths.

    :param where: the server's address, for the message.
    :raises ModelOutputError: it holds no text where text belongs.
    """
    if not isinstance(value, dict):
        raise _unreadable(where, completion)
    if completion is Completion.OLLAMA_RAW:
        text = value.get('response')
        if not isinstance(text, str):
            raise _unreadable(where, completion)
        return Answer(
            text, _count(value.get('prompt_eval_count')), 0, _count(value.get('eval_count'))
        )
    choices = value.get('choices')
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise _unreadable(where, completion)
    if completion is Completion.CHAT:
        message = choice.get('message')
        # A refusal or an answer that was all reasoning has no content.
        text = (message.get('content') or '') if isinstance(message, dict) else None
    else:
        text = choice.get('text')
    if not isinstance(text, str):
        raise _unreadable(where, completion)
    usage = _object(value.get('usage'))
    timings = _object(value.get('timings'))
    prompt = _count(usage.get('prompt_tokens'))
    cached = _count(_object(usage.get('prompt_tokens_details')).get('cached_tokens'))
    if cached is None:
        cached = _count(timings.get('cache_n'))
    return Answer(
        text,
        prompt,
        min(cached or 0, prompt or 0),
        _count(usage.get('completion_tokens')),
        _token_scores(choice.get('logprobs')),
    )


def _unreadable(where: str, completion: Completion) -> ModelOutputError:
    return ModelOutputError(
        f'{where} answers {completion.value} in a shape that is not OpenAI-compatible: check the '
        'address and the version of the server.'
    )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int | None:
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40
    return value if good and isinstance(value, int) else None


def _token_scores(value: object) -> tuple[TokenScore, ...]:
    """Log-probabilities in today's form (`content`) or the older parallel lists."""
    told = _object(value)
    content = told.get('content')
    if isinstance(content, list):
        return tuple(
            TokenScore(
                _bytes(entry),
                _score(entry.get('logprob')),
                tuple(
                    (_bytes(rival), _score(rival.get('logprob')))
                    for rival in entry.get('top_logprobs') or ()
                    if isinstance(rival, dict)
                ),
            )
            for entry in content
            if isinstance(entry, dict)
        )
    texts, scores = told.get('tokens'), told.get('token_logprobs')
    if not isinstance(texts, list) or not isinstance(scores, list):
        return ()
    tops = told.get('top_logprobs')
    rivals = tops if isinstance(tops, list) and len(tops) == len(texts) else [None] * len(texts)
    return tuple(
        TokenScore(
            str(text).encode(),
            _score(score),
            tuple((str(name).encode(), _score(other)) for name, other in _object(top).items()),
        )
        for text, score, top in zip(texts, scores, rivals, strict=False)
    )


def _bytes(entry: dict[str, Any]) -> bytes:
    given = entry.get('bytes')
    if isinstance(given, list) and all(isinstance(n, int) and 0 <= n < 256 for n in given):
        return bytes(given)
    return str(entry.get('token', '')).encode(errors='replace')


def _score(value: object) -> float:
    return float(value) if isinstance(value, int | float) and value == value else 0.0
