"""Several robots, each with a planner, and its file or a simulated world; one memory and viewer.

ros2 launch reactree_ros fleet.launch.py robots:=robot_1,robot_2 scene:=generated:3 viewer:=true
ros2 launch reactree_ros fleet.launch.py robots:=a.yaml,b.yaml remap:=/battery:=/{robot}/battery
"""

from launch import LaunchDescription

from reactree_tools.ros import launching

ARGUMENTS = (
    (
        'robots',
        'robot_1,robot_2',
        'names of the robots, or their files, separated by commas; each name is a namespace',
    ),
    *launching.WORLD,
)


def generate_launch_description() -> LaunchDescription:
    """Bridge and planner for each robot, in its namespace; one memory and viewer for all."""
    return launching.description(
        ARGUMENTS,
        bridge=True,
        robots=lambda given: [name.strip() for name in given['robots'].split(',')],
    )
