"""The demonstrator of TextCraft: makes what is missing first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sim_bridge.worlds.textcraft.world import TextCraftWorld


class CraftDemonstrator:
    """Crafts what is missing first, one ingredient after another. :param world: with its task."""

    _CRAFT = re.compile(r'(?:craft|make) (?:(\d+) )?(.+?)(?: using .*| from these)?$')

    def __init__(self, world: TextCraftWorld) -> None:
        self._world = world

    def thought(self, goal: str) -> str:
        """What the goal is made of, and what of it has to be made."""
        item, amount = self._wanted(goal)
        needs = self._needs(item, amount)
        listed = ' and '.join(f'{need} {name}' for name, need in needs)
        missing = self._missing(needs)
        crafted = [name for name, _ in missing if self._world.is_made(name)]
        said = f'For {item} I need {listed}.'
        if crafted:
            return f'{said} I do not have {" and ".join(crafted)} yet, so I craft that first.'
        return f'{said} I get what is missing and craft it.' if missing else f'{said} I have that.'

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """Each ingredient that has to be made, then the thing itself."""
        item, amount = self._wanted(goal)
        missing = self._missing(self._needs(item, amount))
        made = [f'craft {need} {name}' for name, need in missing if self._world.is_made(name)]
        return (*made, f'make {item} from these') if made else ()

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next command of this goal."""
        item, amount = self._wanted(goal)
        count = self._world.recipe_for(item)[0].count
        crafted = count * sum(text.startswith(f'craft {count} {item} using ') for text in done)
        return '' if crafted >= amount else self._next(item)

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The next command; see the base."""
        return self.skill(goal, done)

    def _next(self, item: str) -> str:
        recipe, items = self._world.recipe_for(item)
        for name, amount in self._missing(self._needs(item, recipe.count)):
            if self._world.is_made(name):
                return self._next(name)
            return self._world.get_command(name, amount)
        return recipe.filled(items)

    def _wanted(self, goal: str) -> tuple[str, int]:
        found = self._CRAFT.match(goal.rstrip('.'))
        assert found, goal
        return found[2], int(found[1] or 1)

    def _needs(self, item: str, amount: int) -> list[tuple[str, int]]:
        recipe, items = self._world.recipe_for(item)
        batches = -(-amount // recipe.count)
        pairs = zip(items, recipe.ingredients, strict=True)
        return [(name, each * batches) for name, (_, each) in pairs]

    def _missing(self, needs: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
        return [(name, need) for name, need in needs if self._world.amount_of(name) < need]
