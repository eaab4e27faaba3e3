"""What is made of what, in numbers, as far as the world has told it; and the way to a thing.

A skill of kind MAKE tells a recipe by its text: `saw 4 plank from 1 trunk`. The first slot is what
is made, the others what it is made of. A part may name only a sort: "plank" for "larch plank".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from math import inf
from typing import NamedTuple, Protocol

from reactree_core.skill_types import class_and_number, Relation, SkillKind, SkillType, SlotType
from reactree_planner.facts.skills import Skill, Skills

#: Recipes that are kept; a world may tell thousands.
_MOST = 2000
#: Skills that what is not offered, and no recipe makes, may take.
_UNKNOWN = 100.0
#: Recipes that follow from each other on the way to one thing.
_DEEPEST = 100
#: Times that other sorts are tried, where those that are there do not fit.
_MOST_TRIES = 32
_BETWEEN = re.compile(r',\s*(?:and\s+)?|\s+and\s+(?=\d)')
_COUNTED = re.compile(r'(\d{1,6}) (\S.*)')


class Amount(NamedTuple):
    """So many of a class."""

    name: str
    number: int


class Recipe(NamedTuple):
    """What a skill makes, and of what."""

    made: Amount
    used: tuple[Amount, ...]


class Step(NamedTuple):
    """What comes next on the way to a thing.

    :param skill: to be done; None where `needs` has to be got by other skills.
    :param needs: the class that is got or made.
    """

    skill: Skill | None
    needs: str


class Stock:
    """How many of each class are held, by the skills that got, made and used them.

    :param skills: of the server; nothing is counted where none of them makes anything.
    """

    def __init__(self, skills: Skills) -> None:
        #: Whether this server makes things at all.
        self.are_told = bool(skills.of_kind(SkillKind.MAKE))
        self.stock: Counter[str] = Counter()

    def note(self, skill: Skill) -> None:
        """Count what a skill that succeeded has got, made and used up."""
        if not self.are_told:
            return
        recipe = recipe_of(skill)
        if recipe is not None:
            self.stock[recipe.made.name] += recipe.made.number
            for part in recipe.used:
                self.stock[part.name] = max(0, self.stock[part.name] - part.number)
        for got in got_by(skill):
            self.stock[got.name] += got.number

    def correct(self, held: Iterable[str]) -> None:
        """Know what is held as the world tells it: of a name perhaps more than one."""
        told = Counter(class_and_number(name)[0] for name in held)
        self.stock = Counter({name: max(self.stock[name], told[name]) for name in told})


class Recipes(Stock):
    """All recipes that were told, and how many of each class are held."""

    def __init__(self, skills: Skills) -> None:
        super().__init__(skills)
        self._skills = skills
        self._told: dict[str, Recipe] = {}
        #: What can be got without a recipe, with the skill types that get it.
        self._got: dict[str, None] = {}

    def learn(self, text: str, offered: Collection[str]) -> None:
        """Take in recipes. :param text: of the world. :param offered: skills that can be done."""
        if not self.are_told:
            return
        for line in (*map(str.strip, text.splitlines()), *offered):
            if line in self._told or len(self._told) == _MOST:
                continue
            skill = self._skills.parse(line)
            recipe = None if skill is None else recipe_of(skill)
            if recipe is not None:
                self._told[line] = recipe
        for one in offered:
            skill = self._skills.parse(one)
            if skill is not None:
                self._got.update(dict.fromkeys(got.name for got in got_by(skill)))

    def tell_of(self, name: str) -> bool:
        """Whether a recipe makes a thing."""
        return any(recipe.made.name == name for recipe in self._told.values())

    def way_to(self, wanted: str, count: int, offered: Collection[Skill]) -> tuple[Step, ...]:
        """What is got and made in turn, so that so many of a thing are held in the end.

        Only the first step is sure to be possible now. () where enough is held, and where no way
        is known.
        """
        unfit: set[tuple[str, str, str]] = set()
        for _ in range(_MOST_TRIES):
            way = _Way(self._told, self._got, self.stock, offered, unfit)
            try:
                way.need(wanted, count, ())
            except _Unfit as sorts:
                unfit |= sorts.args[0]
            except LookupError:
                break
            else:
                return tuple(way.steps)
        return ()


class _Unfit(LookupError):
    """Everything is there, and the world does not offer to make a thing of these sorts."""


class _Way:
    """The easiest way to a thing.

    :param unfit: what is made, its part that names a sort, and what is not to be taken for it.
    """

    def __init__(
        self,
        told: Mapping[str, Recipe],
        gettable: Collection[str],
        held: Counter[str],
        offered: Collection[Skill],
        unfit: set[tuple[str, str, str]],
    ) -> None:
        self.steps: list[Step] = []
        self._free = held.copy()
        self._unfit = unfit
        self._now: dict[Recipe, Skill] = {}
        self._got: dict[str, list[tuple[int, Skill]]] = {}
        for skill in offered:
            recipe = recipe_of(skill)
            if recipe is not None:
                self._now.setdefault(recipe, skill)
            for got in got_by(skill):
                self._got.setdefault(got.name, []).append((got.number, skill))
        self._recipes = tuple(told.values())
        names = (*sorted(gettable), *(one.made.name for one in self._recipes), *held)
        self._names = dict.fromkeys(names)
        parts = {part.name for one in self._recipes for part in one.used}
        self._sorts = {part: self._sorts_of(part) for part in sorted(parts)}
        self._best: dict[str, Recipe] = {}
        self._efforts = self._weighed(gettable)

    def _sorts_of(self, part: str) -> list[str]:
        if part in self._names:
            return [part]
        last = part.split()[-1]
        return [name for name in self._names if name.split()[-1] == last] or [part]

    def _weighed(self, gettable: Collection[str]) -> dict[str, float]:
        """How many skills one of each takes. That of a thing is above those of its parts, so
        nothing is made of itself.
        """
        made = {one.made.name for one in self._recipes}
        efforts = {
            name: _UNKNOWN for sorts in self._sorts.values() for name in sorts if name not in made
        }
        ready = (name for name in self._names if name not in made or name in self._got)
        efforts.update((name, 1.0) for name in ready if name in gettable or name in self._free)
        for _ in range(_DEEPEST):
            before = dict(efforts)
            for recipe in self._recipes:
                effort = 1 + sum(part.number * self._effort(part, efforts) for part in recipe.used)
                if effort < efforts.get(recipe.made.name, inf):
                    efforts[recipe.made.name] = effort
                    self._best[recipe.made.name] = recipe
            if efforts == before:
                break
        return efforts

    def _effort(self, part: Amount, efforts: Mapping[str, float]) -> float:
        return min(efforts.get(name, inf) for name in self._sorts[part.name])

    def need(self, wanted: str, count: int, made: tuple[str, ...]) -> str:
        """Add the steps after which so many are there for this; answers the sort that is taken.

        :param made: what is made of it, and what of that, up to what is wanted.
        :raises LookupError: no way is known.
        """
        sorts = self._sorts.get(wanted, [wanted])
        fit = [one for one in sorts if (''.join(made[-1:]), wanted, one) not in self._unfit]
        if not fit or len(made) == _DEEPEST:
            raise LookupError(wanted)
        name = min(fit, key=lambda one: (self._free[one] < count, self._efforts.get(one, inf)))
        missing = count - self._free[name]
        self._free[name] -= count
        recipe = self._best.get(name)
        while missing > 0:
            if recipe is None or name in made:
                missing -= self._get(name, missing)
            else:
                self._make(recipe, (*made, name))
                missing -= recipe.made.number
                self._free[name] += recipe.made.number
        return name

    def _make(self, recipe: Recipe, made: tuple[str, ...]) -> None:
        begun = len(self.steps)
        taken = tuple(
            Amount(self.need(part.name, part.number, made), part.number) for part in recipe.used
        )
        skill = self._now.get(Recipe(recipe.made, taken))
        if skill is None and len(self.steps) == begun == 0:
            # All that it is made of is there, and it is not offered.
            unfit = {
                (made[-1], part.name, one.name)
                for part, one in zip(recipe.used, taken, strict=True)
                if part != one
            }
            raise _Unfit(unfit) if unfit else LookupError(made[-1])
        self.steps.append(Step(skill, recipe.made.name))

    def _get(self, name: str, missing: int) -> int:
        """Get as many as are missing, or the most of them; answers how many."""
        ways = self._got.get(name, [])
        most = max((count for count, _ in ways if count <= missing), default=0)
        found = next(((n, skill) for n, skill in ways if n == most or not most), None)
        self.steps.append(Step(found[1] if found else None, name))
        number = found[0] if found else 1
        self._free[name] += number
        return number


class Filled(Protocol):
    """A skill with what stands in its slots."""

    @property
    def type(self) -> SkillType:
        """Its type."""

    @property
    def values(self) -> tuple[str, ...]:
        """What stands in its slots, in their order."""

    @property
    def kind(self) -> SkillKind:
        """What it does."""

    @property
    def has_gap(self) -> bool:
        """Whether somebody is still to write a number or a text in it."""


def recipe_of(skill: Filled) -> Recipe | None:
    """The recipe that a skill of kind MAKE tells; None for one that does not tell its parts."""
    if skill.kind is not SkillKind.MAKE or skill.has_gap:
        return None
    made, *used = [amounts for _, amounts in amounts_of(skill)] or [[]]
    parts = tuple(part for amounts in used for part in amounts)
    return Recipe(made[0], parts) if len(made) == 1 and parts else None


def got_by(skill: Skill) -> Iterator[Amount]:
    """What one holds after a skill that is no recipe."""
    if skill.has_gap or skill.kind in (SkillKind.TAKE, SkillKind.MAKE):
        return
    held = {
        fact.value for fact in skill.type.facts if fact.relation is Relation.HOLDING and fact.holds
    }
    for slot, amounts in amounts_of(skill):
        if slot in held:
            yield from amounts


def amounts_of(skill: Filled) -> Iterator[tuple[str, list[Amount]]]:
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
            amounts.append(Amount(class_and_number(name)[0], max(1, number)))
        told = 1
        yield slot.text, amounts
