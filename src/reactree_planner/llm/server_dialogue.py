"""Asking one server: the best way first, a lesser one when the server refuses or ignores it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelOutputError
from reactree_core.ports import Selection
from reactree_planner.llm.http_client import HttpClient
from reactree_planner.llm.http_client import RequestRefused
from reactree_planner.llm.server_profile import Answer
from reactree_planner.llm.server_profile import CHAT_JSON
from reactree_planner.llm.server_profile import Completion
from reactree_planner.llm.server_profile import Constraint
from reactree_planner.llm.server_profile import read_answer
from reactree_planner.llm.server_profile import read_json_choice
from reactree_planner.llm.server_profile import ServerAddress
from reactree_planner.llm.server_profile import ServerKind
from reactree_planner.llm.server_profile import ServerProfile
from reactree_planner.llm.token_trie import choices_of
from reactree_planner.llm.token_trie import constrained_index
from reactree_planner.llm.token_trie import fits_schema
from reactree_planner.llm.token_trie import grammar_of
from reactree_planner.llm.token_trie import held_back
from reactree_planner.llm.token_trie import labels_of
from reactree_planner.llm.token_trie import proposed_index
from reactree_planner.llm.token_trie import score_choice

_LOG = logging.getLogger(__name__)

#: Refusals that mean 'not this feature' rather than 'not now'.
_FEATURE_MISSING = frozenset({400, 404, 405, 415, 422, 500, 501})
#: Fields that a server may refuse by name, and what is sent instead; '' leaves them out.
_REFUSABLE = {
    'max_tokens': 'max_completion_tokens',
    'temperature': '',
    'seed': '',
    'top_p': '',
    'stop': '',
    'logprobs': '',
}
#: Answers outside the options until a constraint counts as not there.
_IGNORED_OFTEN = 3
_EXCERPT = 120


class ServerDialogue:
    """What was learnt about a server, and requests made accordingly; for all its sessions."""

    def __init__(
        self,
        http: HttpClient,
        address: ServerAddress,
        profile: ServerProfile,
        max_corrections: int,
    ) -> None:
        self.profile = profile
        self._http = http
        self._address = address
        self._max_corrections = max_corrections
        self._gone: set[Constraint | Completion] = set()
        self._ignored: dict[Constraint, int] = {}
        self._refused: set[str] = set()

    def continue_text(
        self, text: str, sampling: Sampling, cancel: CancelToken, spent: list[Answer]
    ) -> str:
        """What the model says next; may go on after a stop text.

        :param spent: every answer is added, also those of tries that failed.
        """
        answer, completion = self._continued(text, sampling, cancel, spent)
        if completion is Completion.CHAT:
            return _without_echo(text, answer.text)
        lead = held_back(text)
        spaces = len(answer.text) - len(answer.text.lstrip(' '))
        return answer.text[min(spaces, len(lead)) :]

    def _continued(
        self, text: str, sampling: Sampling, cancel: CancelToken, spent: list[Answer]
    ) -> tuple[Answer, Completion]:
        ways = [way for way in self.profile.completion if way not in self._gone]
        for way in ways:
            sent = text if way is Completion.CHAT else text.removesuffix(held_back(text))
            body = completion_body(self.profile, way, sent, sampling)
            try:
                answer = self._ask(way, body, cancel, spent)
            except RequestRefused as refused:
                if refused.status not in _FEATURE_MISSING or way is ways[-1]:
                    raise
                _LOG.info('%s', refused)
                continue
            self._gone.update(ways[: ways.index(way)])
            return answer, way
        raise AssertionError('unreachable')

    def choose(
        self, text: str, options: Sequence[str], cancel: CancelToken, spent: list[Answer]
    ) -> Selection:
        """One of two or more options.

        :raises ModelOutputError: the model named none of them, however often corrected.
        """
        refusing: list[Constraint] = []
        for constraint in self.profile.constraints:
            if constraint in self._gone or constraint is Constraint.PROPOSE:
                continue
            if constraint in CHAT_JSON and not fits_schema(options):
                continue
            try:
                selection = self._constrained(constraint, text, options, cancel, spent)
            except RequestRefused as refused:
                if refused.status not in _FEATURE_MISSING:
                    raise
                _LOG.info('Without %s: %s', constraint.value, refused)
                refusing.append(constraint)
                continue
            if selection is not None:
                # Only now is it sure that the constraint was refused and not the request.
                self._gone.update(refusing)
                return selection
            self._note_ignored(constraint)
        selection = self._proposed(text, options, cancel, spent)
        self._gone.update(refusing)
        return selection

    def _constrained(
        self,
        constraint: Constraint,
        text: str,
        options: Sequence[str],
        cancel: CancelToken,
        spent: list[Answer],
    ) -> Selection | None:
        lead = '' if constraint in CHAT_JSON else held_back(text)
        completion, body = choice_body(
            self.profile, constraint, text.removesuffix(lead), lead, options
        )
        answer = self._ask(completion, body, cancel, spent)
        if constraint in (*CHAT_JSON, Constraint.OLLAMA_FORMAT):
            index = constrained_index(read_json_choice(constraint, answer.text), options)
            return None if index is None else Selection(index, 0.0, 0.0)
        index = constrained_index(answer.text, options, lead)
        if index is None:
            return None
        return Selection(index, *score_choice(answer.tokens, options, index, lead))

    def _note_ignored(self, constraint: Constraint) -> None:
        count = self._ignored.get(constraint, 0) + 1
        self._ignored[constraint] = count
        _LOG.info('%s does not keep to %s', self._http.address, constraint.value)
        if count >= _IGNORED_OFTEN:
            self._gone.add(constraint)

    def _proposed(
        self, text: str, options: Sequence[str], cancel: CancelToken, spent: list[Answer]
    ) -> Selection:
        ways = [way for way in self.profile.completion if way not in self._gone]
        for way in ways:
            try:
                return self._proposed_by(way, text, options, cancel, spent)
            except RequestRefused as refused:
                if refused.status not in _FEATURE_MISSING or way is ways[-1]:
                    raise
                _LOG.info('%s', refused)
        raise AssertionError('unreachable')

    def _proposed_by(
        self,
        way: Completion,
        text: str,
        options: Sequence[str],
        cancel: CancelToken,
        spent: list[Answer],
    ) -> Selection:
        sent = text if way is Completion.CHAT else text.removesuffix(held_back(text))
        rejected: list[str] = []
        for _ in range(self._max_corrections + 1):
            body = proposal_body(self.profile, way, sent, options, rejected)
            answer = self._ask(way, body, cancel, spent)
            said = _without_echo(text, answer.text) if way is Completion.CHAT else answer.text
            for words in (answer.text, said):
                index = proposed_index(words, options)
                if index is not None:
                    return Selection(index, 0.0, 0.0)
            rejected.append(' '.join(said.split())[:_EXCERPT])
        raise ModelOutputError(
            f'{self.profile.model} named none of {len(options)} options in {len(rejected)} tries '
            f'(last: {rejected[-1]!r}): use a stronger model, or a server with grammars such as '
            'llama-server.'
        )

    def _ask(
        self,
        completion: Completion,
        body: dict[str, Any],
        cancel: CancelToken,
        spent: list[Answer],
    ) -> Answer:
        base = self._address.root if completion is Completion.OLLAMA_RAW else self._address.api
        url = f'{base}/{completion.value}'
        while True:
            try:
                value = self._http.post(url, self._accepted(body), cancel)
                break
            except RequestRefused as refused:
                name = refused.parameter
                if name not in _REFUSABLE or name not in body or name in self._refused:
                    raise
                _LOG.info('Without %s: %s', name, refused)
                self._refused.add(name)
        answer = read_answer(completion, value, self._http.address)
        if answer.prompt_tokens is None:
            messages = body.get('messages', ())
            sent = body.get('prompt', ''.join(part['content'] for part in messages))
            answer = replace(answer, prompt_tokens=estimated_tokens(sent))
        if answer.completion_tokens is None:
            answer = replace(answer, completion_tokens=estimated_tokens(answer.text))
        spent.append(answer)
        return answer

    def _accepted(self, body: dict[str, Any]) -> dict[str, Any]:
        names = {name: _REFUSABLE[name] if name in self._refused else name for name in body}
        return {names[name]: value for name, value in body.items() if names[name]}


def estimated_tokens(text: str) -> int:
    """Tokens of a text without a tokenizer: rather too many than too few for English."""
    return (len(text.encode(errors='replace')) + 2) // 3


def _without_echo(text: str, answer: str) -> str:
    """What a chat model adds to a text: without the line it was to continue, spaced as words."""
    line = text.rpartition('\n')[2].strip()
    added = answer.lstrip('\n')
    if line and added.lstrip().startswith(line):
        added = added.lstrip()[len(line) :]
    if text and text[-1].isspace():
        return added.lstrip(' ')
    return f' {added}' if text and added[:1].isalnum() else added


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
