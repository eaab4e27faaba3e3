"""Actions of the body and the eyes: walking, turning, looking, sitting, lying.

Standing up leaves the edge to the seat, as VirtualHome's own executor does.
"""

from __future__ import annotations

from sim_bridge.worlds.household.nodes import is_room
from sim_bridge.worlds.household.programs import conditions as need
from sim_bridge.worlds.household.programs.actions.action import acting
from sim_bridge.worlds.household.programs.actions.action import Action
from sim_bridge.worlds.household.programs.actions.action import nothing
from sim_bridge.worlds.household.programs.stage import Stage


def _against_walk(stage: Stage, target: int) -> str:
    return need.first(need.standing(stage), need.in_a_room(stage, target))


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


def _against_find(stage: Stage, target: int) -> str:
    if _is_at_hand(stage, target):
        return need.close(stage, target)
    return _against_walk(stage, target)


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


def _against_watch(stage: Stage, target: int) -> str:
    return need.first(
        need.having(stage, target, ('LOOKABLE',), 'not lookable'),
        need.in_same_room(stage, target),
        need.facing(stage, target),
        need.reachable(stage, target),
    )


def _against_rest(stage: Stage, target: int, lying: bool) -> str:
    state, name = ('LYING', 'LIEABLE') if lying else ('SITTING', 'SITTABLE')
    return need.first(
        need.close(stage, target),
        need.not_in_state(stage, stage.me, state, f'is {state.lower()}'),
        need.having(stage, target, (name,), f'is not {name.lower()}'),
        need.seat_left(stage, target, lying),
    )


def _sit(stage: Stage, things: tuple[int, ...]) -> None:
    stage.add(stage.me, 'ON', things[0])
    for faced in stage.targets(things[0], 'FACING'):
        stage.add(stage.me, 'FACING', faced)
    stage.swap(stage.me, 'LYING', 'SITTING')


def _lie(stage: Stage, things: tuple[int, ...]) -> None:
    stage.add(stage.me, 'ON', things[0])
    stage.swap(stage.me, 'SITTING', 'LYING')


def _against_rising(stage: Stage, things: tuple[int, ...]) -> str:
    return need.resting(stage)


def _stand_up(stage: Stage, things: tuple[int, ...]) -> None:
    stage.swap(stage.me, 'SITTING', '')
    stage.swap(stage.me, 'LYING', '')


_WALK = acting(_against_walk, _walk)
_LOOK = acting(need.facing)
_REST = Action(0, _against_rising, nothing)

MOVING: dict[str, Action] = {
    'WALK': _WALK,
    'RUN': _WALK,
    'FIND': acting(_against_find, _find),
    'TURNTO': acting(lambda stage, thing: '', _turn_to),
    'LOOKAT': _LOOK,
    'LOOKAT_SHORT': _LOOK,
    'LOOKAT_MEDIUM': _LOOK,
    'LOOKAT_LONG': _LOOK,
    'POINTAT': _LOOK,
    'WATCH': acting(_against_watch),
    'GREET': acting(lambda stage, thing: need.having(stage, thing, ('PERSON',), 'is not person')),
    'SIT': acting(lambda stage, thing: _against_rest(stage, thing, lying=False), _sit),
    'LIE': acting(lambda stage, thing: _against_rest(stage, thing, lying=True), _lie),
    'STANDUP': Action(0, _against_rising, _stand_up),
    'SLEEP': _REST,
    'WAKEUP': _REST,
}
