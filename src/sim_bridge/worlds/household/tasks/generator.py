"""Tasks made from a seed for a given home, in the five families of WAH-NL.

How many things a task asks for follows the 250 published training tasks, from two things up;
unlike there, a class may be asked for more than once, as in the goals of Watch-And-Help.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.household.tasks.home import Home
from sim_bridge.worlds.household.tasks.task import Task
from sim_bridge.worlds.household.tasks.wording import FAMILIES, word_task

_DISHES = ('plate', 'waterglass', 'wineglass', 'cutleryfork')
_SNACKS = ('apple', 'cupcake', 'pudding', 'juice', 'wine')
_FOOD = (*_SNACKS, 'pancake', 'poundcake')

# Family -> relation, target class, what may be asked for, (things, weight): the weights are how
# often the published training tasks of the family ask for so many.
_RECIPES: dict[str, tuple[str, str, tuple[str, ...], tuple[tuple[int, float], ...]]] = {
    'setup_table': ('on', 'kitchentable', _DISHES, ((2, 20.0), (3, 22.0), (4, 5.0))),
    'put_fridge': (
        'inside',
        'fridge',
        _FOOD,
        ((2, 10.0), (3, 10.0), (4, 20.0), (5, 9.0), (6, 1.0)),
    ),
    'prepare_food': (
        'on',
        'kitchentable',
        (*_FOOD, 'coffeepot'),
        ((2, 3.0), (3, 11.0), (4, 16.0), (5, 18.0), (6, 2.0)),
    ),
    'put_dishwasher': ('inside', 'dishwasher', _DISHES, ((2, 16.0), (3, 20.0), (4, 10.0))),
    'prepare_snack': ('on', 'coffeetable', _SNACKS, ((2, 12.0), (3, 24.0), (4, 10.0))),
}
#: How often the next thing is another one of a class that is asked for already.
_AGAIN = 0.25
#: How often a task may ask for what is partly there already.
_PARTLY_DONE = 0.15
_MOST_OF_A_CLASS = 3
_ATTEMPTS = 40


def generate_task(graph: Mapping[str, Any], family: str | None, seed: int) -> Task:
    """Make a task that can be done in a home and is not done yet.

    :param graph: the home, in VirtualHome's format.
    :param family: one of `FAMILIES`; None lets the seed choose one that the home allows.
    :param seed: 0 or more; the same seed and home give the same task everywhere.
    :raises ConfigurationError: no such family, or the home lacks what it needs.
    """
    if family is not None and family not in FAMILIES:
        raise ConfigurationError(
            f'there is no task family {family!r}; choose one of {", ".join(FAMILIES)}'
        )
    if seed < 0:
        raise ConfigurationError(f'the seed of a task is {seed}; give one of 0 or more')
    home = Home(graph)
    dice = SeededRandom(seed, f'task {family or "any"}')
    families = dice.shuffled(FAMILIES) if family is None else [family]
    for candidate in families:
        goal = _choose_goal(dice, home, candidate)
        if goal:
            name = f'generated:{seed}' if family is None else f'{family}:{seed}'
            return _as_task(dice, home, name, candidate, goal)
    target = '' if family is None else f' a {name_of(_RECIPES[family][1])} and'
    raise ConfigurationError(
        f'this home allows no {family or "generated"} task: it takes{target} at least one thing '
        'to bring that can be reached; choose another scene or family'
    )


def _choose_goal(dice: SeededRandom, home: Home, family: str) -> dict[str, int]:
    """A goal, or nothing when the home does not allow one."""
    relation, target, classes, sizes = _RECIPES[family]
    if not home.has_target(target):
        return {}
    supply = {name: min(_MOST_OF_A_CLASS, home.supply(name, target)) for name in classes}
    away = tuple(name for name in classes if not home.stored(name, target))
    if sum(supply[name] for name in away) >= sizes[0][0] and not dice.chance(_PARTLY_DONE):
        classes = away
    best: dict[str, int] = {}
    for _ in range(_ATTEMPTS):
        counts = _choose_things(dice, classes, supply, dice.weighted(sizes))
        goal = {f'{relation}_{name}_{target}': counts[name] for name in classes if counts[name]}
        if family == 'put_dishwasher' and goal:
            goal[f'turnOn_{target}'] = 1
        missing = home.missing(goal)
        if missing >= sizes[0][0]:
            return goal
        if missing and not best:
            best = goal
    return best


def _choose_things(
    dice: SeededRandom, classes: tuple[str, ...], supply: Mapping[str, int], size: int
) -> dict[str, int]:
    counts = dict.fromkeys(classes, 0)
    for _ in range(size):
        left = [name for name in classes if counts[name] < supply[name]]
        begun = [name for name in left if counts[name]]
        fresh = [name for name in left if not counts[name]]
        if begun and (not fresh or dice.chance(_AGAIN)):
            counts[dice.choose(begun)] += 1
        elif fresh:
            counts[dice.choose(fresh)] += 1
    return counts


def _as_task(dice: SeededRandom, home: Home, name: str, family: str, goal: dict[str, int]) -> Task:
    things = [
        (name_of(condition.thing), condition.need)
        for condition in home.conditions(goal)
        if condition.thing
    ]
    sentences = word_task(dice, family, name_of(_RECIPES[family][1]), things)
    return Task(name, family, sentences[0], sentences, goal=goal)
