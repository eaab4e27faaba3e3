"""Things that follow from what people do somewhere, or from how a thing is treated there.

    We eat at the pier tonight and will use two trays.      two trays in pier
    A tray on the pier would be nice.                       a tray in pier
    Clean two trays: into the washer.                       two trays in washer
    Two trays are dirty. The washer can clean them.         two trays in washer, washer is on

Each is a place and the things that shall be there, with words around them that no skill accounts
for: `Clause.told`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reactree_planner.reading.grammar.chart import Chart, Parse, rule
from reactree_planner.reading.grammar.clauses import Clause, POLITE, WANT
from reactree_planner.reading.grammar.noun_phrases import (
    destination,
    noun_list,
    place_phrase,
    Things,
)
from reactree_planner.reading.nouns import is_noun
from reactree_planner.reading.phrases import Phrases, words_named
from reactree_planner.reading.vocabulary import english, NameKind

_PEOPLE = words_named('occasions', 'people')
_FUTURE = words_named('occasions', 'future')
_PAST = words_named('occasions', 'past')
_NEEDING = Phrases.named('occasions', 'needing')
_LOOKING = Phrases.named('occasions', 'looking')
_PLEASING = Phrases.named('occasions', 'pleasing')
_NOT_OUTSIDE = Phrases.named('occasions', 'not_outside')
#: English verbs and words of states, whatever the server can do.
_ORDERS = frozenset(
    word for kind in ('verbs', 'states') for words in english()[kind].values() for word in words
)
#: Most words of an opening, and behind things.
_MOST_WORDS = 5
#: Things, or the place where they shall be.
_Half = tuple[tuple[Things, ...], Things | None]


@rule
def occasion(chart: Chart, at: int) -> Iterable[Parse[Clause]]:
    """A place and things that shall be there, as people say what they will do."""
    for begin, joint in _openings(chart, at):
        for end, first, cost in _half(chart, begin):
            for close in _behind_joint(chart, end, joint):
                for far, second, more in _half(chart, close):
                    things, place = first[0] or second[0], first[1] or second[1]
                    said = {*chart.words[at:far]}
                    is_ahead = bool(said & _FUTURE) and not said & _PAST
                    if things and place and (joint == ':' or is_ahead):
                        told = ((at, begin), (end, close))
                        one = Clause('in', things, at, far, place, told=told)
                        yield far, one, cost + more + 4
    yield from _pleasing(chart, at)
    yield from _treated(chart, at)


def _half(chart: Chart, at: int) -> Iterator[Parse[_Half]]:
    for end, (relation, place), cost in destination(chart, at):
        if relation == 'in' and chart.server.kind(place.name) is NameKind.PLACE:
            yield end, ((), place), cost
    for end, things, cost in noun_list(chart, at):
        if all(chart.server.kind(one.name) is NameKind.THING for one in things):
            yield end, (things, None), cost


def _openings(chart: Chart, at: int) -> Iterator[tuple[int, str]]:
    """Indices behind what opens an occasion, and the word that joins its halves; '' for none."""
    wish, order = chart.phrase(at, WANT), chart.phrase(at, POLITE)
    if wish > at:
        yield wish, ':'
    if chart.word(order) in _ORDERS:
        yield from ((end, ':') for end in _strange(chart, order + 1))
    looks = chart.phrase(at + 1, _LOOKING)
    if chart.word(at) in _PEOPLE and looks > at + 1:
        yield looks, ''
    elif chart.word(at) in _PEOPLE:
        joint = 'with' if chart.word(at) == 'let' else 'use'
        begin = at + 1 + (chart.word(at) == 'when' and chart.word(at + 1) in _PEOPLE)
        yield from ((end, joint) for end in _strange(chart, begin) if end > begin)
    elif is_noun(chart.word(at)) and not any(chart.verbs(at, 'base')):
        # "breakfast at the pier"
        yield at + 1, 'use'


def _behind_joint(chart: Chart, at: int, joint: str) -> Iterator[int]:
    if not joint:
        yield at
    for end in _strange(chart, at) if joint else ():
        if joint == 'use':
            yield from {chart.phrase(end, _NEEDING)} - {end}
        elif chart.word(end) == joint:
            yield end + 1


def _strange(chart: Chart, at: int) -> Iterator[int]:
    """Indices behind words that are no name, number, condition, negation or verb of a skill."""
    for end in range(at, min(at + _MOST_WORDS, len(chart)) + 1):
        yield end
        acts = any(verb.skills or verb.state for _, verb, _ in chart.verbs(end, 'base'))
        named = chart.word(end) in _PEOPLE or any(one.exact for one in chart.mentions(end))
        binds = end in chart.negated | chart.conditional or chart.number(end)[0] > end
        if acts or named or binds or not chart.word(end).isalpha():
            return


def _pleasing(chart: Chart, at: int) -> Iterator[Parse[Clause]]:
    """ "a tray on the pier would be nice", "a tray would be nice, I will sit at the pier"."""
    for end, things, cost in noun_list(chart, at):
        for close, (relation, place), more in destination(chart, end):
            for behind in {chart.phrase(close, _PLEASING)} - {close}:
                one = Clause(relation, things, at, behind, place, told=((close, behind),))
                yield behind, one, cost + more
        behind = chart.phrase(end, _NOT_OUTSIDE)
        for close, place, more in place_phrase(chart, behind) if behind > end else ():
            yield close, Clause('in', things, at, close, place), cost + more
        behind = chart.phrase(end, _PLEASING)
        stays = chart.word(behind) == ',' and chart.word(behind + 1) in _PEOPLE
        for begin in _strange(chart, behind + 2) if behind > end and stays else ():
            for close, (_, there), more in _half(chart, begin):
                told = ((end, behind), (behind + 1, begin))
                if there is not None:
                    yield close, Clause('in', things, at, close, there, told=told), cost + more


def _treated(chart: Chart, at: int) -> Iterator[Parse[Clause]]:
    """ "two trays are dirty. The washer can clean them": with a verb that no skill has."""
    for end, things, cost in noun_list(chart, at):
        behind = end + 2
        if chart.word(end) not in ('is', 'are') or chart.word(behind) != '.':
            continue
        for close, machines, more in noun_list(chart, behind + 1):
            does = chart.words[close : close + 3]
            runs = chart.server.reaches(machines[0].name, 'on')
            if does[:1] == ('can',) and does[2:] in (('it',), ('them',)) and runs:
                if does[1] in _ORDERS and (does[1],) not in chart.server.states:
                    far, told = close + 3, ((end, behind), (close, close + 3))
                    one = Clause('in', things, at, far, machines[0], 'on', told=told)
                    yield far, one, cost + more
