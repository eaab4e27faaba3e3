"""Which things the agent sees.

A thing is visible when a point of its box is at most the visibility distance from the camera in
the plane and inside the field of view, and nothing shut is around it. What is held is visible
always. Things do not cover each other, and rooms of a house end at their walls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim_bridge.worlds.thor.stand_in.scene import Thing
from sim_bridge.worlds.thor.stand_in.state import State

#: Degrees that the field of view is high, around the horizon.
HIGH = 60.0
#: Points looked at along each side of a box.
_ACROSS = np.linspace(0.0, 1.0, 5, dtype=np.float64)
_UP = np.linspace(0.0, 1.0, 3, dtype=np.float64)
_LATTICE = np.array([(x, y, z) for x in _ACROSS for y in _UP for z in _ACROSS])


class Sight:
    """Looks at one episode."""

    def __init__(self) -> None:
        self._seen = -1
        self._things: list[Thing] = []
        self._low = self._high = self._points = np.zeros((0, 3))

    def visible(self, state: State) -> set[str]:
        """Ids of what the agent sees now."""
        if self._seen != state.moved:
            self._measure(state)
        if not self._things:
            return set()
        inside = _in_view(state, self._low, self._high, self._points)
        room = _room_of(state)
        found = {
            thing.object_id
            for thing, seen in zip(self._things, inside, strict=True)
            if seen and not state.is_hidden(thing) and (not room or thing.room in ('', room))
        }
        if state.held:
            held = state.things[state.held]
            found |= {held.object_id, *(one.object_id for one in state.below(held))}
        return found

    def sees(self, state: State, thing: Thing) -> bool:
        """Whether the agent sees one thing, wherever it looks from now."""
        if state.held and thing in (
            state.things[state.held],
            *state.below(state.things[state.held]),
        ):
            return True
        low, high = np.array([thing.box.low]), np.array([thing.box.high])
        points = low[:, None, :] + (high - low)[:, None, :] * _LATTICE[None]
        room = _room_of(state)
        near = not state.is_hidden(thing) and (not room or thing.room in ('', room))
        return near and bool(_in_view(state, low, high, points)[0])

    def _measure(self, state: State) -> None:
        self._seen = state.moved
        self._things = list(state.things.values())
        self._low = _array([thing.box.low for thing in self._things])
        self._high = _array([thing.box.high for thing in self._things])
        spans = (self._high - self._low)[:, None, :]
        self._points = self._low[:, None, :] + spans * _LATTICE[None]


def _in_view(state: State, low: Any, high: Any, points: Any) -> Any:
    """Which things have a point that is near enough and in the field of view.

    :param low: corners of their boxes, n x 3 metres. :param high: the opposite ones.
    :param points: of their boxes, n x 75 x 3. :return: n truths.
    """
    camera = np.array(state.camera())
    nearest = np.clip(camera, low, high)[:, None, :]
    points = np.concatenate((nearest, points), axis=1) - camera
    plane = np.hypot(points[..., 0], points[..., 2])
    close = plane <= state.settings.visibility
    bearing = np.degrees(np.arctan2(points[..., 0], points[..., 2])) - state.agent.rotation
    aside = np.abs((bearing + 180.0) % 360.0 - 180.0)
    pitch = np.degrees(np.arctan2(-points[..., 1], plane)) - state.agent.horizon
    wide = state.settings.field_of_view / 2 + 1e-6
    return (close & (aside <= wide) & (np.abs(pitch) <= HIGH / 2 + 1e-6)).any(axis=1)


def _array(places: list[tuple[float, float, float]]) -> Any:
    return np.array(places, dtype=np.float64).reshape(-1, 3)


def _room_of(state: State) -> str:
    x, _, z = state.agent.position
    return next((room.room_id for room in state.scene.rooms if room.has(x, z)), '')
