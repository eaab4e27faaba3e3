"""How many of each class are held, where skills get, make and use up things in numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SlotType
from reactree_planner.agents.skills import Skill
from reactree_planner.agents.skills import SkillBook

_BETWEEN = re.compile(r',\s*(?:and\s+)?|\s+and\s+(?=\d)')
_COUNTED = re.compile(r'(\d{1,6}) (\S.*)')


class _Amount(NamedTuple):
    name: str
    number: int


class _Recipe(NamedTuple):
    """What a skill makes, and of what."""

    made: _Amount
    used: tuple[_Amount, ...]


class Stock:
    """How many of each class are held, by the skills that got, made and used them.

    The first slot of a skill of kind MAKE is what is made, the others are what it is made of.

    :param skills: of the server.
    """

    def __init__(self, skills: SkillBook) -> None:
        self._are_told = bool(skills.of_kind(SkillKind.MAKE))
        self._stock: Counter[str] = Counter()

    def note(self, skill: Skill) -> None:
        """Count what a skill that succeeded has got, made and used up."""
        if not self._are_told:
            return
        if (recipe := _recipe_of(skill)) is not None:
            self._stock[recipe.made.name] += recipe.made.number
            for part in recipe.used:
                self._stock[part.name] = max(0, self._stock[part.name] - part.number)
        for got in _got_by(skill):
            self._stock[got.name] += got.number

    def correct(self, held: Iterable[str]) -> None:
        """Know what is held as the world tells it: of a name perhaps more than one."""
        told = Counter(class_and_number(name)[0] for name in held)
        self._stock = Counter({name: max(self._stock[name], told[name]) for name in told})

    def number_of(self, name: str) -> int:
        """How many of a class are held."""
        return self._stock[name]


def _recipe_of(skill: Skill) -> _Recipe | None:
    """The recipe that a skill of kind MAKE tells; None for one that does not tell its parts."""
    if skill.kind is not SkillKind.MAKE or skill.has_gap:
        return None
    made, *used = [amounts for _, amounts in _amounts(skill)] or [[]]
    parts = tuple(chain.from_iterable(used))
    return _Recipe(made[0], parts) if len(made) == 1 and parts else None


def _got_by(skill: Skill) -> Iterator[_Amount]:
    """What one holds after a skill."""
    if not skill.has_gap:
        held = {
            fact.value
            for fact in skill.type.facts
            if fact.relation is Relation.HOLDING and fact.holds
        }
        for slot, amounts in _amounts(skill):
            if slot in held:
                yield from amounts


def _amounts(skill: Skill) -> Iterator[tuple[str, list[_Amount]]]:
    """Slots of a skill and the names there, each with its number, told before it or in a slot of
    its own.
    """
    told = 1
    for slot, value in zip(skill.type.slots, skill.values, strict=True):
        if slot.type is SlotType.NUMBER:
            told = int(value) if value.isdecimal() and len(value) < 7 else 1
            continue
        amounts = []
        for part in filter(None, map(str.strip, _BETWEEN.split(value))):
            counted = _COUNTED.fullmatch(part)
            name, number = (counted[2], int(counted[1])) if counted else (part, told)
            amounts.append(_Amount(class_and_number(name)[0], number))
        told = 1
        yield slot.text, amounts
