"""What `robot init` proposes: battery, doors, detections, emergency stop, cameras, postures."""

from __future__ import annotations

import pytest

from robot_bridge.proposal import proposal
from robot_bridge.robot import Interface
from support.made_up_interfaces import MadeUpInterfaces

DRIVE = Interface('action', '/navigate_to_pose', 'nav/action/Go')
BATTERY = Interface('await', '/battery', 'sensor_msgs/msg/BatteryState')
DOOR = Interface('await', '/front_door/open', 'std_msgs/msg/Bool')
STOP = Interface('await', '/e_stop', 'std_msgs/msg/Bool')
IMAGE = Interface('await', '/head/color/image_raw', 'sensor_msgs/msg/Image')
INFO = Interface('await', '/head/color/camera_info', 'sensor_msgs/msg/CameraInfo')
DEPTH = Interface('await', '/head/depth/image_rect', 'sensor_msgs/msg/Image')
LONE = Interface('await', '/screen/image', 'sensor_msgs/msg/Image')
BOXES = Interface('await', '/yolo/boxes', 'vision_msgs/msg/Detection2DArray')
ARM = Interface(
    'action',
    '/arm_controller/follow_joint_trajectory',
    'control_msgs/action/FollowJointTrajectory',
)
OTHER = Interface('await', '/busy', 'std_msgs/msg/Bool')
POSE = Interface('await', '/pose', 'geometry_msgs/msg/PoseStamped')


@pytest.mark.parametrize('pose', [(), (POSE,)])
def test_topics_that_are_understood_become_sources(load, pose):
    text = proposal((DRIVE, BATTERY, DOOR, STOP, OTHER, *pose), {'/e_stop'}, MadeUpInterfaces())
    robot = load(text)
    battery = robot.file.state.numbers['battery']
    assert (battery.topic, battery.unit) == ('/battery', '%')
    assert [one.topic for one in robot.file.state.facts] == ['/front_door/open']
    assert robot.file.emergency_stop.pressed.latched
    # What nobody can know is left to be written.
    assert '#   - topic: /busy' in text and '#   - topic: /battery' not in text


def test_without_such_topics_nothing_is_made_up(load):
    robot = load(proposal((DRIVE, OTHER), (), MadeUpInterfaces()))
    assert not robot.file.state.numbers
    assert robot.file.emergency_stop is None


def uncommented(text, begin, end=''):
    """The text with the lines of a comment taken in, from one that begins so."""
    before, found, rest = text.partition(begin)
    assert found
    block, _, behind = rest.partition(end) if end else (rest, '', '')
    lines = (begin + block).split('\n')
    return before + '\n'.join(line.replace('# ', '', 1) for line in lines) + end + behind


def test_cameras_are_a_comment_that_becomes_perception(load):
    text = proposal((DRIVE, IMAGE, INFO, DEPTH, LONE, BOXES), (), MadeUpInterfaces())
    assert load(text).file.perception is None and '/screen/image' not in text
    seeing = load(uncommented(text, '# perception:', '\n\nskills:')).file.perception
    camera = seeing.cameras['head color']
    assert (camera.image, camera.info) == (IMAGE.name, INFO.name)
    assert camera.depth == DEPTH.name
    assert [one.topic for one in seeing.detections] == [BOXES.name]
    assert seeing.markers[0].names == {1: 'crate 1'}


def test_a_trajectory_is_a_comment_that_becomes_a_posture(load):
    text = proposal((DRIVE, ARM), (), MadeUpInterfaces())
    assert [one.template for one in load(text).vocabulary().skills] == ['go to <place>']
    robot = load(uncommented(text, '  # - skill: arm controller to home posture'))
    assert 'arm controller to home posture' in [one.template for one in robot.vocabulary().skills]
