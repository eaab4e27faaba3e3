"""What is sent to the kinds of servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

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
)

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
