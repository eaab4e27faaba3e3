"""What a text forbids: islands around a negation, read by names and verbs alone.

A prohibition is found whether or not what stands around it is understood. Where in doubt, more is
forbidden: a verb that is not known forbids everything that is done with its thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from reactree_planner.reading.grammar.chart import Chart, Parse, rule
from reactree_planner.reading.grammar.noun_phrases import noun_list, Things
from reactree_planner.reading.phrases import Phrases, words_named
from reactree_planner.reading.sentence import Sign
from reactree_planner.reading.vocabulary import Verb

#: Words of an act that is not known, up to its thing: "fumble around with the".
_UNKNOWN = 6
#: Neither going to it nor doing anything with it.
NEAR = 'near'
#: Signs that end what a negation is about.
_ENDS = frozenset('.;!?\n')
_CONJUNCTIONS = frozenset(['and', 'but', 'then', 'so'])
_FROM = frozenset(['from', 'out', 'off'])
_INTO = frozenset(['into', 'onto', 'to', 'in', 'on', 'inside', 'at', 'near'])
#: Begin the words for that with which something is touched.
_LIMBS = ('hand', 'paw', 'finger')
_ACT_OF_STATE = {'open': 'open', 'closed': 'close', 'on': 'switch on', 'off': 'switch off'}
_STATE_KEPT = {
    'closed': 'open', 'shut': 'open', 'unopened': 'open', 'open': 'close', 'off': 'switch on',
    'on': 'switch off', 'running': 'switch off', 'alone': 'touch', 'untouched': 'touch',
}  # fmt: skip
_AWAY = Phrases.named('prohibitions', 'away')
_OFF_LIMITS = Phrases.named('prohibitions', 'off_limits')
_TRAILING = Phrases.named('prohibitions', 'trailing')
_MODALS = words_named('prohibitions', 'modals')
_AT_MOST = Phrases.named('prohibitions', 'at_most')


@dataclass(frozen=True, slots=True)
class Ban:
    """What is forbidden, or limited. :param at_most: times; None for never.

    :param place: where it is bound to. :param side: of the place.
    """

    doing: str
    things: tuple[Things, ...]
    start: int
    end: int
    place: Things | None = None
    side: Literal['from', 'to', 'at'] = 'at'
    at_most: int | None = None


def negations(chart: Chart) -> frozenset[int]:
    """Tokens at which a negation begins."""
    starts = {mark.span[0] for mark in chart.sentence.marked(Sign.NEGATION)}
    return frozenset(i for i, token in enumerate(chart.sentence.tokens) if token.start in starts)


@rule
def prohibition(chart: Chart, at: int) -> Iterable[Parse[Ban]]:
    """What the words from here forbid, up to the end of the clause."""
    yield from _away(chart, at)
    yield from _kept(chart, at)
    yield from _off_limits(chart, at)
    for end, verb, cost in chart.verbs(at, 'gerund'):
        # "opening the vault is forbidden"
        for close, ban, more in _of_verb(chart, at, end, verb):
            behind = chart.phrase(close, _OFF_LIMITS)
            if behind > close:
                yield chart.phrase(behind, _TRAILING), replace(ban, end=behind), cost + more
    lead = _lead(chart, at)
    if lead is None:
        return
    for end, ban, cost in _act(chart, at, lead):
        yield chart.phrase(end, _TRAILING), ban, cost


def _lead(chart: Chart, at: int) -> int | None:
    """The index behind "do not", "you must never", "without"; None where nothing forbids."""
    begin = at
    while chart.word(begin) in _MODALS and begin < at + 6:
        begin += 1
    negated = negations(chart)
    heads = [i for i in range(at, begin + 1) if _starts_negation(chart, i, negated)]
    if not heads:
        return None
    end = heads[-1] + 1
    for mark in chart.sentence.marked(Sign.NEGATION):
        if mark.span[0] == chart.sentence.tokens[heads[-1]].start:
            while end < len(chart) and chart.sentence.tokens[end].end <= mark.span[1]:
                end += 1
    while chart.word(end) in _MODALS - {'the', 'a', 'an', 'any'}:
        end += 1
    # "stop short of opening it", and not "nothing from the vault"
    acts = chart.word(end) in ('of', 'from') and any(True for _ in chart.verbs(end + 1, 'gerund'))
    return end + acts


def _starts_negation(chart: Chart, at: int, negated: frozenset[int]) -> bool:
    # "don't" is two tokens at one place: the second one negates.
    return at in negated and not (chart.word(at) == 'do' and chart.word(at + 1) == 'not')


def _act(chart: Chart, at: int, begin: int) -> Iterator[Parse[Ban]]:
    verbs = list(chart.verbs(begin, 'base', 'gerund', 'participle'))
    for end, verb, cost in verbs:
        # "use" is to touch and to switch on: of several acts the widest is forbidden.
        alike = {other.act for close, other, _ in verbs if close >= end}
        narrow = 4 if 'touch' in alike and verb.act != 'touch' else 0
        for close, ban, more in _of_verb(chart, at, end, verb):
            yield close, ban, cost + more + narrow
    if verbs:
        return
    for close, place, side, cost in _side(chart, begin) if chart.word(begin) in _FROM else ():
        # "nothing from the vault"
        yield close, Ban('take', (), at, close, place, side), cost
    # No verb that is known: nothing is done with what is named, and it is not gone to.
    for start in range(begin, min(begin + _UNKNOWN, len(chart))):
        if chart.word(start) in _ENDS | _CONJUNCTIONS | {','}:
            return
        for close, things, cost in noun_list(chart, start):
            doing = 'touch' if start == begin else NEAR
            yield close, Ban(doing, things, at, close), cost + 10 + start - begin


def _of_verb(chart: Chart, at: int, end: int, verb: Verb) -> Iterator[Parse[Ban]]:
    particle = (
        verb.words[1] if end - 1 + len(verb.words) > end and _splits(chart, end, verb) else ''
    )
    doing = act_of(verb)
    if verb.act == 'turn':
        yield from _turning(chart, at, end)
        return
    begin = end
    if doing in ('go', 'touch'):
        while chart.word(begin) in _INTO | {'anywhere', 'through', 'of'}:
            begin += 1
        doing = NEAR if 'near' in chart.words[end:begin] else doing
    for close, things, cost in noun_list(chart, begin):
        behind = close
        if particle and chart.word(close) == particle:
            behind = close + 1
        yield behind, Ban(doing, things, at, behind), cost + 2
        for far, place, side, more in _side(chart, behind):
            yield far, Ban(doing, things, at, far, place, side), cost + more
        source = {one.source for one in things if one.source}
        if source:
            place = Things(close, close, source.pop())
            bare = tuple(
                Things(t.start, t.end, t.name, t.count, pronoun=t.pronoun) for t in things
            )
            yield behind, Ban(doing, bare, at, behind, place, 'from'), cost
    for far, place, side, more in _side(chart, end):
        if doing not in ('go', 'touch', NEAR):
            yield far, Ban(doing, (), at, far, place, side), more + 1
    if verb.skills and not any(skill.slots for skill in verb.skills):
        yield end, Ban(doing, (), at, end), 0


def _splits(chart: Chart, end: int, verb: Verb) -> bool:
    return len(verb.words) == 2 and chart.words[end - 1 : end] != verb.words[1:]


def act_of(verb: Verb) -> str:
    """The act of a form that a verb stands for."""
    if verb.act == 'state':
        general = _ACT_OF_STATE.get(verb.state)
        if general:
            return general
        return verb.skills[0].verb if verb.skills else 'touch'
    names = {
        'put': 'put',
        'bring': 'take',
        'take': 'take',
        'go': 'go',
        'enter': 'go',
        'near': NEAR,
    }
    if verb.act == 'skill' and verb.skills:
        return verb.skills[0].verb
    return names.get(verb.act, 'touch')


def _turning(chart: Chart, at: int, end: int) -> Iterator[Parse[Ban]]:
    if chart.word(end) in ('on', 'off'):
        for close, things, cost in noun_list(chart, end + 1):
            yield close, Ban(f'turn {chart.word(end)}', things, at, close), cost
    for close, things, cost in noun_list(chart, end):
        if chart.word(close) in ('on', 'off'):
            yield close + 1, Ban(f'turn {chart.word(close)}', things, at, close + 1), cost


def _side(chart: Chart, at: int) -> Iterator[tuple[int, Things, Literal['from', 'to', 'at'], int]]:
    """A place that an act is bound to, and whether it leads there or away from it."""
    word, begin = chart.word(at), at
    while chart.word(begin) in _FROM | _INTO | {'of'}:
        begin += 1
    if begin == at:
        return
    side: Literal['from', 'to', 'at'] = 'from' if word in _FROM else 'to'
    for end, places, cost in noun_list(chart, begin):
        if len(places) == 1:
            yield end, places[0], side, cost


def _away(chart: Chart, at: int) -> Iterator[Parse[Ban]]:
    end = chart.phrase(at, _AWAY)
    for begin, verb, cost in chart.verbs(end, 'gerund') if end > at else ():
        yield from ((far, ban, cost + more) for far, ban, more in _of_verb(chart, at, begin, verb))
    for close, things, cost in noun_list(chart, end) if end > at else ():
        limbs = any(word.startswith(_LIMBS) for word in chart.words[at:end])
        doing = 'touch' if limbs else NEAR
        yield chart.phrase(close, _TRAILING), Ban(doing, things, at, close), cost


def _kept(chart: Chart, at: int) -> Iterator[Parse[Ban]]:
    """ "keep the gate closed", "leave it alone", "the pump must stay off"."""
    lead = at + 1 if chart.word(at) in ('keep', 'leave', 'let') else at
    for end, things, cost in noun_list(chart, lead):
        begin = end
        if lead == at:
            while chart.word(begin) in _MODALS:
                begin += 1
            if chart.word(begin) not in ('stay', 'stays', 'remain', 'remains', 'kept', 'left'):
                continue
            begin += 1
        doing = _STATE_KEPT.get(chart.word(begin))
        if doing and (doing == 'touch' or chart.word(at) != 'leave'):
            yield begin + 1, Ban(doing, things, at, begin + 1), cost
        elif chart.words[begin : begin + 3] in (('where', 'it', 'is'), ('where', 'they', 'are')):
            yield begin + 3, Ban('take', things, at, begin + 3), cost


def _off_limits(chart: Chart, at: int) -> Iterator[Parse[Ban]]:
    for end, things, cost in noun_list(chart, at):
        behind = chart.phrase(end, _OFF_LIMITS)
        if behind > end:
            yield chart.phrase(behind, _TRAILING), Ban(NEAR, things, at, behind), cost
        # "the vault must not be opened"
        begin = end
        while chart.word(begin) in _MODALS - {'not', 'never'}:
            begin += 1
        if begin > end and chart.word(begin) in ('not', 'never'):
            begin += 1
            while chart.word(begin) in _MODALS:
                begin += 1
            for close, verb, more in chart.verbs(begin, 'participle', 'base'):
                if close - begin == len(verb.words):
                    yield close, Ban(act_of(verb), things, at, close), cost + more
                    for far, place, side, extra in _side(chart, close):
                        ban = Ban(act_of(verb), things, at, far, place, side)
                        yield far, ban, cost + more + extra


@rule
def limit(chart: Chart, at: int) -> Iterable[Parse[Ban]]:
    """ "take at most two crates": no more than that often."""
    for end, verb, cost in chart.verbs(at, 'base'):
        behind = chart.phrase(end, _AT_MOST)
        if behind > end:
            for close, things, more in noun_list(chart, behind):
                if len(things) == 1 and isinstance(things[0].count, int):
                    ban = Ban(act_of(verb), things, at, close, at_most=things[0].count)
                    yield close, ban, cost + more


def ends_clause(chart: Chart, at: int) -> bool:
    """Whether a clause may end before a token."""
    return at >= len(chart) or chart.word(at) in _ENDS | _CONJUNCTIONS | {',', ':', '-', ')'}
