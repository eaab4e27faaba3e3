"""What is made of what, as far as the world has told it by skills that make something."""

from __future__ import annotations

from collections.abc import Iterable

from reactree_core.skill_types import SkillKind
from reactree_planner.agents.skills import Skill
from reactree_planner.agents.skills import SkillBook
from reactree_planner.instructions.names import Names

#: Recipes that are kept; a world may tell thousands.
_MOST = 2000


class Recipes:
    """Skills of kind MAKE in texts of the world: `saw 4 plank from 1 trunk` tells a recipe.

    The first slot of such a skill is what is made, the others are what it is made of.

    :param skills: of the server. :param names: of the same server.
    """

    def __init__(self, skills: SkillBook, names: Names) -> None:
        self._skills = skills
        self._names = names
        self._are_told = bool(skills.of_kind(SkillKind.MAKE))
        #: Lines that tell those that are known.
        self._lines: set[str] = set()
        #: Names of what is made, and of what it is made of.
        self._told: list[tuple[frozenset[str], frozenset[str]]] = []

    def learn(self, text: str, offered: Iterable[str]) -> None:
        """Take in recipes. :param text: of the world. :param offered: skills that can be done."""
        if not self._are_told:
            return
        for line in (*map(str.strip, text.splitlines()), *offered):
            if line in self._lines or len(self._told) == _MOST:
                continue
            skill = self._skills.parse(line)
            if skill is not None and skill.kind is SkillKind.MAKE and len(skill.values) > 1:
                self._lines.add(line)
                made, *used = skill.values
                self._told.append((self._names_in((made,)), self._names_in(used)))

    def needed_for(self, wanted: Iterable[str]) -> frozenset[str]:
        """Names of what is wanted and of all that it is made of; none where no recipe makes it.

        :param wanted: names of the server.
        """
        needed = {name for name in wanted if any(_meets(made, (name,)) for made, _ in self._told)}
        size = -1
        while len(needed) > size:
            size = len(needed)
            for made, used in self._told:
                if _meets(made, needed):
                    needed |= used
        return frozenset(needed)

    def makes(self, skill: Skill, needed: Iterable[str]) -> bool:
        """Whether a skill makes something needed, or what may be a sort of it: "larch plank" where
        a plank, or a "dry plank", is needed.
        """
        return _meets(self._names_in(skill.values[:1]), needed)

    def _names_in(self, values: Iterable[str]) -> frozenset[str]:
        return frozenset(one.name for value in values for one in self._names.find_all(value))


def _meets(made: Iterable[str], needed: Iterable[str]) -> bool:
    heads = {one.split()[-1] for one in needed}
    return any(one.split()[-1] in heads for one in made)
