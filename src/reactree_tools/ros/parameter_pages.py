"""Writes docs/parameters.md from the nodes' tables: `python -m` this module prints it."""

from __future__ import annotations

from collections import Counter

from memory_server.ros.parameters import PARAMETERS as MEMORY
from perception.ros.parameters import PARAMETERS as PERCEPTION
from reactree_core.ros.parameter_specs import markdown_table
from reactree_planner.ros.parameters import PARAMETERS as PLANNER
from reactree_tools.recording.ros.parameters import PARAMETERS as RECORDER
from reactree_tools.ros.manager import PARAMETERS as MANAGER
from reactree_tools.viewer.ros.parameters import PARAMETERS as VIEWER
from robot_bridge.ros.parameters import PARAMETERS as ROBOT_BRIDGE
from sim_bridge.ros.parameters import PARAMETERS as BRIDGE

_NODES = (
    ('`planner`', PLANNER),
    ('`bridge`', BRIDGE),
    ('`bridge` of a robot (`robot_bridge`)', ROBOT_BRIDGE),
    ('`perception`', PERCEPTION),
    ('`memory`', MEMORY),
    ('`manager`', MANAGER),
    ('`recorder`', RECORDER),
    ('`viewer`', VIEWER),
)


def parameter_page() -> str:
    """The whole page as Markdown; what several nodes have stands first, once."""
    tables = {name: markdown_table(table).splitlines(keepends=True) for name, table in _NODES}
    times = Counter(row for table in tables.values() for row in table[2:])
    shared = [row for row, count in times.items() if count > 2]
    parts = [
        '# Parameters\n\n'
        'All parameters of the nodes. Set them in a file (`reactree up --params FILE`), or with '
        '`ros2 param set`\nwhile a node runs; *fixed* ones refuse a change after the start. '
        'The default shows the type. New waits\nand approval apply from the next wait or skill '
        'on, also in the present run; other changes apply to the\nnext run, skill or request.\n\n'
        'Generated from `src/*/ros/parameters.py` by\n'
        '`scripts/with_ros python -m reactree_tools.ros.parameter_pages > docs/parameters.md`.\n',
        f'## Planner, bridges and memory\n\n{"".join(tables["`planner`"][:2])}{"".join(shared)}\n'
        'The memory has no `telemetry`.\n',
    ]
    for name, table in tables.items():
        own = ''.join(row for row in table if row not in shared)
        parts.append(f'## Node {name}\n\n{own}')
    return '\n'.join(parts)


if __name__ == '__main__':
    print(parameter_page(), end='')
