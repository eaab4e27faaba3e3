"""How many gold plans of ALFRED's trajectories reach their goal in AI2-THOR, or in its stand-in.

Each `traj_data.json` of a folder is loaded, and its gold plan carried out by the world's expert.

    python -m benchmarks.thor_gold_plans json_2.1.0 \\
        --stand-in '--layouts alfred/gen/layouts --failures none'
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from reactree_core.errors import ReactreeError
from sim_bridge.worlds.thor.world import ThorWorld


def main() -> int:
    """Play all of them; 1 where a plan fails."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('folder', type=Path, help='of trajectories, at any depth')
    parser.add_argument('--stand-in', default='', help='options of the stand-in')
    parser.add_argument('--executable', default='', help="AI2-THOR's program")
    arguments = parser.parse_args()
    files = sorted(arguments.folder.glob('*/**/*.json'))
    told = f'--trajectories {arguments.folder} {arguments.stand_in}'
    world = ThorWorld(executable=arguments.executable, stand_in=told, answer=30.0)
    met = 0
    try:
        for file in files:
            why = ''
            try:
                world.reset('', f'alfred:{file}', 0)
                world.expert()
            except ReactreeError as error:
                why = str(error)
            progress = world.progress()
            reached = progress is not None and progress.success
            met += reached
            if not reached:
                print(f'{file.relative_to(arguments.folder)}: {why or "the goal is not met"}')
    finally:
        world.close()
    print(f'{met} of {len(files)} gold plans reach their goal')
    return int(met < len(files))


if __name__ == '__main__':
    sys.exit(main())
