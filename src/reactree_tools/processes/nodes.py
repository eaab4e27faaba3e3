"""The nodes of the stack: where their programs are, their names and parameters."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_tools.node_table import (
    enclave_arguments,
    full_name,
    PlacedNode,
    read_remaps,
    wanted_nodes,
)
from reactree_tools.processes.node_process import NodeProcess
from reactree_tools.processes.parameter_files import write_parameter_file
from reactree_tools.processes.stack import Stack
from reactree_tools.team_nodes import team_nodes


@dataclass(frozen=True, slots=True)
class StackOptions:
    """What a user says about the nodes.

    :param namespace: with a leading slash; '/' for none.
    :param given: by the names of arguments in the table of nodes; None leaves a parameter to
        parameter files and defaults.
    :param params: parameter files, later ones win.
    :param remappings: node -> rules (name, name on the graph).
    :param respawn: whether a node that dies is started again.
    :param remaps: names of the robot's interfaces that are others here, as of `read_remaps`.
    :param robots: of a team, as of `team_nodes`; () for one robot.
    """

    namespace: str = '/'
    given: Mapping[str, Any] = field(default_factory=dict)
    params: tuple[Path, ...] = ()
    log_level: str | None = None
    remappings: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    respawn: bool = False
    remaps: tuple[str, ...] = ()
    robots: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[PlacedNode, ...]:
        """The nodes in the order in which they are started."""
        if self.robots:
            return team_nodes(self.robots, self.given, self.namespace, self.remaps)
        file = str(self.given.get('robot') or '')
        return tuple(
            PlacedNode(
                node,
                self.namespace,
                node.parameters(self.given),
                read_remaps(self.remaps, '', file) if node.name == 'bridge' else (),
            )
            for node in wanted_nodes(self.given)
        )

    def name_of(self, placed: PlacedNode) -> str:
        """How a node is called among them: 'planner', or 'robot_1/bridge' of a team."""
        full = full_name(placed.namespace, placed.node.name)
        return full.removeprefix(self.namespace).strip('/')


def make_stack(
    options: StackOptions, folder: Path, environment: Mapping[str, str] | None = None
) -> Stack:
    """The processes, not yet started.

    :param folder: takes logs and the parameters given on the command line.
    :param environment: set for the nodes besides this process' own.
    :raises ConfigurationError: a program is missing.
    """
    surroundings = {
        **os.environ,
        'ROS_LOG_DIR': str(folder),
        'RCUTILS_COLORIZED_OUTPUT': '0',
        'PYTHONUNBUFFERED': '1',
        **(environment or {}),
    }
    return Stack(
        [
            NodeProcess(
                name := options.name_of(placed),
                _command(placed, options, folder),
                folder / f'{name.replace("/", ".")}.log',
                surroundings,
            )
            for placed in options.nodes
        ]
    )


def _command(placed: PlacedNode, options: StackOptions, folder: Path) -> list[str]:
    name, namespace = placed.node.name, placed.namespace
    command = [str(find_executable(placed.node.executable)), *placed.arguments, '--ros-args']
    if namespace != '/':
        command += ['-r', f'__ns:={namespace}']
    for old, new in placed.remappings:
        command += ['-r', f'{old}:={new}']
    for rule in options.remappings.get(name, ()):
        command += ['-r', ':='.join(rule)]
    for path in options.params:
        command += ['--params-file', str(path.resolve())]
    if placed.parameters:
        path = folder / f'{options.name_of(placed).replace("/", ".")}.yaml'
        write_parameter_file(path, full_name(namespace, name), placed.parameters)
        command += ['--params-file', str(path)]
    if options.log_level:
        # Only this node's own logger: at debug the middleware would say far too much.
        logger = full_name(namespace, name).strip('/').replace('/', '.')
        command += ['--log-level', f'{logger}:={options.log_level}']
    return command + enclave_arguments(namespace, name)


PACKAGE = 'reactree_ros'


def _places() -> Iterator[Path]:
    """Folders in which a node's program may be, the one that belongs to this program first."""
    here = Path(__file__).resolve()
    prefixes = [Path(p) for p in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if p]
    own = [prefix for prefix in prefixes if here.is_relative_to(prefix.resolve())]
    for prefix in own:
        yield prefix / 'lib' / PACKAGE
    yield Path(sys.executable).parent
    for prefix in prefixes:
        yield prefix / 'lib' / PACKAGE


def find_executable(name: str) -> Path:
    """The program of a node, e.g. 'planner_node'.

    :raises ConfigurationError: it is not installed.
    """
    for place in _places():
        candidate = place / name
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    on_path = shutil.which(name)
    if on_path:
        return Path(on_path)
    if importlib.util.find_spec('rclpy') is None:
        raise ModuleNotFoundError(name='rclpy')
    raise ConfigurationError(
        f'The program {name} is not installed. Run `make setup` in the checkout, or build '
        'with `colcon build` and source install/setup.bash.'
    )
