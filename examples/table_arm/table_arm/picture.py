"""What a camera over the table sees: a pinhole that looks straight down, drawn with OpenCV."""

from __future__ import annotations

import cv2
import numpy as np

from table_arm.table import BASE, MARKER, Point, SIDE, SPOTS, Table

#: Pixels; focal length in pixels; height of the lens over the table, m.
WIDTH, LONG, FOCAL, UP = 960, 720, 750.0, 1.2
#: Matrix of the lens, row by row, as CameraInfo has it.
MATRIX = [FOCAL, 0.0, WIDTH / 2 - 0.5, 0.0, FOCAL, LONG / 2 - 0.5, 0.0, 0.0, 1.0]
#: Blue, green, red: of each kind of part.
_COLOURS = {
    'gear': (150, 150, 160),
    'battery': (60, 170, 60),
    'vial': (210, 190, 120),
    'sponge': (70, 210, 230),
}
#: Pixels of a part's own picture, and of its marker in it.
_OWN = 240
_MARKED = round(_OWN * MARKER / SIDE)
#: Finer pixels along each side of one of the picture, for clean edges.
_FINER = 2


def pixel(point: Point) -> tuple[float, float]:
    """Where a point of the table is seen."""
    x, y, z = point
    scale = FOCAL / (UP - z)
    return MATRIX[2] + scale * x, MATRIX[5] - scale * y


class Painter:
    """Draws the table as it is. :param numbers: part -> number of its marker."""

    def __init__(self, numbers: dict[str, int]) -> None:
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
        self._tops = {name: _top(name, number, dictionary) for name, number in numbers.items()}
        self._empty = _empty_table()

    def picture(self, table: Table) -> np.ndarray:
        """Height x width x 3, uint8, blue first."""
        drawn = self._empty.copy()
        for name, at in table.parts.items():
            if name != table.held:
                self._part(drawn, name, at)
        base, hand = pixel((*BASE, 0.3)), pixel(table.hand)
        cv2.line(drawn, _whole(base), _whole(hand), (90, 90, 200), 34, cv2.LINE_AA)
        cv2.circle(drawn, _whole(hand), 24, (70, 70, 170), cv2.FILLED, cv2.LINE_AA)
        if table.held:
            self._part(drawn, table.held, table.parts[table.held])
        return drawn

    def _part(self, drawn: np.ndarray, name: str, at: Point) -> None:
        """Draw a part's top where it is seen, through finer pixels."""
        x, y = pixel(at)
        half = FOCAL / (UP - at[2]) * SIDE / 2
        left, top = int(np.floor(x - half)) - 1, int(np.floor(y - half)) - 1
        side = int(np.ceil(2 * half)) + 4
        if left < 0 or top < 0 or left + side > WIDTH or top + side > LONG:
            return
        patch = drawn[top : top + side, left : left + side]
        fine = cv2.resize(patch, None, fx=_FINER, fy=_FINER, interpolation=cv2.INTER_NEAREST)
        scale = 2 * half * _FINER / _OWN
        # Middles of pixels are at whole numbers, their edges at halves.
        shift_x = (x - half - left + 0.5) * _FINER - 0.5 + 0.5 * scale
        shift_y = (y - half - top + 0.5) * _FINER - 0.5 + 0.5 * scale
        way = np.array([[scale, 0, shift_x], [0, scale, shift_y]])
        size = fine.shape[1::-1]
        shrunk = cv2.GaussianBlur(self._tops[name], (0, 0), max(0.1, 0.4 / scale))
        seen = cv2.warpAffine(shrunk, way, size, flags=cv2.INTER_LINEAR)
        there = cv2.warpAffine(np.full((_OWN, _OWN), 255, np.uint8), way, size)
        fine[there > 127] = seen[there > 127]
        patch[:] = cv2.resize(fine, (side, side), interpolation=cv2.INTER_AREA)


def _top(name: str, number: int, dictionary: cv2.aruco.Dictionary) -> np.ndarray:
    """A part from above: its colour around a white paper with its marker."""
    top = np.full((_OWN, _OWN, 3), _COLOURS[name.split()[0]], np.uint8)
    edge = (_OWN - _MARKED) // 2
    paper = edge // 4, _OWN - edge // 4
    top[paper[0] : paper[1], paper[0] : paper[1]] = 245
    marker = cv2.aruco.generateImageMarker(dictionary, number, _MARKED)
    shown = np.where(marker > 0, 245, 20).astype(np.uint8)
    top[edge : edge + _MARKED, edge : edge + _MARKED] = shown[:, :, None]
    return top


def _empty_table() -> np.ndarray:
    drawn = np.full((LONG, WIDTH, 3), (110, 140, 165), np.uint8)
    grain = np.random.default_rng(1).normal(0, 4, (LONG, WIDTH, 1))
    for name, (x, y) in SPOTS.items():
        corners = [_whole(pixel((x + a, y + b, 0.0))) for a, b in ((-0.2, 0.2), (0.2, -0.2))]
        cv2.rectangle(drawn, *corners, (150, 160, 170), cv2.FILLED)
        cv2.rectangle(drawn, *corners, (90, 100, 110), 2, cv2.LINE_AA)
        at = _whole(pixel((x - 0.19, y - 0.185, 0.0)))
        cv2.putText(drawn, name, at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (60, 70, 80), 1, cv2.LINE_AA)
    return np.clip(drawn + grain, 0, 255).astype(np.uint8)


def _whole(point: tuple[float, float]) -> tuple[int, int]:
    return round(point[0]), round(point[1])
