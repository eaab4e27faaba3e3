"""The actions of VirtualHome programs: how many objects each takes, its needs and its effects.

These are the 28 of Tree-Planner's statistics and the others of VirtualHome's own executor, whose
effects on states and edges they have: a thing that is grabbed loses all its places and all that
was on it, a thing put down keeps the edge to the room in which it was picked up or last carried,
and standing up leaves the edge to the seat.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sim_bridge.worlds.household.nodes import is_room
from sim_bridge.worlds.household.programs import conditions as need
from sim_bridge.worlds.household.programs.stage import HANDS
from sim_bridge.worlds.household.programs.stage import Stage

Check = Callable[[Stage, tuple[int, ...]], str]
Effect = Callable[[Stage, tuple[int, ...]], None]


@dataclass(frozen=True, slots=True)
class Action:
    """One action.

    :param objects: how many it takes.
    :param obstacle: the reason why it cannot be done, or ''.
    :param effect: does it.
    """

    objects: int
    obstacle: Check
    effect: Effect


def _nothing(stage: Stage, things: tuple[int, ...]) -> None:
    """Leaves no trace in the graph."""


# Moving


def _against_walk(stage: Stage, things: tuple[int, ...]) -> str:
    return need.first(need.standing(stage), need.in_a_room(stage, things[0]))


def _walk(stage: Stage, things: tuple[int, ...]) -> None:
    target, me = things[0], stage.me
    room, before = stage.room_of(target), stage.room_of(me)
    assert room is not None, 'checked before'
    stage.clear(me, ('INSIDE', 'CLOSE', 'FACING'))
    stage.add(me, 'INSIDE', room)
    if room != target:
        boxes = [one for one in stage.targets(target, 'INSIDE') if not is_room(stage.nodes[one])]
        body = [key for key, node in stage.nodes.items() if node.has('BODY_PART')]
        for key in (*boxes, *body, target):
            stage.add(me, 'CLOSE', key, both=True)
    for key in stage.held():
        stage.clear(key, ('INSIDE', 'CLOSE', 'FACING'))
        stage.add(me, 'CLOSE', key, both=True)
        # The reference lets what is carried lag behind by one walk.
        if before is not None:
            stage.add(key, 'INSIDE', before)
    if stage.nodes[target].has('CAN_OPEN'):
        for key in stage.starts(target, 'INSIDE'):
            stage.add(me, 'CLOSE', key, both=True)
    for key in stage.targets(target, 'ON'):
        stage.add(me, 'CLOSE', key, both=True)


def _against_find(stage: Stage, things: tuple[int, ...]) -> str:
    if _is_at_hand(stage, things[0]):
        return need.close(stage, things[0])
    return _against_walk(stage, things)


def _find(stage: Stage, things: tuple[int, ...]) -> None:
    target = things[0]
    if not _is_at_hand(stage, target):
        _walk(stage, things)
    stage.clear(stage.me, ('FACING',), both=False)
    stage.add(stage.me, 'CLOSE', target, both=True)


def _is_at_hand(stage: Stage, target: int) -> bool:
    """Whether finding a thing takes no walk: it is worn, part of the body, or close."""
    return (
        stage.has(target, 'ON', stage.me)
        or stage.nodes[target].has('BODY_PART')
        or stage.is_close(target)
    )


def _turn_to(stage: Stage, things: tuple[int, ...]) -> None:
    stage.clear(stage.me, ('FACING',), both=False)
    stage.add(stage.me, 'FACING', things[0])


def _sit(stage: Stage, things: tuple[int, ...]) -> None:
    stage.add(stage.me, 'ON', things[0])
    for faced in stage.targets(things[0], 'FACING'):
        stage.add(stage.me, 'FACING', faced)
    stage.swap(stage.me, 'LYING', 'SITTING')


def _lie(stage: Stage, things: tuple[int, ...]) -> None:
    stage.add(stage.me, 'ON', things[0])
    stage.swap(stage.me, 'SITTING', 'LYING')


def _stand_up(stage: Stage, things: tuple[int, ...]) -> None:
    stage.swap(stage.me, 'SITTING', '')
    stage.swap(stage.me, 'LYING', '')


def _against_rest(stage: Stage, target: int, lying: bool) -> str:
    state, name = ('LYING', 'LIEABLE') if lying else ('SITTING', 'SITTABLE')
    return need.first(
        need.close(stage, target),
        need.not_in_state(stage, stage.me, state, f'is {state.lower()}'),
        need.having(stage, target, (name,), f'is not {name.lower()}'),
        need.seat_left(stage, target, lying),
    )


# Things


def _against_grab(stage: Stage, things: tuple[int, ...]) -> str:
    return need.first(
        need.grabbable(stage, things[0]),
        need.close(stage, things[0]),
        need.reachable(stage, things[0]),
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


def _against_put_back(stage: Stage, things: tuple[int, ...]) -> str:
    reason = need.taken_from_somewhere(stage, things[0])
    return reason or _against_put(stage, things[0], *stage.grabbed_from[things[0]])


def _put_back(stage: Stage, things: tuple[int, ...]) -> None:
    _put(stage, things[0], *stage.grabbed_from[things[0]])


def _drop(stage: Stage, things: tuple[int, ...]) -> None:
    _let_go(stage, things[0])
    room = stage.room_of(stage.me)
    if room is not None:
        stage.add(things[0], 'INSIDE', room)


def _let_go(stage: Stage, thing: int) -> None:
    for hand in HANDS:
        stage.delete(stage.me, hand, thing)
    stage.grabbed_from.pop(thing, None)


def _put_on(stage: Stage, things: tuple[int, ...]) -> None:
    stage.add(things[0], 'ON', stage.me)
    for hand in HANDS:
        stage.delete(stage.me, hand, things[0])


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
        for hand in HANDS:
            stage.delete(stage.me, hand, things[0])


def _clean(stage: Stage, things: tuple[int, ...]) -> None:
    stage.swap(things[0], 'DIRTY', 'CLEAN')


def _against_watch(stage: Stage, things: tuple[int, ...]) -> str:
    return need.first(
        need.having(stage, things[0], ('LOOKABLE',), 'not lookable'),
        need.in_same_room(stage, things[0]),
        need.facing(stage, things[0]),
        need.reachable(stage, things[0]),
    )


def _against_cut(stage: Stage, things: tuple[int, ...]) -> str:
    return need.first(
        need.empty_hand(stage),
        need.close(stage, things[0]),
        need.having(stage, things[0], ('EATABLE',), 'is not eatable'),
        need.having(stage, things[0], ('CUTTABLE',), 'is not cuttable'),
        need.knife_held(stage),
    )


def _opening(old: str, new: str) -> Action:
    """OPEN and CLOSE; closing takes no free hand."""

    def obstacle(stage: Stage, things: tuple[int, ...]) -> str:
        return need.first(
            need.openable(stage, things[0]),
            need.close(stage, things[0]),
            need.empty_hand(stage) if new == 'OPEN' else '',
            need.in_state(stage, things[0], old),
            need.not_in_state(stage, things[0], 'ON', 'is still on') if new == 'OPEN' else '',
        )

    return Action(1, obstacle, lambda stage, things: stage.swap(things[0], old, new))


def _switching(old: str, new: str) -> Action:
    """SWITCHON and SWITCHOFF."""

    def obstacle(stage: Stage, things: tuple[int, ...]) -> str:
        plugged = need.not_in_state(stage, things[0], 'PLUGGED_OUT', 'is unplugged')
        return need.first(
            need.having(stage, things[0], ('HAS_SWITCH',), 'does not have a switch'),
            need.close(stage, things[0]),
            need.in_state(stage, things[0], old),
            plugged if new == 'ON' else '',
        )

    return Action(1, obstacle, lambda stage, things: stage.swap(things[0], old, new))


def _plugging(old: str, new: str) -> Action:
    """PLUGIN and PLUGOUT."""

    def obstacle(stage: Stage, things: tuple[int, ...]) -> str:
        return need.first(
            need.having(stage, things[0], ('HAS_PLUG',), 'does not have a plug'),
            need.close(stage, things[0]),
            need.empty_hand(stage),
            need.in_state(stage, things[0], old),
        )

    return Action(1, obstacle, lambda stage, things: stage.swap(things[0], old, new))


def _putting(relation: str) -> Action:
    """PUTBACK and PUTIN."""
    return Action(
        2,
        lambda stage, things: _against_put(stage, things[0], things[1], relation),
        lambda stage, things: _put(stage, things[0], things[1], relation),
    )


def _moving(action: str) -> Action:
    """PUSH, PULL and MOVE."""
    return _acting(
        lambda stage, thing: need.first(
            need.movable(stage, thing, action),
            need.close(stage, thing),
            need.reachable(stage, thing),
            need.empty_hand(stage),
        )
    )


def _acting(reason: Callable[[Stage, int], str], effect: Effect = _nothing) -> Action:
    """An action with one object."""
    return Action(1, lambda stage, things: reason(stage, things[0]), effect)


def _using(names: tuple[str, ...], lack: str) -> Action:
    """Something done with a held thing of some kind."""
    return _acting(
        lambda stage, thing: need.first(
            need.having(stage, thing, names, lack), need.holding(stage, thing)
        )
    )


_WALK = Action(1, _against_walk, _walk)
_DROP = _acting(need.holding, _drop)
_LOOK = _acting(need.facing)
_WASH = _acting(need.close, _clean)
_REST = Action(0, lambda stage, things: need.resting(stage), _nothing)

ACTIONS: dict[str, Action] = {
    'WALK': _WALK,
    'RUN': _WALK,
    'FIND': Action(1, _against_find, _find),
    'TURNTO': _acting(lambda stage, thing: '', _turn_to),
    'LOOKAT': _LOOK,
    'LOOKAT_SHORT': _LOOK,
    'LOOKAT_MEDIUM': _LOOK,
    'LOOKAT_LONG': _LOOK,
    'POINTAT': _LOOK,
    'WATCH': Action(1, _against_watch, _nothing),
    'SIT': _acting(lambda stage, thing: _against_rest(stage, thing, lying=False), _sit),
    'LIE': _acting(lambda stage, thing: _against_rest(stage, thing, lying=True), _lie),
    'STANDUP': Action(0, lambda stage, things: need.resting(stage), _stand_up),
    'SLEEP': _REST,
    'WAKEUP': _REST,
    'GRAB': Action(1, _against_grab, _grab),
    'PUTBACK': _putting('ON'),
    'PUTIN': _putting('INSIDE'),
    'PUTOBJBACK': Action(1, _against_put_back, _put_back),
    'DROP': _DROP,
    'RELEASE': _DROP,
    'OPEN': _opening('CLOSED', 'OPEN'),
    'CLOSE': _opening('OPEN', 'CLOSED'),
    'SWITCHON': _switching('OFF', 'ON'),
    'SWITCHOFF': _switching('ON', 'OFF'),
    'PLUGIN': _plugging('PLUGGED_OUT', 'PLUGGED_IN'),
    'PLUGOUT': _plugging('PLUGGED_IN', 'PLUGGED_OUT'),
    'PUTON': _acting(
        lambda stage, thing: need.first(
            need.holding(stage, thing), need.having(stage, thing, ('CLOTHES',), 'is not clothes')
        ),
        _put_on,
    ),
    'PUTOFF': _acting(
        lambda stage, thing: need.first(
            need.worn(stage, thing), need.having(stage, thing, ('CLOTHES',), 'is not clothes')
        ),
        lambda stage, things: stage.delete(things[0], 'ON', stage.me),
    ),
    'WIPE': _acting(
        lambda stage, thing: need.first(need.close(stage, thing), need.something_held(stage)),
        _clean,
    ),
    'WASH': _WASH,
    'RINSE': _WASH,
    'SCRUB': _WASH,
    'POUR': Action(2, _against_pour, _pour),
    'DRINK': _using(('DRINKABLE', 'RECIPIENT'), 'is not drinkable or not recipient'),
    'READ': _using(('READABLE',), 'is not readable'),
    'EAT': _acting(
        lambda stage, thing: need.first(need.close(stage, thing), need.eatable(stage, thing))
    ),
    'CUT': Action(1, _against_cut, _nothing),
    'TYPE': _acting(
        lambda stage, thing: need.first(need.close(stage, thing), need.typed_on(stage, thing))
    ),
    'TOUCH': _acting(
        lambda stage, thing: need.first(need.close(stage, thing), need.reachable(stage, thing))
    ),
    'SQUEEZE': _acting(
        lambda stage, thing: need.first(
            need.empty_hand(stage), need.close(stage, thing), need.squeezable(stage, thing)
        )
    ),
    'PUSH': _moving('PUSH'),
    'PULL': _moving('PULL'),
    'MOVE': _moving('MOVE'),
    'GREET': _acting(lambda stage, thing: need.having(stage, thing, ('PERSON',), 'is not person')),
}
