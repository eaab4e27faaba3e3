"""Where things are, lists of things that are handled alike, and places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found, rule
from reactree_planner.language.meanings import ALL, Noun, Place, Pronoun, Reference, Thing, Unknown
from reactree_planner.language.names import NameKind
from reactree_planner.language.nouns import Nouns, OF_THEM, UNREAD
from reactree_planner.language.tokens import MARK, STEP

_REGION_OF_PLACE = (NameKind.REGION, NameKind.PLACE)
_IN_IT = lexicon.phrases('in it|inside it|on it|inside of it|on top of it|inside')
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
        """A thing, and where it is now, or what is in it."""
        for end, thing, cost in self.thing(at):
            yield end, thing, cost
            for behind, place, more in self._whereabouts(end):
                if isinstance(thing, Noun):
                    yield behind, replace(thing, place=place, end=behind), cost + more + 5
                elif isinstance(thing, Unknown):
                    yield behind, replace(thing, end=behind), cost + more + 5
            if isinstance(thing, Noun):
                for behind, inside, more in self._contents(end):
                    yield behind, replace(thing, inside=inside, end=behind), cost + more + 1

    def _whereabouts(self, at: int) -> Iterator[tuple[int, Place, int]]:
        """ "on the pallet", "which is probably in the chest,", "lying on the pallet"."""
        begin, cost = at, 0
        if self.word(begin) == ',' and self.word(begin + 1) in lexicon.RELATIVE:
            begin += 1
        if self.word(begin) in lexicon.RELATIVE and self.word(begin + 1) in lexicon.BE:
            begin += 2
            begin += self.word(begin) in lexicon.PROBABLY
            cost = -1
        begin += self.word(begin) in lexicon.LYING
        for end in self.says(begin, lexicon.WHEREABOUTS):
            beside = self.words[begin:end] in lexicon.BESIDE
            for behind, thing, more in self.thing(end):
                if isinstance(thing, Unknown | Noun):
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
            if kinds != {NameKind.THING} or not all(isinstance(one, Noun) for one in things):
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

    def _further_numbers(self, at: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """ "crates 1, 2 and 3": the numbers behind the first."""
        found: list[int] = []
        while True:
            begin = at
            while self.word(begin) in (',', 'and'):
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
