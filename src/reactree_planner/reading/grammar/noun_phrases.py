"""Noun phrases: "two clean plates from the shelf", "all fruit but the apple", "it", lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from reactree_planner.reading.form import Count
from reactree_planner.reading.grammar.chart import Chart, Parse, Phrases, rule
from reactree_planner.reading.vocabulary import NameKind

_DETERMINERS = frozenset(
    'the a an this that these those my your our his her its their some any another other more '
    "'s own new".split()
)
_EVERY = frozenset('all every each both'.split())
_COUNTS = {
    **{
        word: number
        for number, word in enumerate(
            'one two three four five six seven eight nine ten eleven twelve'.split(), start=1
        )
    },
    'single': 1, 'dozen': 12, 'couple': 2, 'pair': 2,
}  # fmt: skip
#: Before "of" and a name: what holds it, or how it is cut.
_PORTIONS = frozenset(
    'bottle bottles can cans jar jars glass glasses cup cups piece pieces portion bar bars loaf '
    'roll rolls box boxes bag bags pack packs packet packets carton cartons head heads set sets '
    'pile stack bunch slice slices chunk section wedge bit bits pair pairs couple tube tubes '
    'plate plates bowl bowls'.split()
)
#: Words of a thing that change nothing about which one is meant.
_EMPTY = frozenset('single separate individual whole following entire two-'.split())
_PRONOUNS = {
    'it': 'it', 'this': 'it', 'that': 'it', 'them': 'them', 'they': 'them', 'these': 'them',
    'those': 'them', 'everything': 'all', 'anything': 'any', 'something': 'any', 'nothing': 'any',
}  # fmt: skip
_EVERYTHING = Phrases.of('everything|all the things|all things|all items|all the items|anything')
_BUT = Phrases.of(
    'but not|but|except for|except|apart from|aside from|other than|excluding|save for|minus'
)
_FROM = Phrases.of('from inside|from on|from in|from|out of|off of|off')
_IN = Phrases.of(
    'inside of|in to|on to|on top of|in front of|at the top of|in|into|inside|on|onto|to|at|upon|'
    'over to|under|towards|within'
)
_NEAR = Phrases.of('next to|beside|near|close to|by|alongside|close by|right next to|along with')
_WHICH = Phrases.of('that is|that are|which is|which are|that lies|lying|standing|that stands|who is')
_TODAY = frozenset('now currently already still there'.split())


@dataclass(frozen=True, slots=True)
class Things:
    """What a noun phrase stands for.

    :param name: of the server; '' for a pronoun or an unknown noun.
    :param pronoun: 'it', 'them', 'all' or 'any'; '' for a noun. :param unknown: a noun that is no
        name. :param states: of its adjectives: "a clean plate". :param source: where they are now.
    :param inside: things in them: "a cup with a fork in it". :param others: names that the words
        may stand for as well. :param start: index of its first token, :param end: behind its last.
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


@rule
def noun_phrase(chart: Chart, at: int) -> Iterable[Parse[Things]]:
    """One sort of things with determiners, count, adjectives, source and exceptions."""
    for end, things, cost in _core(chart, at):
        yield from _extended(chart, end, things, cost)


def _core(chart: Chart, at: int) -> Iterator[Parse[Things]]:
    end = chart.phrase(at, _EVERYTHING)
    if end > at:
        every = chart.word(at) in ('everything', 'all')
        yield end, Things(at, end, count='all', pronoun='all' if every else 'any'), 0
    word = chart.word(at)
    if word in _PRONOUNS and word not in ('everything', 'anything', 'something', 'nothing'):
        end = at + 1
        both = chart.word(end) in ('all', 'both')
        yield end + both, Things(at, end + both, pronoun=_PRONOUNS[word]), 1
    if word in ('both', 'each', 'all', 'one') and chart.word(at + 1) == 'of':
        if chart.word(at + 2) in ('them', 'these', 'those', 'it'):
            yield at + 3, Things(at, at + 3, pronoun='them'), 1
    i, count, states, definite = at, 1, [], False
    counted: Count | None = None
    while i < len(chart):
        word = chart.word(i)
        if word in _EVERY:
            counted = 2 if word == 'both' else 'all'
            definite |= word != 'both'
        elif word in _COUNTS:
            counted = _COUNTS[word] if counted != 'all' else counted
        elif word.isdecimal() and len(word) < 4 and not _ends_name(chart, at, i):
            counted = int(word)
        elif word == 'half' or word in _EMPTY or (word == 'of' and i > at):
            pass
        elif word in _DETERMINERS:
            definite |= word not in ('a', 'an', 'some', 'any', 'another')
        elif word in _PORTIONS and chart.word(i + 1) == 'of' and not _is_name(chart, i):
            if word.startswith(('slice', 'piece', 'chunk', 'wedge')):
                state = chart.server.states.get(('sliced',), '')
                states += [state] if state else []
            i += 1
        elif (chart.word(i),) in chart.server.states and not _is_name(chart, i):
            states.append(chart.server.states[chart.word(i),])
        elif word in ('and', ',') and states and (chart.word(i + 1),) in chart.server.states:
            pass
        else:
            break
        i += 1
    for mention in chart.mentions(i):
        number: Count = counted if counted is not None else count
        if mention.plural and counted is None:
            number = 'all' if definite else 2
        name, others = _chosen(chart, mention.names, mention.instance)
        end, extra = mention.end, tuple(states)
        if chart.word(end) in ('slice', 'slices', 'piece', 'pieces', 'section'):
            sliced = chart.server.states.get(('sliced',), '')
            extra = (*extra, sliced) if sliced else extra
            end += 1
        cost = 0 if mention.exact else 2 + 2 * bool(others)
        yield (
            end,
            Things(at, end, name, number, extra, others=others, plural=mention.plural),
            cost,
        )
    if i > at or not chart.mentions(i):
        yield from _unknown(chart, at, i, counted, definite, tuple(states))


def _ends_name(chart: Chart, at: int, i: int) -> bool:
    return any(m.end == i + 1 and m.instance for j in range(at, i) for m in chart.mentions(j))


def _is_name(chart: Chart, at: int) -> bool:
    return any(one.exact for one in chart.mentions(at))


def _chosen(chart: Chart, names: tuple[str, ...], label: str) -> tuple[str, tuple[str, ...]]:
    """The name that words stand for, with its number, and what else they may be."""
    first, *others = names
    return (f'{first} {label}' if label else first), tuple(others)


def _unknown(
    chart: Chart, at: int, i: int, counted: Count | None, definite: bool, states: tuple[str, ...]
) -> Iterator[Parse[Things]]:
    """A noun that is no name: a synonym of one, or left as it is."""
    stop = i
    while stop < min(i + 3, len(chart)):
        token = chart.sentence.tokens[stop]
        is_content = token.word.isalpha() and not chart.sentence.is_function(token)
        if not is_content or (stop > i and chart.mentions(stop)):
            break
        stop += 1
    for end in range(stop, i, -1):
        noun = ' '.join(chart.words[i:end])
        like = chart.server.like(noun)
        same = tuple(name for name, near in like.items() if near.value == 2)
        plural = noun.endswith('s')
        number = counted or (('all' if definite else 2) if plural else 1)
        if same:
            yield end, Things(at, end, same[0], number, states, others=same[1:], plural=plural), 3
        elif i > at:
            yield end, Things(at, end, '', number, states, unknown=noun, plural=plural), 20


def _extended(chart: Chart, end: int, things: Things, cost: int) -> Iterator[Parse[Things]]:
    """The same with what stands behind: source, exceptions, what is in it."""
    yield end, replace(things, end=end), cost
    but = chart.phrase(end, _BUT)
    if but > end and (things.count == 'all' or things.pronoun):
        for close, others, more in noun_list(chart, but):
            names = tuple(one.name for one in others if one.name)
            if len(names) == len(others):
                yield close, replace(things, but=names, end=close), cost + more
    begin = chart.skip(chart.phrase(end, _WHICH), _TODAY)
    for phrases in (_FROM,) if begin == end else (_FROM, _IN):
        behind = chart.phrase(begin, phrases)
        for close, place, more in place_phrase(chart, behind) if behind > begin else ():
            yield close, replace(things, source=place.name, end=close), cost + more + (begin == end)
    begin = end
    if chart.word(begin) in ('with', 'containing', 'holding'):
        for close, inner, more in noun_list(chart, begin + 1):
            inside = chart.phrase(close, _INSIDE_IT)
            if inside > close or chart.word(begin) in ('containing', 'holding'):
                yield inside, replace(things, inside=inner, end=inside), cost + more


_INSIDE_IT = Phrases.of(
    'inside of it|inside it|in it|on it|inside|within it|in them|on top of it|on top|in there'
)


@rule
def noun_list(chart: Chart, at: int) -> Iterable[Parse[tuple[Things, ...]]]:
    """Things joined by commas, "and", "or" and "as well as"."""
    for end, first, cost in noun_phrase(chart, at):
        yield end, (first,), cost
        behind = chart.phrase(end, _JOINTS)
        if behind > end:
            for close, rest, more in noun_list(chart, behind):
                yield close, (first, *rest), cost + more


_JOINTS = Phrases.of(', and|, or|, as well as|as well as|along with|together with|and|or|nor|,|&|plus|and also|, then')


@rule
def place_phrase(chart: Chart, at: int) -> Iterable[Parse[Things]]:
    """A place: a noun phrase that is one, "it" and "there"."""
    if chart.word(at) in ('there', 'here'):
        yield at + 1, Things(at, at + 1, pronoun='there'), 1
    for end, things, cost in noun_phrase(chart, at):
        kind = chart.server.kind(things.name) if things.name else None
        if things.inside or things.but or things.pronoun in ('all', 'any'):
            continue
        wrong = kind is NameKind.THING
        yield end, things, cost + wrong


@rule
def destination(chart: Chart, at: int) -> Iterable[Parse[tuple[str, Things]]]:
    """A preposition and a place: 'in' or 'near' and where."""
    if chart.word(at) in ('there', 'here', 'back'):
        behind = at + 1
        if chart.word(at) != 'back':
            yield behind, ('in', Things(at, behind, pronoun='there')), 1
    at_first = chart.skip(at)
    for relation, phrases in (('in', _IN), ('near', _NEAR)):
        behind = chart.phrase(at_first, phrases)
        if behind > at_first:
            for end, place, cost in place_phrase(chart, behind):
                yield end, (relation, place), cost
