"""What the grammar makes of phrases and clauses, before it is known what they refer to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import TypeVar

from reactree_core.measures import Comparison
from reactree_planner.facts.conditions import Condition, EVERYTHING
from reactree_planner.language.domain import Verb
from reactree_planner.language.names import NameKind

#: The count of every thing of a sort.
ALL = 0
#: The count of things of which no number is told.
UNTOLD = -1


@dataclass(frozen=True, slots=True)
class Noun:
    """A thing or place by a known name.

    :param name: class name. :param instance: its number; None for none. :param label: another
        mark instead, e.g. 'A-7'. :param count: 1 or more, `ALL`, or `UNTOLD`.
    :param definite: whether it may be one that was named before ("the crate").
    :param other: whether it is another than those named before ("another crate").
    :param states: in which it is, or shall be. :param place: where it is now.
    :param inside: things in or on it. :param but: things that are not meant, of all.
    :param start: its first token, :param end: the one behind.
    :param unread: tokens in it that say what is not understood: "the *red* crate".
    :param unsure: whether its words were taken for its name without being sure.
    """

    name: str
    kind: NameKind
    start: int
    end: int
    instance: int | None = None
    label: str = ''
    count: int = UNTOLD
    definite: bool = False
    other: bool = False
    states: tuple[str, ...] = ()
    place: Place | None = None
    inside: tuple[Thing, ...] = ()
    but: tuple[Noun, ...] = ()
    unread: tuple[int, ...] = ()
    unsure: bool = False

    def __hash__(self) -> int:
        # Charts ask for it more often than for anything else; what differs further is compared.
        return hash((self.name, self.start, self.end, self.count))

    @property
    def is_everything(self) -> bool:
        """Whether it stands for all things that can be carried."""
        return self.name == EVERYTHING

    @property
    def text(self) -> str:
        """Name, with its number or label."""
        number = self.label if self.instance is None else str(self.instance)
        return f'{self.name} {number}' if number else self.name


class Reference(Enum):
    """What a pronoun may stand for."""

    #: "it": one thing, or one place.
    ONE = 'one thing'
    #: "there", "put it in": the place that was spoken of.
    THERE = 'a place'
    #: "them": all that were named together.
    SEVERAL = 'several things'
    #: "one", "another": one more of the sort that was named.
    ONE_OF_SORT = 'one of that sort'
    #: "the other", "the rest".
    REST_OF_SORT = 'the rest of that sort'
    #: "two of them"
    SOME_OF_THEM = 'some of them'


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A word for something named elsewhere. :param count: of "two of them", "both"."""

    reference: Reference
    start: int
    end: int
    count: int = UNTOLD


@dataclass(frozen=True, slots=True)
class Unknown:
    """Words that stand where a name should and are none. :param count: as of a `Noun`.

    :param text: the words themselves, from :param begin: on, behind what is said of how many.
    :param inside: things in or on it.
    """

    start: int
    end: int
    count: int = UNTOLD
    text: str = ''
    inside: tuple[Thing, ...] = ()
    begin: int = 0


Thing = Noun | Pronoun | Unknown


def is_found_by_place(thing: Thing) -> bool:
    """Whether it is one thing that can be carried, by which the place where it is can be told."""
    if isinstance(thing, Pronoun):
        return thing.reference is Reference.ONE
    if not isinstance(thing, Noun) or thing.kind is not NameKind.THING:
        return False
    is_plain = not (thing.states or thing.inside or thing.unread or thing.unsure or thing.other)
    return is_plain and thing.count in (1, UNTOLD)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is or shall be.

    :param beside: whether it is near it, not in or on it. :param into: whether "in", not "on".
    :param source: whether it is for certain where a thing is now: "from", "which is on".
    :param of_thing: whether it is the place of that thing: "where the vial is".
    :param now: of such, whether it is any place where such a thing is: "next to a vial".
    :param sort: of such, what the place is called: "the rack with the vial on it".
    """

    thing: Thing
    beside: bool = False
    into: bool = False
    source: bool = False
    of_thing: bool = False
    now: bool = False
    sort: str = ''


@dataclass(frozen=True, slots=True)
class Do:
    """Something to be done. :param things: of the verb; () for none.

    :param to: where they shall be. :param source: where they are taken from.
    :param using: by what, with what or where something is changed.
    :param people: whether a person shall have it.
    """

    verb: Verb
    things: tuple[Thing, ...] = ()
    to: Place | None = None
    source: Place | None = None
    using: Place | None = None
    people: bool = False
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Shall:
    """Things that shall be in states, or at a place. :param asserted: "is", not "shall be"."""

    things: tuple[Thing, ...]
    states: tuple[str, ...] = ()
    to: Place | None = None
    holding: bool = False
    asserted: bool = False
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Again:
    """What the verb of the clause before is about, too. :param things: () for the same ones.

    :param to: where they shall be; None where that stands there as well.
    """

    things: tuple[Thing, ...] = ()
    to: Place | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Customary:
    """An order of the domain, or a skill for its effects. :param conditions: what it asks for.

    :param things: named in it. :param names: the same of a skill, as the server writes them.
    :param beside: whether it stands beside what is asked for, and may be so already.
    """

    things: tuple[Thing, ...]
    conditions: tuple[Condition, ...]
    start: int = 0
    end: int = 0
    names: tuple[str, ...] = ()
    beside: bool = False


@dataclass(frozen=True, slots=True)
class Lamplight:
    """A thing is looked at in the light of a lamp: held, while the lamp is on."""

    things: tuple[Thing, ...]
    lamp: Thing
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Attain:
    """Things that shall come to be so; it need not stay so once something else is to be done.

    :param name: what is measured of them; '' of what is nothing but its number, None: not told.
    :param state: a word, or a condition on the number.
    :param being: how things are that are meant, '' for all. :param where: the place of those.
    """

    things: tuple[Thing, ...]
    name: str | None
    state: str | Comparison
    being: str = ''
    where: str = ''
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Perform:
    """A skill that is done so many times, and leaves nothing behind by which one could tell.

    :param values: of the slots of its template: numbers, and things.
    :param names: among these, as the server writes them.
    """

    template: str
    values: tuple[str | Noun, ...]
    times: int = 1
    start: int = 0
    end: int = 0
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Swap:
    """Two things shall each be where the other is."""

    things: tuple[Thing, ...]
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Clear:
    """Nothing shall be left at a place. :param to: where it shall be; None: told elsewhere."""

    place: Place
    to: Place | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Series:
    """Clauses one after the other."""

    clauses: tuple[Clause, ...]
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Order:
    """What is done first, and what only afterwards."""

    first: tuple[Clause, ...]
    then: tuple[Clause, ...]
    start: int = 0
    end: int = 0


Clause = (
    Do | Shall | Again | Customary | Lamplight | Attain | Perform | Swap | Clear | Series | Order
)
_Kind = TypeVar('_Kind', Noun, Unknown, 'Perform')


def parts_of(value: object, kind: type[_Kind]) -> Iterator[_Kind]:
    """Phrases of a kind anywhere in clauses."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from parts_of(one, kind)
    elif is_dataclass(value) and not isinstance(value, Verb | Enum):
        for field in fields(value):
            yield from parts_of(getattr(value, field.name), kind)


def with_exceptions(clause: Clause, noun: Noun, but: tuple[Noun, ...]) -> Clause:
    """The clause, with things that are not meant by one noun among its things."""
    if not isinstance(clause, Do | Shall | Attain):
        return clause
    told = tuple(replace(noun, but=but) if one == noun else one for one in clause.things)
    return replace(clause, things=told)
