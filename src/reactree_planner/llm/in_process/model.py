"""A language model in this process (port `LanguageModel`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Turn
from reactree_core.ports import ChatSession
from reactree_planner.llm.chat import plain_chat
from reactree_planner.llm.in_process.chat import InProcessChat
from reactree_planner.llm.in_process.chat_templates import ChatTemplate, choose_template
from reactree_planner.llm.in_process.engine import context_tokens
from reactree_planner.llm.in_process.session import InProcessSession, SharedEngine


class InProcessModel(SharedEngine):
    """Sessions and conversations over one engine; its parameters are those of `SharedEngine`."""

    @property
    def context_tokens(self) -> int:
        """Longest session in tokens."""
        return context_tokens(self.engine)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text by the model's own tokenizer."""
        with self.lock:
            return len(self.engine.tokenize(text, first=False))

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> InProcessSession:
        """Begin a session; the shared prefix is evaluated once and kept for others."""
        return InProcessSession(self, cancel, shared_prefix)

    @cached_property
    def _turns_template(self) -> ChatTemplate | None:
        """Conversations have the model's own markers though its prompts may have none."""
        engine = self.engine
        return self.template or choose_template('auto', engine.chat_template, engine.end_marker)

    @property
    def takes_pictures(self) -> bool:
        """No."""
        return False

    def chat(self, cancel: CancelToken, turns: Sequence[Turn] = ()) -> ChatSession:
        """Begin a conversation, with the template's markers where there is one."""
        template = self._turns_template
        if template is None:
            return plain_chat(self, cancel, turns)
        chat = InProcessChat(self, template, cancel)
        chat.begin_with(turns)
        return chat

    def close(self) -> None:
        """Free the model."""
        with self.lock:
            self.engine.close()
