"""Houses and tasks by the texts of a reset."""

from __future__ import annotations

import re
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import path_of
from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.procworld.goals import TYPES
from sim_bridge.worlds.procworld.house_file import read_house
from sim_bridge.worlds.procworld.tasks import (
    EVEN,
    HouseTask,
    Pool,
    pool_of,
    PUBLISHED,
    TASKS_OF_A_HOUSE,
    VALIDATION_HOUSES,
)
from sim_bridge.worlds.task_names import GENERATED

VALIDATION, PUBLISHED_MIX, TRAINING = 'validation', 'published_mix', 'training'
#: Sets of 72 tasks in each validation house, with the mix of their types.
COUNTED = {VALIDATION: EVEN, PUBLISHED_MIX: PUBLISHED}
TRAINING_HOUSES = range(1000, 6000)
_SCENE = re.compile(r'(?:generated|procworld):(\d{1,18})')
_NAME = re.compile(r'(?:procworld:)?(\d{1,18})/([a-z_]+)/(\d{1,6})')
_NUMBERED = re.compile(r'([a-z_]+):(\d{1,18})')
_KINDS = (GENERATED, *COUNTED, TRAINING, *TYPES)
_FORMS = (
    f'{GENERATED}:<n>, <type>:<n>, {VALIDATION}:<n>, {PUBLISHED_MIX}:<n>, {TRAINING}:<n>, '
    'procworld:<house seed>/<type>/<n>, or a sentence'
)


def named(scene: str, task: str, seed: int) -> tuple[Pool, HouseTask | None]:
    """The house of a reset, with all its tasks, and the task; see `ProcWorldWorld.reset`.

    :raises ConfigurationError: there is no such house or task.
    """
    pool = _pool_of_scene(scene) if scene else None
    if not scene and not task:
        task = f'{GENERATED}:{seed}'
    file = house_file(task)
    if file is not None:
        pool = Pool(read_house(file), file.stem)
        chosen = pool.chosen()
        if not chosen:
            raise ConfigurationError(f'the house of {file} has what no task needs')
        return pool, pool.task(*chosen[seed % len(chosen)])
    found = named_task(task, pool) if task else None
    return found or (pool or pool_of(seed), None)


def is_name(text: str) -> bool:
    """Whether a text is the name of a task with its house: '7/pick_two_obj_and_place/3'."""
    return _NAME.fullmatch(text) is not None


def named_task(text: str, pool: Pool | None) -> tuple[Pool, HouseTask] | None:
    """A task by its text, and the tasks of its house; None for a sentence.

    :param pool: of the house that is asked for; None takes that of the task.
    :raises ConfigurationError: there is no such task, or it belongs to another house.
    """
    full = _NAME.fullmatch(text)
    if full:
        return _in_its_house(pool, int(full[1]), full[2], int(full[3]))
    numbered = _NUMBERED.fullmatch(text)
    kind, colon, _ = text.partition(':')
    # No sentence begins with a word of ours and a colon: a mistake in a number is given.
    if numbered is None and not (colon and kind in ('procworld', *_KINDS)):
        return None
    if numbered is None or kind not in _KINDS:
        raise ConfigurationError(
            f'there is no task {text!r:.200}: write {_FORMS}; types are {", ".join(TYPES)}'
        )
    number = int(numbered[2])
    if kind in COUNTED:
        seed, place = divmod(number, TASKS_OF_A_HOUSE)
        if seed not in VALIDATION_HOUSES:
            raise ConfigurationError(
                f'there is no task {text}: the set has {kind}:0 to '
                f'{kind}:{len(VALIDATION_HOUSES) * TASKS_OF_A_HOUSE - 1}'
            )
        drawn = pool_of(seed).chosen(COUNTED[kind])
        return _in_its_house(pool, seed, *drawn[place % len(drawn)])
    return _drawn(pool, kind, number)


def _in_its_house(
    pool: Pool | None, seed: int, task_type: str, number: int
) -> tuple[Pool, HouseTask]:
    own = pool_of(seed)
    if pool is not None and pool.house != own.house:
        raise ConfigurationError(
            f'the task procworld:{seed}/{task_type}/{number} brings the house generated:{seed} '
            'along: name no other scene'
        )
    return own, own.task(task_type, number)


def _drawn(pool: Pool | None, kind: str, number: int) -> tuple[Pool, HouseTask]:
    """A task of one type or any: in the house that is asked for, or a training house."""
    round_, offset = divmod(number, len(TRAINING_HOUSES))
    for step in range(1 if pool else len(TRAINING_HOUSES)):
        here = pool or pool_of(TRAINING_HOUSES[(offset + step) % len(TRAINING_HOUSES)])
        if types := here.types(kind):
            task_type = SeededRandom(number, f'procworld {kind} task').weighted(types)
            place = (number if pool else round_) % here.size(task_type)
            return here, here.task(task_type, place)
    where = 'the house has not' if pool else 'no training house has'
    raise ConfigurationError(
        f'{where} what a task of {kind} needs: name another scene or another type'
    )


def _pool_of_scene(scene: str) -> Pool:
    """The tasks of the house that a scene names.

    :raises ConfigurationError: there is none.
    """
    generated = _SCENE.fullmatch(scene)
    if generated:
        return pool_of(int(generated[1]))
    file = house_file(scene)
    if file is None:
        raise ConfigurationError(
            f'there is no house {scene!r:.200}: write generated:<seed>, or the path '
            'of a house file'
        )
    return Pool(read_house(file), file.stem)


def house_file(text: str) -> Path | None:
    """The file that a text names; None where it names none."""
    path = path_of(text)
    return path if path is not None and path.is_file() else None
