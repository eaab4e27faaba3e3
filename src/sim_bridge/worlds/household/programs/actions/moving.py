"""Actions of the body and the eyes: walking, turning, looking, sitting, lying.

Standing up leaves the edge to the seat, as VirtualHome's own executor does.
"""

from __future__ import annotations

from sim_bridge.worlds.household.nodes import is_room
from sim_bridge.worlds.household.programs import conditions as need
from sim_bridge.worlds.household.programs.actions.action import acting, Action, nothing
from sim_bridge.worlds.household.programs.stage import Stage


def _check_walk(home: Stage, target: int) -> str:
    return need.standing(home) or need.in_a_room(home, target)


def _walk(home: Stage, things: tuple[int, ...]) -> None:
    target, me = things[0], home.me
    room, before = home.room_of(target), home.room_of(me)
    assert room is not None, 'checked before'
    home.clear(me, ('INSIDE', 'CLOSE', 'FACING'))
    home.add(me, 'INSIDE', room)
    if room != target:
        boxes = [one for one in home.targets(target, 'INSIDE') if not is_room(home.nodes[one])]
        body = [key for key, node in home.nodes.items() if node.has('BODY_PART')]
        for key in (*boxes, *body, target):
            home.add(me, 'CLOSE', key, both=True)
    for key in home.held():
        home.clear(key, ('INSIDE', 'CLOSE', 'FACING'))
        home.add(me, 'CLOSE', key, both=True)
        # The reference lets what is carried lag behind by one walk.
        if before is not None:
            home.add(key, 'INSIDE', before)
    if home.nodes[target].has('CAN_OPEN'):
        for key in home.starts(target, 'INSIDE'):
            home.add(me, 'CLOSE', key, both=True)
    for key in home.targets(target, 'ON'):
        home.add(me, 'CLOSE', key, both=True)


def _check_find(home: Stage, target: int) -> str:
    if _is_at_hand(home, target):
        return need.close(home, target)
    return _check_walk(home, target)


def _find(home: Stage, things: tuple[int, ...]) -> None:
    target = things[0]
    if not _is_at_hand(home, target):
        _walk(home, things)
    home.clear(home.me, ('FACING',), both=False)
    home.add(home.me, 'CLOSE', target, both=True)


def _is_at_hand(home: Stage, target: int) -> bool:
    """Whether finding a thing takes no walk: it is worn, part of the body, or close."""
    return (
        home.has(target, 'ON', home.me)
        or home.nodes[target].has('BODY_PART')
        or home.is_close(target)
    )


def _turn_to(home: Stage, things: tuple[int, ...]) -> None:
    home.clear(home.me, ('FACING',), both=False)
    home.add(home.me, 'FACING', things[0])


def _check_watch(home: Stage, target: int) -> str:
    return (
        need.having(home, target, ('LOOKABLE',), 'not lookable')
        or need.in_same_room(home, target)
        or need.facing(home, target)
        or need.reachable(home, target)
    )


def _check_rest(home: Stage, target: int, lying: bool) -> str:
    state, name = ('LYING', 'LIEABLE') if lying else ('SITTING', 'SITTABLE')
    return (
        need.close(home, target)
        or need.not_in_state(home, home.me, state, f'is {state.lower()}')
        or need.having(home, target, (name,), f'is not {name.lower()}')
        or need.seat_left(home, target, lying)
    )


def _sit(home: Stage, things: tuple[int, ...]) -> None:
    home.add(home.me, 'ON', things[0])
    for faced in home.targets(things[0], 'FACING'):
        home.add(home.me, 'FACING', faced)
    home.swap(home.me, 'LYING', 'SITTING')


def _lie(home: Stage, things: tuple[int, ...]) -> None:
    home.add(home.me, 'ON', things[0])
    home.swap(home.me, 'SITTING', 'LYING')


def _check_rising(home: Stage, things: tuple[int, ...]) -> str:
    return need.resting(home)


def _stand_up(home: Stage, things: tuple[int, ...]) -> None:
    home.swap(home.me, 'SITTING', '')
    home.swap(home.me, 'LYING', '')


_WALK = acting(_check_walk, _walk)
_LOOK = acting(need.facing)
_REST = Action(0, _check_rising, nothing)

MOVING: dict[str, Action] = {
    'WALK': _WALK,
    'RUN': _WALK,
    'FIND': acting(_check_find, _find),
    'TURNTO': acting(lambda home, thing: '', _turn_to),
    'LOOKAT': _LOOK,
    'LOOKAT_SHORT': _LOOK,
    'LOOKAT_MEDIUM': _LOOK,
    'LOOKAT_LONG': _LOOK,
    'POINTAT': _LOOK,
    'WATCH': acting(_check_watch),
    'GREET': acting(lambda home, thing: need.having(home, thing, ('PERSON',), 'is not person')),
    'SIT': acting(lambda home, thing: _check_rest(home, thing, lying=False), _sit),
    'LIE': acting(lambda home, thing: _check_rest(home, thing, lying=True), _lie),
    'STANDUP': Action(0, _check_rising, _stand_up),
    'SLEEP': _REST,
    'WAKEUP': _REST,
}
