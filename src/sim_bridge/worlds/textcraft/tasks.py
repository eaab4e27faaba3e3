"""Tasks of TextCraft: from ADaPT's texts, or drawn from a book of recipes by a seed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated

from pydantic import ConfigDict, Field

from reactree_core.errors import ConfigurationError
from reactree_core.observation import WorldTask
from reactree_core.written_files import path_of, read_file, Written
from sim_bridge.worlds.task_names import GENERATED
from sim_bridge.worlds.textcraft.recipes import MINECRAFT, read_command, Recipe, RecipeBook

#: Depth of a tree of crafts -> family of tasks.
FAMILIES = {2: 'depth_2', 3: 'depth_3', 4: 'depth_4'}
#: Recipes that are shown beside those of the goal's tree, at most (published).
_DISTRACTORS = 10
_LARGEST_FILE = 16 * 1024**2
_BEGIN = 'Crafting commands:'


@dataclass(frozen=True, slots=True, kw_only=True)
class CraftTask(WorldTask):
    """Something to make.

    :param item: what. :param commands: recipes that are shown, in their order.
    """

    item: str
    commands: tuple[str, ...]

    @property
    def shown(self) -> str:
        """What is read first, but for the goal."""
        return '\n'.join((_BEGIN, *self.commands)) + '\n'

    @property
    def first_text(self) -> str:
        """What is read first, as published."""
        return f'{self.shown}\nGoal: craft {self.item}.'


class WrittenTask(Written):
    """A task of ADaPT's files."""

    model_config = ConfigDict(extra='ignore')

    env: str = ''
    goal: str = Field(min_length=1)
    commands: str = Field(min_length=1)


def tasks_of_file(path: Path) -> tuple[CraftTask, ...]:
    """Tasks of a JSON file as ADaPT's program logs them: `env`, `goal`, `commands`.

    :raises ConfigurationError: it cannot be read, or is no such file.
    """
    form = 'must be a list of tasks with "env", "goal" and "commands"'
    kind = Annotated[list[WrittenTask], Field(min_length=1)]
    written = read_file(path, kind, form=form, largest=_LARGEST_FILE)
    return tuple(_task_of(entry, index, path) for index, entry in enumerate(written))


def task_of_file(text: str, seed: int) -> CraftTask:
    """A task by the path of its file, with '#<env>' for one of several. :param seed: chooses.

    :raises ConfigurationError: there is none.
    """
    path, _, name = text.partition('#')
    place = path_of(path)
    if place is None or not place.is_file():
        raise ConfigurationError(
            f'there is no task {text!r}: write generated:<seed>, one of '
            f'{", ".join(FAMILIES.values())} with :<seed>, or the path of a JSON file of tasks'
        )
    tasks = [found for found in tasks_of_file(place) if name in ('', found.task_id)]
    if not tasks:
        raise ConfigurationError(f'the task file {place} has no task {name!r}')
    return tasks[seed % len(tasks)]


def _task_of(entry: WrittenTask, index: int, path: Path) -> CraftTask:
    lines = [line.strip() for line in entry.commands.splitlines()]
    commands = tuple(line for line in lines if line and line != _BEGIN)
    recipes = [read_command(line) for line in commands]
    wrong = [line for line, recipe in zip(commands, recipes, strict=True) if recipe is None]
    goal = entry.goal.strip().removeprefix('Goal: ').rstrip('.')
    if wrong or not commands or not goal.startswith('craft '):
        says = f'{wrong[0]!r} is no crafting command' if wrong else 'goal is no "craft ITEM."'
        raise ConfigurationError(f'{path}, task {index}: {says}')
    item = goal.removeprefix('craft ')
    if item not in [recipe.result for recipe in recipes if recipe]:
        raise ConfigurationError(f'{path}, task {index}: no command makes its goal, {item}')
    name = entry.env or f'task {index}'
    return CraftTask(
        task_id=name,
        task_type='craft',
        instruction=f'craft {item}',
        scene=MINECRAFT,
        item=item,
        commands=commands,
    )


def drawn_task(book: RecipeBook, family: str, seed: int) -> CraftTask:
    """A task of a family, or of any, from a book.

    :raises ConfigurationError: the book has nothing as deep as that.
    """
    by_depth = defaultdict(list)
    for item in sorted(book.items):
        by_depth[FAMILIES.get(book.depth(item), '')].append(item)
    goals = {name: by_depth[name] for name in FAMILIES.values() if by_depth[name]}
    if family != GENERATED:
        goals = {family: goals.get(family, [])}
    random = Random(f'textcraft {family} {seed}')
    # All depths are as likely, as there are many more shallow goals than deep ones.
    kind = random.choice(sorted(goals)) if goals else family
    if not goals.get(kind):
        raise ConfigurationError(
            f'there is nothing to craft of {family}: choose another family or other recipes'
        )
    item = random.choice(goals[kind])
    gold = [recipe.command for recipe in book.tree_of(item)]
    shown = gold + _distractors(book, item, gold, random)
    random.shuffle(shown)
    return CraftTask(
        task_id=f'{family}:{seed}',
        task_type=kind,
        instruction=f'craft {item}',
        item=item,
        commands=tuple(shown),
    )


def _distractors(book: RecipeBook, item: str, gold: list[str], random: Random) -> list[str]:
    """Other uses of what the goal's tree needs: up to 10 of each, and 10 of all (published)."""
    uses: dict[str, list[str]] = defaultdict(list)
    for recipe in book.recipes:
        for name, _ in recipe.ingredients:
            uses[name].append(recipe.command)
    names = dict.fromkeys(name for recipe in book.tree_of(item) for name, _ in recipe.ingredients)
    found: dict[str, None] = {}
    for name in names:
        found.update(dict.fromkeys(random.sample(uses[name], min(10, len(uses[name])))))
    others = [command for command in found if command not in gold]
    return random.sample(others, min(_DISTRACTORS, len(others)))


def book_of(task: CraftTask, recipes: tuple[Recipe, ...]) -> RecipeBook:
    """The book in which a task's shown recipes hold: they are read first.

    What the goal's tree needs and no shown recipe makes can be got, as where the task was made.

    :raises ConfigurationError: a shown recipe is none of these.
    """
    known = {recipe.command: recipe for recipe in recipes}
    missing = [command for command in task.commands if command not in known]
    if missing:
        raise ConfigurationError(
            f'the recipes that are loaded have no {missing[0]!r}: name the folder of recipes that '
            'the tasks were made from as scene'
        )
    shown = [known[command] for command in task.commands]
    tree = RecipeBook(shown).tree_of(task.item)
    made = {name for recipe in tree for name in (recipe.result, recipe.kind)}
    base = {name for recipe in tree for name, _ in recipe.ingredients} - made
    others = (recipe for recipe in recipes if recipe not in shown)
    return RecipeBook([*shown, *(recipe for recipe in others if recipe.result not in base)])
