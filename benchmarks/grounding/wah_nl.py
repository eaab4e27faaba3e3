"""WAH-NL's training instructions, with the goals that their gold plans reach.

Files are the user's: `wah_examples_for_prompt_default.json` of LoTa-Bench, and a folder with
apartments of Watch-And-Help (`graph_env_setup_*.json`), whose names are those of our household.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.grounding.conditions import read_wanted
from benchmarks.grounding.phrasings import Half, Phrasing
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.household.tasks.wah_files import PREFIX, read_task, WahTask
from sim_bridge.worlds.household.world import HouseholdWorld

_FILE = 'wah_examples_for_prompt_default.json'
_APARTMENTS = 'graph_env_setup_*.json'
#: Tasks by index that whole runs are measured on, of all lengths and long ones: in no development.
_MEASURED = frozenset(
    (11, 35, 41, 44, 63, 65, 66, 115, 119, 155, 172, 177, 194, 198, 203, 210, 224, 243, 245, 247)
) | frozenset((6, 18, 58, 64, 74, 82, 90, 150, 180, 227))


def read_wah_nl(folder: Path, graphs: Path, every: int = 1) -> tuple[Phrasing, ...]:
    """All wordings of all tasks, each in an apartment that has what its goal needs.

    :param folder: with the instructions. :param graphs: with the apartments. :param every: 1 for
        all tasks; more for the first, and one of so many.
    :raises ConfigurationError: a file is missing or is something else.
    """
    file = folder / _FILE
    apartments = sorted(graphs.glob(_APARTMENTS))
    if not file.is_file() or not apartments:
        raise ConfigurationError(
            f'{file} and {graphs / _APARTMENTS} are needed: name the folder of WAH-NL with --wah '
            "and that of Watch-And-Help's apartments with --graphs"
        )
    phrasings = []
    world = HouseholdWorld()
    vocabularies: dict[Vocabulary, Vocabulary] = {}
    for index, entry in enumerate(json.loads(file.read_text(encoding='utf-8'))):
        if index % every:
            continue
        name = f'{file}#index:{index}'
        task = read_task(entry, name, f'{file}, task {index}', folder)
        half = Half.HELD_OUT if index % 2 or index in _MEASURED else Half.DEVELOPMENT
        conditions, places = _goal(task)
        wanted = read_wanted(
            conditions, [f'{place} is {state}' for place in places for state in ('closed', 'open')]
        )
        world.reset(str(apartments[index % len(apartments)]), f'{PREFIX}{name}', index)
        vocabulary = world.vocabulary()
        vocabulary = vocabularies.setdefault(vocabulary, vocabulary)
        phrasings += [Phrasing(text, wanted, half, vocabulary) for text in task.instructions]
    return tuple(phrasings)


def _goal(task: WahTask) -> tuple[list[str], list[str]]:
    """Conditions of a goal, and the names of its places."""
    conditions, places = [], []
    for key, count in task.goal.items():
        relation, *classes = key.split('_')
        names = [name_of(one) for one in classes]
        places.append(names[-1])
        if relation == 'turnOn':
            conditions.append(f'{names[0]} is on')
        else:
            conditions.append(f'{count if count > 1 else ""} {names[0]} in {names[-1]}'.strip())
    return conditions, list(dict.fromkeys(places))
