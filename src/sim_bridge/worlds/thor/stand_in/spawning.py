"""`InitialRandomSpawn`: movable things at other places, by a seed."""

from __future__ import annotations

from random import Random
from typing import Any

from sim_bridge.worlds.thor.stand_in.arguments import Arguments, flag, number, rows, text
from sim_bridge.worlds.thor.stand_in.handling import free_spot
from sim_bridge.worlds.thor.stand_in.scene import Thing, thing_at
from sim_bridge.worlds.thor.stand_in.state import ActionFailedError, State

_MOST_COPIES = 100


def initial_random_spawn(state: State, arguments: Arguments) -> bool:
    """Put every movable thing onto, or into, some receptacle that its class may lie in.

    Arguments as the program names them: `randomSeed`, `forceVisible` (into nothing that is shut),
    `numPlacementAttempts`, `numDuplicatesOfType`, `excludedReceptacles`, `excludedObjectIds`.

    :return: whether each found a place; one that found none stays where it was.
    :raises ActionFailedError: an argument is wrong, or something is in the hand.
    """
    held = next(filter(None, (agent.held for agent in state.agents)), '')
    if held:
        raise ActionFailedError(f'the hand holds {held}: drop it before things are moved')
    random = Random(f'spawn {int(number(arguments, "randomSeed", 0.0))} {state.scene.name}')
    attempts = number(arguments, 'numPlacementAttempts', 5.0)
    if attempts < 1.0:
        raise ActionFailedError('numPlacementAttempts is 1 or more', 'InvalidArgument')
    stay = _texts(arguments, 'excludedObjectIds')
    closed = _texts(arguments, 'excludedReceptacles')
    visible = flag(arguments, 'forceVisible')
    if arguments.get('numDuplicatesOfType') is not None:
        _duplicate(state, arguments)
    movable = [
        one
        for one in sorted(state.things.values(), key=lambda thing: thing.object_id)
        if one.is_a('pickupable') and one.object_id not in stay
    ]
    random.shuffle(movable)
    all_placed = True
    for thing in movable:
        around = [
            one
            for one in state.things.values()
            if one.of_class.may_hold(thing.class_name)
            and not one.is_a('pickupable')
            and one.class_name not in closed
            and not (visible and (one.hides or state.is_hidden(one)))
        ]
        random.shuffle(around)
        all_placed &= any(_place(state, thing, one) for one in around[: int(attempts)])
    return all_placed


def _place(state: State, thing: Thing, receptacle: Thing) -> bool:
    is_full = len(receptacle.contents) >= receptacle.of_class.most
    if is_full and thing.object_id not in receptacle.contents:
        return False
    spot = free_spot(state, thing, receptacle)
    if spot is None:
        return False
    state.put_into(thing, receptacle)
    state.move(thing, spot)
    return True


def _duplicate(state: State, arguments: Arguments) -> None:
    """As many things of a class as are asked for; those that are too many are taken away."""
    for row in rows(arguments, 'numDuplicatesOfType'):
        class_name, count = text(row, 'objectType'), number(row, 'count')
        if not 0 <= count <= _MOST_COPIES:
            raise ActionFailedError(f'count is from 0 to {_MOST_COPIES}', 'InvalidArgument')
        same = [one for one in state.things.values() if one.class_name == class_name]
        if not same:
            raise ActionFailedError(f'there is no {class_name[:60]} in the scene to copy')
        for one in same[int(count) :]:
            state.remove(one)
        for copy in range(len(same), int(count)):
            first = same[0]
            state.add(
                thing_at(
                    class_name,
                    first.position,
                    f'{first.name}_copy_{copy}',
                    f'{first.object_id}|copy_{copy}',
                )
            )


def _texts(arguments: Arguments, name: str) -> frozenset[str]:
    value: Any = arguments.get(name)
    if value is None:
        return frozenset()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ActionFailedError(f'{name} is a list of texts', 'InvalidArgument')
    return frozenset(value)
