"""Worlds behind the bridge, by name; each is imported only when it is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from reactree_core.errors import ConfigurationError
from reactree_core.world import TaskWorld, World

W = TypeVar('W', bound=World)

#: Name -> 'module:class'; the class takes the world's options as keywords.
WORLDS = {
    'alfworld': 'sim_bridge.worlds.alfworld:AlfworldWorld',
    'faulty': 'sim_bridge.worlds.faulty:FaultyWorld',
    'procworld': 'sim_bridge.worlds.procworld:ProcWorldWorld',
    'procworld_aligned': 'sim_bridge.worlds.procworld.aligned_world:AlignedProcWorld',
    'procworld_team': 'sim_bridge.worlds.procworld.team:first_of_team',
    'programs': 'sim_bridge.worlds.programs:ProgramsWorld',
    'scienceworld': 'sim_bridge.worlds.scienceworld:ScienceWorldWorld',
    'textcraft': 'sim_bridge.worlds.textcraft:TextCraftWorld',
    'thor': 'sim_bridge.worlds.thor.world:ThorWorld',
    'thor_team': 'sim_bridge.worlds.thor.team:first_of_team',
    'webshop': 'sim_bridge.worlds.webshop:WebShopWorld',
    'household_member': 'sim_bridge.worlds.household.member:HomeMember',
    'household_team': 'sim_bridge.worlds.household.team:first_of_team',
    'household': 'sim_bridge.worlds.household:HouseholdWorld',
    'virtualhome_unity': 'sim_bridge.worlds.virtualhome_unity:VirtualHomeUnityWorld',
}


def make_world(name: str, **options: Any) -> World:
    """Build a world; nothing is loaded until its `reset`.

    :param name: one of `WORLDS`, e.g. 'household', or 'module:class' of anybody's own; options may
        follow after commas, as in 'faulty,world=household,fail=0.2'.
    :param options: keywords of the world's class; before those of the name.
    :raises ConfigurationError: no such world, option or value, or what it needs is not installed.
    """
    name, *written = name.split(',')
    options = {**_read_options(written), **options}
    module, _, class_name = WORLDS.get(name, name).partition(':')
    if not module or not class_name:
        raise ConfigurationError(
            f'no world {name!r}; choose one of: {", ".join(sorted(WORLDS))}, or name one of your '
            'own as module:class'
        )
    try:
        make = getattr(import_module(module), class_name)
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f'world {name!r} needs {error.name!r}: install it, or put its folder on PYTHONPATH'
        ) from error
    except AttributeError:
        raise ConfigurationError(f'{module} has no class {class_name!r}: correct world') from None
    try:
        world: World = make(**options)
    except TypeError as error:
        raise ConfigurationError(f'world {name!r} has no such option: {error}') from error
    return world


def _read_options(written: Sequence[str]) -> dict[str, Any]:
    options = {}
    for text in written:
        option, equals, value = text.partition('=')
        if not option.strip() or not equals:
            raise ConfigurationError(
                f'{text!r} is no option of a world: after its name and a comma write '
                'option=value, e.g. household,failure_rate=0.1'
            )
        try:
            options[option.strip()] = json.loads(value)
        except ValueError:
            options[option.strip()] = value.strip()
    return options


@contextmanager
def given_back(world: W) -> Iterator[W]:
    """A world that is closed afterwards: it may hold a connection, or a process of its own."""
    try:
        yield world
    finally:
        close_world(world)


def close_world(world: World) -> None:
    """Give back what a world holds; most hold nothing."""
    close = getattr(world, 'close', None)
    if close is not None:
        close()


def make_task_world(name: str) -> TaskWorld:
    """Build a world that sets tasks by number.

    :raises ConfigurationError: as of `make_world`, or this world sets none.
    """
    world = make_world(name)
    if not isinstance(world, TaskWorld):
        raise ConfigurationError(
            f'the world {name} sets no tasks by number: choose another, e.g. household'
        )
    return world
