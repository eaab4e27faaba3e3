"""Actions that change where things are: taking, putting, pouring, putting on clothes.

As with VirtualHome's own executor, a thing that is grabbed loses all its places and all that was
on it, and a thing put down keeps the edge to the room in which it was picked up or last carried.
"""

from __future__ import annotations

from sim_bridge.worlds.household.nodes import is_room
from sim_bridge.worlds.household.programs import conditions as need
from sim_bridge.worlds.household.programs.actions.action import acting
from sim_bridge.worlds.household.programs.actions.action import Action
from sim_bridge.worlds.household.programs.stage import HANDS
from sim_bridge.worlds.household.programs.stage import Stage


def _against_grab(stage: Stage, thing: int) -> str:
    return need.first(
        need.grabbable(stage, thing),
        need.close(stage, thing),
        need.reachable(stage, thing),
        need.empty_hand(stage),
    )


def _grab(stage: Stage, things: tuple[int, ...]) -> None:
    thing, me = things[0], stage.me
    hand, room = stage.free_hand(), stage.room_of(me)
    assert hand is not None, 'checked before'
    origin = next(
        (
            (place, relation)
            for relation in ('ON', 'INSIDE', 'CLOSE')
            for place in stage.targets(thing, relation)
            if not is_room(stage.nodes[place])
        ),
        None,
    )
    stage.clear(thing, ('ON', 'INSIDE', 'CLOSE', *HANDS))
    stage.add(me, 'CLOSE', thing, both=True)
    stage.add(me, hand, thing)
    if room is not None:
        stage.add(thing, 'INSIDE', room)
    if origin is not None:
        stage.add(me, 'CLOSE', origin[0], both=True)
        stage.grabbed_from[thing] = origin


def _against_put(stage: Stage, thing: int, place: int, relation: str) -> str:
    return need.first(
        need.holding(stage, thing),
        need.close(stage, place),
        need.takes_in(stage, place) if relation == 'INSIDE' else '',
    )


def _put(stage: Stage, thing: int, place: int, relation: str) -> None:
    _let_go(stage, thing)
    stage.add(stage.me, 'CLOSE', place, both=True)
    stage.add(thing, 'CLOSE', place, both=True)
    stage.add(thing, relation, place)


def _putting(relation: str) -> Action:
    """PUTBACK and PUTIN."""
    return Action(
        2,
        lambda stage, things: _against_put(stage, things[0], things[1], relation),
        lambda stage, things: _put(stage, things[0], things[1], relation),
    )


def _against_put_back(stage: Stage, thing: int) -> str:
    reason = need.taken_from_somewhere(stage, thing)
    return reason or _against_put(stage, thing, *stage.grabbed_from[thing])


def _put_back(stage: Stage, things: tuple[int, ...]) -> None:
    _put(stage, things[0], *stage.grabbed_from[things[0]])


def _drop(stage: Stage, things: tuple[int, ...]) -> None:
    _let_go(stage, things[0])
    room = stage.room_of(stage.me)
    if room is not None:
        stage.add(things[0], 'INSIDE', room)


def _let_go(stage: Stage, thing: int) -> None:
    _leave_hands(stage, thing)
    stage.grabbed_from.pop(thing, None)


def _leave_hands(stage: Stage, thing: int) -> None:
    for hand in HANDS:
        stage.delete(stage.me, hand, thing)


def _against_pour(stage: Stage, things: tuple[int, ...]) -> str:
    return need.first(
        need.having(stage, things[0], ('POURABLE', 'DRINKABLE'), 'is not pourable or drinkable'),
        need.pours_into(stage, things[1]),
        need.holding(stage, things[0]),
        need.close(stage, things[1]),
    )


def _pour(stage: Stage, things: tuple[int, ...]) -> None:
    stage.add(things[0], 'INSIDE', things[1])
    if stage.nodes[things[0]].class_name == 'water':
        _leave_hands(stage, things[0])


def _against_put_on(stage: Stage, thing: int) -> str:
    return need.first(need.holding(stage, thing), _clothes(stage, thing))


def _put_on(stage: Stage, things: tuple[int, ...]) -> None:
    stage.add(things[0], 'ON', stage.me)
    _leave_hands(stage, things[0])


def _against_put_off(stage: Stage, thing: int) -> str:
    return need.first(need.worn(stage, thing), _clothes(stage, thing))


def _put_off(stage: Stage, things: tuple[int, ...]) -> None:
    stage.delete(things[0], 'ON', stage.me)


def _clothes(stage: Stage, thing: int) -> str:
    return need.having(stage, thing, ('CLOTHES',), 'is not clothes')


_DROP = acting(need.holding, _drop)

CARRYING: dict[str, Action] = {
    'GRAB': acting(_against_grab, _grab),
    'PUTBACK': _putting('ON'),
    'PUTIN': _putting('INSIDE'),
    'PUTOBJBACK': acting(_against_put_back, _put_back),
    'DROP': _DROP,
    'RELEASE': _DROP,
    'POUR': Action(2, _against_pour, _pour),
    'PUTON': acting(_against_put_on, _put_on),
    'PUTOFF': acting(_against_put_off, _put_off),
}
