"""What is seen of a home, and the texts that tell it (Tree-Planner's partial observation).

Seen are the rooms, what is held, and what is in the robot's room unless it lies right in something
closed. The published lines name classes without ids, so that things of one class fall together;
their order there is a set's, here it is sorted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sim_bridge.worlds.household.nodes import is_floor, is_room
from sim_bridge.worlds.household.programs.stage import Stage

_RELATIONS = {'CLOSE': 'close to', 'BETWEEN': 'between'}
#: What a home is built of: no one looks for it, and hardly a skill is about it.
_BUILDING = frozenset({'Walls', 'Ceiling', 'Doors'})


def visible(home: Stage) -> frozenset[int]:
    """Ids of all that is seen, the character included."""
    room = home.room_of(home.me)
    held = set(home.held())
    return frozenset(
        key
        for key, node in home.nodes.items()
        if is_room(node) or key in held or (home.room_of(key) == room and not home.is_shut_in(key))
    )


def is_furnishing(home: Stage, key: int) -> bool:
    """Whether a node is a thing or piece of furniture, and no room, wall or character."""
    node = home.nodes[key]
    building = node.category in _BUILDING or is_floor(node) or node.class_name == 'doorjamb'
    return key != home.me and not is_room(node) and not building


def posture(home: Stage) -> str:
    """The first line: how and where the robot is, and what it holds."""
    states = home.nodes[home.me].states
    seats = [home.nodes[key].class_name for key in home.targets(home.me, 'ON')]
    how = 'standing'
    for state, verb in (('LYING', 'lying'), ('SITTING', 'sitting')):
        if state in states:
            how = f'{verb} on {seats[0]}' if seats else verb
    room = home.room_of(home.me)
    where = home.nodes[room].class_name if room is not None else 'house'
    right, left = (
        ' and '.join(home.nodes[key].class_name for key in home.targets(home.me, hand))
        or 'nothing'
        for hand in ('HOLDS_RH', 'HOLDS_LH')
    )
    return (
        f'Currently, you are {how} in the {where}, and holding {right} in your right hand and '
        f'{left} in your left hand.'
    )


def deciding_text(home: Stage, about: Collection[int], with_rooms: bool = True) -> str:
    """The published observation that a planner decides from.

    :param about: ids of the things whose states and edges are given: those that options name.
    :param with_rooms: whether it ends with what is in each room.
    """
    seen = visible(home)
    lines = [posture(home)]
    listed = sorted(key for key in seen if key in set(about))
    lines += _states(home, listed)
    lines += _edges(home, listed, seen)
    rooms = (key for key, node in home.nodes.items() if with_rooms and is_room(node))
    for room in sorted(rooms):
        inside = sorted(
            {home.nodes[key].class_name for key in home.starts(room, 'INSIDE') if key in seen}
        )
        if inside:
            lines.append(f'{",".join(inside)} is inside {home.nodes[room].class_name}')
    return '\n'.join(dict.fromkeys(lines))


def _states(home: Stage, listed: Collection[int]) -> Iterator[str]:
    lines = {
        f'{home.nodes[key].class_name} is {",".join(map(str.lower, home.nodes[key].states))}'
        for key in listed
        if home.nodes[key].states
    }
    yield from sorted(lines)


def _edges(home: Stage, listed: Collection[int], seen: Collection[int]) -> Iterator[str]:
    lines = set()
    for start, relation, end in home.edges():
        if start in seen and end in seen and (start in listed or end in listed):
            # What is in a room stands in that room's line.
            if not is_room(home.nodes[end]):
                said = _RELATIONS.get(relation, relation.lower())
                names = home.nodes[start].class_name, home.nodes[end].class_name
                lines.add(f'{names[0]} is {said} {names[1]}')
    yield from sorted(lines)
