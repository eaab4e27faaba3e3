"""Steps and resets a second of every world that sets its own tasks, in one process.

A step is one random skill of those that are offered, with all that a bridge sends back: text,
facts and the next skills. A world whose task is over, or that offers nothing, is reset to the next
task; resets are timed apart.

Run: python -m benchmarks.world_steps [--seconds S] [WORLD ...]
"""

from __future__ import annotations

import argparse
import time
from random import Random

from reactree_core.errors import ConfigurationError
from sim_bridge.in_process_skill_server import with_skills
from sim_bridge.worlds.registry import make_task_world

WORLDS = ('household', 'programs', 'alfworld', 'procworld', 'textcraft', 'webshop')
#: Steps after which the next task is loaded.
STEPS_OF_A_TASK = 50
#: Numbers of the tasks, counted from here.
FIRST_TASK = 5001


def measure(name: str, seconds: float) -> tuple[float, float]:
    """Steps and resets a second.

    :param seconds: how long to play, over 0.
    """
    world, random = make_task_world(name), Random(name)
    family = world.task_families()[0]
    begun, steps, resets, resetting = time.perf_counter(), 0, 0, 0.0
    while (start := time.perf_counter()) < begun + seconds:
        number = FIRST_TASK + resets
        observation = world.reset(world.scene_of(number), f'{family}:{number}', number)
        observation = with_skills(world, observation)
        resets += 1
        resetting += time.perf_counter() - start
        for _ in range(STEPS_OF_A_TASK):
            if observation.over or not observation.admissible_skills:
                break
            skill = random.choice(observation.admissible_skills)
            observation = with_skills(world, world.step(skill))
            steps += 1
    return steps / (time.perf_counter() - begun - resetting), resets / resetting


def main() -> None:
    """Print a line a world."""
    parser = argparse.ArgumentParser(description='Steps and resets a second of worlds.')
    parser.add_argument('--seconds', type=float, default=5.0, help='for each world')
    parser.add_argument('worlds', nargs='*', default=WORLDS, metavar='WORLD')
    arguments = parser.parse_args()
    print(f'{"world":12} {"steps/s":>9} {"resets/s":>9}')
    for name in arguments.worlds:
        try:
            steps, resets = measure(name, arguments.seconds)
        except ConfigurationError as error:
            parser.error(str(error))
        print(f'{name:12} {steps:9,.0f} {resets:9,.1f}')


if __name__ == '__main__':
    main()
