"""Asking one server: the best way first, a lesser one when the server refuses or ignores it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelOutputError
from reactree_core.ports import Outlook, Sample, Selection
from reactree_planner.llm.openai_server.answers import Answer, read_json_choice
from reactree_planner.llm.openai_server.connection import RequestRefused, ServerConnection
from reactree_planner.llm.openai_server.foresight import continuation_of, paths_of
from reactree_planner.llm.openai_server.profile import (
    Completion,
    Constraint,
    ServerAddress,
    ServerProfile,
)
from reactree_planner.llm.openai_server.prompts import Prompt
from reactree_planner.llm.openai_server.protocol import CHAT_JSON, decision_body, Sampling
from reactree_planner.llm.openai_server.requests import ServerRequests
from reactree_planner.llm.openai_server.thinking import Thinking, USUAL_THINKING
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
_Answered = TypeVar('_Answered')

#: Refusals that mean 'not this feature' rather than 'not now'.
_FEATURE_MISSING = frozenset({400, 404, 405, 415, 422, 500, 501})
_PATH_MISSING = frozenset({404, 405})
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
        thinking: Thinking = USUAL_THINKING,
        lists_options: bool = True,
    ) -> None:
        self.profile = profile
        self._address = http.address
        self._ask = ServerRequests(http, address, profile, thinking).ask
        self._max_corrections = max_corrections
        self._gone: set[Constraint | Completion] = set()
        self._ignored: dict[Constraint, int] = {}
        #: Answers in a row that named no option where only the prompt says them.
        self._missed_loosely = 0
        #: Whole decisions in a row that were none; one that is refused is not asked for again.
        self._undecided = 0
        self.lists_options = lists_options
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
        def ask(way: Completion) -> tuple[tuple[Answer, ...], Completion]:
            body = prompt.body(self.profile, way, sampling)
            return self._ask(way, body, cancel, spent), way

        return self._by_first(ways, ask)

    def _by_first(
        self, ways: Sequence[Completion], ask: Callable[[Completion], _Answered]
    ) -> _Answered:
        """What is answered by the first way that the server has."""
        for place, way in enumerate(ways):
            try:
                answer = ask(way)
            except RequestRefused as refused:
                if refused.status not in _FEATURE_MISSING or way is ways[-1]:
                    raise
                _LOG.info('%s', refused)
            else:
                self._gone.update(ways[:place])
                return answer
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
        _LOG.info('%s does not keep to %s', self._address, constraint.value)
        if count >= _IGNORED_OFTEN:
            self._gone.add(constraint)

    def _proposed(
        self, prompt: Prompt, options: Sequence[str], cancel: CancelToken, spent: list[Answer]
    ) -> Selection:
        return self._by_first(
            self._ways(prompt),
            lambda way: self._proposed_by(way, prompt, options, cancel, spent),
        )

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


def _lined(way: Completion, said: str, sampling: Sampling) -> str:
    """What a chat says where a line is wanted; raw continuations are one."""
    return line_of(said) if way is Completion.CHAT and END in sampling.stop else said


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
