"""Scenes from recorded events of a real program, so that others can see what it has.

A recording is written by the world `thor` (`record`): a line of JSON for each action, with the
metadata that followed. A scene is what the first event after a reset tells, with the points of
`GetReachablePositions`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.stand_in.scene import Box, box_at, Place, Scene, settle, Start, Thing

#: Bytes of a recording, and of one line of it.
_LARGEST, _LONGEST = 1024**3, 64 * 1024**2


def recorded_scenes(path: Path) -> dict[str, Scene]:
    """Scenes of a recording, by their names.

    :raises ConfigurationError: it cannot be read, or is none.
    """
    scenes: dict[str, Scene] = {}
    current: Scene | None = None
    for number, (action, metadata) in enumerate(_lines(path), start=1):
        try:
            if action.get('action') == 'Reset':
                current = _scene(metadata)
                scenes.setdefault(current.name, current)
            elif action.get('action') == 'GetReachablePositions' and current is not None:
                points = metadata.get('actionReturn') or []
                current.reachable = [(float(one['x']), float(one['z'])) for one in points]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ConfigurationError(
                f'{path}, line {number}: not an event of AI2-THOR ({error})'
            ) from error
    found = {name: scene for name, scene in scenes.items() if scene.reachable}
    if not found:
        raise ConfigurationError(f'{path} has no scene: record a reset with the world thor')
    return found


def _lines(path: Path) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    try:
        if path.stat().st_size > _LARGEST:
            raise ConfigurationError(f'{path} is larger than {_LARGEST // 1024**2} MB')
        with path.open('rb') as opened:
            while line := opened.readline(_LONGEST):
                read = json.loads(line)
                yield read['action'], read['metadata']
    except OSError as error:
        raise ConfigurationError(f'{path} cannot be read: {error.strerror or error}') from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f'{path} is no recording of the world thor') from error


def _scene(metadata: Mapping[str, Any]) -> Scene:
    things = [_thing(one) for one in metadata['objects']]
    settle(things)
    agent = metadata['agent']
    start = Start(
        _place(agent['position']),
        _finite(agent['rotation']['y']) % 360.0,
        _finite(agent.get('cameraHorizon', 0.0)),
    )
    name = str(metadata['sceneName']).removesuffix('_physics')
    return Scene(name, things, [], start)


def _thing(metadata: Mapping[str, Any]) -> Thing:
    place = _place(metadata['position'])
    class_name = str(metadata['objectType'])
    thing = Thing(
        str(metadata['objectId']),
        str(metadata['name']),
        class_name,
        place,
        _box(metadata, class_name, place),
    )
    thing.rotation = _place(metadata.get('rotation') or {})
    thing.parent = str(next(iter(metadata.get('parentReceptacles') or ()), ''))
    thing.openness = _finite(metadata.get('openness') or (1.0 if metadata.get('isOpen') else 0.0))
    thing.toggled, thing.sliced = bool(metadata.get('isToggled')), bool(metadata.get('isSliced'))
    thing.broken, thing.dirty = bool(metadata.get('isBroken')), bool(metadata.get('isDirty'))
    thing.filled = 'water' if metadata.get('isFilledWithLiquid') else ''
    thing.used_up, thing.cooked = bool(metadata.get('isUsedUp')), bool(metadata.get('isCooked'))
    thing.asset = str(metadata.get('assetId') or '')
    return thing


def _box(metadata: Mapping[str, Any], class_name: str, place: Place) -> Box:
    box = metadata.get('axisAlignedBoundingBox') or {}
    if not box.get('center') or not box.get('size'):
        return box_at(class_name, place)
    (x, y, z), (wide, high, deep) = _place(box['center']), _place(box['size'])
    return Box(
        (x - wide / 2, y - high / 2, z - deep / 2), (x + wide / 2, y + high / 2, z + deep / 2)
    )


def _place(metadata: Mapping[str, Any]) -> Place:
    return (
        _finite(metadata.get('x', 0.0)),
        _finite(metadata.get('y', 0.0)),
        _finite(metadata.get('z', 0.0)),
    )


def _finite(value: Any) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f'{value!r:.80} is no place')
    return number
