"""What the launch files share: arguments, and nodes that take only what was given.

Imported by `launch/*.launch.py`; the rest of the package never needs `launch`.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from launch import LaunchContext
from launch import LaunchDescription
from launch import LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument
from launch.actions import OpaqueFunction
from launch.actions import Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

Given = Mapping[str, str]
#: Name, default, description.
Argument = tuple[str, str, str]

COMMON: tuple[Argument, ...] = (
    ('namespace', '', 'namespace of the nodes, e.g. robot_1'),
    ('use_sim_time', 'false', 'take the time from /clock'),
    ('log_level', 'info', 'debug, info, warn, error or fatal'),
    ('model', '', 'language model: a name of `reactree model list`, a GGUF file, or an address'),
    ('planner', '', 'planner of goals that name none, e.g. reactree'),
    ('require_approval', '', 'true: every skill waits for ~/resolve_approval'),
    ('memory', 'true', 'start the memory node'),
    ('record', 'false', 'record every run as a bag'),
    ('bags', '', 'folder of these bags; empty: $XDG_STATE_HOME/reactree/bags'),
    ('memory_store', '', 'file that keeps the experiences'),
    ('viewer', 'false', 'start the viewer, a page in the browser'),
    ('viewer_port', '', 'port of its page on 127.0.0.1'),
    ('viewer_control', 'false', 'true: whoever has its token may pause, step, cancel, approve'),
    ('params_file', '', 'YAML file with parameters; arguments given here win over it'),
)
TRUTHS = {'true': True, '1': True, 'yes': True, 'false': False, '0': False, 'no': False}


def description(
    own: tuple[Argument, ...], nodes: Callable[[Given], list[LaunchDescriptionEntity]]
) -> LaunchDescription:
    """Arguments left empty are left to params_file and to the nodes' defaults."""
    arguments = [*COMMON, *own]

    def make(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        return nodes(
            {name: LaunchConfiguration(name).perform(context) for name, _, _ in arguments}
        )

    declared = [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, default, text in arguments
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=make)])


def planner_and_memory(
    given: Given, remappings: list[tuple[str, str]] | None = None
) -> list[LaunchDescriptionEntity]:
    """The planner, whose end ends the launch, and the nodes that it can do without."""
    parameters: dict[str, Any] = {
        name: given[name] for name in ('model', 'planner') if given[name]
    }
    if given['require_approval']:
        parameters['require_approval'] = truth(given, 'require_approval')
    memory = truth(given, 'memory')
    if not memory:
        parameters['memory'] = False
    planner = make_node('planner', parameters, given, needed=True, remappings=remappings)
    nodes: list[LaunchDescriptionEntity] = [planner]
    if memory:
        store = {'store_path': given['memory_store']} if given['memory_store'] else {}
        nodes.append(make_node('memory', store, given))
    if truth(given, 'record'):
        bags = {'directory': given['bags']} if given['bags'] else {}
        nodes.append(make_node('recorder', bags, given, remappings=remappings))
    if truth(given, 'viewer'):
        nodes.append(make_node('viewer', _viewer_parameters(given), given, remappings=remappings))
    return nodes


def _viewer_parameters(given: Given) -> dict[str, Any]:
    parameters: dict[str, Any] = {'control': truth(given, 'viewer_control')}
    if given['viewer_port']:
        parameters['port'] = whole_number(given, 'viewer_port')
    return parameters


def make_node(
    name: str,
    parameters: Mapping[str, Any],
    given: Given,
    needed: bool = False,
    remappings: list[tuple[str, str]] | None = None,
) -> Node:
    """One node: the file's parameters first, then those given as arguments.

    :param needed: the launch ends when this node does.
    """
    files = [given['params_file']] if given['params_file'] else []
    # Texts stay texts, whatever YAML would make of them.
    typed = {
        key: ParameterValue(value, value_type=type(value)) for key, value in parameters.items()
    }
    common = {'use_sim_time': truth(given, 'use_sim_time')}
    ending = {'on_exit': Shutdown(reason=f'the {name} has ended')} if needed else {}
    return Node(
        package='reactree_ros',
        executable=f'{name}_node',
        name=name,
        namespace=given['namespace'],
        parameters=[*files, {**common, **typed}],
        output='screen',
        arguments=['--ros-args', '--log-level', f'{logger(name, given)}:={given["log_level"]}'],
        remappings=remappings or [],
        **ending,
    )


def logger(name: str, given: Given) -> str:
    """The node's own logger, so that debug does not include the middleware."""
    namespace = given['namespace'].strip('/').replace('/', '.')
    return f'{namespace}.{name}' if namespace else name


def truth(given: Given, name: str) -> bool:
    """A yes-or-no argument."""
    text = given[name].lower()
    if text not in TRUTHS:
        raise ValueError(f'argument {name} is {given[name]!r}; use true or false')
    return TRUTHS[text]


def whole_number(given: Given, name: str) -> int:
    """An argument that counts."""
    try:
        return int(given[name])
    except ValueError:
        raise ValueError(f'argument {name} is {given[name]!r}; use a whole number') from None
