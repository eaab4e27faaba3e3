"""Name the validation set of ProcWorld: its digest, its types, and where it can be done.

Run: python -m benchmarks.procworld_validation [--houses 0-49] [--mix published] [--settings]
"""

from __future__ import annotations

import argparse
from collections import Counter

from sim_bridge.worlds.procworld.expert import setting_text, SETTINGS, settings_of
from sim_bridge.worlds.procworld.tasks import (
    digest,
    EVEN,
    PUBLISHED,
    STEPS,
    VALIDATION_HOUSES,
    validation_tasks,
)


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--houses', default='0-49', metavar='FIRST-LAST')
    parser.add_argument('--mix', choices=(EVEN, PUBLISHED), default=EVEN, help='of types')
    parser.add_argument(
        '--settings', action='store_true', help='also try every task in every setting (minutes)'
    )
    arguments = parser.parse_args()
    first, _, last = arguments.houses.partition('-')
    if not first.isdigit() or not (last or first).isdigit():
        parser.error(f'--houses must be a range such as 0-49, not {arguments.houses!r}')
    houses = range(int(first), int(last or first) + 1)
    if not houses or not set(houses) <= {*VALIDATION_HOUSES}:
        parser.error(f'--houses must be within 0-{VALIDATION_HOUSES[-1]}')
    tasks = list(validation_tasks(houses, arguments.mix))
    print(f'{len(tasks)} tasks in {len(houses)} houses, digest {digest(tasks)}')
    for task_type, count in sorted(Counter(task.task_type for _, task in tasks).items()):
        print(f'{count:6} {task_type}')
    if arguments.settings:
        able = Counter(one for pool, task in tasks for one in settings_of(pool.house, task))
        for setting in SETTINGS:
            print(f'{able[setting]:6} can be done in {STEPS} skills with {setting_text(setting)}')


if __name__ == '__main__':
    main()
