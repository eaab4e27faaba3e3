"""Planner and memory for a robot that has a skill server of its own.

ros2 launch reactree_ros robot.launch.py bridge:=my_skills
"""

from launch import LaunchDescription
from launch import LaunchDescriptionEntity

from reactree_tools.bridge_names import bridge_remappings
from reactree_tools.ros import launching

ARGUMENTS = (
    ('bridge', 'bridge', 'name of the skill server: its action is <bridge>/execute_skill'),
    ('bridge_status', 'bridge_status', 'topic on which the skill server says that it is alive'),
)


def generate_launch_description() -> LaunchDescription:
    """Planner and memory, with the arguments that were given."""
    return launching.description(ARGUMENTS, make_nodes)


def make_nodes(given: launching.Given) -> list[LaunchDescriptionEntity]:
    """The planner talks to the robot's skill server."""
    rules = bridge_remappings(given['bridge'], given['bridge_status'])
    return launching.planner_and_memory(given, rules)
