"""Actions that move the agent."""

from __future__ import annotations

import math
from typing import Any

from sim_bridge.worlds.thor.stand_in.arguments import Arguments, flag, number, turn
from sim_bridge.worlds.thor.stand_in.state import ActionFailedError, State

#: Degrees down that the camera turns at most, and up.
LOWEST, HIGHEST = 60.0, -30.0
_LOOK = 30.0
_TURN = 90.0


def teleport(state: State, arguments: Arguments) -> None:
    """`TeleportFull` and `Teleport`: to a point where the agent can stand."""
    agent = state.agent
    x = number(arguments, 'x', agent.position[0])
    z = number(arguments, 'z', agent.position[2])
    horizon = number(arguments, 'horizon', agent.horizon)
    rotation = turn(arguments, agent.rotation)
    if not flag(arguments, 'forceAction') and not state.reaches(x, z):
        raise ActionFailedError(f'({x:.2f}, {z:.2f}) is no point where the agent can stand now')
    # The published environment asks for any pitch, and the program takes it.
    if not -90.0 <= horizon <= 90.0:
        raise ActionFailedError(f'the horizon {horizon:.0f} is outside -90 to 90')
    state.stand(x, z)
    agent.rotation, agent.horizon = rotation, horizon
    agent.standing = flag(arguments, 'standing', agent.standing)
    state.carry()


def _step(state: State, arguments: Arguments, right: float, ahead: float) -> None:
    length = number(arguments, 'moveMagnitude', 0.0) or state.settings.grid
    angle = math.radians(state.agent.rotation)
    x = state.agent.position[0] + length * (ahead * math.sin(angle) + right * math.cos(angle))
    z = state.agent.position[2] + length * (ahead * math.cos(angle) - right * math.sin(angle))
    if not flag(arguments, 'forceAction') and not state.reaches(x, z):
        raise ActionFailedError(f'something is in the way at ({x:.2f}, {z:.2f})')
    state.stand(x, z)
    state.carry()


def move_ahead(state: State, arguments: Arguments) -> None:
    """`MoveAhead`."""
    _step(state, arguments, 0.0, 1.0)


def move_back(state: State, arguments: Arguments) -> None:
    """`MoveBack`."""
    _step(state, arguments, 0.0, -1.0)


def move_right(state: State, arguments: Arguments) -> None:
    """`MoveRight`."""
    _step(state, arguments, 1.0, 0.0)


def move_left(state: State, arguments: Arguments) -> None:
    """`MoveLeft`."""
    _step(state, arguments, -1.0, 0.0)


def rotate_right(state: State, arguments: Arguments) -> None:
    """`RotateRight`."""
    state.agent.rotation = (state.agent.rotation + _degrees(arguments, _TURN)) % 360.0
    state.carry()


def rotate_left(state: State, arguments: Arguments) -> None:
    """`RotateLeft`."""
    state.agent.rotation = (state.agent.rotation - _degrees(arguments, _TURN)) % 360.0
    state.carry()


def look_up(state: State, arguments: Arguments) -> None:
    """`LookUp`."""
    _look(state, -_degrees(arguments, _LOOK))


def look_down(state: State, arguments: Arguments) -> None:
    """`LookDown`."""
    _look(state, _degrees(arguments, _LOOK))


def _look(state: State, by: float) -> None:
    horizon = state.agent.horizon + by
    if not HIGHEST - 1e-3 <= horizon <= LOWEST + 1e-3:
        raise ActionFailedError(f'the camera turns from {HIGHEST:.0f} to {LOWEST:.0f} degrees')
    state.agent.horizon = horizon


def _degrees(arguments: Arguments, default: float) -> float:
    # Zero stands for nothing said, as in the program.
    return number(arguments, 'degrees', 0.0) or default


def stand(state: State, _: Arguments) -> None:
    """`Stand`."""
    _posture(state, standing=True)


def crouch(state: State, _: Arguments) -> None:
    """`Crouch`."""
    _posture(state, standing=False)


def _posture(state: State, standing: bool) -> None:
    if state.agent.standing == standing:
        raise ActionFailedError(f'the agent {"stands" if standing else "crouches"} already')
    state.agent.standing = standing


def reachable_positions(state: State, _: Arguments) -> list[dict[str, Any]]:
    """`GetReachablePositions`: where the agent can stand."""
    height = state.agent.position[1]
    return [{'x': x, 'y': height, 'z': z} for x, z in state.scene.reachable]
