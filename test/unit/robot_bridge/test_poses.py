"""Poses and frames: there and back again is where one was."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import SkillError
from robot_bridge.poses import FrameTree, Pose

_PARTS = st.floats(-100, 100)


@st.composite
def poses(draw, frame='map'):
    turn = [draw(st.floats(-1, 1)) for _ in range(4)]
    size = math.sqrt(sum(part * part for part in turn))
    if size < 0.1:
        turn, size = [0, 0, 0, 1], 1
    return Pose(frame, *(draw(_PARTS) for _ in range(3)), *(part / size for part in turn))


@given(poses('map'), poses('map'))
def test_a_pose_in_another_frame_and_back_is_the_same(pose, frame):
    tree = FrameTree()
    tree.hear('base', frame, 0.0)
    there = tree.pose_in(pose, 'base')
    assert there.frame == 'base'
    back = tree.pose_in(there, 'map')
    assert back.distance(pose) < 1e-6
    # A quaternion and its negative are the same turn.
    same = abs(sum(getattr(back, part) * getattr(pose, part) for part in ('qx', 'qy', 'qz', 'qw')))
    assert same == pytest.approx(1, abs=1e-6)


@given(st.floats(-3.1, 3.1))
def test_a_yaw_is_kept(yaw):
    assert Pose.flat('map', 1, 2, yaw).yaw == pytest.approx(yaw, abs=1e-9)


def test_a_chain_of_frames_is_followed_up_and_down():
    tree = FrameTree()
    tree.hear('odom', Pose.flat('/map', 1, 0, math.pi / 2), 5.0)
    tree.hear('/base', Pose.flat('odom', 2, 0, 0), 5.0)
    tree.hear('shelf', Pose.flat('map', 4, 4, 0), math.inf)
    base = tree.pose_in(Pose('base'), 'map')
    assert (base.x, base.y, base.yaw) == pytest.approx((1, 2, math.pi / 2))
    seen = tree.pose_in(Pose('shelf'), 'base')
    assert (seen.x, seen.y) == pytest.approx((2, -3))


def test_frames_that_are_not_known_or_too_old_are_said():
    tree = FrameTree()
    tree.hear('base', Pose('map'), 5.0)
    with pytest.raises(SkillError, match='nothing on /tf names "arm"'):
        tree.pose_in(Pose('arm'), 'map')
    with pytest.raises(SkillError, match='the transform of "base" is too old'):
        tree.pose_in(Pose('base'), 'map', oldest=6.0)
    assert tree.heard_at('base', 'map') == 5.0
    tree.hear('lamp', Pose('base'), math.inf)
    assert tree.heard_at('map', 'lamp') == 5.0 and tree.heard_at('lamp', 'base') == math.inf
    tree.hear('map', Pose('base'), 5.0)
    with pytest.raises(SkillError, match='no transform'):
        tree.pose_in(Pose('base'), 'moon')
