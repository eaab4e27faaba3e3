"""Classes of things in AI2-THOR: sizes, what can be done with them, what may lie in what.

The table is `classes.txt`. Classes that are not in it are things of 20 cm that nobody can pick up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

#: Letter of the table -> flag, as metadata name them where they do.
_FLAGS = {
    'P': 'pickupable',
    'M': 'moveable',
    'R': 'receptacle',
    'O': 'openable',
    'T': 'toggleable',
    'S': 'sliceable',
    'B': 'breakable',
    'D': 'dirtyable',
    'F': 'canFillWithLiquid',
    'U': 'canBeUsedUp',
    'C': 'cookable',
    'H': 'isHeatSource',
    'K': 'isColdSource',
}
#: Classes that pieces of a sliced thing have: class -> (class of the pieces, fewest, most).
PIECES: Mapping[str, tuple[str, int, int]] = {
    'Apple': ('AppleSliced', 3, 6),
    'Bread': ('BreadSliced', 5, 9),
    'Egg': ('EggCracked', 1, 1),
    'Lettuce': ('LettuceSliced', 3, 7),
    'Potato': ('PotatoSliced', 3, 8),
    'Tomato': ('TomatoSliced', 3, 7),
}
_WHOLE = {pieces: whole for whole, (pieces, _, _) in PIECES.items()}
#: Share of attempts that fail to open a class, as ReAcTree's recorded trajectories have it.
OPENING_FAILS: Mapping[str, float] = {
    'Drawer': 0.10,
    'Cabinet': 0.05,
    'Fridge': 0.05,
    'Microwave': 0.03,
    'Safe': 0.95,
}
#: Receptacles whose inside is seen only when they stand open.
CLOSABLE = frozenset({
    'Box', 'Cabinet', 'Drawer', 'Fridge', 'LaundryHamper', 'Microwave', 'Safe',
})  # fmt: skip
#: Surfaces that are as large as what lies on them.
SURFACES = frozenset({
    'ArmChair', 'Bed', 'Cart', 'CoffeeTable', 'CounterTop', 'Desk', 'DiningTable', 'Dresser',
    'Ottoman', 'Shelf', 'SideTable', 'Sofa', 'TVStand',
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class ObjectClass:
    """A class of things.

    :param size: width, height and depth in metres.
    :param flags: names as in metadata, e.g. 'pickupable'.
    :param most: things that lie in one at most; 0 for no receptacle.
    :param holds: classes that may lie in it.
    """

    name: str
    size: tuple[float, float, float]
    flags: frozenset[str]
    most: int = 0
    holds: frozenset[str] = frozenset()

    def may_hold(self, class_name: str) -> bool:
        """Whether a thing of a class may be put here."""
        return class_name in self.holds or _WHOLE.get(class_name) in self.holds


def object_class(name: str) -> ObjectClass:
    """A class by its name."""
    return classes().get(name) or ObjectClass(name, (0.2, 0.2, 0.2), frozenset())


@lru_cache(maxsize=1)
def classes() -> Mapping[str, ObjectClass]:
    """All classes of the table, by name."""
    text = (resources.files(__package__) / 'classes.txt').read_text(encoding='utf-8')
    sizes: dict[str, list[str]] = {}
    holds: dict[str, frozenset[str]] = {}
    for line in text.splitlines():
        if line.startswith('#'):
            continue
        names, colon, held = line.partition(':')
        if colon:
            holds.update(dict.fromkeys(names.split(), frozenset(held.split())))
        else:
            name, *rest = line.split()
            sizes[name] = rest
    found = {}
    for name, (width, height, depth, *letters) in sizes.items():
        written = ''.join(letters)
        digits = ''.join(letter for letter in written if letter.isdigit())
        found[name] = ObjectClass(
            name,
            (float(width), float(height), float(depth)),
            frozenset(_FLAGS[letter] for letter in written if letter.isalpha()),
            int(digits or 0),
            holds.get(name, frozenset()),
        )
    return found
