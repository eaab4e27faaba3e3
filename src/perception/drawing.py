"""What was seen, drawn over the picture, for people."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from perception.perceiver import MARKER
from perception.pictures import Pixels
from perception.tracking import Track
from perception.vision_language import Answer

#: Blue, green, red: of markers, of detections, of what a model says, and behind words.
_MARKER, _DETECTOR, _MODEL, _BEHIND = (80, 220, 60), (255, 170, 40), (60, 170, 255), (30, 30, 30)
#: Height of words, pixels.
_WORDS = 20


def drawn_over(
    pixels: Pixels, tracks: Sequence[Track], answers: Sequence[Answer], longest: int
) -> Pixels:
    """A small picture with outlines and names; what a model says stands below.

    :param tracks: of this camera. :param longest: pixels of the longer side.
    """
    height, width = pixels.shape[:2]
    scale = min(1.0, longest / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    drawn = np.array(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    font = cv2.FontFace('sans')
    taken: list[tuple[int, int, int, int]] = []
    for track in tracks:
        corners = np.array(track.outline, float).reshape(-1, 2) * scale
        if not len(corners) or not np.isfinite(corners).all():
            continue
        colour = _MARKER if track.by.startswith(MARKER) else _DETECTOR
        points = np.clip(corners, -1e4, 1e4).round().astype(np.int32)
        cv2.polylines(drawn, [points], True, colour, 2, cv2.LINE_AA)
        left, top = (int(part) for part in points.min(axis=0))
        bottom = int(points[:, 1].max())
        # Above it, or where another name is already, below.
        _write(
            drawn, track.name, [(left, top - 6), (left, bottom + _WORDS + 4)], colour, font, taken
        )
    for row, answer in enumerate(answers):
        label = ', '.join(filter(None, (answer.place, answer.state)))
        words = f'{answer.name}: {label} (a model says so)'
        at = (8, drawn.shape[0] - 8 - row * (_WORDS + 8))
        _write(drawn, words, [at], _MODEL, font, taken)
    return drawn


def _write(
    drawn: Pixels,
    words: str,
    places: Sequence[tuple[int, int]],
    colour: tuple[int, int, int],
    font: cv2.FontFace,
    taken: list[tuple[int, int, int, int]],
) -> None:
    """Words on a dark ground, inside the picture, at the first place that is free, or the last.

    :param taken: left, top, right and bottom of what is written already; gets these words.
    """
    height, width = drawn.shape[:2]
    words = words[:80]
    _, _, long, _ = cv2.getTextSize((0, 0), words, (0, 0), font, _WORDS)
    for at in places:
        x = int(np.clip(at[0], 2, max(2, width - long - 4)))
        y = int(np.clip(at[1], _WORDS + 2, max(_WORDS + 2, height - 4)))
        box = (x - 2, y - _WORDS, x + long + 2, y + 4)
        if not any(
            box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
            for other in taken
        ):
            break
    taken.append(box)
    cv2.rectangle(drawn, box[:2], box[2:], _BEHIND, cv2.FILLED)
    cv2.putText(drawn, words, (x, y), colour, font, _WORDS)
