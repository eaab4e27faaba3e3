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
from reactree_planner.llm.openai_server.protocol import Answer
from reactree_planner.llm.openai_server.protocol import CHAT_JSON
from reactree_planner.llm.openai_server.protocol import choice_body
from reactree_planner.llm.openai_server.protocol import completion_body
from reactree_planner.llm.openai_server.protocol import proposal_body
from reactree_planner.llm.openai_server.protocol import read_answers
from reactree_planner.llm.openai_server.protocol import read_json_choice
from reactree_planner.llm.openai_server.protocol import Sampling
from reactree_planner.llm.option_constraints import constrained_index
from reactree_planner.llm.option_constraints import fits_schema
from reactree_planner.llm.option_constraints import held_back
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

    def continue_text(
        self, text: str, sampling: Sampling, cancel: CancelToken, spent: list[Answer]
    ) -> str:
        """What the model says next; may go on after a stop text.

        :param spent: every answer is added, also those of tries that failed.
        """
        answers, completion = self._continued(text, sampling, cancel, spent, self._ways)
        return _continuation(completion, text, answers[0])

    def sampled(
        self, text: str, sampling: Sampling, cancel: CancelToken, spent: list[Answer]
    ) -> tuple[Sample, ...]:
        """What the model may say next: as many as are wanted, or the fewer that the server gives.

        :param spent: as in `continue_text`.
        """
        wanted = replace(sampling, count=1, scored=False) if self._draws_singly else sampling
        way = self._ways[0]
        try:
            answers, completion = self._continued(text, wanted, cancel, spent, (way,))
        except RequestRefused as refused:
            if refused.status not in _FEATURE_MISSING:
                raise
            _LOG.info('%s', refused)
            plain = replace(sampling, count=1, scored=False)
            answers, completion = self._continued(text, plain, cancel, spent, self._ways)
            # Else it was the way that the server does not have.
            self._draws_singly = completion is way
        return tuple(
            scored_sample(_continuation(completion, text, answer), answer.tokens)
            for answer in answers[: sampling.count]
        )

    @property
    def _ways(self) -> tuple[Completion, ...]:
        return tuple(way for way in self.profile.completion if way not in self._gone)

    def _continued(
        self,
        text: str,
        sampling: Sampling,
        cancel: CancelToken,
        spent: list[Answer],
        ways: Sequence[Completion],
    ) -> tuple[tuple[Answer, ...], Completion]:
        for way in ways:
            sent = text if way is Completion.CHAT else text.removesuffix(held_back(text))
            body = completion_body(self.profile, way, sent, sampling)
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
        answer = self._ask(completion, body, cancel, spent)[0]
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
        ways = self._ways
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
            answer = self._ask(way, body, cancel, spent)[0]
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
            messages = body.get('messages', ())
            sent = body.get('prompt', ''.join(part['content'] for part in messages))
            first = replace(first, prompt_tokens=estimated_tokens(sent))
        if first.completion_tokens is None:
            written = sum(estimated_tokens(answer.text) for answer in answers)
            first = replace(first, completion_tokens=written)
        spent.append(first)
        return first, *answers[1:]

    def _accepted(self, body: dict[str, Any]) -> dict[str, Any]:
        names = {name: _REFUSABLE[name] if name in self._refused else name for name in body}
        return {names[name]: value for name, value in body.items() if names[name]}


def _continuation(completion: Completion, text: str, answer: Answer) -> str:
    """What an answer adds to the text that was sent."""
    if completion is Completion.CHAT:
        return _without_echo(text, answer.text)
    lead = held_back(text)
    spaces = len(answer.text) - len(answer.text.lstrip(' '))
    return answer.text[min(spaces, len(lead)) :]


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


def _without_echo(text: str, answer: str) -> str:
    """What a chat model adds to a text: without the line it was to continue, spaced as words."""
    line = text.rpartition('\n')[2].strip()
    added = answer.lstrip('\n')
    if line and added.lstrip().startswith(line):
        added = added.lstrip()[len(line) :]
    if text and text[-1].isspace():
        return added.lstrip(' ')
    return f' {added}' if text and added[:1].isalnum() else added
