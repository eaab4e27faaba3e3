"""Runs exported as behaviour trees and done again without a model, in the same scene and others.

Run: python -m benchmarks.behavior_trees [--runs 24] [--others 3]

Runs of three worlds are made by the expert's plan and by scripted teachers. Each is exported for
BehaviorTree.CPP and for py_trees, loaded by both libraries, and ticked where it was made, in other
scenes with the same task, and where something has changed. The world's own judge, which no tree
asks, tells whether a success was true. Prints a table; the status is 1 for any wrong success.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation, Vocabulary
from reactree_core.ports import LanguageModel
from reactree_core.record.events import Event
from reactree_core.record.run_settings import Limits
from reactree_core.skill_types import SkillKind
from reactree_core.world import World
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.settings import Decides, Guards, PlannerSettings
from reactree_tools.behavior_trees.proven_tree import behavior_tree
from reactree_tools.behavior_trees.python_writing import python_text
from reactree_tools.behavior_trees.running import run_file, TreeRobot
from reactree_tools.behavior_trees.xml_writing import xml_text
from reactree_tools.episode import InProcessMemory, plan_episode
from reactree_tools.seed_memory.demonstrators import demonstrating, demonstrator_of
from reactree_tools.seed_memory.writing import teacher_for
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.alfworld import AlfworldWorld
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.registry import make_world

#: World and planner of the runs: the gold plan in one node, or a teacher's tree of agents.
SORTS = (
    ('household', 'oracle'),
    ('household', 'reactree'),
    ('alfworld', 'oracle'),
    ('alfworld', 'reactree'),
    ('textcraft', 'oracle'),
    ('textcraft', 'reactree'),
)
#: Seeds among which other scenes with the same task are looked for.
_LOOKED_AT = 400
SAME = 'same scene'
WRONG = 'wrong success'
_LIMITS = Limits(decisions=600, steps=600)
#: Of the teacher, who does every step; of demonstrators, to whom all they want has to be offered.
_ASKING = PlannerSettings(example_count=0, decides=Decides.MODEL)
_OFFERING = PlannerSettings(example_count=0, guards=Guards.none())


@dataclass(frozen=True)
class SolvedRun:
    """A run that reached its goal."""

    world: str
    planner: str
    seed: int
    instruction: str
    goal: dict[str, int]
    events: tuple[Event, ...]
    vocabulary: Vocabulary

    @property
    def task(self) -> str:
        """As a reset takes it."""
        return f'generated:{self.seed}'

    def taken(self) -> list[str]:
        """Things that were taken, in order."""
        takes = [one for one in self.vocabulary.skills if one.kind is SkillKind.TAKE]
        return [
            values[0]
            for event in self.events
            if isinstance(event, Observation) and event.succeeded
            for kind in takes
            for values in list(kind.splits(event.skill))[:1]
        ]


def solved_runs(world: str, planner: str, first_seed: int = 0) -> Iterator[SolvedRun]:
    """Runs of one sort that reached their goals, without end."""
    seed = first_seed
    while True:
        found = solved_run(world, planner, seed)
        if found is not None:
            yield found
        seed += 1


def solved_run(name: str, planner: str, seed: int) -> SolvedRun | None:
    """One run; None where the goal was not met."""
    world = make_world(name)

    def restart() -> None:
        world.reset(_scene(world, seed), f'generated:{seed}', seed)

    restart()
    task = world.task()
    assert task is not None
    events: list[Event] = []
    teaches = planner != 'oracle'
    episode = plan_episode(
        world,
        _teacher(world) if teaches else PolicyModel(lambda text, options: 0),
        InProcessMemory(),
        _ASKING if name == 'household' else _OFFERING,
        _LIMITS,
        planner,
        watch=events.append,
        restart=restart,
    )
    if not (episode.goal_met and episode.outcome.success):
        return None
    goal = getattr(task, 'goal', {}) if name == 'household' else {}
    vocabulary = world.vocabulary()
    return SolvedRun(name, planner, seed, task.instruction, goal, tuple(events), vocabulary)


def _scene(world: Any, seed: int) -> str:
    return str(world.scene_of(seed))


def _teacher(world: World) -> LanguageModel:
    if isinstance(world, HouseholdWorld):
        return teacher_for(world)
    return demonstrating(demonstrator_of(world))


def same_scene(run: SolvedRun) -> World:
    """The scene of a run, at its beginning."""
    world = make_world(run.world)
    world.reset(_scene(world, run.seed), run.task, run.seed)
    return world


def other_scenes(run: SolvedRun) -> Iterator[World]:
    """Other scenes with the very same task, by other seeds."""
    for seed in range(run.seed + 1, run.seed + 1 + _LOOKED_AT):
        world = make_world(run.world)
        try:
            _set_same_task(world, run, seed)
        except ConfigurationError:
            continue  # what the task is about is not there
        task, progress = world.task(), world.progress()
        assert task is not None and progress is not None
        if task.instruction == run.instruction and not progress.success:
            yield world


def _set_same_task(world: World, run: SolvedRun, seed: int) -> None:
    if not run.goal:
        world.reset(_scene(world, seed), f'generated:{seed}', seed)
        return
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump({'instruction': run.instruction, 'goal': run.goal}, file)
        file.flush()
        world.reset(_scene(world, seed), file.name, seed)


def changed_scenes(run: SolvedRun) -> Iterator[tuple[str, World]]:
    """The same scene with something else in it than the run has met."""
    for thing in dict.fromkeys(run.taken()):
        moved: Any = same_scene(run)
        if moved.displace(thing, Random(run.seed)):
            yield 'a thing moved', moved
        gone = _without(run, thing)
        if gone is not None:
            yield 'a thing gone', gone
    failing = make_world('faulty', world=run.world, fail=0.25, seed=run.seed)
    failing.reset(_scene(failing, run.seed), run.task, run.seed)
    yield 'skills fail', failing


def _without(run: SolvedRun, thing: str) -> World | None:
    """The scene without a thing; None where the world cannot do without it."""
    world = same_scene(run)
    if isinstance(world, AlfworldWorld):
        key = world.rules.layout.by_name[thing]
        for things in world.rules.state.inside.values():
            if key in things:
                things.remove(key)
        return world
    if not isinstance(world, HouseholdWorld):
        return None
    graph = world.graph()
    name = thing.rpartition(' ')[0].replace(' ', '')
    number = int(thing.rpartition(' ')[2])
    alike = sorted(
        node['id'] for node in graph['nodes'] if node['class_name'].casefold() == name.casefold()
    )
    if len(alike) < number:
        return None
    key = alike[number - 1]
    graph['nodes'] = [node for node in graph['nodes'] if node['id'] != key]
    graph['edges'] = [
        edge for edge in graph['edges'] if key not in (edge['from_id'], edge['to_id'])
    ]
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump({'instruction': run.instruction, 'goal': run.goal}, file)
        file.flush()
        try:
            world.reset_to(graph, file.name, run.seed)
        except ConfigurationError:
            return None
    return world


def verdict(world: World, file: Path) -> str:
    """Tick a tree in a world: success, failure, or wrong success."""
    robot = TreeRobot(InProcessSkillServer(world), CancelToken())
    ended = run_file(file, robot)
    progress = world.progress()
    assert progress is not None
    if not ended:
        return 'failure'
    return 'success' if progress.success else WRONG


@dataclass
class Table:
    """How often trees ended how.

    :param counts: by sort of run, scene, library and end.
    :param told: wrong successes, and trees that fail where they were made.
    """

    counts: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)

    def tick(self, run: SolvedRun, scene: str, world: Any, files: list[Path]) -> None:
        """Tick the trees of a run in a world, which is put back for each."""
        begin = world.snapshot()
        for file in files:
            world.restore(begin)
            end = verdict(world, file)
            library = 'py_trees' if file.suffix == '.py' else 'BehaviorTree.CPP'
            self.counts[(f'{run.world}, {run.planner}', scene, library, end)] += 1
            if end == WRONG or (scene == SAME and end != 'success'):
                self.told.append(
                    f'{run.world} {run.planner} {run.task}, {scene}, {library}: {end}'
                )


def write(run: SolvedRun, folder: Path) -> list[Path]:
    """Export a run for both libraries."""
    tree = behavior_tree(run.events, run.vocabulary, f'{run.world}-{run.seed}')
    name = f'{run.world}_{run.planner}_{run.seed}'
    files = [folder / f'{name}.xml', folder / f'{name}.py']
    files[0].write_text(xml_text(tree), encoding='utf-8')
    files[1].write_text(python_text(tree), encoding='utf-8')
    return files


def measure(runs: int, others: int, folder: Path) -> Table:
    """Make runs of all sorts, and tick their trees everywhere.

    :param runs: in all. :param others: other scenes for each. :param folder: for the trees.
    """
    table = Table()
    for place, (world, planner) in enumerate(SORTS):
        wanted = runs // len(SORTS) + (place < runs % len(SORTS))
        source = solved_runs(world, planner)
        for _ in range(wanted):
            run = next(source)
            files = write(run, folder)
            table.tick(run, SAME, same_scene(run), files)
            for other in islice(other_scenes(run), others):
                table.tick(run, 'another seed', other, files)
            for what, changed in changed_scenes(run):
                table.tick(run, what, changed, files)
    return table


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--runs', type=int, default=24)
    parser.add_argument('--others', type=int, default=3, help='other scenes for each run')
    parser.add_argument('--keep', type=Path, help='folder for the trees')
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = given.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        table = measure(given.runs, given.others, folder)
    print(f'{"runs of":24}{"ticked in":16}{"library":18}{"success":>9}{"failure":>9}{"wrong":>7}')
    for sort, scene, library in dict.fromkeys(key[:3] for key in table.counts):
        numbers = [
            table.counts[(sort, scene, library, end)] for end in ('success', 'failure', WRONG)
        ]
        print(f'{sort:24}{scene:16}{library:18}' + '{:9}{:9}{:7}'.format(*numbers))
    for line in table.told:
        print(line)
    return int(any(end == WRONG for *_, end in table.counts))


if __name__ == '__main__':
    raise SystemExit(main())
