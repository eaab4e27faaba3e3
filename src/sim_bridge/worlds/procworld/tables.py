"""What generated houses are made of: the tables of `tables.yaml`."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Annotated, Literal

from pydantic import Field

from reactree_core.written_files import read_file, Written

_Share = Annotated[int, Field(ge=0, le=100)]
_Range = Annotated[list[Annotated[int, Field(ge=0, le=20)]], Field(min_length=2, max_length=2)]


class RoomList(Written):
    """Rooms of a house, and how often it has these."""

    weight: Annotated[int, Field(ge=1)]
    rooms: Annotated[list[str], Field(min_length=1)]


class Piece(Written):
    """A class of furniture by itself.

    :param size: width along its wall and depth, in metres.
    :param stands: always at a wall, mostly at one (free), hung on one without taking floor, or
        upon a countertop where there is one.
    """

    size: Annotated[list[float], Field(min_length=2, max_length=2)]
    stands: Literal['wall', 'free', 'hung', 'upon'] = 'wall'


class Wanted(Written):
    """Furniture that a room gets.

    :param share: of rooms that have it, out of 100.
    :param parts: classes of its parts, with the fewest and the most.
    :param first: the same, of the first one of a room only.
    """

    name: str = Field(alias='class')
    count: _Range = Field(default_factory=lambda: [1, 1])
    share: _Share = 100
    parts: dict[str, _Range] = Field(default_factory=dict)
    first: dict[str, _Range] = Field(default_factory=dict)


class Tables(Written):
    """All of them.

    :param room_sizes: share of the floor, relative to the others.
    :param rooms: furniture by kind of room, in the order in which it is put up.
    :param things: receptacle -> class -> how often it has one, out of 100.
    :param only_in: kind of room -> classes that are in no other.
    :param loose: kind of room -> class -> how often one stands there, out of 100.
    """

    room_lists: list[RoomList]
    room_sizes: dict[str, Annotated[int, Field(ge=1)]]
    furniture: dict[str, Piece]
    rooms: dict[str, list[Wanted]]
    things: dict[str, dict[str, _Share]]
    only_in: dict[str, list[str]]
    loose: dict[str, dict[str, _Share]]


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The tables as shipped."""
    found: Tables = read_file(resources.files(__package__) / 'tables.yaml', Tables)
    return found


@lru_cache(maxsize=256)
def things_of(receptacle: str, kind: str) -> dict[str, int]:
    """How often a receptacle in a kind of room has one of each class, out of 100."""
    listed = tables().things.get(receptacle, {})
    return {name: share for name, share in listed.items() if is_kept_in(name, kind)}


def is_kept_in(name: str, kind: str) -> bool:
    """Whether things of a class are found in a kind of room."""
    only = tables().only_in
    return name in only.get(kind, ()) or not any(name in names for names in only.values())
