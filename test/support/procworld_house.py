"""The house of ProcWorld's published rollouts, as far as they show it."""

from __future__ import annotations

from sim_bridge.worlds.procworld.house import Door, House, Location, Room, Thing

_LOCATIONS = {
    'livingroom 1': {
        1: (2.5, 2.5), 2: (3.5, 2.5), 6: (3.5, 1.0), 20: (1.0, 2.5), 25: (2.0, 1.25),
    },
    'bedroom 1': {
        3: (3.5, 5.25), 4: (3.5, 6.75), 5: (3.5, 8.25), 8: (4.75, 5.5), 9: (5.0, 8.25),
        12: (6.0, 5.25), 14: (7.0, 7.0), 15: (7.5, 5.25), 17: (8.25, 6.25), 18: (8.75, 4.5),
        24: (2.0, 8.25), 26: (2.25, 4.5),
    },
    'kitchen 1': {7: (4.25, 3.25), 11: (5.5, 2.5)},
    # Beyond door 1, through which nobody went.
    'bathroom 1': {30: (1.5, 10.0)},
}  # fmt: skip
_FURNITURE = {
    'dresser 1': ('bedroom 1', (3.5, 9.5), ('drawer 1', 'drawer 2', 'drawer 3')),
    'diningtable 1': (
        'bedroom 1', (5.25, 6.75), ('chair 1', 'chair 2', 'chair 3', 'chair 4', 'chair 5'),
    ),
    'sidetable 1': ('bedroom 1', (6.0, 4.0), ()),
    'bed 1': ('bedroom 1', (9.0, 7.0), ()),
    'cart 1': ('livingroom 1', (2.5, 1.0), ()),
    'shelvingunit 1': (
        'livingroom 1', (2.0, 3.75), ('shelf 1', 'shelf 2', 'shelf 3', 'drawer 8', 'drawer 9'),
    ),
}  # fmt: skip
_LOOSE = {
    'box 1': ('bedroom 1', (2.25, 5.0)),
    'houseplant 1': ('bedroom 1', (8.0, 4.0)),
    'houseplant 2': ('kitchen 1', (4.75, 3.5)),
    'television 1': ('kitchen 1', (5.0, 3.75)),
}
_OBJECTS = {
    'box 1': ('pencil 1',),
    'dresser 1': ('cellphone 1', 'remotecontrol 1', 'statue 2', 'watch 1'),
    'diningtable 1': (
        'basketball 1', 'book 1', 'mug 1', 'pen 1', 'pencil 2', 'statue 1', 'tennisracket 1',
        'vase 1',
    ),
    'chair 3': ('alarmclock 1', 'creditcard 1'),
    'sidetable 1': ('bowl 1', 'pencil 3', 'remotecontrol 2'),
    'bed 1': ('box 2', 'pillow 1', 'teddybear 1'),
    'shelf 3': ('vase 2',),
}  # fmt: skip
_POLYGONS = {
    'livingroom 1': ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)),
    'bedroom 1': ((1.0, 4.0), (9.75, 4.0), (9.75, 9.75), (1.0, 9.75)),
    'kitchen 1': ((4.0, 0.0), (8.0, 0.0), (8.0, 4.0), (4.0, 4.0)),
    'bathroom 1': ((0.0, 9.75), (3.0, 9.75), (3.0, 11.75), (0.0, 11.75)),
}


def _thing(name: str, room: str, container: str = '', **more: object) -> Thing:
    kind = name.rpartition(' ')[0]
    return Thing(name, kind, room, container=container, **more)  # type: ignore[arg-type]


def rollout_house(*more: Thing, **changes: object) -> House:
    """The house. :param more: things that are in it too."""
    things = []
    for name, (room, at, parts) in _FURNITURE.items():
        things.append(_thing(name, room, at=at, fixed=True))
        for part in parts:
            closed = False if part.startswith('drawer') else None
            things.append(_thing(part, room, name, fixed=True, open=closed))
    things += [_thing(name, room, at=at) for name, (room, at) in _LOOSE.items()]
    rooms = {one.name: one.room for one in (*things, *more)}
    things += [
        _thing(name, rooms[holder], holder) for holder, names in _OBJECTS.items() for name in names
    ]
    locations = sorted(
        (number, at, room) for room, found in _LOCATIONS.items() for number, at in found.items()
    )
    told: dict[str, object] = {
        'seed': 0,
        'rooms': tuple(Room(name, polygon) for name, polygon in _POLYGONS.items()),
        'doors': (
            Door('door 1', (1.75, 9.0), ('bedroom 1', 'bathroom 1')),
            Door('door 2', (3.5, 4.0), ('livingroom 1', 'bedroom 1')),
            Door('door 3', (4.0, 2.5), ('livingroom 1', 'kitchen 1')),
        ),
        'things': (*things, *more),
        'locations': tuple(Location(f'loc {number}', at, room) for number, at, room in locations),
        'start': 'loc 26',
    }
    return House(**{**told, **changes})  # type: ignore[arg-type]
