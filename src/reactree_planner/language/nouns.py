"""Noun phrases: things, how many of them, and in which state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from reactree_planner.facts.conditions import EVERYTHING
from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found, Maybe, maybe, rule
from reactree_planner.language.meanings import ALL, Noun, Pronoun, Reference, UNTOLD
from reactree_planner.language.names import NameKind
from reactree_planner.language.names_in_text import NamesInText
from reactree_planner.language.spelling import forms_of

#: "x2", "2x" behind a name.
_COUNTING = re.compile(r'x\d+|\d+x')
#: What a word costs that describes a thing and is not understood.
UNREAD = 6
_OPEN = lexicon.CLOSED | {'side'}
_QUANTIFIERS = frozenset().union(
    lexicon.ARTICLES, lexicon.DEFINITE, lexicon.EVERY, lexicon.SOME, lexicon.FURTHER,
    lexicon.REST, lexicon.NUMBERS, ('dozen', 'at'),
)  # fmt: skip
OF_THEM = lexicon.phrases('of them|of those|of these|of it')


@dataclass(frozen=True)
class _Said:
    """What is said before a noun, as a `Noun` has it."""

    count: int
    definite: bool = False
    other: bool = False
    states: tuple[str, ...] = ()
    unread: tuple[int, ...] = ()


class Nouns(NamesInText):
    """Rules of noun phrases."""

    # How many --------------------------------------------------------------------------------

    def _number(self, at: int) -> Iterator[Found]:
        word = self.word(at)
        if word.isdecimal() and len(word) < 4 and int(word):
            yield at + 1, int(word), 0
        elif word in lexicon.NUMBERS and word != 'both':
            yield at + 1, lexicon.NUMBERS[word], 0
            both = lexicon.number_of([word, self.word(at + 1)]) if self.word(at + 1) else None
            if both is not None:
                yield at + 2, both, 0
        elif word == 'dozen':
            yield at + 1, 12, 0

    def _measure(self, at: int) -> Iterator[Found]:
        if self.word(at) in lexicon.MEASURES:
            yield at + 1, lexicon.MEASURES[self.word(at)], 0

    def _quantity(self, at: int) -> Iterator[tuple[int, bool, bool, int]]:
        """What stands before a noun: (count, definite, other, end); nothing is a quantity too."""
        yield UNTOLD, False, False, at
        word = self.word(at)
        if not word.isdecimal() and word not in _QUANTIFIERS:
            return
        number, measure = self._number, self._measure
        the, a, every = lexicon.DEFINITE, lexicon.ARTICLES, lexicon.EVERY
        of_the = (maybe('of'), Maybe(the))
        #: The count where no number stands there, whether definite, whether other, and the words.
        told: tuple[tuple[Any, ...], ...] = (
            (0, False, False, number, maybe('x ×')),
            (0, False, False, 'at', 'least', number),
            (0, False, False, a, 'minimum', 'of', number),
            (0, False, False, number, 'or', 'more'),
            (0, False, True, number, lexicon.words('more further other additional')),
            (0, True, False, number, 'of', the),
            (1, False, False, a),
            (0, False, False, a, number),
            (0, False, False, a, measure, maybe('of')),
            (1, False, True, a, lexicon.words('second third further new different additional')),
            (UNTOLD, True, False, the),
            (0, True, False, the, number),
            (0, True, False, the, measure, 'of'),
            (UNTOLD, True, True, the, lexicon.REST, *of_the),
            (2, True, False, 'both', *of_the),
            (ALL, True, False, every, *of_the),
            (0, True, False, every, *of_the, number),
            (UNTOLD, False, False, lexicon.SOME, *of_the),
            (0, False, False, 'any', number),
            (0, True, False, 'any', number, 'of', the),
            (1, False, True, lexicon.FURTHER),
            (0, False, True, lexicon.FURTHER, number),
            (ALL, True, True, lexicon.REST),
        )
        for count, definite, other, *words in told:
            if words[0] is every and self.word(at + 1) in lexicon.ORDINALS:
                continue
            for end, numbers, _ in self.row(at, *words):
                yield numbers[0] if numbers else count, definite, other, end

    def _with_number(self, noun: Noun, end: int) -> Iterator[tuple[Noun, int, int]]:
        """The noun without, and with, the number or label behind it."""
        yield noun, end, 0
        word = self.word(end)
        if word.isdecimal():
            # "1 crate 1 pallet": the number counts what follows.
            counts = any(any(self.name(begin)) for begin, _ in self._portion(end + 1))
            yield replace(noun, instance=int(word), end=end + 1), end + 1, 3 if counts else -1
        elif _COUNTING.fullmatch(word):
            # "drum x2": how many, or which?
            return
        elif any(map(str.isdigit, word)) and any(map(str.isalpha, word)):
            yield replace(noun, label=word, end=end + 1), end + 1, -1
        elif len(word) == 1 and word.isalpha() and self.word(end + 1).isdecimal():
            label = f'{word}-{self.word(end + 1)}'
            yield replace(noun, label=label, end=end + 2), end + 2, -1

    # Things ----------------------------------------------------------------------------------

    @rule
    def thing(self, at: int) -> Iterable[Found]:
        """One noun phrase, without where it is."""
        yield from self.pronoun(at)
        yield from self._everything(at)
        for count, definite, other, begin in self._quantity(at):
            for start, states, unread, cost in self._adjectives(begin):
                said = _Said(count, definite, other, states, unread)
                found = list(self._noun(at, start, said))
                yield from ((end, noun, more + cost) for end, noun, more in found)
                surely = any(not (self.describes and more) for _, _, more in found)
                if not surely and not unread:
                    for end, unknown, more in self.unknown(start, begin > at):
                        count_of = 1 if count == UNTOLD else count
                        yield end, replace(unknown, start=at, count=count_of), more + cost

    def _everything(self, at: int) -> Iterator[Found]:
        """ "everything", "everything else": of no sort. It rather stands for what was named."""
        for end in self.says(at, lexicon.EVERYTHING):
            other = self.word(end) in lexicon.ELSE
            yield end + other, self.all_things(at, end + other, other), 3

    @staticmethod
    def all_things(start: int, end: int, other: bool = False) -> Noun:
        """All things that can be carried. :param other: but those that were named before."""
        return Noun(EVERYTHING, NameKind.THING, start, end, None, '', ALL, True, other)

    def _noun(self, at: int, start: int, said: _Said) -> Iterator[Found]:
        yield from self._filled_with(at, start, said)
        for begin, portion in self._portion(start):
            for behind, (noun, plural), cost in self.name(begin):
                for numbered, end, more in self._with_number(noun, behind):
                    both = self.word(at) == 'both' and not plural and self.word(end) == 'and'
                    # "both the crate and the drum"
                    counted = replace(said, count=1) if both else said
                    number, vague = self._count(counted, plural, numbered)
                    state, end = self._sliced(end)
                    of_place = noun.kind is NameKind.PLACE and self.word(end) in lexicon.PARTS
                    # "the oil bottle", but not "the oil can not be taken"
                    of_thing = noun.kind is NameKind.THING and self.word(end) in lexicon.PACKAGES
                    of_thing &= self.word(end + 1) not in ('not', 'never', 'be', 'only')
                    end += of_place or (of_thing and not self.name(end))
                    told = replace(
                        said,
                        count=number,
                        states=tuple(dict.fromkeys((*portion, *said.states, *state))),
                        unread=(*said.unread, *((begin,) if vague else ())),
                    )
                    thing = replace(numbered, start=at, end=end, **vars(told))
                    yield end, thing, cost + more + 2 * vague

    def _filled_with(self, at: int, start: int, said: _Said) -> Iterator[Found]:
        """ "a box of drums", where boxes are known too: one with drums in it."""
        if self.word(start + 1) != 'of' or self._is_name_of_several(start):
            return
        for _, (noun, plural), cost in self._full_name(start):
            if noun.kind is not NameKind.THING or plural:
                continue
            for end, (content, several), more in self.name(start + 2):
                # "a hot box of soup": the soup is hot.
                inner = replace(content, count=ALL if several else 1, states=said.states)
                told = replace(
                    said,
                    count=1 if said.count == UNTOLD else said.count,
                    other=False,
                    states=(),
                    unread=(*said.unread, *((start + 2,) if several else ())),
                )
                whole = replace(noun, start=at, end=end, inside=(inner,), **vars(told))
                yield end, whole, cost + more

    def _portion(self, at: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Where the name begins: "a bottle of oil", "two slices of bread"."""
        yield at, ()
        word = self.word(at)
        if self.word(at + 1) != 'of' or self._is_name_of_several(at):
            return
        is_vessel = any(end == at + 1 for end, _, _ in self._full_name(at))
        if is_vessel or self._compound(at)[0] not in ('', self._content(at)):
            # A box, which is known by itself, holds what is told of; where oil and oil cans
            # are known, a can of oil may be either.
            return
        end = at + 2 + (self.word(at + 2) in (*lexicon.DEFINITE, *lexicon.ARTICLES))
        if state := self.domain.portion_state(word):
            yield end, (state,)
        elif not lexicon.PORTIONS.isdisjoint(forms_of(word)):
            yield end, ()

    def _is_name_of_several(self, at: int) -> bool:
        """Whether "bag of compost" is a name by itself."""
        return any(end > at + 2 for end, _, _ in self.name(at))

    def _sliced(self, end: int) -> tuple[tuple[str, ...], int]:
        """ "bread slice": the noun behind a name that tells its state."""
        word = self.word(end)
        state = self.domain.portion_state(word) if word and word not in lexicon.CLOSED else ''
        behind = self.word(end + 1)
        if state and behind not in (*lexicon.ARTICLES, *lexicon.DEFINITE):
            return (state,), end + 1
        return (), end

    @staticmethod
    def _count(said: _Said, plural: bool, noun: Noun) -> tuple[int, bool]:
        """How many are meant, and whether that is left open ("put CDs in the safe")."""
        if said.count != UNTOLD:
            return said.count, False
        if noun.instance is not None or noun.label or not plural:
            return 1, False
        return ALL, not said.definite

    def _adjectives(
        self, at: int, most: int = 8
    ) -> Iterator[tuple[int, tuple[str, ...], tuple[int, ...], int]]:
        """Where the noun begins: states, tokens that are not understood, and what those cost.

        :param most: adjectives before it.
        """
        yield at, (), (), 0
        if not most:
            return
        if self.word(at) in lexicon.EMPTY_ADJECTIVES:
            yield from self._adjectives(at + 1, most - 1)
            return
        for end, state in self.domain.states_at(self.words, at):
            if self.words[at] in (lexicon.ON, lexicon.OFF):
                continue  # "switch on belt 1 and off belt 2": a particle
            end += self.word(end) in ('up', 'off', 'down')
            end += self.word(end) == ','
            # "open door 2 and shut door 1": rather a verb than an adjective.
            less = 4 if self.domain.is_base(self.word(at)) else 0
            for start, states, unread, cost in self._adjectives(end, most - 1):
                yield start, (state, *states), unread, cost + less
            return
        word = self.word(at)
        described = (word.isalpha() and word not in _OPEN) or word in lexicon.ORDINALS
        described &= not (self.describes and word in lexicon.DESCRIBING)
        # "every crate save crate 3": a name is no adjective.
        if described and 1 < len(word) < 40 and not any(self._full_name(at)):
            for start, states, unread, cost in self._adjectives(at + 1, most - 1):
                if len(unread) < 3:
                    yield start, states, (at, *unread), cost + UNREAD

    @rule
    def pronoun(self, at: int) -> Iterable[Found]:
        """ "it", "them", "the other one", "two of them"."""
        word, follows = self.word(at), self.word(at + 1)
        if word in lexicon.SINGULAR_PRONOUNS:
            yield at + 1, Pronoun(Reference.ONE, at, at + 1), 0
        elif word in lexicon.PLURAL_PRONOUNS:
            end = at + 1
            count = 2 if word == 'both' else UNTOLD
            if word in ('both', 'all') and any(self.says(at + 1, OF_THEM)):
                end = at + 3
            elif (word not in ('both', 'all') and follows in ('both', 'all')) or (
                word in ('these', 'those') and follows in lexicon.ANY_THINGS
            ):
                end = at + 2
            elif word == 'all':
                end, count = next(((e, n) for e, n, _ in self._number(at + 1)), (end, count))
            yield end, Pronoun(Reference.SEVERAL, at, end, count), 1 if end == at + 1 else 0
        elif word == 'everything':
            yield at + 1, Pronoun(Reference.SEVERAL, at, at + 1), 2
        elif word == 'one' or (word in lexicon.FURTHER):
            end = at + 1 + (word in lexicon.FURTHER and follows == 'one')
            end = self.longest(end, OF_THEM)
            yield end, Pronoun(Reference.ONE_OF_SORT, at, end, 1), 1
        elif word == 'the' and follows in lexicon.REST:
            end = at + 2 + (self.word(at + 2) in ('one', 'ones'))
            count = UNTOLD if follows == 'other' else ALL
            yield end, Pronoun(Reference.REST_OF_SORT, at, end, count), 1
        elif word == 'the' and follows in lexicon.ANY_THINGS:
            yield at + 2, Pronoun(Reference.SEVERAL, at, at + 2), 1
        if word in ('both', 'all', 'each', 'every'):
            end = at + 1
            while self.word(end) in ('of', 'the', 'these', 'those'):
                end += 1
            if self.word(end) in lexicon.ANY_THINGS:
                count = 2 if word == 'both' else UNTOLD
                yield end + 1, Pronoun(Reference.SEVERAL, at, end + 1, count), 0
        elif word == 'the' and follows in ('first', 'second') and self.word(at + 2) == 'one':
            yield at + 3, Pronoun(Reference.ONE_OF_SORT, at, at + 3, 1), 1
        for begin, number, _ in self._number(at):
            for end in self.says(begin, OF_THEM):
                yield end, Pronoun(Reference.SOME_OF_THEM, at, end, number), 0
