"""Bridge with a simulated world, memory and planner.

ros2 launch reactree_ros simulation.launch.py scene:=generated:3 task:=generated:3
"""

from launch import LaunchDescription
from launch import LaunchDescriptionEntity

from reactree_tools.ros import launching

ARGUMENTS = (
    ('world', '', 'simulated world, e.g. household'),
    ('scene', '', 'home: generated:<number>, or the path of a VirtualHome graph file'),
    ('task', '', 'task to load: generated:<number>, <family>:<number>, or a task file'),
    ('seed', '', 'for everything random in the world'),
)


def generate_launch_description() -> LaunchDescription:
    """The three nodes, with the arguments that were given."""
    return launching.description(ARGUMENTS, make_nodes)


def make_nodes(given: launching.Given) -> list[LaunchDescriptionEntity]:
    """A simulation ends with its world or its planner."""
    world = {name: given[name] for name in ('world', 'scene', 'task') if given[name]}
    if given['seed']:
        world['seed'] = launching.whole_number(given, 'seed')
    bridge = launching.make_node('bridge', world, given, needed=True)
    return [bridge, *launching.planner_and_memory(given)]
