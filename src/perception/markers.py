"""Markers in a picture: ArUco and AprilTag, found by OpenCV, with their poses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from perception.cameras import Lens
from perception.cameras import pose_of_vectors
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

    :param name: of the thing, or of its class where it is told by no name of its own.
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

        A marker that is there twice tells nothing: which of them is the thing?
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
    """Corners to a fraction of a pixel; a pose turns on it."""
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    reach = int(np.clip(sides.min() / 12, 2, 6))
    ends = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 0.005)
    given = np.ascontiguousarray(corners, np.float32).reshape(4, 1, 2)
    return np.asarray(cv2.cornerSubPix(grey, given, (reach, reach), (-1, -1), ends)).reshape(4, 2)


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
