"""Actions that change where things are: taking, putting, pouring, putting on clothes.

As with VirtualHome's own executor, a thing that is grabbed loses all its places and all that was
on it, and a thing put down keeps the edge to the room in which it was picked up or last carried.
"""

from __future__ import annotations

from sim_bridge.worlds.household.nodes import is_room
from sim_bridge.worlds.household.programs import conditions as need
from sim_bridge.worlds.household.programs.actions.action import acting, Action
from sim_bridge.worlds.household.programs.stage import HANDS, Stage


def _check_grab(home: Stage, thing: int) -> str:
    return (
        need.grabbable(home, thing)
        or need.close(home, thing)
        or need.reachable(home, thing)
        or need.empty_hand(home)
    )


def _grab(home: Stage, things: tuple[int, ...]) -> None:
    thing, me = things[0], home.me
    hand, room = home.free_hand(), home.room_of(me)
    assert hand is not None, 'checked before'
    origin = next(
        (
            (place, relation)
            for relation in ('ON', 'INSIDE', 'CLOSE')
            for place in home.targets(thing, relation)
            if not is_room(home.nodes[place])
        ),
        None,
    )
    home.clear(thing, ('ON', 'INSIDE', 'CLOSE', *HANDS))
    home.add(me, 'CLOSE', thing, both=True)
    home.add(me, hand, thing)
    if room is not None:
        home.add(thing, 'INSIDE', room)
    if origin is not None:
        home.add(me, 'CLOSE', origin[0], both=True)
        home.grabbed_from[thing] = origin


def _check_put(home: Stage, thing: int, place: int, relation: str) -> str:
    return (
        need.holding(home, thing)
        or need.close(home, place)
        or (need.takes_in(home, place) if relation == 'INSIDE' else '')
    )


def _put(home: Stage, thing: int, place: int, relation: str) -> None:
    _let_go(home, thing)
    home.add(home.me, 'CLOSE', place, both=True)
    home.add(thing, 'CLOSE', place, both=True)
    home.add(thing, relation, place)


def _putting(relation: str) -> Action:
    """PUTBACK and PUTIN."""
    return Action(
        2,
        lambda home, things: _check_put(home, things[0], things[1], relation),
        lambda home, things: _put(home, things[0], things[1], relation),
    )


def _check_put_back(home: Stage, thing: int) -> str:
    reason = need.taken_from_somewhere(home, thing)
    return reason or _check_put(home, thing, *home.grabbed_from[thing])


def _put_back(home: Stage, things: tuple[int, ...]) -> None:
    _put(home, things[0], *home.grabbed_from[things[0]])


def _drop(home: Stage, things: tuple[int, ...]) -> None:
    _let_go(home, things[0])
    room = home.room_of(home.me)
    if room is not None:
        home.add(things[0], 'INSIDE', room)


def _let_go(home: Stage, thing: int) -> None:
    _leave_hands(home, thing)
    home.grabbed_from.pop(thing, None)


def _leave_hands(home: Stage, thing: int) -> None:
    for hand in HANDS:
        home.delete(home.me, hand, thing)


def _check_pour(home: Stage, things: tuple[int, ...]) -> str:
    return (
        need.having(home, things[0], ('POURABLE', 'DRINKABLE'), 'is not pourable or drinkable')
        or need.pours_into(home, things[1])
        or need.holding(home, things[0])
        or need.close(home, things[1])
    )


def _pour(home: Stage, things: tuple[int, ...]) -> None:
    home.add(things[0], 'INSIDE', things[1])
    if home.nodes[things[0]].class_name == 'water':
        _leave_hands(home, things[0])


def _check_put_on(home: Stage, thing: int) -> str:
    return need.holding(home, thing) or _clothes(home, thing)


def _put_on(home: Stage, things: tuple[int, ...]) -> None:
    home.add(things[0], 'ON', home.me)
    _leave_hands(home, things[0])


def _check_put_off(home: Stage, thing: int) -> str:
    return need.worn(home, thing) or _clothes(home, thing)


def _put_off(home: Stage, things: tuple[int, ...]) -> None:
    home.delete(things[0], 'ON', home.me)


def _clothes(home: Stage, thing: int) -> str:
    return need.having(home, thing, ('CLOTHES',), 'is not clothes')


_DROP = acting(need.holding, _drop)

CARRYING: dict[str, Action] = {
    'GRAB': acting(_check_grab, _grab),
    'PUTBACK': _putting('ON'),
    'PUTIN': _putting('INSIDE'),
    'PUTOBJBACK': acting(_check_put_back, _put_back),
    'DROP': _DROP,
    'RELEASE': _DROP,
    'POUR': Action(2, _check_pour, _pour),
    'PUTON': acting(_check_put_on, _put_on),
    'PUTOFF': acting(_check_put_off, _put_off),
}
