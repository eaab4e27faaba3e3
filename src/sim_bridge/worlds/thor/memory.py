"""Working memory as ReAcTree's ALFRED environment keeps it: where things of a class were seen.

The planner has a memory of its own, from facts. This one answers `recall location of <class>`
when that is sent as a skill, in the published words.
"""

from __future__ import annotations

from collections.abc import Iterable

from reactree_core.skill_types import class_and_number
from sim_bridge.worlds.thor.classes import FIXED_RECEPTACLES, words_of

HAND, DROPPED = 'hand', 'drop'
_FIXED = FIXED_RECEPTACLES | {words_of(name) for name in FIXED_RECEPTACLES}


class SeenThings:
    """Class -> name -> place. Receptacles that stay where they are, are not kept."""

    def __init__(self) -> None:
        self._places: dict[str, dict[str, str]] = {}

    def saw(self, names: Iterable[str], place: str) -> None:
        """Things were seen at a place."""
        for name in names:
            self._note(name, place)

    def took(self, name: str) -> None:
        """A thing is in the hand; what was never seen is not kept."""
        self._move(name, HAND)

    def dropped(self, name: str) -> None:
        """A thing lies somewhere."""
        self._move(name, DROPPED)

    def put(self, name: str, place: str) -> None:
        """A thing lies at a place."""
        self._note(name, place)

    def sliced(self, name: str) -> None:
        """A thing is gone: it is pieces now."""
        self._places.get(class_and_number(name)[0], {}).pop(name, None)

    def places_of(self, class_name: str) -> list[tuple[str, str]]:
        """Things of a class with their places, in the order first seen."""
        return [*self._places.get(class_name, {}).items()]

    def _move(self, name: str, place: str) -> None:
        if name in self._places.get(class_and_number(name)[0], {}):
            self._note(name, place)

    def _note(self, name: str, place: str) -> None:
        class_name = class_and_number(name)[0]
        if class_name not in _FIXED:
            self._places.setdefault(class_name, {})[name] = place
