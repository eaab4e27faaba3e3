"""Common sense about homes: where one looks for things, and in which room furniture stands."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence

from reactree_core.observation import ObjectFact
from sim_bridge.worlds.household.roles import known_classes

#: Nobody looks for things to bring here, or nothing can be put there.
_POINTLESS = frozenset(
    {'chair', 'toilet', 'garbage can', 'toaster', 'sink', 'towel rack', 'printer', 'coffee maker'}
)
#: Looked at last.
_UNLIKELY = frozenset({'closet', 'washing machine', 'bathroom cabinet', 'bed', 'stove'})
#: Rooms, those where most things are kept first, and what usually stands in them.
_USUAL_ROOMS = {
    'kitchen': (
        'kitchen table',
        'kitchen counter',
        'kitchen cabinet',
        'fridge',
        'dishwasher',
        'microwave oven',
        'stove',
        'toaster',
        'coffee maker',
    ),
    'living room': ('coffee table', 'sofa', 'tv', 'tv stand', 'bookshelf', 'cabinet', 'desk'),
    'bedroom': ('bed', 'nightstand', 'closet', 'coffee table', 'desk', 'bookshelf', 'cabinet'),
    'bathroom': (
        'toilet',
        'bathroom cabinet',
        'bathroom counter',
        'washing machine',
        'bathtub',
        'towel rack',
    ),
}


def has_inside(place_class: str) -> bool:
    """Whether things are kept in such a place, so that it must be open (and not on it)."""
    return any(
        known.roles.container for known in known_classes().values() if known.name == place_class
    )


def places_to_search(facts: Iterable[ObjectFact], room: str) -> list[str]:
    """Places of a room worth looking at: what is open to view first, then what has a door.

    :param facts: what has been seen so far. :param room: e.g. 'kitchen 1'.
    """
    names = {known.name: known.roles for known in known_classes().values()}
    places: list[tuple[tuple[bool, bool, str], int, str]] = []
    for fact in facts:
        roles = names.get(fact.object_class)
        if roles is None or fact.room != room or fact.object_class in _POINTLESS:
            continue
        if roles.place and roles.look and roles.receptacle:
            shut = roles.container and 'closed' in fact.state
            order = (fact.object_class in _UNLIKELY, shut, fact.object_class)
            places.append((order, fact.instance, fact.name))
    return [name for _, _, name in sorted(places)]


def by_likelihood(rooms: Sequence[str], place: str = '') -> list[str]:
    """Rooms in the order in which one would search them.

    :param rooms: with numbers, e.g. 'kitchen 1'.
    :param place: class of furniture that is looked for; '' for a thing one can carry.
    """
    kinds = list(_USUAL_ROOMS)

    def surprise(room: str) -> tuple[bool, int]:
        kind = room.rpartition(' ')[0]
        rank = kinds.index(kind) if kind in kinds else len(kinds)
        return place not in _USUAL_ROOMS.get(kind, ()), rank

    return sorted(rooms, key=surprise)
