"""Cameras of a robot's file, in what is started and in what it may do."""

from __future__ import annotations

import argparse

import pytest

from reactree_core.errors import ConfigurationError
from reactree_tools.node_interfaces import camera_interfaces
from reactree_tools.node_table import wanted_nodes
from reactree_tools.robot_cameras import first_camera
from reactree_tools.security_policy import placed_nodes
from robot_bridge.loading import load_robot
from support.made_up_interfaces import MadeUpInterfaces

CAMERAS = """\
robot: arm
places: {bin: {frame: table, x: 0, y: 0}}
perception:
  frame: table
  cameras:
    above: {image: /eye/image, info: /eye/info, depth: /eye/depth, mount: {frame: table, z: 1}}
    side: {image: side/image, info: side/info}
  markers: [{dictionary: apriltag_36h11, size: 4 cm, names: {1: gear 1}}]
skills: [{skill: fold, do: {service: std_srvs/srv/Trigger, name: /fold}}]
"""
BLIND = CAMERAS[: CAMERAS.index('perception')] + CAMERAS[CAMERAS.index('skills') :]


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / 'robot.yaml'
        path.write_text(text)
        return path

    return write


def test_perception_is_started_for_a_file_with_cameras_only(written):
    assert first_camera(str(written(CAMERAS))) == '/eye/image'
    assert first_camera(str(written(BLIND))) == ''
    assert first_camera(None) == first_camera('') == ''
    names = [node.name for node in wanted_nodes({'robot': True, 'perception': True})]
    assert names == ['perception', 'bridge', 'planner']
    assert 'perception' not in [node.name for node in wanted_nodes({'robot': True})]


def test_mistakes_and_a_missing_opencv_are_told_before_anything_starts(written, monkeypatch):
    with pytest.raises(ConfigurationError, match='has two markers'):
        first_camera(str(written(CAMERAS.replace('{1: gear 1}', '{1: gear 1, 2: gear 1}'))))
    monkeypatch.setattr('importlib.util.find_spec', lambda name: None)
    with pytest.raises(ConfigurationError, match=r'requirements/perception\.txt'):
        first_camera(str(written(CAMERAS)))


def test_a_planner_that_sees_gets_the_pictures_of_the_first_camera(written, monkeypatch):
    from reactree_tools.commands import up

    path = written(CAMERAS)
    monkeypatch.setattr(up, '_robot', lambda given: given)
    names = ('model', 'planner', 'preset', 'memory', 'permission', 'telemetry', 'log_level')
    given = dict.fromkeys((*names, 'world', 'scene', 'task', 'seed', 'record'))
    args = argparse.Namespace(
        robot=str(path), namespace='/', no_memory=True, params=[], remap=[], **given
    )
    options = up.stack_options(args)
    assert options.remappings == {'planner': (('bridge/camera/image_raw', '/eye/image'),)}
    assert 'perception' in [options.name_of(node) for node in options.nodes]


def test_what_perception_may_hear_is_what_the_file_names(written):
    robot = load_robot(written(CAMERAS), MadeUpInterfaces())
    heard = set(camera_interfaces(robot).subscribe)
    topics = {'/eye/image', '/eye/info', '/eye/depth', 'side/image', 'side/info'}
    # One camera has no mount: where it is, /tf tells.
    assert heard == topics | {'/tf', '/tf_static'}
    placed = [one.node.name for one in placed_nodes(by_file=True, sees=True)]
    assert 'perception' in placed
    # The bridge hears things, and no pictures.
    assert 'perception/things' in [one.name for one in robot.interfaces()]
    assert not topics & {one.name for one in robot.interfaces()}
