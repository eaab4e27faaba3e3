"""Bridge with a simulated world, memory and planner.

ros2 launch reactree_ros simulation.launch.py scene:=generated:3 task:=generated:3
"""

from launch import LaunchContext
from launch import LaunchDescription
from launch import LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument
from launch.actions import OpaqueFunction
from launch.actions import Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = (
    ('namespace', '', 'namespace of all nodes, e.g. robot_1'),
    ('use_sim_time', 'false', 'take the time from /clock'),
    ('log_level', 'info', 'debug, info, warn, error or fatal'),
    ('world', '', 'simulated world, e.g. household'),
    ('scene', '', 'home: generated:<number>, or the path of a VirtualHome graph file'),
    ('task', '', 'task to load: generated:<number>, <family>:<number>, or a task file'),
    ('seed', '', 'for everything random in the world'),
    ('model', '', 'language model: a name of `reactree model list`, a GGUF file, or an address'),
    ('planner', '', 'planner of goals that name none, e.g. reactree'),
    ('memory', 'true', 'start the memory node'),
    ('memory_store', '', 'file that keeps the experiences'),
    ('params_file', '', 'YAML file with parameters; arguments given here win over it'),
)
TRUTHS = {'true': True, '1': True, 'yes': True, 'false': False, '0': False, 'no': False}


def generate_launch_description() -> LaunchDescription:
    """Arguments left empty are left to params_file and to the nodes' defaults."""
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=description)
        for name, default, description in ARGUMENTS
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=make_nodes)])


def make_nodes(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """The three nodes, with the parameters that were given."""
    given = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    memory = truth(given, 'memory')
    bridge = {name: given[name] for name in ('world', 'scene', 'task') if given[name]}
    if given['seed']:
        bridge['seed'] = int(given['seed'])
    planner = {name: given[name] for name in ('model', 'planner') if given[name]}
    if not memory:
        planner['memory'] = False
    store = {'store_path': given['memory_store']} if given['memory_store'] else {}
    nodes = [
        make_node('bridge', bridge, given, on_exit=Shutdown(reason='the bridge has ended')),
        make_node('planner', planner, given, on_exit=Shutdown(reason='the planner has ended')),
    ]
    # The planner goes on without its memory.
    return [*nodes, make_node('memory', store, given)] if memory else nodes


def make_node(name: str, parameters: dict, given: dict, **options: object) -> Node:
    """One node: the file's parameters first, then those given as arguments."""
    files = [given['params_file']] if given['params_file'] else []
    # Texts stay texts, whatever YAML would make of them.
    typed = {
        key: ParameterValue(value, value_type=type(value)) for key, value in parameters.items()
    }
    common = {'use_sim_time': truth(given, 'use_sim_time')}
    return Node(
        package='reactree_ros',
        executable=f'{name}_node',
        name=name,
        namespace=given['namespace'],
        parameters=[*files, {**common, **typed}],
        output='screen',
        arguments=['--ros-args', '--log-level', f'{logger(name, given)}:={given["log_level"]}'],
        **options,
    )


def logger(name: str, given: dict) -> str:
    """The node's own logger, so that debug does not include the middleware."""
    namespace = given['namespace'].strip('/').replace('/', '.')
    return f'{namespace}.{name}' if namespace else name


def truth(given: dict, name: str) -> bool:
    """A yes-or-no argument."""
    text = given[name].lower()
    if text not in TRUTHS:
        raise ValueError(f'argument {name} is {given[name]!r}; use true or false')
    return TRUTHS[text]
