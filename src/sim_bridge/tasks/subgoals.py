"""The goals of a demonstration's nodes: what they are about, and how they are worded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sim_bridge.tasks.wording import many
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.household.scoring import Condition

_ORDINALS = ('', '', 'another', 'a third', 'a fourth', 'a fifth', 'a sixth')


@dataclass(frozen=True, slots=True)
class Bring:
    """Put one thing at its target.

    :param thing, place: class names in natural language. :param preposition: 'on' or 'in'.
    :param rank: 1 for the first thing of its class, 2 for another one, and so on.
    """

    thing: str
    place: str
    preposition: str
    rank: int = 1

    @property
    def text(self) -> str:
        """E.g. 'put another plate on kitchen table'."""
        return f'put {ranked(self.thing, self.rank)} {self.preposition} {self.place}'


@dataclass(frozen=True, slots=True)
class Find:
    """Get a thing into a hand.

    :param room: where to search, e.g. 'kitchen 1'; '' for anywhere.
    """

    thing: str
    rank: int = 1
    room: str = ''

    @property
    def text(self) -> str:
        """E.g. 'find and pick up plate in kitchen 1'."""
        where = f' in {self.room}' if self.room else ''
        return f'find and pick up {ranked(self.thing, self.rank)}{where}'


@dataclass(frozen=True, slots=True)
class PutDown:
    """Take what is held to its target and leave it there."""

    thing: str
    place: str
    preposition: str

    @property
    def text(self) -> str:
        """E.g. 'put down plate on kitchen table'."""
        return f'put down {self.thing} {self.preposition} {self.place}'


@dataclass(frozen=True, slots=True)
class TurnOn:
    """Switch an appliance on."""

    place: str

    @property
    def text(self) -> str:
        """E.g. 'turn on dishwasher'."""
        return f'turn on {self.place}'


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole task.

    :param text: its instruction. :param parts: what it comes to, in the sentence's order.
    """

    text: str
    parts: tuple[Bring | TurnOn, ...]


Goal = Whole | Bring | Find | PutDown | TurnOn


def ranked(thing: str, rank: int) -> str:
    """E.g. 'plate', 'another plate', 'a third plate'."""
    if rank <= 1:
        return thing
    word = _ORDINALS[rank] if rank < len(_ORDINALS) else 'one more'
    return f'{word} {thing}'


def read_instruction(instruction: str, conditions: Sequence[Condition]) -> Whole:
    """What an instruction comes to; its goal conditions tell the meaning of its words.

    :param conditions: of relations on, inside and turnon.
    """
    brought: list[tuple[int, list[Bring]]] = []
    switches: list[Bring | TurnOn] = []
    for condition in conditions:
        place = name_of(condition.target)
        if condition.relation == 'turnon':
            switches.append(TurnOn(place))
            continue
        thing = name_of(condition.thing)
        preposition = 'in' if condition.relation == 'inside' else 'on'
        group = [Bring(thing, place, preposition, rank + 1) for rank in range(condition.need)]
        brought.append((_place_in(instruction, thing), group))
    brought.sort(key=lambda entry: entry[0])
    parts: list[Bring | TurnOn] = [part for _, group in brought for part in group]
    return Whole(instruction, (*parts, *switches))


def _place_in(instruction: str, thing: str) -> int:
    """Where a sentence names a class; at its end when it does not."""
    names = '|'.join(re.escape(name) for name in (many(thing), thing))
    match = re.search(rf'\b(?:{names})\b', instruction, re.IGNORECASE)
    return match.start() if match else len(instruction)
