"""Where a study's tasks come from, e.g. `household:20@1401`, `wah:tasks.json[0:20]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.world import TaskWorld
from reactree_tools.bench.training_tasks import GENERATED, training_tasks
from sim_bridge.worlds.household.tasks.wah_files import names_of, PREFIX
from sim_bridge.worlds.registry import make_task_world, WORLDS
from sim_bridge.worlds.thor import eb_alfred, smart_llm

_COUNTED = re.compile(r'(\d{1,6})(?:@(\d{1,18}))?')
_SLICED = re.compile(r'(.*?)\[([\d:,\s]*)\]', re.DOTALL)
#: `[base]` or `[base,spatial]` behind the folder of EB-ALFRED.
_SPLITS = re.compile(r'(.*?)\[([a-z_,\s]+)\]', re.DOTALL)
_SEEDS = re.compile(r':\d+(-\d+)?$')
_NUMBER = re.compile(r'(\d+)')
_FORMS = (
    'write WORLD:COUNT, WORLD:COUNT@FIRST_SEED, WORLD:FAMILY:SEED, WORLD:FAMILY:SEED-SEED, '
    'WORLD:FILE, wah:FILE, eb_alfred:FOLDER[SPLIT] or smart_llm:FOLDER, then perhaps a part of it '
    'as [0:20] or [3,5,8]'
)


@dataclass(frozen=True, slots=True)
class StudyTask:
    """One task of a study.

    :param tasks: what it belongs to: 'generated', a family, or a file.
    :param task: :param scene: :param seed: as the world's `reset` takes them.
    """

    world: str
    tasks: str
    task: str
    scene: str
    seed: int


def tasks_of(text: str, world: str = '', scenes: str = '') -> tuple[StudyTask, ...]:
    """The tasks that a text names, in order.

    :param text: `WORLD:` and then a count of tasks over the world's families in turn, with the
        first one's seed (`20@1401`; without it 1), or a family with seeds (`setup_table:1-5`), or
        a file or folder of tasks that the world reads. `wah:FILE` is a published WAH-NL set,
        each task in its first wording; `eb_alfred:FOLDER[base,spatial]` or `[all]` are splits of
        EB-ALFRED in the world thor (`thor,OPTION=VALUE:eb_alfred:...`), `smart_llm:FOLDER` are
        SMART-LLM's in the world thor_team, each for as many robots as it tells. At the end a
        part may be chosen: `[0:20]`, `[3,5,8]`.
    :param world: whose tasks; then the text does not begin with a world.
    :param scenes: of tasks without one: a scene, or a pattern of files (`graphs/*.json`), which
        the tasks take in turn, by the numbers in their names.
    :raises ConfigurationError: there are no such tasks.
    """
    whole, chosen = _part(text.strip())
    if not world:
        world, whole = _world_of(whole, text)
    found = _all_of(whole, world, scenes, text)
    picked = [found[number] for number in _numbers(chosen, len(found), text)]
    if not picked:
        raise ConfigurationError(f'{text!r} selects no task: choose another part')
    return tuple(picked)


def part_of(text: str, world: str, scenes: str, wanted: Callable[[StudyTask], bool]) -> str:
    """A text that names those of the tasks of a text that are wanted; '' for none.

    Parameters and errors as of `tasks_of`.
    """
    named = tasks_of(text, world, scenes)
    chosen = set(filter(wanted, named))
    if len(chosen) == len(set(named)):
        return text
    whole, _ = _part(text.strip())
    found = enumerate(tasks_of(whole, world, scenes))
    numbers = [str(number) for number, task in found if task in chosen]
    return f'{whole}[{",".join(numbers)}]' if numbers else ''


def _part(text: str) -> tuple[str, str | None]:
    match = _SLICED.fullmatch(text)
    return (match[1], match[2]) if match else (text, None)


def _world_of(whole: str, text: str) -> tuple[str, str]:
    """The world and the rest; `module:class` has a colon too."""
    if whole.startswith(PREFIX):
        return 'household', whole
    if whole.startswith(eb_alfred.PREFIX):
        return 'thor', whole
    if whole.startswith(smart_llm.PREFIX):
        return smart_llm.WORLD, whole
    world, colon, rest = whole.partition(':')
    if world.partition(',')[0] not in WORLDS and '.' in world:
        more, colon, rest = rest.partition(':')
        world = f'{world}:{more}'
    if not colon or not rest:
        raise ConfigurationError(f'there are no tasks {text!r}: {_FORMS}')
    return world, rest


def _all_of(whole: str, world: str, scenes: str, text: str) -> list[StudyTask]:
    places = _scenes(scenes)
    if whole.startswith(PREFIX):
        if not places:
            raise ConfigurationError(
                f'the tasks {text!r} name no scenes: give --scenes (in a study file scenes:), '
                'generated:1 or a pattern of files such as "graphs/*.json"'
            )
        return [
            StudyTask(world, whole, name, places[number % len(places)], number)
            for number, name in enumerate(names_of(whole))
        ]
    if whole.startswith(eb_alfred.PREFIX):
        return [
            StudyTask(world, f'{eb_alfred.PREFIX}{folder}[{split}]', name, '', 0)
            for folder, split in _splits(whole)
            for name in eb_alfred.names_of(folder, split)
        ]
    if whole.startswith(smart_llm.PREFIX):
        team = world.partition(',')[0] == smart_llm.WORLD and ',robots=' not in world
        return [
            StudyTask(
                f'{world},robots={smart_llm.robots_of(name)}' if team else world,
                whole,
                name,
                '',
                0,
            )
            for name in smart_llm.names_of(whole.removeprefix(smart_llm.PREFIX))
        ]
    counted = _COUNTED.fullmatch(whole)
    if counted:
        made = make_task_world(world)
        return _families(made, world, int(counted[1]), int(counted[2] or 1), places)
    found = training_tasks([whole], places[0] if places else '', world)
    name = _SEEDS.sub('', whole)
    return [
        StudyTask(
            world,
            name,
            one.task,
            places[number % len(places)] if places else one.scene,
            one.seed,
        )
        for number, one in enumerate(found)
    ]


def _splits(whole: str) -> list[tuple[str, str]]:
    """The folder and each split of a text as 'eb_alfred:FOLDER[base,spatial]'."""
    found = _SPLITS.fullmatch(whole.removeprefix(eb_alfred.PREFIX))
    if found is None:
        raise ConfigurationError(
            f'name the splits of {whole!r}: {", ".join(eb_alfred.SPLITS)}, or {eb_alfred.ALL}, as '
            'in eb_alfred:FOLDER[base]'
        )
    names = [name.strip() for name in found[2].split(',') if name.strip()]
    return [(found[1], name) for name in (eb_alfred.SPLITS if eb_alfred.ALL in names else names)]


def _families(
    made: TaskWorld, world: str, count: int, first: int, places: Sequence[str]
) -> list[StudyTask]:
    families = made.task_families()
    return [
        StudyTask(
            world,
            GENERATED,
            f'{families[number % len(families)]}:{seed}',
            places[number % len(places)] if places else made.scene_of(seed),
            seed,
        )
        for number, seed in enumerate(range(first, first + count))
    ]


def _scenes(text: str) -> list[str]:
    """A scene, or the files of a pattern by the numbers in their names."""
    if not text:
        return []
    if not any(sign in text for sign in '*?['):
        return [text]

    def key(path: str) -> list[tuple[int, str]]:
        parts = _NUMBER.split(Path(path).name)
        return [(int(part), '') if part.isdigit() else (-1, part) for part in parts]

    found = sorted(glob(str(Path(text).expanduser())), key=key)  # noqa: PTH207 (a whole path)
    if not found:
        raise ConfigurationError(f'no file matches the scenes {text!r}')
    return found


def _numbers(chosen: str | None, count: int, text: str) -> list[int]:
    """The numbers from 0 of a part."""
    if chosen is None:
        return list(range(count))
    try:
        if ':' in chosen:
            ends = [int(end) if end.strip() else None for end in chosen.split(':')]
            return list(range(count))[slice(*ends)]
        numbers = [int(number) for number in chosen.split(',')]
    except (ValueError, TypeError):
        raise ConfigurationError(f'{text!r} has no valid part: write [0:20] or [3,5,8]') from None
    if max(numbers) >= count:
        raise ConfigurationError(
            f'{text!r} has {count} tasks, the last is number {count - 1}: there is no '
            f'{max(numbers)}'
        )
    return list(dict.fromkeys(numbers))
