"""Actions that ask and change nothing: from where a thing is seen, and the way to it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

from sim_bridge.worlds.thor.stand_in.arguments import Arguments, number, place, text, turn
from sim_bridge.worlds.thor.stand_in.motion import HIGHEST, LOWEST
from sim_bridge.worlds.thor.stand_in.scene import Place, Thing
from sim_bridge.worlds.thor.stand_in.state import ActionFailedError, State
from sim_bridge.worlds.thor.stand_in.visibility import Sight

_TURNS = (0.0, 90.0, 180.0, 270.0)
_HORIZONS = (-30.0, 0.0, 30.0, 60.0)
#: Most poses that are tried in one call, and numbers of one list.
_MOST, _LONGEST = 200_000, 10_000
#: Metres between points that are beside each other on no grid of a scene.
_FAR = 0.51


def interactable_poses(state: State, arguments: Arguments, sight: Sight) -> list[dict[str, Any]]:
    """`GetInteractablePoses`: standing where, and looking how, the agent sees a thing.

    :raises ActionFailedError: there is no such thing, or an argument is wrong.
    """
    thing = state.thing(text(arguments, 'objectId'))
    distance = number(arguments, 'maxDistance', state.settings.visibility)
    most = number(arguments, 'maxPoses', float(_MOST))
    if distance <= 0.0 or most < 1.0:
        raise ActionFailedError('maxDistance and maxPoses are above 0', 'InvalidArgument')
    first = state.agent.rotation % 90.0
    turns = _numbers(arguments, 'rotations', tuple(one + first for one in _TURNS))
    horizons = _numbers(arguments, 'horizons', _HORIZONS)
    if any(not HIGHEST <= one <= LOWEST for one in horizons):
        raise ActionFailedError(
            f'horizons are from {HIGHEST:.0f} to {LOWEST:.0f} degrees', 'InvalidArgument'
        )
    standings = _list(arguments, 'standings', (True, False))
    height = state.agent.position[1]
    points = _positions(arguments) or tuple((x, height, z) for x, z in state.scene.reachable)
    near = [at for at in points if thing.box.aside(at) <= distance]
    if len(near) * len(turns) * len(horizons) * len(standings) > _MOST:
        raise ActionFailedError(f'at most {_MOST} poses can be tried', 'InvalidArgument')
    found: list[dict[str, Any]] = []
    with _Looking(state, distance) as look:
        for at, angle, horizon, standing in product(near, turns, horizons, standings):
            if len(found) >= most:
                break
            look(at, angle % 360.0, horizon, standing is True)
            if sight.sees(state, thing):
                x, y, z = at
                pose = {'x': x, 'y': y, 'z': z, 'rotation': angle % 360.0}
                found.append({**pose, 'standing': standing is True, 'horizon': horizon})
    return found


def shortest_path(state: State, arguments: Arguments, sight: Sight) -> dict[str, Any]:
    """`GetShortestPath`: the corners of the way to where a thing is seen.

    The agent begins where it is, or where `position` says; with `objectType` it goes to the
    nearest thing of the class.

    :raises ActionFailedError: there is no such thing, or no way.
    """
    class_name = arguments.get('objectType')
    if arguments.get('objectId'):
        things = [state.thing(text(arguments, 'objectId'))]
    elif isinstance(class_name, str) and class_name:
        things = [one for one in state.things.values() if one.class_name == class_name]
    else:
        raise ActionFailedError('objectId or objectType has to be given', 'MissingArguments')
    if not things:
        raise ActionFailedError(f'there is no {str(class_name)[:60]} in the scene')
    distance = state.settings.visibility

    def is_there(at: Place) -> bool:
        return any(
            thing.box.aside(at) <= distance and _is_seen_from(state, sight, thing, at)
            for thing in things
        )

    return _path(state, arguments, is_there, things[0].object_id)


def path_to_point(state: State, arguments: Arguments, _: Sight) -> dict[str, Any]:
    """`GetShortestPathToPoint`: the corners of the way to a point.

    :raises ActionFailedError: there is no way.
    """
    target = arguments.get('target')
    x, y, z = place(target if target is not None else arguments)
    allowed = number(arguments, 'allowedError', 0.0) or state.settings.grid

    def is_there(at: Place) -> bool:
        return math.hypot(at[0] - x, at[2] - z) <= allowed

    return _path(state, arguments, is_there, f'({x:.2f}, {y:.2f}, {z:.2f})')


#: All of this file, by the program's names.
ASKING: Mapping[str, Callable[[State, Arguments, Sight], Any]] = {
    'GetInteractablePoses': interactable_poses,
    'GetShortestPath': shortest_path,
    'GetShortestPathToPoint': path_to_point,
}


class _Looking:
    """The agent somewhere else for a moment: `with _Looking(state, metres) as look`."""

    def __init__(self, state: State, distance: float) -> None:
        self._state = state
        self._agent, self._settings = state.agent, state.settings
        self._distance = distance

    def __enter__(self) -> Callable[[Place, float, float, bool], None]:
        self._state.agents[self._state.active] = replace(self._agent)
        self._state.settings = replace(self._settings, visibility=self._distance)
        return self._look

    def _look(self, at: Place, rotation: float, horizon: float, standing: bool) -> None:
        agent = self._state.agent
        agent.position, agent.rotation = at, rotation
        agent.horizon, agent.standing = horizon, standing

    def __exit__(self, *_: object) -> None:
        self._state.agents[self._state.active] = self._agent
        self._state.settings = self._settings


def _is_seen_from(state: State, sight: Sight, thing: Thing, at: Place) -> bool:
    with _Looking(state, state.settings.visibility) as look:
        for angle, horizon in product(_TURNS, _HORIZONS):
            look(at, angle, horizon, True)
            if sight.sees(state, thing):
                return True
    return False


def _path(
    state: State, arguments: Arguments, is_there: Callable[[Place], bool], to: str
) -> dict[str, Any]:
    """Breadth first over the points where the agent can stand; only corners are given."""
    position = arguments.get('position')
    begin = place(position) if position is not None else state.agent.position
    turn(arguments, state.agent.rotation)  # checked, though a way does not hang on it
    height = state.agent.position[1]
    points = [(x, height, z) for x, z in state.scene.reachable]
    start = min(points, key=lambda at: math.dist(at, begin), default=None)
    if start is None or math.hypot(start[0] - begin[0], start[2] - begin[2]) > _FAR:
        raise ActionFailedError('the agent cannot stand where the path begins')
    beside = _beside(points)
    before: dict[Place, Place | None] = {start: None}
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        if is_there(at):
            way = list(_back(at, before))[::-1]
            return {'corners': [{'x': x, 'y': y, 'z': z} for x, y, z in _corners(way)]}
        for other in beside(at):
            if other not in before:
                before[other] = at
                waiting.append(other)
    raise ActionFailedError(f'no path leads to {to}')


def _beside(points: Sequence[Place]) -> Callable[[Place], Iterator[Place]]:
    """The points one step away, straight ahead; the grid is that of the scene."""
    step = min((gap for gap in _gaps(points, 0) + _gaps(points, 2) if gap > 0.01), default=_FAR)
    by_cell = {(round(x / step), round(z / step)): (x, y, z) for x, y, z in points}

    def beside(at: Place) -> Iterator[Place]:
        a, b = round(at[0] / step), round(at[2] / step)
        for cell in ((a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)):
            if cell in by_cell:
                yield by_cell[cell]

    return beside


def _gaps(points: Sequence[Place], axis: int) -> list[float]:
    values = sorted({round(one[axis], 2) for one in points})
    return [b - a for a, b in pairwise(values)]


def _back(at: Place, before: Mapping[Place, Place | None]) -> Iterator[Place]:
    step: Place | None = at
    while step is not None:
        yield step
        step = before[step]


def _corners(way: Sequence[Place]) -> list[Place]:
    """A way without the points between which it goes straight on."""
    kept = [way[0]]
    for i in range(1, len(way) - 1):
        (a, _, b), (c, _, d), (e, _, f) = way[i - 1 : i + 2]
        if abs((c - a) * (f - d) - (d - b) * (e - c)) > 1e-6:
            kept.append(way[i])
    return kept if len(way) == 1 else [*kept, way[-1]]


def _list(arguments: Arguments, name: str, default: Sequence[Any]) -> Sequence[Any]:
    value = arguments.get(name)
    if value is None:
        return default
    if not isinstance(value, list) or not 0 < len(value) <= _LONGEST:
        raise ActionFailedError(f'{name} is a list of 1 to {_LONGEST}', 'InvalidArgument')
    return value


def _numbers(arguments: Arguments, name: str, default: Sequence[float]) -> list[float]:
    return [number({name: one}, name) for one in _list(arguments, name, default)]


def _positions(arguments: Arguments) -> tuple[Place, ...]:
    return tuple(place(one) for one in _list(arguments, 'positions', ()))
