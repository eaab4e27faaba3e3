"""A kitchen in the place of AI2-THOR's program: metadata made by hand, a client that answers."""

from __future__ import annotations

import copy
from typing import Any

from sim_bridge.worlds.thor.dialects import NewDialect, OldDialect
from sim_bridge.worlds.thor.names import Names
from sim_bridge.worlds.thor.skills import Robot
from sim_bridge.worlds.thor.texts import Texts


def thing(
    name: str, x: float = 0.0, y: float = 0.9, z: float = 0.0, **more: Any
) -> dict[str, Any]:
    """A thing's metadata; its class is what stands before '_' or '('."""
    kind = name.split('(')[0].split('_')[0]
    object_id = more.pop('objectId', f'{kind}|{x:+06.2f}|{y:+06.2f}|{z:+06.2f}')
    return {
        'name': name,
        'objectId': object_id,
        'objectType': more.pop('objectType', kind),
        'position': {'x': x, 'y': y, 'z': z},
        'rotation': {'x': 0.0, 'y': more.pop('turned', 0.0), 'z': 0.0},
        'visible': False,
        'distance': 1.0,
        'receptacle': False,
        'receptacleObjectIds': None,
        'parentReceptacles': None,
        'pickupable': False,
        'openable': False,
        'isOpen': False,
        'toggleable': False,
        'isToggled': False,
        'sliceable': False,
        'isSliced': False,
        'dirtyable': False,
        'isDirty': False,
        **more,
    }


def metadata(*things: dict[str, Any], held: str = '', succeeds: bool = True, **more: Any) -> Any:
    """What an event tells."""
    return {
        'objects': list(things),
        'inventoryObjects': [{'objectId': held}] if held else [],
        'lastActionSuccess': succeeds,
        'errorMessage': '',
        **more,
    }


class SmallClient:
    """Answers with what `then` was told to; else that nothing has changed, and succeeds."""

    def __init__(self, told: Any, version: str = '2.1') -> None:
        self.dialect = OldDialect() if version == '2.1' else NewDialect()
        self.told = told
        self.sent: list[dict[str, Any]] = []
        self.gone = False
        self._answers: list[tuple[str, Any]] = []

    def then(self, action: str, succeeds: bool = True, told: Any = None, **more: Any) -> None:
        """What comes of the next action of a name that is not answered yet."""
        answer = copy.deepcopy(self.told if told is None else told)
        answer.update(lastActionSuccess=succeeds, **more)
        self._answers.append((action, answer))

    def reset(self, scene: Any) -> Any:
        self.sent.append({'action': 'Reset', 'scene': scene})
        return self.told

    def do(self, action: dict[str, Any]) -> Any:
        self.sent.append(action)
        for index, (name, answer) in enumerate(self._answers):
            if name == action['action']:
                del self._answers[index]
                self.told = answer
                break
        else:
            self.told = {**self.told, 'lastActionSuccess': True}
        return self.told

    do_slowly = do

    def frame(self) -> Any:
        return None

    def close(self) -> None:
        self.gone = True

    @property
    def actions(self) -> list[str]:
        """Names of what was sent."""
        return [action['action'] for action in self.sent]


def robot(
    client: SmallClient, style: str = 'published', names: str = 'published', points: int = 30
) -> Robot:
    """A robot on a row of points, one every 25 cm along x."""
    known = Names(names)
    row = [{'x': 0.25 * step, 'y': 0.9009992, 'z': 0.0} for step in range(points)]
    return Robot(client, known, Texts(style, known), client.told, row)
