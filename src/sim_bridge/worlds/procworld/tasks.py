"""Which tasks a house has, in order, by number; and the validation set.

A task is one goal from one place. The goals of a type come in an order drawn from the house, each
from the house's own start first; numbers beyond them begin at other locations, then at furniture.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import product

from reactree_core.errors import ConfigurationError
from reactree_core.observation import WorldTask
from reactree_core.written_files import read_file
from sim_bridge.worlds.alfworld.judging import satisfied
from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.procworld.classes import (
    CARRIED,
    CONTAINERS,
    KNIVES,
    LAMPS,
    may_hold,
    SLICEABLE,
)
from sim_bridge.worlds.procworld.engine import TREATMENTS
from sim_bridge.worlds.procworld.generator import generated_house
from sim_bridge.worlds.procworld.goals import (
    conditions,
    difficulty,
    formula,
    is_movable,
    is_sliced,
    sentence,
    treatment,
    TYPES,
    whole,
)
from sim_bridge.worlds.procworld.house import House
from sim_bridge.worlds.procworld.house_file import write_house
from sim_bridge.worlds.procworld.layout import Layout
from sim_bridge.worlds.procworld.state import beginning, STATES
from sim_bridge.worlds.task_names import GENERATED
from sim_bridge.worlds.thor.goals import Goal, LIGHT, TWO

#: Decisions of an episode (ProcWorld, section 4).
STEPS = 50
VALIDATION_HOUSES = range(50)
TASKS_OF_A_HOUSE = 72
#: Mixes of types: all alike, and as often as in the paper's validation set.
EVEN, PUBLISHED = 'even', 'published'
#: Of what the tasks of each mix are drawn.
_DRAWS = {EVEN: 'validation', PUBLISHED: 'published mix'}


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseTask(WorldTask):
    """A task of a house. :param start: the location, or the furniture, where one begins."""

    goal: Goal
    start: str

    @property
    def difficulty(self) -> str:
        """'easy', 'medium' or 'hard'."""
        return difficulty(self.task_type)


class Pool:
    """All tasks of a house.

    :param house: :param name: of the house in the tasks' ids; '' for its seed.
    """

    def __init__(self, house: House, name: str = '') -> None:
        self.house = house
        self._name = name or str(house.seed)
        self._goals: dict[str, tuple[Goal, ...]] = {}
        self._places = [
            *house.location,
            *(one.name for one in house.things if one.fixed and one.at is not None),
        ]
        self._state = beginning(Layout(house))
        #: States that something has at first: goals of others cannot be reached already.
        self._states = frozenset(word for one in house.things for word in one.states)
        #: Classes of things and of what they are in at first.
        self._pairs = {
            (one.thing_class, house.thing[one.container].thing_class)
            for one in house.things
            if one.container
        }

    def _rank(self, place: str) -> int:
        return 0 if place == self.house.start else 1 if place in self.house.location else 2

    def goals(self, task_type: str) -> tuple[Goal, ...]:
        """Goals of a type that are possible here and not reached at first, in order."""
        if task_type not in self._goals:
            found = [one for one in self._drafts(task_type) if not self._is_met(one)]
            random = SeededRandom(self.house.seed, f'procworld {task_type}')
            self._goals[task_type] = tuple(random.shuffled(found))
        return self._goals[task_type]

    def _is_met(self, goal: Goal) -> bool:
        wanted = {one.atom[0] for one in conditions(goal)}
        if 'holds' in wanted or any(
            word not in self._states for name, word in STATES.items() if name in wanted
        ):
            return False
        if (goal.thing, goal.container or goal.place) not in self._pairs:
            return False
        asked = formula(goal, self.house)
        return satisfied(asked, self._state)[0] == len(asked.conditions)

    def _drafts(self, task_type: str) -> Iterator[Goal]:
        """Goals whose classes fit."""
        objects = Counter(one.thing_class for one in self.house.things if not one.fixed)
        fixed = sorted({one.thing_class for one in self.house.things if one.fixed})
        verb, _ = treatment(task_type)
        sliced = is_sliced(task_type)
        tool, able, _, _ = TREATMENTS[verb] if verb else ('', CARRIED, '', ())
        if (verb and tool not in fixed) or (sliced and not KNIVES & objects.keys()):
            return
        for thing in sorted(CARRIED & able & objects.keys()):
            if objects[thing] < (2 if whole(task_type) == TWO else 1):
                continue
            if (sliced and thing not in SLICEABLE) or (verb and not may_hold(tool, thing)):
                continue
            if task_type == LIGHT:
                for lamp in sorted(LAMPS & objects.keys()):
                    yield Goal(task_type, thing, lamp=lamp)
                continue
            carried = [thing]
            if is_movable(task_type):
                containers = sorted(CONTAINERS & CARRIED & objects.keys())
                carried = [one for one in containers if may_hold(one, thing)]
            for one, place in product(carried, fixed):
                if may_hold(place, one):
                    container = one if one != thing else ''
                    yield Goal(task_type, thing, place, container=container, sliced=sliced)

    def size(self, task_type: str) -> int:
        """How many tasks of a type there are."""
        return len(self.goals(task_type)) * len(self._places)

    def types(self, kind: str = GENERATED, mix: str = EVEN) -> list[tuple[str, float]]:
        """Types of which there are tasks, with their weights.

        :param kind: a type, or any. :param mix: whose weights.
        """
        return [
            (one, weight)
            for one, weight in weights(mix).items()
            if (kind not in TYPES or one == kind) and weight and self.goals(one)
        ]

    def task(self, task_type: str, number: int) -> HouseTask:
        """A task by its number.

        :raises ConfigurationError: there is no such task.
        """
        goals = self.goals(task_type) if task_type in TYPES else ()
        size = len(goals) * len(self._places)
        if not 0 <= number < size:
            has = f'it has {size:,} of this type' if task_type in TYPES else 'no such type exists'
            raise ConfigurationError(
                f'the house {self._name} has no task {task_type}/{number}: {has}'
            )
        goal = goals[number % len(goals)]
        random = SeededRandom(self.house.seed, f'procworld starts {task_type}')
        starts = sorted(random.shuffled(self._places), key=self._rank)
        return HouseTask(
            task_id=f'procworld:{self._name}/{task_type}/{number}',
            task_type=task_type,
            instruction=sentence(goal),
            decisions=STEPS,
            goal=goal,
            start=starts[number // len(goals)],
        )

    def chosen(self, mix: str = EVEN) -> tuple[tuple[str, int], ...]:
        """Types and numbers of the tasks that stand for the house in a set of several houses.

        `TASKS_OF_A_HOUSE`, drawn by the weights of the types; fewer where there are not so many.

        :param mix: whose weights.
        """
        random = SeededRandom(self.house.seed, f'procworld {_DRAWS[mix]}')
        given: Counter[str] = Counter()
        found = []
        for _ in range(TASKS_OF_A_HOUSE):
            able = [pair for pair in self.types(mix=mix) if self.size(pair[0]) > given[pair[0]]]
            if not able:
                break
            task_type = random.weighted(able)
            found.append((task_type, given[task_type]))
            given[task_type] += 1
        return tuple(found)


@lru_cache(maxsize=64)
def pool_of(seed: int) -> Pool:
    """The tasks of a generated house."""
    return Pool(generated_house(seed))


@lru_cache(maxsize=2)
def weights(mix: str = EVEN) -> dict[str, float]:
    """How often each type is drawn. :param mix: a part of task_weights.yaml."""
    with resources.as_file(resources.files(__package__) / 'task_weights.yaml') as path:
        read: dict[str, dict[str, float]] = read_file(path, dict[str, dict[str, float]])
    return {task_type: read[mix][task_type] for task_type in TYPES}


def validation_tasks(
    seeds: Iterable[int] = VALIDATION_HOUSES, mix: str = EVEN
) -> Iterator[tuple[Pool, HouseTask]]:
    """Tasks of the validation set, house by house. :param mix: whose weights."""
    for seed in seeds:
        pool = pool_of(seed)
        for task_type, number in pool.chosen(mix):
            yield pool, pool.task(task_type, number)


def digest(tasks: Iterable[tuple[Pool, HouseTask]]) -> str:
    """SHA-256 over houses and tasks: equal where two people measure the same."""
    found = hashlib.sha256()
    last = None
    for pool, task in tasks:
        if pool is not last:
            found.update(write_house(pool.house).encode())
            last = pool
        found.update(f'{task.task_id}\n{task.start}\n{task.instruction}\n'.encode())
    return found.hexdigest()
