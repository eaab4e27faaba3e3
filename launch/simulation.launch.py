"""Bridge with a simulated world, memory and planner.

ros2 launch reactree_ros simulation.launch.py scene:=generated:3 task:=generated:3
"""

from launch import LaunchDescription

from reactree_tools.ros import launching


def generate_launch_description() -> LaunchDescription:
    """The three nodes; all end when the bridge or the planner ends."""
    return launching.description(launching.WORLD, bridge=True)
