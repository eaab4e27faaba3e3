"""Classes of things in ProcWorld: ALFRED's, written as in names, e.g. 'sinkbasin'."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from sim_bridge.worlds.thor import classes as alfred
from sim_bridge.worlds.thor.stand_in.classes import classes, object_class, PIECES

#: Levels of things within things: furniture, its part, a container, what is in it.
MOST_LEVELS = 4


def _written(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)


#: What can be picked up.
CARRIED = _written(alfred.PICKABLE) | {'teddybear', 'towel'}
#: What can be carried with something in it.
CONTAINERS = _written(alfred.MOVABLE_RECEPTACLES)
CLEANABLE = _written(alfred.CLEANABLE)
HEATABLE = _written(alfred.HEATABLE)
COOLABLE = _written(alfred.COOLABLE)
SLICEABLE = _written(PIECES)
LAMPS = _written(alfred.LAMPS)
KNIVES = _written(alfred.KNIVES)
#: What has a door, and is open or closed.
OPENABLE = frozenset({'cabinet', 'drawer', 'fridge', 'microwave', 'safe'})
#: On which lamps stand; ALFRED's table has them nowhere.
LAMP_STANDS = frozenset({
    'coffeetable', 'desk', 'diningtable', 'dresser', 'shelf', 'sidetable', 'tvstand',
})  # fmt: skip
#: Furniture that ALFRED has not, as which other it holds things.
_HELD_AS = {'chair': 'armchair', 'shelvingunit': 'shelf'}


@lru_cache(maxsize=1)
def _alfreds() -> dict[str, str]:
    """ALFRED's spelling of each class."""
    return {name.lower(): name for name in (*classes(), 'ShelvingUnit')}


def is_known(thing_class: str) -> bool:
    """Whether it is a class of ALFRED's."""
    return thing_class in _alfreds()


def spelling(thing_class: str) -> str:
    """ALFRED's spelling, e.g. 'SinkBasin'; the class itself where ALFRED has none."""
    return _alfreds().get(thing_class, thing_class)


@lru_cache(maxsize=4096)
def may_hold(receptacle: str, thing: str) -> bool:
    """Whether a thing of a class may be put in or on one of another.

    A container never goes into a container.
    """
    if receptacle in CONTAINERS and thing in CONTAINERS:
        return False
    holder = object_class(spelling(_HELD_AS.get(receptacle, receptacle)))
    return holder.may_hold(spelling(thing)) or (receptacle in LAMP_STANDS and thing in LAMPS)
