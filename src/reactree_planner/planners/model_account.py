"""The model of one run: its sessions, its choices, and what each of them has cost."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.cancellation import CancelToken
from reactree_core.ports import LanguageModel
from reactree_core.ports import LanguageSession
from reactree_core.ports import Strategy
from reactree_core.usage import LlmUsage
from reactree_core.usage import NO_USAGE
from reactree_planner.planners.timing import Timing


class ModelAccount:
    """Opens sessions and counts what they use.

    :param selection: how choices are made. :param cancel: stops requests.
    :param timing: where the model's seconds are added.
    """

    def __init__(
        self, model: LanguageModel, selection: Strategy, cancel: CancelToken, timing: Timing
    ) -> None:
        self._model = model
        self._selection = selection
        self._cancel = cancel
        self._timing = timing
        self._charged: dict[int, LlmUsage] = {}
        self.usage = NO_USAGE

    def session(self, shared_prefix: str) -> LanguageSession:
        """A model session of this run."""
        session = self._model.session(self._cancel, shared_prefix)
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
        self.usage = self.usage + spent
        self._timing.model += spent.latency
        return spent

    def drop(self, session: LanguageSession) -> LlmUsage:
        """Count what a session used last, and give it back."""
        spent = self.charge(session)
        del self._charged[id(session)]
        session.drop()
        return spent
