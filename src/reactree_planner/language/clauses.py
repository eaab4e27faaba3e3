"""Clauses: what shall be done, and what shall hold, with everything that belongs to it."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace

from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found
from reactree_planner.language.chart import rule
from reactree_planner.language.domain import Verb
from reactree_planner.language.lexicon import Act
from reactree_planner.language.meanings import Do
from reactree_planner.language.meanings import Lamplight
from reactree_planner.language.meanings import Noun
from reactree_planner.language.meanings import Order
from reactree_planner.language.meanings import Place
from reactree_planner.language.meanings import Pronoun
from reactree_planner.language.meanings import Reference
from reactree_planner.language.meanings import Shall
from reactree_planner.language.meanings import Thing
from reactree_planner.language.meanings import Unknown
from reactree_planner.language.names import NameKind
from reactree_planner.language.nouns import Nouns
from reactree_planner.language.words import Form

#: What a thing costs that is not told: "wash a tray and put in the locker".
_OMITTED = 4
#: What a clause without a verb costs.
_FRAGMENT = 5
_HELD = lexicon.phrases(
    'in your hand|in your hands|in hand|in your inventory|in the inventory|in your grip'
    '|in your gripper|in your possession|with you'
)
_LACKING = ('needed', 'missing', 'required', 'lacking')
_THERE = lexicon.phrases('in it|inside it|inside|on it|in there|within it|in|on')
_TO_PEOPLE = lexicon.phrases('to me|to us|over to me|for me|back to me')
#: Acts whose things are held afterwards where no place is told.
_HOLDING = (Act.TAKE, Act.BRING, Act.MAKE)


class Clauses(Nouns):
    """Rules of clauses; each finds a tuple of them, in the order in which they are told."""

    @rule
    def clause(self, at: int) -> Iterable[Found]:
        """Anything that asks for something."""
        yield from self.order(at)
        yield from self.action(at, Form.BASE)
        yield from self.action(at, Form.GERUND)
        if self.word(at) == 'to':
            for end, clauses, cost in self.action(at + 1, Form.BASE):
                # "To open the chest, switch on the pump": what the rest is for.
                if self.word(end) != ',':
                    yield end, clauses, cost
        for end in self.says(at, lexicon.REQUESTS):
            yield from self.action(end, Form.BASE)
            yield from self.action(end, Form.GERUND)
        yield from self.prepared(at)
        yield from self.ensured(at)
        yield from self.statement(at)
        yield from self.wish(at)
        yield from self.fragment(at)
        yield from self.gap(at)

    # Orders ----------------------------------------------------------------------------------

    @rule
    def order(self, at: int) -> Iterable[Found]:
        """Two clauses of which one tells when the other is done."""
        for begin in self.says(at, lexicon.BEFORE):
            yield from self._order_first(begin, is_before=True)
        for begin in self.says(at, lexicon.AFTER):
            yield from self._order_first(begin, is_before=False)
        for end, done, cost in self.action(at, Form.BASE):
            end = self.joint(end)
            for begin in self.says(end, lexicon.BEFORE):
                for behind, later, more in self._told(begin):
                    yield behind, (Order(done, later, at, behind),), cost + more
            for begin in self.says(end, lexicon.AFTER):
                for behind, earlier, more in self._told(begin):
                    yield behind, (Order(earlier, done, at, behind),), cost + more
            for begin in self.says(end, lexicon.WHILE):
                for behind, beside, more in self._held_or_done(begin):
                    yield behind, (*done, *beside), cost + more

    def joint(self, at: int) -> int:
        """Index of the word that tells the order, behind what may stand before it."""
        return at + (self.word(at) == ',')

    def _order_first(self, begin: int, is_before: bool) -> Iterator[Found]:
        for end, told, cost in self._told(begin):
            end += self.word(end) == ','
            for behind, main, more in self.action(end, Form.BASE):
                first, then = (main, told) if is_before else (told, main)
                yield behind, (Order(first, then, begin - 1, behind),), cost + more

    def _told(self, at: int) -> Iterator[Found]:
        """ "opening it", "you open it", "you have opened it"."""
        yield from self.action(at, Form.GERUND)
        if self.word(at) == 'you':
            yield from self.action(at + 1, Form.BASE)
            if self.word(at + 1) == 'have':
                yield from self.action(at + 2, Form.PARTICIPLE)
        yield from self.action(at, Form.PARTICIPLE)

    def _held_or_done(self, at: int) -> Iterator[Found]:
        yield from self.action(at, Form.GERUND)

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
            for end, tool, cost in self.place(at + 1):
                if self.word(end) != 'to':
                    continue
                for behind, clauses, more in self.action(end + 1, Form.BASE):
                    first = clauses[0]
                    if isinstance(first, Do) and first.using is None:
                        with_tool = replace(first, using=Place(tool), start=at)
                        yield behind, (with_tool, *clauses[1:]), cost + more - 1
        if form is Form.BASE and self.word(at) == 'go' and self.word(at + 1) in ('and', 'get'):
            yield from self.action(at + 1 + (self.word(at + 1) == 'and'), form)

    def _objects(self, at: int, verb: Verb, particle: str) -> Iterator[Found]:
        if verb.act is Act.CHANGE:
            yield from self._changed(at, verb, particle)
        elif verb.act is Act.PUT:
            yield from self._put(at, verb, particle)
        elif verb.act in (Act.BRING, Act.TAKE, Act.MAKE, Act.FIND):
            yield from self._taken(at, verb, particle)
        elif verb.act is Act.MOVE and not particle:
            yield from self._moved(at, verb)
        elif verb.act is Act.EXAMINE and not particle:
            yield from self._examined(at, verb)
        elif verb.act is Act.LEAVE and not particle:
            yield from self._left(at, verb)
        elif verb.act is Act.FILL and not particle:
            yield from self._filled(at, verb)

    def _with_particle(
        self, at: int, particle: str
    ) -> Iterator[tuple[int, tuple[Thing, ...], int]]:
        """Things, with the verb's particle behind them."""
        for end, things, cost in self.things(at):
            if not particle:
                yield end, things, cost
            elif self.word(end) == particle:
                yield end + 1, things, cost

    def _changed(self, at: int, verb: Verb, particle: str) -> Iterator[Found]:
        switches = verb.state in self.domain.openings | self.domain.switchings
        for end, things, cost in self._with_particle(at, particle):
            end += not switches and self.word(end) in ('up', 'off', 'down')
            # "close it again": as it was before.
            end += verb.state in self.domain.openings and self.word(end) == 'again'
            yield end, (Do(verb, things),), cost
            if not switches:
                for behind, place, more in self._at_place(end, lexicon.USING):
                    yield behind, (Do(verb, things, using=place),), cost + more + 1
            elif self.word(end) == 'with':
                for behind, there, more in self._with_inside(end, things):
                    # "with the tray on it" says which one is meant.
                    if not any(isinstance(one, Noun) and one.definite for one in there.things):
                        yield behind, (there, Do(verb, things)), cost + more
                # "switch on the lamp with a crate (in your hand)"
                for behind, held, more in self.things(end + 1):
                    close = self.longest(behind, _HELD)
                    if close > behind and all(
                        isinstance(one, Noun) and one.kind is NameKind.THING for one in held
                    ):
                        both = (Do(verb, things), Shall(held, holding=True))
                        yield close, both, cost + more + 2
        if not particle and not switches:
            end = at + (self.word(at) in ('up', 'off'))
            for begin in (end, at) if end > at else (at,):
                for behind, things, cost in self.things(begin):
                    if begin > at:
                        yield behind, (Do(verb, things),), cost
                for behind, place, more in self._at_place(begin, lexicon.USING):
                    yield behind, (Do(verb, using=place),), more + _OMITTED

    def _with_inside(self, at: int, things: tuple[Thing, ...]) -> Iterator[tuple[int, Shall, int]]:
        """ "(the press should be running) with two trays in it": they are there before."""
        place = things[0]
        if self.word(at) != 'with' or len(things) > 1 or not isinstance(place, Noun):
            return
        for end, inside, cost in self.things(at + 1) if place.kind is NameKind.PLACE else ():
            for behind in self.says(end, _THERE):
                told = Shall(inside, (), Place(place, into=True), start=at, end=behind)
                yield behind, told, cost

    def _at_place(
        self, at: int, prepositions: lexicon.Phrases
    ) -> Iterator[tuple[int, Place, int]]:
        for end in self.says(at, prepositions):
            words = self.words[at:end]
            into = words[-1] in ('in', 'into', 'inside', 'within') or 'inside' in words
            for behind, thing, cost in self.place(end):
                yield behind, Place(thing, into=into), cost

    def destination(self, at: int) -> Iterator[tuple[int, Place, int]]:
        """Where something shall be."""
        yield from self._at_place(at, lexicon.IN)
        for end in self.says(at, lexicon.BESIDE):
            for behind, thing, cost in self.place(end):
                yield behind, Place(thing, beside=True), cost
        if self.word(at) in ('there', 'inside'):
            yield at + 1, Place(Pronoun(Reference.THERE, at, at + 1)), 1

    def _put(self, at: int, verb: Verb, particle: str) -> Iterator[Found]:
        for end, things, cost in self._with_particle(at, particle):
            for behind, place, more in self.destination(end):
                yield behind + self._again(behind), (Do(verb, things, to=place),), cost + more
            if self.word(end) in ('in', 'inside', 'back', 'away', 'down') and not particle:
                # "open the chest and put the drum in"
                if self.word(end) in ('in', 'inside'):
                    there = Place(Pronoun(Reference.THERE, end, end + 1), into=True)
                    yield end + 1, (Do(verb, things, to=there),), cost + 3
            if verb.own:
                yield end, (Do(verb, things),), cost + 3
        if particle:
            return
        for end, place, cost in self.destination(at):
            yield end, (Do(verb, to=place),), cost + _OMITTED
            begin = end + (self.word(end) == ':')
            while begin > end and self.word(begin) == '\n':
                begin += 1
            for behind, things, more in self.things(begin):
                told = begin > end
                yield behind, (Do(verb, things, to=place),), cost + more + (0 if told else 2)

    def _again(self, at: int) -> int:
        """1 where "again" stands: back there, where it was before."""
        return int(self.word(at) == 'again')

    def _taken(self, at: int, verb: Verb, particle: str) -> Iterator[Found]:
        people = self.word(at) in lexicon.PEOPLE and verb.act is not Act.FIND
        at += people
        at += people and self.word(at) == ':'
        for end, things, cost in self._with_particle(at, particle):
            if verb.head == 'get':
                # "get the drum in the chest": where it is, or where it shall be?
                things = tuple(map(_of_unsure_place, things))
            source_ends: list[tuple[int, Place | None, int]] = [(end, None, 0)]
            for begin in self.says(end, lexicon.OUT) if verb.act is not Act.MAKE else ():
                if self.words[end:begin] == ('out',):
                    source_ends.append((begin, None, 1))
                    continue
                source_ends += [(b, Place(t), m) for b, t, m in self.place(begin)]
            for behind, source, more in source_ends:
                total = cost + more
                if verb.act is Act.MAKE:
                    for close, using, further in self._made_of(behind):
                        yield close, (Do(verb, things, using=using),), total + further
                if verb.act is Act.BRING:
                    for close, place, further in self.brought_to(behind, verb, people):
                        yield (
                            close,
                            (Do(verb, things, place, source, people=people),),
                            total + further,
                        )
                    for close in self.says(behind, _TO_PEOPLE):
                        yield close, (Do(verb, things, source=source, people=True),), total
                for close, place in self._meant_for(behind) if not people else ():
                    yield close, (Do(verb, things, place, source),), total + 1
                alone = 2 if verb.act is Act.BRING else 0
                for close in self.says(behind, _HELD):
                    yield close, (Do(verb, things, source=source, people=people),), total
                close = behind + self._again(behind)
                yield close, (Do(verb, things, source=source, people=people),), total + alone

    def _meant_for(self, at: int) -> Iterator[tuple[int, Place]]:
        """ "gather three cups for the washer"."""
        if self.word(at) == 'for':
            for end, thing, _ in self.place(at + 1):
                if isinstance(thing, Noun) and thing.kind is NameKind.PLACE:
                    yield end, Place(thing)

    def brought_to(
        self, at: int, verb: Verb, people: bool = False
    ) -> Iterator[tuple[int, Place, int]]:
        """Where something is brought: "take the cup on the shelf" and "bring me the cup on the
        shelf" say where it is."""
        if verb.head == 'take' or people:
            yield from self._at_place(at, lexicon.ONTO)
            return
        yield from self.destination(at)

    def _made_of(self, at: int) -> Iterator[tuple[int, Place, int]]:
        for end in self.says(at, lexicon.OUT_OF):
            for behind, things, cost in self.things(end):
                yield behind, Place(things[0]), cost + 1

    def _moved(self, at: int, verb: Verb) -> Iterator[Found]:
        for end in (at,) if verb.words[-1] == 'to' else tuple(self.says(at, lexicon.TO)):
            for behind, thing, cost in self.place(end):
                move = Do(verb, to=Place(thing))
                yield behind, (move,), cost
                for end, held, more in self.things(behind + 1):
                    if self.word(behind) == 'with' and all(map(_is_carried, held)):
                        yield end, (Shall(held, holding=True), move), cost + more

    def _examined(self, at: int, verb: Verb) -> Iterator[Found]:
        for begin in (at, *self.says(at, lexicon.LOOKING_IN)):
            for end, place, cost in self.place(begin):
                for behind, things, more in self.things(end + 1):
                    if self.word(end) == 'for':
                        yield behind, (Do(verb, things, source=Place(place)),), cost + more
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
            for behind, states, place, more in self.predicate(end):
                if verb.head == 'keep':
                    # All the time, not only in the end: a prohibition.
                    continue
                if states or verb.head != 'get':
                    yield behind, (Shall(things, states, place),), cost + more
            for behind in self.says(end, _HELD):
                yield behind, (Shall(things, holding=True),), cost

    def _filled(self, at: int, verb: Verb) -> Iterator[Found]:
        for end, place, cost in self.place(at):
            if self.word(end) in ('with', ':'):
                for behind, things, more in self.things(end + 1):
                    to = Place(place, into=True)
                    if self.word(end) == 'with' or self._ends(behind):
                        yield behind, (Do(verb, things, to=to),), cost + more

    @rule
    def prepared(self, at: int) -> Iterable[Found]:
        """ "prepare a set on the pallet: a cup and a tray"."""
        if self.word(at) not in lexicon.PREPARING:
            return
        for begin in range(at + 2, at + 5):
            word = self.word(begin - 1)
            if any(self.name(begin - 1)) or not word.isalpha() or word in lexicon.TYING:
                return
            for end, place, cost in self._at_place(begin, lexicon.IN):
                if self.word(end) != ':':
                    continue
                for behind, things, more in self.things(end + 1):
                    if self._ends(behind):
                        told = Shall(things, (), place, start=at, end=behind)
                        yield behind, (told,), cost + more + 1

    # What shall hold -------------------------------------------------------------------------

    def predicate(self, at: int) -> Iterator[tuple[int, tuple[str, ...], Place | None, int]]:
        """States and a place: "charged and in the storeroom"."""
        for end, states in self._states(at):
            yield end, states, None, 0
            begin = end + (self.word(end) in ('and', ','))
            for behind, place, cost in self._at_place(begin, lexicon.IN):
                yield behind, states, place, cost
        begin = at + (self.word(at) in lexicon.WAITING)
        for end, place, cost in self.destination(begin):
            yield end, (), place, cost
            if self.word(end) == 'and':
                for behind, states in self._states(end + 1):
                    yield behind, states, place, cost
        for end, verb, form, particle in self.domain.verbs_at(self.words, at):
            # "placed on the shelf"
            puts = verb.act in (Act.PUT, Act.BRING) and form is Form.PARTICIPLE and not particle
            if puts:
                for behind, place, cost in self.destination(end):
                    yield behind, (), place, cost

    def _states(self, at: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        for end, state in self.domain.states_at(self.words, at):
            yield end, (state,)
            begin = end
            while self.word(begin) in ('and', ','):
                begin += 1
            if begin > end:
                for behind, more in self._states(begin):
                    yield behind, (state, *more)

    @rule
    def ensured(self, at: int) -> Iterable[Found]:
        """ "make sure the gate is shut", "there should be a tray in the sink"."""
        for begin in self.says(at, lexicon.ENSURING):
            for end, clauses, cost in self.statement(begin + (self.word(begin) in (',', ':'))):
                one = clauses[0]
                if one.states or one.to is not None or one.holding:
                    yield end, (replace(one, asserted=False),), cost - 3 * one.asserted
            if self.word(begin) == ':':
                yield from self.fragment(begin + 1)

    @rule
    def statement(self, at: int) -> Iterable[Found]:
        """ "the gate should be shut", "the rake belongs in the shed", "it is in the shed"."""
        if self.word(at) == 'there':
            for begin, asserted in self._copula(at + 1):
                for end, things, cost in self.things(begin):
                    for behind in self.says(end, _HELD):
                        yield (
                            behind,
                            (
                                Shall(
                                    things, holding=True, asserted=asserted, start=at, end=behind
                                ),
                            ),
                            cost,
                        )
                    for behind, states, place, more in self.predicate(end):
                        told = Shall(
                            things, states, place, asserted=asserted, start=at, end=behind
                        )
                        yield behind, (told,), cost + more + 3 * asserted
                    if asserted:
                        yield end, (Shall(things, asserted=True, start=at, end=end),), cost + 4
        for end, states in self._states(at):
            # "Wrapped and labelled, the parcel has to be on the truck."
            for behind, (one, *others), cost in self.statement(end + 1):
                if self.word(end) == ',' and not one.asserted:
                    yield behind, (replace(one, states=(*states, *one.states)), *others), cost
        for end, things, cost in self.things(at):
            for begin, asserted in self._copula(end):
                for behind, states, place, more in self.predicate(begin):
                    told = Shall(things, states, place, asserted=asserted, start=at, end=behind)
                    yield behind, (told,), cost + more + 3 * asserted
                    for close, there, further in self._with_inside(behind, things):
                        yield close, (there, told), cost + more + further + 3 * asserted
            if self.word(end) in lexicon.SHALL and self.word(end + 1) in lexicon.STANDING:
                for behind, place, more in self.destination(end + 2):
                    told = Shall(things, (), place, start=at, end=behind)
                    yield behind, (told,), cost + more
            for begin in self.says(end, lexicon.BELONGS):
                for behind, place, more in self.destination(begin):
                    told = Shall(things, (), place, start=at, end=behind)
                    yield behind, (told,), cost + more
            if self.word(end) in lexicon.NEEDS and len(things) == 1:
                yield from self._needed(at, end + 1, things, cost)

    def _copula(self, at: int) -> Iterator[tuple[int, bool]]:
        """Index behind "is" or "should be", and whether it only says how things are."""
        word = self.word(at)
        if word in lexicon.BE and word not in ('be', 'being', 'been', 'am'):
            yield at + 1, True
        if word in lexicon.SHALL and self.word(at + 1) == 'be':
            yield at + 2, False
        for end in self.says(at, lexicon.HAS_TO):
            if self.word(end) in ('be', 'stay'):
                yield end + 1, False

    def _needed(
        self, at: int, begin: int, things: tuple[Thing, ...], cost: int
    ) -> Iterator[Found]:
        """ "pallet 3 needs a parcel", "the lawn needs mowing"."""
        place = things[0]
        if isinstance(place, Noun) and place.kind is NameKind.PLACE:
            for end, needed, more in self.things(begin):
                to = Place(place)
                yield end, (Shall(needed, (), to, start=at, end=end),), cost + more + 1
        for end, verb, form, particle in self.domain.verbs_at(self.words, begin):
            if verb.act is Act.CHANGE and form is Form.GERUND and not particle:
                yield end, (Shall(things, (verb.state,), start=at, end=end),), cost

    @rule
    def wish(self, at: int) -> Iterable[Found]:
        """ "I want two crates on the truck", "I need an axle"."""
        if self.word(at) not in lexicon.WISHERS:
            return
        begin = (
            at + 1 + (self.word(at + 1) == 'would' and self.word(at + 2) not in ('like', 'love'))
        )
        for end in self.says(begin, lexicon.WISHES):
            end += self.words[end : end + 2] == ('to', 'find') and 2
            for behind, things, cost in self.things(end):
                for close, states, place, more in self.predicate(behind):
                    told = Shall(things, states, place, start=at, end=close)
                    yield close, (told,), cost + more
                yield behind, (Shall(things, holding=True, start=at, end=behind),), cost + 2

    @rule
    def gap(self, at: int) -> Iterable[Found]:
        """ "and another one on the shelf": the verb stands in the clause before."""
        if self.word(at - 1) not in ('and', ','):
            return
        for end, things, cost in self.things(at):
            for behind, place, more in self.destination(end):
                told = Shall(things, (), place, start=at, end=behind, again=True)
                yield behind, (told,), cost + more + 1

    @rule
    def fragment(self, at: int) -> Iterable[Found]:
        """ "safe closed", "two trays -> loading table", "shed: rake, broom"."""
        if self.word(at - 1) not in ('', '.', ',', '\n', ':', '•', '#', 'and', '"', ';'):
            return
        for end, things, cost in self.things(at):
            if any(isinstance(one, Unknown | Pronoun) and not _is_sort(one) for one in things):
                continue
            for behind, states, place, more in self.predicate(end):
                told = Shall(things, states, place, start=at, end=behind)
                if self._ends(behind) and (states or place):
                    yield behind, (told,), cost + more + _FRAGMENT
                for close in self.says(behind, lexicon.PLEASING):
                    yield close, (replace(told, end=close),), cost + more
            numbered = any(isinstance(one, Noun) and one.instance is not None for one in things)
            if len(things) > 1 and numbered:
                # "masks 2, glove box 1 -> trolley": which one, or how many?
                continue
            if self.word(end) in ('->', ':', ','):
                yield from self._listed(at, end, things, cost)
            begin = end + 1 + (self.word(end + 1) == 'still')
            if self.word(end) in lexicon.BE and self.word(begin) in _LACKING:
                told = Shall(things, holding=True, start=at, end=begin + 1)
                yield begin + 1, (told,), cost + 1
                for behind, place, more in self._at_place(begin + 1, lexicon.IN_OR_FROM):
                    there = Shall(things, (), place, start=at, end=behind)
                    yield behind, (there,), cost + more
        begin = at + (self.word(at) in ('for', 'to', 'on', 'in'))
        for end, place, cost in self.place(begin):
            if self.word(end) == ':' and not isinstance(place, Pronoun | Unknown):
                start = end + 1
                while self.word(start) == '\n':
                    start += 1
                for behind, things, more in self.things(start):
                    if self._ends(behind):
                        told = Shall(things, (), Place(place), start=at, end=behind)
                        yield behind, (told,), cost + more + _FRAGMENT

    def _listed(self, at: int, end: int, things: tuple[Thing, ...], cost: int) -> Iterator[Found]:
        """ "a tray and a fork -> table", "rake, broom: into the shed"."""
        arrow = self.word(end) == '->'
        for behind, place, more in self.destination(end + 1):
            if self._ends(behind):
                told = Shall(things, (), place, start=at, end=behind)
                yield behind, (told,), cost + more + _FRAGMENT + (self.word(end) == ',')
        if arrow:
            for behind, thing, more in self.place(end + 1):
                told = Shall(things, (), Place(thing), start=at, end=behind)
                yield behind, (told,), cost + more

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


def _is_carried(thing: Thing) -> bool:
    return isinstance(thing, Noun) and thing.kind is NameKind.THING
