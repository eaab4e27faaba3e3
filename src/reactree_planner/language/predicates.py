"""Predicates: where things shall be, and in which states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import wraps

from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found, maybe, rule, Self
from reactree_planner.language.lists import Lists
from reactree_planner.language.meanings import (
    is_found_by_place,
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
from reactree_planner.language.verbs import Act
from reactree_planner.language.words import Form

HELD = lexicon.phrases(
    'in your hand|in your hands|in hand|in your inventory|in the inventory|in your grip'
    '|in your gripper|in your possession|with you'
)
_THERE = lexicon.phrases('in it|inside it|inside|on it|in there|within it|in|on')


def spanned(
    read: Callable[[Self, int], Iterable[Found]],
) -> Callable[[Self, int], Iterable[Found]]:
    """Clauses of which no part says where it stands stand where the whole rule does."""

    @wraps(read)
    def told(self: Self, at: int) -> Iterator[Found]:
        for end, clauses, cost in read(self, at):
            stand = (one if one.end else replace(one, start=at, end=end) for one in clauses)
            yield end, tuple(stand), cost

    return told


class Predicates(Lists):
    """Rules of what clauses say of their things."""

    def _at_place(self, at: int, prepositions: lexicon.Phrases) -> Iterator[Found]:
        for end in self.says(at, prepositions):
            words = self.words[at:end]
            into = words[-1] in ('in', 'into', 'inside', 'within') or 'inside' in words
            if self.longest(at, lexicon.BESIDE) > end:
                continue  # "to the left of the vial"
            for behind, thing, cost in self.place(end):
                yield behind, Place(thing, into=into), cost

    def destination(self, at: int) -> Iterator[Found]:
        """Where something shall be."""
        yield from self._at_place(at, lexicon.IN)
        for end in self.says(at, lexicon.IN):
            # "in the chest next to the vial" may be a chest that stands beside it.
            yield from self._place_with(end, self.words[end - 1] in ('on', 'onto', 'upon'))
        yield from self._beside(at)
        for begin in dict.fromkeys((at, *self.says(at, lexicon.IN))):
            for end, place, cost in self._where_it_is(begin):
                yield end, place, cost
        for begin in (at, *self.says(at, _THERE)):
            if self.word(begin) in ('there', 'inside'):
                into = begin > at or self.word(begin) == 'inside'
                there = Pronoun(Reference.THERE, at, begin + 1)
                yield begin + 1, Place(there, into=into), 1

    def _beside(self, at: int) -> Iterator[tuple[int, Place, int]]:
        """ "next to the vial": where it is. Beside what stays, or on a side, is no known place."""
        for begin in self.says(at, lexicon.NEAR):
            for end, thing, cost in self.located(begin):
                if is_found_by_place(thing):
                    told, sort = thing, ''
                    if isinstance(thing, Noun) and thing.place is not None:
                        # "next to the vial on the rack": on a rack that has a vial.
                        there = thing.place.thing
                        is_plain = not (thing.place.beside or thing.place.of_thing)
                        sort = self._sort_of_place(there) if is_plain else ''
                        told = replace(thing, place=None) if sort else thing
                        if not sort and getattr(there, 'kind', None) is not NameKind.REGION:
                            continue  # "next to a vial on each rack"
                    yield end, Place(told, of_thing=True, now=True, sort=sort), cost
        for begin in self.says(at, lexicon.BESIDE):
            for end, thing, cost in self.place(begin):
                if self.words[at:begin] in lexicon.ON_SIDE_OF or not is_found_by_place(thing):
                    yield end, Place(thing, beside=True), cost

    def _place_with(self, at: int, is_on: bool) -> Iterator[tuple[int, Place, int]]:
        """ "the rack with the vial on it", "... where the vial is", "on ... next to the vial"."""
        for end, head, cost in self.thing(at):
            sort = self._sort_of_place(head)
            if not sort:
                continue
            for behind, inside, more in self._contents(end):
                if len(inside) == 1 and is_found_by_place(inside[0]):
                    told = Place(inside[0], of_thing=True, now=True, sort=sort)
                    yield behind, told, cost + more
            for behind, place, more in self._where_it_is(end):
                if not place.source and is_found_by_place(place.thing):
                    yield behind, replace(place, now=True, sort=sort), cost + more
            stays = getattr(head, 'kind', NameKind.PLACE) is NameKind.PLACE
            for begin in self.says(end, lexicon.NEAR) if is_on and stays else ():
                for behind, thing, more in self.thing(begin):
                    if is_found_by_place(thing):
                        told = Place(thing, of_thing=True, now=True, sort=sort)
                        yield behind, told, cost + more

    def _sort_of_place(self, head: Thing) -> str:
        """What something is called that others stand on or in; '' of regions, and of what is none.

        Of tool racks and drying racks, "rack".
        """
        if isinstance(head, Noun):
            is_plain = not (head.states or head.unread or head.unsure or head.other)
            is_plain &= head.count in (1, UNTOLD)
            return head.text if is_plain and head.kind is not NameKind.REGION else ''
        if not isinstance(head, Unknown) or head.count not in (1, UNTOLD):
            return ''
        sorts = self._heads.get(head.text, ())
        return head.text if any(self.names.kind(one) is NameKind.PLACE for one in sorts) else ''

    def _where_it_is(self, at: int) -> Iterator[tuple[int, Place, int]]:
        """ "where the vial is": the place of another thing."""
        for begin in self.says(at, lexicon.WHERE):
            for end, thing, cost in self.thing(begin):
                past = self.word(end) in ('was', 'were')
                lies = past or self.word(end) in lexicon.LIES
                close = end + lies + (self.word(end + 1) in lexicon.LYING)
                if lies and isinstance(thing, Noun) and not thing.states:
                    yield close, Place(thing, source=past, of_thing=True), cost

    def _with_inside(self, at: int, things: tuple[Thing, ...]) -> Iterator[Found]:
        """ "(the press should be running) with two trays in it": they are there before."""
        place = things[0]
        if len(things) == 1 and isinstance(place, Noun) and place.kind is NameKind.PLACE:
            for end, (inside,), cost in self.row(at, 'with', self.things, _THERE):
                yield end, Shall(inside, (), Place(place, into=True), start=at, end=end), cost

    # What is said of things -------------------------------------------------------------------

    @rule
    def predicate(self, at: int) -> Iterable[Found]:
        """States and a place: "charged and in the storeroom"."""
        for end, states, _ in self._states(at):
            yield end, (states, None), 0
        at_place = (self._at_place, lexicon.IN)
        for end, told, cost in self.row(at, self._states, maybe('and ,'), at_place):
            yield end, tuple(told), cost
        begin = at + (self.word(at) in lexicon.WAITING)
        for end, place, cost in self.destination(begin):
            yield end, ((), place), cost
            for behind, (states,), _ in self.row(end, 'and', self._states):
                yield behind, (states, place), cost
        for end, verb, form, particle in self.domain.verbs_at(self.words, at):
            # "placed on the shelf"
            if verb.act in (Act.PUT, Act.BRING) and form is Form.PARTICIPLE and not particle:
                for behind, place, cost in self.destination(end):
                    yield behind, ((), place), cost

    def _states(self, at: int) -> Iterator[Found]:
        for end, state in self.domain.states_at(self.words, at):
            yield end, (state,), 0
            begin = end
            while self.word(begin) in ('and', ','):
                begin += 1
            for behind, more, _ in self._states(begin) if begin > end else ():
                yield behind, (state, *more), 0

    def _ends(self, at: int) -> bool:
        """Whether a part of a sentence ends here."""
        return self.word(at) in ('', '.', ',', '\n', 'and', '?', '"', '•', '#')


def of_unsure_place(thing: Thing) -> Thing:
    """The thing, whose place may be where it shall be."""
    if not isinstance(thing, Noun) or thing.place is None or thing.place.source:
        return thing
    return replace(thing, place=replace(thing.place, beside=True))
