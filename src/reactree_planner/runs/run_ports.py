"""What a run works with, who is told of it, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Turn
from reactree_core.permission.spending import FREE_OF_CHARGE, Price
from reactree_core.ports import (
    ChatSession,
    Embedder,
    LanguageModel,
    LanguageSession,
    Memory,
    Pictures,
    SkillServer,
    Strategy,
)
from reactree_core.record.events import Decision
from reactree_core.record.questions import NOBODY, People
from reactree_core.record.utterances import Listening, SILENCE
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.llm.chat import begin_chat
from reactree_planner.runs.event_writer import EventWriter
from reactree_planner.runs.settings import PlannerSettings

#: Called before a skill runs; may wait (approval, pause) and may refuse with a reason.
SkillGate = Callable[[Decision], str | None]
#: Told, once each, what people should know of a run that went on.
NoticeSink = Callable[[str], object]


@dataclass(frozen=True)
class Ports:
    """What a run works with.

    :param embedder: makes the encoder of sentences when a planner first needs it; None: none.
    :param people: who may be asked.
    :param pictures: of the world, for models that take some; None: there are none.
    :param said: what people say while it is under way.
    """

    model: LanguageModel
    skills: SkillServer
    memory: Memory
    embedder: Callable[[], Embedder] | None = None
    people: People = NOBODY
    pictures: Pictures | None = None
    said: Listening = SILENCE


class ModelAccount:
    """Opens sessions and counts what they use.

    :param selection: how choices are made. :param cancel: stops requests.
    :param timing: where the model's seconds are added. :param price: of what it uses.
    """

    def __init__(
        self,
        model: LanguageModel,
        selection: Strategy,
        cancel: CancelToken,
        timing: Timing,
        price: Price = FREE_OF_CHARGE,
    ) -> None:
        self.model = model
        self._price = price
        self._selection = selection
        self._cancel = cancel
        self._timing = timing
        self._charged: dict[int, LlmUsage] = {}
        self.usage = NO_USAGE

    def session(self, shared_prefix: str) -> LanguageSession:
        """A model session of this run."""
        session = self.model.session(self._cancel, shared_prefix)
        self._charged[id(session)] = LlmUsage()
        return session

    def chat(self, turns: Sequence[Turn]) -> ChatSession:
        """A conversation of this run, which begins with turns that others begin with too."""
        session = begin_chat(self.model, self._cancel, turns)
        self._charged[id(session)] = LlmUsage()
        return session

    def choose(self, session: LanguageSession, options: Sequence[str]) -> int:
        """Index of the option that the model chooses; appended to the session."""
        return session.select(options, self._selection).index

    def charge(self, session: LanguageSession) -> LlmUsage:
        """Count what a session used since it was last charged."""
        used = session.usage
        spent = used - self._charged.get(id(session), LlmUsage())
        self._charged[id(session)] = used
        spent = replace(spent, cost=self._price.of(spent))
        self.usage = self.usage + spent
        self._timing.model += spent.latency
        return spent

    def drop(self, session: LanguageSession) -> LlmUsage:
        """Count what a session used last, and give it back."""
        spent = self.charge(session)
        del self._charged[id(session)]
        session.drop()
        return spent


@dataclass
class Timing:
    """Seconds spent waiting, by what was waited for."""

    model: float = 0.0
    skills: float = 0.0
    memory: float = 0.0
    waiting: float = 0.0

    @contextmanager
    def measure(self, part: Literal['skills', 'memory', 'waiting']) -> Iterator[None]:
        """Count the seconds until the block is left, however it is left."""
        began = time.monotonic()
        try:
            yield
        finally:
            setattr(self, part, getattr(self, part) + time.monotonic() - began)


@dataclass(frozen=True)
class Basis:
    """What all parts of one run stand on.

    :param timing: where the seconds of waiting are added. :param events: write down what happens.
    :param notify: called with what people should know.
    """

    ports: Ports
    settings: PlannerSettings
    cancel: CancelToken
    timing: Timing
    events: EventWriter
    notify: NoticeSink
