"""Noun phrases: things, how many of them, in which state, where they are; and places."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace

from reactree_planner.language import lexicon
from reactree_planner.language.chart import Chart
from reactree_planner.language.chart import Found
from reactree_planner.language.chart import rule
from reactree_planner.language.domain import Domain
from reactree_planner.language.meanings import ALL
from reactree_planner.language.meanings import Noun
from reactree_planner.language.meanings import Place
from reactree_planner.language.meanings import Pronoun
from reactree_planner.language.meanings import Reference
from reactree_planner.language.meanings import Thing
from reactree_planner.language.meanings import Unknown
from reactree_planner.language.meanings import UNTOLD
from reactree_planner.language.names import NameKind
from reactree_planner.language.names import Names
from reactree_planner.language.spelling import forms_of
from reactree_planner.language.tokens import MARK
from reactree_planner.language.tokens import STEP

#: "x2", "2x" behind a name.
_COUNTING = re.compile(r'x\d+|\d+x')
#: What a word costs that describes a thing and is not understood.
UNREAD = 6
#: What words cost that should be a name and are none.
UNKNOWN = 12
_OPEN = lexicon.CLOSED | {'side'}


@dataclass(frozen=True, slots=True)
class Tied:
    """Words that were taken for a name. :param sure: whether nothing else can be meant."""

    name: str
    end: int
    sure: bool = True


@dataclass(frozen=True)
class _Said:
    """What is said before a noun, as a `Noun` has it."""

    count: int
    definite: bool = False
    other: bool = False
    states: tuple[str, ...] = ()
    unread: tuple[int, ...] = ()


class Nouns(Chart):
    """Rules of noun phrases.

    :param domain: verbs, states and names of the skill server.
    :param tied: first token -> words that were taken for a name.
    """

    def __init__(
        self, words: tuple[str, ...], domain: Domain, tied: Mapping[int, tuple[Tied, ...]]
    ) -> None:
        super().__init__(words)
        self.domain = domain
        self.names: Names = domain.names
        self._tied = tied
        self._known = self.names.all_words()
        self._longest = max(map(len, self._known), default=1)
        #: Names of several words by their last: "fork" for a lifting fork.
        self._heads: dict[str, set[str]] = {}
        for key, name in self._known.items():
            if len(key) > 1:
                self._heads.setdefault(key[-1], set()).add(name)
        #: Names that the text has in full.
        self._named_in_full = {
            noun.name for at in range(len(words)) for _, (noun, _), _ in self._full_name(at)
        }

    # Names -----------------------------------------------------------------------------------

    @rule
    def name(self, at: int) -> Iterable[Found]:
        """Known names, the longest only, as (noun, whether it is a plural)."""
        found = list(self._full_name(at))
        yield from found
        yield from self._headless(at)
        if not any(cost == 0 for _, _, cost in found) and self._may_be_name(at, True):
            word = self.word(at)
            sorts = self.sorts_of(word, self.word(at - 1) in lexicon.DEFINITE)
            if len(sorts) == 1:
                plural = word not in self._heads
                # "plants" may be others than the tomato plants.
                yield at + 1, (self._called(next(iter(sorts)), at, at + 1, plural), plural), 1

    def _called(self, name: str, start: int, end: int, unsure: bool = False) -> Noun:
        kind = self.names.kind(name) or NameKind.OTHER
        return Noun(name, kind, start, end, unsure=unsure)

    def _headless(self, at: int) -> Iterator[Found]:
        """ "steel and copper pipes": the first of two names, without its head."""
        if self.word(at + 1) not in ('and', 'or'):
            return
        begin = at + 2 + (self.word(at + 2) in (*lexicon.DEFINITE, *lexicon.ARTICLES))
        for end, (_, plural), _ in self._full_name(begin):
            for form in forms_of(self.word(end - 1)) if end - begin > 1 else ():
                if name := self._known.get((self.word(at), form)):
                    yield at + 1, (self._called(name, at, at + 1), plural), 0
                    return

    def sorts_of(self, word: str, is_definite: bool = True) -> set[str]:
        """Names of which a word is the head: those that the text has in full, else all."""
        known = (self._heads[form] for form in forms_of(word) if form in self._heads)
        sorts: set[str] = next(known, set())
        return (sorts & self._named_in_full if is_definite else set()) or sorts

    def _full_name(self, at: int) -> Iterator[Found]:
        for tied in self._tied.get(at, ()):
            noun = self._called(tied.name, at, tied.end, not tied.sure)
            yield tied.end, (noun, self.is_plural(noun)), 0 if tied.sure else 1
        compound, end = self._compound(at)
        if compound and self._content(at) in ('', compound):
            plural = self.word(at) != compound.split()[-1]
            yield end, (self._called(compound, at, end), plural), 0
            return
        for length in range(min(max(self._longest, 3), len(self.words) - at), 0, -1):
            stem = self.words[at : at + length - 1]
            last = self.words[at + length - 1]
            form, name = next(
                ((f, n) for f in forms_of(last) if (n := self._known.get((*stem, f)))), ('', '')
            )
            form, name = (form, name) if name else self._written_apart(stem, last)
            if name:
                # "forks" may be two lifting forks too.
                heads = [self._heads.get(one, {name}) for one in forms_of(last) if length == 1]
                others = any(sorts != {name} for sorts in heads[form == last :])
                noun = self._called(name, at, at + length, others)
                yield at + length, (noun, form != last), 0
                return

    def is_plural(self, noun: Noun) -> bool:
        """Whether a noun stands there in the plural, and its name does not."""
        last = self.word(noun.end - 1)
        return last.endswith('s') and not noun.name.endswith(last)

    def _compound(self, at: int) -> tuple[str, int]:
        """ "can of oil" for an oil can, "table in the hall" for a hall table; '' for none."""
        begin = at + 2 + (self.word(at + 2) in lexicon.DEFINITE)
        is_of = self.word(at + 1) == 'of' and begin == at + 2
        if is_of or (self.word(at + 1) == 'in' and begin > at + 2):
            ways = ((self.word(begin), form) for form in forms_of(self.word(at)))
            return next((name for way in ways if (name := self._known.get(way))), ''), begin + 1
        return '', at

    def _content(self, at: int) -> str:
        """The name of what a portion is of: "a bottle of oil"; '' where the vessel is known."""
        forms = tuple(forms_of(self.word(at)))
        is_vessel = any((form,) in self._known for form in forms)
        if is_vessel or lexicon.PORTIONS.isdisjoint(forms) or self.word(at + 1) != 'of':
            return ''
        return next((noun.name for _, (noun, _), _ in self._full_name(at + 2)), '')

    def _written_apart(self, stem: tuple[str, ...], last: str) -> tuple[str, str]:
        """The form of the last word, and the name that is else written together or apart."""
        if all(map(str.isalpha, (*stem, last))):
            for form in forms_of(last):
                letters = ''.join((*stem, form))
                named = self._known.joined.get(letters, frozenset())
                if len(letters) > 4 and len(named) == 1:
                    return form, next(iter(named))
        return '', ''

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

    def _may_be_name(self, at: int, behind_determiner: bool) -> bool:
        """Whether a word that nobody knows may be a noun."""
        word = self.word(at)
        if len(word) < 2 or not word.isalpha() or word in lexicon.CLOSED or len(word) > 40:
            return False
        return behind_determiner or not self.domain.is_verb(word)

    @rule
    def unknown(self, at: int, behind_determiner: bool) -> Iterable[Found]:
        """One to three words that are no known name."""
        end = at
        while end < at + 4 and self._may_be_name(end, behind_determiner or end > at):
            if self.name(end):
                break
            end += 1
            if end > at + 1 and any(e == end for e, _, _ in self.name(end - 1)):
                continue
            text = ' '.join(self.words[at:end])
            yield end, Unknown(at, end, text=text), UNKNOWN + end - at

    # How many --------------------------------------------------------------------------------

    def _number(self, at: int) -> Iterator[tuple[int, int]]:
        """A number and the index behind it."""
        word = self.word(at)
        if word.isdecimal() and len(word) < 4:
            yield int(word), at + 1
        elif word in lexicon.NUMBERS and word != 'both':
            yield lexicon.NUMBERS[word], at + 1
            both = lexicon.number_of([word, self.word(at + 1)]) if self.word(at + 1) else None
            if both is not None:
                yield both, at + 2
        elif word == 'dozen':
            yield 12, at + 1

    def _quantity(self, at: int) -> Iterator[tuple[int, bool, bool, int]]:
        """What stands before a noun: (count, definite, other, end); nothing is a quantity too."""
        word, follows = self.word(at), self.word(at + 1)
        yield UNTOLD, False, False, at
        for number, end in self._number(at):
            if number:
                yield number, False, False, end
                if self.word(end) in ('more', 'further', 'other', 'additional'):
                    yield number, False, True, end + 1
                if self.word(end) == 'of' and self.word(end + 1) in lexicon.DEFINITE:
                    yield number, True, False, end + 2
                if self.word(end) in ('x', '×'):
                    yield number, False, False, end + 1
        if word in lexicon.ARTICLES:
            yield 1, False, False, at + 1
            for number, end in self._number(at + 1):
                yield number, False, False, end
            if follows in lexicon.MEASURES:
                end = at + 2 + (self.word(at + 2) == 'of')
                yield lexicon.MEASURES[follows], False, False, end
            if follows in ('second', 'third', 'further', 'new', 'different', 'additional'):
                yield 1, False, True, at + 2
        elif word in lexicon.DEFINITE:
            yield UNTOLD, True, False, at + 1
            for number, end in self._number(at + 1):
                yield number, True, False, end
            if follows in lexicon.REST:
                end = at + 2 if self.word(at + 2) != 'of' else self._behind_of(at + 2)
                yield UNTOLD, True, True, end
            if follows in lexicon.MEASURES and self.word(at + 2) == 'of':
                yield lexicon.MEASURES[follows], True, False, at + 3
        elif word == 'both':
            end = at + 1 if follows != 'of' else self._behind_of(at + 1)
            yield 2, True, False, end + (follows in lexicon.DEFINITE)
        elif word in lexicon.EVERY and follows not in lexicon.ORDINALS:
            end = at + 1 if follows != 'of' else self._behind_of(at + 1)
            yield ALL, True, False, end + (self.word(end) in lexicon.DEFINITE and follows != 'of')
            for number, behind in self._number(end):
                yield number, True, False, behind
        elif word in lexicon.SOME:
            end = at + 1 if follows != 'of' else self._behind_of(at + 1)
            yield UNTOLD, False, False, end
            if word == 'any' and any(self._number(at + 1)):
                yield from self._quantity(at + 1)
        elif word in lexicon.FURTHER:
            yield 1, False, True, at + 1
            for number, end in self._number(at + 1):
                yield number, False, True, end
        elif word in lexicon.REST:
            yield ALL, True, True, at + 1

    def _behind_of(self, at: int) -> int:
        """Index behind "of", and behind "the" if that follows."""
        return at + 1 + (self.word(at + 1) in lexicon.DEFINITE)

    # Things ----------------------------------------------------------------------------------

    @rule
    def thing(self, at: int) -> Iterable[Found]:
        """One noun phrase, without where it is."""
        yield from self.pronoun(at)
        for count, definite, other, begin in self._quantity(at):
            for start, states, unread, cost in self._adjectives(begin):
                said = _Said(count, definite, other, states, unread)
                found = list(self._noun(at, start, said))
                yield from ((end, noun, more + cost) for end, noun, more in found)
                if not found and not unread:
                    for end, unknown, more in self.unknown(start, begin > at):
                        count_of = 1 if count == UNTOLD else count
                        yield end, replace(unknown, start=at, count=count_of), more + cost

    def _noun(self, at: int, start: int, said: _Said) -> Iterator[Found]:
        yield from self._filled_with(at, start, said)
        for begin, portion in self._portion(start):
            for behind, (noun, plural), cost in self.name(begin):
                for numbered, end, more in self._with_number(noun, behind):
                    both = self.word(at) == 'both' and not plural and self.word(end) == 'and'
                    # "both the crate and the drum"
                    counted = replace(said, count=1) if both else said
                    number, vague = self._count(counted, plural, numbered, portion)
                    state, end = self._sliced(end)
                    of_place = noun.kind is NameKind.PLACE and self.word(end) in lexicon.PARTS
                    # "the oil bottle"
                    of_thing = noun.kind is NameKind.THING and self.word(end) in lexicon.PACKAGES
                    if (of_place or (of_thing and not self.name(end))) and not self.name(end + 1):
                        end += 1
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
        for of, (noun, plural), cost in self._full_name(start):
            if of != start + 1 or noun.kind is not NameKind.THING or plural:
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
        if not lexicon.PORTIONS.isdisjoint(forms_of(word)):
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
    def _count(
        said: _Said, plural: bool, noun: Noun, portion: tuple[str, ...]
    ) -> tuple[int, bool]:
        """How many are meant, and whether that is left open ("put CDs in the safe")."""
        if said.count != UNTOLD:
            return said.count, False
        if noun.instance is not None or noun.label or not plural or portion:
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
            end += self.word(end) in ('up', 'off', 'down') and end == at + 1
            end += self.word(end) == ','
            # "open door 2 and shut door 1": rather a verb than an adjective.
            less = 4 if self.domain.is_base(self.word(at)) else 0
            for start, states, unread, cost in self._adjectives(end, most - 1):
                yield start, (state, *states), unread, cost + less
            return
        word = self.word(at)
        described = (word.isalpha() and word not in _OPEN) or word in lexicon.ORDINALS
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
            if word in ('both', 'all') and any(self.says(at + 1, _OF_THEM)):
                end = at + 3
            elif (word not in ('both', 'all') and follows in ('both', 'all')) or (
                word in ('these', 'those') and follows in lexicon.ANY_THINGS
            ):
                end = at + 2
            elif word == 'all':
                for number, behind in self._number(at + 1):
                    end, count = behind, number
            yield end, Pronoun(Reference.SEVERAL, at, end, count), 1 if end == at + 1 else 0
        elif word == 'everything':
            yield at + 1, Pronoun(Reference.SEVERAL, at, at + 1), 2
        elif word == 'one' or (word in lexicon.FURTHER):
            end = at + 1 + (word in lexicon.FURTHER and follows == 'one')
            end = self.longest(end, _OF_THEM)
            yield end, Pronoun(Reference.ONE_OF_SORT, at, end, 1), 1
        elif word == 'the' and follows in lexicon.REST:
            end = at + 2 + (self.word(at + 2) in ('one', 'ones'))
            count = UNTOLD if follows == 'other' else ALL
            yield end, Pronoun(Reference.REST_OF_SORT, at, end, count), 1
        elif word == 'the' and follows in lexicon.ANY_THINGS:
            yield at + 2, Pronoun(Reference.SEVERAL, at, at + 2), 1
        if word in ('both', 'all', 'each', 'every') and not self.name(at):
            end = at + 1
            while self.word(end) in ('of', 'the', 'these', 'those'):
                end += 1
            if self.word(end) in lexicon.ANY_THINGS:
                count = 2 if word == 'both' else UNTOLD
                yield end + 1, Pronoun(Reference.SEVERAL, at, end + 1, count), 0
        elif word == 'the' and follows in ('first', 'second') and self.word(at + 2) == 'one':
            yield at + 3, Pronoun(Reference.ONE_OF_SORT, at, at + 3, 1), 1
        for number, begin in self._number(at):
            for end in self.says(begin, _OF_THEM):
                yield end, Pronoun(Reference.SOME_OF_THEM, at, end, number), 0

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
        numbers = [*self._number(begin + 1)] if self.word(begin) == 'all' else [(2, begin + 1)]
        for number, end in numbers or [(sum(counts), begin + 1)]:
            if number == sum(counts) and min(counts) > ALL:
                yield self.longest(end, _OF_THEM)
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


_OF_THEM = lexicon.phrases('of them|of those|of these|of it')
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
