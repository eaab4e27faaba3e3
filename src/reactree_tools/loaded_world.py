"""What a bridge tells about its world, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoadedWorld:
    """What a reset has loaded; the fields are those of ResetWorld.srv."""

    scene: str
    task_id: str
    instruction: str
    message: str
    observation: str


@dataclass(frozen=True, slots=True)
class WorldState:
    """The state of a world; the fields are those of GetWorldState.srv.

    :param score: 0..1; None where the world gives none.
    """

    has_goal: bool
    conditions_met: int
    conditions_total: int
    success: bool
    scene: str
    task_id: str
    instruction: str
    conditions: tuple[str, ...] = ()
    graph: str = ''
    skills_executed: int = 0
    score: float | None = None
