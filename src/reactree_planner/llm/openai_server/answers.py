"""What the kinds of servers answer: data of unknown shape until it was read here."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from reactree_core.errors import ModelOutputError
from reactree_planner.llm.openai_server.profile import Completion, Constraint
from reactree_planner.llm.openai_server.protocol import CHAT_JSON
from reactree_planner.llm.option_constraints import TokenScore
from reactree_planner.llm.written_answers import json_choice, without_thinking

#: Longest refusal that is given.
_REFUSAL = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered.

    :param text: without what the model has thought. :param prompt_tokens: None when it did not
        count.
    :param tokens: with their log-probabilities; empty when not given.
    :param finish: why it ended: 'stop', 'length', ...; '' when not given.
    :param withheld: the server's words where the model refused, or a filter took the answer.
    """

    text: str
    prompt_tokens: int | None = None
    cached_tokens: int = 0
    completion_tokens: int | None = None
    tokens: tuple[TokenScore, ...] = ()
    finish: str = ''
    withheld: str = ''

    @property
    def is_cut_thinking(self) -> bool:
        """Whether its room was over before anything was said."""
        return not self.text.strip() and self.finish == 'length'


def read_json_choice(constraint: Constraint, text: str) -> str:
    """The option named in a JSON answer; '' when there is none."""
    if constraint in CHAT_JSON:
        return json_choice(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ''
    return value if isinstance(value, str) else ''


def read_answers(completion: Completion, value: object, where: str) -> tuple[Answer, ...]:
    """The answers of any of the three paths, 1 or more; the first has the cost of all.

    :param where: the server's address, for the message.
    :raises ModelOutputError: it holds no text where text belongs.
    """
    if not isinstance(value, dict):
        raise _unreadable(where, completion)
    if completion is Completion.OLLAMA_RAW:
        text = value.get('response')
        if not isinstance(text, str):
            raise _unreadable(where, completion)
        finish = 'length' if value.get('thinking') else str(value.get('done_reason') or '')
        prompt, written = value.get('prompt_eval_count'), value.get('eval_count')
        text = without_thinking(text)
        return (Answer(text, _count(prompt), 0, _count(written), finish=finish),)
    choices = value.get('choices')
    if not isinstance(choices, list) or not choices:
        raise _unreadable(where, completion)
    read = [_read_choice(completion, choice, where) for choice in choices]
    usage = _object(value.get('usage'))
    timings = _object(value.get('timings'))
    prompt = _count(usage.get('prompt_tokens'))
    cached = _count(_object(usage.get('prompt_tokens_details')).get('cached_tokens'))
    if cached is None:
        cached = _count(timings.get('cache_n'))
    first, *others = read
    first = replace(
        first,
        prompt_tokens=prompt,
        cached_tokens=min(cached or 0, prompt or 0),
        completion_tokens=_count(usage.get('completion_tokens')),
    )
    return first, *(replace(one, prompt_tokens=0, completion_tokens=0) for one in others)


def _read_choice(completion: Completion, choice: object, where: str) -> Answer:
    if not isinstance(choice, dict):
        raise _unreadable(where, completion)
    if completion is Completion.CHAT:
        message = choice.get('message')
        # A refusal or an answer that was all thinking has no content.
        text = _said(message.get('content')) if isinstance(message, dict) else None
        if text == '' and isinstance(message, dict):
            text = _called(message.get('tool_calls'))
    else:
        text = choice.get('text')
    if not isinstance(text, str):
        raise _unreadable(where, completion)
    finish = str(choice.get('finish_reason') or '')
    return Answer(
        text, tokens=_token_scores(choice.get('logprobs')), finish=finish,
        withheld=_withheld(_object(choice.get('message')), finish, text),
    )  # fmt: skip


def _said(content: object) -> str | None:
    """The text of a message, which may come in parts; thinking is none of it."""
    if content is None:
        return ''
    if isinstance(content, list):
        parts = (_object(part) for part in content)
        content = ''.join(str(part.get('text') or '') for part in parts if _is_said(part))
    return without_thinking(content) if isinstance(content, str) else None


def _called(calls: object) -> str:
    """What a model says in the call of a tool that nobody has offered: its arguments, as text."""
    first = calls[0] if isinstance(calls, list) and calls else None
    said = _object(_object(first).get('function')).get('arguments')
    return said if isinstance(said, str) else ''


def _is_said(part: dict[str, Any]) -> bool:
    return part.get('type') in ('text', 'output_text', None)


def _withheld(message: dict[str, Any], finish: str, text: str) -> str:
    """Why there is no answer, where the model or a filter has decided so; '' elsewhere."""
    refusal = message.get('refusal')
    if isinstance(refusal, str) and refusal.strip() and not text.strip():
        return ' '.join(refusal.split())[:_REFUSAL]
    return finish if finish == 'content_filter' and not text.strip() else ''


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
    logprobs = _object(value)
    content = logprobs.get('content')
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
    texts, scores = logprobs.get('tokens'), logprobs.get('token_logprobs')
    if not isinstance(texts, list) or not isinstance(scores, list):
        return ()
    tops = logprobs.get('top_logprobs')
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
    try:
        return float(value) if isinstance(value, int | float) and value == value else 0.0
    except OverflowError:
        return 0.0
