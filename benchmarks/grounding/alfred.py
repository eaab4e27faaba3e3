"""ALFRED's annotations of validation tasks, with the goals that its parameters say.

Files are the user's: `valid_index.json`, a list of tasks with `pddl_params`, `floor_plan`,
`task_descs` and `high_pddl`, and a folder with `FloorPlan*-objects.json`, the classes of each
floor plan. Skills are those of our ALFWorld world, names as that has them (`desklamp`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.grounding.conditions import read_wanted
from benchmarks.grounding.phrasings import Half, Phrasing
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from sim_bridge.worlds.alfworld.skills import SKILL_TYPES
from sim_bridge.worlds.thor.classes import words_for

_FILE = 'valid_index.json'
#: What the robot can take, as far as ALFRED's tasks and their scenes have it.
_MOVABLE = """
    alarmclock apple baseballbat basketball book bowl box bread butterknife candle cd cellphone
    cloth creditcard cup dishsponge egg fork glassbottle handtowel kettle keychain knife ladle
    laptop lettuce mug newspaper pan papertowelroll pen pencil peppershaker pillow plate plunger
    pot potato remotecontrol saltshaker scrubbrush soapbar soapbottle spatula spoon spraybottle
    statue teddybear tennisracket tissuebox toiletpaper tomato towel vase watch wateringcan
    winebottle
"""
#: Where it can put things, without those that can be taken themselves.
_PLACES = """
    armchair bathtubbasin bed cabinet cart coffeemachine coffeetable countertop desk diningtable
    drawer dresser fridge garbagecan handtowelholder laundryhamper microwave ottoman safe shelf
    sidetable sinkbasin sofa stoveburner toaster toilet toiletpaperhanger towelholder tvstand
"""
_LAMPS = frozenset(('desklamp', 'floorlamp'))
_STATES = {'clean': 'clean', 'heat': 'hot', 'cool': 'cool'}


def read_alfred(folder: Path, layouts: Path) -> tuple[Phrasing, ...]:
    """All annotations of all tasks, each with the classes of its floor plan.

    :param folder: with the index. :param layouts: with the classes of the floor plans.
    :raises ConfigurationError: a file is missing.
    """
    file = folder / _FILE
    try:
        tasks = json.loads(file.read_text(encoding='utf-8'))
        vocabularies = {
            name: vocabulary_of(layouts / f'{name}-objects.json')
            for name in {str(task['floor_plan']) for task in tasks}
        }
    except OSError as error:
        raise ConfigurationError(
            f"{error.filename} cannot be read: name the folder of ALFRED's tasks with --alfred "
            'and that of its floor plans with --layouts'
        ) from error
    phrasings = []
    for index, task in enumerate(tasks):
        wanted = read_wanted(_goal(task), _further(task))
        half = Half.HELD_OUT if index % 2 else Half.DEVELOPMENT
        vocabulary = vocabularies[task['floor_plan']]
        texts = dict.fromkeys(text.strip() for text in task['task_descs'])
        phrasings += [Phrasing(text, wanted, half, vocabulary) for text in texts if text]
    return tuple(phrasings)


def _goal(task: Mapping[str, Any]) -> list[str]:
    """Conditions of a task; see the published goal tests."""
    told = task['pddl_params']
    names = ('object_target', 'parent_target', 'mrecep_target', 'toggle_target')
    thing, place, container, lamp = (str(told[name]).lower() for name in names)
    family = str(task['task_type'])
    conditions = [f'{thing} is sliced'] if told['object_sliced'] else []
    if lamp:
        return [f'holding {thing}', f'{lamp} is on', *conditions]
    conditions += [
        f'{thing} is {state}'
        for verb, state in _STATES.items()
        if family.startswith(f'pick_{verb}_')
    ]
    if container:
        return [*conditions, f'{thing} in {container}', f'{container} in {place}']
    count = '2 ' if family.startswith('pick_two_') else ''
    return [*conditions, f'{count}{thing} in {place}']


def _further(task: Mapping[str, Any]) -> list[str]:
    """What else people may tell: wherever the plan puts something, or switches a lamp on."""
    told = task['pddl_params']
    thing, place = str(told['object_target']).lower(), str(told['parent_target']).lower()
    puts = [words for verb, words in task['high_pddl'] if verb == 'PutObject']
    # What is in a container is where the container is.
    through = [f'{thing} in {place}'] if told['mrecep_target'] else []
    lamps = [f'at {told["toggle_target"].lower()}'] if told['toggle_target'] else []
    return [*(f'{one} in {other}' for one, other in puts), *through, *lamps]


@cache
def vocabulary_of(file: Path) -> Vocabulary:
    """What the robot can do on a floor plan. :param file: with the classes that are there."""
    classes = {name.lower() for name in json.loads(file.read_text(encoding='utf-8'))}
    return Vocabulary(
        tuple(skill.template for skill in SKILL_TYPES),
        tuple(_MOVABLE.split()),
        tuple(sorted(classes.intersection(_PLACES.split()))),
        (),
        SKILL_TYPES,
        tuple(sorted(classes & _LAMPS)),
        words_for((*_MOVABLE.split(), *sorted(classes))),
    )
