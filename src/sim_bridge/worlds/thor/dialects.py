"""How one and the same action is written for the two generations of AI2-THOR.

ALFRED's object names and poses, and the numbers published on it, belong to 2.1.0; scenes of today
to 5.x.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Action = dict[str, Any]
Point = tuple[float, float, float]

OLD, NEW = '2.1', '5'
VERSIONS = (OLD, NEW)
#: What every generation is given about rendering and the grid.
_GRID = 0.25
_SEES = 1.5
#: Metres of the camera above the agent's position: pitches are computed for it.
_CAMERA = 0.75
#: Pitches that a camera of 5.x can take, in degrees downwards.
_HIGHEST, _LOWEST = -30.0, 60.0


class OldDialect:
    """2.1.0, by the calls of the published environment."""

    version = OLD

    def initialization(self) -> Action:
        """Fields of `Initialize`."""
        return {
            'gridSize': _GRID,
            'cameraY': _CAMERA,
            'renderImage': True,
            'renderDepthImage': True,
            'renderClassImage': True,
            'renderObjectImage': True,
            # Not the program's name for it, which is therefore left at 1.5 m.
            'visibility_distance': _SEES,
            'makeAgentsVisible': False,
        }

    def teleports(self, point: Point, rotation: float, horizon: float) -> tuple[Action, ...]:
        """Stand somewhere: ways to say it, to be tried until one succeeds.

        :param rotation: degrees. :param horizon: degrees downwards.
        """
        x, _, z = point
        where = {'x': x, 'y': 0.9, 'z': z}
        return ({'action': 'TeleportFull', **where, 'rotation': rotation, 'horizon': horizon},)

    def begin(self, action: Mapping[str, Any]) -> Action:
        """ALFRED's first action of a task, which is written for 2.1."""
        return dict(action)

    def put(self, held: str, receptacle: str) -> Action:
        """Put what is held into or onto something."""
        return {
            'action': 'PutObject',
            'objectId': held,
            'receptacleObjectId': receptacle,
            'forceAction': True,
            'placeStationary': True,
        }

    def open(self, object_id: str) -> Action:
        """Open something wholly."""
        return {
            'action': 'OpenObject',
            'objectId': object_id,
            'forceAction': True,
            'moveMagnitude': 1.0,
        }


class NewDialect:
    """5.x."""

    version = NEW

    def initialization(self) -> Action:
        """See `OldDialect`."""
        return {
            'gridSize': _GRID,
            'cameraY': _CAMERA,
            'visibilityDistance': _SEES,
            'snapToGrid': False,
        }

    def teleports(self, point: Point, rotation: float, horizon: float) -> tuple[Action, ...]:
        """See `OldDialect`."""
        x, y, z = point
        # It refuses what its camera cannot do; then as far as that can.
        pitches = dict.fromkeys((horizon, min(max(horizon, _HIGHEST), _LOWEST)))
        return tuple(
            {
                'action': 'TeleportFull',
                'x': x,
                'y': y,
                'z': z,
                'rotation': {'x': 0.0, 'y': rotation, 'z': 0.0},
                'horizon': pitch,
                'standing': True,
            }
            for pitch in pitches
        )

    def begin(self, action: Mapping[str, Any]) -> Action:
        """See `OldDialect`."""
        point = tuple(float(action.get(axis, 0.0)) for axis in 'xyz')
        rotation = action.get('rotation', 0.0)
        if isinstance(rotation, Mapping):
            rotation = rotation.get('y', 0.0)
        x, y, z = point
        return self.teleports((x, y, z), float(rotation), float(action.get('horizon', 0.0)))[-1]

    def put(self, held: str, receptacle: str) -> Action:
        """See `OldDialect`."""
        return {
            'action': 'PutObject',
            'objectId': receptacle,
            'forceAction': True,
            'placeStationary': True,
        }

    def open(self, object_id: str) -> Action:
        """See `OldDialect`."""
        return {
            'action': 'OpenObject',
            'objectId': object_id,
            'openness': 1.0,
            'forceAction': True,
        }


Dialect = OldDialect | NewDialect


def dialect_of(version: str) -> Dialect:
    """The dialect of an installed client. :param version: e.g. '5.0.0'."""
    return OldDialect() if version.startswith('2.') else NewDialect()
