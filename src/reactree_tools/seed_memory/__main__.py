"""Write the shipped seed memory anew: `python -m reactree_tools.seed_memory`."""

from __future__ import annotations

import argparse
from pathlib import Path

import memory_server.seed
from memory_server.seed.loader import write_experiences
from reactree_tools.seed_memory.writing import collect
from reactree_tools.seed_memory.writing import collect_flat
from reactree_tools.seed_memory.writing import FIRST_SEED

_HEADER = """Example trajectories for the household world, written by a rule-following teacher in
generated homes ({first} to {last}): python -m reactree_tools.seed_memory {command}
"""


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--homes', type=int, default=12, help='homes to visit, one per seed')
    parser.add_argument(
        '--flat-homes', type=int, default=36, help='homes in which whole tasks are done unsplit'
    )
    parser.add_argument('--folder', type=Path, default=Path(memory_server.seed.__file__).parent)
    arguments = parser.parse_args()
    command = f'--homes {arguments.homes} --flat-homes {arguments.flat_homes}'
    for name, homes, experiences in (
        ('household.txt', arguments.homes, collect(arguments.homes)),
        ('household_react.txt', arguments.flat_homes, collect_flat(arguments.flat_homes)),
    ):
        header = _HEADER.format(first=FIRST_SEED, last=FIRST_SEED + homes - 1, command=command)
        path = arguments.folder / name
        path.write_text(header + '\n' + write_experiences(experiences), encoding='utf-8')
        print(f'{len(experiences)} experiences in {path}')


if __name__ == '__main__':
    main()
