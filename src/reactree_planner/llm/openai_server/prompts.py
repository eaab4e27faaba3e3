"""What a server is asked about: a text to go on with, or a conversation to answer.

Each knows how its requests are made for every way of continuing and constraining.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reactree_core.chat import Conversation, Role, Turn, without_control
from reactree_core.ports import Outlook
from reactree_planner.llm.openai_server.answers import Answer
from reactree_planner.llm.openai_server.foresight import listed_first, listed_last
from reactree_planner.llm.openai_server.profile import Completion, Constraint, ServerProfile
from reactree_planner.llm.openai_server.protocol import (
    chat_body,
    CHAT_JSON,
    choice_body,
    choice_fields,
    choice_sampling,
    CHOOSE_NEXT,
    CHOOSE_NEXT_JSON,
    completion_body,
    corrected,
    GO_ON,
    proposal_body,
    proposal_sampling,
    Sampling,
    told_before,
)
from reactree_planner.llm.option_constraints import (
    are_skills,
    fits_schema,
    held_back,
    listed_options,
)

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TextPrompt:
    """A text that is continued raw where the server can."""

    text: str
    lists_options: bool = True

    def ways(self, profile: ServerProfile) -> tuple[Completion, ...]:
        """Ways to go on with it, best first: all that the server has."""
        return profile.completion

    def _sent(self, way: Completion) -> str:
        raw = way is not Completion.CHAT
        return self.text.removesuffix(held_back(self.text)) if raw else self.text

    def body(self, profile: ServerProfile, way: Completion, sampling: Sampling) -> Body:
        """Go on freely."""
        return completion_body(profile, way, self._sent(way), sampling)

    def added(self, way: Completion, answer: Answer) -> str:
        """What an answer adds: all but what was sent."""
        if way is Completion.CHAT:
            return without_echo(self.text, answer.text)
        lead = held_back(self.text)
        spaces = len(answer.text) - len(answer.text.lstrip(' '))
        return answer.text[min(spaces, len(lead)) :]

    def allows(self, constraint: Constraint, options: Sequence[str]) -> bool:
        """Whether a choice can be constrained so: but by schemas that are too large."""
        return constraint not in CHAT_JSON or fits_schema(options)

    def choice(
        self,
        profile: ServerProfile,
        constraint: Constraint,
        options: Sequence[str],
        is_loose: bool = False,
    ) -> tuple[Completion, Body, str]:
        """Choose what comes next; last is what the answer says before the option.

        :param is_loose: whether the options stand in the prompt alone, and not in a schema too.
        """
        lead, text = '', self.text
        if constraint not in CHAT_JSON:
            lead = held_back(text)
            text = text.removesuffix(lead)
            if self.lists_options and are_skills(options):
                text = told_before(text, options)
        way, body = choice_body(profile, constraint, text, lead, options, is_loose)
        return way, body, lead

    def decision(self, outlook: Outlook) -> list[Body]:
        """Messages that ask for all that was foretold, the text between what stays the same and
        what is on offer now.
        """
        return [
            {'role': 'system', 'content': listed_first(outlook)},
            {'role': 'user', 'content': f'{self.text}\n\n{listed_last(outlook)}'},
        ]

    def proposal(
        self,
        profile: ServerProfile,
        way: Completion,
        options: Sequence[str],
        rejected: Sequence[str],
    ) -> Body:
        """Ask what comes next without any constraint, after answers that named no option."""
        return proposal_body(profile, way, self._sent(way), options, rejected)


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """A conversation. Few servers go on with a message of the assistant that has begun, so what
    it has said of its answer is said again under a constraint, or asked to be gone on with.

    What turns say cannot end a turn: control tokens spelled in it are broken, because servers
    read them from the text of messages.
    """

    conversation: Conversation

    def ways(self, profile: ServerProfile) -> tuple[Completion, ...]:
        """Only the chat."""
        return (Completion.CHAT,)

    @property
    def _begun(self) -> str:
        return without_control(self.conversation.answer)

    def _messages(self, request: str = '') -> list[Body]:
        """The turns, and a request of ours about the next one."""
        messages = [_message(turn) for turn in self.conversation.turns]
        if self._begun and request:
            messages.append({'role': 'assistant', 'content': self._begun.rstrip()})
        if request:
            last = messages[-1] if messages else {}
            if last.get('role') == 'user' and isinstance(last['content'], str):
                messages[-1] = last | {'content': f'{last["content"]}\n\n{request}'}
            else:
                messages.append({'role': 'user', 'content': request})
        return messages

    def body(self, profile: ServerProfile, way: Completion, sampling: Sampling) -> Body:
        """Answer freely."""
        return chat_body(profile, self._messages(GO_ON if self._begun else ''), sampling)

    def added(self, way: Completion, answer: Answer) -> str:
        """The answer, without what had been said of it."""
        return without_echo(self._begun, answer.text) if self._begun else answer.text

    def allows(self, constraint: Constraint, options: Sequence[str]) -> bool:
        """All of the chat's."""
        if constraint is Constraint.OLLAMA_FORMAT:
            return False
        return constraint not in CHAT_JSON or fits_schema(options)

    def decision(self, outlook: Outlook) -> list[Body]:
        """The turns, of which the first tells the form of the answer too."""
        first, *others = self._messages(listed_last(outlook))
        if first['role'] != Role.SYSTEM.value:
            return [{'role': 'system', 'content': listed_first(outlook)}, first, *others]
        return [first | {'content': f'{first["content"]}\n\n{listed_first(outlook)}'}, *others]

    def choice(
        self,
        profile: ServerProfile,
        constraint: Constraint,
        options: Sequence[str],
        is_loose: bool = False,
    ) -> tuple[Completion, Body, str]:
        """Choose what the assistant says."""
        named = constraint in CHAT_JSON
        lead = '' if named else self._begun
        request = f'{listed_options(options)}\n{CHOOSE_NEXT_JSON}' if named else ''
        sampling = choice_sampling(constraint, options, lead)
        body = chat_body(profile, self._messages(request), sampling)
        if not named and profile.top_logprobs:
            body |= {'logprobs': True, 'top_logprobs': profile.top_logprobs}
        return Completion.CHAT, body | choice_fields(constraint, options, lead, is_loose), lead

    def proposal(
        self,
        profile: ServerProfile,
        way: Completion,
        options: Sequence[str],
        rejected: Sequence[str],
    ) -> Body:
        """Ask what the assistant says."""
        messages = self._messages(f'{listed_options(options)}\n{CHOOSE_NEXT}')
        return chat_body(profile, corrected(messages, rejected), proposal_sampling(options))


Prompt = TextPrompt | ChatPrompt


def _message(turn: Turn) -> Body:
    text = without_control(turn.text)
    if not turn.pictures:
        return {'role': turn.role.value, 'content': text}
    shown: list[Body] = [
        {'type': 'image_url', 'image_url': {'url': picture.data_uri}} for picture in turn.pictures
    ]
    return {'role': turn.role.value, 'content': [*shown, {'type': 'text', 'text': text}]}


def without_echo(text: str, answer: str) -> str:
    """What a chat model adds to a text: without the line it was to continue, spaced as words."""
    line = text.rpartition('\n')[2].strip()
    added = answer.lstrip('\n')
    if line and added.lstrip().startswith(line):
        added = added.lstrip()[len(line) :]
    if text and text[-1].isspace():
        return added.lstrip(' ')
    return f' {added}' if text and added[:1].isalnum() else added
