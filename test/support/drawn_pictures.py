"""Pictures of known geometry: markers drawn by OpenCV as a lens would see them."""

from __future__ import annotations

from types import SimpleNamespace

import cv2
import numpy as np

from perception.cameras import Lens
from robot_bridge.poses import Pose

#: Finer pixels that one of the picture is made of, along each side.
_FINER = 4
#: Pixels of a marker's own picture, and of the white around it.
_SIDE, _WHITE = 240, 60


def lens(width=1280, height=960, focal=1000.0, terms=()):
    """One whose middle is the picture's."""
    matrix = np.array([[focal, 0, width / 2 - 0.5], [0, focal, height / 2 - 0.5], [0, 0, 1]])
    return Lens(matrix, np.array(terms, float), width, height)


def rotation(pose: Pose) -> np.ndarray:
    """A pose's axes as columns."""
    x, y, z, w = pose.qx, pose.qy, pose.qz, pose.qw
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turned(a: Pose, b: Pose) -> float:
    """Angle between two orientations, degrees."""
    dot = abs(a.qx * b.qx + a.qy * b.qy + a.qz * b.qz + a.qw * b.qw)
    return float(np.degrees(2 * np.arccos(min(1.0, dot))))


def draw_marker(pixels: np.ndarray, family: str, number: int, size: float, pose: Pose, of: Lens):
    """Draw a marker on white paper into a grey picture, at a pose in the camera's frame."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, f'DICT_{family.upper()}'))
    marker = cv2.aruco.generateImageMarker(dictionary, number, _SIDE)
    paper = np.full((_SIDE + 2 * _WHITE,) * 2, 235, np.uint8)
    paper[_WHITE:-_WHITE, _WHITE:-_WHITE] = np.where(marker > 0, 235, 20)
    # Corners of the black square, in pixels of the paper and in metres.
    low, high, half = _WHITE - 0.5, _WHITE + _SIDE - 0.5, size / 2
    on_paper = np.array([(low, low), (high, low), (high, high), (low, high)], np.float32)
    square = np.array([(-half, half, 0), (half, half, 0), (half, -half, 0), (-half, -half, 0)])
    points = square @ rotation(pose).T + (pose.x, pose.y, pose.z)
    flat = (points / points[:, 2:]) @ of.matrix.T
    fine = ((flat[:, :2] + 0.5) * _FINER - 0.5).astype(np.float32)
    height, width = pixels.shape[0] * _FINER, pixels.shape[1] * _FINER
    way = cv2.getPerspectiveTransform(on_paper, fine)
    drawn = cv2.warpPerspective(paper, way, (width, height), flags=cv2.INTER_AREA)
    there = cv2.warpPerspective(np.full_like(paper, 255), way, (width, height))
    drawn = cv2.resize(drawn, pixels.shape[::-1], interpolation=cv2.INTER_AREA)
    there = cv2.resize(there, pixels.shape[::-1], interpolation=cv2.INTER_AREA)
    pixels[there > 250] = drawn[there > 250]


def message(pixels: np.ndarray, encoding: str = '', filler: int = 0):
    """A picture as a camera publishes it. :param filler: bytes at the end of each line."""
    height, width = pixels.shape[:2]
    encoding = encoding or ('mono8' if pixels.ndim == 2 else 'bgr8')
    lines = np.ascontiguousarray(pixels).reshape(height, -1).view(np.uint8)
    lines = np.pad(lines, ((0, 0), (0, filler)))
    return SimpleNamespace(
        height=height,
        width=width,
        encoding=encoding,
        step=lines.shape[1],
        is_bigendian=0,
        data=lines.tobytes(),
        header=SimpleNamespace(frame_id='camera', stamp=SimpleNamespace(sec=0, nanosec=0)),
    )
