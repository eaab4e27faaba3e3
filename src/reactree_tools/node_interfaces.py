"""What each node makes on the graph: its topics, services and actions, by their full names.

Beside the table of nodes (`node_table.py`), which says what a stack has and what its nodes are
given; policies of SROS2 are written from both. A test starts every node and compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_tools.node_table import full_name, NodeEntry, PlacedNode
from robot_bridge.robot import Robot
from robot_bridge.robot_file import needs_frames

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Interfaces:
    """Names by what is done with them, as ROS names them: '~/tree', 'planner/tree', '/clock'.

    :param reply: services that are served. :param request: services that are called.
    :param execute: actions that are served. :param call: actions that are called.
    """

    publish: Names = ()
    subscribe: Names = ()
    reply: Names = ()
    request: Names = ()
    execute: Names = ()
    call: Names = ()

    def __add__(self, other: Interfaces) -> Interfaces:
        pairs = zip(self, other, strict=True)
        return Interfaces(*(ours + theirs for (_, ours), (_, theirs) in pairs))

    def __iter__(self) -> Iterator[tuple[str, Names]]:
        """What is done, and with what."""
        return ((field.name, getattr(self, field.name)) for field in fields(self))

    def renamed(self, name: Callable[[str], str]) -> Interfaces:
        """Each name as it becomes, in order and once."""
        return Interfaces(*(tuple(sorted(set(map(name, names)))) for _, names in self))


#: What makes a node talk about more than it does by default, by the names of arguments and
#: parameters; 'skills' stands for commands that do skills themselves. docs/sros2.md has them all.
EXTRAS = (
    'pictures',
    'resume_within',
    'service_introspection',
    'skills',
    'use_sim_time',
    'viewer_control',
)

_EVERY_NODE = Interfaces(
    publish=('/parameter_events', '/rosout'),
    reply=(
        '~/describe_parameters',
        '~/get_parameter_types',
        '~/get_parameters',
        '~/get_type_description',
        '~/list_parameters',
        '~/set_parameters',
        '~/set_parameters_atomically',
    ),
)
#: By which a node is the only one of its name.
_NAME = Interfaces(publish=('~/_name',), subscribe=('~/_name',))
_MANAGED = _NAME + Interfaces(
    publish=('/diagnostics', '~/transition_event'),
    reply=(
        '~/change_state',
        '~/get_available_states',
        '~/get_available_transitions',
        '~/get_logger_levels',
        '~/get_state',
        '~/get_transition_graph',
        '~/set_logger_levels',
    ),
)


def _planner(parameters: Mapping[str, Any], extras: Collection[str]) -> Interfaces:
    found = Interfaces(
        publish=('~/approvals', '~/decisions', '~/observations', '~/questions', '~/tree'),
        subscribe=(
            '~/emergency_stop',
            'bridge_status',
            *_if('pictures' in extras, 'bridge/camera/image_raw'),
        ),
        reply=(
            '~/answer_question',
            '~/correct_task',
            '~/get_tree',
            '~/pause',
            '~/resolve_approval',
            '~/step',
        ),
        request=(
            'memory/recall_object',
            'memory/retrieve_experiences',
            'memory/store_experiences',
        ),
        execute=('~/plan_task',),
        call=_if('resume_within' in extras, '~/plan_task'),
    )
    team = tuple(f'{name}/' for name in parameters.get('team', ()))
    for robot in team or ('',):
        found += Interfaces(
            subscribe=(f'{robot}bridge_status', f'{robot}bridge/emergency_stop'),
            request=tuple(
                f'{robot}bridge/{service}'
                for service in ('get_world_state', 'list_skills', 'reset_world', 'snapshot_world')
            ),
            call=(f'{robot}bridge/execute_skill',),
        )
    return found


#: Of every skill server of this package.
_SKILL_SERVER = Interfaces(
    publish=('bridge_status',),
    subscribe=('~/emergency_stop',),
    reply=('~/emergency_stop', '~/get_world_state', '~/list_skills', '~/reset_world'),
    execute=('~/execute_skill',),
)


def _bridge(parameters: Mapping[str, Any], extras: Collection[str]) -> Interfaces:
    return _SKILL_SERVER + Interfaces(
        publish=_if('pictures' in extras, '~/camera/image_raw'), reply=('~/snapshot_world',)
    )


def _perception(parameters: Mapping[str, Any], extras: Collection[str]) -> Interfaces:
    return Interfaces(publish=('~/picture', '~/things'))


def _memory(parameters: Mapping[str, Any], extras: Collection[str]) -> Interfaces:
    planners = parameters.get('planners', ('planner',))
    return Interfaces(
        publish=('~/working_memory',),
        subscribe=tuple(f'{planner}/observations' for planner in planners),
        reply=(
            '~/clear_working_memory',
            '~/recall_object',
            '~/retrieve_experiences',
            '~/store_experiences',
        ),
    )


def _manager(parameters: Mapping[str, Any], extras: Collection[str]) -> Interfaces:
    nodes = parameters.get('nodes', ('bridge', 'memory', 'planner'))
    return _NAME + Interfaces(
        subscribe=('/diagnostics',),
        reply=('~/bring_up', '~/take_down'),
        request=tuple(
            f'{node}/{asked}' for node in nodes for asked in ('change_state', 'get_state')
        ),
    )


def _recorder(parameters: Mapping[str, Any], extras: Collection[str]) -> Interfaces:
    return Interfaces(
        subscribe=(
            '/diagnostics',
            'bridge_status',
            'memory/working_memory',
            'planner/approvals',
            'planner/decisions',
            'planner/observations',
            'planner/tree',
        )
    )


def _viewer(parameters: Mapping[str, Any], extras: Collection[str]) -> Interfaces:
    robots = [f'{robot}/' for robot in parameters.get('robots', ())]
    found = Interfaces(
        subscribe=_if(bool(robots), 'memory/working_memory'),
        request=('memory/retrieve_experiences',),
    )
    for robot in robots or ('',):
        watched = Interfaces(
            subscribe=(
                'bridge_status',
                'perception/picture',
                'perception/things',
                'planner/approvals',
                'planner/decisions',
                'planner/observations',
                'planner/tree',
            ),
            request=('bridge/get_world_state', 'bridge/list_skills'),
        )
        if 'viewer_control' in extras:
            watched += Interfaces(
                subscribe=('planner/questions',),
                request=(
                    'planner/answer_question',
                    'planner/correct_task',
                    'planner/pause',
                    # Of the action: a viewer cancels, and sends nothing.
                    'planner/plan_task/_action/cancel_goal',
                    'planner/resolve_approval',
                    'planner/step',
                ),
            )
        found += watched.renamed(robot.__add__)
    return found


_OWN: Mapping[str, Callable[[Mapping[str, Any], Collection[str]], Interfaces]] = {
    'bridge_node': _bridge,
    'manager_node': _manager,
    'memory_node': _memory,
    'perception_node': _perception,
    'planner_node': _planner,
    'recorder_node': _recorder,
    'robot_bridge': lambda parameters, extras: _SKILL_SERVER,
    'viewer_node': _viewer,
}

#: Stands for the short-lived nodes of the command line (`reactree_tools/ros/session.py`).
COMMAND_LINE = NodeEntry('_reactree_*')


def _command_line(extras: Collection[str]) -> Interfaces:
    found = Interfaces(
        publish=('/parameter_events',),
        subscribe=(
            'bridge_status',
            'planner/approvals',
            'planner/decisions',
            'planner/observations',
            'planner/questions',
            'planner/tree',
        ),
        reply=('~/get_type_description',),
        request=(
            'bridge/emergency_stop',
            'bridge/get_world_state',
            'bridge/reset_world',
            'memory/retrieve_experiences',
            'planner/answer_question',
            'planner/correct_task',
            'planner/get_parameters',
            'planner/resolve_approval',
        ),
        call=('planner/plan_task',),
    )
    if 'skills' in extras:
        found += Interfaces(
            subscribe=('bridge/emergency_stop',),
            request=('bridge/list_skills', 'bridge/snapshot_world'),
            call=('bridge/execute_skill',),
        )
    return found


#: What a step or a sense of a robot's file makes.
_OF_A_FILE = {'action': 'call', 'service': 'request', 'publish': 'publish', 'await': 'subscribe'}
_ROS_NAME = re.compile(r'(~/|/)?[A-Za-z_]\w*(/[A-Za-z_]\w*)*', re.ASCII)


def robot_interfaces(robot: Robot) -> Interfaces:
    """What the robot bridge makes for a robot's file, beside what it serves.

    :raises ConfigurationError: a name in it is none of ROS; a pattern would stand for many.
    """
    found = Interfaces(
        subscribe=('/tf', '/tf_static') if robot.hears_frames else (),
        request=tuple(
            f'{place.parameter.node}/get_parameters'
            for place in robot.file.places.values()
            if place.parameter is not None
        ),
    )
    for one in robot.interfaces():
        found += Interfaces(**{_OF_A_FILE[one.kind]: (one.name,)})
    return _checked(found, robot)


def camera_interfaces(robot: Robot) -> Interfaces:
    """What the perception node hears by a robot's file.

    :raises ConfigurationError: a name in it is none of ROS.
    """
    names = [one.name for one in robot.cameras()]
    frames = ('/tf', '/tf_static') if needs_frames(robot.file) else ()
    return _checked(Interfaces(subscribe=(*names, *frames)), robot)


def _checked(found: Interfaces, robot: Robot) -> Interfaces:
    for _, names in found:
        for name in names:
            if not _ROS_NAME.fullmatch(name):
                raise ConfigurationError(
                    f'The file of {robot.file.robot} names "{name}", which is no name in ROS: '
                    'write letters, digits, underscores and slashes.'
                )
    return found


def interfaces_of(
    placed: PlacedNode, extras: Collection[str] = (), robot: Robot | None = None
) -> Interfaces:
    """All that a node makes, with full names.

    :param extras: of EXTRAS, what is switched on. :param robot: what a robot bridge serves.
    """

    def resolved(found: Interfaces) -> Interfaces:
        return found.renamed(lambda name: _resolved(name, placed))

    node = placed.node
    if node is COMMAND_LINE:
        return resolved(_command_line(extras))
    own = _OWN[node.executable](placed.parameters, extras)
    if node.executable == 'robot_bridge' and robot is not None:
        own += robot_interfaces(robot)
    if node.executable == 'perception_node' and robot is not None:
        own += camera_interfaces(robot)
    common = _EVERY_NODE
    if node.managed:
        common += _MANAGED
        if 'service_introspection' in extras:
            common += Interfaces(publish=tuple(_events(resolved(own))))
    if 'use_sim_time' in extras:
        common += Interfaces(subscribe=('/clock',))
    return resolved(own + common)


def _events(own: Interfaces) -> Iterator[str]:
    """Topics on which a node tells of calls: of its own services, clients and actions."""
    for service in (*own.reply, *own.request):
        yield f'{service}/_service_event'
    for action in (*own.execute, *own.call):
        for service in ('send_goal', 'cancel_goal', 'get_result'):
            yield f'{action}/_action/{service}/_service_event'


def _resolved(name: str, placed: PlacedNode) -> str:
    """The full name, by the node's namespace and remappings."""
    name = dict(placed.remappings).get(name, name)
    if name.startswith('~/'):
        return full_name(full_name(placed.namespace, placed.node.name), name[2:])
    return name if name.startswith('/') else full_name(placed.namespace, name)


def _if(condition: bool, name: str) -> Names:
    return (name,) if condition else ()
