"""People who answer as the journal of an earlier run has it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path

from reactree_core.cancellation import CancelToken
from reactree_core.record.answers import answers_in
from reactree_core.record.journal_lines import Answer
from reactree_core.record.questions import Question


class RecordedPeople:
    """Port `People`: those of an earlier run, who say again what they said.

    :param answers: of its journal.
    """

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._left = deque(one for one in answers if one.kind in ('attended', 'person'))

    @property
    def attended(self) -> bool:
        """Whether somebody was there."""
        known = self._next('attended')
        return known is not None and bool(known.content.get('attended'))

    def ask(self, question: Question, cancel: CancelToken) -> str | None:
        """What was answered."""
        known = self._next('person')
        said = None if known is None else known.content.get('said')
        return None if said is None else str(said)

    def _next(self, kind: str) -> Answer | None:
        return self._left.popleft() if self._left and self._left[0].kind == kind else None


def load_recorded_people(path: Path) -> RecordedPeople:
    """The people of a run, from its journal.

    :raises ConfigurationError: the file cannot be read.
    """
    return RecordedPeople(answers_in(path))
