"""Planner and memory for a robot that has a file or its own skill server.

ros2 launch reactree_ros robot.launch.py robot:=my_robot.yaml
ros2 launch reactree_ros robot.launch.py bridge:=my_skills
"""

from launch import LaunchDescription

from reactree_tools.node_table import bridge_remappings
from reactree_tools.ros import launching

ARGUMENTS = (
    ('robot', '', "the robot's file, for the robot bridge; empty: it has a skill server"),
    ('bridge', 'bridge', 'name of the skill server: its action is <bridge>/execute_skill'),
    ('bridge_status', 'bridge_status', 'status topic of the skill server'),
)


def generate_launch_description() -> LaunchDescription:
    """Planner and memory, and the robot bridge if a file is given."""
    return launching.description(
        ARGUMENTS,
        remappings=lambda given: bridge_remappings(given['bridge'], given['bridge_status']),
    )
