"""Write the shipped examples of a domain anew: `python -m reactree_tools.seed_memory`."""

from __future__ import annotations

import argparse
from pathlib import Path

import reactree_domains
from memory_server.seed.loader import write_experiences
from reactree_tools.seed_memory.writing import collect, collect_flat, collect_of_world, FIRST_SEED

_HEADER = """Example trajectories for the world {world}, written by a rule-following teacher in
generated tasks ({first} to {last}): python -m reactree_tools.seed_memory {command}
"""
#: Worlds with a demonstrator.
WORLDS = ('alfworld', 'procworld', 'programs', 'scienceworld', 'textcraft', 'thor', 'webshop')
#: Worlds whose domain is called otherwise.
_DOMAINS = {'thor': 'alfred'}


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        '--world',
        default='household',
        choices=('household', *WORLDS),
    )
    parser.add_argument('--tasks', type=int, default=12, help='tasks to do, one per seed')
    parser.add_argument('--whole-tasks', type=int, default=36, help='tasks that are done unsplit')
    parser.add_argument('--folder', type=Path, help="default: the domain's examples")
    arguments = parser.parse_args()
    world, tasks, whole = arguments.world, arguments.tasks, arguments.whole_tasks
    domain = _DOMAINS.get(world, world)
    folder = arguments.folder or Path(reactree_domains.__path__[0]) / domain / 'examples'
    if world == 'household':
        found = {'reactree': collect(tasks), 'react': collect_flat(whole)}
    else:
        found = {
            'reactree': collect_of_world(world, 'reactree', tasks),
            'react': collect_of_world(world, 'react', whole),
        }
    folder.mkdir(parents=True, exist_ok=True)
    command = f'--world {world} --tasks {tasks} --whole-tasks {whole}'
    for planner, experiences in found.items():
        last = FIRST_SEED + (tasks if planner == 'reactree' else whole) - 1
        header = _HEADER.format(world=world, first=FIRST_SEED, last=last, command=command)
        path = folder / f'{planner}.txt'
        path.write_text(header + '\n' + write_experiences(experiences), encoding='utf-8')
        print(f'{len(experiences)} experiences in {path}')


if __name__ == '__main__':
    main()
