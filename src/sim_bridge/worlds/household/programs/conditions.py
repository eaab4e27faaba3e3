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


def close(home: Stage, key: int) -> str:
    """The character is close."""
    return '' if home.is_close(key) else f'{_me(home)} is not close to {home.name(key)}'


def holding(home: Stage, key: int) -> str:
    """The character holds it."""
    return '' if key in home.held() else f'{_me(home)} is not holding {home.name(key)}'


def empty_hand(home: Stage) -> str:
    """A hand is free."""
    free = home.free_hand() is not None
    return '' if free else f'{_me(home)} does not have a free hand'


def reachable(home: Stage, key: int) -> str:
    """It is not shut in."""
    return f'{home.name(key)} is inside other closed thing' if home.is_shut_in(key) else ''


def facing(home: Stage, key: int) -> str:
    """The character faces it."""
    return '' if home.is_faced(key) else f'{_me(home)} does not face {home.name(key)}'


def having(home: Stage, key: int, names: tuple[str, ...], lack: str) -> str:
    """It has one of some properties.

    :param lack: what is said when it has none, e.g. 'is not grabbable'.
    """
    node = home.nodes[key]
    return '' if any(node.has(name) for name in names) else f'{home.name(key)} {lack}'


def in_state(home: Stage, key: int, state: str) -> str:
    """It is in a state."""
    inside = state in home.nodes[key].states
    return '' if inside else f'{home.name(key)} is not {state.lower().replace("_", " ")}'


def not_in_state(home: Stage, key: int, state: str, said: str) -> str:
    """It is not in a state.

    :param said: e.g. 'is sitting'.
    """
    return '' if state not in home.nodes[key].states else f'{home.name(key)} {said}'


def standing(home: Stage) -> str:
    """The character neither sits nor lies."""
    states = home.nodes[home.me].states
    return '' if 'SITTING' not in states and 'LYING' not in states else f'{_me(home)} is sitting'


def resting(home: Stage) -> str:
    """The character sits or lies."""
    states = home.nodes[home.me].states
    return (
        '' if 'SITTING' in states or 'LYING' in states else f'{_me(home)} is not lying or sitting'
    )


def in_a_room(home: Stage, key: int) -> str:
    """It is known where it is."""
    return '' if home.room_of(key) is not None else f'{home.name(key)} is in no room'


def in_same_room(home: Stage, key: int) -> str:
    """It is where the character is."""
    same = home.room_of(key) == home.room_of(home.me)
    return '' if same else f'{home.name(key)} is not in the room of {_me(home)}'


def seat_left(home: Stage, key: int, lying: bool) -> str:
    """It is not taken up by as many things as there is room for."""
    room = (_BEDS if lying else _SEATS).get(home.nodes[key].class_name, 1)
    return '' if len(home.starts(key, 'ON')) < room else f'Too many things on {home.name(key)}'


def openable(home: Stage, key: int) -> str:
    """It has a door."""
    if home.nodes[key].class_name in ('desk', 'window'):
        return ''
    return having(home, key, ('CAN_OPEN',), 'can not be opened')


def grabbable(home: Stage, key: int) -> str:
    """It can be held, and is not held already."""
    if home.nodes[key].class_name not in ('water', 'child'):
        reason = having(home, key, ('GRABBABLE',), 'is not grabbable')
        if reason:
            return reason
    return '' if key not in home.grabbed_from else f'{home.name(key)} already grabbed'


def takes_in(home: Stage, key: int) -> str:
    """Things can be put into it now."""
    node = home.nodes[key]
    return (
        ''
        if not node.has('CAN_OPEN') or node.is_open
        else f'{home.name(key)} is not open or is not openable'
    )


def taken_from_somewhere(home: Stage, key: int) -> str:
    """It is known where it was grabbed."""
    return '' if key in home.grabbed_from else f'{home.name(key)} not grabbed'


def movable(home: Stage, key: int, action: str) -> str:
    """It can be pushed, pulled and moved."""
    node = home.nodes[key]
    # Anything can be pushed, and a button can be pushed, pulled and moved.
    if action == 'PUSH' or node.class_name in ('button', 'chair', 'curtain'):
        return ''
    return having(home, key, ('MOVABLE',), 'is not movable')


def pours_into(home: Stage, key: int) -> str:
    """Something can be poured into it."""
    if home.nodes[key].class_name in ('hands_both', 'sponge', 'face'):
        return ''
    return having(home, key, ('RECIPIENT',), 'is not recipient')


def typed_on(home: Stage, key: int) -> str:
    """It can be typed on."""
    if home.nodes[key].class_name == 'keyboard':
        return ''
    return having(home, key, ('HAS_SWITCH',), 'does not have switch')


def squeezable(home: Stage, key: int) -> str:
    """It can be squeezed."""
    if home.nodes[key].class_name in _SQUEEZED:
        return ''
    return having(home, key, ('CLOTHES',), 'can not be squeezed')


def eatable(home: Stage, key: int) -> str:
    """It can be eaten, or something on it."""
    if home.nodes[key].has('EATABLE'):
        return ''
    food = any(home.nodes[one].has('EATABLE') for one in home.starts(key, 'ON'))
    return '' if food else f'{home.name(key)} is not eatable'


def knife_held(home: Stage) -> str:
    """The character holds a knife."""
    held = (home.nodes[key].class_name for key in home.held())
    return '' if any('knife' in name for name in held) else f'{_me(home)} is not holding a knife'


def something_held(home: Stage) -> str:
    """The character holds anything."""
    return '' if home.held() else f'{_me(home)} does not hold anything in hands'


def worn(home: Stage, key: int) -> str:
    """The character wears it."""
    on = home.has(key, 'ON', home.me)
    return '' if on else f'{home.name(key)} is not on {_me(home)}'


def _me(home: Stage) -> str:
    return home.name(home.me)
