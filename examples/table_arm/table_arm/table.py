"""The table: parts with markers on trays, and a hand over them."""

from __future__ import annotations

import itertools
import math

#: Where parts lie; x to the right and y away from the arm's base, m.
SPOTS = {
    'left tray': (-0.45, 0.05),
    'scale': (0.0, 0.25),
    'right tray': (0.45, 0.05),
    'bin': (0.0, -0.2),
}
#: Part -> number of its marker, and where it lies at first.
PARTS = {
    'gear 1': (1, 'left tray'),
    'gear 2': (2, 'left tray'),
    'battery 1': (3, 'right tray'),
    'vial 1': (4, 'right tray'),
    'sponge 1': (5, 'scale'),
}
#: Side and height of a part, and side of its marker, m.
SIDE, HEIGHT, MARKER = 0.08, 0.03, 0.05
#: Where the hand waits, out of the camera's view, and its base.
REST, BASE = (0.0, -0.62, 0.3), (0.0, -0.75)
#: Farthest from its base that the hand comes, m; m/s of it.
REACH, SPEED = 1.15, 0.8
#: Gap of the gripper, m: open, around a part, and closed on nothing.
OPEN, AROUND, SHUT = 0.1, SIDE, 0.0
#: How near the hand must be to the top of a part to hold it, m.
GRASP = 0.03
#: Parts that lie nearer to each other than this push each other aside, m.
_APART = SIDE + 0.008

Point = tuple[float, float, float]


class Table:
    """Everything that moves."""

    def __init__(self) -> None:
        self.hand: Point = REST
        self.gap = OPEN
        #: Times as fast.
        self.hurry = 1.0
        #: How many times the gripper will miss.
        self.misses = 0
        #: The part in the hand; '' for none.
        self.held = ''
        #: Parts in the order in which they were taken, and put down.
        self.touched: list[str] = []
        self.put_down: list[str] = []
        #: Middle of each part's top.
        self.parts: dict[str, Point] = {}
        self.lay_out({name: spot for name, (_, spot) in PARTS.items()})

    def lay_out(self, places: dict[str, str]) -> None:
        """Put parts where they begin. :param places: part -> its spot."""
        self.parts, self.held = {}, ''
        self.touched, self.put_down = [], []
        for name, spot in places.items():
            self.parts[name] = self._free(*SPOTS[spot])

    def _free(self, x: float, y: float) -> Point:
        """The free place nearest to a point: what is put on a part slides off it."""
        steps = [step * _APART for step in range(-2, 3)]
        around = sorted(itertools.product(steps, steps), key=lambda at: math.hypot(*at))
        for right, away in around:
            at = (x + right, y + away, HEIGHT)
            others = (other for name, other in self.parts.items() if name != self.held)
            if all(math.dist(at[:2], other[:2]) >= _APART - 1e-6 for other in others):
                return at
        return (x, y, HEIGHT)

    def reaches(self, point: Point) -> bool:
        """Whether the hand can be there."""
        away = math.dist(point[:2], BASE)
        return away <= REACH and 0.0 <= point[2] <= 0.5

    def way(self, goal: Point) -> list[Point]:
        """Points from where the hand is to a goal."""
        count = max(1, round(math.dist(self.hand, goal) / 0.04))
        return [
            tuple(a + (b - a) * step / count for a, b in zip(self.hand, goal, strict=True))
            for step in range(1, count + 1)
        ]

    def move(self, point: Point) -> None:
        """Put the hand there, with what it holds."""
        self.hand = point
        if self.held:
            self.parts[self.held] = point

    def close(self) -> bool:
        """Close the gripper. :return: whether a part is between its fingers."""
        if self.misses > 0:
            self.misses -= 1
        elif not self.held and self.parts:
            nearest = min(self.parts, key=lambda name: math.dist(self.parts[name], self.hand))
            if math.dist(self.parts[nearest], self.hand) < GRASP:
                self.held = nearest
                self.touched.append(nearest)
        self.gap = AROUND if self.held else SHUT
        return bool(self.held)

    def open(self) -> None:
        """Open the gripper; what it held lies below."""
        self.gap = OPEN
        if self.held:
            at = self._free(*self.parts[self.held][:2])
            self.parts[self.held] = at
            self.put_down.append(self.held)
            self.held = ''

    def spot_of(self, name: str) -> str:
        """Where a part lies; '' for nowhere with a name."""
        x, y, _ = self.parts[name]
        if name == self.held:
            return ''
        near = min(SPOTS, key=lambda spot: math.dist(SPOTS[spot], (x, y)))
        return near if math.dist(SPOTS[near], (x, y)) < 0.2 else ''
