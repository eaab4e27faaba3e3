"""How a scene is loaded and restored for a task, and what names it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import path_of, read_file
from sim_bridge.worlds.thor.classes import class_of, FIXED_RECEPTACLES
from sim_bridge.worlds.thor.client import ThorClient
from sim_bridge.worlds.thor.metadata import Metadata, succeeded
from sim_bridge.worlds.thor.tasks import AlfredTask

_FLOOR_PLAN = re.compile(r'FloorPlan[0-9]{1,3}')
_LARGEST_HOUSE = 64 * 1024**2
#: Sides of frames in pixels; 2.1 takes no smaller ones.
_LEAST_SIDE, _MOST_SIDE = 300, 4096
_SIZE = re.compile(r'([0-9]{2,4})(?:x([0-9]{2,4}))?')


def restored(
    client: ThorClient, scene: str | Mapping[str, Any], task: AlfredTask | None
) -> tuple[Metadata, list[Any]]:
    """A scene as its task wants it, and the points where the robot can stand."""
    client.reset(scene)
    actions: list[dict[str, Any]] = []
    if not isinstance(scene, str):
        actions += _first_stand(client, scene)
    if task is not None and task.toggles:
        actions.append({'action': 'SetObjectToggles', 'objectToggles': list(task.toggles)})
    if task is not None and task.dirty_and_empty:
        for change, on in (('CanBeDirty', True), ('CanBeFilled', False)):
            actions.append(
                {'action': 'SetStateOfAllObjects', 'StateChange': change, 'forceAction': on}
            )
    if task is not None and task.poses:
        actions.append({'action': 'SetObjectPoses', 'objectPoses': list(task.poses)})
    for action in actions:
        metadata = client.do_slowly(action)
        if action['action'] == 'SetObjectPoses' and not succeeded(metadata):
            reason = ' '.join(str(metadata.get('errorMessage') or 'no reason').split())[:200]
            raise ConfigurationError(
                f'the program cannot place the things of this task: {reason}; poses of ALFRED fit '
                'the program of AI2-THOR 2.1.0 (version=2.1)'
            )
    metadata = client.do_slowly({'action': 'GetReachablePositions'})
    points = metadata.get('actionReturn') or metadata.get('reachablePositions') or []
    if not points:
        raise ConfigurationError(
            'the program reports no point where the robot can stand in '
            f'{scene if isinstance(scene, str) else "the house"}'
        )
    if task is not None and task.begin is not None:
        metadata = client.do_slowly(client.dialect.begin(task.begin))
    return metadata, [*points]


def check_furniture(task: AlfredTask, start: Metadata) -> None:
    """Refuse a task of the data in a room that the stand-in had to make up: nothing would fit.

    :raises ConfigurationError: furniture of the gold plan is not there.
    """
    there = {thing['objectId'] for thing in start['objects']}
    needed = (step.receptacle_id for step in task.plan)
    missing = [
        one
        for one in needed
        # An id says a place: class|x|y|z.
        if one.count('|') >= 3 and class_of(one) in FIXED_RECEPTACLES and one not in there
    ]
    if missing:
        raise ConfigurationError(
            f'the stand-in does not know the furniture of {task.floor_plan}, in which the task is '
            f'set ({missing[0]} is missing): name ALFRED layouts with the option '
            "stand_in='--layouts FOLDER', or install the package alfworld, which has them"
        )


def _first_stand(client: ThorClient, house: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Where the robot of a ProcTHOR house begins, if the house says so."""
    about = house.get('metadata')
    agent = about.get('agent') if isinstance(about, Mapping) else None
    position = agent.get('position') if isinstance(agent, Mapping) else None
    if not isinstance(agent, Mapping) or not isinstance(position, Mapping):
        return []
    where = {axis: position.get(axis, 0.0) for axis in 'xyz'}
    try:
        begin = {**where, 'rotation': agent.get('rotation', 0.0)}
        return [client.dialect.begin({**begin, 'horizon': agent.get('horizon', 30.0)})]
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f'the house says no place of its robot: {error}') from error


def scene_of(scene: str) -> str | Mapping[str, Any]:
    """A floor plan's name, or a house.

    :raises ConfigurationError: it is neither.
    """
    if _FLOOR_PLAN.fullmatch(scene):
        return scene
    path = path_of(scene)
    if path is None or not path.is_file():
        raise ConfigurationError(
            f'there is no scene {scene!r}: write FloorPlan1 to 30, 201 to 230, 301 to 330 or 401 '
            'to 430, or the path of a ProcTHOR house (JSON)'
        )
    house: Mapping[str, Any] = read_file(
        path, dict[str, Any], form='must be a ProcTHOR house', largest=_LARGEST_HOUSE
    )
    return house


def size_of(text: str) -> tuple[int, int]:
    """Width and height of frames.

    :param text: '300' or '400x300'. :raises ConfigurationError: it is neither, or out of range.
    """
    found = _SIZE.fullmatch(text)
    sides = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not all(_LEAST_SIDE <= side <= _MOST_SIDE for side in sides):
        raise ConfigurationError(
            f'size must be {_LEAST_SIDE} to {_MOST_SIDE} pixels, as 300 or 400x300, not {text!r}'
        )
    return sides
