"""The nodes of a team: a bridge for each robot, and one planner, memory and viewer for all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from reactree_tools.node_table import (
    NodeEntry,
    NODES,
    PlacedNode,
    read_remaps,
    robot_of_file,
    wanted_nodes,
)

#: The home of simulated robots; no node, but started with them.
HOME = NodeEntry('home', needed=True, program='team_home')
#: Nodes that every robot has for itself.
_OWN = ('bridge', 'perception')
_FILES = ('.yaml', '.yml')


def team_nodes(
    robots: Sequence[str],
    given: Mapping[str, Any],
    namespace: str = '/',
    remaps: Sequence[str] = (),
) -> tuple[PlacedNode, ...]:
    """The nodes of several robots that do one task.

    :param robots: their names, or their files: of a robot (docs/robot_file.md), or of one in a
        simulated home (docs/team.md). A file gives its name to its robot.
    :param given: values by the names of arguments. :param namespace: of what they share.
    :param remaps: for their bridges, as `read_remaps` reads them.
    :raises ValueError: there is no robot, a name that is none or comes twice, or no such file.
    """
    files = {_name_of(one): one for one in robots if one.endswith(_FILES)}
    names = [_name_of(one) for one in robots]
    if not names or len(set(names)) < len(names) or not all(name.isidentifier() for name in names):
        raise ValueError(
            f'the robots are {", ".join(names) or "none"}: give each a name of its own, of '
            'letters, digits and underscores, as in robot_1,robot_2'
        )
    base = namespace.rstrip('/')
    simulated = [one for one in robots if _is_simulated(files.get(_name_of(one), ''))]
    placed = []
    socket = str(_socket_of(base))
    if simulated:
        words = (*simulated, '--socket', socket)
        placed.append(PlacedNode(HOME, base or '/', {}, arguments=words))
    for name, robot in zip(names, robots, strict=True):
        own: dict[str, Any] = {**given, 'with_bridge': robot in simulated}
        if robot in simulated:
            own['world'] = f'household_member,home={socket},robot={name}'
        else:
            own['robot'] = files[name]
        for node in wanted_nodes(own):
            if node.name in _OWN:
                rules = read_remaps(remaps, name) if node.name == 'bridge' else ()
                placed.append(PlacedNode(node, f'{base}/{name}', node.parameters(own), rules))
    shared = {**given, 'with_bridge': False, 'robot': None, 'perception': False}
    for node in NODES:
        if node.name in _OWN or node not in wanted_nodes(shared):
            continue
        parameters = node.parameters(shared)
        if node.name == 'planner':
            parameters['team'] = tuple(names)
        elif node.name == 'manager':
            managed = [one.name for one in wanted_nodes(shared) if one.managed]
            parameters['nodes'] = (*(f'{name}/bridge' for name in names), *managed)
        placed.append(PlacedNode(node, base or '/', parameters))
    return tuple(placed)


def _name_of(robot: str) -> str:
    return robot_of_file(robot) if robot.endswith(_FILES) else robot


def _is_simulated(file: str) -> bool:
    """Whether a robot is one in a simulated home: it has no file, or one that says so."""
    if not file:
        return True
    try:
        told = yaml.safe_load(Path(file).read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f'the robot file {file} cannot be read: {error}') from None
    return isinstance(told, Mapping) and 'world' in told


def _socket_of(base: str) -> Path:
    """Where the home of a team listens: one for each ROS domain and namespace of a user."""
    own = Path(tempfile.gettempdir()) / f'reactree-{os.getuid()}'
    folder = Path(os.environ.get('XDG_RUNTIME_DIR') or own)
    domain = os.environ.get('ROS_DOMAIN_ID', '0')
    return folder / f'home-{domain}{base.replace("/", "-")}'
