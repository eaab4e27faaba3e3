"""What a text forbids: islands around a negation, read by names and verbs alone.

A prohibition is found whether or not what stands around it is understood. Where in doubt, more is
forbidden: a verb that is not known forbids everything that is done with its thing, and an act that
is joined to a forbidden one is forbidden as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from reactree_planner.reading.grammar.chart import Chart, Parse, rule
from reactree_planner.reading.grammar.clauses import event, STATE_KEPT, Statement
from reactree_planner.reading.grammar.noun_phrases import noun_list, noun_phrase, Things
from reactree_planner.reading.phrases import Phrases, words_named
from reactree_planner.reading.sentence import Sign
from reactree_planner.reading.units import UNITS
from reactree_planner.reading.vocabulary import ACT_OF_STATE, act_of_state, NameKind, Verb

#: Words of an act that is not known, up to its thing: "fumble around with the".
_UNKNOWN = 6
#: Neither going to it nor doing anything with it.
NEAR = 'near'
#: Signs that end what a negation is about.
_ENDS = frozenset('.;!?\n')
_CONJUNCTIONS = frozenset(['and', 'but', 'then', 'so'])
_FROM = frozenset(['from', 'out', 'off'])
_INTO = frozenset(['into', 'onto', 'to', 'in', 'on', 'inside', 'at', 'near'])
#: Say where something is as well as where it goes.
_LYING = frozenset(['in', 'on', 'inside', 'at', 'near'])
#: Begin the words for that with which something is touched.
_LIMBS = ('hand', 'paw', 'finger')
_ACT_OF_VERB = {'put': 'put', 'bring': 'take', 'take': 'take', 'go': 'go', 'enter': 'go',
                'near': NEAR}  # fmt: skip
#: Say, with a place, where a thing shall not be; "is not in the vault" only tells it.
_WISHING = words_named('prohibitions', 'wishing')
_LYING_VERBS = frozenset(['belong', 'belongs', 'go', 'goes', 'stay', 'lie', 'stand', 'be'])
#: Acts whose verbs tell where a thing is: "nothing goes there".
_OF_THINGS = frozenset(['go', 'enter', NEAR, 'put', 'find'])
#: Modals that stand before their subject: "at no point may it be opened".
_INVERTING = frozenset(['may', 'can', 'should', 'must', 'shall', 'let', 'have', 'has'])
_SEE_THAT = Phrases.of('make sure that|make sure|see to it that|ensure that|ensure|see that')
_AWAY = Phrases.named('prohibitions', 'away')
_OFF_LIMITS = Phrases.named('prohibitions', 'off_limits')
_TRAILING = Phrases.named('prohibitions', 'trailing')
_MODALS = words_named('prohibitions', 'modals')
_AT_MOST = Phrases.named('prohibitions', 'at_most')
_MORE_THAN = Phrases.named('prohibitions', 'more_than')
_PER = Phrases.named('prohibitions', 'per_time')
_COPULA = Phrases.named('prohibitions', 'copula')
_STRICTLY = words_named('prohibitions', 'strictly')
_JOINED = Phrases.named('prohibitions', 'joined')
_UNTIL = Phrases.named('prohibitions', 'until')
_ONCE_SO = Phrases.named('prohibitions', 'once_so')
_IN_ALL = Phrases.named('prohibitions', 'in_all')
_HOURLY = Phrases.named('prohibitions', 'hourly')


@dataclass(frozen=True, slots=True)
class Ban:
    """What is forbidden, or limited.

    :param doing: an act; '' for that of the clause before. :param things: () for anything.
    :param place: where it is bound to. :param side: of the place.
    :param at_most: times, or amount in `unit`; None for never. :param per: of an amount.
    :param first: what has to be the case before, where the act only waits for it.
    :param doubt: token of a conjunction behind which something may be asked instead; -1 for none.
    """

    doing: str
    things: tuple[Things, ...]
    start: int
    end: int
    place: Things | None = None
    side: Literal['from', 'to', 'at'] = 'at'
    at_most: float | None = None
    unit: str = ''
    per: Literal['all', 'thing', 'time'] = 'all'
    hourly: bool = False
    first: Statement | None = None
    doubt: int = -1


#: Acts that are forbidden together.
Bans = tuple[Ban, ...]


def negations(chart: Chart) -> frozenset[int]:
    """Tokens at which a negation begins."""
    starts = {mark.span[0] for mark in chart.sentence.marked(Sign.NEGATION)}
    return frozenset(i for i, token in enumerate(chart.sentence.tokens) if token.start in starts)


@rule
def prohibition(chart: Chart, at: int) -> Iterable[Parse[Bans]]:
    """What the words from here forbid, and up to when."""
    for end, bans, cost in _forbidden(chart, at):
        yield end, bans, cost
        yield from _until(chart, at, end, bans, cost, _UNTIL)
    yield from _only(chart, at)
    # "until the lid is off, do not open it"
    behind = chart.phrase(at, _UNTIL)
    for close, first, cost in event(chart, behind) if behind > at else ():
        for end, bans, more in _forbidden(chart, close + (chart.word(close) == ',')):
            told = tuple(replace(one, start=at, first=first) for one in bans)
            yield end, told, cost + more


def _until(
    chart: Chart, at: int, end: int, bans: Bans, cost: int, phrases: Phrases
) -> Iterator[Parse[Bans]]:
    """The same, as acts that wait for an event."""
    behind = chart.phrase(end + (chart.word(end) == ','), phrases)
    for close, first, more in (
        event(chart, behind)
        if behind > end + 1 or (behind > end and chart.word(end) != ',')
        else ()
    ):
        if all(one.at_most is None for one in bans):
            told = tuple(replace(one, start=at, end=close, first=first) for one in bans)
            yield close, told, cost + more


def _only(chart: Chart, at: int) -> Iterator[Parse[Bans]]:
    """ "only open it after it is sealed", "it may only be opened once ..." """
    begin = chart.skip(at, _MODALS - {'not', 'never', 'nobody'})
    if chart.word(begin) == 'only':
        for end, verb, cost in chart.verbs(begin + 1, 'base'):
            for close, ban, more in _of_verb(chart, at, end, verb):
                yield from _until(chart, at, close, (ban,), cost + more, _ONCE_SO)
    for end, bans, cost in _passive(chart, at, at, False, 'only'):
        yield from _until(chart, at, end, bans, cost, _ONCE_SO)
    behind = chart.phrase(begin + 1, _ONCE_SO) if chart.word(begin) == 'only' else begin + 1
    for close, first, cost in event(chart, behind) if behind > begin + 1 else ():
        # "[open it] only after it is sealed"
        yield close, (Ban('', (), at, close, first=first),), cost
        far = chart.skip(close, ('may', 'can', 'should', 'must', 'you', 'are', 'to', 'be', ','))
        for end, verb, more in chart.verbs(far, 'base') if far > close + 1 else ():
            for last, ban, extra in _of_verb(chart, at, end, verb):
                yield last, (replace(ban, first=first),), cost + more + extra


def _forbidden(chart: Chart, at: int) -> Iterator[Parse[Bans]]:
    for end, ban, cost in _away(chart, at):
        yield _trailed(chart, end, (ban,), cost)
    for end, bans, cost in _off_limits(chart, at):
        yield _trailed(chart, end, bans, cost)
    # "see to it that nobody opens it"
    told = chart.phrase(at, _SEE_THAT)
    negates = told > at and told in negations(chart)
    for end, bans, cost in _forbidden(chart, told) if negates else ():
        yield end, tuple(replace(one, start=at) for one in bans), cost
    yield from _kept(chart, at)
    for end, verb, cost in chart.verbs(at, 'gerund', 'base'):
        for close, ban, more in _of_verb(chart, at, end, verb):
            # "opening the vault is forbidden"
            behind = _barred(chart, close)
            if behind > close and verb.sort == 'gerund':
                yield _trailed(chart, behind, (ban,), cost + more)
        # "put nothing into the vault", "take none of the drums"
        nothing = _lead(chart, end) if verb.sort == 'base' else None
        if nothing is not None and chart.word(end) in ('nothing', 'none', 'no'):
            yield from ((far, (ban,), 1) for far, ban in _with_objects(chart, at, nothing, verb))
    stops = chart.word(at) in ('stop', 'quit', 'cease') and any(chart.verbs(at + 1, 'gerund'))
    lead = at + 1 if stops else _lead(chart, at)
    if lead is None:
        return
    for end, bans, cost in _acts(chart, at, lead):
        yield _trailed(chart, end, bans, cost)


def _trailed(chart: Chart, end: int, bans: Bans, cost: int) -> Parse[Bans]:
    """The same with what only stresses it: "under any circumstances"."""
    far = chart.phrase(end, _TRAILING)
    return far, tuple(replace(one, end=far) for one in bans), cost


def _with_objects(chart: Chart, at: int, begin: int, verb: Verb) -> Iterator[tuple[int, Ban]]:
    begin += chart.word(begin) == 'of'
    found: list[tuple[int, tuple[Things, ...]]] = [(begin, ())]
    found += [(end, things) for end, things, _ in noun_list(chart, begin)]
    for end, things in found:
        yield end, Ban(act_of(chart, verb), things, at, end)
        for far, place, side, _ in _side(chart, end):
            yield far, Ban(act_of(chart, verb), things, at, far, place, side)


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
    stressed = chart.phrase(end + 1, _TRAILING) if chart.word(end) == ',' else end
    if stressed > end + 1:
        # "never, ever open it", "do not, under any circumstances, open it"
        end = stressed + (chart.word(stressed) == ',')
    # "stop short of opening it", and not "nothing from the vault"
    acts = chart.word(end) in ('of', 'from') and any(True for _ in chart.verbs(end + 1, 'gerund'))
    return end + acts + (chart.word(end) == ',' and end + 1 < len(chart) and acts)


def _starts_negation(chart: Chart, at: int, negated: frozenset[int]) -> bool:
    # "don't" is two tokens at one place: the second one negates.
    return at in negated and not (chart.word(at) == 'do' and chart.word(at + 1) == 'not')


def _acts(chart: Chart, at: int, begin: int) -> Iterator[Parse[Bans]]:
    """Acts behind a negation, joined ones included."""
    verbs = list(chart.verbs(begin, 'base', 'gerund', 'participle'))
    # "nobody opens it"; and "nothing goes into the vault" is about things
    verbs += [one for one in chart.verbs(begin, 'third') if one[1].act not in _OF_THINGS]
    declared = [one for _, one, _ in verbs if one.skills]
    for end, verb, cost in verbs:
        # "use" is to touch and to switch on: of several acts the widest is forbidden.
        alike = {act_of(chart, other) for close, other, _ in verbs if close >= end}
        narrow = 4 if 'touch' in alike and act_of(chart, verb) != 'touch' else 0
        # A word may be the verb of a declared skill, and an act of English as well.
        also = [
            act_of(chart, one)
            for one in declared
            if one.words == verb.words and 'touch' not in alike
        ]
        for close, ban, more in _of_verb(chart, at, end, verb):
            bans = (ban, *(replace(ban, doing=act) for act in also if act != ban.doing))
            bans += _nouns_in(chart, at, begin, end, verb)
            yield from _joined(chart, at, close, bans, verb.sort, cost + more + narrow)
        # "do not open or close it"
        behind = chart.phrase(end, _JOINED)
        for far, others, more in _acts(chart, at, behind) if behind > end else ():
            own = replace(others[0], doing=act_of(chart, verb))
            yield far, (own, *_nouns_in(chart, at, begin, end, verb), *others), cost + more
        # "open bin 1", where it begins a skill with slots
        inner = _nouns_in(chart, at, begin, end, verb)
        if inner:
            yield end, (Ban(act_of(chart, verb), (), at, end), *inner), cost + 4
    for end, bans, cost in _passive(chart, at, begin, True):
        yield end, bans, cost + 3 * bool(verbs)
    if any(verb.act != 'turn' or verb.skills for _, verb, _ in verbs):
        return
    if verbs and any(True for end, verb, _ in verbs for _ in _of_verb(chart, at, end, verb)):
        return
    for close, place, side, cost in _side(chart, begin) if chart.word(begin) in _FROM else ():
        # "nothing from the vault"
        yield close, (Ban('take', (), at, close, place, side),), cost
    if chart.word(begin - 1) in ('of', 'than') and chart.word(at) in ('instead', 'rather'):
        # "[put it on the table] instead of the bin"
        for close, place, cost in noun_phrase(chart, begin):
            if chart.server.kind(place.name) in (NameKind.PLACE, NameKind.REGION):
                yield close, (Ban('', (), at, close, place, 'to'),), cost + 5
    elided = begin - (chart.word(begin - 1) == 'to' and begin - 1 > at)
    for close, place, side, cost in _side(chart, elided):
        # "[put it on the table,] not in the vault": the act is that of the clause before
        yield close, (Ban('', (), at, close, place, side),), cost + 5
    # No verb that is known: nothing is done with what is named, and it is not gone to.
    # "a crate with no lid to the truck" has no verb, "no entry to the hall" stands for one.
    most = 1 if chart.words[begin - 2 : begin] == ('with', 'no') else _UNKNOWN
    for start in range(begin, min(begin + most, len(chart))):
        if chart.word(start) in _ENDS | _CONJUNCTIONS | {','}:
            return
        for close, things, cost in noun_list(chart, start):
            doing = 'touch' if start == begin else NEAR
            for far, _, _, more in _side(chart, close) if start == begin else ():
                # "[bring the crate,] but not the drum to the table"
                yield far, (Ban('touch', things, at, far),), cost + more + 10
            yield close, (Ban(doing, things, at, close),), cost + 10 + start - begin


def _nouns_in(chart: Chart, at: int, begin: int, end: int, verb: Verb) -> Bans:
    """What the verb of a skill with slots names in its own words is not touched.

    No template "open bin 1 <part>" can hide the thing of a prohibition in its verb.
    """
    has_slots = any(skill.slots for skill in verb.skills)
    for start in range(begin + 1, end) if has_slots else ():
        for far, things, _ in noun_list(chart, start):
            if far == end:
                return (Ban('touch', things, at, end),)
    return ()


def _joined(
    chart: Chart, at: int, end: int, bans: Bans, sort: str, cost: int
) -> Iterator[Parse[Bans]]:
    """The same, and with what "or", "nor" and "and" join to it."""
    yield end, bans, cost
    behind = chart.phrase(end, _JOINED)
    if behind == end or (chart.word(end) == ',' and chart.word(end + 1) not in ('or', 'nor')):
        return
    doubt = end if 'and' in chart.words[end:behind] else -1
    far = behind
    while chart.word(far) in ('to', 'in', 'either', 'ever'):
        far += 1
    for close, verb, _ in chart.verbs(far, sort):
        for last, ban, more in _of_verb(chart, at, close, verb):
            told = (*bans, replace(ban, doubt=doubt))
            yield from _joined(chart, at, last, told, sort, cost + more)


def _passive(
    chart: Chart, at: int, begin: int, negated: bool, *words: str
) -> Iterator[Parse[Bans]]:
    """ "the vault must not be opened", "[at no point] may it be opened", "let it be opened"."""
    begin = chart.skip(begin, _MODALS - {'the', 'a', 'an', 'any', 'no'}) if negated else begin
    begin += negated and chart.word(begin) in ('let', 'have', 'allow', 'of')
    found: list[Parse[tuple[Things, ...]]] = [*noun_list(chart, begin)]
    if negated and begin > at:
        # "nothing is to be switched on"
        found.append((begin, (), 0))
    for end, things, cost in found:
        words = words or ('not', 'never')
        behind = chart.skip(end, _MODALS - {'not', 'never'})
        if not negated:
            if behind == end or chart.word(behind) not in words:
                continue
            behind = chart.skip(behind, _MODALS | set(words))
        asks = begin > at and not _INVERTING.isdisjoint(chart.words[at:begin])
        is_active = (behind > end or asks) and things
        sorts = ('participle', 'base') if is_active else ('participle',)
        for close, bans, more in _done_to(chart, at, behind, things, sorts):
            yield close, bans, cost + more
        if chart.word(behind) in ('leave', 'leaves'):
            # "no drum may leave the counter"
            for close, places, more in noun_list(chart, behind + 1):
                if len(places) == 1:
                    ban = Ban('take', things, at, close, places[0], 'from')
                    yield close, (ban,), cost + more
        state = chart.server.states.get(chart.words[behind : behind + 1], '') if negated else ''
        if state and things and not _WISHING.isdisjoint(chart.words[at:behind]):
            # "I do not want the gate open"
            ban = Ban(act_of_state(state, chart.server), things, at, behind + 1)
            yield behind + 1, (ban,), cost
        behind = chart.skip(behind, _LYING_VERBS)
        wishes = not _WISHING.isdisjoint(chart.words[at:behind]) or (
            not things and chart.word(behind - 1) in ('go', 'goes')
        )
        # "make sure that no crate is in the truck"
        wishes |= any(chart.phrase(i, _SEE_THAT) == at for i in range(max(at - 5, 0), at))
        for close, place, side, more in _side(chart, behind) if wishes else ():
            # "I do not want the crate on the table", "it does not belong in the vault"
            yield close, (Ban('put', things, at, close, place, side),), cost + more


def _done_to(
    chart: Chart, at: int, begin: int, things: tuple[Things, ...], sorts: tuple[str, ...]
) -> Iterator[Parse[Bans]]:
    """ "[be] opened or switched on", with what it is done to."""
    verbs = list(chart.verbs(begin, *sorts))
    widest = {one.words for _, one, _ in verbs if act_of(chart, one) == 'touch'}
    for end, verb, cost in verbs:
        cost += 4 * (verb.words in widest and act_of(chart, verb) != 'touch')
        particle = verb.words[1:] if end == begin + 1 else ()
        end += len(particle) and chart.words[end : end + 1] == particle
        doing = act_of(chart, verb)
        if doing == 'go':
            # "[the crate may not] go": a thing goes nowhere by itself
            continue
        if verb.act == 'turn':
            if chart.word(end) not in ('on', 'off'):
                continue
            doing, end = f'switch {chart.word(end)}', end + 1
        ban = Ban(doing, things, at, end)
        yield end, (ban,), cost
        for far, place, side, more in _side(chart, end):
            yield far, (replace(ban, end=far, place=place, side=side),), cost + more
        behind = chart.phrase(end, _JOINED)
        for far, others, more in (
            _done_to(chart, at, behind, things, ('participle',)) if behind > end else ()
        ):
            yield far, (ban, *others), cost + more


def _of_verb(chart: Chart, at: int, end: int, verb: Verb) -> Iterator[Parse[Ban]]:
    """An act with its things and place."""
    particle = verb.words[1] if chart.words[end - 1 : end] != verb.words[-1:] else ''
    doing = act_of(chart, verb)
    if verb.act == 'turn':
        yield from _turning(chart, at, end)
        return
    begin = end
    if doing in ('go', 'touch'):
        while chart.word(begin) in _INTO | {'anywhere', 'through', 'of'}:
            begin += 1
        doing = NEAR if 'near' in chart.words[end:begin] else doing
    more_than = chart.phrase(begin, _MORE_THAN)
    for close, things, cost in noun_list(chart, more_than):
        behind = close + bool(particle)
        if particle and chart.word(close) != particle:
            continue
        if more_than > begin:
            # "do not open more than two lockers"
            if len(things) == 1 and isinstance(things[0].count, int):
                most = float(things[0].count)
                yield behind, Ban(doing, things, at, behind, at_most=most), cost
            continue
        yield behind, Ban(doing, things, at, behind), cost + 2
        for far, place, side, more in _side(chart, behind):
            if doing == 'take' and chart.word(behind) in _LYING:
                # "take the crate on the rack": it lies there, or is brought there.
                side = 'at'
            moves = doing == 'touch' and chart.word(behind) in ('to', 'into', 'onto')
            # "do not move it to the bin"
            told = 'put' if moves else doing
            yield far, Ban(told, things, at, far, place, side), cost + more
        source = {one.source for one in things if one.source}
        if source:
            place = Things(close, close, source.pop())
            bare = tuple(
                Things(t.start, t.end, t.name, t.count, pronoun=t.pronoun) for t in things
            )
            yield behind, Ban(doing, bare, at, behind, place, 'from'), cost
    for far, place, side, more in _side(chart, end):
        if not particle and doing not in ('go', 'touch', NEAR):
            yield far, Ban(doing, (), at, far, place, side), more + 1
    if verb.skills and not any(skill.slots for skill in verb.skills):
        yield end, Ban(doing, (), at, end), 0


def act_of(chart: Chart, verb: Verb) -> str:
    """The act of a form that a verb stands for."""
    if verb.act == 'state':
        own = verb.skills[0].verb if verb.skills and verb.state not in ACT_OF_STATE else ''
        return own or act_of_state(verb.state, chart.server)
    if verb.act == 'skill' and verb.skills:
        return verb.skills[0].verb
    return _ACT_OF_VERB.get(verb.act, 'touch')


def _turning(chart: Chart, at: int, end: int) -> Iterator[Parse[Ban]]:
    if chart.word(end) in ('on', 'off'):
        for close, things, cost in noun_list(chart, end + 1):
            yield close, Ban(f'switch {chart.word(end)}', things, at, close), cost
    for close, things, cost in noun_list(chart, end):
        if chart.word(close) in ('on', 'off'):
            yield close + 1, Ban(f'switch {chart.word(close)}', things, at, close + 1), cost


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
        yield close, Ban('touch' if limbs else NEAR, things, at, close), cost


def _kept(chart: Chart, at: int) -> Iterator[Parse[Bans]]:
    """ "keep the gate closed and the pump off", "leave it alone", "the pump must stay off"."""
    told = chart.phrase(at, _SEE_THAT)
    lead = told + (chart.word(told) in ('keep', 'leave', 'let'))
    for end, things, cost in noun_list(chart, lead):
        begin = end
        if lead == told:
            begin = chart.skip(begin, _MODALS)
            if chart.word(begin) not in ('stay', 'stays', 'remain', 'remains', 'kept', 'left'):
                continue
            begin += 1
        doing = STATE_KEPT.get(chart.word(begin))
        close = begin + (chart.word(begin) in ('be', 'there', 'here'))
        # Alone, "leave the crate" takes back what was asked.
        around = {*chart.words[:told], *chart.words[close:]} - {'please', ',', '.', '!'}
        joins = chart.word(close) == 'and' and not any(chart.verbs(close + 1, 'base'))
        leaves = chart.word(told) == 'leave' and bool(around) and not joins
        lets = (leaves or chart.word(begin) == 'be') and lead > told
        carried = all(chart.server.kind(one.name) is NameKind.THING for one in things if one.name)
        if lets and ends_clause(chart, close) and (carried or close > begin):
            # "leave the crate", "let it be"; and "leave the hall" is to go
            yield close, (Ban('touch', things, at, close),), cost
        if chart.words[begin : begin + 3] in (('where', 'it', 'is'), ('where', 'they', 'are')):
            yield begin + 3, (Ban('take', things, at, begin + 3),), cost
        if doing is None or chart.words[begin : begin + 2] == ('on', 'the'):
            continue
        close = begin + 1
        ban = Ban(doing, things, at, close)
        yield close, (ban,), cost
        joint = close + (chart.word(close) == ',') + ('and' in chart.words[close : close + 2])
        for far, others, more in noun_list(chart, joint) if joint > close else ():
            other = STATE_KEPT.get(chart.word(far))
            if other and chart.words[far + 1 : far + 2] != ('the',):
                yield far + 1, (ban, Ban(other, others, at, far + 1)), cost + more


def _off_limits(chart: Chart, at: int) -> Iterator[Parse[Bans]]:
    for end, things, cost in noun_list(chart, at):
        behind = _barred(chart, end)
        if behind > end:
            yield behind, (Ban(NEAR, things, at, behind),), cost
    yield from _passive(chart, at, at, False)


def _barred(chart: Chart, at: int) -> int:
    """The index behind "is strictly forbidden"; `at` for none."""
    copula = chart.phrase(at, _COPULA)
    begin = chart.skip(copula, _STRICTLY)
    behind = chart.phrase(begin, _OFF_LIMITS)
    if behind == begin and chart.word(begin) == 'not':
        behind = chart.phrase(chart.skip(begin + 1, _STRICTLY), _TOLERATED)
        begin = begin + 1
    return behind if copula > at and behind > begin else at


_TOLERATED = Phrases.of('tolerated|allowed|permitted|accepted|ok')


# Limits ----------------------------------------------------------------------------------------


@rule
def limit(chart: Chart, at: int) -> Iterable[Parse[Bans]]:
    """ "take at most two crates"; "[open it] at most twice", "[water it] with at most 20 ml"."""
    for end, verb, cost in chart.verbs(at, 'base'):
        behind = chart.phrase(end, _AT_MOST)
        for close, things, more in noun_list(chart, behind) if behind > end else ():
            if len(things) == 1 and isinstance(things[0].count, int):
                most = float(things[0].count)
                ban = Ban(act_of(chart, verb), things, at, close, at_most=most)
                yield close, (ban,), cost + more
                for far, place, side, extra in _side(chart, close):
                    told = replace(ban, end=far, place=place, side=side)
                    yield far, (told,), cost + more + extra
        for far, ban, more in _amount(chart, behind, at) if behind > end else ():
            doing = act_of(chart, verb) if verb.skills else ''
            yield far, (replace(ban, doing=doing),), cost + more
    begin = chart.skip(at, ('but', 'with', 'using', ',', 'and'))
    end = chart.phrase(begin, _AT_MOST)
    end = end if end > begin else chart.phrase(begin, _MORE_THAN)
    end += end == begin and chart.word(begin) == 'only' and chart.word(begin + 1) in _ONCE
    for far, ban, cost in _amount(chart, end, at) if end > begin else ():
        yield far, (ban,), cost
    # "but never use more than 20 ml", "never give a drum more than 20 ml"
    lead = _lead(chart, begin)
    exceeds = chart.phrase(lead, _MORE_THAN) if lead is not None else 0
    for far, ban, cost in (
        _amount(chart, exceeds, at) if lead is not None and exceeds > lead else ()
    ):
        yield far, (ban,), cost
    for end, verb, cost in chart.verbs(lead, 'base') if lead is not None else ():
        doing = act_of(chart, verb) if verb.skills else ''
        for close, things, more in ((end, (), 0), *noun_list(chart, end)):
            far = chart.phrase(close, _MORE_THAN)
            for last, ban, extra in _amount(chart, far, at) if far > close else ():
                told = replace(ban, doing=doing, things=things or ban.things)
                if ban.unit and things and not chart.server.is_numbered(things[0].name):
                    told = replace(told, per='thing')
                yield last, (told,), cost + more + extra


def _amount(chart: Chart, at: int, start: int) -> Iterator[Parse[Ban]]:
    """ "twice", "3 times", "20 ml for each crate", "20 ml an hour"."""
    end, most = chart.number(at)
    unit, glued = chart.word(end), re.fullmatch(r'(\d+(?:\.\d+)?)([a-z]+)', chart.word(at))
    if glued:
        # "300ml"
        end, most, unit = at, float(glued[1]), glued[2]
    if end == at and not glued:
        return
    if unit == 'times' or chart.word(at) in _ONCE:
        close = end + (unit == 'times')
        yield close, Ban('', (), start, close, at_most=most), 0
    elif unit in UNITS:
        close = chart.phrase(end + 1, _IN_ALL)
        close += 2 if chart.word(close) == 'of' and chart.word(close + 1) else 0
        ban = Ban('', (), start, close, at_most=most, unit=UNITS[unit])
        for far, told in _pers(chart, chart.phrase(close, _IN_ALL), ban):
            yield far, replace(told, end=far), 0


_ONCE = ('once', 'twice', 'thrice')


def _pers(chart: Chart, at: int, ban: Ban) -> Iterator[tuple[int, Ban]]:
    """The amount, with whether it is for each thing, each time, or in an hour."""
    yield at, ban
    end = chart.phrase(at, _PER)
    if end > at:
        yield from _pers(chart, end, replace(ban, per='time'))
    end = chart.phrase(at, _HOURLY)
    if end > at:
        yield from _pers(chart, end, replace(ban, hourly=True))
    if chart.word(at) in ('a', 'an', 'per', 'for', 'each', 'every') and not ban.things:
        far = chart.skip(at, ('a', 'an', 'per', 'for', 'each', 'every', 'of', 'the'))
        named = [one for one in noun_list(chart, far) if one[1][0].name]
        for close, things, _ in named[:1]:
            yield from _pers(chart, close, replace(ban, per='thing', things=things[:1]))
        if not named and chart.word(at) == 'each':
            yield from _pers(chart, at + 1, replace(ban, per='thing'))


def ends_clause(chart: Chart, at: int) -> bool:
    """Whether a clause may end before a token."""
    return at >= len(chart) or chart.word(at) in _ENDS | _CONJUNCTIONS | {',', ':', '-', ')'}
