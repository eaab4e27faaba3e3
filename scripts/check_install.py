#!/usr/bin/env python3
"""Check an install of the package: modules, data files, interfaces and programs are in it."""

import configparser
import importlib
import importlib.util
import os
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / 'src'
MODULES = (
    'memory_server',
    'reactree_core',
    'reactree_domains',
    'reactree_planner',
    'reactree_tools',
    'perception',
    'robot_bridge',
    'sim_bridge',
    'skill_server',
)
INTERFACES = ('reactree_ros.msg', 'reactree_ros.srv', 'reactree_ros.action')


def programs():
    """What must be there to run: what the modules declare, and the command line by itself."""
    names = ['bin/reactree']
    for file in sorted(SOURCE.glob('*/setup.cfg')):
        parser = configparser.ConfigParser()
        parser.read(file)
        scripts = parser['options.entry_points']['console_scripts'].split('\n')
        names += [
            f'lib/reactree_ros/{script.partition("=")[0].strip()}' for script in scripts if script
        ]
    return names


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
    wanted = programs()
    for program in wanted:
        if not os.access(prefix / program, os.X_OK):
            wrong.append(f'{program} is not there or cannot be run')
    for folder in ('launch', 'config'):
        for file in sorted((SOURCE.parent / folder).iterdir()):
            if (
                file.is_file()
                and not (prefix / 'share/reactree_ros' / folder / file.name).is_file()
            ):
                wrong.append(f'{file} is not installed')
    for sentence in wrong:
        print(f'install: {sentence}', file=sys.stderr)
    if not wrong:
        print(f'install: {files} files, the interfaces and {len(wanted)} programs are there')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
