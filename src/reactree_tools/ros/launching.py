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

from reactree_tools.node_table import NodeEntry
from reactree_tools.node_table import NODES
from reactree_tools.node_table import wanted_nodes

Given = Mapping[str, str]
#: Name, default, description.
Argument = tuple[str, str, str]

COMMON: tuple[Argument, ...] = (
    ('namespace', '', 'namespace of the nodes, e.g. robot_1'),
    ('use_sim_time', 'false', 'take the time from /clock'),
    ('log_level', 'info', 'debug, info, warn, error or fatal'),
    ('model', '', 'language model: a name of `reactree model list`, a GGUF file, or an address'),
    ('planner', '', 'planner of goals that name none, e.g. reactree'),
    ('preset', '', 'how it decides: default, neutral, published, ... (docs/planners.md)'),
    ('require_approval', '', 'true: every skill waits for ~/resolve_approval'),
    ('permission', '', 'file of rules on what may be done, or allow, ask or deny'),
    ('memory', 'true', 'start the memory node'),
    ('record', 'false', 'record every run as a bag'),
    ('bags', '', 'folder of these bags; empty: $XDG_STATE_HOME/reactree/bags'),
    ('memory_store', '', 'file that keeps the experiences'),
    ('viewer', 'false', 'start the viewer, a page in the browser'),
    ('viewer_port', '', 'port of its page on 127.0.0.1'),
    ('viewer_control', 'false', 'true: whoever has its token may hold, cancel, approve, answer'),
    ('params_file', '', 'YAML file with parameters; arguments given here win over it'),
)
TRUTHS = {'true': True, '1': True, 'yes': True, 'false': False, '0': False, 'no': False}


def description(
    own: tuple[Argument, ...],
    bridge: bool = False,
    remappings: Callable[[Given], list[tuple[str, str]]] = lambda given: [],
) -> LaunchDescription:
    """A launch file's arguments and nodes; arguments left empty are left to params_file.

    :param own: arguments beside the common ones. :param bridge: whether the bridge is started.
    :param remappings: names of the skill server, for the nodes that talk to it.
    """
    arguments = [*COMMON, *own]

    def make(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        given = {name: LaunchConfiguration(name).perform(context) for name, _, _ in arguments}
        values = {**_typed(given), 'with_bridge': bridge}
        return [
            make_node(node, node.parameters(values), given, remappings(given))
            for node in wanted_nodes(values)
        ]

    declared = [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, default, text in arguments
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=make)])


def _typed(given: Given) -> dict[str, Any]:
    """Values of the arguments that the table of nodes knows; without those left empty."""
    types: dict[str, type] = {node.switch: bool for node in NODES if node.switch}
    types |= {name: kind for node in NODES for name, (_, kind) in node.arguments.items()}
    return {
        name: _read(name, text, types[name])
        for name, text in given.items()
        if name in types and text
    }


def _read(name: str, text: str, kind: type) -> Any:
    """The value that an argument's text stands for. :raises ValueError: none of its type."""
    if kind is bool:
        return truth(name, text)
    if kind is int:
        try:
            return int(text)
        except ValueError:
            raise ValueError(f'argument {name} is {text!r}; use a whole number') from None
    return text


def make_node(
    node: NodeEntry,
    parameters: Mapping[str, Any],
    given: Given,
    remappings: list[tuple[str, str]],
) -> Node:
    """One node: the file's parameters first, then those given as arguments."""
    files = [given['params_file']] if given['params_file'] else []
    # Texts stay texts, whatever YAML would make of them.
    typed = {
        key: ParameterValue(value, value_type=type(value)) for key, value in parameters.items()
    }
    common = {'use_sim_time': truth('use_sim_time', given['use_sim_time'])}
    level = f'{_logger(node.name, given)}:={given["log_level"]}'
    ending = {'on_exit': Shutdown(reason=f'the {node.name} has ended')} if node.needed else {}
    return Node(
        package='reactree_ros',
        executable=node.executable,
        name=node.name,
        namespace=given['namespace'],
        parameters=[*files, {**common, **typed}],
        output='screen',
        arguments=['--ros-args', '--log-level', level],
        remappings=remappings,
        **ending,
    )


def _logger(name: str, given: Given) -> str:
    """The node's own logger, so that debug does not include the middleware."""
    namespace = given['namespace'].strip('/').replace('/', '.')
    return f'{namespace}.{name}' if namespace else name


def truth(name: str, text: str) -> bool:
    """A yes-or-no argument. :raises ValueError: it says neither."""
    if text.lower() not in TRUTHS:
        raise ValueError(f'argument {name} is {text!r}; use true or false')
    return TRUTHS[text.lower()]
