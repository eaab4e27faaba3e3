#!/usr/bin/env python3
"""Check an install of the package: modules, data files, interfaces and programs are in it."""

import importlib
import importlib.util
import os
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / 'src'
MODULES = ('memory_server', 'reactree_core', 'reactree_planner', 'reactree_tools', 'sim_bridge')
INTERFACES = ('reactree_ros.msg', 'reactree_ros.srv', 'reactree_ros.action')
PROGRAMS = (
    'bin/reactree',
    'lib/reactree_ros/bridge_node',
    'lib/reactree_ros/memory_node',
    'lib/reactree_ros/planner_node',
    'lib/reactree_ros/reactree',
    'lib/reactree_ros/recorder_node',
)


def main() -> int:
    prefix = Path(sys.argv[1]).resolve()
    wrong = []
    files = 0
    for name in (*MODULES, *INTERFACES):
        found = importlib.util.find_spec(name)
        if found is None or found.origin is None:
            wrong.append(f'{name} cannot be imported')
        elif prefix not in Path(found.origin).resolve().parents:
            wrong.append(f'{name} comes from {found.origin}')
        elif name in MODULES:
            folder = Path(found.origin).parent
            for file in sorted((SOURCE / name).rglob('*')):
                if not file.is_file() or file.suffix == '.pyc':
                    continue
                files += 1
                if not (folder / file.relative_to(SOURCE / name)).is_file():
                    wrong.append(f'{file} is not installed')
    messages = importlib.import_module('reactree_ros.msg')
    messages.Observation.__class__.__import_type_support__()
    for program in PROGRAMS:
        if not os.access(prefix / program, os.X_OK):
            wrong.append(f'{program} is not there or cannot be run')
    for sentence in wrong:
        print(f'install: {sentence}', file=sys.stderr)
    if not wrong:
        print(f'install: {files} files, the interfaces and {len(PROGRAMS)} programs are there')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
