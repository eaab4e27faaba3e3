"""What is spoken of, and what words stand for that refer to it: "it", "the other one", "there"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import ALL, being_in, where_was
from reactree_planner.language import lexicon
from reactree_planner.language.domain import Domain
from reactree_planner.language.meanings import (
    Clause,
    Do,
    Noun,
    Place,
    Pronoun,
    Reference,
    Shall,
    Thing,
    Unknown,
    UNTOLD,
)
from reactree_planner.language.names import NameKind
from reactree_planner.language.wishes import Item, Wishes


class References(Wishes):
    """Knows what was named, in its order."""

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        #: Items that were split: "two totes; one ..., the other ...", and how many were used.
        self._split: dict[int, int] = {}
        #: What "there are ..." named.
        self._named_together: tuple[Item, ...] = ()
        self._count = 0
        #: Things that a prohibition named.
        self._forbidden: list[str] = []
        #: Everything that was named, the last one last.
        self._items: list[Item] = []
        #: The things of the last clause that had any.
        self._group: tuple[Item, ...] = ()
        #: The last of them that can be carried.
        self._things: tuple[Item, ...] = ()
        self._place: Item | None = None
        #: Clauses that only name something, with what they name: "find a tote".
        self._loose: dict[int, set[int]] = {}
        #: Where the things of the last clause were taken from.
        self._taken_from: Place | None = None
        self._sources: list[tuple[str, str]] = []

    def _resolved(self, things: Iterable[Thing], clause: Clause | None) -> tuple[Item, ...] | None:
        """What things stand for; None where none of them is known."""
        found: list[Item] = []
        for thing in things:
            items = self._referred(thing, clause)
            if items is None:
                self._leave(thing.start, thing.end)
            else:
                found += items
        return _added_up(found) or None

    def _referred(self, thing: Thing, clause: Clause | None) -> Sequence[Item] | None:
        if isinstance(thing, Noun | Unknown) and thing.text in lexicon.PARTS:
            opened = self._opened_there(clause)
            if opened is not None:
                return [opened]
        if isinstance(thing, Unknown) or (isinstance(thing, Noun) and thing.unsure):
            return None
        if isinstance(thing, Noun) and thing.definite and thing.text in lexicon.PARTS:
            if self._opened or self._may_have_part(thing):
                # "put a crate in the chest and shut the door": of the chest, or of the room?
                return None
        if isinstance(thing, Pronoun):
            items = self._antecedents(thing, clause)
            for item in items or ():
                self._use(item.number)
            return items
        return [self._named(thing)]

    def _opened_there(self, clause: Clause | None) -> Item | None:
        """Of which "the door" is shut: what was opened before, unless another was spoken of."""
        state = clause.verb.state if isinstance(clause, Do) else ''
        opens = self._domain.states.get(('open',))
        if self._opened is None or state == opens or state not in self._domain.openings:
            return None
        place = self._place.noun if self._place is not None else self._opened.noun
        others = place.name != self._opened.noun.name
        may_be = others and self._domain.may_be(place.kind, place.name, state)
        return None if may_be or place.kind is NameKind.REGION else self._opened

    def _may_have_part(self, part: Noun) -> bool:
        """Whether a door, or a lid, may be that of the place that was spoken of."""
        if self._place is None or self._place.noun.name == part.name:
            return False
        place = self._place.noun
        if place.kind is not NameKind.PLACE or part.kind is NameKind.PLACE:
            return True
        return any(
            self._domain.may_be(place.kind, place.name, state) for state in self._domain.openings
        )

    def _use(self, number: int) -> None:
        for clause, numbers in list(self._loose.items()):
            if number in numbers:
                del self._loose[clause]

    def _named(self, noun: Noun) -> Item:
        """The thing that a noun names: one that was named before, or a new one."""
        self._unread.update(noun.unread)
        if noun.unsure:
            self._unread.update(range(noun.start, noun.end))
        being, but = self._set_of(noun)
        # "put a crate on the rack and scan all crates": surely more than that one
        alike = [one for one in self._items if noun.other or (noun.count, one.count) != (ALL, 1)]
        known = [
            one
            for one in alike
            if (one.noun.text, one.being, one.but) == (noun.text, being, but)
            or (noun.definite and not being and one.noun.text == noun.text and one.count == 1)
        ]
        # The same words ("wrap and seal a crate"), or what was taken: "lift a crate, put a crate".
        same = [one for one in known if one.noun.start == noun.start]
        same += [one for one in self._held if one in known and noun.count == one.count]
        is_old = known and (
            noun.definite or noun.instance is not None or noun.label or known[-1].is_place
        )
        if (is_old or same) and not (noun.other and not noun.is_everything):
            item = same[-1] if same else known[-1]
            self._use(item.number)
        else:
            if noun.other and known:
                self._use(known[-1].number)
            elif noun.other and not noun.is_everything:
                # "another" than which?
                self._unread.add(noun.start)
            self._count += 1
            item = Item(noun, self._count, noun.count, being=being, but=but)
            others = [one for one in self._items if one.noun.text == noun.text]
            # "put a crate on the rack and the crates on the dock": that one, too?
            counts = {one.count for one in others} & ({ALL} if being or noun.other else {ALL, 1})
            if noun.count == ALL and counts and not (
                being and all(one.being not in ('', being) for one in others)
            ):  # fmt: skip
                # "all drums on the rack ...; all drums ...": some would be in both.
                self._leave(noun.start, noun.end)
        self._items = [one for one in self._items if one.number != item.number] + [item]
        describes = noun.count == ALL or bool(
            set(noun.states) & (self._domain.openings | self._domain.switchings)
        )
        if noun.states and describes:
            # "all scanned drums", "the open chest": which ones, not how they shall be.
            self._leave(noun.start, noun.end)
        for state in () if describes else noun.states:
            self._state(item, state)
        if noun.inside and noun.kind is not NameKind.THING:
            # "switch on the pump with the tray on it"
            self._leave(noun.start, noun.end)
        for one in noun.inside if noun.kind is NameKind.THING else ():
            if isinstance(one, Noun):
                self._wish(Relation.IN, self._named(one), item.noun.text, item)
        if noun.place is not None and not being:
            self._source(noun.place, (item,))
        return item

    def _set_of(self, noun: Noun) -> tuple[str, tuple[str, ...]]:
        """Of all of a sort: where those were that are meant, as a condition has it, and which are
        not meant."""
        being, but = '', list[str]()
        if noun.place is not None and noun.place.of_thing and not noun.place.beside:
            # "the drum next to the crate": which one it is.
            beside = noun.place.thing
            if isinstance(beside, Noun):
                other = self._named(beside)
                being = where_was(other.noun.text)
                asked = {one.condition.relation for one in self._wishes if one.is_of(other)}
                if not asked.isdisjoint((Relation.IN, Relation.HOLDING)):
                    # "put the crate away, then take the drum next to it": where is that?
                    self._leave(noun.start, noun.end)
        if noun.count != ALL:
            return being, ()
        if noun.kind not in (NameKind.PLACE, NameKind.REGION):
            being = being or self._began(noun)
        but += [one.text for one in noun.but]
        if noun.is_everything and noun.other:
            spoken = [one.noun.text for one in self._items if not one.is_place]
            spoken += self._forbidden
            if not spoken:
                self._leave(noun.start, noun.end)
            but += spoken
        return being, tuple(dict.fromkeys(but))

    def _began(self, noun: Noun) -> str:
        """Where things are of which all are meant; '' where that is not told."""
        place = noun.place
        if place is None:
            return ''
        thing = place.thing
        if place.beside or isinstance(thing, Unknown) or (
            isinstance(thing, Noun) and thing.kind is NameKind.OTHER
        ):  # fmt: skip
            self._leave(noun.start, noun.end)
            return ''
        where = self._named(thing) if isinstance(thing, Noun) else self._place_of(place)
        filled = [one for one in self._wishes if where is not None and one.is_in(where)]
        if where is None or where.count != 1 or filled:
            # "everything on it", where something else was just put.
            self._leave(noun.start, noun.end)
            return ''
        return being_in(where.noun.text)

    def _source(self, place: Place, items: Iterable[Item]) -> None:
        """Where things are now; only told on, so that it may be a place that nobody knows."""
        thing = place.thing
        picks_out = any(item.count == ALL for item in items)
        if isinstance(thing, Unknown) and place.source and not picks_out:
            self._sources += [(item.noun.text, thing.text) for item in items]
            return
        if isinstance(thing, Noun) and thing.kind is not NameKind.THING and not (
            place.beside or picks_out
        ):  # fmt: skip
            where = self._named(thing)
            self._sources += [(item.noun.text, where.noun.text) for item in items]
        else:
            self._leave(thing.start, thing.end)

    def _omitted(self, clause: Do) -> tuple[Item, ...] | None:
        """ "wash a tray and put in the locker": the things of the clause before."""
        items = tuple(self._held) or self._group
        if self._is_in_movable(items):
            return None
        for item in items:
            self._use(item.number)
        return items or None

    def _is_in_movable(self, items: Sequence[Item]) -> bool:
        """Whether things were just put into one that can be carried itself: "it" is either."""
        place = self._place
        return (
            place is not None
            and place.noun.kind is NameKind.THING
            and place not in items
            and any(one.is_in(place) and any(map(one.is_of, items)) for one in self._wishes)
        )

    def _place_of(self, place: Place | None, things: tuple[Item, ...] = ()) -> Item | None:
        if place is None:
            return None
        thing = place.thing
        if isinstance(thing, Noun):
            if thing.count != 1:
                # "on each shelf", "on two pallets"
                self._leave(thing.start, thing.end)
            return self._named(thing)
        if isinstance(thing, Unknown):
            self._leave(thing.start, thing.end)
            return None
        candidates = [self._opened, self._place]
        if thing.reference is Reference.ONE:
            others = [one for one in self._group if one not in things and not one.is_place]
            if others and any(candidates):
                # "the tote to the sink, and the tray to it": either may be meant.
                self._leave(thing.start, thing.end)
                return None
            candidates = [*others, *candidates] if len(others) == 1 else candidates
        return next((one for one in candidates if one is not None and one not in things), None)

    def _antecedents(self, pronoun: Pronoun, clause: Clause | None) -> Sequence[Item] | None:
        if pronoun.reference is Reference.ONE:
            return self._it(clause)
        if pronoun.reference is Reference.SEVERAL:
            return self._them(pronoun)
        return self._of_sort(pronoun)

    def _them(self, pronoun: Pronoun) -> Sequence[Item] | None:
        items = tuple(self._held) if len(self._held) > len(self._group) else self._group
        if len(items) == 1 and items[0].count == 1 and pronoun.count == UNTOLD:
            return items if items[0].noun.name.endswith('s') else None
        if pronoun.count != UNTOLD:
            number = sum(max(1, one.count) for one in items)
            if number != pronoun.count or any(one.count == ALL for one in items):
                return None
        return items or None

    def _it(self, clause: Clause | None) -> Sequence[Item] | None:
        states = clause.states if isinstance(clause, Shall) else ()
        if isinstance(clause, Do) and clause.verb.state:
            states = (clause.verb.state,)
        if states:
            return self._changed(states[0])
        group = self._things if all(one.is_place for one in self._group) else self._group
        return None if self._is_in_movable(group) else group or None

    def _changed(self, state: str) -> Sequence[Item] | None:
        """What "it" is that is brought into a state; None where two things could be.

        What things were put into is closed and switched on, rather than what was put there.
        """
        domain = self._domain
        if state in domain.openings and self._opened is not None:
            return [self._opened]
        things = [one for one in self._group if domain.may_be(one.noun.kind, one.noun.name, state)]
        place, source = self._place, self._taken_from.thing if self._taken_from else None
        if isinstance(source, Noun) and domain.may_be(source.kind, source.name, state):
            # "take the drum out of the chest and close it"
            return None
        fits = place is not None and domain.may_be(place.noun.kind, place.noun.name, state)
        if place is None or not fits or place in things:
            is_one = len(things) == 1 or state not in domain.openings | domain.switchings
            return (tuple(things) or None) if is_one else None
        opens = domain.states.get(('open',)) == state
        # Of several things that were put there, none is "it".
        is_place = place.into or len(self._group) > 1 or any(one.count != 1 for one in self._group)
        if is_place and not opens and state in domain.openings | domain.switchings:
            return [place]
        return None if self._group else [place]

    def _of_sort(self, pronoun: Pronoun) -> Sequence[Item] | None:
        sorts = {one.noun.name for one in self._group}
        if len(sorts) != 1:
            return None
        first = self._group[0]
        count = max(1, pronoun.count)
        rest = pronoun.reference is Reference.REST_OF_SORT
        if rest and pronoun.count == ALL and first.count == 1:
            return None
        same = (one for one in self._items if one.noun.name == first.noun.name and one.count > 1)
        whole = next(same, None)
        if rest and whole is None:
            if any(one.noun.name not in sorts for one in self._named_together):
                return None
            if first.count == ALL or first.noun.definite:
                # "all crates on the rack and the rest on the dock": what rest?
                return None
        self._use(first.number)
        if whole is not None:
            self._use(whole.number)
            self._split[whole.number] = self._split.get(whole.number, 0) + count
            if rest:
                used = sum(max(1, one.count) for one in self._group if one.number != whole.number)
                count = max(1, whole.count - used)
        # What was taken together is put to several places.
        for wish in self._wishes:
            if wish.is_of(whole) and wish.condition.relation is Relation.HOLDING:
                wish.on_the_way = True
        self._count += 1
        noun = replace(first.noun, count=count, states=(), inside=(), place=None)
        more = pronoun.reference is not Reference.SOME_OF_THEM
        item = Item(noun, self._count, count, more=more)
        self._items.append(item)
        return [item]


def _added_up(items: Sequence[Item]) -> tuple[Item, ...]:
    """Items of one list; of two of one name, both together: "an drum and another drum"."""
    found: list[Item] = []
    for item in items:
        same = next(
            (
                k
                for k, one in enumerate(found)
                if (one.noun.text, one.being, one.but) == (item.noun.text, item.being, item.but)
            ),
            None,
        )
        if same is None or found[same].number == item.number:
            found.append(item)
        else:
            both = found[same].count + item.count if item.count and found[same].count else ALL
            found[same] = replace(found[same], count=both)
    return tuple(found)
