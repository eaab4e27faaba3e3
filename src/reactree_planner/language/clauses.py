"""Clauses: what shall be done, and what shall hold, with everything that belongs to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import wraps

from reactree_planner.facts.conditions import read_condition
from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found, maybe, rule
from reactree_planner.language.domain import Verb
from reactree_planner.language.lexicon import Act
from reactree_planner.language.lists import Lists, LONGEST_SET, may_except
from reactree_planner.language.meanings import (
    Again,
    ALL,
    Clause,
    Clear,
    Customary,
    Do,
    is_found_by_place,
    Lamplight,
    Noun,
    Order,
    parts_of,
    Place,
    Pronoun,
    Reference,
    Shall,
    Swap,
    Thing,
    Unknown,
    UNTOLD,
    with_exceptions,
)
from reactree_planner.language.names import NameKind
from reactree_planner.language.words import Form

#: What a thing costs that is not told: "wash a tray and put in the locker".
_OMITTED = 4
#: What a clause without a verb costs.
_FRAGMENT = 5
_HELD = lexicon.phrases(
    'in your hand|in your hands|in hand|in your inventory|in the inventory|in your grip'
    '|in your gripper|in your possession|with you'
)
#: Words and gaps of a customary order.
_PARTS = re.compile(r'<[^<>]+>|[^\W_]+')
_LACKING = ('needed', 'missing', 'required', 'lacking')
_THERE = lexicon.phrases('in it|inside it|inside|on it|in there|within it|in|on')
_AROUND = lexicon.phrases('around|places|over')
_TO_PEOPLE = lexicon.phrases('to me|to us|over to me|for me|back to me')
#: Acts whose things are held afterwards where no place is told.
_HOLDING = (Act.TAKE, Act.BRING, Act.MAKE)


def spanned(
    read: Callable[[Clauses, int], Iterable[Found]],
) -> Callable[[Clauses, int], Iterable[Found]]:
    """Clauses of which no part says where it stands stand where the whole rule does."""

    @wraps(read)
    def told(self: Clauses, at: int) -> Iterator[Found]:
        for end, clauses, cost in read(self, at):
            stand = (one if one.end else replace(one, start=at, end=end) for one in clauses)
            yield end, tuple(stand), cost

    return told


class Clauses(Lists):
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
        yield from self.without_slots(at)
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
    def without_slots(self, at: int) -> Iterable[Found]:
        """ "fold the arm": a skill without slots, word for word, for what it brings about."""
        skills = self.domain.without_slots if self.word(at) not in lexicon.DEFINITE else ()
        for words, conditions in skills:
            found, end = 0, at
            while found < len(words) and end < len(self.words):
                if self.word(end) == words[found]:
                    found += 1
                elif self.word(end) not in lexicon.DEFINITE:
                    break
                end += 1
            if found == len(words) and end > at:
                yield end, (Customary((), conditions),), 0

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

    # What is to be done ----------------------------------------------------------------------

    @rule
    def action(self, at: int, form: Form) -> Iterable[Found]:
        """Verbs and what they are about."""
        for end, verb, stands_as, particle in self.domain.verbs_at(self.words, at):
            if stands_as is not form:
                continue
            for behind, clauses, cost in self._objects(end, verb, particle):
                told = tuple(replace(one, start=at, end=behind) for one in clauses)
                yield behind, told, cost
            if not particle and self.word(end) in ('and', ','):
                # "charge and switch on the pump"
                for behind, later, cost in self.action(end + 1, form):
                    first = later[0]
                    if isinstance(first, Do) and first.things and not first.to:
                        also = replace(first, verb=verb, start=at, end=end)
                        yield behind, (also, *later), cost + 1
        if self.word(at) in ('use', 'using'):
            # "use the kiln to heat the drum"
            use = self.row(at + 1, self.place, 'to', (self.action, Form.BASE))
            for end, (tool, (first, *others)), cost in use:
                if isinstance(first, Do) and first.using is None:
                    yield end, (replace(first, using=Place(tool), start=at), *others), cost - 1
        if form is Form.BASE and self.word(at) == 'go':
            yield from self.action(at + 1 + (self.word(at + 1) == 'and'), form)

    def _objects(self, at: int, verb: Verb, particle: str) -> Iterator[Found]:
        if verb.act is Act.CHANGE:
            yield from self._changed(at, verb, particle)
        elif verb.act is Act.PUT:
            yield from self._put(at, verb, particle)
        elif verb.act in (Act.BRING, Act.TAKE, Act.MAKE, Act.FIND):
            yield from self._taken(at, verb, particle)
        elif not particle:
            others = {
                Act.MOVE: self._moved, Act.EXAMINE: self._examined, Act.LEAVE: self._left,
                Act.FILL: self._filled,
            }  # fmt: skip
            yield from others[verb.act](at, verb) if verb.act in others else ()

    def _with_particle(self, at: int, particle: str) -> Iterator[Found]:
        """Things, with the verb's particle behind them."""
        for end, (things,), cost in self.row(at, self.things, *filter(None, (particle,))):
            yield end, things, cost

    def _changed(self, at: int, verb: Verb, particle: str) -> Iterator[Found]:
        switches = verb.state in self.domain.openings | self.domain.switchings
        for end, things, cost in self._with_particle(at, particle):
            end += not switches and self.word(end) in ('up', 'off', 'down')
            # "close it again": as it was before.
            end += verb.state in self.domain.openings and self.word(end) == 'again'
            yield end, (Do(verb, things),), cost
            if not switches:
                for behind, place, more in self._at_place(end, lexicon.USING):
                    # "photograph all drums in hall 1" rather says which.
                    is_set = any(isinstance(one, Noun) and one.count == ALL for one in things)
                    yield behind, (Do(verb, things, using=place),), cost + more + 1 + is_set
            elif self.word(end) == 'with':
                for behind, there, more in self._with_inside(end, things):
                    # "with the tray on it" says which one is meant.
                    if not any(isinstance(one, Noun) and one.definite for one in there.things):
                        yield behind, (there, Do(verb, things)), cost + more
                # "switch on the lamp with a crate (in your hand)"
                for behind, (held,), more in self.row(end + 1, self.things, _HELD):
                    if all(map(_is_carried, held)):
                        both = (Do(verb, things), Shall(held, holding=True))
                        yield behind, both, cost + more + 2
        if not particle and not switches:
            end = at + (self.word(at) in ('up', 'off'))
            for behind, things, cost in self.things(end) if end > at else ():
                yield behind, (Do(verb, things),), cost
            for begin in dict.fromkeys((end, at)):
                for behind, place, more in self._at_place(begin, lexicon.USING):
                    yield behind, (Do(verb, using=place),), more + _OMITTED

    def _with_inside(self, at: int, things: tuple[Thing, ...]) -> Iterator[Found]:
        """ "(the press should be running) with two trays in it": they are there before."""
        place = things[0]
        if len(things) == 1 and isinstance(place, Noun) and place.kind is NameKind.PLACE:
            for end, (inside,), cost in self.row(at, 'with', self.things, _THERE):
                yield end, Shall(inside, (), Place(place, into=True), start=at, end=end), cost

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
        if not isinstance(head, Unknown) or not head.text or head.count not in (1, UNTOLD):
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

    def _put(self, at: int, verb: Verb, particle: str) -> Iterator[Found]:
        for end, things, cost in self._with_particle(at, particle):
            if self.word(end) not in ('to', 'into', 'onto'):
                # "put the drum next to the crate in the shed": is that where the crate is?
                things = tuple(map(_of_unsure_relation, things))
            # "put the drum on the rack next to the crate": is that the rack where it shall be?
            unsure = tuple(map(_of_unsure_place, things))
            for behind, (place,), more in self.row(end, self.destination, maybe('again')):
                told = unsure if place.of_thing else things
                yield behind, (Do(verb, told, to=place),), cost + more
            if self.words[at - 1] in lexicon.LAYING and self.word(end) == 'with':
                for behind, thing, more in self.thing(end + 1):
                    if is_found_by_place(thing) and self._ends(behind):
                        there = Place(thing, of_thing=True, now=True)
                        yield behind, (Do(verb, unsure, to=there),), cost + more + 2
            if self.word(end) in ('in', 'inside') and not particle:
                # "open the chest and put the drum in"
                there = Place(Pronoun(Reference.THERE, end, end + 1), into=True)
                yield end + 1, (Do(verb, things, to=there),), cost + 3
            if verb.own:
                yield end, (Do(verb, things),), cost + 3
        if particle:
            return
        for end, (things,), cost in self.row(at, 'in', self.things):
            # "open the chest and put in a drum"
            there = Place(Pronoun(Reference.THERE, at, at + 1), into=True)
            yield end, (Do(verb, things, to=there),), cost + 3
        for end, place, cost in self.destination(at):
            yield end, (Do(verb, to=place),), cost + _OMITTED
            begin = end + (self.word(end) == ':')
            while begin > end and self.word(begin) == '\n':
                begin += 1
            for behind, things, more in self.things(begin):
                told = begin > end
                yield behind, (Do(verb, things, to=place),), cost + more + (0 if told else 2)

    def _taken(self, at: int, verb: Verb, particle: str) -> Iterator[Found]:
        people = self.word(at) in lexicon.PEOPLE and verb.act is not Act.FIND
        at += people
        at += people and self.word(at) == ':'
        for end, things, cost in self._with_particle(at, particle):
            if verb.act is Act.MAKE and any(isinstance(one, Noun) and one.place for one in things):
                continue  # "make a mat from reed and a rope": what it is made of
            if verb.head == 'get':
                # "get the drum in the chest": where it is, or where it shall be?
                things = tuple(map(_of_unsure_place, things))
            source_ends: list[tuple[int, Place | None, int]] = [(end, None, 0)]
            for begin in self.says(end, lexicon.OUT) if verb.act is not Act.MAKE else ():
                if self.words[end:begin] == ('out',):
                    source_ends.append((begin, None, 1))
                    continue
                source_ends += [(b, Place(t, source=True), m) for b, t, m in self.place(begin)]
            for behind, source, more in source_ends:
                total = cost + more
                if verb.act is Act.MAKE:
                    made = self.row(behind, lexicon.OUT_OF, self.things)
                    for close, (parts,), further in made:
                        using = Place(parts[0])
                        yield close, (Do(verb, things, using=using),), total + further + 1
                if verb.act is Act.BRING:
                    # "Bring me a crate, the drum to the rack": either may be meant.
                    apart = people and self.word(things[-1].start - 1) == ','
                    for close, place, further in (
                        ()
                        if apart
                        else self.brought_to(
                            # "off the rack and into the chest"
                            behind + (source is not None and self.word(behind) == 'and'),
                            verb,
                            people,
                        )
                    ):
                        told = Do(verb, things, place, source, people=people)
                        yield close, (told,), total + further
                    for close in self.says(behind, _TO_PEOPLE):
                        yield close, (Do(verb, things, source=source, people=True),), total
                # "gather three cups for the washer"
                meant = self.row(behind, 'for', self.place) if not people else ()
                for close, (thing,), _ in meant:
                    if isinstance(thing, Noun) and thing.kind is NameKind.PLACE:
                        yield close, (Do(verb, things, Place(thing), source),), total + 1
                alone = 2 if verb.act is Act.BRING else 0
                told = Do(verb, things, source=source, people=people)
                for close in self.says(behind, _HELD):
                    yield close, (told,), total
                yield behind + (self.word(behind) == 'again'), (told,), total + alone

    def brought_to(self, at: int, verb: Verb, people: bool = False) -> Iterator[Found]:
        """Where something is brought: "take the cup on the shelf" and "bring me the cup on the
        shelf" say where it is."""
        yield from (
            self._at_place(at, lexicon.ONTO)
            if verb.head == 'take' or people
            else self.destination(at)
        )

    def _moved(self, at: int, verb: Verb) -> Iterator[Found]:
        if self.word(at) == 'home':
            for end, (noun, _), cost in self.name(at):
                yield end, (Do(verb, to=Place(replace(noun, count=1))),), cost
        for end in (at,) if verb.words[-1] == 'to' else tuple(self.says(at, lexicon.TO)):
            for behind, thing, cost in self.place(end):
                move = Do(verb, to=Place(thing))
                yield behind, (move,), cost
                for close, (held,), more in self.row(behind, 'with', self.things):
                    if all(map(_is_carried, held)):
                        yield close, (Shall(held, holding=True), move), cost + more

    def _examined(self, at: int, verb: Verb) -> Iterator[Found]:
        for begin in (at, *self.says(at, lexicon.LOOKING_IN)):
            for end, (place, things), cost in self.row(begin, self.place, 'for', self.things):
                yield end, (Do(verb, things, source=Place(place)),), cost
        for end, things, cost in self.things(at):
            yield end, (Do(verb, things),), cost + 1
            for begin in self.says(end, lexicon.USING):
                light = self.longest(begin, lexicon.LIGHT_OF)
                if light == begin and self.words[end:begin] not in lexicon.BY_LIGHT:
                    continue
                for behind, thing, more in self.thing(light):
                    if isinstance(thing, Noun) and self._is_lamp(thing):
                        close = behind + (self.word(behind) in ('light', 's light'))
                        yield close, (Lamplight(things, thing),), cost + more

    def _is_lamp(self, thing: Noun) -> bool:
        return any(
            self.domain.may_be(thing.kind, thing.name, state) for state in self.domain.switchings
        )

    def _left(self, at: int, verb: Verb) -> Iterator[Found]:
        """ "leave it closed", "have all drums labelled", "keep it in your hand"."""
        for end, things, cost in self.things(at):
            # "keep it closed": all the time, not only in the end, a prohibition.
            told = self.predicate(end) if verb.head != 'keep' else ()
            for behind, (states, place), more in told:
                if states or verb.head != 'get':
                    yield behind, (Shall(things, states, place),), cost + more
            for behind in self.says(end, _HELD):
                yield behind, (Shall(things, holding=True),), cost

    def _filled(self, at: int, verb: Verb) -> Iterator[Found]:
        for end, (place, joint, things), cost in self.row(at, self.place, self._with, self.things):
            if joint == 'with' or self._ends(end):
                yield end, (Do(verb, things, to=Place(place, into=True)),), cost

    def _with(self, at: int) -> Iterator[Found]:
        if self.word(at) in ('with', ':'):
            yield at + 1, self.word(at), 0

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
                if self._ends(end):
                    yield end, (Shall(things, (), place),), cost + 1

    # What shall hold -------------------------------------------------------------------------

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
                for behind in self.says(end, _HELD):
                    yield behind, (Shall(things, holding=True, asserted=asserted),), cost
                for behind, (states, place), more in self.predicate(end):
                    there = Shall(things, states, place, asserted=asserted)
                    yield behind, (there,), cost + more + 3 * asserted
                if asserted:
                    yield end, (Shall(things, asserted=True),), cost + 4
        if self.word(at) in ('can', 'could'):
            # "Can the crates go on the rack, please"
            for end, clauses, cost in self.statement(at + 1):
                if not clauses[0].asserted:
                    yield end, clauses, cost
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
            yield end, (Again(things, place),), cost + 1
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
                if self._ends(behind) and any(told):
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

    def _ends(self, at: int) -> bool:
        """Whether a part of a sentence ends here."""
        return self.word(at) in ('', '.', ',', '\n', 'and', '?', '"', '•', '#')


def _is_sort(one: Thing) -> bool:
    return isinstance(one, Pronoun) and one.reference in (
        Reference.ONE_OF_SORT, Reference.REST_OF_SORT
    )  # fmt: skip


def _of_unsure_place(thing: Thing) -> Thing:
    """The thing, whose place may be where it shall be."""
    if not isinstance(thing, Noun) or thing.place is None or thing.place.source:
        return thing
    return replace(thing, place=replace(thing.place, beside=True))


def _of_unsure_relation(thing: Thing) -> Thing:
    """The thing; what it is next to is not sure where it may be where it shall be, too."""
    place = thing.place if isinstance(thing, Noun) else None
    return _of_unsure_place(thing) if place is not None and place.of_thing else thing


def _is_carried(thing: Thing) -> bool:
    return isinstance(thing, Noun) and thing.kind is NameKind.THING
