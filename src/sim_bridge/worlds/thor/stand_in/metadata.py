"""Metadata of an event, with the fields of both generations."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from sim_bridge.worlds.thor.stand_in.scene import Box, Place, Thing
from sim_bridge.worlds.thor.stand_in.state import State

#: Flags that metadata name as classes do here.
_FLAGS = (
    'receptacle', 'toggleable', 'breakable', 'canFillWithLiquid', 'dirtyable', 'canBeUsedUp',
    'cookable', 'isHeatSource', 'isColdSource', 'sliceable', 'openable', 'pickupable', 'moveable',
)  # fmt: skip


class MetadataWriter:
    """Writes events of one episode; what cannot have changed is written once."""

    def __init__(self) -> None:
        self._objects: dict[str, dict[str, Any]] = {}
        self._boxes: dict[str, Box] = {}

    def write(self, state: State, sees: set[str]) -> dict[str, Any]:
        """All but what the last action was and returned.

        :return: its tables are written anew for the next event.
        """
        agent = state.agent
        objects = [self._object(state, thing, sees) for thing in state.things.values()]
        held = state.things.get(state.held)
        inventory = [] if held is None else [held, *state.below(held)]
        x, y, z = state.camera()
        return {
            'objects': objects,
            'agent': {
                'name': 'agent',
                'position': _table(agent.position),
                'rotation': {'x': 0.0, 'y': agent.rotation, 'z': 0.0},
                'cameraHorizon': agent.horizon,
                'isStanding': agent.standing,
                'inHighFrictionArea': False,
            },
            'inventoryObjects': [
                {'objectId': one.object_id, 'objectType': one.class_name} for one in inventory
            ],
            'collided': False,
            'collidedObjects': [],
            'sceneName': state.scene.name,
            'sceneApproximate': state.scene.approximate,
            'cameraPosition': {'x': x, 'y': y, 'z': z},
            'fov': state.settings.field_of_view,
            'isSceneAtRest': True,
            'thirdPartyCameras': [],
            'hand': {
                'position': _table(state.hand()),
                'rotation': {'x': 0.0, 'y': agent.rotation, 'z': 0.0},
                'localPosition': {'x': 0.0, 'y': -0.4, 'z': 0.45},
            },
        }

    def _object(self, state: State, thing: Thing, sees: set[str]) -> dict[str, Any]:
        key = thing.object_id
        table = self._objects.get(key)
        if table is None:
            table = self._objects[key] = _lasting(thing)
        if self._boxes.get(key) is not thing.box:
            self._boxes[key] = thing.box
            table['position'], table['rotation'] = _table(thing.position), _table(thing.rotation)
            table['axisAlignedBoundingBox'] = _box(thing.box)
        visible = key in sees
        table['visible'] = table['isInteractable'] = visible
        table['obstructed'] = not visible
        table['distance'] = math.dist(thing.position, state.agent.position)
        parents = [parent.object_id for parent in state.parents(thing)]
        table['parentReceptacles'] = parents or None
        if table['receptacle']:
            table['receptacleObjectIds'] = [*thing.contents]
            table['receptacleCount'] = thing.of_class.most
        table['isOpen'], table['openness'] = thing.openness > 0.0, thing.openness
        table['isToggled'] = thing.toggled
        table['isPickedUp'] = any(agent.held == key for agent in state.agents)
        table['isSliced'], table['isBroken'] = thing.sliced, thing.broken
        table['isDirty'], table['isUsedUp'] = thing.dirty, thing.used_up
        table['isFilledWithLiquid'], table['fillLiquid'] = bool(thing.filled), thing.filled or None
        table['isCooked'] = thing.cooked
        table['temperature'] = table['ObjectTemperature'] = thing.temperature
        return table


def _lasting(thing: Thing) -> dict[str, Any]:
    """What does not change while a thing is there."""
    volume = math.prod(thing.box.size)
    return {
        'objectId': thing.object_id,
        'objectType': thing.class_name,
        'name': thing.name,
        'assetId': thing.asset,
        **{flag: thing.is_a(flag) for flag in _FLAGS},
        'mass': round(200.0 * volume, 3),
        'salientMaterials': None,
        'receptacleObjectIds': None,
        'controlledObjects': None,
        'isMoving': False,
        'objectOrientedBoundingBox': None,
    }


def _box(box: Box) -> dict[str, Any]:
    corners = product(*zip(box.low, box.high, strict=True))
    return {
        'cornerPoints': [list(corner) for corner in corners],
        'center': _table(box.center),
        'size': _table(box.size),
    }


def _table(place: Place) -> dict[str, float]:
    return {'x': place[0], 'y': place[1], 'z': place[2]}
