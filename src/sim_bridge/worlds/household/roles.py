"""What the robot may do with things of a class: the published lists, or node properties.

Lists and names of the classes that the published WAH-NL environment knows are in `classes.txt`; to
it no other class is there, rooms included. With `classes: properties` every node is judged by its
properties instead, so that any VirtualHome graph can be played whole. What really succeeds is
decided by a node's properties in both cases, as in the simulator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.nodes import is_floor, Node

TABLE = Path(__file__).with_name('classes.txt')
#: Values of the world's `classes` option.
PUBLISHED = 'published'
PROPERTIES = 'properties'

_UNSEEN_CATEGORIES = frozenset({'Walls', 'Ceiling', 'Windows', 'Doors', 'Rooms'})
_FURNISHING = frozenset({'Furniture', 'Appliances', 'Electronics', ''})
_LONGEST_NAME = 60
#: What separates names in observation texts.
_PUNCTUATION = '(),.'


@dataclass(frozen=True, slots=True)
class Roles:
    """What skills are offered for a thing, and how it appears.

    :param receptacle: becomes the current receptacle when one walks to it.
    :param container: things are put in it; else on it.
    :param look: named when one looks quickly around its room.
    """

    observable: bool = False
    grabbable: bool = False
    openable: bool = False
    switchable: bool = False
    receptacle: bool = False
    surface: bool = False
    container: bool = False
    look: bool = False

    @property
    def place(self) -> bool:
        """Furniture or appliance rather than a thing one carries."""
        return not self.grabbable and (
            self.look or self.receptacle or self.openable or self.switchable
        )


@dataclass(frozen=True, slots=True)
class KnownClass:
    """One line of the table."""

    name: str
    roles: Roles


@cache
def known_classes() -> Mapping[str, KnownClass]:
    """The table, by class name in the graph.

    :raises ConfigurationError: the file is damaged.
    """
    table = {}
    for line in TABLE.read_text(encoding='utf-8').splitlines():
        if not line or line.startswith('#'):
            continue
        try:
            class_name, name, roles = (part.strip() for part in line.split('|'))
            table[class_name] = KnownClass(name, Roles(**dict.fromkeys(roles.split(), True)))
        except (ValueError, TypeError) as error:
            raise ConfigurationError(f'{TABLE} has a damaged line: {line!r}') from error
    return table


def name_of(class_name: str) -> str:
    """Name in sentences: from the table, else the class name with spaces between its words."""
    known = known_classes().get(class_name)
    if known:
        return known.name
    spaced = re.sub(r'(?<=[a-z0-9])(?=[A-Z])', ' ', class_name).replace('_', ' ')
    plain = ''.join(
        letter if letter.isprintable() and letter not in _PUNCTUATION else ' ' for letter in spaced
    )
    return ' '.join(plain.lower().split())[:_LONGEST_NAME].strip() or 'thing'


def roles_of(node: Node, mode: str) -> Roles:
    """Roles of one node.

    :param mode: 'published' (the lists; other classes have none) or 'properties'.
    """
    if mode == PUBLISHED:
        known = known_classes().get(node.class_name)
        return known.roles if known else Roles()
    return _by_properties(node)


def is_useful(node: Node) -> bool:
    """Whether its properties allow to do something with a node."""
    return _by_properties(node).observable


def assume_properties(node: Node) -> frozenset[str]:
    """Properties of a node whose file gives none: what the lists and its states imply."""
    roles = known_classes().get(node.class_name, KnownClass('', Roles())).roles
    states = set(node.states)
    implied = {
        'GRABBABLE': roles.grabbable,
        'CAN_OPEN': roles.openable and bool(states & {'OPEN', 'CLOSED'}),
        'HAS_SWITCH': roles.switchable and bool(states & {'ON', 'OFF'}),
        'SURFACES': roles.surface,
        'CONTAINERS': roles.container,
    }
    return frozenset(name for name, holds in implied.items() if holds)


def _by_properties(node: Node) -> Roles:
    if is_floor(node) or node.category in _UNSEEN_CATEGORIES:
        return Roles()
    grabbable = node.has('GRABBABLE')
    openable, switchable = node.has('CAN_OPEN'), node.has('HAS_SWITCH')
    surface, container = node.has('SURFACES'), node.has('CONTAINERS')
    useful = grabbable or openable or switchable or surface or container
    return Roles(
        observable=useful,
        grabbable=grabbable,
        openable=openable,
        switchable=switchable,
        receptacle=surface or container,
        surface=surface,
        container=container,
        look=useful and not grabbable and node.category in _FURNISHING,
    )
