"""Request bodies for the kinds of servers; `server_answers` reads what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from typing import Any

from reactree_planner.llm.option_constraints import choices_of
from reactree_planner.llm.option_constraints import grammar_of
from reactree_planner.llm.option_constraints import labels_of
from reactree_planner.llm.server_answers import CHAT_JSON
from reactree_planner.llm.server_profile import Completion
from reactree_planner.llm.server_profile import Constraint
from reactree_planner.llm.server_profile import ServerKind
from reactree_planner.llm.server_profile import ServerProfile

_CONTINUE = (
    'You continue a text. Answer only with what comes next in it: nothing that is already there, '
    'no quotation marks, no explanation.'
)
_CHOOSE = (
    'You continue a text. What comes next in it is exactly one of the options listed after it. '
    'Answer only with that option, letter for letter.'
)
_CHOOSE_JSON = (
    'You continue a text. What comes next in it is exactly one of the options listed after it. '
    'Answer only with JSON like {"choice": "the option, letter for letter"}.'
)
_CORRECTION = (
    'That is not one of the options. Answer with one line of the list, letter for letter, without '
    'anything else.'
)
#: Hosted servers take no more stop texts than this; further ones are cut off here.
_STOPS = 4


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is drawn. :param max_tokens: 1 or more. :param temperature: 0.0 is greedy."""

    max_tokens: int
    temperature: float = 0.0
    seed: int = 0
    stop: tuple[str, ...] = ()
    top_p: float = 1.0


def completion_body(
    profile: ServerProfile, completion: Completion, text: str, sampling: Sampling
) -> dict[str, Any]:
    """Continue a text freely."""
    if completion is Completion.CHAT:
        return chat_body(profile, _messages(_CONTINUE, text), sampling)
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
    if profile.kind is ServerKind.LLAMA_SERVER:
        body['cache_prompt'] = True
    return body


def chat_body(
    profile: ServerProfile, messages: list[dict[str, str]], sampling: Sampling
) -> dict[str, Any]:
    """A chat request."""
    return {'messages': messages, **_common(profile, sampling)}


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
    if sampling.stop:
        body['stop'] = list(sampling.stop[:_STOPS])
    return body


def _messages(system: str, user: str) -> list[dict[str, str]]:
    return [{'role': 'system', 'content': system}, {'role': 'user', 'content': user}]


def choice_body(
    profile: ServerProfile, constraint: Constraint, text: str, lead: str, options: Sequence[str]
) -> tuple[Completion, dict[str, Any]]:
    """Continue a text with one of the options, kept to them by the server.

    :param lead: spaces that were held back from the text's end (raw completions only).
    """
    longest = max(len(option.encode()) for option in options)
    # A token has at least one byte, so this always suffices; JSON has a frame and escapes.
    plain = Sampling(longest + len(lead) + 4)
    framed = Sampling(6 * longest + 32)
    if constraint in CHAT_JSON:
        listed = f'{text}\n\n{_listed(options)}'
        body = chat_body(profile, _messages(_CHOOSE_JSON, listed), framed)
        body['response_format'] = _response_format(constraint, options)
        return Completion.CHAT, body
    if constraint is Constraint.OLLAMA_FORMAT:
        body = completion_body(profile, Completion.OLLAMA_RAW, text, framed)
        body['format'] = _enumeration(options)
        return Completion.OLLAMA_RAW, body
    body = completion_body(profile, Completion.RAW, text, plain)
    if profile.top_logprobs:
        body['logprobs'] = profile.top_logprobs
    if constraint is Constraint.GRAMMAR:
        body['grammar'] = grammar_of(options, lead)
    elif constraint is Constraint.STRUCTURED_CHOICE:
        body['structured_outputs'] = {'choice': choices_of(options, lead)}
    else:
        body['guided_choice'] = choices_of(options, lead)
    return Completion.RAW, body


def _response_format(constraint: Constraint, options: Sequence[str]) -> dict[str, Any]:
    schema = {
        'type': 'object',
        'properties': {'choice': _enumeration(options)},
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


def _listed(options: Sequence[str]) -> str:
    return 'Options:\n' + '\n'.join(f'- {label}' for label in labels_of(options))


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
    sampling = Sampling(max(len(option.encode()) for option in options) + 16)
    if completion is Completion.CHAT:
        messages = _messages(_CHOOSE, f'{text}\n\n{_listed(options)}')
        for answer in rejected:
            messages += [
                {'role': 'assistant', 'content': answer or '(nothing)'},
                {
                    'role': 'user',
                    'content': _CORRECTION,
                },
            ]
        return chat_body(profile, messages, sampling)
    _, _, line = text.rpartition('\n')
    for answer in rejected:
        names = '; '.join(labels_of(options))
        text = (
            f'{text}{answer}\n(That is not possible. What comes next is exactly one of: '
            f'{names}.)\n{line}'
        )
    return completion_body(profile, completion, text, replace(sampling, stop=('\n',)))
