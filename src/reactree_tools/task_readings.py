"""Readings of tasks with the names of a skill server, before any run is started."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_planner.reading.names import Names
from reactree_planner.reading.offers import offers_for
from reactree_planner.reading.reader import read_alone
from reactree_tools.options import TASK_CHARACTERS
from reactree_tools.views.reading_view import reading_fields


class TaskReadings:
    """Reads tasks by the grammar, as `reactree read` does. May be used from several threads.

    :param vocabulary: asks the skill server for its names.
    """

    def __init__(self, vocabulary: Callable[[], Vocabulary]) -> None:
        self._vocabulary = vocabulary
        self._lock = threading.Lock()
        self._known: Vocabulary | None = None
        self._names = Names(Vocabulary())

    def read(self, text: str) -> dict[str, Any]:
        """The whole goal of a sentence, as values of JSON.

        :param text: at most TASK_CHARACTERS.
        :raises ConfigurationError: it is longer. :raises SkillError: no skill server answers.
        """
        if len(text) > TASK_CHARACTERS:
            raise ConfigurationError(
                f'A task may have {TASK_CHARACTERS} characters; this one has {len(text):,}.'
            )
        vocabulary = self._vocabulary()
        with self._lock:
            if vocabulary != self._known:
                # Names are prepared once: with thousands of them that takes a while.
                self._names, self._known = Names(vocabulary), vocabulary
            goal = read_alone(text, self._names)
            return reading_fields(goal, () if goal.whole else offers_for(text, self._names))
