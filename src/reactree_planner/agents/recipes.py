"""What is made of what, as far as the world has told it by skills that make something, and what
is to be got or made next on the way to a thing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set
from itertools import chain
from math import inf
from typing import NamedTuple

from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SlotType
from reactree_planner.agents.skills import Skill
from reactree_planner.agents.skills import SkillBook
from reactree_planner.instructions.names import Names

#: Recipes that are kept; a world may tell thousands.
_MOST = 2000
#: Skills that what is not offered, and no recipe makes, may take.
_UNKNOWN = 100.0
#: Recipes that follow from each other on the way to one thing.
_DEEPEST = 100
#: Times that other sorts are looked for, where those that are there are not offered to be used.
_MOST_TRIES = 32
_BETWEEN = re.compile(r',\s*(?:and\s+)?|\s+and\s+(?=\d)')
_COUNTED = re.compile(r'(\d{1,6}) (\S.*)')


class _Amount(NamedTuple):
    name: str
    number: int


class _Recipe(NamedTuple):
    """What a skill makes, and of what. A name may stand for a sort: "plank" for "larch plank"."""

    made: _Amount
    used: tuple[_Amount, ...]


#: What is made, its part that names only a sort, and what was taken for that.
_Taken = tuple[tuple[str, ...], str, str]


class Recipes:
    """Skills of kind MAKE in texts of the world: `saw 4 plank from 1 trunk` tells a recipe.

    The first slot of such a skill is what is made, the others are what it is made of.

    :param skills: of the server. :param names: of the same server.
    """

    def __init__(self, skills: SkillBook, names: Names) -> None:
        self._skills = skills
        self._names = names
        self._are_told = bool(skills.of_kind(SkillKind.MAKE))
        #: By the lines that tell them.
        self._told: dict[str, _Recipe] = {}
        #: Names of the world in each: in what is made, and in what it is made of.
        self._named: dict[_Recipe, tuple[frozenset[str], frozenset[str]]] = {}
        #: What could be got at some time in the run.
        self._got: set[str] = set()
        #: How many of each are held, by the skills that got, made and used them.
        self._stock: Counter[str] = Counter()

    def learn(self, text: str, offered: Sequence[str]) -> None:
        """Take in recipes. :param text: of the world. :param offered: skills that can be done."""
        if not self._are_told:
            return
        for line in (*map(str.strip, text.splitlines()), *offered):
            if line in self._told or len(self._told) == _MOST:
                continue
            skill = self._skills.parse(line)
            recipe = None if skill is None else _recipe_of(skill)
            if recipe is not None:
                self._told[line] = recipe
                self._named[recipe] = self._names_in((recipe.made,)), self._names_in(recipe.used)
        for skill in self._skills.parse_all(offered):
            self._got.update(got.name for got in _got_by(skill))

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

    def needed_for(self, wanted: Iterable[str]) -> frozenset[str]:
        """Names of what is wanted and of all that it is made of; none where no recipe makes it.

        :param wanted: names of the server.
        """
        told = tuple(self._named.values())
        needed = {name for name in wanted if any(_meets(made, (name,)) for made, _ in told)}
        size = -1
        while len(needed) > size:
            size = len(needed)
            for made, used in told:
                if _meets(made, needed):
                    needed |= used
        return frozenset(needed)

    def makes(self, skill: Skill, needed: Iterable[str]) -> bool:
        """Whether a skill makes something needed, or what may be a sort of it: "larch plank" where
        a plank, or a "dry plank", is needed.
        """
        recipe = _recipe_of(skill)
        return recipe is not None and _meets(self._names_in((recipe.made,)), needed)

    def _names_in(self, amounts: Iterable[_Amount]) -> frozenset[str]:
        return frozenset(
            one.name for amount in amounts for one in self._names.find_all(amount.name)
        )

    def tell_of(self, name: str) -> bool:
        """Whether a recipe makes a thing."""
        return any(recipe.made.name == name for recipe in self._told.values())

    def correct(self, held: Iterable[str]) -> None:
        """Know what is held as the world tells it: of a name perhaps more than one."""
        told = Counter(class_and_number(name)[0] for name in held)
        self._stock = Counter({name: max(self._stock[name], told[name]) for name in told})

    def stock_of(self, name: str) -> int:
        """How many of a class are held."""
        return self._stock[name]

    def next_step(
        self, wanted: str, count: int, offered: Sequence[Skill]
    ) -> tuple[Skill, str] | None:
        """What is to be got or made next, so that so many of a thing are held in the end, and what
        is made of that; '' of the thing itself.

        None where they are held, and where no way is known on which something is offered now.
        """
        unfit: set[_Taken] = set()
        for _ in range(_MOST_TRIES):
            way = _Way(self._told.values(), self._got, self._stock.copy(), offered, unfit)
            try:
                return way.step_to(wanted, count)
            except _Unfit as sorts:
                unfit |= sorts.args[0]
            except LookupError:
                break
        return None


class _Unfit(LookupError):
    """Everything is there, and the world does not offer to make a thing of these sorts."""


class _Way:
    """The easiest way to a thing, with what is held and offered now.

    :param gettable: what needs no recipe. :param held: how many of each; what a part of the way
        needs is taken out.
    :param unfit: sorts that are not taken.
    """

    def __init__(
        self,
        recipes: Iterable[_Recipe],
        gettable: Set[str],
        held: Counter[str],
        offered: Sequence[Skill],
        unfit: Set[_Taken],
    ) -> None:
        self._free = held
        self._unfit = unfit
        self._made: dict[_Recipe, Skill] = {}
        self._got: dict[str, list[tuple[int, Skill]]] = {}
        for skill in offered:
            if (recipe := _recipe_of(skill)) is not None:
                self._made.setdefault(recipe, skill)
            for got in _got_by(skill):
                self._got.setdefault(got.name, []).append((got.number, skill))
        self._recipes = tuple(recipes)
        self._names = dict.fromkeys(
            # In one order in every process: a resumed run decides as the first one did.
            (*sorted(gettable), *(recipe.made.name for recipe in self._recipes), *held)
        )
        parts = {part.name for recipe in self._recipes for part in recipe.used}
        #: By the name of a part, names of what may be taken for it.
        self._sorts = {part: self._sorts_of(part) for part in parts}
        #: How the easiest way to a thing ends.
        self._best: dict[str, _Recipe] = {}
        self._efforts = self._weighed(gettable)

    def _sorts_of(self, part: str) -> list[str]:
        if part in self._names:
            return [part]
        return [name for name in self._names if _is_sort_of(name, part)] or [part]

    def _weighed(self, gettable: Set[str]) -> dict[str, float]:
        """How many skills one of each takes. That of a thing is above those of its parts, so
        nothing is made of itself.
        """
        made = {recipe.made.name for recipe in self._recipes}
        parts = {name: _UNKNOWN for sorts in self._sorts.values() for name in sorts}
        efforts = {name: effort for name, effort in parts.items() if name not in made}
        efforts.update(
            (name, 1.0) for name in self._names if name not in made or name in self._got
        )
        for _ in range(_DEEPEST):
            before = dict(efforts)
            for recipe in self._recipes:
                name = recipe.made.name
                effort = 1 + sum(
                    part.number * self._effort_of(part, efforts) for part in recipe.used
                )
                if effort < efforts.get(name, inf):
                    efforts[name], self._best[name] = effort, recipe
            if efforts == before:
                break
        return efforts

    def _effort_of(self, part: _Amount, efforts: Mapping[str, float]) -> float:
        return min(efforts.get(name, inf) for name in self._sorts[part.name])

    def step_to(self, wanted: str, count: int) -> tuple[Skill, str] | None:
        """The next skill and what needs it; None where there is enough.

        :raises LookupError: no way is known on which something is offered.
        """
        step, _ = self._step_to(_Amount(wanted, count), ())
        return step

    def _step_to(
        self, part: _Amount, made: tuple[str, ...]
    ) -> tuple[tuple[Skill, str] | None, str]:
        """The next skill and what needs it, or None, and which sort is taken.

        :param made: what is made of it, and what of that, up to what is wanted.
        """

        def ease(name: str) -> tuple[bool, float]:
            return self._free[name] < part.number, self._efforts.get(name, inf)

        sorts = self._sorts.get(part.name, [part.name])
        fit = [name for name in sorts if (made[-1:], part.name, name) not in self._unfit]
        if not fit or len(made) == _DEEPEST:
            raise LookupError(part.name)
        name = min(fit, key=ease)
        enough = min(self._free[name], part.number)
        self._free[name] -= enough
        missing = part.number - enough
        if not missing:
            return None, name
        recipe, needed_by = self._best.get(name), ''.join(made[-1:])
        if recipe is None:
            return (self._getting(name, missing), needed_by), name
        taken = []
        for one in recipe.used:
            step, sort = self._step_to(one, (*made, name))
            if step is not None:
                return step, name
            taken.append(_Amount(sort, one.number))
        filled = _Recipe(recipe.made, tuple(taken))
        if filled in self._made:
            return (self._made[filled], needed_by), name
        pairs = zip(recipe.used, filled.used, strict=True)
        unfit = {((name,), one.name, sort.name) for one, sort in pairs if one != sort}
        raise _Unfit(unfit) if unfit else LookupError(name)

    def _getting(self, name: str, missing: int) -> Skill:
        """The skill that gets as many as are missing, or the most of them."""
        ways = self._got[name]
        most = max((count for count, _ in ways if count <= missing), default=0)
        return next(skill for count, skill in ways if count == most or not most)


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


def _meets(made: Iterable[str], needed: Iterable[str]) -> bool:
    return any(_is_sort_of(name, one) for name in made for one in needed)


def _is_sort_of(name: str, other: str) -> bool:
    """Whether a name may mean a sort of another: both end in the same word."""
    return name.split()[-1] == other.split()[-1]
