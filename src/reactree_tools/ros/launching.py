"""What the launch files share: arguments, and nodes that take only what was given.

Imported by `launch/*.launch.py`; the rest of the package never needs `launch`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from reactree_tools.node_table import (
    enclave_arguments,
    fleet_nodes,
    NODES,
    OF_EVERY_NODE,
    PlacedNode,
    read_remaps,
    RESPAWN_DELAY,
    wanted_nodes,
)
from reactree_tools.robot_cameras import first_camera, PLANNERS_PICTURES

Given = Mapping[str, str]
#: Name, default, description.
Argument = tuple[str, str, str]

COMMON: tuple[Argument, ...] = (
    ('namespace', '', 'namespace of the nodes, e.g. robot_1'),
    ('use_sim_time', '', 'true: take the time from /clock'),
    ('log_level', 'info', 'debug, info, warn, error or fatal'),
    ('model', '', 'language model: a name of `reactree model list`, a GGUF file, or an address'),
    ('planner', '', 'planner for goals that name none, e.g. reactree'),
    ('preset', '', 'default, published, ... (docs/presets.md)'),
    ('require_approval', '', 'true: every skill waits until a person approves it'),
    (
        'permission',
        '',
        'file of rules (docs/permission.md), or for all skills: allow, ask or deny',
    ),
    ('telemetry', '', 'otlp: send runs as OpenTelemetry traces (docs/telemetry.md)'),
    ('memory', 'true', 'start the memory node'),
    ('record', 'false', 'true: record every run as a bag'),
    ('bags', '', 'folder of the bags; empty: $XDG_STATE_HOME/reactree/bags'),
    ('memory_store', '', 'file of the experiences, or postgresql://...'),
    ('viewer', 'false', 'true: start the viewer, a page in the browser'),
    ('viewer_port', '', 'port of its page on 127.0.0.1'),
    (
        'resume_within',
        '',
        'largest age in s of an interrupted run that a restarted planner continues',
    ),
    ('respawn', 'false', 'true: restart a node that ends'),
    ('managed', 'false', 'true: the manager node configures and activates the others, in order'),
    ('viewer_control', 'false', 'true: whoever has its token may pause, cancel, approve, answer'),
    (
        'remap',
        '',
        "names of the robot's interfaces that are others here, for its bridge, separated by "
        'commas: /battery:=/r1/battery, or /*:=/{robot}/* for all; {robot} is the name of '
        'each robot',
    ),
    ('params_file', '', 'YAML file with parameters; other arguments override it'),
)
#: Of the launch files that start simulated worlds.
WORLD: tuple[Argument, ...] = (
    ('world', '', 'simulated world, e.g. household'),
    ('scene', '', 'home: generated:<number>, or the path of a VirtualHome graph file'),
    ('task', '', 'task to load: generated:<number>, <family>:<number>, or a task file'),
    ('seed', '', 'seed of all random choices of the world'),
)
TRUTHS = {'true': True, '1': True, 'yes': True, 'false': False, '0': False, 'no': False}


def description(
    own: tuple[Argument, ...],
    bridge: bool = False,
    remappings: Callable[[Given], list[tuple[str, str]]] = lambda given: [],
    robots: Callable[[Given], Sequence[str]] | None = None,
    place: Callable[..., tuple[PlacedNode, ...]] = fleet_nodes,
) -> LaunchDescription:
    """A launch file's arguments and nodes; arguments left empty are left to params_file.

    :param own: arguments beside the common ones. :param bridge: whether the bridge is started.
    :param remappings: names of the skill server, for the nodes that talk to it.
    :param robots: names of several robots; None for one robot.
    :param place: which nodes several robots have, and where: those of a fleet, or of a team.
    """
    arguments = [*COMMON, *own]

    def make(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        given = {name: LaunchConfiguration(name).perform(context) for name, _, _ in arguments}
        camera = first_camera(given.get('robot'))
        values = {**_typed(given), 'with_bridge': bridge, 'perception': bool(camera)}
        remaps = [one for one in given['remap'].split(',') if one.strip()]
        if robots is not None:
            base = f'/{given["namespace"].strip("/")}'
            placed = place(robots(given), values, base, remaps)
        else:
            names, own_names = (
                tuple(remappings(given)),
                read_remaps(remaps, '', given.get('robot', '')),
            )
            # A model that sees gets the robot's pictures too (pictures=true in the preset).
            pictures = ((PLANNERS_PICTURES, camera),) if camera else ()
            renamed = {'bridge': own_names, 'planner': pictures}
            placed = tuple(
                PlacedNode(
                    node,
                    given['namespace'],
                    node.parameters(values),
                    (*names, *renamed.get(node.name, ())),
                )
                for node in wanted_nodes(values)
            )
        return [make_node(one, given, ends_all=robots is None) for one in placed]

    declared = [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, default, text in arguments
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=make)])


def _typed(given: Given) -> dict[str, Any]:
    """Values of the arguments that the table of nodes knows; without those left empty."""
    types: dict[str, type] = {node.switch: bool for node in NODES if node.switch}
    tables = (OF_EVERY_NODE, *(node.arguments for node in NODES))
    types |= {name: kind for table in tables for name, (_, kind) in table.items()}
    return {
        name: _read(name, text, types[name])
        for name, text in given.items()
        if name in types and text
    }


def _read(name: str, text: str, kind: type) -> Any:
    """The value that an argument's text stands for. :raises ValueError: none of its type."""
    if kind is bool:
        return truth(name, text)
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            noun = 'whole number' if kind is int else 'number'
            raise ValueError(f'argument {name} is {text!r}; use a {noun}') from None
    return text


def make_node(placed: PlacedNode, given: Given, ends_all: bool) -> Node:
    """One node: the file's parameters first, then those given as arguments.

    :param ends_all: whether the end of a node that is needed is the end of all.
    """
    node = placed.node
    files = [given['params_file']] if given['params_file'] else []
    # Texts stay texts, whatever YAML would make of them.
    typed = {
        key: list(value)
        if isinstance(value, tuple)
        else ParameterValue(value, value_type=type(value))
        for key, value in placed.parameters.items()
    }
    level = f'{_logger(node.name, placed.namespace)}:={given["log_level"]}'
    ending: dict[str, Any] = {}
    if truth('respawn', given['respawn']):
        ending = {'respawn': True, 'respawn_delay': RESPAWN_DELAY}
    elif node.needed and ends_all:
        ending = {'on_exit': Shutdown(reason=f'the {node.name} has ended')}
    return Node(
        package='reactree_ros',
        executable=node.executable,
        name=node.name,
        namespace=placed.namespace,
        parameters=[*files, *([typed] if typed else [])],
        output='screen',
        arguments=[
            *placed.arguments,
            '--ros-args',
            '--log-level',
            level,
            *enclave_arguments(placed.namespace, node.name),
        ],
        remappings=list(placed.remappings),
        **ending,
    )


def _logger(name: str, namespace: str) -> str:
    """The node's own logger, so that debug does not include the middleware."""
    inside = namespace.strip('/').replace('/', '.')
    return f'{inside}.{name}' if inside else name


def truth(name: str, text: str) -> bool:
    """A yes-or-no argument. :raises ValueError: it says neither."""
    if text.lower() not in TRUTHS:
        raise ValueError(f'argument {name} is {text!r}; use true or false')
    return TRUTHS[text.lower()]
