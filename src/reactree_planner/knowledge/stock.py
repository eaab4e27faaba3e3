"""How many of each class are held, where skills get, make and use up things in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator

from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_planner.facts.recipes import Amount
from reactree_planner.facts.recipes import amounts_of
from reactree_planner.facts.recipes import recipe_of
from reactree_planner.knowledge.skills import Skill
from reactree_planner.knowledge.skills import SkillBook


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
        if (recipe := recipe_of(skill)) is not None:
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


def _got_by(skill: Skill) -> Iterator[Amount]:
    """What one holds after a skill."""
    if not skill.has_gap:
        held = {
            fact.value
            for fact in skill.type.facts
            if fact.relation is Relation.HOLDING and fact.holds
        }
        for slot, amounts in amounts_of(skill):
            if slot in held:
                yield from amounts
