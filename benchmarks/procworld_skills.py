"""ProcWorld: skills a second, how much of a task is going, and what a random agent achieves.

The navigation share is beside that of the paper's experts (ProcWorld, table 2); the experts here
are the one that knows the house and the one that explores it. Success counts within 50 skills, a
failed task as 50 (section 4).

Run: python -m benchmarks.procworld_skills [--tasks 100]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from random import Random

from reactree_core.errors import SkillError
from sim_bridge.in_process_skill_server import with_skills
from sim_bridge.worlds.procworld import ProcWorldWorld
from sim_bridge.worlds.procworld.expert import Demonstrated, setting_text, SETTINGS, solve
from sim_bridge.worlds.procworld.exploring import explore
from sim_bridge.worlds.procworld.tasks import HouseTask, STEPS

#: Table 2 of the paper, in the order of `SETTINGS`.
PUBLISHED = (0.535, 0.648, 0.644, 0.790, 0.762)
#: Random episodes whose skills are timed, and how many are played of a task before the next.
_EPISODES, _OF_A_TASK = 400, 20
#: Tasks of the validation set.
TOTAL = ProcWorldWorld.split_sizes['validation']
#: Random and exploring agent are measured on so many tasks, in these settings.
AGENT_TASKS, AGENT_SETTINGS = 20, (SETTINGS[0], SETTINGS[3])


def world_of(setting: tuple[float, bool], step_limit: int = STEPS) -> ProcWorldWorld:
    """A world in one of the published settings."""
    return ProcWorldWorld(*setting, step_limit=step_limit)


def chosen(count: int) -> list[str]:
    """Tasks of the validation set, spread over its houses."""
    return [f'validation:{number * TOTAL // count}' for number in range(count)]


def skills_per_second(setting: tuple[float, bool]) -> float:
    """Random skills a second of one core, with all that a bridge sends back, without resets."""
    world, random = world_of(setting), Random('skills')
    steps, spent = 0, 0.0
    for number in range(_EPISODES):
        if number % _OF_A_TASK == 0:
            world.reset('', f'validation:{number * 31 % TOTAL}', 0)
            start = world.snapshot()
        observation = with_skills(world, world.restore(start))
        begun = time.process_time()
        while not observation.over:
            observation = with_skills(
                world, world.step(random.choice(observation.admissible_skills))
            )
            steps += 1
        spent += time.process_time() - begun
    return steps / spent


def experts(
    setting: tuple[float, bool], tasks: Sequence[str]
) -> list[list[Sequence[Demonstrated]]]:
    """What the expert that knows the house does in each task, and the one that explores."""
    world = world_of(setting, step_limit=0)
    found: list[list[Sequence[Demonstrated]]] = [[], []]
    for name in tasks:
        world.reset('', name, 0)
        task = world.task()
        assert isinstance(task, HouseTask)
        for kept, expert in zip(found, (solve, explore), strict=True):
            try:
                kept.append(expert(world.engine, task.goal))
            except SkillError:
                kept.append(())
    return found


def share(found: Sequence[Sequence[Demonstrated]]) -> float:
    """Share of skills that go somewhere."""
    skills = [one.skill for done in found for one in done]
    return sum(skill.startswith('go ') for skill in skills) / len(skills)


def told(lengths: Sequence[int]) -> str:
    """Success rate and average steps. :param lengths: skills until success; 0 for none."""
    counted = [length if 0 < length <= STEPS else STEPS for length in lengths]
    solved = sum(0 < length <= STEPS for length in lengths)
    return f'{solved / len(lengths):.2f} {sum(counted) / len(counted):6.1f}'


def random_lengths(setting: tuple[float, bool], tasks: Sequence[str]) -> list[int]:
    """Skills until a random agent has reached each goal; 0 where it did not."""
    world, random = world_of(setting), Random('agent')
    found = []
    for name in tasks:
        observation, steps = world.reset('', name, 0), 0
        while not observation.over:
            observation = world.step(random.choice(observation.admissible_skills))
            steps += 1
        progress = world.progress()
        found.append(steps if progress is not None and progress.success else 0)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--tasks', type=int, default=100, help='for the experts')
    arguments = parser.parse_args()
    tasks = chosen(arguments.tasks)
    print(f'{"":22} {"skills/s":>9}  {"going, share of skills":^32}  {"skills, mean":^16}')
    print(f'{"setting":22} {"":>9}  {"paper":>8} {"knowing":>11} {"exploring":>11}', end='')
    print(f'  {"knowing":>7} {"exploring":>9}')
    for setting, published in zip(SETTINGS, PUBLISHED, strict=True):
        speed = skills_per_second(setting)
        knowing, exploring = experts(setting, tasks)
        means = [sum(map(len, found)) / len(found) for found in (knowing, exploring)]
        print(
            f'{setting_text(setting):22} {speed:9,.0f}  {published:8.3f} {share(knowing):11.3f} '
            f'{share(exploring):11.3f}  {means[0]:7.1f} {means[1]:9.1f}',
            flush=True,
        )
    print(f'\n{AGENT_TASKS} tasks: success and steps')
    for setting in AGENT_SETTINGS:
        few = chosen(AGENT_TASKS)
        _, exploring = experts(setting, few)
        print(f'{setting_text(setting):22} random    {told(random_lengths(setting, few))}')
        print(f'{"":22} exploring {told(list(map(len, exploring)))}', flush=True)


if __name__ == '__main__':
    main()
