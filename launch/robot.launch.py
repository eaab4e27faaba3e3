"""Planner and memory for a robot that has a skill server of its own.

ros2 launch reactree_ros robot.launch.py bridge:=my_skills
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
    ('namespace', '', 'namespace of the nodes, e.g. robot_1'),
    ('use_sim_time', 'false', 'take the time from /clock'),
    ('log_level', 'info', 'debug, info, warn, error or fatal'),
    ('bridge', 'bridge', 'name of the skill server: its action is <bridge>/execute_skill'),
    ('bridge_status', 'bridge_status', 'topic on which the skill server says that it is alive'),
    ('model', '', 'language model: a name of `reactree model list`, a GGUF file, or an address'),
    ('planner', '', 'planner of goals that name none, e.g. reactree'),
    ('require_approval', '', 'true: every skill waits for ~/resolve_approval'),
    ('memory', 'true', 'start the memory node'),
    ('memory_store', '', 'file that keeps the experiences'),
    ('params_file', '', 'YAML file with parameters; arguments given here win over it'),
)
TRUTHS = {'true': True, '1': True, 'yes': True, 'false': False, '0': False, 'no': False}
SERVICES = ('list_skills', 'get_world_state')
#: An action's own services and topics; remapping the action's name alone does not reach them.
ACTION_PARTS = ('send_goal', 'cancel_goal', 'get_result', 'feedback', 'status')


def generate_launch_description() -> LaunchDescription:
    """Arguments left empty are left to params_file and to the nodes' defaults."""
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=description)
        for name, default, description in ARGUMENTS
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=make_nodes)])


def make_nodes(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Planner and memory, with the parameters that were given."""
    given = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    memory = truth(given, 'memory')
    planner = {name: given[name] for name in ('model', 'planner') if given[name]}
    if given['require_approval']:
        planner['require_approval'] = truth(given, 'require_approval')
    if not memory:
        planner['memory'] = False
    store = {'store_path': given['memory_store']} if given['memory_store'] else {}
    nodes = [
        make_node(
            'planner',
            planner,
            given,
            remappings=remappings(given['bridge'], given['bridge_status']),
            on_exit=Shutdown(reason='the planner has ended'),
        )
    ]
    # The planner goes on without its memory.
    return [*nodes, make_node('memory', store, given)] if memory else nodes


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
