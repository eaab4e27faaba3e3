"""Tasks by their texts: invented programs, programs that somebody has written, and sets."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.observation import WorldTask
from reactree_core.written_files import path_of
from sim_bridge.worlds.household.programs.script import Script
from sim_bridge.worlds.household.world import load_scene
from sim_bridge.worlds.programs.building import (
    make_pair,
    NotPossible,
    read_program,
    read_programs,
    read_resources,
    Resources,
    scene_name_of,
    slug_of,
)
from sim_bridge.worlds.programs.pairs import files_of_set, Pair, read_pair

INVENTED = 'invented'
EXAMPLE = 'example'
_SEEDED = re.compile(rf'(?:generated|({INVENTED}|{EXAMPLE}))(?::(?:(\d{{1,18}})|([a-z0-9_]+)))?')
_EXAMPLE_TITLE = 'Example: '
#: Ways to draw the things of an invented program, until one can be done.
_MOST_DRAWS = 24
#: What VirtualHome's scenes call things of the invented programs.
_OTHER_NAMES = {
    'apple': ('food_apple', 'food_fruit'),
    'coffeetable': ('desk',),
    'cutleryfork': ('fork',),
    'dishwasher': ('microwave',),
    'juice': ('milk',),
    'kitchen': ('dining_room',),
    'kitchencabinet': ('cupboard',),
    'kitchentable': ('table',),
    'livingroom': ('home_office',),
    'mug': ('cup', 'drinking_glass'),
    'pancake': ('food_cake', 'food_bread'),
    'sofa': ('couch',),
    'stove': ('oven',),
    'washingsponge': ('sponge',),
    'waterglass': ('water_glass',),
}


def resources_of(folder: str) -> Resources:
    """VirtualHome's resources, with the other names of what invented programs name.

    :param folder: of the resources; '' for none.
    :raises ConfigurationError: the folder holds none.
    """
    found = read_resources(Path(folder).expanduser()) if folder else Resources()
    other_names = {
        name: tuple(dict.fromkeys((*others, *found.equivalents.get(name, ()))))
        for name, others in _OTHER_NAMES.items()
    }
    return Resources(found.placing, found.properties, {**found.equivalents, **other_names})


def named_pair(text: str, scene: str, seed: int, resources: Resources) -> Pair:
    """A task by its text; see `ProgramsWorld.reset`.

    :param scene: of those that bring none. :param resources: for what programs name.
    :raises ConfigurationError: there is no such task, or it cannot be done in the scene.
    """
    drawn = _SEEDED.fullmatch(text)
    if drawn is None:
        return _of_file(text, scene, seed, resources)
    number = int(drawn[2]) if drawn[2] else seed
    return _invented(scene, drawn[1] or INVENTED, number, drawn[3] or '', resources)


def _invented(scene: str, family: str, seed: int, name: str, resources: Resources) -> Pair:
    """An invented program that can be done in a scene, the one of the seed first."""
    scripts = _invented_programs()[family]
    named = [script for script in scripts if slug_of(script.title) == name]
    if name and not named:
        raise ConfigurationError(
            f'there is no {family} program {name!r}; choose one of: '
            + ', '.join(slug_of(script.title) for script in scripts)
        )
    first = seed % len(scripts)
    graph, reasons = load_scene(scene), []
    for script in named or (*scripts[first:], *scripts[:first]):
        for draw in range(_MOST_DRAWS):
            try:
                return make_pair(script, graph, scene, resources, seed + draw)
            except NotPossible as reason:
                last = reason
        reasons.append(f'{script.title}: {last}')
    raise ConfigurationError(
        f'no program can be done in the scene {scene}: {"; ".join(reasons)[:1000]}'
    )


@cache
def _invented_programs() -> dict[str, tuple[Script, ...]]:
    """Those that are tasks, and those that examples are made from."""
    text = files(__package__).joinpath('invented.txt').read_text(encoding='utf-8')
    found: dict[str, list[Script]] = {INVENTED: [], EXAMPLE: []}
    for script in read_programs(text):
        is_example = script.title.startswith(_EXAMPLE_TITLE)
        title = script.title.removeprefix(_EXAMPLE_TITLE)
        named = Script(script.steps, title, script.description)
        found[EXAMPLE if is_example else INVENTED].append(named)
    return {family: tuple(scripts) for family, scripts in found.items()}


def _of_file(task: str, scene: str, seed: int, resources: Resources) -> Pair:
    text, _, wanted = task.partition('#')
    path = path_of(text)
    if path is None:
        raise ConfigurationError(
            f'there is no task {task!r}: write generated:<seed>, invented:<name>, or the path '
            'of a program or of a set of tasks'
        )
    if path.suffix == '.txt':
        script = read_program(path)
        place = path_of(scene)
        name = scene_name_of(place) if place is not None else scene
        try:
            return make_pair(script, load_scene(scene), name, resources, seed)
        except NotPossible as reason:
            raise ConfigurationError(
                f'the program {path} is no task in the scene {scene}: {reason}'
            ) from None
    found = [one for one in files_of_set(path) if wanted in ('', one.stem)]
    if not found:
        raise ConfigurationError(f'{path} has no task {wanted!r}')
    return read_pair(found[seed % len(found)])


def task_of(pair: Pair) -> WorldTask:
    """The task that a pair sets, in both of its wordings."""
    known = {pair.instruction, pair.task}
    return WorldTask(
        pair.pair_id,
        slug_of(pair.task),
        pair.instruction,
        (pair.instruction, *sorted(known - {pair.instruction})),
        scene=pair.scene,
    )
