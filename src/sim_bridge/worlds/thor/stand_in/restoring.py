"""Actions that set up a scene: toggles, dirt and poses, as ALFRED restores them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sim_bridge.worlds.thor.stand_in.arguments import Arguments, flag, place, rows, text
from sim_bridge.worlds.thor.stand_in.classes import classes
from sim_bridge.worlds.thor.stand_in.scene import id_of, parent_for, Place, Thing, thing_at
from sim_bridge.worlds.thor.stand_in.state import ActionFailedError, State

#: Most poses of one call.
_MOST = 1000


def set_object_toggles(state: State, arguments: Arguments) -> None:
    """`SetObjectToggles`: all things of a class on or off."""
    for row in rows(arguments, 'objectToggles'):
        class_name, on = text(row, 'objectType'), flag(row, 'isOn')
        for thing in state.things.values():
            if thing.class_name == class_name and thing.is_a('toggleable'):
                thing.toggled = on


def set_state_of_all(state: State, arguments: Arguments) -> None:
    """`SetStateOfAllObjects`: everything of a sort dirty, filled, open, ... or not."""
    change = text(arguments, 'StateChange')
    on = flag(arguments, 'forceAction')
    known = {
        'CanBeDirty': 'dirtyable',
        'CanBeFilled': 'canFillWithLiquid',
        'CanOpen': 'openable',
        'CanToggleOnOff': 'toggleable',
        'CanBeUsedUp': 'canBeUsedUp',
        'CanBeCooked': 'cookable',
        'CanBreak': 'breakable',
    }
    if change not in known:
        raise ActionFailedError(f'StateChange is one of: {", ".join(known)}', 'InvalidArgument')
    for thing in state.things.values():
        if not thing.is_a(known[change]):
            continue
        if change == 'CanBeDirty':
            thing.dirty = on
        elif change == 'CanBeFilled':
            thing.filled = (thing.filled or 'water') if on else ''
        elif change == 'CanOpen':
            thing.openness = 1.0 if on else 0.0
        elif change == 'CanToggleOnOff':
            thing.toggled = on
        elif change == 'CanBeUsedUp':
            thing.used_up = on
        elif change == 'CanBeCooked':
            thing.cooked = on
        else:
            thing.broken = on


def set_object_poses(state: State, arguments: Arguments) -> None:
    """`SetObjectPoses`: the movable things of a scene, with copies; others are taken away.

    A name that no file of the scene has is taken for what it says: `Mug_a12c171b` is a mug.
    """
    poses = rows(arguments, 'objectPoses')
    if len(poses) > _MOST:
        raise ActionFailedError(f'at most {_MOST} poses at once', 'InvalidArgument')
    wanted = [
        (text(row, 'objectName'), place(row.get('position')), _rotation(row)) for row in poses
    ]
    known = {thing.name: thing for thing in state.things.values()}
    of_class = {thing.class_name: thing for thing in state.things.values()}
    for name, _, _ in wanted:
        if _class_of(name, known) not in classes():
            raise ActionFailedError(f'no thing is named {name[:80]!r}', 'InvalidArgument')
    fixed = [one for one in state.things.values() if not one.is_a('pickupable')]
    moved = {name for name, _, _ in wanted}
    for thing in [*state.things.values()]:
        if thing.is_a('pickupable') or thing.name in moved:
            state.remove(thing)
    counts: Counter[str] = Counter()
    placed: list[Thing] = []
    for number, (name, position, rotation) in enumerate(wanted):
        counts[name] += 1
        class_name = _class_of(name, known)
        copied = name if counts[name] == 1 else f'{name}(Clone)_copy_{number}'
        thing = thing_at(class_name, position, copied, _free_id(state, class_name, position))
        thing.rotation = rotation
        if name in known:
            thing.asset = known[name].asset
            thing.box = known[name].box.moved(_between(known[name].position, position))
        like = known.get(name) or of_class.get(class_name)
        if like is not None:
            # Copies are as dirty or full as what they are copies of: ALFRED sets that before.
            thing.dirty, thing.filled, thing.broken = like.dirty, like.filled, like.broken
            thing.used_up, thing.cooked, thing.toggled = like.used_up, like.cooked, like.toggled
            thing.openness = like.openness
        state.add(thing)
        placed.append(thing)
    lie_in(state, placed, [one for one in fixed if one.object_id in state.things])


def lie_in(state: State, things: list[Thing], fixed: list[Thing]) -> None:
    """Find out what things lie in, by their places: small receptacles first."""
    receptacles = [one for one in fixed if one.is_a('receptacle')]
    small = [one for one in things if one.is_a('receptacle')]
    for thing in things:
        bowl = None
        # A thing lies in a bowl when it is above it, and does so at most once.
        for one in small:
            near = one.box.aside(thing.position) == 0.0 and one.box.apart(thing.position) < 0.1
            above = thing.position[1] > one.position[1]
            if one is not thing and near and above and one.of_class.may_hold(thing.class_name):
                bowl = one
        state.put_into(thing, bowl or parent_for(thing, receptacles))
    state.moved += 1


def _class_of(name: str, known: dict[str, Thing]) -> str:
    if name in known:
        return known[name].class_name
    return name.partition('_')[0].partition('(')[0]


def _free_id(state: State, class_name: str, position: Place) -> str:
    """An id by place; copies in one place are distinguished."""
    first = id_of(class_name, position)
    number, found = 1, first
    while found in state.things:
        number, found = number + 1, f'{first}_copy_{number}'
    return found


def _rotation(row: Arguments) -> Place:
    value: Any = row.get('rotation')
    return place(value) if value is not None else (0.0, 0.0, 0.0)


def _between(old: Place, new: Place) -> Place:
    return new[0] - old[0], new[1] - old[1], new[2] - old[2]
