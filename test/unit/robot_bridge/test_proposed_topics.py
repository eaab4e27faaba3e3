"""What `robot init` proposes of topics: battery, doors, detections, the emergency stop."""

from __future__ import annotations

import pytest

from robot_bridge.proposal import proposal
from robot_bridge.robot import Interface
from support.made_up_interfaces import MadeUpInterfaces

DRIVE = Interface('action', '/navigate_to_pose', 'nav/action/Go')
BATTERY = Interface('await', '/battery', 'sensor_msgs/msg/BatteryState')
DOOR = Interface('await', '/front_door/open', 'std_msgs/msg/Bool')
STOP = Interface('await', '/e_stop', 'std_msgs/msg/Bool')
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
