"""Where the nodes' programs are: beside this one, in a ROS workspace, or on the PATH."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from reactree_core.errors import ConfigurationError

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
