"""Where things are, lists of things that are handled alike, and places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found, rule
from reactree_planner.language.meanings import (
    ALL,
    is_found_by_place,
    Noun,
    Place,
    Pronoun,
    Reference,
    Thing,
    Unknown,
)
from reactree_planner.language.names import NameKind
from reactree_planner.language.nouns import Nouns, OF_THEM, UNREAD
from reactree_planner.language.tokens import MARK, STEP

_REGION_OF_PLACE = (NameKind.REGION, NameKind.PLACE)
_IN_IT = lexicon.phrases('in it|inside it|on it|inside of it|on top of it|inside')
#: Tokens of a set before its exceptions.
LONGEST_SET = 12
_FOLLOWING = lexicon.phrases(
    'these|the following',
    (
        (*start, 'following', *kind, noun)
        for start in (('the',), ())
        for kind in ((), ('food',), ('dirty',))
        for noun in ('items', 'things', 'objects', 'item')
    ),
)
_ANNOUNCED = lexicon.Phrases(
    (*start, *kind, noun, ':')
    for start in (('the', 'following'), ('following',), ('these',))
    for kind in ((), ('food',), ('two',), ('three',), ('four',), ('five',))
    for noun in ('items', 'things', 'objects')
)


class Lists(Nouns):
    """Rules of lists and places."""

    @rule
    def located(self, at: int) -> Iterable[Found]:
        """A thing, and where it is now, or what is in it; all but some."""
        yield from self._all_but(at)
        yield from self._placed(at)

    @rule
    def _all_but(self, at: int) -> Iterable[Found]:
        """ "everything on the rack except the crate", "all drums but drum 2": all but some."""
        for end, thing, cost in self._placed(at):
            if not (isinstance(thing, Noun) and thing.count == ALL):
                continue
            begin = end + (self.word(end) == ',')
            for start in self.says(begin, lexicon.ALL_BUT):
                for behind, things, more in self.exceptions(start):
                    close = behind + (begin > end and self.word(behind) == ',')
                    if may_except(thing, things):
                        yield close, replace(thing, but=things, end=close), cost + more

    def excepts_from_set(self, at: int) -> bool:
        """Whether a word begins the exceptions of a set that is told before it."""
        if not any(self.says(at, lexicon.ALL_BUT)):
            return False
        begins = range(max(0, at - LONGEST_SET), at)
        return any(
            noun.start < at < noun.but[0].start
            for begin in begins
            for _, noun, _ in self._all_but(begin)
        )

    def exceptions(self, at: int) -> Iterator[Found]:
        """Things that are told by name."""
        for end, thing, cost in self.thing(at):
            if not isinstance(thing, Noun) or thing.kind is not NameKind.THING:
                continue
            yield end, (thing,), cost
            begin = end + (self.word(end) == ',')
            begin += self.word(begin) in ('and', 'or')
            for behind, others, more in self.exceptions(begin) if begin > end else ():
                yield behind, (thing, *others), cost + more

    @rule
    def _placed(self, at: int) -> Iterable[Found]:
        """A thing, and where it is now, or what is in it."""
        if self.word(at) in lexicon.WHATEVER:
            # "whatever lies on the rack"
            end = at + 1 + (self.word(at + 1) in lexicon.ELSE)
            for behind, place, more in self._whereabouts(end):
                if self.word(end) in lexicon.LIES:
                    found = self.all_things(at, behind, end > at + 1)
                    yield behind, replace(found, place=place), more + 5
        for end, thing, cost in self.thing(at):
            yield end, thing, cost
            is_set = isinstance(thing, Noun) and thing.count == ALL
            for behind, place, more in self._whereabouts(end, is_set):
                if isinstance(thing, Noun):
                    yield behind, replace(thing, place=place, end=behind), cost + more + 5
                elif isinstance(thing, Unknown):
                    yield behind, replace(thing, end=behind), cost + more + 5
            if isinstance(thing, Noun) or (self.describes and isinstance(thing, Unknown)):
                for behind, inside, more in self._contents(end):
                    yield behind, replace(thing, inside=inside, end=behind), cost + more + 1

    def _whereabouts(self, at: int, is_set: bool = True) -> Iterator[tuple[int, Place, int]]:
        """ "on the pallet", "which is probably in the chest,", "lying on the pallet".

        :param is_set: whether it is told of all things, which may be told by "it" and "there".
        """
        begin, cost = at, 0
        if self.word(begin) == ',' and self.word(begin + 1) in lexicon.RELATIVE:
            begin += 1
        if self.word(begin) in lexicon.RELATIVE and self.word(begin + 1) in lexicon.BE:
            begin += 2
            begin += self.word(begin) in lexicon.PROBABLY
            cost = -1
        elif self.word(begin) in lexicon.RELATIVE and self.word(begin + 1) in lexicon.LIES:
            begin, cost = begin + 2, -1
        elif self.word(at - 1) in lexicon.WHATEVER | lexicon.ELSE:
            begin += self.word(begin) in lexicon.LIES
        begin += self.word(begin) in lexicon.LYING
        if is_set and self.word(begin) == 'there':
            yield begin + 1, Place(Pronoun(Reference.THERE, begin, begin + 1)), cost
        for end in self.says(begin, lexicon.NEAR if cost == 0 else lexicon.TOGETHER):
            for behind, thing, more in self.thing(end):
                if isinstance(thing, Noun) and is_found_by_place(thing):
                    # "the drum next to the crate" rather says where it shall be.
                    told = Place(thing, source=cost < 0, of_thing=True)
                    yield behind, told, cost + more + (cost == 0)
        for end in self.says(begin, lexicon.WHEREABOUTS):
            beside = self.words[begin:end] in lexicon.BESIDE
            for behind, thing, more in self.thing(end):
                if self.words[begin:end] in lexicon.NEAR and is_found_by_place(thing):
                    continue
                is_it = is_set and isinstance(thing, Pronoun) and thing.reference is Reference.ONE
                if isinstance(thing, Unknown | Noun) or is_it:
                    close = behind + (cost < 0 and self.word(behind) == ',')
                    is_source = cost < 0 or self.words[begin:end] in lexicon.FROM
                    yield close, Place(thing, beside, source=is_source), cost + more

    def _contents(self, at: int) -> Iterator[tuple[int, tuple[Thing, ...], int]]:
        """ "with a spoon in it", "containing a knife"."""
        if self.word(at) not in ('with', 'containing', 'holding') and self.words[at : at + 2] != (
            'filled', 'with'
        ):  # fmt: skip
            return
        begin = at + 1 + (self.word(at) == 'filled')
        for end, things, cost in self.things(begin):
            kinds = {thing.kind for thing in things if isinstance(thing, Noun)}
            known = kinds == {NameKind.THING} and all(isinstance(one, Noun) for one in things)
            if not known and not (self.describes and kinds <= {NameKind.THING}):
                continue
            behind = self.longest(end, _IN_IT)
            if behind > end:
                yield behind + (self.word(behind) == ','), things, cost
            elif self.word(at) == 'containing':
                yield end, things, cost

    # Lists -----------------------------------------------------------------------------------

    @rule
    def things(self, at: int) -> Iterable[Found]:
        """One or more things that are handled alike, as a tuple."""
        for end in self.says(at, _FOLLOWING):
            for begin in self.announced(end):
                whole = [one for one in self.things(begin) if self.word(one[0]) in ('', '.', '\n')]
                for _, things, cost in sorted(whole, key=lambda one: -one[0])[:1]:
                    yield end, things, cost
        for end, thing, cost in self._item(at):
            yield end, (thing,), cost
            for behind, things, more in self._more(end, (thing,), cost):
                told = self._shared_state(things)
                yield behind, told, more
                yield from ((close, told, more) for close in self._counted_again(behind, told))

    def _counted_again(self, at: int, things: tuple[Thing, ...]) -> Iterator[int]:
        """ "a crate and a drum, both": behind a word that stands for all of a list."""
        begin = at + (self.word(at) == ',')
        if self.word(begin) not in ('all', 'both'):
            return
        counts = [one.count for one in things if isinstance(one, Noun)]
        numbers = [(2, begin + 1)]
        if self.word(begin) == 'all':
            numbers = [(number, end) for end, number, _ in self._number(begin + 1)]
        for number, end in numbers or [(sum(counts), begin + 1)]:
            if counts and number == sum(counts) and min(counts) > ALL:
                yield self.longest(end, OF_THEM)
                return

    def _shared_state(self, things: tuple[Thing, ...]) -> tuple[Thing, ...]:
        """The things; of "sliced lettuce and tomato" it is not sure which are sliced."""
        first, *rest = things
        if not isinstance(first, Noun) or not first.states or self._is_determined(first):
            return things
        if any(isinstance(one, Noun) and not self._is_determined(one) for one in rest):
            return replace(first, unread=(*first.unread, first.start)), *rest
        return things

    def _is_determined(self, noun: Noun) -> bool:
        word = self.word(noun.start)
        return word in lexicon.CLOSED or word.isdecimal()

    def announced(self, at: int) -> Iterator[int]:
        """Where a list begins that was announced: "take the following items and ...: a cup"."""
        begin = next((k for k in range(at, len(self.words)) if self.words[k] == ':'), None)
        if begin is not None:
            begin += 1
            while self.word(begin) == '\n':
                begin += 1
            yield begin

    @property
    def announces(self) -> bool:
        """Whether the text speaks of a list that follows."""
        return any(any(self.says(at, _FOLLOWING)) for at in range(len(self.words)))

    def _item(self, at: int) -> Iterator[Found]:
        at += self.word(at) in (MARK, STEP)
        # "the following items: a cup, a tray"
        for begin in self.says(at, _ANNOUNCED):
            yield from self.located(begin)
        yield from self.located(at)

    @rule
    def _rest_of_list(self, at: int) -> Iterable[Found]:
        """What follows the first thing of a list."""
        for begin, cost in self._joints(at):
            for end, thing, more in self._item(begin):
                if begin == at and not isinstance(thing, Noun):
                    continue  # "crates 1 through 3"
                yield end, (thing,), cost + more
                for behind, rest, further in self._rest_of_list(end):
                    yield behind, (thing, *rest), cost + more + further

    def _more(self, at: int, before: tuple[Thing, ...], cost: int) -> Iterator[Found]:
        for end, rest, more in self._rest_of_list(at):
            yield end, (*before, *rest), cost + more
        last = before[-1]
        if isinstance(last, Noun) and last.instance is not None:
            for end, numbers in self._further_numbers(at):
                more_of = tuple(replace(last, instance=one, start=at) for one in numbers)
                yield end, (*before, *more_of), cost
                for behind, rest, more in self._rest_of_list(end):
                    yield behind, (*before, *more_of, *rest), cost + more

    def _further_numbers(
        self, at: int, joints: tuple[str, ...] = (',', 'and')
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """ "crates 1, 2 and 3": the numbers behind the first. :param joints: before each."""
        found: list[int] = []
        while True:
            begin = at
            while self.word(begin) in joints:
                begin += 1
            word = self.word(begin)
            if begin == at or not word.isdecimal() or self.name(begin + 1):
                return
            found.append(int(word))
            at = begin + 1
            yield at, tuple(found)

    def _joints(self, at: int) -> Iterator[tuple[int, int]]:
        """Where the next thing of a list begins."""
        begin = at
        while self.word(begin) == '\n':
            begin += 1
        if begin > at:
            if self.word(begin) in (MARK, STEP):
                yield begin + 1, 0
            return
        if self.word(at) in (MARK, STEP):
            yield at + 1, 0
        if self.word(at) == ',':
            begin = at + 1
            while self.word(begin) == '\n':
                begin += 1
            for end in self.says(begin, lexicon.ALONG_WITH):
                yield end, 0
                break
            yield begin, 0
            return
        for end in self.says(at, lexicon.ALONG_WITH):
            yield end, 0
            return
        word = self.word(at)
        counts = word.isdecimal() or word in lexicon.NUMBERS or word in lexicon.ARTICLES | {'the'}
        # "about ten crates": nothing that is known stands before the number.
        if counts and self._ends_known(at):
            yield at, 1 if word != 'the' else 4

    def _ends_known(self, at: int) -> bool:
        """Whether a name, or the number or label of one, ends there."""
        if any(map(str.isdigit, self.word(at - 1))):
            return True
        begin = max(0, at - self._longest)
        return any(end == at for i in range(begin, at) for end, _, _ in self.name(i))

    # Places ----------------------------------------------------------------------------------

    @rule
    def place(self, at: int) -> Iterable[Found]:
        """One place, or whatever something may be put in: "the left shelf", "it", "there"."""
        if self.word(at) in lexicon.DEFINITE and self.word(at + 1) in lexicon.REGIONS:
            of = at + 2 + (self.word(at + 2) != 'of')
            for end, (thing,), cost in self.row(of, 'of', self.place):
                if isinstance(thing, Noun):
                    told = (*range(at, of + 1), *thing.unread)
                    yield end, replace(thing, unread=told), cost + UNREAD
        for end, thing, cost in self.thing(at):
            if isinstance(thing, Pronoun) and thing.reference is not Reference.ONE:
                continue
            yield end, thing, cost
            if not isinstance(thing, Noun):
                continue
            # "the table in the hall", "the drawer left of the sink"
            for behind, (where,), more in self.row(end, lexicon.PLACED, self.thing):
                kind = where.kind if isinstance(where, Noun) else None
                if isinstance(where, Pronoun) or (thing.kind, kind) == _REGION_OF_PLACE:
                    continue  # "the crate in aisle 3 on the truck"
                unread = () if self._says_so(thing, where) else tuple(range(end, behind))
                noun = replace(thing, end=behind, unread=(*thing.unread, *unread))
                yield behind, noun, cost + more + (0 if not unread else 4)

    @staticmethod
    def _says_so(place: Noun, where: Noun | Unknown) -> bool:
        """Whether the name says where it is: a loading table is in the hall."""
        return isinstance(where, Noun) and where.name.split()[0] in place.name.split()[:-1]


def may_except(every: Noun, things: Iterable[Noun]) -> bool:
    """Whether it is clear which things of a set are not meant: not so "all crates but one"."""
    return all(
        (one.definite or one.instance is not None or one.label)
        and not (one.states or one.inside or one.unread or one.unsure)
        and (every.is_everything or (one.name == every.name and one.text != every.name))
        for one in things
    )
