"""The nodes of a team: a bridge for each robot, and one planner, memory and viewer for all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from reactree_tools.node_table import (
    named_robots,
    NodeEntry,
    NODES,
    PlacedNode,
    read_remaps,
    wanted_nodes,
)

#: The home of simulated robots; no node, but started with them.
HOME = NodeEntry('home', needed=True, program='team_home')
#: Nodes that every robot has for itself.
_OWN = ('bridge', 'perception')


def team_nodes(
    robots: Sequence[str],
    given: Mapping[str, Any],
    namespace: str = '/',
    remaps: Sequence[str] = (),
) -> tuple[PlacedNode, ...]:
    """The nodes of several robots that do one task.

    :param robots: as of `named_robots`; files are of a robot (docs/robot_file.md), or of one in a
        simulated home (docs/team.md).
    :param given: values by the names of arguments. :param namespace: of what they share.
    :param remaps: for their bridges, as `read_remaps` reads them.
    :raises ValueError: there is no robot, a name that is none or comes twice, or no such file.
    """
    files = named_robots(robots)
    base = namespace.rstrip('/')
    simulated = [name for name, file in files.items() if _is_simulated(file)]
    placed = []
    socket = str(_socket_of(base))
    if simulated:
        robots_given = [f'{name}={files[name]}' if files[name] else name for name in simulated]
        words = (*robots_given, '--socket', socket)
        placed.append(PlacedNode(HOME, base or '/', {}, arguments=words))
    for name, file in files.items():
        own: dict[str, Any] = {**given, 'with_bridge': name in simulated}
        if name in simulated:
            own['world'] = f'household_member,home={socket},robot={name}'
        else:
            own['robot'] = file
        for node in wanted_nodes(own):
            if node.name in _OWN:
                rules = read_remaps(remaps, name, file) if node.name == 'bridge' else ()
                placed.append(PlacedNode(node, f'{base}/{name}', node.parameters(own), rules))
    shared = {**given, 'with_bridge': False, 'robot': None, 'perception': False}
    for node in NODES:
        if node.name in _OWN or node not in wanted_nodes(shared):
            continue
        parameters = node.parameters(shared)
        if node.name == 'planner':
            parameters['team'] = tuple(files)
        elif node.name == 'manager':
            managed = [one.name for one in wanted_nodes(shared) if one.managed]
            parameters['nodes'] = (*(f'{name}/bridge' for name in files), *managed)
        placed.append(PlacedNode(node, base or '/', parameters))
    return tuple(placed)


def _is_simulated(file: str) -> bool:
    """Whether a robot is one in a simulated home: it has no file, or one that says so."""
    if not file:
        return True
    try:
        content = yaml.safe_load(Path(file).read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f'the robot file {file} cannot be read: {error}') from None
    return isinstance(content, Mapping) and 'world' in content


def _socket_of(base: str) -> Path:
    """Where the home of a team listens: one for each ROS domain and namespace of a user."""
    own = Path(tempfile.gettempdir()) / f'reactree-{os.getuid()}'
    folder = Path(os.environ.get('XDG_RUNTIME_DIR') or own)
    domain = os.environ.get('ROS_DOMAIN_ID', '0')
    return folder / f'home-{domain}{base.replace("/", "-")}'
