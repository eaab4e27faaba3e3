"""Write the shipped seed memory anew: `python -m reactree_tools.seed_memory [--homes N]`."""

from __future__ import annotations

import argparse
from pathlib import Path

import memory_server.seed
from memory_server.seed.loader import write_experiences
from reactree_tools.seed_memory.writing import collect
from reactree_tools.seed_memory.writing import FIRST_SEED

_HEADER = """Example trajectories for the household world, written by a rule-following teacher in
generated homes ({first} to {last}): python -m reactree_tools.seed_memory --homes {homes}
"""


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--homes', type=int, default=12, help='homes to visit, one per seed')
    parser.add_argument(
        '--output', type=Path, default=Path(memory_server.seed.__file__).parent / 'household.txt'
    )
    arguments = parser.parse_args()
    experiences = collect(arguments.homes)
    header = _HEADER.format(
        first=FIRST_SEED, last=FIRST_SEED + arguments.homes - 1, homes=arguments.homes
    )
    arguments.output.write_text(header + '\n' + write_experiences(experiences), encoding='utf-8')
    print(f'{len(experiences)} experiences in {arguments.output}')


if __name__ == '__main__':
    main()
