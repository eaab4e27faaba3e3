"""Clauses: all that asks for something, and in which order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from reactree_planner.facts.conditions import read_condition
from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found, maybe, rule
from reactree_planner.language.lists import LONGEST_SET, may_except
from reactree_planner.language.meanings import (
    ALL,
    Clause,
    Clear,
    Customary,
    Noun,
    Order,
    parts_of,
    Place,
    Shall,
    Swap,
    UNTOLD,
    with_exceptions,
)
from reactree_planner.language.predicates import spanned
from reactree_planner.language.statements import Statements
from reactree_planner.language.verb_phrases import VerbPhrases
from reactree_planner.language.words import Form

#: Words and gaps of a customary order.
_PARTS = re.compile(r'<[^<>]+>|[^\W_]+')
_AROUND = lexicon.phrases('around|places|over')


class Clauses(VerbPhrases, Statements):
    """Rules of clauses; each finds a tuple of them, in the order in which they are told."""

    @rule
    def clause(self, at: int) -> Iterable[Found]:
        """Anything that asks for something."""
        for end, clauses, cost in self._clause(at):
            yield end, clauses, cost
            yield from self._all_but_behind(end, clauses, cost)

    def _all_but_behind(self, end: int, clauses: tuple[Clause, ...], cost: int) -> Iterator[Found]:
        """ "put every crate in the shed, except crate 3"."""
        begin = end + (self.word(end) == ',')
        for start in self.says(begin, lexicon.ALL_BUT):
            if self.words[begin:start] == ('but',):
                continue  # "put all crates in the shed but the drum on the rack"
            sets = [noun for noun in parts_of(clauses, Noun) if noun.count == ALL]
            for close, things, more in self.exceptions(start) if len(sets) == 1 else ():
                told = tuple(with_exceptions(one, sets[0], things) for one in clauses)
                if told != clauses and not sets[0].but and may_except(sets[0], things):
                    yield close, told, cost + more

    def excepts_from_set(self, at: int) -> bool:
        """Whether a word begins the exceptions of a set that is told before it."""
        if super().excepts_from_set(at):
            return True
        if not any(self.says(at, lexicon.ALL_BUT)):
            return False
        return any(
            noun.but and clause[0].start <= noun.start < at < noun.but[0].start
            for begin in range(max(0, at - LONGEST_SET), at)
            for end, clause, _ in self.clause(begin)
            if end > at
            for noun in parts_of(clause, Noun)
        )

    def _clause(self, at: int) -> Iterator[Found]:
        yield from self.customary(at)
        yield from self.swap(at)
        yield from self.clear(at)
        yield from self.order(at)
        yield from self.action(at, Form.BASE)
        yield from self.action(at, Form.GERUND)
        if self.word(at) == 'to':
            for end, clauses, cost in self.action(at + 1, Form.BASE):
                # "To open the chest, switch on the pump": what the rest is for.
                if self.word(end) != ',':
                    yield end, clauses, cost
        for form in (Form.BASE, Form.GERUND):
            for end, (clauses,), cost in self.row(at, lexicon.REQUESTS, (self.action, form)):
                yield end, clauses, cost
        yield from self.prepared(at)
        yield from self.ensured(at)
        yield from self.statement(at)
        yield from self.wish(at)
        yield from self.fragment(at)
        yield from self.gap(at)

    @spanned
    def customary(self, at: int) -> Iterable[Found]:
        """An order of the domain, word for word, with names in its gaps."""
        for order in self.names.orders:
            parts = [
                self._plainly if '<' in one else one
                for one in _PARTS.findall(order.say.casefold())
            ]
            for end, things, _ in self.row(at, *parts):
                read = map(read_condition, order.filled([one.text for one in things]))
                conditions = tuple(one for one in read if one is not None)
                if len(conditions) == len(order.means):
                    yield end, (Customary(tuple(things), conditions),), 0

    def _plainly(self, at: int) -> Iterator[Found]:
        """One thing of which nothing but its name is said."""
        for end, thing, cost in self.thing(at):
            if isinstance(thing, Noun) and thing.count in (1, UNTOLD):
                if not (thing.states or thing.unread or thing.inside or thing.unsure):
                    yield end, thing, cost

    @spanned
    def swap(self, at: int) -> Iterable[Found]:
        """ "swap the drum and the crate", "the drum and the crate should swap places"."""
        for begin in self.says(at, lexicon.SWAPPING):
            for end, (one, other), cost in self.row(
                begin, self.thing, lexicon.words('and with for'), self.thing
            ):
                yield self.longest(end, _AROUND), (Swap((one, other)),), cost
        begin = at + (self.word(at) in ('let', 'have', 'make'))
        for end, (one, other), cost in self.row(begin, self.thing, 'and', self.thing):
            shall = end + (self.word(end) in lexicon.SHALL)
            if shall > end or begin > at:
                for behind in self.says(shall, lexicon.SWAP_PLACES):
                    yield behind, (Swap((one, other)),), cost

    @spanned
    def clear(self, at: int) -> Iterable[Found]:
        """ "clear the rack", "empty the rack into the chest"."""
        for begin in self.says(at, lexicon.CLEARING):
            for end, (thing,), cost in self.row(begin, self.place):
                yield end, (Clear(Place(thing)),), cost
                for behind, (to,), more in self.row(end, self.destination):
                    yield behind, (Clear(Place(thing), to),), cost + more

    @rule
    @spanned
    def prepared(self, at: int) -> Iterable[Found]:
        """ "prepare a set on the pallet: a cup and a tray"."""
        if self.word(at) not in lexicon.PREPARING:
            return
        for begin in range(at + 2, at + 5):
            word = self.word(begin - 1)
            if any(self.name(begin - 1)) or not word.isalpha() or word in lexicon.TYING:
                return
            at_place = (self._at_place, lexicon.IN)
            for end, (place, things), cost in self.row(begin, at_place, ':', self.things):
                yield end, (Shall(things, (), place),), cost + 1

    # Orders ----------------------------------------------------------------------------------

    @rule
    @spanned
    def order(self, at: int) -> Iterable[Found]:
        """Two clauses of which one tells when the other is done."""
        act, told, comma = (self.action, Form.BASE), self._told, maybe(',')
        for end, (then, first), cost in self.row(at, lexicon.BEFORE, told, comma, act):
            yield end, (Order(first, then),), cost
        for end, (first, then), cost in self.row(at, lexicon.AFTER, told, comma, act):
            yield end, (Order(first, then),), cost
        for end, done, cost in self.action(at, Form.BASE):
            if (close := self.longest(end, lexicon.AFTERWARDS)) > end and self._ends(close):
                yield close, (Order((), done),), cost
            end = self.joint(end)
            for behind, (then,), more in self.row(end, lexicon.BEFORE, told):
                yield behind, (Order(done, then),), cost + more
            for behind, (first,), more in self.row(end, lexicon.AFTER, told):
                yield behind, (Order(first, done),), cost + more
            beside = (self.action, Form.GERUND)
            for behind, (also,), more in self.row(end, lexicon.WHILE, beside):
                yield behind, (*done, *also), cost + more

    def joint(self, at: int) -> int:
        """Index of the word that tells the order, behind what may stand before it."""
        return at + (self.word(at) == ',')

    def _told(self, at: int) -> Iterator[Found]:
        """ "opening it", "you open it", "you have opened it"."""
        yield from self.action(at, Form.GERUND)
        if self.word(at) == 'you':
            yield from self.action(at + 1, Form.BASE)
            if self.word(at + 1) == 'have':
                yield from self.action(at + 2, Form.PARTICIPLE)
        yield from self.action(at, Form.PARTICIPLE)
