"""Asking one server: the best way first, a lesser one when the server refuses or ignores it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelOutputError
from reactree_core.ports import Sample
from reactree_core.ports import Selection
from reactree_planner.llm.openai_server.connection import RequestRefused
from reactree_planner.llm.openai_server.connection import ServerConnection
from reactree_planner.llm.openai_server.profile import Completion
from reactree_planner.llm.openai_server.profile import Constraint
from reactree_planner.llm.openai_server.profile import ServerAddress
from reactree_planner.llm.openai_server.profile import ServerProfile
from reactree_planner.llm.openai_server.prompts import Prompt
from reactree_planner.llm.openai_server.protocol import Answer
from reactree_planner.llm.openai_server.protocol import CHAT_JSON
from reactree_planner.llm.openai_server.protocol import read_answers
from reactree_planner.llm.openai_server.protocol import read_json_choice
from reactree_planner.llm.openai_server.protocol import Sampling
from reactree_planner.llm.option_constraints import constrained_index
from reactree_planner.llm.option_constraints import proposed_index
from reactree_planner.llm.option_constraints import score_choice
from reactree_planner.llm.option_constraints import TokenScore

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
    'n': '',
}
#: Answers outside the options until a constraint counts as not there.
_IGNORED_OFTEN = 3
_EXCERPT = 120
#: Of a picture, where a server does not count.
_PICTURE_TOKENS = 1000


class ServerDialogue:
    """What was learnt about a server, and requests made accordingly; for all its sessions."""

    def __init__(
        self,
        http: ServerConnection,
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
        #: Whether it refuses several answers to one request, or to tell probabilities.
        self._draws_singly = False

    def go_on(
        self, prompt: Prompt, sampling: Sampling, cancel: CancelToken, spent: list[Answer]
    ) -> str:
        """What the model says next; may go on after a stop text.

        :param spent: every answer is added, also those of tries that failed.
        """
        answers, way = self._continued(prompt, sampling, cancel, spent, self._ways(prompt))
        return prompt.added(way, answers[0])

    def sampled(
        self, prompt: Prompt, sampling: Sampling, cancel: CancelToken, spent: list[Answer]
    ) -> tuple[Sample, ...]:
        """What the model may say next: as many as are wanted, or the fewer that the server gives.

        :param spent: as in `go_on`.
        """
        wanted = replace(sampling, count=1, scored=False) if self._draws_singly else sampling
        first, *_ = ways = self._ways(prompt)
        try:
            answers, way = self._continued(prompt, wanted, cancel, spent, (first,))
        except RequestRefused as refused:
            if refused.status not in _FEATURE_MISSING:
                raise
            _LOG.info('%s', refused)
            plain = replace(sampling, count=1, scored=False)
            answers, way = self._continued(prompt, plain, cancel, spent, ways)
            # Else it was the way that the server does not have.
            self._draws_singly = way is first
        return tuple(
            scored_sample(prompt.added(way, answer), answer.tokens)
            for answer in answers[: sampling.count]
        )

    def _ways(self, prompt: Prompt) -> tuple[Completion, ...]:
        return tuple(way for way in prompt.ways(self.profile) if way not in self._gone)

    def _continued(
        self,
        prompt: Prompt,
        sampling: Sampling,
        cancel: CancelToken,
        spent: list[Answer],
        ways: Sequence[Completion],
    ) -> tuple[tuple[Answer, ...], Completion]:
        for way in ways:
            body = prompt.body(self.profile, way, sampling)
            try:
                answers = self._ask(way, body, cancel, spent)
            except RequestRefused as refused:
                if refused.status not in _FEATURE_MISSING or way is ways[-1]:
                    raise
                _LOG.info('%s', refused)
                continue
            self._gone.update(ways[: ways.index(way)])
            return answers, way
        raise AssertionError('unreachable')

    def choose(
        self, prompt: Prompt, options: Sequence[str], cancel: CancelToken, spent: list[Answer]
    ) -> Selection:
        """One of two or more options.

        :raises ModelOutputError: the model named none of them, however often corrected.
        """
        refusing: list[Constraint] = []
        for constraint in self.profile.constraints:
            if constraint in self._gone or constraint is Constraint.PROPOSE:
                continue
            if not prompt.allows(constraint, options):
                continue
            try:
                selection = self._constrained(constraint, prompt, options, cancel, spent)
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
        selection = self._proposed(prompt, options, cancel, spent)
        self._gone.update(refusing)
        return selection

    def _constrained(
        self,
        constraint: Constraint,
        prompt: Prompt,
        options: Sequence[str],
        cancel: CancelToken,
        spent: list[Answer],
    ) -> Selection | None:
        way, body, lead = prompt.choice(self.profile, constraint, options)
        answer = self._ask(way, body, cancel, spent)[0]
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
        self, prompt: Prompt, options: Sequence[str], cancel: CancelToken, spent: list[Answer]
    ) -> Selection:
        ways = self._ways(prompt)
        for way in ways:
            try:
                return self._proposed_by(way, prompt, options, cancel, spent)
            except RequestRefused as refused:
                if refused.status not in _FEATURE_MISSING or way is ways[-1]:
                    raise
                _LOG.info('%s', refused)
        raise AssertionError('unreachable')

    def _proposed_by(
        self,
        way: Completion,
        prompt: Prompt,
        options: Sequence[str],
        cancel: CancelToken,
        spent: list[Answer],
    ) -> Selection:
        rejected: list[str] = []
        for _ in range(self._max_corrections + 1):
            body = prompt.proposal(self.profile, way, options, rejected)
            answer = self._ask(way, body, cancel, spent)[0]
            said = prompt.added(way, answer) if way is Completion.CHAT else answer.text
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
    ) -> tuple[Answer, ...]:
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
        answers = read_answers(completion, value, self._http.address)
        first = answers[0]
        if first.prompt_tokens is None:
            first = replace(first, prompt_tokens=_estimated_prompt(body))
        if first.completion_tokens is None:
            written = sum(estimated_tokens(answer.text) for answer in answers)
            first = replace(first, completion_tokens=written)
        spent.append(first)
        return first, *answers[1:]

    def _accepted(self, body: dict[str, Any]) -> dict[str, Any]:
        names = {name: _REFUSABLE[name] if name in self._refused else name for name in body}
        return {names[name]: value for name, value in body.items() if names[name]}


def scored_sample(text: str, scores: Sequence[TokenScore]) -> Sample:
    """A continuation with those of its answer's tokens that stand in it.

    Where these do not spell it, it has none.
    """
    tokens = [(score.text.decode(errors='replace'), score.log_probability) for score in scores]
    spelled = ''.join(token for token, _ in tokens)
    begin = spelled.find(text) if text else -1
    if begin < 0:
        return Sample(text)
    kept: list[tuple[str, float]] = []
    at = 0
    for token, score in tokens:
        part = token[max(0, begin - at) : max(0, begin + len(text) - at)]
        if part:
            kept.append((part, score))
        at += len(token)
    return Sample(text, tuple(kept))


def estimated_tokens(text: str) -> int:
    """Tokens of a text without a tokenizer: rather too many than too few for English."""
    return (len(text.encode(errors='replace')) + 2) // 3


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
