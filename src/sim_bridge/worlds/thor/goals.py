"""ALFRED's goals: seven sorts of tasks, each judged condition by condition on the last event.

SR is 1 when all conditions hold, whatever the robot declares; GC is the share that hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from reactree_core.observation import Progress
from sim_bridge.worlds.thor.metadata import (
    basin_of,
    first_of_class,
    held_id,
    inside,
    Metadata,
    parents,
    succeeded,
    Thing,
    thing_by_id,
    things_of,
)

SIMPLE = 'pick_and_place_simple'
TWO = 'pick_two_obj_and_place'
LIGHT = 'look_at_obj_in_light'
CLEAN = 'pick_clean_then_place_in_recep'
HEAT = 'pick_heat_then_place_in_recep'
COOL = 'pick_cool_then_place_in_recep'
MOVABLE = 'pick_and_place_with_movable_recep'
TASK_TYPES = (SIMPLE, TWO, LIGHT, CLEAN, HEAT, COOL, MOVABLE)
#: Task type -> word for what is treated.
TREATMENTS = {CLEAN: 'clean', HEAT: 'hot', COOL: 'cold'}
SLICED = 'Sliced'


@dataclass(frozen=True, slots=True)
class Goal:
    """What a task wants.

    :param task_type: one of `TASK_TYPES`. :param thing: class of what is handled.
    :param place: class of where it has to go; '' for `LIGHT`.
    :param lamp: class of what has to be turned on; only for `LIGHT`.
    :param container: class of what the thing is carried in; only for `MOVABLE`.
    :param sliced: whether a piece of the thing is wanted.
    """

    task_type: str
    thing: str
    place: str = ''
    lamp: str = ''
    container: str = ''
    sliced: bool = False

    @property
    def thing_class(self) -> str:
        """What the id of the thing has to contain."""
        return self.thing + SLICED if self.sliced else self.thing


#: State as SMART-LLM's files say it -> field of metadata, and its value.
STATES: dict[str, tuple[str, bool | str]] = {
    'ON': ('isToggled', True),
    'OFF': ('isToggled', False),
    'OPENED': ('isOpen', True),
    'CLOSED': ('isOpen', False),
    'SLICED': ('isSliced', True),
    'BROKEN': ('isBroken', True),
    'COOKED': ('isCooked', True),
    'PICKED': ('isPickedUp', True),
    'HOT': ('temperature', 'Hot'),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What some thing is to be like, and to hold.

    :param name: what the name of the thing contains. :param contains: what the ids of things in
        or on it contain, one for each. :param state: one of `STATES`; '' for none.
    """

    name: str
    contains: tuple[str, ...] = ()
    state: str = ''


@dataclass(frozen=True, slots=True)
class StatesGoal:
    """States of things, as SMART-LLM judges (`end_thread.py`); there, too, one of a name will do.

    Differently from it, a thing in two places counts once.
    """

    wanted: tuple[Wanted, ...]

    def progress(self, metadata: Metadata) -> Progress:
        """Conditions that hold. :param metadata: of the last event."""
        judged: list[_Judged] = []
        for one in self.wanted:
            named = [thing for thing in things_of(metadata) if one.name in thing['name']]
            if one.state:
                field_name, value = STATES[one.state]
                holds = any(thing.get(field_name) == value for thing in named)
                judged.append((f'{one.name} is {one.state}', holds, 1))
            for kind in one.contains:
                lies = any(kind in key for thing in named for key in inside(thing))
                judged.append((f'{kind} is in or on {one.name}', lies, 1))
        return _progress(judged)

    def missing(self, metadata: Metadata) -> str:
        """A name that no thing has; '' where all are there."""
        names = [thing['name'] for thing in things_of(metadata)]
        asked = [name for one in self.wanted for name in (one.name, *one.contains)]
        return next((name for name in asked if not any(name in one for one in names)), '')


@dataclass(slots=True)
class Treated:
    """Ids of things that were treated since the task began; metadata do not report it."""

    clean: set[str] = field(default_factory=set)
    hot: set[str] = field(default_factory=set)
    cold: set[str] = field(default_factory=set)

    def note(self, action: str, object_id: str, metadata: Metadata) -> None:
        """Learn from an action and the event that followed it."""
        if not object_id or not succeeded(metadata):
            return
        if action == 'ToggleObjectOn' and 'Faucet' in object_id:
            faucet = thing_by_id(metadata, object_id)
            basin = basin_of(metadata, faucet) if faucet else None
            self.clean.update(inside(basin) if basin else ())
        elif action == 'ToggleObjectOn' and 'Microwave' in object_id:
            microwave = first_of_class(metadata, 'Microwave')
            self.hot.update(inside(microwave) if microwave else ())
        elif action == 'CloseObject' and 'Fridge' in object_id:
            fridge = first_of_class(metadata, 'Fridge')
            self.cold.update(inside(fridge) if fridge else ())

    def of(self, task_type: str) -> set[str]:
        """What was treated as a task wants it."""
        return {CLEAN: self.clean, HEAT: self.hot, COOL: self.cold}.get(task_type, set())


def progress_of(goal: Goal | StatesGoal, metadata: Metadata, treated: Treated) -> Progress:
    """Conditions of a goal that hold.

    :param metadata: of the last event. :param treated: since the task began.
    """
    if isinstance(goal, StatesGoal):
        return goal.progress(metadata)
    things = _things(metadata, goal.thing_class, 'pickupable')
    judged = _JUDGES[goal.task_type](goal, metadata, things, treated)
    if goal.sliced:
        # A class with this in its name is matched by pieces alone.
        needed = 2 if goal.task_type == TWO else 1
        judged = [(f'{goal.thing} is sliced', min(len(things), needed), needed), *judged]
    return _progress(judged)


#: A condition: its sentence, how often it holds, how often it has to.
_Judged = tuple[str, int, int]


def _progress(judged: Sequence[_Judged]) -> Progress:
    lines = tuple(_line(*one) for one in judged)
    return Progress(sum(one[1] for one in judged), sum(one[2] for one in judged), lines)


def _line(sentence: str, met: int, needed: int) -> str:
    counted = f' ({met} of {needed})' if needed > 1 else ''
    return f'{"met" if met == needed else "not met"}: {sentence}{counted}'


def _things(metadata: Metadata, class_name: str, flag: str) -> list[Thing]:
    """Things with a class in their id that have a flag."""
    if not class_name:
        return []
    return [one for one in things_of(metadata) if class_name in one['objectId'] and one.get(flag)]


def _in_place(things: Sequence[Thing], receptacles: Sequence[Thing]) -> list[Thing]:
    lying = {key for one in receptacles for key in inside(one)}
    return [one for one in things if one['objectId'] in lying]


def _simple(
    goal: Goal, metadata: Metadata, things: Sequence[Thing], treated: Treated
) -> list[_Judged]:
    places = _things(metadata, goal.place, 'receptacle')
    return [(f'{goal.thing} is in or on {goal.place}', bool(_in_place(things, places)), 1)]


def _two(
    goal: Goal, metadata: Metadata, things: Sequence[Thing], treated: Treated
) -> list[_Judged]:
    places = _things(metadata, goal.place, 'receptacle')
    most = max((len(_in_place(things, [one])) for one in places), default=0)
    return [(f'two of {goal.thing} are in or on one {goal.place}', min(most, 2), 2)]


def _light(
    goal: Goal, metadata: Metadata, things: Sequence[Thing], treated: Treated
) -> list[_Judged]:
    lamps = _things(metadata, goal.lamp, 'toggleable')
    held = held_id(metadata)
    holds = bool(held) and any(one['objectId'] == held for one in things)
    shines = any(one.get('isToggled') and one.get('visible') for one in lamps)
    return [(f'you hold {goal.thing}', holds, 1), (f'{goal.lamp} is on and in sight', shines, 1)]


def _treat(
    goal: Goal, metadata: Metadata, things: Sequence[Thing], treated: Treated
) -> list[_Judged]:
    word = TREATMENTS[goal.task_type]
    placed = _in_place(things, _things(metadata, goal.place, 'receptacle'))
    done = treated.of(goal.task_type)
    ready = [one for one in things if one['objectId'] in done]
    both = [one for one in placed if one['objectId'] in done]
    return [
        (f'{goal.thing} is in or on {goal.place}', bool(placed), 1),
        (f'{goal.thing} is {word}', bool(ready), 1),
        (f'{goal.thing} in or on {goal.place} is {word}', bool(both), 1),
    ]


def _movable(
    goal: Goal, metadata: Metadata, things: Sequence[Thing], treated: Treated
) -> list[_Judged]:
    containers = _things(metadata, goal.container, 'pickupable')
    places = _things(metadata, goal.place, 'receptacle')
    ids = {one['objectId'] for one in places}
    both = [
        one
        for one in containers
        if _in_place(things, [one]) and any(key in ids for key in parents(one))
    ]
    return [
        (f'{goal.thing} is in or on {goal.container}', bool(_in_place(things, containers)), 1),
        (f'{goal.container} is in or on {goal.place}', bool(_in_place(containers, places)), 1),
        (f'{goal.container} with {goal.thing} is in or on {goal.place}', bool(both), 1),
    ]


_JUDGES: dict[str, Callable[[Goal, Metadata, Sequence[Thing], Treated], list[_Judged]]] = {
    SIMPLE: _simple,
    TWO: _two,
    LIGHT: _light,
    CLEAN: _treat,
    HEAT: _treat,
    COOL: _treat,
    MOVABLE: _movable,
}
