"""What must hold before an action of a program, by VirtualHome's rules; each says what does not.

Every condition returns '' or a reason. Names of properties and states are those of the graphs.
"""

from __future__ import annotations

from sim_bridge.worlds.household.programs.stage import Stage

_SEATS = {
    'bed': 4,
    'bench': 2,
    'couch': 4,
    'loveseat': 2,
    'pianobench': 2,
    'sofa': 4,
}
_BEDS = {'bathtub': 2, 'bed': 3, 'couch': 2, 'loveseat': 2, 'sofa': 2}
_SQUEEZED = frozenset(
    {
        'check',
        'cleaning_solution',
        'dish_soap',
        'food_lemon',
        'food_peanut_butter',
        'paper',
        'rag',
        'shampoo',
        'soap',
        'sponge',
        'tooth_paste',
        'towel',
    }
)


def first(*reasons: str) -> str:
    """The first reason that is none of ''."""
    return next((reason for reason in reasons if reason), '')


def close(stage: Stage, key: int) -> str:
    """The character is close."""
    return _unless(stage.is_close(key), f'{_me(stage)} is not close to {stage.name(key)}')


def holding(stage: Stage, key: int) -> str:
    """The character holds it."""
    return _unless(key in stage.held(), f'{_me(stage)} is not holding {stage.name(key)}')


def empty_hand(stage: Stage) -> str:
    """A hand is free."""
    free = stage.free_hand() is not None
    return _unless(free, f'{_me(stage)} does not have a free hand')


def reachable(stage: Stage, key: int) -> str:
    """It is not shut in."""
    return _unless(not stage.is_shut_in(key), f'{stage.name(key)} is inside other closed thing')


def facing(stage: Stage, key: int) -> str:
    """The character faces it."""
    return _unless(stage.is_faced(key), f'{_me(stage)} does not face {stage.name(key)}')


def having(stage: Stage, key: int, names: tuple[str, ...], lack: str) -> str:
    """It has one of some properties.

    :param lack: what is said when it has none, e.g. 'is not grabbable'.
    """
    node = stage.nodes[key]
    return _unless(any(node.has(name) for name in names), f'{stage.name(key)} {lack}')


def in_state(stage: Stage, key: int, state: str) -> str:
    """It is in a state."""
    inside = state in stage.nodes[key].states
    return _unless(inside, f'{stage.name(key)} is not {state.lower().replace("_", " ")}')


def not_in_state(stage: Stage, key: int, state: str, said: str) -> str:
    """It is not in a state.

    :param said: e.g. 'is sitting'.
    """
    return _unless(state not in stage.nodes[key].states, f'{stage.name(key)} {said}')


def standing(stage: Stage) -> str:
    """The character neither sits nor lies."""
    states = stage.nodes[stage.me].states
    return _unless('SITTING' not in states and 'LYING' not in states, f'{_me(stage)} is sitting')


def resting(stage: Stage) -> str:
    """The character sits or lies."""
    states = stage.nodes[stage.me].states
    return _unless(
        'SITTING' in states or 'LYING' in states, f'{_me(stage)} is not lying or sitting'
    )


def in_a_room(stage: Stage, key: int) -> str:
    """It is known where it is."""
    return _unless(stage.room_of(key) is not None, f'{stage.name(key)} is in no room')


def in_same_room(stage: Stage, key: int) -> str:
    """It is where the character is."""
    same = stage.room_of(key) == stage.room_of(stage.me)
    return _unless(same, f'{stage.name(key)} is not in the room of {_me(stage)}')


def seat_left(stage: Stage, key: int, lying: bool) -> str:
    """It is not taken up by as many things as there is room for."""
    room = (_BEDS if lying else _SEATS).get(stage.nodes[key].class_name, 1)
    return _unless(len(stage.starts(key, 'ON')) < room, f'Too many things on {stage.name(key)}')


def openable(stage: Stage, key: int) -> str:
    """It has a door."""
    if stage.nodes[key].class_name in ('desk', 'window'):
        return ''
    return having(stage, key, ('CAN_OPEN',), 'can not be opened')


def grabbable(stage: Stage, key: int) -> str:
    """It can be held, and is not held already."""
    if stage.nodes[key].class_name not in ('water', 'child'):
        reason = having(stage, key, ('GRABBABLE',), 'is not grabbable')
        if reason:
            return reason
    return _unless(key not in stage.grabbed_from, f'{stage.name(key)} already grabbed')


def takes_in(stage: Stage, key: int) -> str:
    """Things can be put into it now."""
    node = stage.nodes[key]
    return _unless(
        not node.has('CAN_OPEN') or node.is_open,
        f'{stage.name(key)} is not open or is not openable',
    )


def taken_from_somewhere(stage: Stage, key: int) -> str:
    """It is known where it was grabbed."""
    return _unless(key in stage.grabbed_from, f'{stage.name(key)} not grabbed')


def movable(stage: Stage, key: int, action: str) -> str:
    """It can be pushed, pulled and moved."""
    node = stage.nodes[key]
    # Anything can be pushed, and a button can be pushed, pulled and moved.
    if action == 'PUSH' or node.class_name in ('button', 'chair', 'curtain'):
        return ''
    return having(stage, key, ('MOVABLE',), 'is not movable')


def pours_into(stage: Stage, key: int) -> str:
    """Something can be poured into it."""
    if stage.nodes[key].class_name in ('hands_both', 'sponge', 'face'):
        return ''
    return having(stage, key, ('RECIPIENT',), 'is not recipient')


def typed_on(stage: Stage, key: int) -> str:
    """It can be typed on."""
    if stage.nodes[key].class_name == 'keyboard':
        return ''
    return having(stage, key, ('HAS_SWITCH',), 'does not have switch')


def squeezable(stage: Stage, key: int) -> str:
    """It can be squeezed."""
    if stage.nodes[key].class_name in _SQUEEZED:
        return ''
    return having(stage, key, ('CLOTHES',), 'can not be squeezed')


def eatable(stage: Stage, key: int) -> str:
    """It can be eaten, or something on it."""
    if stage.nodes[key].has('EATABLE'):
        return ''
    food = any(stage.nodes[one].has('EATABLE') for one in stage.starts(key, 'ON'))
    return _unless(food, f'{stage.name(key)} is not eatable')


def knife_held(stage: Stage) -> str:
    """The character holds a knife."""
    held = (stage.nodes[key].class_name for key in stage.held())
    return _unless(any('knife' in name for name in held), f'{_me(stage)} is not holding a knife')


def something_held(stage: Stage) -> str:
    """The character holds anything."""
    return _unless(bool(stage.held()), f'{_me(stage)} does not hold anything in hands')


def worn(stage: Stage, key: int) -> str:
    """The character wears it."""
    on = stage.has(key, 'ON', stage.me)
    return _unless(on, f'{stage.name(key)} is not on {_me(stage)}')


def _unless(holds: bool, reason: str) -> str:
    return '' if holds else reason


def _me(stage: Stage) -> str:
    return stage.name(stage.me)
