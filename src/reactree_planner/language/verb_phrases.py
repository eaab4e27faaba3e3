"""Verb phrases: what is to be done, and with what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found, maybe, rule
from reactree_planner.language.domain import Verb
from reactree_planner.language.meanings import (
    ALL,
    Do,
    is_found_by_place,
    Lamplight,
    Noun,
    Place,
    Pronoun,
    Reference,
    Shall,
    Thing,
)
from reactree_planner.language.names import NameKind
from reactree_planner.language.predicates import HELD, of_unsure_place, Predicates
from reactree_planner.language.verbs import Act
from reactree_planner.language.words import Form

#: What a thing costs that is not told: "wash a tray and put in the locker".
_OMITTED = 4
_TO_PEOPLE = lexicon.phrases('to me|to us|over to me|for me|back to me')


class VerbPhrases(Predicates):
    """Rules of verbs with all that belongs to them."""

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
            yield from others[verb.act](at, verb)

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
                for behind, (held,), more in self.row(end + 1, self.things, HELD):
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

    def _put(self, at: int, verb: Verb, particle: str) -> Iterator[Found]:
        for end, things, cost in self._with_particle(at, particle):
            if self.word(end) not in ('to', 'into', 'onto'):
                # "put the drum next to the crate in the shed": is that where the crate is?
                things = tuple(map(_of_unsure_relation, things))
            # "put the drum on the rack next to the crate": is that the rack where it shall be?
            unsure = tuple(map(of_unsure_place, things))
            for behind, (place,), more in self.row(end, self.destination, maybe('again')):
                # "put the drum on the rack in the hall": on the rack, which is there?
                around = getattr(place.thing, 'kind', None) is NameKind.REGION
                told = unsure if place.of_thing or (around and self.word(end) != 'to') else things
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
            if verb.act is Act.MAKE and any(
                isinstance(one, Noun) and (one.place or one.inside) for one in things
            ):
                continue  # "make a mat from reed", "a mat of reed": what it is made of
            if verb.head == 'get':
                # "get the drum in the chest": where it is, or where it shall be?
                things = tuple(map(of_unsure_place, things))
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
                        else self._brought_to(
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
                for close in self.says(behind, HELD):
                    yield close, (told,), total
                yield behind + (self.word(behind) == 'again'), (told,), total + alone

    def _brought_to(self, at: int, verb: Verb, people: bool = False) -> Iterator[Found]:
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
            for behind in self.says(end, HELD):
                yield behind, (Shall(things, holding=True),), cost

    def _filled(self, at: int, verb: Verb) -> Iterator[Found]:
        for end, (place, joint, things), cost in self.row(at, self.place, self._with, self.things):
            if verb.head == 'lay' and joint == 'with' and _is_carried(place):
                continue  # "lay the crate with the drum on the rack": both there
            if joint == 'with' or self._ends(end):
                yield end, (Do(verb, things, to=Place(place, into=True)),), cost

    def _with(self, at: int) -> Iterator[Found]:
        if self.word(at) in ('with', ':'):
            yield at + 1, self.word(at), 0


def _of_unsure_relation(thing: Thing) -> Thing:
    """The thing; what it is next to is not sure where it may be where it shall be, too."""
    place = thing.place if isinstance(thing, Noun) else None
    return of_unsure_place(thing) if place is not None and place.of_thing else thing


def _is_carried(thing: Thing) -> bool:
    return isinstance(thing, Noun) and thing.kind is NameKind.THING
