"""Markers in a picture: ArUco and AprilTag, found by OpenCV, with their poses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from perception.cameras import Lens, pose_of_vectors
from perception.pictures import Pixels
from robot_bridge.perception_file import MarkersEntry
from robot_bridge.poses import Pose

#: Side of a picture in pixels above which it is halved to find markers; corners are then found in
#: the whole one.
_LONGEST = 2000
#: Error of a pose in the picture above which it is none, pixels.
_MOST_ERROR = 3.0


@dataclass(frozen=True, slots=True)
class Sighting:
    """One thing in one picture.

    :param name: of the thing, or of its class where it is given by no name of its own.
    :param pose: in the camera's optical frame, or the one that it names.
    :param outline: corners in the picture, pixels. :param unique: whether the name is its own.
    """

    name: str
    pose: Pose
    outline: tuple[float, ...] = ()
    score: float = 1.0
    unique: bool = True


class MarkerFinder:
    """Finds the markers that a robot's file names."""

    def __init__(self, entries: Sequence[MarkersEntry]) -> None:
        self._families = [(entry, _detector(entry)) for entry in entries]

    def find(self, grey: Pixels, lens: Lens, frame: str) -> list[Sighting]:
        """Things whose markers are in a picture, in the camera's optical frame.

        A marker that is there twice says nothing: which of them is the thing?
        """
        halved = max(grey.shape) > _LONGEST
        small = np.asarray(cv2.pyrDown(grey), np.uint8) if halved else grey
        found = []
        for entry, detector in self._families:
            outlines, numbers, _ = detector.detectMarkers(small)
            if numbers is None:
                continue
            ids = [int(number) for number in np.asarray(numbers).reshape(-1)]
            times = Counter(ids)
            for outline, number in zip(outlines, ids, strict=True):
                if number in entry.names and times[number] == 1:
                    corners = np.asarray(outline, np.float32).reshape(4, 2)
                    corners = _refined(grey, corners * 2 + 0.5 if halved else corners)
                    pose = _pose(corners, entry.size, lens, frame)
                    if pose is not None:
                        flat = tuple(float(part) for part in corners.reshape(-1))
                        found.append(Sighting(entry.names[number], pose, flat))
        return found


def _detector(entry: MarkersEntry) -> cv2.aruco.ArucoDetector:
    family = getattr(cv2.aruco, f'DICT_{entry.dictionary.upper()}')
    parameters = cv2.aruco.DetectorParameters()
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(family), parameters)


def _refined(grey: Pixels, corners: np.ndarray) -> np.ndarray:
    """Corners to a few hundredths of a pixel, where lines through the four edges meet.

    A pose turns on it: OpenCV's own refinements are off by up to a tenth of a pixel with small
    markers (by window) or with edges along the pixels (by gradients), which is 1 cm at 1.2 m.
    """
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    # Half a cell of the finest family at most, so that only the edge is in it.
    reach = float(np.clip(sides.min() / 16, 1.5, 5.0))
    ends = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 0.005)
    around = (max(2, round(reach)),) * 2
    given = np.ascontiguousarray(corners, np.float32).reshape(4, 1, 2)
    near = np.asarray(cv2.cornerSubPix(grey, given, around, (-1, -1), ends)).reshape(4, 2)
    lines = [_edge(grey, near[side], near[(side + 1) % 4], reach) for side in range(4)]
    found = near.copy()
    for corner in range(4):
        (along, at), (other, there) = lines[corner - 1], lines[corner]
        ways = np.array([along, -other]).T
        if abs(np.linalg.det(ways)) > 0.1:
            found[corner] = at + along * np.linalg.solve(ways, there - at)[0]
    good = np.isfinite(found).all() and np.abs(found - near).max() <= reach
    return found if good else near


def _edge(
    grey: Pixels, begin: np.ndarray, end: np.ndarray, reach: float
) -> tuple[np.ndarray, np.ndarray]:
    """Direction and a point of the line along which bright becomes dark, in pixels."""
    along = (end - begin) / max(1e-6, float(np.linalg.norm(end - begin)))
    across = np.array([-along[1], along[0]])
    count = int(np.clip(np.linalg.norm(end - begin), 8, 80))
    starts = begin + np.linspace(0.12, 0.88, count)[:, None] * (end - begin)
    steps = np.arange(-reach, reach + 0.01, 0.25)
    points = (starts[:, None] + steps[None, :, None] * across).astype(np.float32)
    levels = cv2.remap(grey, points[..., 0], points[..., 1], cv2.INTER_LINEAR).astype(float)
    change = np.abs(np.diff(levels, axis=1))
    # What changes little is grain.
    change = np.where(change < 0.25 * change.max(axis=1, keepdims=True), 0.0, change)
    weights = change.sum(axis=1)
    middles = (steps[:-1] + steps[1:]) / 2
    away = (change * middles).sum(axis=1) / np.maximum(weights, 1e-9)
    on_edge = (starts + away[:, None] * across)[weights > 0].astype(np.float32)
    if len(on_edge) < 4:
        return along, begin.astype(float)
    line = np.asarray(cv2.fitLine(on_edge, cv2.DIST_HUBER, 0, 0.01, 0.01), float).reshape(4)
    return line[:2], line[2:]


def _pose(corners: np.ndarray, size: float, lens: Lens, frame: str) -> Pose | None:
    """Of a marker's middle, z out of it; None where the corners are those of no square."""
    half = size / 2
    square = np.array(
        [(-half, half, 0), (half, half, 0), (half, -half, 0), (-half, -half, 0)], float
    )
    # Two poses of a square look nearly alike, and what is exactly in front of a lens is a special
    # case that IPPE misses: all starts are refined, and the one that fits best is taken.
    given = corners.astype(float)
    starts: list[tuple[np.ndarray, np.ndarray]] = []
    for method in (cv2.SOLVEPNP_IPPE_SQUARE, cv2.SOLVEPNP_ITERATIVE):
        _, turns, shifts, _ = cv2.solvePnPGeneric(
            square, given, lens.matrix, lens.terms, flags=method
        )
        starts += zip(turns, shifts, strict=True)
    best: tuple[float, np.ndarray, np.ndarray] | None = None
    for start in starts:
        turn, shift = cv2.solvePnPRefineLM(square, given, lens.matrix, lens.terms, *start)
        seen, _ = cv2.projectPoints(square, turn, shift, lens.matrix, lens.terms)
        error = float(np.sqrt(np.mean((np.asarray(seen).reshape(4, 2) - given) ** 2)))
        if shift.reshape(3)[2] > 0 and error < (best[0] if best else _MOST_ERROR):
            best = error, turn, shift
    if best is None:
        return None
    return pose_of_vectors(frame, np.asarray(best[1], float), np.asarray(best[2], float))
