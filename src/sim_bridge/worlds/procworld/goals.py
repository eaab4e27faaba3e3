"""The sixteen types of tasks: ALFRED's goal formulas, and their sentences.

A goal asks for things of classes of which all conditions hold together; see ProcWorld, table 14,
for the names.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from sim_bridge.worlds.alfworld.game import Condition
from sim_bridge.worlds.alfworld.game import Goal as Formula
from sim_bridge.worlds.procworld.house import House
from sim_bridge.worlds.thor.goals import CLEAN, COOL, Goal, HEAT, LIGHT, MOVABLE, SIMPLE, TWO

_SLICE = '_slice'
CLEAN_MOVABLE = 'pick_clean_and_place_with_movable_recep'
HEAT_MOVABLE = 'pick_heat_and_place_with_movable_recep'
COOL_MOVABLE = 'pick_cool_and_place_with_movable_recep'
_WHOLE = (
    LIGHT, SIMPLE, TWO, CLEAN, HEAT, COOL, MOVABLE, CLEAN_MOVABLE, HEAT_MOVABLE, COOL_MOVABLE,
)  # fmt: skip
TYPES = (*_WHOLE, *(one + _SLICE for one in (SIMPLE, TWO, CLEAN, HEAT, COOL, MOVABLE)))
#: Type without slices -> verb of its treatment, and predicate of the state that it wants.
_TREATED = {
    **dict.fromkeys((CLEAN, CLEAN_MOVABLE), ('clean', 'isClean')),
    **dict.fromkeys((HEAT, HEAT_MOVABLE), ('heat', 'isHot')),
    **dict.fromkeys((COOL, COOL_MOVABLE), ('cool', 'isCool')),
}
_MOVABLES = frozenset({MOVABLE, CLEAN_MOVABLE, HEAT_MOVABLE, COOL_MOVABLE})
_SENTENCES = {
    LIGHT: 'look at {thing} under the {lamp}',
    SIMPLE: 'put a {thing} in {place}',
    TWO: 'put two {thing} in {place}',
    CLEAN: 'put a clean {thing} in {place}',
    HEAT: 'put a hot {thing} in {place}',
    COOL: 'put a cool {thing} in {place}',
    MOVABLE: 'put {thing} {container} in {place}',
    CLEAN_MOVABLE: 'put a clean {container} of {thing} in {place}',
    HEAT_MOVABLE: 'put a hot {container} of {thing} in {place}',
    COOL_MOVABLE: 'put a cold {container} of {thing} in {place}',
    SIMPLE + _SLICE: 'slice {thing} and put in {place}',
    TWO + _SLICE: 'put two sliced {thing} in {place}',
    CLEAN + _SLICE: 'put a clean slice of {thing} in {place}',
    HEAT + _SLICE: 'put a hot slice of {thing} in {place}',
    COOL + _SLICE: 'put a cool slice of {thing} in {place}',
    MOVABLE + _SLICE: 'slice {thing} and put {thing} {container} in {place}',
}


def whole(task_type: str) -> str:
    """A type without its slices."""
    return task_type.removesuffix(_SLICE)


def is_sliced(task_type: str) -> bool:
    """Whether a type wants things sliced."""
    return task_type.endswith(_SLICE)


def is_movable(task_type: str) -> bool:
    """Whether a type wants a container carried with something in it."""
    return whole(task_type) in _MOVABLES


def treatment(task_type: str) -> tuple[str, str]:
    """Verb and predicate of what a type wants done to its thing; ('', '') for nothing."""
    return _TREATED.get(whole(task_type), ('', ''))


def sentence(goal: Goal) -> str:
    """A goal in words, as one of ALFRED's templates has it."""
    return _SENTENCES[goal.task_type].format(
        thing=goal.thing, place=goal.place, lamp=goal.lamp, container=goal.container
    )


def difficulty(task_type: str) -> str:
    """'easy', 'medium' or 'hard': by things to place and states to bring about."""
    base = whole(task_type)
    things = 0 if base == LIGHT else 2 if base == TWO or is_movable(base) else 1
    per_thing = bool(treatment(base)[0]) + is_sliced(task_type)
    states = 1 if base == LIGHT else per_thing * (2 if base == TWO else 1)
    return {0: 'easy', 1: 'easy', 2: 'medium'}.get(things + states, 'hard')


def formula(goal: Goal, house: House) -> Formula:
    """A goal with all things of the house of which it could come true."""
    return Formula(tuple(_choices(goal, house)), tuple(conditions(goal)))


def conditions(goal: Goal) -> Iterator[Condition]:
    """What has to hold of the things of a goal, all of it together."""
    base = whole(goal.task_type)
    if base == LIGHT:
        yield Condition(('holds', '?a', '?o'))
        yield Condition(('isToggled', '?lamp'))
        yield Condition(('atLocation', '?a', '?lamp'))
        return
    things = ('?o', '?o2') if base == TWO else ('?o',)
    _, state = treatment(base)
    for thing in things:
        yield Condition(('inReceptacle', thing, '?m' if is_movable(base) else '?r'))
        if state:
            yield Condition((state, thing))
        if is_sliced(goal.task_type):
            yield Condition(('isSliced', thing))
    if is_movable(base):
        yield Condition(('inReceptacle', '?m', '?r'))


def _choices(goal: Goal, house: House) -> Iterator[dict[str, str]]:
    by_class: dict[str, list[str]] = {}
    for one in house.things:
        by_class.setdefault(one.thing_class, []).append(one.name)
    things = by_class.get(goal.thing, [])
    places = by_class.get(goal.place, [])
    base = whole(goal.task_type)
    if base == LIGHT:
        for thing, lamp in product(things, by_class.get(goal.lamp, [])):
            yield {'?o': thing, '?lamp': lamp}
    elif base == TWO:
        for pair, place in product(combinations(things, 2), places):
            yield {'?o': pair[0], '?o2': pair[1], '?r': place}
    elif is_movable(base):
        containers = by_class.get(goal.container, [])
        for thing, container, place in product(things, containers, places):
            yield {'?o': thing, '?m': container, '?r': place}
    else:
        for thing, place in product(things, places):
            yield {'?o': thing, '?r': place}
