"""Tasks of ALFRED's seven sorts, drawn by a seed from what a scene has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.task_names import GENERATED
from sim_bridge.worlds.thor.classes import (
    CLEANABLE,
    COOLABLE,
    FIXED_RECEPTACLES,
    HEATABLE,
    KNIVES,
    LAMPS,
    MOVABLE_RECEPTACLES,
    PICKABLE,
    ROOMS,
    SLICEABLE,
    words_of,
)
from sim_bridge.worlds.thor.goals import (
    CLEAN,
    COOL,
    Goal,
    HEAT,
    LIGHT,
    MOVABLE,
    SIMPLE,
    TASK_TYPES,
    TWO,
)
from sim_bridge.worlds.thor.metadata import inside, Metadata, parents, Thing, things_of
from sim_bridge.worlds.thor.stand_in.classes import object_class
from sim_bridge.worlds.thor.tasks import AlfredTask, DECISIONS, PlanStep

#: Share of tasks in which a piece of what can be sliced is wanted.
_SLICED_SHARE = 0.25
#: Floor plans that are tried for one task.
_TRIED = 40
#: Task type -> where it can be set: first floor plans of the sorts of rooms.
_WHERE = {
    SIMPLE: (1, 201, 301, 401),
    TWO: (1, 201, 301, 401),
    LIGHT: (201, 301),
    CLEAN: (1, 401),
    HEAT: (1,),
    COOL: (1,),
    MOVABLE: (1, 201, 301),
}
#: Task type -> step of a plan, class of what treats, and what may be treated.
_TREATED = {
    CLEAN: ('CleanObject', 'SinkBasin', CLEANABLE),
    HEAT: ('HeatObject', 'Microwave', HEATABLE),
    COOL: ('CoolObject', 'Fridge', COOLABLE),
}
_WORDS = {CLEAN: 'clean', HEAT: 'heated', COOL: 'chilled'}
#: Not a place for things of a task: hard to open, or only part of another one.
_NO_PLACES = frozenset({'Safe', 'Sink', 'Bathtub', 'Faucet'})
_IN = frozenset({
    'BathtubBasin', 'Bowl', 'Box', 'Cabinet', 'Cup', 'Drawer', 'Fridge', 'GarbageCan',
    'LaundryHamper', 'Microwave', 'Mug', 'Pan', 'Pot', 'SinkBasin',
})  # fmt: skip


class NotHereError(ConfigurationError):
    """A scene has not what a task needs."""


def floor_plans_of(seed: int, task_type: str = GENERATED) -> tuple[str, ...]:
    """Floor plans in which the task of a seed is set: the first that has what it needs."""
    random = Random(f'thor floor plan {task_type} {seed}')
    plans = [
        f'FloorPlan{first + number}'
        for first in _WHERE.get(task_type, tuple(ROOMS))
        for number in range(30)
    ]
    return tuple(random.sample(plans, min(_TRIED, len(plans))))


def generated_task(scene: str, start: Metadata, task_type: str, seed: int) -> AlfredTask:
    """A task in a scene.

    :param start: what is there. :param task_type: or `GENERATED` for any.
    :raises NotHereError: the scene has not what such a task needs.
    """
    random = Random(f'thor {scene} {task_type} {seed}')
    types = [*TASK_TYPES] if task_type == GENERATED else [task_type]
    random.shuffle(types)
    for one in types:
        found = _Drawing(start, one, random).task()
        if found is not None:
            goal, plan = found
            return AlfredTask(
                task_id=f'{task_type}:{seed}',
                task_type=one,
                instruction=_instruction(goal),
                goal=goal,
                floor_plan=scene,
                plan=plan,
                decisions=DECISIONS,
            )
    raise NotHereError(
        f'{scene} has not what a task of {task_type} needs: name another scene, or none'
    )


class _Drawing:
    """Draws a goal with a plan for it. :param start: what the scene has."""

    def __init__(self, start: Metadata, task_type: str, random: Random) -> None:
        self._type = task_type
        self._random = random
        things = things_of(start)
        self._by_id = {one['objectId']: one for one in things}
        self._by_class: dict[str, list[Thing]] = {}
        for one in things:
            self._by_class.setdefault(one['objectType'], []).append(one)
        self._things = sorted(
            name
            for name, group in self._by_class.items()
            if name in PICKABLE and any(self._within_reach(one) for one in group)
        )
        self._places = sorted(
            name for name in self._by_class if name in FIXED_RECEPTACLES and name not in _NO_PLACES
        )

    def _within_reach(self, thing: Thing) -> bool:
        above = [self._by_id.get(key) for key in parents(thing)]
        known = [one for one in above if one is not None]
        return bool(thing.get('pickupable')) and not any(
            one['objectType'] in _NO_PLACES and one.get('openable') for one in known
        )

    def task(self) -> tuple[Goal, tuple[PlanStep, ...]] | None:
        """A goal and its plan; None where the scene does not do."""
        choices = {LIGHT: self._light, MOVABLE: self._movable, TWO: self._two}
        draw: Callable[[str], tuple[Goal, tuple[PlanStep, ...]] | None]
        draw = choices.get(self._type, self._placed)
        things = [*self._things]
        self._random.shuffle(things)
        for name in things:
            found = draw(name)
            if found is not None:
                return found
        return None

    def _light(self, name: str) -> tuple[Goal, tuple[PlanStep, ...]] | None:
        lamps = [lamp for lamp in LAMPS if lamp in self._by_class]
        if not lamps or object_class(name).name in MOVABLE_RECEPTACLES:
            return None
        lamp = self._random.choice(lamps)
        shining = self._by_class[lamp][0]
        plan = (
            self._pick(self._one(name)),
            PlanStep('ToggleObject', (lamp.lower(),), shining['objectId']),
        )
        return Goal(LIGHT, name, lamp=lamp), plan

    def _placed(self, name: str) -> tuple[Goal, tuple[PlanStep, ...]] | None:
        step, tool, able = _TREATED.get(self._type, ('', '', frozenset()))
        if tool and (name not in able or tool not in self._by_class):
            return None
        if tool and not object_class(tool).may_hold(name):
            return None
        if self._type == CLEAN and 'Faucet' not in self._by_class:
            return None
        place = self._place_for(name, tool)
        if place is None:
            return None
        sliced = self._slices(name)
        plan: list[PlanStep] = []
        thing = self._one(name)
        if sliced:
            plan += self._slicing(thing, place)
            plan.append(
                PlanStep('PickupObject', (name.lower(),), f'{thing["objectId"]}|{name}Sliced_1')
            )
        else:
            plan.append(self._pick(thing))
        if step:
            plan.append(PlanStep(step, (name.lower(),), '', self._by_class[tool][0]['objectId']))
        plan.append(_put(name, self._by_class[place][0]))
        return Goal(self._type, name, place, sliced=sliced), tuple(plan)

    def _two(self, name: str) -> tuple[Goal, tuple[PlanStep, ...]] | None:
        group = [one for one in self._by_class[name] if self._within_reach(one)]
        place = self._place_for(name, count=2)
        if len(group) < 2 or place is None:
            return None
        where = self._by_class[place][0]
        plan = []
        for thing in group[:2]:
            plan += [self._pick(thing), _put(name, where)]
        return Goal(TWO, name, place), tuple(plan)

    def _movable(self, name: str) -> tuple[Goal, tuple[PlanStep, ...]] | None:
        containers = [
            one
            for one in self._things
            if one in MOVABLE_RECEPTACLES and one != name and object_class(one).may_hold(name)
        ]
        if name in MOVABLE_RECEPTACLES or not containers:
            return None
        container = self._random.choice(containers)
        place = self._place_for(container)
        if place is None:
            return None
        carried = self._one(container)
        plan = (
            self._pick(self._one(name)),
            _put(name, carried),
            self._pick(carried),
            _put(container, self._by_class[place][0]),
        )
        return Goal(MOVABLE, name, place, container=container), plan

    def _one(self, name: str) -> Thing:
        return next(one for one in self._by_class[name] if self._within_reach(one))

    def _place_for(self, name: str, tool: str = '', count: int = 1) -> str | None:
        """A class of places that may hold a thing, has room, and does not hold one yet."""
        taken = {
            above['objectType']
            for one in self._by_class[name]
            for key in parents(one)
            if (above := self._by_id.get(key)) is not None
        }
        places = [
            one
            for one in self._places
            if one != tool
            and one not in taken
            and object_class(one).may_hold(name)
            and len(inside(self._by_class[one][0])) + count <= object_class(one).most
        ]
        return self._random.choice(places) if places else None

    def _slices(self, name: str) -> bool:
        knives = any(self._by_class.get(knife) for knife in KNIVES)
        return name in SLICEABLE and knives and self._random.random() < _SLICED_SHARE

    def _slicing(self, thing: Thing, place: str) -> list[PlanStep]:
        knife = next(one for kind in KNIVES for one in self._by_class.get(kind, ()) if one)
        above = [self._by_id.get(key) for key in parents(knife)]
        back = next((one for one in above if one is not None), self._by_class[place][0])
        return [
            self._pick(knife),
            PlanStep('SliceObject', (thing['objectType'].lower(),), thing['objectId']),
            _put(knife['objectType'], back),
        ]

    def _pick(self, thing: Thing) -> PlanStep:
        above: Sequence[str] = parents(thing)
        return PlanStep(
            'PickupObject',
            (thing['objectType'].lower(),),
            thing['objectId'],
            next(iter(above), ''),
        )


def _put(name: str, place: Thing) -> PlanStep:
    classes = (name.lower(), place['objectType'].lower())
    return PlanStep('PutObject', classes, '', place['objectId'])


def _instruction(goal: Goal) -> str:
    thing = words_of(goal.thing)
    if goal.sliced:
        thing = f'slice of {thing}'
    if goal.task_type == LIGHT:
        return f'Look at {_a(thing)} under the {words_of(goal.lamp)}.'
    place = f'{"in" if goal.place in _IN else "on"} the {words_of(goal.place)}'
    if goal.task_type == TWO:
        return f'Put two {_plural(thing)} {place}.'
    if goal.task_type == MOVABLE:
        container = words_of(goal.container)
        return f'Put {_a(container)} with {_a(thing)} in it {place}.'
    treated = ' '.join(filter(None, (_WORDS.get(goal.task_type, ''), thing)))
    return f'Put {_a(treated)} {place}.'


def _a(words: str) -> str:
    return f'{"an" if words[0] in "aeiou" else "a"} {words}'


def _plural(words: str) -> str:
    if words.endswith(('s', 'x', 'ch')):
        return f'{words}es'
    if words.endswith('knife'):
        return f'{words[:-2]}ves'
    return f'{words}s'
