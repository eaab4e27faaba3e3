"""Experiences in the answers of a run's log: written in full once, then by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from reactree_core.experience import Experience
from reactree_core.record.journal_lines import count, value_of

#: Kind of the answer that says what the memory offered.
RETRIEVE = 'retrieve'
#: Kind of the answer that says which of it a prompt showed, by id, as they stood.
EXAMPLES = 'examples'


class LoggedExperiences:
    """Follows the answers of one run, in order."""

    def __init__(self) -> None:
        self._known: list[Experience] = []
        self._numbers: dict[str, int] = {}

    def answer(self, found: Sequence[Experience]) -> dict[str, Any]:
        """Encode retrieved experiences as JSON values for the log; `read` decodes them."""
        new = {
            experience.experience_id: experience
            for experience in found
            if experience.experience_id not in self._numbers
        }
        first = len(self._known)
        order = {name: first + place for place, name in enumerate(new)} | self._numbers
        return {
            'new': [asdict(experience) for experience in new.values()],
            'found': [
                [order[experience.experience_id], experience.similarity] for experience in found
            ],
        }

    def read(self, answer: Mapping[str, Any]) -> tuple[Experience, ...]:
        """What was offered, best first.

        :raises LookupError, TypeError, ValueError: the answer is damaged.
        """
        for fields in answer['new']:
            experience = value_of(Experience, fields)
            self._numbers[experience.experience_id] = len(self._known)
            self._known.append(experience)
        return tuple(
            replace(self._known[count(number)], similarity=float(similarity))
            for number, similarity in answer['found']
        )
