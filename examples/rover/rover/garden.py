"""The garden: a rover that drives, plants that dry, a gate that others open, and a charger."""

import math

#: Where the rover stands at each of its places, m: two rows of beds, a plant in each.
SPOTS = {
    'charger': (0.0, 0.0),
    'shed': (0.0, 4.0),
    'gate 1': (6.0, 0.0),
    'yard': (9.0, 0.0),
    **{f'bed {n}': (1.0 + n, 2.0) for n in (1, 2, 3)},
    **{f'bed {n}': (n - 2.0, -2.0) for n in (4, 5, 6)},
}
#: Beyond this x lies the yard, behind the gate.
FENCE = 7.0
#: m/s; parts of the charge for a metre, and gained in a second; percent of moisture for a ml.
SPEED, DRAIN, CHARGE, SOAK = 2.0, 0.005, 0.1, 0.1
#: How near it must stand, m.
NEAR = 0.3


class Garden:
    """Everything that changes; `advance` lets time pass."""

    def __init__(self) -> None:
        self.x, self.y = SPOTS['charger']
        #: Part of 1.
        self.charge = 0.9
        self.charging = False
        #: Percent, by the plant's number; NaN where a probe tells nothing.
        self.moisture = {1: 50.0, 2: 55.0, 3: 22.0, 4: 60.0, 5: 48.0, 6: 52.0}
        self.ripe: set[int] = set()
        self.photographed: list[int] = []
        self.watered: dict[int, float] = {}
        self.gate_is_open = False
        #: Seconds until somebody opens the gate; None for never.
        self.opens_after: float | None = None
        self.seconds = 0.0
        #: Places where it has stopped, with when it came and when it left (None: it is there),
        #: and the charge as it came, or left.
        self.stops: list[list] = [['charger', 0.0, None, self.charge]]

    @property
    def place(self) -> str:
        """Where it stands; '' for no place with a name."""
        return next((name for name, spot in SPOTS.items() if self.distance(*spot) < NEAR), '')

    def distance(self, x: float, y: float) -> float:
        """From the rover to a point, m."""
        return math.hypot(x - self.x, y - self.y)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds
        if self.opens_after is not None and self.seconds >= self.opens_after:
            self.gate_is_open = True
        if self.charging and self.place == 'charger':
            self.charge = min(1.0, self.charge + CHARGE * seconds)

    def drive(self, x: float, y: float, seconds: float) -> str:
        """Drive on towards a point. :return: 'driving', 'arrived', 'blocked' or 'empty'."""
        self.charging = False
        if self.stops[-1][2] is None:
            self.stops[-1][2:] = [self.seconds, self.charge]
        left = self.distance(x, y)
        if left < 1e-6:
            self.stops.append([self.place, self.seconds, None, self.charge])
            return 'arrived'
        part = min(1.0, SPEED * seconds / left)
        next_x = self.x + part * (x - self.x)
        if (self.x < FENCE) != (next_x < FENCE) and not self.gate_is_open:
            return 'blocked'
        if self.charge <= 0.0:
            return 'empty'
        self.x, self.y = next_x, self.y + part * (y - self.y)
        self.charge = max(0.0, self.charge - DRAIN * part * left)
        return 'driving'

    def water(self, plant: int, amount: float) -> str:
        """Water a plant. :return: why it cannot be; '' when it is."""
        if self.place != f'bed {plant}':
            return f'plant {plant} is out of reach'
        self.watered[plant] = self.watered.get(plant, 0.0) + amount
        self.moisture[plant] = min(100.0, self.moisture[plant] + SOAK * amount)
        return ''

    def photograph(self, plant: int) -> str:
        """Take a picture of a plant. :return: why it cannot be; '' when it is."""
        if self.place != f'bed {plant}':
            return f'plant {plant} is out of sight'
        self.photographed.append(plant)
        return ''
