"""The nodes of a stack, once for the launch files and for `reactree up`.

A row says what makes a node part of a stack, and which argument sets which of its parameters.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: What each node takes beside its own arguments: parameter and type by the name of an argument.
OF_EVERY_NODE: Mapping[str, tuple[str, type]] = {'use_sim_time': ('use_sim_time', bool)}


@dataclass(frozen=True, slots=True)
class NodeEntry:
    """One node.

    :param name: of the node; its program is `<name>_node` where none is given.
    :param switch: argument that says whether it is started; '' where it always is.
    :param needed: whether the end of the node is the end of the stack.
    :param managed: whether it has a lifecycle that a manager can drive.
    :param arguments: name of an argument -> parameter of the node that it sets, and its type.
    """

    name: str
    switch: str = ''
    needed: bool = False
    managed: bool = False
    arguments: Mapping[str, tuple[str, type]] = field(default_factory=dict)
    program: str = ''

    @property
    def executable(self) -> str:
        """The name of its program."""
        return self.program or f'{self.name}_node'

    def parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters of the node that were given; those that are None are left to its defaults.

        :param given: values by the names of arguments, of the types in the table.
        """
        arguments = {**OF_EVERY_NODE, **self.arguments}
        values = {parameter: given.get(name) for name, (parameter, _) in arguments.items()}
        found = {name: value for name, value in values.items() if value is not None}
        if self.name == 'planner' and given.get('memory') is False:
            found['memory'] = False  # nobody to ask
        if self.managed and given.get('managed'):
            found['autostart'] = False
        if self.name == 'manager':
            found['nodes'] = tuple(node.name for node in wanted_nodes(given) if node.managed)
        return found


#: In the order in which they are started: what is used comes before its user.
NODES: tuple[NodeEntry, ...] = (
    NodeEntry('recorder', 'record', arguments={'bags': ('directory', str)}),
    NodeEntry(
        'bridge',
        'with_bridge',
        needed=True,
        managed=True,
        arguments={
            'world': ('world', str),
            'scene': ('scene', str),
            'task': ('task', str),
            'seed': ('seed', int),
            'permission': ('permission', str),
            'telemetry': ('telemetry', str),
        },
    ),
    # Where the robot's file names cameras: the bridge hears what it sees.
    NodeEntry('perception', 'perception', managed=True, arguments={'robot': ('robot', str)}),
    # In the place of the bridge, and by its name: whoever talks to one talks to the other.
    NodeEntry(
        'bridge',
        'robot',
        needed=True,
        managed=True,
        arguments={
            'robot': ('robot', str),
            'permission': ('permission', str),
            'telemetry': ('telemetry', str),
        },
        program='robot_bridge',
    ),
    NodeEntry('memory', 'memory', managed=True, arguments={'memory_store': ('store_path', str)}),
    NodeEntry(
        'planner',
        needed=True,
        managed=True,
        arguments={
            'model': ('model', str),
            'planner': ('planner', str),
            'preset': ('preset', str),
            'require_approval': ('require_approval', bool),
            'permission': ('permission', str),
            'resume_within': ('resume_within', float),
            'telemetry': ('telemetry', str),
        },
    ),
    NodeEntry('manager', 'managed'),
    NodeEntry(
        'viewer',
        'viewer',
        arguments={'viewer_port': ('port', int), 'viewer_control': ('control', bool)},
    ),
)

#: Seconds after its end in which a node is started again, where that is wanted.
RESPAWN_DELAY = 1.0
#: As a whole value in a robot's file.
_INTERFACE = re.compile(r"""(?<=: )["']?(/[A-Za-z_][A-Za-z0-9_/]*)(?=["']?\s*(?:[,}#]|$))""", re.M)
_NAME = re.compile('[A-Za-z_][A-Za-z0-9_]*')
_FILES = ('.yaml', '.yml')

#: What a skill server serves beside its action, below its name.
SERVICES = ('list_skills', 'get_world_state', 'reset_world', 'snapshot_world', 'emergency_stop')
#: An action's own services and topics; remapping the action's name alone does not reach them.
ACTION_PARTS = ('send_goal', 'cancel_goal', 'get_result', 'feedback', 'status')


def read_remaps(
    texts: Sequence[str], robot: str = '', file: str = ''
) -> tuple[tuple[str, str], ...]:
    """Names of a robot's interfaces that are others here, for its bridge: (name, other name).

    :param texts: as ROS writes them, `/battery:=/r1/battery`; an action's name stands for all that
        it has, and a star at the end for the rest of every name in the robot's file.
    :param robot: stands for `{robot}` in them. :param file: that of the robot, for stars.
    :raises ValueError: one cannot be read.
    """
    rules = []
    for text in texts:
        name, sign, other = (part.strip() for part in text.partition(':='))
        if not name or not sign or not other or any(map(str.isspace, name + other)):
            raise ValueError(f'"{text}" renames nothing: write it as "/battery:=/robot_1/battery"')
        other = other.replace('{robot}', robot)
        pairs = [(name, other)]
        if name.endswith('*'):
            start = name[:-1]
            rest = [one[len(start) :] for one in _names_in(file) if one.startswith(start)]
            pairs = [(start + one, other.replace('*', one)) for one in rest]
        for name, other in pairs:
            rules.append((name, other))
            rules += [
                (f'{name}/_action/{part}', f'{other}/_action/{part}') for part in ACTION_PARTS
            ]
    return tuple(rules)


def _names_in(file: str) -> tuple[str, ...]:
    """Names of interfaces in a robot's file. :raises ValueError: it cannot be read."""
    try:
        text = Path(file).expanduser().read_text(encoding='utf-8') if file else ''
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f'the robot file {file} cannot be read: {error}') from None
    return tuple(dict.fromkeys(_INTERFACE.findall(text)))


def robot_of_file(path: str) -> str:
    """The name of a robot of a fleet, by that of its file."""
    stem = re.sub(r'\W+', '_', Path(path).stem)
    return stem if _NAME.fullmatch(stem) else f'robot_{stem}'


def named_robots(robots: Sequence[str]) -> dict[str, str]:
    """Robots by their names, each with its file; '' where it has none.

    :param robots: names, files, or NAME=FILE. A file without a name gives its own.
    :raises ValueError: there is no robot, or a name that is none or comes twice.
    """
    found = {}
    names = []
    for one in robots:
        name, _, file = one.rpartition('=') if one.endswith(_FILES) else (one, '', '')
        names.append(robot_of_file(file) if file and not name else name)
        found[names[-1]] = file
    if not found or len(found) < len(names) or not all(map(_NAME.fullmatch, names)):
        raise ValueError(
            f'the robots are {", ".join(names) or "none"}: give each a name of its own, of '
            'letters, digits and underscores, as in robot_1,robot_2, or arm=robot.yaml'
        )
    return found


def full_name(namespace: str, name: str) -> str:
    """A node's name with its namespace, e.g. '/robot_1/planner'."""
    return f'{namespace.rstrip("/")}/{name}'


#: The last part of the enclave of the command line's own nodes; the others have theirs by name.
COMMANDS = 'reactree'


def enclave_arguments(namespace: str, name: str) -> list[str]:
    """ROS arguments for the enclave of a node, which is its full name; none without a keystore.

    :param namespace: of the node. :param name: of the node, or COMMANDS.
    """
    if not os.environ.get('ROS_SECURITY_KEYSTORE'):
        return []
    return ['--enclave', full_name(f'/{namespace.strip("/")}', name)]


def wanted_nodes(given: Mapping[str, Any]) -> tuple[NodeEntry, ...]:
    """The nodes that a stack has.

    :param given: values by the names of arguments; a switch that is missing says no.
    """
    return tuple(node for node in NODES if not node.switch or given.get(node.switch))


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """A node of a fleet.

    :param namespace: with a leading slash. :param remappings: (name, name on the graph).
    :param arguments: of its program, before those of ROS.
    """

    node: NodeEntry
    namespace: str
    parameters: Mapping[str, Any]
    remappings: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()


#: What the nodes of each robot of a fleet ask the one memory, or hear of it.
OF_THE_MEMORY = {
    'planner': ('retrieve_experiences', 'store_experiences', 'recall_object'),
    'recorder': ('working_memory',),
}
#: Nodes of which a fleet has one; every robot has the others in a namespace of its own.
_SHARED = ('memory', 'viewer', 'manager')
#: Name of the working memory that the robots of a fleet fill together.
FLEET_MEMORY = 'fleet'


def fleet_nodes(
    robots: Sequence[str],
    given: Mapping[str, Any],
    namespace: str = '/',
    remaps: Sequence[str] = (),
) -> tuple[PlacedNode, ...]:
    """The nodes of several robots with one memory, and one viewer where it is wanted.

    :param robots: as of `named_robots`; each name becomes a namespace.
    :param remaps: for their bridges, as `read_remaps` reads them.
    :param given: values by the names of arguments. :param namespace: of what they share.
    :raises ValueError: there is no robot, or a name that is none or comes twice.
    """
    files = named_robots(robots)
    base = namespace.rstrip('/')
    shared = []
    for node in wanted_nodes(given):
        if node.name not in _SHARED:
            continue
        parameters = node.parameters(given)
        if node.name == 'memory':
            parameters['planners'] = tuple(f'{base}/{robot}/planner' for robot in files)
        elif node.name == 'viewer':
            parameters['robots'] = tuple(f'{base}/{robot}' for robot in files)
        else:
            managed = [one.name for one in wanted_nodes(given) if one.managed]
            own_ones = [name for name in managed if name not in _SHARED]
            parameters['nodes'] = (
                *(f'{base}/{name}' for name in managed if name in _SHARED),
                *(f'{base}/{robot}/{name}' for robot in files for name in own_ones),
            )
        shared.append(PlacedNode(node, base or '/', parameters))
    remappings = {
        user: tuple((f'memory/{name}', f'{base}/memory/{name}') for name in names)
        for user, names in OF_THE_MEMORY.items()
    }
    robots_own = [
        PlacedNode(
            node,
            f'{base}/{robot}',
            _of_a_fleet(node, of_robot),
            remappings.get(node.name, ())
            if node.name != 'bridge'
            else read_remaps(remaps, robot, file),
        )
        for robot, file in files.items()
        for of_robot in [_given_of(file, given)]
        for node in wanted_nodes(of_robot)
        if node.name not in _SHARED
    ]
    return (*shared, *robots_own)


def _given_of(file: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is given of one robot: with a file it has that bridge, and no simulated world."""
    return {**given, 'robot': file, 'with_bridge': False} if file else given


def _of_a_fleet(node: NodeEntry, given: Mapping[str, Any]) -> dict[str, Any]:
    parameters = node.parameters(given)
    if node.name == 'planner' and given.get('memory') is not False:
        parameters['shared_memory'] = FLEET_MEMORY
    return parameters


def bridge_remappings(bridge: str, status: str) -> list[tuple[str, str]]:
    """Remapping rules (name, name on the robot) for the nodes that talk to a skill server.

    :param bridge: stands for `bridge` in the names of its action and services.
    :param status: the topic on which it says that it is alive.
    """
    rules = []
    if bridge != 'bridge':
        rules += [(f'bridge/{service}', f'{bridge}/{service}') for service in SERVICES]
        rules += [
            (f'bridge/execute_skill/_action/{part}', f'{bridge}/execute_skill/_action/{part}')
            for part in ACTION_PARTS
        ]
    return [*rules, ('bridge_status', status)] if status != 'bridge_status' else rules
