"""Writes docs/parameters.md from the nodes' tables: `python -m` this module prints it."""

from __future__ import annotations

from memory_server.ros.parameters import PARAMETERS as MEMORY
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
    ('`memory`', MEMORY),
    ('`manager`', MANAGER),
    ('`recorder`', RECORDER),
    ('`viewer`', VIEWER),
)


def parameter_page() -> str:
    """The whole page as Markdown."""
    parts = [
        '# Parameters\n\n'
        'Written from the tables in `src/*/ros/parameters.py` by\n'
        '`scripts/with_ros python -m reactree_tools.ros.parameter_pages > docs/parameters.md`.\n'
        'What is fixed at start refuses a change while the node runs. All else may be changed '
        'with\n`ros2 param set`: waits and approval hold from the next one on, also in a run '
        'that is under way;\nother changes are for the next run, skill or request.\n'
    ]
    parts += [f'## Node {name}\n\n{markdown_table(table)}' for name, table in _NODES]
    return '\n'.join(parts)


if __name__ == '__main__':
    print(parameter_page(), end='')
