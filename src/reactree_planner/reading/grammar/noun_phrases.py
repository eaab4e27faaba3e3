"""Noun phrases: "two clean crates from the shelf", "all fruit but the drum", "it", lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from reactree_planner.facts.conditions import where_was
from reactree_planner.reading.form import Count
from reactree_planner.reading.grammar.chart import Chart, Parse, rule
from reactree_planner.reading.nouns import Likeness
from reactree_planner.reading.phrases import Phrases, words_named
from reactree_planner.reading.tokens import is_plural
from reactree_planner.reading.vocabulary import NameKind

_DETERMINERS = words_named('noun_phrases', 'determiners')
_EVERY = frozenset(['all', 'every', 'each', 'both'])
#: Before "of" and a name: what holds it, or how it is cut.
_PORTIONS = words_named('noun_phrases', 'portions')
#: Words of a thing that change nothing about which one is meant.
_EMPTY = frozenset(['single', 'separate', 'individual', 'whole', 'following', 'entire', 'two-'])
_PRONOUNS = {
    'it': 'it', 'this': 'it', 'that': 'it', 'them': 'them', 'they': 'them', 'these': 'them',
    'those': 'them', 'everything': 'all', 'anything': 'any', 'something': 'any', 'nothing': 'any',
}  # fmt: skip
_EVERYTHING = Phrases.named('noun_phrases', 'everything')
_THOSE = Phrases.named('noun_phrases', 'those')
_LISTED = Phrases.named('noun_phrases', 'listed')
BUT = Phrases.named('noun_phrases', 'but')
_FROM = Phrases.named('noun_phrases', 'from')
_BULLETS = frozenset(['\n', '-', '*', '•'])
_HAND = Phrases.named('noun_phrases', 'hand')
_IN = Phrases.named('noun_phrases', 'in')
_NEAR = Phrases.named('noun_phrases', 'near')
_WHICH = Phrases.named('noun_phrases', 'which')
_REASONS = words_named('noun_phrases', 'reasons')
_TODAY = frozenset(['now', 'currently', 'already', 'still', 'there'])


@dataclass(frozen=True, slots=True)
class Things:
    """What a noun phrase stands for.

    :param name: of the server; '' for a pronoun or an unknown noun.
    :param pronoun: 'it', 'them', 'held', 'handled' (held, else what was named), 'all' or 'any'; ''
        for a noun.
    :param unknown: a noun that is no name. :param states: of its adjectives: "a clean crate".
    :param source: where they are now.
    :param inside: things in them: "a cup with a fork in it". :param others: names that the words
        may stand for as well. :param start: index of its first token, :param end: behind its last.
    :param adjectives: tokens of words that tell how they look. :param beside: tokens of words that
        tell which of several places it is: "left of the sink".
    """

    start: int
    end: int
    name: str = ''
    count: Count = 1
    states: tuple[str, ...] = ()
    source: str = ''
    but: tuple[str, ...] = ()
    pronoun: str = ''
    unknown: str = ''
    others: tuple[str, ...] = ()
    inside: tuple[Things, ...] = ()
    plural: bool = False
    adjectives: tuple[tuple[int, int], ...] = ()
    beside: tuple[int, int] | None = None


@rule
def noun_phrase(chart: Chart, at: int) -> Iterable[Parse[Things]]:
    """One sort of things with determiners, count, adjectives, source and exceptions."""
    for end, things, cost in _core(chart, at):
        yield from extended(chart, end, things, cost)


def _core(chart: Chart, at: int) -> Iterator[Parse[Things]]:
    """Determiners, count and adjectives before a name, a pronoun or an unknown noun."""
    end = chart.phrase(at, _LISTED)
    if end > at:
        yield end, Things(at, end, pronoun='list'), 0
    end = chart.phrase(at, _EVERYTHING)
    if end > at:
        every = chart.word(at) in ('everything', 'all')
        yield end, Things(at, end, count='all', pronoun='all' if every else 'any'), 0
    end = chart.phrase(at, _THOSE)
    if end > at:
        yield end, Things(at, end, pronoun='them'), 2
    word = chart.word(at)
    if word in _PRONOUNS and word not in ('everything', 'anything', 'something', 'nothing'):
        both = chart.word(at + 1) in ('all', 'both')
        yield at + 1 + both, Things(at, at + 1 + both, pronoun=_PRONOUNS[word]), 1
    if word in ('both', 'each', 'all', 'one') and chart.word(at + 1) == 'of':
        if chart.word(at + 2) in ('them', 'these', 'those', 'it'):
            yield at + 3, Things(at, at + 3, pronoun='them'), 1
    yield from _further(chart, at)
    head = _Head(at)
    yield from head.named(chart)
    while head.at < len(chart) and head.takes(chart):
        if chart.mentions(head.at):
            yield from head.named(chart)
    yield from head.named(chart)
    # "the big wooden table": words that tell how it looks.
    looks = head.at
    if head.at == at and any(chart.verbs(at, 'base')):
        # "slice the crate and [put crate 2 ...]"
        looks = len(chart)
    while looks < min(head.at + 3, len(chart)) and _is_adjective(chart, looks):
        looks += 1
        if chart.mentions(looks):
            described = _Head(at, looks, head.count, head.definite, head.states)
            for close, things, cost in described.named(chart):
                yield close, replace(things, adjectives=((head.at, looks),)), cost + 3
    if head.at > at or not chart.mentions(head.at):
        yield from head.unknown(chart)


_FURTHER = Phrases.named('noun_phrases', 'further')
_REST = Phrases.named('noun_phrases', 'rest')
_MORE = Phrases.named('noun_phrases', 'more')
_ALL_OF_THEM = Phrases.named('noun_phrases', 'all_of_them')
_ANYWHERE = Phrases.named('noun_phrases', 'anywhere')


def _further(chart: Chart, at: int) -> Iterator[Parse[Things]]:
    """ "another", "the other one", "the rest": of the sort that was named last."""
    behind, number = chart.number(at)
    follows = chart.phrase(behind, _IN) > behind or chart.phrase(behind, _MORE) > behind
    if at < behind and follows and number.is_integer() and 1 < number < 1000:
        # "three buns on the rack and two in the crate"
        behind = chart.phrase(behind, _MORE)
        yield behind, Things(at, behind, count=int(number), pronoun='one'), 2
    for phrases, pronoun in ((_FURTHER, 'one'), (_REST, 'rest')):
        end = chart.phrase(at, phrases)
        alone = (
            end == at + 1
            and chart.word(at) == 'one'
            and not chart.sentence.is_function(chart.sentence.tokens[min(end, len(chart) - 1)])
        )
        if end > at and not alone and not chart.mentions(end) and chart.word(end) != 'of':
            yield end, Things(at, end, pronoun=pronoun), 2


def _is_adjective(chart: Chart, at: int) -> bool:
    """Whether a word may tell how a thing looks: no name and no function word."""
    token = chart.sentence.tokens[at]
    if not token.word.isalpha() or chart.sentence.is_function(token) or _is_name(chart, at):
        return False
    orders = any(verb.sort == 'base' for verb in chart.server.verbs.get(token.word, ()))
    if at in chart.negated or orders or chart.number(at)[0] > at:
        return False
    return token.word not in _PRONOUNS and (token.word,) not in chart.server.states


@dataclass
class _Head:
    """What stands before a noun, as far as it was read. :param at: index behind it."""

    start: int
    at: int = -1
    count: Count | None = None
    definite: bool = False
    states: tuple[str, ...] = ()
    both: bool = False

    def __post_init__(self) -> None:
        self.at = self.start if self.at < 0 else self.at

    def takes(self, chart: Chart) -> bool:
        """Take in the word at `at`; False where it is none that stands before a noun."""
        word, behind = chart.word(self.at), chart.word(self.at + 1)
        state = chart.server.states.get((word,), '')
        two = chart.server.states.get((word, behind), '')
        number, value = chart.number(self.at)
        if two and chart.word(self.at + 1) and not _is_name(chart, self.at):
            self.states = (*self.states, two)
            self.at += 1
        elif word in _EVERY and behind == 'other':
            return False
        elif word in _EVERY:
            self.count = 2 if word == 'both' else 'all'
            self.definite |= word != 'both'
            self.both = word == 'both'
        elif number > self.at and 0 < value < 1000 and value.is_integer():
            self.count = int(value) if self.count != 'all' else self.count
            self.at = number - 1
        elif word in _DETERMINERS:
            if self.states:
                return False
            self.definite |= word not in ('a', 'an', 'some', 'any', 'another')
        elif word in _PORTIONS and behind == 'of' and not _is_name(chart, self.at):
            sliced = chart.server.states.get(('sliced',), '')
            if sliced and word.startswith(('slice', 'piece', 'chunk', 'wedge', 'section')):
                self.states = (*self.states, sliced)
            self.at += 1
        elif state and not _is_name(chart, self.at) and not self._orders(chart):
            self.states = (*self.states, state)
        elif (word, behind) in (('at', 'least'), ('or', 'more')):
            self.at += 1
        elif not (
            word in _EMPTY
            or (word == 'of' and self.at > self.start)
            or (word in ('and', ',') and self.states and (behind,) in chart.server.states)
        ):
            return False
        self.at += 1
        return True

    def _orders(self, chart: Chart) -> bool:
        """Test for a verb that follows a clause: "open gate 2 and shut gate 1"."""
        verbs = chart.server.verbs.get(chart.word(self.at), ())
        joined = self.at == self.start and chart.word(self.at - 1) in ('and', ',', 'then')
        return joined and any(verb.sort == 'base' for verb in verbs)

    def named(self, chart: Chart) -> Iterator[Parse[Things]]:
        """The noun phrase with a name behind it."""
        for mention in chart.mentions(self.at):
            number: Count = self.count if self.count is not None else 1
            if self.both and not mention.plural:
                # "both the crate and the drum"
                number = 1
            if mention.plural and self.count is None:
                number = 'all'
            first, *others = mention.names
            if mention.plural and self.count is None and not (mention.exact or others):
                # "the plants" where one name of several ends so
                others = [one for one in chart.server.like(chart.word(self.at)) if one != first]
            name = f'{first} {mention.instance}' if mention.instance else first
            end, states = mention.end, self.states
            if chart.word(end) in ('slice', 'slices', 'piece', 'pieces', 'section'):
                sliced = chart.server.states.get(('sliced',), '')
                states = (*states, sliced) if sliced else states
                end += bool(sliced)
            elif chart.word(end) in _PORTIONS and not _is_name(chart, end):
                # "the oil bottle"
                end += 1
            things = Things(
                self.start, end, name, number, states, others=tuple(others), plural=mention.plural
            )
            yield end, things, 0 if mention.exact else 2 + 2 * bool(others)

    def unknown(self, chart: Chart) -> Iterator[Parse[Things]]:
        """A noun that is no name: a synonym of one, or left as it is."""
        stop = self.at
        while stop < min(self.at + 3, len(chart)):
            token = chart.sentence.tokens[stop]
            if not token.word.isalpha() or chart.sentence.is_function(token):
                break
            if token.word in _REASONS or stop in chart.negated:
                break
            if stop > self.at and (token.word,) in chart.server.states:
                # "[I do not want] the vault opened"
                break
            if stop > self.at and chart.mentions(stop):
                break
            stop += 1
        for end in range(stop, self.at, -1):
            noun = ' '.join(chart.words[self.at : end])
            like = chart.server.like(noun)
            same = tuple(name for name, near in like.items() if near is Likeness.SAME)
            plural = is_plural(chart.words[end - 1])
            number = self.count or ('all' if plural else 1)
            things = Things(self.start, end, '', number, self.states, plural=plural)
            if same:
                yield end, replace(things, name=same[0], others=same[1:]), 4
            elif self.at > self.start:
                yield end, replace(things, unknown=noun), 20
            alone = end == self.at + 1 or self.at > self.start
            if not same and alone and chart.word(end).isdecimal():
                # "bin 1", which is not known
                one = replace(things, end=end + 1, unknown=f'{noun} {chart.word(end)}', count=1)
                yield end + 1, one, 19


def _is_name(chart: Chart, at: int) -> bool:
    return any(one.exact for one in chart.mentions(at))


def extended(chart: Chart, end: int, things: Things, cost: int) -> Iterator[Parse[Things]]:
    """The same with what stands behind: exceptions, where they are now, what is in them."""
    yield end, replace(things, end=end), cost
    aside = chart.word(end) == ','
    but = chart.phrase(end + aside, BUT)
    if but > end + aside and not things.but and (things.count == 'all' or things.pronoun):
        for close, others, more in names_only(chart, but):
            if things.name in others or (aside and chart.word(close) != ','):
                # "all crates but the crate", "..., but crate 3 goes there"
                continue
            close += aside
            yield from extended(chart, close, replace(things, but=others), cost + more)
    anywhere = chart.phrase(end, _ANYWHERE)
    if anywhere > end:
        # "the cup from wherever it is"
        yield anywhere, replace(things, end=anywhere), cost
    if not things.source:
        begin = chart.skip(chart.phrase(end, _WHICH), _TODAY)
        for phrases in (_FROM,) if begin == end else (_FROM, _IN):
            behind = chart.phrase(begin, phrases)
            for close, place, more in place_phrase(chart, behind) if behind > begin else ():
                if place.name and not place.source:
                    told = replace(things, source=place.name)
                    yield from extended(chart, close, told, cost + more + (begin == end))
    if things.name and chart.word(end) == 'of' and not (things.inside or things.plural):
        for close, held, more in _core(chart, end + 1):
            named = held.name and chart.server.kind(held.name) is NameKind.THING
            if named and chart.word(end + 1) not in _DETERMINERS and not things.others:
                # "a hot pot of soup": the soup is hot; not "the lid of the pot"
                full = replace(held, states=(*things.states, *held.states), count=1)
                yield from extended(
                    chart, close, replace(things, inside=(full,), states=()), cost + more
                )
    if not things.inside and chart.word(end) in ('with', 'containing', 'holding'):
        for close, inner, more in noun_list(chart, end + 1):
            behind = chart.phrase(close, INSIDE_IT)
            if behind > close or chart.word(end) != 'with':
                told = replace(things, inside=inner)
                yield from extended(chart, behind, told, cost + more)


def names_only(chart: Chart, at: int) -> Iterator[Parse[tuple[str, ...]]]:
    """Names joined by commas and "and", nothing else told of them."""
    for end, things, cost in _core(chart, at):
        counts = any(
            chart.number(i)[0] > i or chart.word(i) in ('a', 'an', 'some', 'any')
            for i in range(things.start, min(things.start + 3, end))
        )
        if things.name and (not counts or chart.server.is_numbered(things.name)):
            # "all but one crate", "all but a crate": it is not said which
            yield end, (things.name,), cost
            behind = chart.phrase(end, _JOINTS)
            for close, rest, more in names_only(chart, behind) if behind > end else ():
                yield close, (things.name, *rest), cost + more


INSIDE_IT = Phrases.named('noun_phrases', 'inside_it')


@rule
def noun_list(chart: Chart, at: int) -> Iterable[Parse[tuple[Things, ...]]]:
    """Things joined by commas, "and", "or" and "as well as"."""
    yield from _shared_head(chart, at)
    yield from _numbered(chart, at)
    for end, first, cost in noun_phrase(chart, at):
        yield end, (first,), cost
        together = chart.phrase(chart.skip(end, (',', ':', '-')), _ALL_OF_THEM)
        if together > end and at > 0 and chart.phrase(at - 1, _JOINTS) > at - 1:
            # "the crate and the drum, both on the rack"
            yield together, (replace(first, end=together),), cost + 1
        behind = _joint(chart, end)
        if behind > end:
            for close, rest, more in noun_list(chart, behind):
                yield close, (first, *rest), cost + more
        elif all(
            chart.word(i) in ('a', 'an') or chart.word(i).isdecimal() for i in (first.start, end)
        ):
            # "1 crate 1 drum": only a number parts them
            for close, rest, more in noun_list(chart, end):
                yield close, (first, *rest), cost + more + 4


def _joint(chart: Chart, at: int) -> int:
    """The index behind what joins two things of a list, also one that has a line for each."""
    behind = chart.phrase(at, _JOINTS)
    if chart.word(behind) != '\n':
        return behind
    while chart.word(behind) in _BULLETS:
        behind += 1
    return behind + (chart.word(behind) == 'and')


def _numbered(chart: Chart, at: int) -> Iterator[Parse[tuple[Things, ...]]]:
    """ "crates 1, 2 and 3": things of one class by their numbers."""
    begin = chart.skip(at, _DETERMINERS)
    for mention in chart.mentions(begin):
        found: list[Things] = []
        end = mention.end
        while mention.plural and len(mention.names) == 1:
            number = chart.phrase(end, _JOINTS) if found else end
            number += chart.word(number) == '#'
            if not chart.word(number).isdecimal() or (found and number == end):
                break
            end = number + 1
            name = f'{mention.names[0]} {chart.word(number)}'
            found.append(Things(at, end, name))
            if len(found) > 1:
                yield end, tuple(found), 0


def _shared_head(chart: Chart, at: int) -> Iterator[Parse[tuple[Things, ...]]]:
    """ "oil and water tanks": two names whose last word is said once."""
    begin = chart.skip(at, _DETERMINERS)
    if chart.word(begin + 1) != 'and':
        return
    tokens = chart.sentence.tokens
    for last in chart.mentions(begin + 2):
        head = tokens[last.end - 1]
        for first in chart.server.mentions_at((tokens[begin], head), 0):
            if first.end == 2 and first.exact and last.exact and last.plural:
                things = (
                    Things(at, begin + 1, first.names[0]),
                    Things(begin + 2, last.end, last.names[0]),
                )
                yield last.end, things, 0


_JOINTS = Phrases.named('noun_phrases', 'joints')


@rule
def place_phrase(chart: Chart, at: int) -> Iterable[Parse[Things]]:
    """A place: a noun phrase, "it", "there", "the back of the rack"."""
    if chart.word(at) in ('there', 'here'):
        yield at + 1, Things(at, at + 1, pronoun='there'), 1
    begin = chart.phrase(at, _PART_OF)
    for end, things, cost in noun_phrase(chart, begin):
        kind = chart.server.kind(things.name) if things.name else None
        if things.inside or things.but or things.source or things.pronoun in ('all', 'any'):
            continue
        place = replace(things, start=at)
        yield end, place, cost + (kind is NameKind.THING)
        if kind is NameKind.PLACE and chart.word(end) in ('in', 'of'):
            # "the locker in the hall": where the place is
            for close, room, more in noun_phrase(chart, end + 1):
                if chart.server.kind(room.name) is NameKind.REGION:
                    yield close, replace(place, end=close), cost + more
        behind = chart.phrase(end, _BESIDE)
        for close, _, more in noun_phrase(chart, behind) if behind > end else ():
            yield close, replace(place, end=close, beside=(end, close)), cost + more + 6


_PART_OF = Phrases.named('noun_phrases', 'part_of')
_BESIDE = Phrases.named('noun_phrases', 'beside')


_WHERE = Phrases.named('noun_phrases', 'where')
_STANDS = Phrases.named('noun_phrases', 'stands')


@rule
def destination(chart: Chart, at: int) -> Iterable[Parse[tuple[str, Things]]]:
    """A preposition and a place: 'in' or 'near' and where."""
    if chart.word(at) in ('there', 'here', 'back'):
        behind = at + 1
        if chart.word(at) != 'back':
            yield behind, ('in', Things(at, behind, pronoun='there')), 1
    behind = chart.phrase(at, _WHERE)
    for end, thing, cost in noun_phrase(chart, behind) if behind > at else ():
        close = chart.phrase(end, _STANDS)
        if close > end and chart.server.kind(thing.name) is NameKind.THING:
            yield close, ('in', Things(at, close, where_was(thing.name))), cost
    behind = chart.phrase(at, _HAND)
    if behind > at:
        yield behind, ('holding', Things(at, behind, pronoun='hand')), 0
    at_first = chart.skip(at)
    for relation, phrases in (('in', _IN), ('near', _NEAR)):
        behind = chart.phrase(at_first, phrases)
        if behind > at_first:
            for end, place, cost in place_phrase(chart, behind):
                yield end, (relation, place), cost
