"""The hall: a robot that drives, an arm that reaches, a gripper that may miss, and crates."""

import math

#: Where the robot stands before each of its places: x and y in m, yaw in rad.
SPOTS = {
    'shelf 1': (4.0, 2.0, 0.0),
    'shelf 2': (4.0, -2.0, 0.0),
    'packing table': (0.0, 3.0, math.pi / 2),
}
CHARGER = (-2.0, 0.0, math.pi)
#: How far ahead of such a spot crates stand, m.
AHEAD = 0.6
#: m/s and rad/s.
SPEED = 1.0
#: How near the arm must reach to a crate, and how far away crates are seen, m.
GRASP, SIGHT = 0.15, 1.5
#: Gap of the gripper, m: open, around a crate, and closed on nothing.
OPEN, AROUND, SHUT = 0.08, 0.05, 0.0


class Hall:
    """Everything that moves; `advance` lets time pass.

    :param other: the same hall as another robot has it: they share the crates.
    """

    def __init__(self, other: 'Hall | None' = None) -> None:
        self.x, self.y, self.yaw = CHARGER
        if other is not None:
            self.y = other.y - 1.0
        self.speed = SPEED
        #: Circles that nothing drives through: x, y, radius.
        self.obstacles: list[tuple[float, float, float]] = []
        #: How many times the gripper will miss.
        self.misses = 0
        self.gap = OPEN
        self.held = ''
        #: Where the hand is; None while the arm is folded.
        self.hand: tuple[float, float] | None = None
        #: Crates that stand somewhere; one that is held is not among them.
        self.crates = (
            other.crates
            if other is not None
            else {
                '1': ahead('shelf 1', -0.2),
                '2': ahead('shelf 1', 0.2),
                '3': ahead('shelf 2', 0.0),
            }
        )

    def distance(self, x: float, y: float) -> float:
        """From the robot to a point, m."""
        return math.hypot(x - self.x, y - self.y)

    def advance(self, x: float, y: float, yaw: float, seconds: float) -> str:
        """Drive on towards a pose. :return: 'driving', 'arrived' or 'blocked'."""
        left = self.distance(x, y)
        if left < 1e-6:
            self.yaw = yaw
            return 'arrived'
        part = min(1.0, self.speed * seconds / left)
        next_x, next_y = self.x + part * (x - self.x), self.y + part * (y - self.y)
        for at_x, at_y, radius in self.obstacles:
            nearer = math.hypot(next_x - at_x, next_y - at_y) < math.hypot(
                self.x - at_x, self.y - at_y
            )
            if nearer and math.hypot(next_x - at_x, next_y - at_y) < radius:
                return 'blocked'
        self.yaw = math.atan2(y - self.y, x - self.x)
        self.x, self.y = next_x, next_y
        return 'driving'

    def seen(self) -> dict[str, tuple[float, float]]:
        """Crates near the robot that stand somewhere, with their positions."""
        return {
            name: where
            for name, where in self.crates.copy().items()
            if self.distance(*where) < SIGHT
        }

    def close_gripper(self) -> bool:
        """Close it. :return: whether a crate is between its fingers."""
        self.gap = SHUT
        if self.misses > 0:
            self.misses -= 1
        elif self.hand is not None:
            for name, where in self.seen().items():
                if not self.held and math.dist(where, self.hand) < GRASP:
                    self.held, self.gap = name, AROUND
                    del self.crates[name]
        return bool(self.held)

    def open_gripper(self) -> None:
        """Open it; a crate stays where the hand is."""
        self.gap = OPEN
        if self.held and self.hand is not None:
            self.crates[self.held] = self.hand
        self.held = ''


def ahead(spot: str, aside: float) -> tuple[float, float]:
    """Where a crate stands ahead of a spot. :param aside: m to the left."""
    x, y, yaw = SPOTS[spot]
    return (
        x + AHEAD * math.cos(yaw) - aside * math.sin(yaw),
        y + AHEAD * math.sin(yaw) + aside * math.cos(yaw),
    )
