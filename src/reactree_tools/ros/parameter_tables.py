"""The parameters of all nodes, to check a file against before a node ignores it silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from memory_server.ros.parameters import PARAMETERS as MEMORY
from perception.ros.parameters import PARAMETERS as PERCEPTION
from reactree_core.ros.parameter_specs import ParameterSpec
from reactree_planner.ros.parameters import PARAMETERS as PLANNER
from reactree_tools.recording.ros.parameters import PARAMETERS as RECORDER
from reactree_tools.ros.manager import PARAMETERS as MANAGER
from reactree_tools.viewer.ros.parameters import PARAMETERS as VIEWER
from robot_bridge.ros.parameters import PARAMETERS as ROBOT_BRIDGE
from sim_bridge.ros.parameters import PARAMETERS as BRIDGE

TABLES: dict[str, dict[str, ParameterSpec]] = {
    'bridge': {spec.name: spec for spec in BRIDGE},
    'manager': {spec.name: spec for spec in MANAGER},
    'memory': {spec.name: spec for spec in MEMORY},
    'perception': {spec.name: spec for spec in PERCEPTION},
    'planner': {spec.name: spec for spec in PLANNER},
    'recorder': {spec.name: spec for spec in RECORDER},
    'viewer': {spec.name: spec for spec in VIEWER},
}
#: What a node of a name may take: the bridge of a robot has the name of the bridge.
TAKEN = {**TABLES, 'bridge': {spec.name: spec for spec in (*ROBOT_BRIDGE, *BRIDGE)}}
#: Parameters that every ROS node has.
_COMMON = ('use_sim_time', 'start_type_description_service')
_COMMON_PREFIX = 'qos_overrides.'


def objections(sections: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What is wrong with the parameters of a file; ROS would ignore unknown ones silently.

    Sections of other nodes are none of our business.

    :param sections: node name or wildcard -> its parameters, groups as nested mappings.
    """
    for section, parameters in sections.items():
        nodes = _nodes_of(section)
        for name, value in _flat(parameters):
            if not nodes or name in _COMMON or name.startswith(_COMMON_PREFIX):
                continue
            specs = [TAKEN[node][name] for node in nodes if name in TAKEN[node]]
            if not specs:
                yield _unknown(name, section, nodes)
            elif all(spec.objection(value) for spec in specs):
                yield f'In section {section}: {specs[0].objection(value)}.'


def _nodes_of(section: str) -> tuple[str, ...]:
    """Which of our nodes a section may be meant for."""
    last = section.rstrip('/').rpartition('/')[2]
    if last in ('*', '**'):
        return tuple(TABLES)
    return (last,) if last in TABLES else ()


def _flat(parameters: Mapping[str, Any], prefix: str = '') -> Iterator[tuple[str, Any]]:
    for name, value in parameters.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f'{prefix}{name}.')
        else:
            yield f'{prefix}{name}', value


def _unknown(name: str, section: str, nodes: tuple[str, ...]) -> str:
    known = [known for node in nodes for known in TAKEN[node]]
    near = get_close_matches(name, known, n=1)
    hint = f'; did you mean {near[0]}?' if near else '.'
    whose = f'The {nodes[0]} has no' if len(nodes) == 1 else 'No node has a'
    return f'{whose} parameter {name} (section {section}){hint}'
