"""Several robots that do one task: a bridge for each, and one planner, memory and viewer.

ros2 launch reactree_ros team.launch.py robots:=robot_1,robot_2 scene:=generated:3 viewer:=true
ros2 launch reactree_ros team.launch.py robots:=a.yaml,b.yaml
"""

from launch import LaunchDescription

from reactree_tools.ros import launching
from reactree_tools.team_nodes import team_nodes

ARGUMENTS = (
    (
        'robots',
        'robot_1,robot_2',
        'names of robots in one simulated home, or files of robots, separated by commas; each '
        'name is a namespace',
    ),
    *launching.WORLD,
)


def generate_launch_description() -> LaunchDescription:
    """A bridge for each robot, in its namespace; one planner, memory and viewer for all."""
    return launching.description(
        ARGUMENTS,
        bridge=True,
        robots=lambda given: [name.strip() for name in given['robots'].split(',')],
        place=team_nodes,
    )
