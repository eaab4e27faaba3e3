"""Actions on things: carrying, doors, switches, knives, water and heat."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

from sim_bridge.worlds.thor.stand_in.arguments import Arguments, flag, number, text
from sim_bridge.worlds.thor.stand_in.classes import PIECES
from sim_bridge.worlds.thor.stand_in.scene import Place, Thing, thing_at
from sim_bridge.worlds.thor.stand_in.state import ActionFailedError, State

#: Metres between places where things are put.
SPOTS = 0.15
_KNIVES = frozenset({'Knife', 'ButterKnife'})
#: Basins that a tap fills, and how far it may be from them in metres.
_BASINS, _TAP_REACHES = frozenset({'SinkBasin', 'BathtubBasin'}), 1.2
_BURNER_REACHES = 3.0


def pick_up(state: State, arguments: Arguments, sees: set[str]) -> None:
    """`PickupObject`: into the hand, with all that lies in it."""
    thing = _target(state, arguments, sees)
    if state.held:
        raise ActionFailedError(f'the hand holds {state.held} already')
    if not thing.is_a('pickupable'):
        raise ActionFailedError(f'{thing.object_id} cannot be picked up')
    state.put_into(thing, None)
    state.held = thing.object_id
    state.carry()


def put(state: State, arguments: Arguments, sees: set[str]) -> None:
    """`PutObject`: what is held into a receptacle.

    2.1.0 names both things, 5.0.0 the receptacle alone. `forceAction` puts it also where things of
    its class do not belong.
    """
    held = _in_hand(state)
    receptacle_id = arguments.get('receptacleObjectId') or text(arguments, 'objectId')
    if 'receptacleObjectId' in arguments and arguments.get('objectId') not in (
        None,
        '',
        held.object_id,
    ):
        raise ActionFailedError(f'{arguments["objectId"]} is not in the hand')
    receptacle = _target(state, {**arguments, 'objectId': receptacle_id}, sees)
    if receptacle is held or receptacle in state.below(held):
        raise ActionFailedError('a thing cannot be put into itself')
    if not receptacle.is_a('receptacle'):
        raise ActionFailedError(f'{receptacle.object_id} is no receptacle')
    if receptacle.hides:
        raise ActionFailedError(f'{receptacle.object_id} is closed: nothing can be put into it')
    # Forced, anything goes anywhere, where there is room: so ALFRED's plans were recorded.
    may_hold = flag(arguments, 'forceAction') or receptacle.of_class.may_hold(held.class_name)
    if not may_hold:
        raise ActionFailedError(f'{held.class_name} cannot be put into {receptacle.class_name}')
    if len(receptacle.contents) >= receptacle.of_class.most:
        raise ActionFailedError(f'{receptacle.object_id} is full')
    spot = free_spot(state, held, receptacle)
    if spot is None:
        raise ActionFailedError(f'there is no free spot on {receptacle.object_id}')
    state.held = ''
    state.put_into(held, receptacle)
    state.move(held, spot)
    _switched_on_around(state, held)


def drop(state: State, _: Arguments, __: set[str]) -> None:
    """`DropHandObject`: what is held lands on the floor before the agent."""
    held = _in_hand(state)
    x, _y, z = state.hand()
    state.held = ''
    floor = state.agent.position[1] - 0.9 + held.box.size[1] / 2
    state.move(held, (x, max(floor, 0.0), z))


def open_object(state: State, arguments: Arguments, sees: set[str]) -> None:
    """`OpenObject`: a part of the way (`openness` in 5.0.0, `moveMagnitude` in 2.1.0)."""
    thing = _target(state, arguments, sees)
    if not thing.is_a('openable'):
        raise ActionFailedError(f'{thing.object_id} cannot be opened')
    far = number(arguments, 'openness', 0.0) or number(arguments, 'moveMagnitude', 0.0) or 1.0
    if not 0.0 < far <= 1.0:
        raise ActionFailedError('openness is from 0 to 1', 'InvalidArgument')
    if thing.openness > 0.0 and 'openness' not in arguments:
        raise ActionFailedError(f'{thing.object_id} is open already')
    if math.isclose(thing.openness, far):
        raise ActionFailedError(f'{thing.object_id} is open already')
    if thing.class_name == 'Microwave' and thing.toggled:
        raise ActionFailedError(f'{thing.object_id} is on: turn it off before it is opened')
    if state.failures.hits(thing.class_name):
        raise ActionFailedError(f'{thing.object_id} hit something and did not open')
    thing.openness = far


def close_object(state: State, arguments: Arguments, sees: set[str]) -> None:
    """`CloseObject`."""
    thing = _target(state, arguments, sees)
    if not thing.is_a('openable'):
        raise ActionFailedError(f'{thing.object_id} cannot be closed')
    if thing.openness <= 0.0:
        raise ActionFailedError(f'{thing.object_id} is closed already')
    thing.openness = 0.0
    if thing.is_a('isColdSource'):
        for one in state.below(thing):
            one.temperature = 'Cold'


def toggle_on(state: State, arguments: Arguments, sees: set[str]) -> None:
    """`ToggleObjectOn`: what it heats, wets or lights follows."""
    thing = _target(state, arguments, sees)
    if not thing.is_a('toggleable'):
        raise ActionFailedError(f'{thing.object_id} cannot be turned on')
    if thing.toggled:
        raise ActionFailedError(f'{thing.object_id} is on already')
    if thing.class_name == 'Microwave' and thing.openness > 0.0:
        raise ActionFailedError(f'{thing.object_id} is open: close it before it is turned on')
    thing.toggled = True
    _run(state, thing)


def toggle_off(state: State, arguments: Arguments, sees: set[str]) -> None:
    """`ToggleObjectOff`."""
    thing = _target(state, arguments, sees)
    if not thing.is_a('toggleable'):
        raise ActionFailedError(f'{thing.object_id} cannot be turned off')
    if not thing.toggled:
        raise ActionFailedError(f'{thing.object_id} is off already')
    thing.toggled = False
    if thing.class_name == 'StoveKnob':
        burner = _burner_of(state, thing)
        if burner:
            burner.toggled = False


def slice_object(state: State, arguments: Arguments, sees: set[str]) -> None:
    """`SliceObject`: several pieces take its place."""
    thing = _target(state, arguments, sees)
    if not thing.is_a('sliceable'):
        raise ActionFailedError(f'{thing.object_id} cannot be sliced')
    knife = state.things.get(state.held)
    needs = thing.class_name != 'Egg' and not flag(arguments, 'forceAction')
    if needs and (knife is None or knife.class_name not in _KNIVES):
        raise ActionFailedError(f'a knife has to be in the hand to slice {thing.object_id}')
    if thing.object_id == state.held:
        raise ActionFailedError('what is in the hand cannot be sliced')
    class_name, fewest, most = PIECES.get(thing.class_name, (f'{thing.class_name}Sliced', 3, 6))
    # How many follows from the thing, so that an episode comes out the same again.
    count = fewest + int(Random(f'pieces {thing.object_id}').random() * (most - fewest + 1))
    parent = state.things.get(thing.parent)
    x, y, z = thing.position
    state.remove(thing)
    for number_of in range(1, count + 1):
        away = 0.03 * (number_of - (count + 1) / 2)
        piece = thing_at(
            class_name,
            (x, y, z + away),
            f'{thing.name}_Slice_{number_of}',
            f'{thing.object_id}|{class_name}_{number_of}',
        )
        # `isSliced` is the whole's; pieces of a hot apple are hot.
        piece.temperature, piece.dirty, piece.cooked = thing.temperature, thing.dirty, thing.cooked
        piece.sliced, piece.room = True, thing.room
        state.add(piece)
        state.put_into(piece, parent)


def fill(state: State, arguments: Arguments, sees: set[str]) -> None:
    """`FillObjectWithLiquid`."""
    thing = _able(state, arguments, sees, 'canFillWithLiquid', 'filled')
    if thing.filled:
        raise ActionFailedError(f'{thing.object_id} is full already')
    liquid = arguments.get('fillLiquid') or 'water'
    if liquid not in ('water', 'coffee', 'wine'):
        raise ActionFailedError('fillLiquid is water, coffee or wine', 'InvalidArgument')
    thing.filled = str(liquid)


def _change(
    field: str, value: bool | str, able: str, said: str, already: str = ''
) -> Callable[[State, Arguments, set[str]], None]:
    """An action that gives a thing a state that it does not have yet.

    :param field: of the thing. :param able: the property of things that can have it.
    :param said: what is done to it. :param already: what it is then; '' for the same word.
    """

    def act(state: State, arguments: Arguments, sees: set[str]) -> None:
        thing = _able(state, arguments, sees, able, said)
        if getattr(thing, field) == value:
            raise ActionFailedError(f'{thing.object_id} is {already or said} already')
        setattr(thing, field, value)

    return act


#: All of this file, by the program's names.
HANDLING: dict[str, Callable[[State, Arguments, set[str]], Any]] = {
    'PickupObject': pick_up,
    'PutObject': put,
    'DropHandObject': drop,
    'OpenObject': open_object,
    'CloseObject': close_object,
    'ToggleObjectOn': toggle_on,
    'ToggleObjectOff': toggle_off,
    'SliceObject': slice_object,
    'BreakObject': _change('broken', True, 'breakable', 'broken'),
    'CleanObject': _change('dirty', False, 'dirtyable', 'cleaned', 'clean'),
    'DirtyObject': _change('dirty', True, 'dirtyable', 'made dirty', 'dirty'),
    'FillObjectWithLiquid': fill,
    'EmptyLiquidFromObject': _change('filled', '', 'canFillWithLiquid', 'emptied', 'empty'),
    'UseUpObject': _change('used_up', True, 'canBeUsedUp', 'used up'),
    'CookObject': _change('cooked', True, 'cookable', 'cooked'),
}


def _target(state: State, arguments: Arguments, sees: set[str]) -> Thing:
    thing = state.thing(text(arguments, 'objectId'))
    if state.is_in_another_hand(thing):
        raise ActionFailedError(f'another agent holds {thing.object_id}')
    forced = flag(arguments, 'forceAction') or flag(arguments, 'forceVisible')
    if not forced and thing.object_id not in sees:
        raise ActionFailedError(f'{thing.object_id} is not visible')
    return thing


def _able(state: State, arguments: Arguments, sees: set[str], able: str, said: str) -> Thing:
    thing = _target(state, arguments, sees)
    if not thing.is_a(able):
        raise ActionFailedError(f'{thing.object_id} cannot be {said}')
    return thing


def _in_hand(state: State) -> Thing:
    if not state.held:
        raise ActionFailedError('nothing is in the hand')
    return state.things[state.held]


def free_spot(state: State, thing: Thing, receptacle: Thing) -> Place | None:
    """Where a thing can be put: the free spot that is nearest to the agent.

    :return: None where there is none; of receptacles that are too small for the grid, the spot
        with most room around it.
    """
    low, high = receptacle.box.low, receptacle.box.high
    taken = [state.things[key].position for key in receptacle.contents]
    x, _, z = state.agent.position
    spots = [(a, b) for a in _spots(low[0], high[0]) for b in _spots(low[2], high[2])]
    spots.sort(key=lambda spot: (math.dist(spot, (x, z)), spot))

    def room(spot: tuple[float, float]) -> float:
        return min((math.dist(spot, (at[0], at[2])) for at in taken), default=SPOTS)

    best = next((spot for spot in spots if room(spot) >= SPOTS - 0.01), None)
    if best is None and len(spots) < receptacle.of_class.most:
        best = max(spots, key=room)
    return (best[0], _resting(thing, receptacle), best[1]) if best else None


def _spots(low: float, high: float) -> list[float]:
    """Places along one side of a receptacle, a little inside it."""
    count = max(int((high - low - 0.06) / SPOTS), 0) + 1
    middle = (low + high) / 2
    return [middle + SPOTS * (n - (count - 1) / 2) for n in range(count)]


def _resting(thing: Thing, receptacle: Thing) -> float:
    """Height of a thing's position once it lies in a receptacle."""
    above = thing.position[1] - thing.box.low[1]
    inside = receptacle.is_a('openable') or receptacle.class_name in (
        'SinkBasin', 'BathtubBasin', 'GarbageCan', 'LaundryHamper', 'Bowl', 'Cup', 'Mug', 'Pot',
        'Pan', 'Plate',
    )  # fmt: skip
    low, high = receptacle.box.low[1], receptacle.box.high[1]
    if receptacle.class_name in ('Fridge', 'Toilet'):
        return (low + high) / 2 + above if receptacle.class_name == 'Fridge' else high + above
    return (low + 0.01 if inside else high) + above


def _run(state: State, thing: Thing) -> None:
    """What happens when a thing is turned on."""
    if thing.class_name == 'Faucet':
        basins = [one for one in state.things.values() if one.class_name in _BASINS]
        near = min(basins, key=lambda one: math.dist(one.position, thing.position), default=None)
        if near and math.dist(near.position, thing.position) <= _TAP_REACHES:
            for one in state.below(near):
                if one.is_a('canFillWithLiquid'):
                    one.filled = one.filled or 'water'
    elif thing.class_name == 'StoveKnob':
        burner = _burner_of(state, thing)
        if burner:
            burner.toggled = True
            _heat(state, burner)
    elif thing.class_name == 'CoffeeMachine':
        for one in state.below(thing):
            if one.is_a('canFillWithLiquid'):
                one.filled = one.filled or 'coffee'
    elif thing.is_a('isHeatSource'):
        _heat(state, thing)


def _heat(state: State, source: Thing) -> None:
    for one in state.below(source):
        one.temperature = 'Hot'
        if one.is_a('cookable'):
            one.cooked = True


def _switched_on_around(state: State, thing: Thing) -> None:
    """What was put on something hot gets hot."""
    for parent in state.parents(thing):
        if parent.is_a('isHeatSource') and parent.toggled:
            _heat(state, parent)


def _burner_of(state: State, knob: Thing) -> Thing | None:
    """The burner of a knob: both are counted in the order of their places."""
    order = [
        sorted(
            (one for one in state.things.values() if one.class_name == class_name),
            key=lambda one: (one.position[0], one.position[2]),
        )
        for class_name in ('StoveKnob', 'StoveBurner')
    ]
    index = order[0].index(knob)
    if index >= len(order[1]):
        return None
    burner = order[1][index]
    near = math.dist(burner.position, knob.position) <= _BURNER_REACHES
    return burner if near else None
