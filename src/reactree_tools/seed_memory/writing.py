"""Runs the teacher through seeded homes and keeps a varied, short set of its trajectories."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

from reactree_core.experience import Experience, Termination
from reactree_core.observation import WorldTask
from reactree_core.record.run_settings import Limits
from reactree_core.world import TaskWorld, World
from reactree_domains.household.rules import opening_features
from reactree_planner.agents.examples import first_observation_of
from reactree_planner.reading.names import Names
from reactree_planner.runs.settings import Decides, Guards, PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from reactree_tools.seed_memory.demonstrators import demonstrating, demonstrator_of
from reactree_tools.seed_memory.expert_models import likelihood, ScriptedExpertModel
from reactree_tools.seed_memory.flat_expert import flat_teacher_of, ReactExpertModel
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.household.tasks import FAMILIES, Task
from sim_bridge.worlds.household.tasks.wording import many
from sim_bridge.worlds.registry import given_back, make_world

#: Homes for seed memories; evaluation uses others.
FIRST_SEED = 9000
#: Longest whole task, and longest part of one, that is kept: a small model has to see its sense.
_FLAT_TOKENS = 700
_NODE_TOKENS = 450
#: Examples show what a model decides; what follows from facts is not asked of one.
_ASKING = PlannerSettings(example_count=0, decides=Decides.MODEL)
_COUNT_WORDS = ('', 'a', 'two', 'three', 'four', 'five', 'six')
_LATER = ('', 'another ', 'a third ', 'a fourth ', 'a fifth ', 'a sixth ')


def root_lesson(task: WorldTask | None, word: Callable[[str], str]) -> tuple[tuple[str, ...], str]:
    """Subgoals and thought for a task's root.

    :param word: callable from a simulator class to its natural-language name.
    """
    assert isinstance(task, Task), 'a teacher does tasks of the household'
    subgoals: list[str] = []
    parts: list[str] = []
    place = ''
    last = ''
    for key, count in task.goal.items():
        relation, *classes = key.split('_')
        if relation == 'turnOn':
            last = f'turn on {word(classes[0])}'
            continue
        thing, place = (word(name) for name in classes)
        how = 'on' if relation == 'on' else 'in'
        article = 'an' if count == 1 and thing[0] in 'aeiou' else _COUNT_WORDS[count]
        parts.append(f'{article} {thing if count == 1 else many(thing)}')
        subgoals += [f'put {_LATER[index]}{thing} {how} {place}' for index in range(count)]
        where = f'{how} the {place}'
    listed = parts[0] if len(parts) == 1 else f'{", ".join(parts[:-1])} and {parts[-1]}'
    thought = f'This needs {listed} {where}'
    if last:
        subgoals.append(last)
        thought += f', and then I {last.replace("turn on ", "turn on the ")}'
    return tuple(subgoals), f'{thought}: {len(subgoals)} parts.'


def demonstrate(
    scene: str, task_text: str, seed: int, unlikely_first: bool = False
) -> tuple[list[Experience], bool, Names]:
    """One run of the teacher: its nodes, whether the goal was met, and the home's names.

    :param unlikely_first: search the rooms in the worst order, to fail in some of them.
    """
    world = make_world('household')
    world.reset(scene, task_text, seed)
    episode = plan_episode(
        world,
        teacher_for(world, unlikely_first),
        InProcessMemory(),
        _ASKING,
        Limits(decisions=600, steps=600),
    )
    nodes = episode.experiences(f'seed-{scene}-{task_text}')
    return list(nodes), episode.worth_keeping, Names(world.vocabulary())


def demonstrate_flat(scene: str, task_text: str, seed: int) -> tuple[list[Experience], bool]:
    """One run of the flat teacher under planner `react`: the task, and whether it was met."""
    world = make_world('household')
    world.reset(scene, task_text, seed)
    episode = plan_episode(
        world,
        flat_teacher_for(world),
        InProcessMemory(),
        _ASKING,
        Limits(decisions=600, steps=600),
        'react',
    )
    nodes = episode.experiences(f'seed-{scene}-{task_text}')
    return list(nodes), episode.worth_keeping


def flat_teacher_for(world: World) -> ReactExpertModel:
    """A teacher that does the loaded task alone."""
    _, plan = root_lesson(world.task(), name_of)
    rooms = sorted(world.vocabulary().rooms, key=likelihood)
    return flat_teacher_of(world.task(), rooms, plan.rpartition(':')[0] + '.', name_of)


def teacher_for(world: World, unlikely_first: bool = False) -> ScriptedExpertModel:
    """A teacher that knows the goal of the loaded task.

    :param unlikely_first: as of `demonstrate`.
    """
    subgoals, plan = root_lesson(world.task(), name_of)
    rooms = sorted(world.vocabulary().rooms, key=likelihood, reverse=unlikely_first)
    return ScriptedExpertModel(rooms, subgoals, plan)


def collect(homes: int) -> list[Experience]:
    """A varied set of what the teacher did in these homes.

    Two per kind of goal, situation and ending: the shortest, but of failures the longest, which
    show how much is looked at before giving up. Of task instructions every wording, once.
    """
    kept: dict[str, list[Experience]] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + homes):
        for family in FAMILIES:
            for unlikely_first in (False, True):
                nodes, met, names = demonstrate(
                    f'generated:{seed}', f'{family}:{seed}', seed, unlikely_first
                )
                for position, node in enumerate(nodes if met else ()):
                    # A search in a bad order is worth showing only where it fails.
                    if unlikely_first and node.termination is not Termination.FAILURE:
                        continue
                    situation = opening_features(node.goal, first_observation_of(node), names)
                    kind = node.goal if position == 0 else names.masked(node.goal)
                    key = f'{kind} {sorted(situation)} {node.termination.name}'
                    kept.setdefault(key, []).append(node)
    chosen: list[Experience] = []
    for _, nodes in sorted(kept.items()):
        fitting = [node for node in nodes if node.tokens <= _NODE_TOKENS]
        chosen += sorted(fitting, key=_preference)[:2]
    return [_as_seed(node) for node in chosen]


def collect_flat(homes: int) -> list[Experience]:
    """Whole tasks that the flat teacher did in these homes: the short ones, every wording once."""
    kept: dict[str, Experience] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + homes):
        for family in FAMILIES:
            nodes, met = demonstrate_flat(f'generated:{seed}', f'{family}:{seed}', seed)
            for node in nodes if met else ():
                if node.tokens <= _FLAT_TOKENS:
                    kept.setdefault(node.goal, node)
    return [_as_seed(node) for _, node in sorted(kept.items())]


#: Worlds whose examples come from tasks of a set of their own, which is never evaluated on.
_EXAMPLE_TASKS = {'programs': 'example', 'scienceworld': 'train'}
#: Worlds with options for that: rooms that anybody can make anew, in which nothing fails.
_EXAMPLE_WORLDS = {'thor': 'thor,stand_in=--made-up --failures none --frames plain'}
#: Worlds whose observations are long -> longest part of a task that is kept.
_NODES = {'thor': 630}


def collect_of_world(world_name: str, planner: str, tasks: int) -> list[Experience]:
    """What a demonstrator did in the generated tasks of a text world.

    Of every kind of goal and ending the shortest few; each task once.
    """
    kept: dict[str, list[Experience]] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + tasks):
        with given_back(make_world(_EXAMPLE_WORLDS.get(world_name, world_name))) as world:
            assert isinstance(world, TaskWorld), 'only tasks by number can be collected'
            task = f'{_EXAMPLE_TASKS.get(world_name, "generated")}:{seed}'
            world.reset(world.scene_of(seed), task, seed)
            episode = plan_episode(
                world,
                demonstrating(demonstrator_of(world)),
                InProcessMemory(),
                # Whatever it wants to do has to be offered.
                PlannerSettings(example_count=0, guards=Guards.none()),
                Limits(decisions=600, steps=600),
                planner,
            )
            names = Names(world.vocabulary())
        for node in episode.experiences(f'seed-{seed}') if episode.worth_keeping else ():
            key = f'{node.task_type} {names.masked(node.goal)} {node.termination.name}'
            # The demonstrator's tokens are words; a tokenizer's are about four characters.
            kept.setdefault(key, []).append(replace(node, tokens=len(node.trajectory) // 4))
    chosen: list[Experience] = []
    for _, nodes in sorted(kept.items()):
        if planner == 'react':
            longest = _FLAT_TOKENS
        else:
            longest = _NODES.get(world_name, _NODE_TOKENS)
        fitting = [node for node in nodes if node.tokens <= longest]
        # Whole tasks have few forms of goals.
        chosen += sorted(fitting, key=_preference)[: 4 if planner == 'react' else 2]
    return [_as_seed(node) for node in {node.goal: node for node in chosen}.values()]


def _preference(node: Experience) -> tuple[int, str]:
    length = len(node.trajectory)
    return (-length if node.termination is Termination.FAILURE else length), node.goal


def _as_seed(node: Experience) -> Experience:
    digest = hashlib.sha256(node.trajectory.encode()).hexdigest()[:32]
    return replace(
        node, experience_id=digest, trajectory=node.trajectory.strip(), run_id='seed', model=''
    )
