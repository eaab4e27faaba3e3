"""The nodes of a stack, once for the launch files and for `reactree up`.

A row tells what makes a node part of a stack, and which argument sets which of its parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from typing import Any


@dataclass(frozen=True, slots=True)
class NodeEntry:
    """One node.

    :param name: of the node; its program is `<name>_node` where none is told.
    :param switch: argument that says whether it is started; '' where it always is.
    :param needed: whether the end of the node is the end of the stack.
    :param arguments: name of an argument -> parameter of the node that it sets, and its type.
    """

    name: str
    switch: str = ''
    needed: bool = False
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
        values = {parameter: given.get(name) for name, (parameter, _) in self.arguments.items()}
        found = {name: value for name, value in values.items() if value is not None}
        if self.name == 'planner' and given.get('memory') is False:
            found['memory'] = False  # nobody to ask
        return found


#: In the order in which they are started: what is used comes before its user.
NODES: tuple[NodeEntry, ...] = (
    NodeEntry('recorder', 'record', arguments={'bags': ('directory', str)}),
    NodeEntry(
        'bridge',
        'with_bridge',
        needed=True,
        arguments={
            'world': ('world', str),
            'scene': ('scene', str),
            'task': ('task', str),
            'seed': ('seed', int),
            'permission': ('permission', str),
        },
    ),
    # In the place of the bridge, and by its name: whoever talks to one talks to the other.
    NodeEntry(
        'bridge',
        'robot',
        needed=True,
        arguments={'robot': ('robot', str), 'permission': ('permission', str)},
        program='robot_bridge',
    ),
    NodeEntry('memory', 'memory', arguments={'memory_store': ('store_path', str)}),
    NodeEntry(
        'planner',
        needed=True,
        arguments={
            'model': ('model', str),
            'planner': ('planner', str),
            'preset': ('preset', str),
            'require_approval': ('require_approval', bool),
            'permission': ('permission', str),
        },
    ),
    NodeEntry(
        'viewer',
        'viewer',
        arguments={'viewer_port': ('port', int), 'viewer_control': ('control', bool)},
    ),
)

#: What a skill server serves beside its action, below its name.
SERVICES = ('list_skills', 'get_world_state', 'reset_world', 'snapshot_world', 'emergency_stop')
#: An action's own services and topics; remapping the action's name alone does not reach them.
ACTION_PARTS = ('send_goal', 'cancel_goal', 'get_result', 'feedback', 'status')


def full_name(namespace: str, name: str) -> str:
    """A node's name with its namespace, e.g. '/robot_1/planner'."""
    return f'{namespace.rstrip("/")}/{name}'


def wanted_nodes(given: Mapping[str, Any]) -> tuple[NodeEntry, ...]:
    """The nodes that a stack has.

    :param given: values by the names of arguments; a switch that is missing says no.
    """
    return tuple(node for node in NODES if not node.switch or given.get(node.switch))


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
