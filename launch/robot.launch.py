"""Planner and memory for a robot that has a skill server of its own.

ros2 launch reactree_ros robot.launch.py bridge:=my_skills
"""

from launch import LaunchDescription
from launch import LaunchDescriptionEntity

from reactree_tools.ros import launching

ARGUMENTS = (
    ('bridge', 'bridge', 'name of the skill server: its action is <bridge>/execute_skill'),
    ('bridge_status', 'bridge_status', 'topic on which the skill server says that it is alive'),
)
SERVICES = ('list_skills', 'get_world_state', 'reset_world')
#: An action's own services and topics; remapping the action's name alone does not reach them.
ACTION_PARTS = ('send_goal', 'cancel_goal', 'get_result', 'feedback', 'status')


def generate_launch_description() -> LaunchDescription:
    """Planner and memory, with the arguments that were given."""
    return launching.description(ARGUMENTS, make_nodes)


def make_nodes(given: launching.Given) -> list[LaunchDescriptionEntity]:
    """The planner talks to the robot's skill server."""
    return launching.planner_and_memory(given, remappings(given['bridge'], given['bridge_status']))


def remappings(bridge: str, status: str) -> list[tuple[str, str]]:
    """Where the planner finds the robot's skill server."""
    rules = []
    if bridge != 'bridge':
        rules += [(f'bridge/{service}', f'{bridge}/{service}') for service in SERVICES]
        rules += [
            (f'bridge/execute_skill/_action/{part}', f'{bridge}/execute_skill/_action/{part}')
            for part in ACTION_PARTS
        ]
    return [*rules, ('bridge_status', status)] if status != 'bridge_status' else rules
