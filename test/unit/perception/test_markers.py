"""Markers in pictures of known geometry."""

from __future__ import annotations

import numpy as np
import pytest

from perception.markers import MarkerFinder
from robot_bridge.perception_file import (
    MarkersEntry,
    MountEntry,
)
from robot_bridge.poses import Pose
from support.drawn_pictures import (
    draw_marker,
    lens,
    turned,
)


def pose_of(x, y, z, roll, pitch, yaw):
    """In the camera's frame, degrees; a marker that faces the camera is turned over about x."""
    mount = MountEntry(
        frame='camera',
        roll=float(np.radians(180 + roll)),
        pitch=float(np.radians(pitch)),
        yaw=float(np.radians(yaw)),
    )
    return Pose('camera', x, y, z, *mount.quaternion)


def find(poses, family='4x4_50', size=0.1, of=None, noise=0.0):
    of = of or lens()
    pixels = np.full((of.height, of.width), 150, np.uint8)
    for number, pose in poses.items():
        draw_marker(pixels, family, number, size, pose, of)
    if noise:
        grain = np.random.default_rng(1).normal(0, noise, pixels.shape)
        pixels = np.clip(pixels + grain, 0, 255).astype(np.uint8)
    names = {number: f'crate {number}' for number in poses}
    entry = MarkersEntry(dictionary=family, size=size, names=names)
    return {one.name: one for one in MarkerFinder([entry]).find(pixels, of, 'camera')}


@pytest.mark.parametrize('family', ['4x4_50', '6x6_250', 'apriltag_36h11', 'apriltag_25h9'])
@pytest.mark.parametrize(
    'pose',
    [
        (0.0, 0.0, 1.0, 0, 0, 0),
        (0.2, -0.15, 1.0, 0, 0, 30),
        (-0.3, 0.2, 0.9, 25, 0, -75),
        (0.25, 0.2, 0.85, 0, -35, 140),
        (0.0, 0.1, 1.0, 5, 3, 90),
        (-0.1, -0.2, 0.95, -40, 10, 10),
    ],
)
@pytest.mark.parametrize('noise', [0.0, 4.0])
def test_a_pose_is_right_within_a_centimetre_and_two_degrees_at_a_metre(family, pose, noise):
    real = pose_of(*pose)
    found = find({7: real}, family, noise=noise)['crate 7']
    assert found.pose.distance(real) < 0.01
    assert turned(found.pose, real) < 2.0
    assert found.pose.frame == 'camera'
    assert len(found.outline) == 8
