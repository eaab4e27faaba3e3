"""Requests to one server: without what it refuses, and with room for thinking."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelOutputError
from reactree_core.usage import estimated_tokens
from reactree_planner.llm.openai_server.answers import Answer, read_answers
from reactree_planner.llm.openai_server.connection import RequestRefused, ServerConnection
from reactree_planner.llm.openai_server.profile import Completion, ServerAddress, ServerProfile
from reactree_planner.llm.openai_server.thinking import AUTO, NO_EFFORT, Thinking

_LOG = logging.getLogger(__name__)

#: Fields that a server may refuse by name, and what is sent instead; '' leaves them out.
_REFUSABLE = {
    'max_tokens': 'max_completion_tokens',
    'temperature': '',
    'seed': '',
    'top_p': '',
    'stop': '',
    'logprobs': '',
    'n': '',
    'reasoning_effort': '',
}
#: Tokens for thinking, once a model is known to think, and how they grow until an answer comes.
_ROOM = 2048
_ROOM_GROWS = 4
#: How hard a model that thinks is asked to, as servers name it: less where that was too much.
_EFFORTS = ('low', 'minimal', 'none')
_NO_SYSTEM = re.compile(r'system.{0,20}role|role.{0,20}system|roles must alternate', re.IGNORECASE)
_QUOTED = re.compile(r"['`\"](\w+)['`\"]")
#: Of a picture, where a server does not count.
_PICTURE_TOKENS = 1000


class ServerRequests:
    """What was learnt about a server's requests, and how they are sent accordingly."""

    def __init__(
        self,
        http: ServerConnection,
        address: ServerAddress,
        profile: ServerProfile,
        thinking: Thinking,
    ) -> None:
        self._http = http
        self._address = address
        self._profile = profile
        self._thinking = thinking
        #: Fields that it refuses.
        self._refused: set[str] = set()
        #: Tokens that are given beside those of an answer, for thinking.
        thinks = thinking.effort not in (AUTO, NO_EFFORT)
        self._room = min(_ROOM, self._most_room) if thinks else 0
        self._tries_to_think = 0
        #: Whether its model's template has no system role.
        self._without_system = False

    def ask(
        self,
        completion: Completion,
        body: dict[str, Any],
        cancel: CancelToken,
        spent: list[Answer],
    ) -> tuple[Answer, ...]:
        """The server's answers to one request.

        :param spent: every answer is added, also those that were all thinking.
        :raises RequestRefused: as it is, and cannot do without what is refused.
        :raises ModelError: the server failed. :raises CanceledError: stopped.
        """
        base = self._address.root if completion is Completion.OLLAMA_RAW else self._address.api
        url = f'{base}/{completion.value}'
        while True:
            sent = self._with_room(completion, body)
            try:
                value = self._http.post(url, self._accepted(sent), cancel)
            except RequestRefused as refused:
                if not self._does_without(refused, sent):
                    raise
                continue
            answers = read_answers(completion, value, self._http.address)
            first = answers[0]
            if first.withheld:
                raise ModelOutputError(
                    f'{self._profile.model} gives no answer to this ({first.withheld}): say the '
                    'task in other words, or use another model.'
                )
            if not first.is_cut_thinking or completion is Completion.RAW:
                break
            if completion is Completion.OLLAMA_RAW:
                if self._room:
                    break
            elif self._room >= self._most_room:
                raise ModelOutputError(
                    f'{self._profile.model} was still thinking after {self._room} tokens and had '
                    'said nothing: raise thinking_tokens, lower reasoning_effort, or use a model '
                    'that thinks less.'
                )
            # What was paid for counts, although nothing was said.
            spent.append(first)
            self._room = min(self._most_room, self._room * _ROOM_GROWS or _ROOM)
            self._tries_to_think += 1
            _LOG.info('%s thinks: %s tokens more', self._profile.model, self._room)
        if first.prompt_tokens is None:
            first = replace(first, prompt_tokens=_estimated_prompt(body))
        if first.completion_tokens is None:
            written = sum(estimated_tokens(answer.text) for answer in answers)
            first = replace(first, completion_tokens=written)
        spent.append(first)
        return first, *answers[1:]

    @property
    def _most_room(self) -> int:
        """As set; else half of the context, for the prompt has to stand in it too."""
        return self._thinking.tokens or max(_ROOM, self._profile.context_tokens // 2)

    def _with_room(self, completion: Completion, body: dict[str, Any]) -> dict[str, Any]:
        effort = self._thinking.effort
        if completion is Completion.OLLAMA_RAW:
            silent = self._room or effort == NO_EFFORT
            return body | {'think': False} if silent else body
        if completion is not Completion.CHAT:
            return body
        if effort == AUTO and self._tries_to_think:
            effort = _EFFORTS[min(self._tries_to_think, len(_EFFORTS)) - 1]
        if effort != AUTO:
            body = body | {'reasoning_effort': effort}
        if self._room:
            body = body | {'max_tokens': body['max_tokens'] + self._room}
        return body | {'messages': _merged(body['messages'])} if self._without_system else body

    def _does_without(self, refused: RequestRefused, sent: dict[str, Any]) -> bool:
        """Whether the same can be asked without what the server refuses."""
        roles = [message['role'] for message in sent.get('messages', ())]
        if 'system' in roles and _NO_SYSTEM.search(str(refused)):
            _LOG.info('Without a system role: %s', refused)
            self._without_system = True
            return True
        field = refused.parameter
        if not field:
            # Gateways leave it out; the sentence names it.
            quoted = _QUOTED.findall(str(refused))
            field = next((name for name in quoted if name in _REFUSABLE and name in sent), '')
        if field not in _REFUSABLE or field not in sent or field in self._refused:
            return False
        _LOG.info('Without %s: %s', field, refused)
        self._refused.add(field)
        return True

    def _accepted(self, body: dict[str, Any]) -> dict[str, Any]:
        names = {name: _REFUSABLE[name] if name in self._refused else name for name in body}
        return {names[name]: value for name, value in body.items() if names[name]}


def _merged(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages without a system role: what it says stands before the first of the user."""
    said = [one['content'] for one in messages if one['role'] == 'system']
    others = [one for one in messages if one['role'] != 'system']
    lead = '\n\n'.join(said)
    for number, one in enumerate(others):
        if one['role'] == 'user' and isinstance(one['content'], str):
            others[number] = one | {'content': f'{lead}\n\n{one["content"]}'}
            return others
    return [{'role': 'user', 'content': lead}, *others]


def _estimated_prompt(body: dict[str, Any]) -> int:
    """Tokens of a request; of pictures, a usual number."""
    if 'prompt' in body:
        return estimated_tokens(body['prompt'])
    count = 0
    for message in body.get('messages', ()):
        content = message['content']
        parts = [{'text': content}] if isinstance(content, str) else content
        count += sum(
            estimated_tokens(part['text']) if 'text' in part else _PICTURE_TOKENS for part in parts
        )
    return count
