"""Boxes with sides parallel to the axes, in metres; y points up, as in VirtualHome."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    """Centre (x, y, z) and full sizes (width along x, height along y, depth along z)."""

    x: float
    y: float
    z: float
    width: float
    height: float
    depth: float

    @property
    def bottom(self) -> float:
        """Lowest y."""
        return self.y - self.height / 2

    @property
    def top(self) -> float:
        """Highest y."""
        return self.y + self.height / 2

    @property
    def west(self) -> float:
        """Lowest x."""
        return self.x - self.width / 2

    @property
    def east(self) -> float:
        """Highest x."""
        return self.x + self.width / 2

    @property
    def south(self) -> float:
        """Lowest z."""
        return self.z - self.depth / 2

    @property
    def north(self) -> float:
        """Highest z."""
        return self.z + self.depth / 2

    def overlaps(self, other: Box, margin: float = 0.0) -> bool:
        """Whether the two share space, or come nearer than margin along every axis."""
        return (
            abs(self.x - other.x) < (self.width + other.width) / 2 + margin
            and abs(self.y - other.y) < (self.height + other.height) / 2 + margin
            and abs(self.z - other.z) < (self.depth + other.depth) / 2 + margin
        )

    def contains(self, other: Box, slack: float = 1e-6) -> bool:
        """Whether the other lies within."""
        return (
            self.west - slack <= other.west
            and other.east <= self.east + slack
            and self.bottom - slack <= other.bottom
            and other.top <= self.top + slack
            and self.south - slack <= other.south
            and other.north <= self.north + slack
        )

    def as_graph(self) -> dict[str, list[float]]:
        """In VirtualHome's form, rounded to millimetres."""
        return {
            'center': [round(self.x, 3), round(self.y, 3), round(self.z, 3)],
            'size': [round(self.width, 3), round(self.height, 3), round(self.depth, 3)],
        }
