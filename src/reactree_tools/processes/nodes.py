"""The nodes of the stack: where their programs are, their names and parameters."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_tools.processes.node_process import NodeProcess
from reactree_tools.processes.parameter_files import ParameterValue
from reactree_tools.processes.parameter_files import write_parameter_file
from reactree_tools.processes.stack import Stack


@dataclass(frozen=True, slots=True)
class StackOptions:
    """What a user may say about the nodes; None leaves it to parameter files and defaults.

    :param namespace: with a leading slash; '/' for none.
    :param params: parameter files, later ones win.
    :param record: folder that takes a bag per run, '' for the usual one; None for no recorder.
    """

    namespace: str = '/'
    world: str | None = None
    scene: str | None = None
    task: str | None = None
    seed: int | None = None
    model: str | None = None
    planner: str | None = None
    memory: str | None = None
    with_memory: bool = True
    with_bridge: bool = True
    params: tuple[Path, ...] = ()
    log_level: str | None = None
    record: str | None = None

    def parameters(self, node: str) -> dict[str, ParameterValue]:
        """Parameters of a node that were given on the command line."""
        given: dict[str, ParameterValue | None] = {}
        if node == 'bridge':
            given = {
                'world': self.world,
                'scene': self.scene,
                'task': self.task,
                'seed': self.seed,
            }
        elif node == 'memory':
            given = {'store_path': self.memory}
        elif node == 'planner':
            given = {
                'model': self.model,
                'planner': self.planner,
                'memory': None if self.with_memory else False,
            }
        elif node == 'recorder':
            given = {'directory': self.record or None}
        return {name: value for name, value in given.items() if value is not None}


def node_names(options: StackOptions) -> tuple[str, ...]:
    """The nodes in the order in which they are started: what is used before its user."""
    wanted = {
        'recorder': options.record is not None,
        'bridge': options.with_bridge,
        'memory': options.with_memory,
        'planner': True,
    }
    return tuple(name for name, is_wanted in wanted.items() if is_wanted)


def full_name(namespace: str, name: str) -> str:
    """A node's name with its namespace, e.g. '/robot_1/planner'."""
    return f'{namespace.rstrip("/")}/{name}'


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
                name, _command(name, options, folder), folder / f'{name}.log', surroundings
            )
            for name in node_names(options)
        ]
    )


def _command(name: str, options: StackOptions, folder: Path) -> list[str]:
    command = [str(find_executable(f'{name}_node')), '--ros-args']
    if options.namespace != '/':
        command += ['-r', f'__ns:={options.namespace}']
    for path in options.params:
        command += ['--params-file', str(path.resolve())]
    parameters = options.parameters(name)
    if parameters:
        path = folder / f'{name}.yaml'
        write_parameter_file(path, full_name(options.namespace, name), parameters)
        command += ['--params-file', str(path)]
    if options.log_level:
        # Only this node's own logger: at debug the middleware would say far too much.
        logger = full_name(options.namespace, name).strip('/').replace('/', '.')
        command += ['--log-level', f'{logger}:={options.log_level}']
    return command


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
    raise ConfigurationError(
        f'The program {name} is not installed. Run `make setup` in the checkout, or build '
        'with `colcon build` and source install/setup.bash.'
    )
