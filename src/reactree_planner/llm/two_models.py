"""Two models as one: one writes plans, the other does the rest (planner and executor of ADaPT)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Turn
from reactree_core.ports import (
    ChatSession,
    FetchedModel,
    LanguageModel,
    LanguageSession,
    PlanningModel,
    RemoteModel,
    Waiting,
)
from reactree_planner.llm.chat import begin_chat, takes_pictures

#: Stands between the executor's name and that of the model that plans.
PLANS_BY = ',planner='


class TwoModels:
    """Port `PlanningModel`.

    :param executor: does everything but plans. :param planner: writes plans.
    """

    def __init__(self, executor: LanguageModel, planner: LanguageModel) -> None:
        self._executor = executor
        self._planner = planner

    @property
    def planner(self) -> LanguageModel:
        """Writes plans."""
        return self._planner

    @property
    def name(self) -> str:
        """Both names, as they are asked for."""
        return f'{self._executor.name}{PLANS_BY}{self._planner.name}'

    @property
    def context_tokens(self) -> int:
        """The executor's."""
        return self._executor.context_tokens

    def count_tokens(self, text: str) -> int:
        """The executor's count."""
        return self._executor.count_tokens(text)

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> LanguageSession:
        """A session of the executor."""
        return self._executor.session(cancel, shared_prefix)

    @property
    def takes_pictures(self) -> bool:
        """Whether the executor does."""
        return takes_pictures(self._executor)

    def chat(self, cancel: CancelToken, turns: Sequence[Turn] = ()) -> ChatSession:
        """A conversation with the executor."""
        return begin_chat(self._executor, cancel, turns)

    def connect(self, cancel: CancelToken) -> None:
        """Get in touch with those of the two that are elsewhere."""
        for model in (self._executor, self._planner):
            if isinstance(model, RemoteModel):
                model.connect(cancel)

    @property
    def is_loaded(self) -> bool:
        """Whether neither is still to be fetched."""
        models = (self._executor, self._planner)
        return all(model.is_loaded for model in models if isinstance(model, FetchedModel))

    def attend(self, cancel: CancelToken, waiting: Callable[[str], Waiting]) -> None:
        """Tell those of the two that may have to be fetched."""
        for model in (self._executor, self._planner):
            if isinstance(model, FetchedModel):
                model.attend(cancel, waiting)

    def close(self) -> None:
        """Free both."""
        self._executor.close()
        self._planner.close()


def planner_of(model: LanguageModel) -> LanguageModel:
    """What writes plans for those who have this model."""
    return model.planner if isinstance(model, PlanningModel) else model


def parts_of(spec: str) -> tuple[str, ...]:
    """The models that a name stands for: one, or executor and planner."""
    return tuple(part.strip() for part in spec.split(PLANS_BY, 1))
