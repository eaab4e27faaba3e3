"""Plays tasks of any world in this process with facts alone: no model, no memory, no ROS.

    python -m benchmarks.reasoner household --seeds 5001-5040
    python -m benchmarks.reasoner procworld,reach=inf --task validation:{} --seeds 0-19
    python -m benchmarks.reasoner alfworld --task FOLDER --seeds 0-66
    python -m benchmarks.reasoner household --seeds 5001-5040 --model random:1  # planner

What a task asks is the present reading of its sentence, or (`--goal`) the world's own goal where
it tells one. Printed are: tasks solved, ends that said done, ends that said so wrongly, skills
beside those of the world's expert (over solved tasks that it solves too), and the planner's own
time on the processor.

Seeds for development, which were looked at: household, ALFWorld, TextCraft, ProcWorld 5001-5040,
`faulty` the same, WAH-NL tasks 10-29 in homes 5010-5029, ProcWorld validation 0-39.
Looked at since: household 5041-5360,
9401-9440, 9501-9540, 9601-9640, 9651-9690, 9701-9740, 9751-9790; ProcWorld 8001-8060, 9501-9520,
9601-9620, 9651-9670, 9701-9720, 9801-9820; `faulty` over household 9791-9810; WAH-NL 140-159.
Held out, named beforehand and run once: household 9101-9140, ALFWorld drawn 9301-9420, TextCraft
9201-9300 and depth_4 9201-9240, ProcWorld validation 100-119 and 120-139, `faulty` over household
9141-9160, WAH-NL tasks 120-139 in homes 9120-9139.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from reactree_core.embedding.registry import shared_embedder
from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Observation
from reactree_core.ports import LanguageModel
from reactree_core.record.run_settings import Limits
from reactree_core.skill_types import Relation
from reactree_core.working_memory import RECALL
from reactree_core.world import ExpertWorld, SnapshotWorld, TaskWorld
from reactree_planner.facts.conditions import Condition, Milestones
from reactree_planner.facts.likely_places import Whereabouts
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.in_process_skill_server import with_skills
from sim_bridge.worlds.procworld.goals import is_sliced, treatment, whole
from sim_bridge.worlds.registry import given_back, make_task_world
from sim_bridge.worlds.thor.goals import Goal as HouseGoal
from sim_bridge.worlds.thor.goals import TWO

MOST_SKILLS = 200


@dataclass
class Played:
    """What one task came to. :param times: seconds of the planner's own, a decision each."""

    ended: str
    skills: int
    expert: int = 0
    solved: bool = False
    times: list[float] = field(default_factory=list)


def main(words: Sequence[str] | None = None) -> None:
    """See the module."""
    arguments = _arguments()
    asked = arguments.parse_args(words)
    if asked.alike and asked.model:
        arguments.error('--alike is of facts alone: without --model')
    found: list[Played] = []
    for seed in _seeds(asked.seeds):
        with given_back(make_task_world(asked.world)) as world:
            task = asked.task.replace('{}', str(seed))
            scene = asked.scene.replace('{}', str(seed)) or world.scene_of(seed)
            try:
                first = with_skills(world, world.reset(scene, task, seed))
            except ConfigurationError as error:
                print(f'{seed}: cannot be set: {error}')
                continue
            played = _played(world, first, asked)
        found.append(played)
        if asked.all or not played.solved:
            told = world.task()
            print(
                f'{seed}: {played.ended} after {played.skills} skills (expert {played.expert}): '
                f'{"solved" if played.solved else world.progress()}: '
                f'{told.instruction if told else ""}'
            )
    _report(asked.world, found)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('world', help='as of make_world, e.g. faulty,world=household,fail=0.2')
    parser.add_argument('--task', default='generated:{}', help='{} is the seed')
    parser.add_argument('--scene', default='', help='{} is the seed; else that of the world')
    parser.add_argument('--seeds', default='5001-5040', help='e.g. 1-20 or 3,5,9')
    parser.add_argument('--goal', action='store_true', help="the world's own goal")
    parser.add_argument('--model', default='', help='the planner, with this: random:1, none, ...')
    parser.add_argument(
        '--alike', action='store_true', help='nothing said of where things are usually kept'
    )
    parser.add_argument('-a', '--all', action='store_true', help='a line for every task')
    parser.add_argument('-v', '--verbose', action='store_true', help='every skill')
    return parser


def _seeds(text: str) -> Iterator[int]:
    for part in text.split(','):
        begin, _, end = part.partition('-')
        yield from range(int(begin), int(end or begin) + 1)


def _played(world: TaskWorld, first: Observation, asked: argparse.Namespace) -> Played:
    expert = _expert(world)
    if not asked.model:
        played = _by_facts(world, first, milestones_of(world, asked.goal), asked)
    else:
        played = _by_planner(world, _model(asked.model), asked.verbose)
    progress = world.progress()
    played.expert = expert
    played.solved = progress is not None and progress.success
    return played


def milestones_of(world: TaskWorld, own: bool) -> Milestones:
    """What the loaded task asks for. :param own: as the world itself tells it."""
    task: Any = world.task()
    goal = getattr(task, 'goal', None) if own else None
    if isinstance(goal, dict):
        told = world.vocabulary()
        names = {
            name.replace(' ', ''): name for name in (*told.object_classes, *told.place_classes)
        }
        return (tuple(_condition(key, count, names) for key, count in goal.items()),)
    if isinstance(goal, HouseGoal):
        return _of_house(goal)
    return read_alone(task.instruction, Names(world.vocabulary())).milestones


def _condition(key: str, count: int, written: Mapping[str, str]) -> Condition:
    """A condition of a household's goal, e.g. `inside_cupcake_fridge` or `turnOn_stove`.

    :param written: names without spaces, and as they are.
    """
    relation, *squeezed = key.split('_')
    names = [written.get(name, name) for name in squeezed]
    if relation == 'turnOn':
        return Condition(Relation.IS, names[0], 'on', count)
    return Condition(Relation.IN, names[0], names[1], count)


def _of_house(goal: HouseGoal) -> Milestones:
    """What a task of ProcWorld asks for."""
    if goal.lamp:
        lamp = Condition(Relation.IS, goal.lamp, 'on')
        return (
            (Condition(Relation.HOLDING, goal.thing), Condition(Relation.AT, '', goal.lamp), lamp),
        )
    count = 2 if whole(goal.task_type) == TWO else 1
    found = [Condition(Relation.IN, goal.thing, goal.container or goal.place, count)]
    if goal.container:
        found.append(Condition(Relation.IN, goal.container, goal.place))
    states = [treatment(goal.task_type)[1].removeprefix('is').casefold()]
    states += ['sliced'] if is_sliced(goal.task_type) else []
    found += [Condition(Relation.IS, goal.thing, state, count) for state in states if state]
    return (tuple(found),)


def _expert(world: TaskWorld) -> int:
    """Skills that the world's expert needs; 0 where it has none."""
    if not isinstance(world, ExpertWorld) or not isinstance(world, SnapshotWorld):
        return 0
    before = world.snapshot()
    try:
        return len(world.expert())
    except (ConfigurationError, SkillError):
        return 0
    finally:
        world.restore(before)


def _by_facts(
    world: TaskWorld, first: Observation, goal: Milestones, asked: argparse.Namespace
) -> Played:
    if not any(goal):
        return Played('nothing read', 0)
    told = world.vocabulary()
    keeps = None if asked.alike else Whereabouts(told, shared_embedder)
    reasoner = Reasoner(told, goal, keeps=keeps)
    played = Played('limit', 0)
    seen = first
    while played.skills < MOST_SKILLS:
        began = time.thread_time()
        reasoner.see(seen)
        step = reasoner.next()
        played.times.append(time.thread_time() - began)
        if step.unreachable is not None:
            played.ended = step.unreachable.text
            break
        if step.is_done:
            played.ended = 'done'
            break
        seen = with_skills(world, world.step(step.skill))
        played.skills += 1
        if asked.verbose:
            wanted = f' for {", ".join(step.look_for)}' if step.look_for else ''
            print(f'    {step.why.value}: {step.skill}{wanted}: {seen.outcome.name}')
        if seen.over:
            played.ended = 'over'
            break
    return played


@cache
def _model(name: str) -> LanguageModel:
    return load_model(name, ModelOptions())


def _by_planner(world: TaskWorld, model: LanguageModel, verbose: bool) -> Played:
    done: list[str] = []

    def note(event: object) -> None:
        if isinstance(event, Observation) and event.skill and not event.skill.startswith(RECALL):
            done.append(event.skill)
            if verbose:
                print(f'    {event.skill}: {event.outcome.name}')

    episode = plan_episode(
        world,
        model,
        InProcessMemory(),
        PlannerSettings(),
        Limits(MOST_SKILLS, MOST_SKILLS),
        watch=note,
    )
    return Played('done' if episode.outcome.success else episode.ended, len(done))


def _report(world: str, found: Sequence[Played]) -> None:
    solved = [one for one in found if one.solved]
    claimed = [one for one in found if one.ended == 'done']
    beside = [one for one in solved if one.expert]
    times = [seconds for one in found for seconds in one.times]
    ratio = sum(one.skills for one in beside) / max(1, sum(one.expert for one in beside))
    each = sum(one.skills / one.expert for one in beside) / max(1, len(beside))
    print(
        f'{world}: solved {len(solved)} of {len(found)}, said done {len(claimed)}, '
        f'falsely {sum(not one.solved for one in claimed)}; '
        f"skills {ratio:.2f} times the expert's (mean of each {each:.2f})"
    )
    # With a planner around it, benchmarks.planner_overhead measures that.
    if times:
        mean = 1000 * sum(times) / len(times)
        print(f'own time {mean:.1f} ms a decision, at most {1000 * max(times):.0f}')


if __name__ == '__main__':
    main()
