"""Asking one server: the best way first, a lesser one when the server refuses or ignores it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelOutputError
from reactree_core.ports import Outlook, Sample, Selection
from reactree_planner.llm.openai_server.connection import RequestRefused, ServerConnection
from reactree_planner.llm.openai_server.foresight import continuation_of, paths_of
from reactree_planner.llm.openai_server.profile import (
    Completion,
    Constraint,
    ServerAddress,
    ServerProfile,
)
from reactree_planner.llm.openai_server.prompts import Prompt
from reactree_planner.llm.openai_server.protocol import (
    Answer,
    CHAT_JSON,
    decision_body,
    read_answers,
    read_json_choice,
    Sampling,
)
from reactree_planner.llm.openai_server.thinking import AUTO, NO_EFFORT, Thinking, USUAL_THINKING
from reactree_planner.llm.option_constraints import (
    constrained_index,
    END,
    is_long,
    proposed_index,
    score_choice,
    TokenScore,
)
from reactree_planner.llm.written_answers import line_of, row_of

_LOG = logging.getLogger(__name__)

#: Refusals that mean 'not this feature' rather than 'not now'.
_FEATURE_MISSING = frozenset({400, 404, 405, 415, 422, 500, 501})
_PATH_MISSING = frozenset({404, 405})
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
        thinking: Thinking = USUAL_THINKING,
        lists_options: bool = True,
    ) -> None:
        self.profile = profile
        self._http = http
        self._address = address
        self._max_corrections = max_corrections
        self._thinking = thinking
        self._gone: set[Constraint | Completion] = set()
        self._ignored: dict[Constraint, int] = {}
        #: Answers in a row that named no option where only the prompt says them.
        self._missed_loosely = 0
        #: Whole decisions in a row that were none; one that is refused is not asked for again.
        self._undecided = 0
        self.lists_options = lists_options
        self._refused: set[str] = set()
        #: Tokens that are given beside those of an answer, for thinking.
        thinks = thinking.effort not in (AUTO, NO_EFFORT)
        self._room = min(_ROOM, self._most_room) if thinks else 0
        self._tries_to_think = 0
        #: Whether its model's template has no system role.
        self._without_system = False
        #: Whether it refuses several answers to one request, or to tell probabilities.
        self._draws_singly = False

    def go_on(
        self, prompt: Prompt, sampling: Sampling, cancel: CancelToken, spent: list[Answer]
    ) -> str:
        """What the model says next; may go on after a stop text.

        :param spent: every answer is added, also those of tries that failed.
        """
        answers, way = self._continued(prompt, sampling, cancel, spent, self._ways(prompt))
        said = prompt.added(way, answers[0])
        if END not in sampling.stop or said.strip() or way is Completion.CHAT:
            return _lined(way, said, sampling)
        # It may have begun a list, or had something on its next line.
        others = tuple(stop for stop in sampling.stop if stop != END)
        below = replace(sampling, stop=(*others, 2 * END))
        answers, way = self._continued(prompt, below, cancel, spent, (way,))
        return row_of(answers[0].text)

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
            if refused.status in _PATH_MISSING and len(ways) > 1:
                # The way itself is not there, whatever is asked.
                self._gone.add(first)
                return self.sampled(prompt, sampling, cancel, spent)
            answers, way = self._continued(prompt, plain, cancel, spent, ways)
            # Else it was the way that the server does not have.
            self._draws_singly = way is first
        return tuple(
            scored_sample(_lined(way, prompt.added(way, answer), sampling), answer.tokens)
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
        for constraint, is_loose in self._constraints(prompt, options):
            if constraint in refusing:
                continue
            try:
                selection = self._constrained(constraint, prompt, options, cancel, spent, is_loose)
            except RequestRefused as refused:
                if refused.status not in _FEATURE_MISSING:
                    raise
                _LOG.info('Without %s: %s', constraint.value, refused)
                refusing.append(constraint)
                continue
            if selection is not None:
                # Only now is it sure that the constraint was refused and not the request.
                self._gone.update(refusing)
                self._missed_loosely = 0 if is_loose else self._missed_loosely
                return selection
            if is_loose:
                self._missed_loosely += 1
            else:
                self._note_ignored(constraint)
        selection = self._proposed(prompt, options, cancel, spent)
        self._gone.update(refusing)
        return selection

    def _constraints(
        self, prompt: Prompt, options: Sequence[str]
    ) -> Iterator[tuple[Constraint, bool]]:
        """Ways to keep a choice to its options, best first, and whether a schema is loose.

        Many options stand in the prompt alone, as long as the model names those it reads: in a
        schema they would cost as much again, and no request would begin like another.
        """
        for constraint in self.profile.constraints:
            if constraint in self._gone or constraint is Constraint.PROPOSE:
                continue
            if (
                constraint in CHAT_JSON
                and is_long(options)
                and self._missed_loosely < _IGNORED_OFTEN
            ):
                yield constraint, True
            if prompt.allows(constraint, options) and constraint not in self._gone:
                yield constraint, False

    def decide(
        self, prompt: Prompt, outlook: Outlook, cancel: CancelToken, spent: list[Answer]
    ) -> str:
        """What an agent says next of all that was foretold, by one request; '' for nothing.

        :param spent: as in `go_on`. :raises ModelError: the server failed.
        """
        ways = self._decision_ways(prompt)
        if not ways or self._undecided >= _IGNORED_OFTEN:
            if ways or outlook.must_think or outlook.are_told:
                return ''
            paths = paths_of(outlook)
            return paths[self.choose(prompt, paths, cancel, spent).index]
        messages = prompt.decision(outlook)
        for place, constraint in enumerate(ways):
            body = decision_body(self.profile, constraint, messages, outlook)
            try:
                answer = self._ask(Completion.CHAT, body, cancel, spent)[0]
            except RequestRefused as refused:
                if refused.status not in _FEATURE_MISSING:
                    raise
                _LOG.info('Without %s: %s', constraint.value, refused)
                continue
            self._gone.update(ways[:place])
            said = continuation_of(outlook, answer.text)
            self._undecided = 0 if said else self._undecided + 1
            return said
        self._undecided = _IGNORED_OFTEN
        return ''

    def _decision_ways(self, prompt: Prompt) -> list[Constraint]:
        """How a chat may be kept to the form of a decision, best first; [] where raw texts are
        constrained. A chat without schemas may write JSON all the same.
        """
        left = [one for one in self.profile.constraints if one not in self._gone]
        framed = [one for one in left if one in CHAT_JSON]
        if left[: len(framed)] != framed or Completion.CHAT not in self._ways(prompt):
            return []
        return [*framed, Constraint.PROPOSE]

    def _constrained(
        self,
        constraint: Constraint,
        prompt: Prompt,
        options: Sequence[str],
        cancel: CancelToken,
        spent: list[Answer],
        is_loose: bool,
    ) -> Selection | None:
        way, body, lead = prompt.choice(self.profile, constraint, options, is_loose)
        answer = self._ask(way, body, cancel, spent)[0]
        if is_loose:
            index = proposed_index(answer.text, options)
            return None if index is None else Selection(index, 0.0, 0.0)
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
                selection = self._proposed_by(way, prompt, options, cancel, spent)
                self._gone.update(ways[: ways.index(way)])
                return selection
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
                    f'{self.profile.model} gives no answer to this ({first.withheld}): say the '
                    'task in other words, or use another model.'
                )
            if not first.is_cut_thinking or completion is Completion.RAW:
                break
            if completion is Completion.OLLAMA_RAW:
                if self._room:
                    break
            elif self._room >= self._most_room:
                raise ModelOutputError(
                    f'{self.profile.model} was still thinking after {self._room} tokens and had '
                    'said nothing: raise thinking_tokens, lower reasoning_effort, or use a model '
                    'that thinks less.'
                )
            # What was paid for counts, although nothing was said.
            spent.append(first)
            self._room = min(self._most_room, self._room * _ROOM_GROWS or _ROOM)
            self._tries_to_think += 1
            _LOG.info('%s thinks: %s tokens more', self.profile.model, self._room)
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
        return self._thinking.tokens or max(_ROOM, self.profile.context_tokens // 2)

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


def _lined(way: Completion, said: str, sampling: Sampling) -> str:
    """What a chat says where a line is wanted; raw continuations are one."""
    return line_of(said) if way is Completion.CHAT and END in sampling.stop else said


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
