"""What the clauses of the language model contract are tried with."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Turn
from reactree_core.conformance import expect
from reactree_core.ports import ChatSession, LanguageModel, LanguageSession
from reactree_planner.llm.chat import begin_chat

SKILLS = ('drive to gate 1', 'open gate 1', 'lift crate 1', 'drive to dock 1')
#: What a model goes on with without thinking.
COUNTING = 'one, two, three, four, five, six, seven, eight, nine, ten. one, two, three,'
#: Characters of a text that are given.
EXCERPT = 60


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the suite waits.

    :param clause: seconds for one clause; the model is canceled then.
    :param cancel: seconds within which a cancel must end a request.
    :param before_cancel: seconds a request runs before it is canceled.
    """

    clause: float = 300.0
    cancel: float = 1.0
    before_cancel: float = 0.3


class Trial:
    """A model under test, with sessions that end with their clause."""

    def __init__(self, model: LanguageModel, patience: Patience) -> None:
        self.model = model
        self.patience = patience
        self.cancel = CancelToken(time.monotonic() + patience.clause)

    @contextmanager
    def session(
        self,
        prefix: str = '',
        cancel: CancelToken | None = None,
    ) -> Iterator[LanguageSession]:
        session = self.model.session(cancel or self.cancel, prefix)
        try:
            yield session
        finally:
            session.drop()

    @contextmanager
    def chat(self, *turns: Turn) -> Iterator[ChatSession]:
        chat = begin_chat(self.model, self.cancel, turns)
        try:
            yield chat
        finally:
            chat.drop()

    def choose(self, text: str, options: Sequence[str]) -> str:
        """The chosen option, after checking everything that `select` promises."""
        with self.session() as session:
            session.append(text)
            return choose_in(session, options)

    def act(self) -> str:
        """One of SKILLS, chosen in a session of its own."""
        return self.choose('The robot is in the hall.\nAct: ', SKILLS)


def choose_in(session: LanguageSession, options: Sequence[str]) -> str:
    """Select, and check that the answer is an option, appended, with sound numbers."""
    before = session.text
    chosen = session.select(options)
    expect(0 <= chosen.index < len(options), f'index {chosen.index} of {len(options)} options')
    option = options[chosen.index]
    expect(session.text == before + option, f'the text became {session.text[-EXCERPT:]!r}')
    expect(chosen.log_probability <= 0.0, f'log-probability {chosen.log_probability}')
    expect(not math.isnan(chosen.margin), 'margin is no number')
    return option
