"""What is sent to the kinds of servers and what they answer.

Pure. What servers answer is data of unknown shape until it was read here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from reactree_core.errors import ModelOutputError
from reactree_core.ports import Outlook
from reactree_planner.llm.openai_server.foresight import decision_format
from reactree_planner.llm.openai_server.profile import (
    Completion,
    Constraint,
    ServerKind,
    ServerProfile,
)
from reactree_planner.llm.option_constraints import (
    choices_of,
    END,
    folded,
    grammar_of,
    labels_of,
    listed_options,
    TokenScore,
)
from reactree_planner.llm.written_answers import json_choice, without_thinking

#: Asked for in a chat, whose answer names the option in JSON.
CHAT_JSON = (Constraint.JSON_SCHEMA, Constraint.JSON_OBJECT)
_CONTINUE = (
    'You continue a text. Answer only with what comes next in it: nothing that is already there, '
    'no quotation marks, no explanation.'
)
_CONTINUE_LINE = (
    'You continue a text by the rest of its last line. Answer only with that: nothing that is '
    'already there, no quotation marks, no explanation.'
)
_CHOOSE = (
    'You continue a text. What comes next in it is exactly one of the options listed after it. '
    'Answer only with that option, letter for letter.'
)
_CHOOSE_JSON = (
    'You continue a text. What comes next in it is exactly one of the options listed after it. '
    'Answer only with JSON like {"choice": "the option, letter for letter"}.'
)
#: The same of an answer that has begun, or begins.
GO_ON = (
    'Go on with your answer exactly where it breaks off. Write only what comes next in it: '
    'nothing that is already there, no explanation.'
)
CHOOSE_NEXT = (
    'What you say next is exactly one of these options. Answer only with it, letter for letter.'
)
CHOOSE_NEXT_JSON = (
    'What you say next is exactly one of these options. Answer only with JSON like '
    '{"choice": "the option, letter for letter"}.'
)
_CORRECTION = (
    'That is not one of the options. Answer with one line of the list, letter for letter, without '
    'anything else.'
)
#: Room of a decision beside thought, subgoals and choice: strong models think in whole sentences.
_DECISION_TOKENS = 256
#: Longest refusal that is given.
_REFUSAL = 300
#: Hosted servers take no more stop texts than this; further ones are cut off here.
_STOPS = 4


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is drawn.

    :param max_tokens: 1 or more. :param temperature: 0.0 is greedy.
    :param count: answers wanted from one request, 1 or more.
    :param scored: whether the probabilities of tokens are wanted too.
    """

    max_tokens: int
    temperature: float = 0.0
    seed: int = 0
    stop: tuple[str, ...] = ()
    top_p: float = 1.0
    count: int = 1
    scored: bool = False


def completion_body(
    profile: ServerProfile, completion: Completion, text: str, sampling: Sampling
) -> dict[str, Any]:
    """Continue a text freely."""
    if completion is Completion.CHAT:
        instruction = _CONTINUE_LINE if END in sampling.stop else _CONTINUE
        return chat_body(profile, _messages(instruction, text), sampling)
    if completion is Completion.OLLAMA_RAW:
        return {
            'model': profile.model,
            'prompt': text,
            'raw': True,
            'stream': False,
            'options': {
                'num_ctx': profile.context_tokens,
                'num_predict': sampling.max_tokens,
                'temperature': sampling.temperature,
                'top_p': sampling.top_p,
                'seed': sampling.seed,
                'stop': list(sampling.stop),
            },
        }
    body = {'prompt': text, **_common(profile, sampling)}
    if sampling.scored:
        # The number of alternatives; the token itself is given with each number.
        body['logprobs'] = 1
    if profile.kind is ServerKind.LLAMA_SERVER:
        body['cache_prompt'] = True
    return body


def chat_body(
    profile: ServerProfile, messages: list[dict[str, Any]], sampling: Sampling
) -> dict[str, Any]:
    """A chat request."""
    scored = {'logprobs': True} if sampling.scored else {}
    # A chat answers with its first line wherever it likes, often behind an empty one.
    sampling = replace(sampling, stop=tuple(stop for stop in sampling.stop if stop != END))
    return {'messages': messages, **_common(profile, sampling), **scored}


def _common(profile: ServerProfile, sampling: Sampling) -> dict[str, Any]:
    body: dict[str, Any] = {
        'model': profile.model,
        'max_tokens': sampling.max_tokens,
        'temperature': sampling.temperature,
        'seed': sampling.seed,
        'stream': False,
    }
    if sampling.top_p < 1.0:
        body['top_p'] = sampling.top_p
    if sampling.count > 1:
        body['n'] = sampling.count
    if sampling.stop:
        body['stop'] = list(sampling.stop[:_STOPS])
    return body


def _messages(system: str, user: str) -> list[dict[str, Any]]:
    return [{'role': 'system', 'content': system}, {'role': 'user', 'content': user}]


def choice_body(
    profile: ServerProfile,
    constraint: Constraint,
    text: str,
    lead: str,
    options: Sequence[str],
    is_loose: bool = False,
) -> tuple[Completion, dict[str, Any]]:
    """Continue a text with one of the options, kept to them by the server.

    :param lead: spaces that were held back from the text's end (raw completions only).
    :param is_loose: see `choice_fields`.
    """
    sampling = choice_sampling(constraint, options, lead)
    fields = choice_fields(constraint, options, lead, is_loose)
    if constraint in CHAT_JSON:
        messages = _messages(_CHOOSE_JSON, f'{text}\n\n{listed_options(options)}')
        return Completion.CHAT, chat_body(profile, messages, sampling) | fields
    if constraint is Constraint.OLLAMA_FORMAT:
        way = Completion.OLLAMA_RAW
        return way, completion_body(profile, way, text, sampling) | fields
    body = completion_body(profile, Completion.RAW, text, sampling)
    if profile.top_logprobs:
        body['logprobs'] = profile.top_logprobs
    return Completion.RAW, body | fields


def choice_sampling(constraint: Constraint, options: Sequence[str], lead: str) -> Sampling:
    """Room for every option. :param lead: what the answer says before it."""
    longest = max(len(option.encode()) for option in options)
    # A token has at least one byte, so this always suffices; JSON has a frame and escapes.
    framed = constraint in (*CHAT_JSON, Constraint.OLLAMA_FORMAT)
    return Sampling(6 * longest + 32 if framed else longest + len(lead.encode()) + 4)


def choice_fields(
    constraint: Constraint, options: Sequence[str], lead: str, is_loose: bool = False
) -> dict[str, Any]:
    """Fields of a request that keep its answer to the options, each after `lead`.

    :param is_loose: whether a schema only asks for a text, which the prompt lists.
    """
    if constraint in CHAT_JSON:
        return {'response_format': _response_format(constraint, () if is_loose else options)}
    if constraint is Constraint.OLLAMA_FORMAT:
        return {'format': _enumeration(options)}
    if constraint is Constraint.GRAMMAR:
        return {'grammar': grammar_of(options, lead)}
    if constraint is Constraint.STRUCTURED_CHOICE:
        return {'structured_outputs': {'choice': choices_of(options, lead)}}
    return {'guided_choice': choices_of(options, lead)}


def _response_format(constraint: Constraint, options: Sequence[str]) -> dict[str, Any]:
    schema = {
        'type': 'object',
        'properties': {'choice': _enumeration(options) if options else {'type': 'string'}},
        'required': ['choice'],
        'additionalProperties': False,
    }
    if constraint is Constraint.JSON_OBJECT:
        # The schema is an extension of some servers; others then keep to JSON at least.
        return {'type': 'json_object', 'schema': schema}
    return {
        'type': 'json_schema',
        'json_schema': {'name': 'choice', 'strict': True, 'schema': schema},
    }


def _enumeration(options: Sequence[str]) -> dict[str, Any]:
    return {'type': 'string', 'enum': labels_of(options)}


def decision_body(
    profile: ServerProfile,
    constraint: Constraint,
    messages: list[dict[str, Any]],
    outlook: Outlook,
) -> dict[str, Any]:
    """Decide all that was foretold, as JSON, kept to that where the constraint does it."""
    longest = max((len(skill.encode()) for skill in outlook.skills), default=0)
    sampling = Sampling(longest + outlook.tokens + _DECISION_TOKENS)
    if constraint not in CHAT_JSON:
        return chat_body(profile, messages, sampling)
    is_strict = constraint is Constraint.JSON_SCHEMA
    return chat_body(profile, messages, sampling) | {'response_format': decision_format(is_strict)}


def told_before(text: str, options: Sequence[str]) -> str:
    """A text with the options before its last line, for models that would not know them."""
    head, newline, line = text.rpartition('\n')
    labels = '; '.join(folded(labels_of(options)))
    return f'{head}{newline}(What comes next is one of: {labels}.)\n{line}'


def proposal_body(
    profile: ServerProfile,
    completion: Completion,
    text: str,
    options: Sequence[str],
    rejected: Sequence[str],
) -> dict[str, Any]:
    """Ask for one of the options without any constraint.

    :param rejected: answers so far that were none of them; each is answered by a correction.
    """
    sampling = proposal_sampling(options)
    if completion is Completion.CHAT:
        messages = _messages(_CHOOSE, f'{text}\n\n{listed_options(options)}')
        return chat_body(profile, corrected(messages, rejected), sampling)
    _, _, line = text.rpartition('\n')
    for answer in rejected:
        names = '; '.join(labels_of(options))
        text = (
            f'{text}{answer}\n(That is not possible. What comes next is exactly one of: '
            f'{names}.)\n{line}'
        )
    return completion_body(profile, completion, text, replace(sampling, stop=('\n',)))


def proposal_sampling(options: Sequence[str]) -> Sampling:
    """Room for every option that is said freely."""
    return Sampling(max(len(option.encode()) for option in options) + 16)


def corrected(messages: Sequence[dict[str, Any]], rejected: Sequence[str]) -> list[dict[str, Any]]:
    """A chat with the answers so far that named no option, each answered by a correction."""
    chat = list(messages)
    for answer in rejected:
        chat += [
            {'role': 'assistant', 'content': answer or '(nothing)'},
            {'role': 'user', 'content': _CORRECTION},
        ]
    return chat


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
