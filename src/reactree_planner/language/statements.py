"""Statements: what shall hold, said as it is, as a wish, or in a few words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found, maybe, rule
from reactree_planner.language.meanings import (
    Again,
    Noun,
    Place,
    Pronoun,
    Reference,
    Shall,
    Thing,
    Unknown,
)
from reactree_planner.language.names import NameKind
from reactree_planner.language.predicates import HELD, of_unsure_place, Predicates, spanned
from reactree_planner.language.verbs import Act
from reactree_planner.language.words import Form

#: What a clause without a verb costs.
_FRAGMENT = 5
_LACKING = ('needed', 'missing', 'required', 'lacking')


class Statements(Predicates):
    """Rules of what shall hold."""

    @rule
    def ensured(self, at: int) -> Iterable[Found]:
        """ "make sure the gate is shut", "there should be a tray in the sink"."""
        for begin in self.says(at, lexicon.ENSURING):
            for end, clauses, cost in self.statement(begin + (self.word(begin) in (',', ':'))):
                one = clauses[-1]
                if one.states or one.to is not None or one.holding:
                    told = (*clauses[:-1], replace(one, asserted=False))
                    yield end, told, cost - 3 * one.asserted
            if self.word(begin) == ':':
                yield from self.fragment(begin + 1)

    @rule
    @spanned
    def statement(self, at: int) -> Iterable[Found]:
        """ "the gate should be shut", "the rake belongs in the shed", "it is in the shed"."""
        if self.word(at) == 'there':
            for end, (asserted, things), cost in self.row(at + 1, self._copula, self.things):
                for behind in self.says(end, HELD):
                    yield behind, (Shall(things, holding=True, asserted=asserted),), cost
                for behind, (states, place), more in self.predicate(end):
                    there = Shall(things, states, place, asserted=asserted)
                    yield behind, (there,), cost + more + 3 * asserted
                if asserted:
                    yield end, (Shall(things, asserted=True),), cost + 4
        if self.word(at) in ('can', 'could'):
            # "Can the crates go on the rack, please"
            yield from self.statement(at + 1)
        before = self.row(at, self._states, ',', self.statement)
        for end, (states, (one, *others)), cost in before:
            # "Wrapped and labelled, the parcel has to be on the truck."
            if not one.asserted:
                yield end, (replace(one, states=(*states, *one.states)), *others), cost
        for end, things, cost in self.things(at):
            for behind, (asserted, told), more in self.row(end, self._copula, self.predicate):
                total = cost + more + 3 * asserted
                shall = Shall(things, told[0], told[1], asserted=asserted, start=at, end=behind)
                yield behind, (shall,), total
                for close, there, further in self._with_inside(behind, things):
                    yield close, (there, shall), total + further
            for verb in ((lexicon.SHALL, lexicon.STANDING), (lexicon.BELONGS,)):
                for behind, (place,), more in self.row(end, *verb, self.destination):
                    yield behind, (Shall(things, (), place),), cost + more
            for behind, (there,), more in self.row(end, lexicon.NOT_OUTSIDE, self.place):
                yield behind, (Shall(things, (), Place(there)),), cost + more
            if self.word(end) in lexicon.NEEDS and len(things) == 1:
                yield from self._needed(end + 1, things, cost)

    def _copula(self, at: int) -> Iterator[Found]:
        """Whether "is" only says how things are, or "should be" how they shall be."""
        word = self.word(at)
        if word in lexicon.BE and word not in ('be', 'being', 'been', 'am'):
            yield at + 1, True, 0
        if word in lexicon.SHALL and self.word(at + 1) == 'be':
            yield at + 2, False, 0
        for end, _, _ in self.row(at, lexicon.HAS_TO, lexicon.words('be stay')):
            yield end, False, 0

    def _needed(self, at: int, things: tuple[Thing, ...], cost: int) -> Iterator[Found]:
        """ "pallet 3 needs a parcel", "the lawn needs mowing"."""
        place = things[0]
        if isinstance(place, Noun) and place.kind is NameKind.PLACE:
            for end, needed, more in self.things(at):
                yield end, (Shall(needed, (), Place(place)),), cost + more + 1
        for end, verb, form, particle in self.domain.verbs_at(self.words, at):
            if verb.act is Act.CHANGE and form is Form.GERUND and not particle:
                yield end, (Shall(things, (verb.state,)),), cost

    @rule
    @spanned
    def wish(self, at: int) -> Iterable[Found]:
        """ "I want two crates on the truck", "I need an axle"."""
        for end, (place, (one,)), cost in self.row(at, self.destination, maybe(','), self.wish):
            # "On the rack I need a crate."
            if one.holding:
                yield end, (replace(one, to=place, holding=False),), cost
        if self.word(at) not in lexicon.WISHERS:
            return
        begin = (
            at + 1 + (self.word(at + 1) == 'would' and self.word(at + 2) not in ('like', 'love'))
        )
        for end in self.says(begin, lexicon.WISHES):
            end += self.words[end : end + 2] == ('to', 'find') and 2
            for behind, things, cost in self.things(end):
                placed = any(isinstance(one, Noun) and one.place for one in things)
                # "I want the crate on the rack and the pump on": where it shall be
                for close, told, more in () if placed else self.predicate(behind):
                    yield close, (Shall(things, *told),), cost + more
                yield behind, (Shall(things, holding=True),), cost + 2

    @rule
    @spanned
    def gap(self, at: int) -> Iterable[Found]:
        """ "and another one on the shelf", "then the other": as the clause before."""
        follows = any(self.longest(i, lexicon.THEN) == at for i in range(max(0, at - 4), at))
        if self.word(at - 1) not in ('and', ',') and not follows:
            return
        for end, (things, place), cost in self.row(at, self.things, self.destination):
            # "..., and the drum on the rack next to the crate": on which rack, or from there?
            told = tuple(map(of_unsure_place, things)) if place.of_thing else things
            yield end, (Again(told, place),), cost + 1
        if follows:
            for end, things, cost in self.things(at):
                yield end, (Again(things),), cost + _FRAGMENT
            for end, place, cost in (*self._at_place(at, lexicon.ONTO), *self.destination(at)):
                if self._ends(end):
                    yield end, (Again((), place),), cost + _FRAGMENT

    @rule
    @spanned
    def fragment(self, at: int) -> Iterable[Found]:
        """ "safe closed", "two trays -> loading table", "shed: rake, broom"."""
        if self.word(at - 1) not in ('', '.', ',', '\n', ':', '•', '#', 'and', '"', ';'):
            return
        for end, things, cost in self.things(at):
            if any(isinstance(one, Unknown | Pronoun) and not _is_sort(one) for one in things):
                continue
            for behind, told, more in self.predicate(end):
                if self._ends(behind):
                    yield behind, (Shall(things, *told),), cost + more + _FRAGMENT
                for close in self.says(behind, lexicon.PLEASING):
                    yield close, (Shall(things, *told),), cost + more
            numbered = any(isinstance(one, Noun) and one.instance is not None for one in things)
            if len(things) > 1 and numbered:
                # "masks 2, glove box 1 -> trolley": which one, or how many?
                continue
            if self.word(end) in ('->', ':', ','):
                yield from self._listed(end, things, cost)
            begin = end + 1 + (self.word(end + 1) == 'still')
            if self.word(end) in lexicon.BE and self.word(begin) in _LACKING:
                yield begin + 1, (Shall(things, holding=True),), cost + 1
                for behind, place, more in self._at_place(begin + 1, lexicon.IN_OR_FROM):
                    yield behind, (Shall(things, (), place),), cost + more
        begin = at + (self.word(at) in ('for', 'to', 'on', 'in'))
        for end, place, cost in self.place(begin):
            if self.word(end) == ':' and not isinstance(place, Pronoun | Unknown):
                start = end + 1
                while self.word(start) == '\n':
                    start += 1
                for behind, things, more in self.things(start):
                    if self._ends(behind):
                        yield behind, (Shall(things, (), Place(place)),), cost + more + _FRAGMENT

    def _listed(self, at: int, things: tuple[Thing, ...], cost: int) -> Iterator[Found]:
        """ "a tray and a fork -> table", "rake, broom: into the shed"."""
        for end, place, more in self.destination(at + 1):
            if self._ends(end):
                total = cost + more + _FRAGMENT + (self.word(at) == ',')
                yield end, (Shall(things, (), place),), total
        for end, (thing,), more in self.row(at, '->', self.place):
            yield end, (Shall(things, (), Place(thing)),), cost + more


def _is_sort(one: Thing) -> bool:
    return isinstance(one, Pronoun) and one.reference in (
        Reference.ONE_OF_SORT, Reference.REST_OF_SORT
    )  # fmt: skip
