"""An errand of a robot that knows the whole home: where it has come to, and by which skills."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """Where an errand ended.

    :param stand: fixture the robot stands at; None in the middle of a room.
    :param receptacle: fixture that things are put down at now.
    :param held: things in the hands, with the class each is meant for.
    :param opened: what has been opened on the way.
    :param missing: how many of each class are not fetched yet, in the goal's order.
    :param used: things fetched already.
    """

    room: int
    stand: int | None
    receptacle: int | None
    held: tuple[int, ...]
    opened: frozenset[int]
    missing: tuple[int, ...]
    used: frozenset[int]
    switched: bool

    @property
    def is_done(self) -> bool:
        """Whether everything has been brought and turned on."""
        return not self.held and not any(self.missing) and self.switched


@dataclass(frozen=True, slots=True)
class Errand:
    """A position and how it was reached.

    :param estimate: cost and what it takes at least from here.
    """

    target: int
    position: Position
    skills: tuple[str, ...] = ()

    @property
    def cost(self) -> int:
        """Skills so far."""
        return len(self.skills)

    @property
    def estimate(self) -> int:
        """Cost so far, a pick and a put for everything that is missing, and the switch."""
        position = self.position
        return (
            self.cost
            + 2 * sum(position.missing)
            + len(position.held)
            + (0 if position.switched else 1)
        )
