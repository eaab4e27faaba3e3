"""Answers to a run's questions from what its task is judged by: a person who knows the goal."""

from __future__ import annotations

import re
from collections.abc import Iterable

from reactree_core.cancellation import CancelToken
from reactree_core.record.questions import NO, Question, YES
from reactree_core.skill_types import class_and_number


class GoalQuestioner:
    """Port `People`: takes the option that the goal's conditions name, and no other.

    :param conditions: of the task's goal, one line each, as a world's progress tells them.
    """

    attended = True

    def __init__(self, conditions: Iterable[str]) -> None:
        self._goal = '\n'.join(conditions).casefold()
        #: Questions so far.
        self.asked = 0

    def ask(self, question: Question, cancel: CancelToken) -> str | None:
        """The option that is meant; None, and so the default, where the goal does not say."""
        self.asked += 1
        if question.options == (YES, NO):
            return None
        named = [option for option in question.options if self._names(option)]
        # "wine glass" is meant where "glass" is named too, as a part of it.
        longest = [
            option
            for option in named
            if not any(_has_words(other, option) for other in named if other != option)
        ]
        return longest[0] if len(longest) == 1 else None

    def _names(self, option: str) -> bool:
        name, _ = class_and_number(option)
        return _has_words(self._goal, option) or _has_words(self._goal, name)


def _has_words(text: str, words: str) -> bool:
    return re.search(rf'\b{re.escape(words.casefold())}\b', text.casefold()) is not None
