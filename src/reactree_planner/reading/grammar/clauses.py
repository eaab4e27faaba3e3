"""Clauses that ask for something: places, states, things in the hand, acts of declared skills."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from reactree_planner.reading.grammar.chart import Chart, Parse, rule
from reactree_planner.reading.grammar.noun_phrases import (
    destination,
    extended,
    INSIDE_IT,
    noun_list,
    noun_phrase,
    place_phrase,
    Things,
)
from reactree_planner.reading.phrases import Phrases, words_named
from reactree_planner.reading.vocabulary import NameKind, Verb

#: Words for a state in which something is kept, and the act that is forbidden so.
STATE_KEPT = {
    'closed': 'open', 'shut': 'open', 'unopened': 'open', 'open': 'close', 'off': 'switch on',
    'on': 'switch off', 'running': 'switch off', 'alone': 'touch', 'untouched': 'touch',
}  # fmt: skip
#: Before an order, and no part of it.
POLITE = Phrases.named('clauses', 'polite')
_TO = Phrases.named('clauses', 'to')
_UNTIL = Phrases.of('until|till')
_IN = Phrases.named('noun_phrases', 'in')
_LACKS = Phrases.named('clauses', 'lacks')
_MODAL = Phrases.named('clauses', 'modal')
_STRESS = Phrases.named('prohibitions', 'trailing')
WANT = Phrases.named('clauses', 'want')
_RESULT = Phrases.named('clauses', 'result')
_BY_LIGHT = Phrases.named('clauses', 'by_light')
_WHO_GETS = frozenset(['me', 'us', 'him', 'her'])
#: Between a place and a list of what belongs there.
_LISTING = frozenset([':', '\n', '-', '*'])
_LEADS = frozenset(['to', 'into', 'onto', 'on', 'in'])
#: Most rounds that are driven for one order.
_MOST_ROUNDS = 50
#: Before a verb in -ing that is asked for.
_BEFORE_GERUND = frozenset(['before', 'after', 'by', 'mind', 'to', 'having', 'and', 'then'])
_TOWARDS = Phrases.named('clauses', 'towards')
#: "take the crate on the rack": it lies there.
_TAKES = words_named('clauses', 'takes')
_OUT_OF = Phrases.of('from|with|using|out of')
_PARTICLES = frozenset(['up', 'off', 'down', 'out', 'away', 'back', 'over', 'together'])


@dataclass(frozen=True, slots=True)
class Clause:
    """What a clause asks for.

    :param relation: in, near, holding, at, is, done; 'find' only introduces its things;
        'swap' exchanges the places of two; 'said' asks for `means`.
    :param things: the things; () for `at`. :param place: of in, near, at; None for others.
    :param state: of `is`. :param skill: text of the skill of `done`.
    :param also: further states of the things: "wash and dry the cup".
    :param of: things of which those of `holding` are made.
    :param bare: whether it has no verb: "the cup on the table".
    :param means: conditions of declared skills, as texts.
    :param holds: False for "make sure that it is not open".
    :param told: tokens that only tell what people do, or why.
    :param start: index of its first token. :param end: behind its last.
    """

    relation: str
    things: tuple[Things, ...]
    start: int
    end: int
    place: Things | None = None
    state: str = ''
    skill: str = ''
    also: tuple[str, ...] = ()
    of: tuple[Things, ...] = ()
    bare: bool = False
    means: tuple[str, ...] = ()
    holds: bool = True
    told: tuple[tuple[int, int], ...] = ()


@rule
def clause(chart: Chart, at: int) -> Iterable[Parse[Clause]]:
    """An order or a wish, with what stands politely before it."""
    begin = at
    for _ in range(5):
        before = chart.word(begin - 1)
        sort = 'gerund' if before in _BEFORE_GERUND else 'base'
        for end, one, cost in _bare(chart, begin, 'participle' if before == 'have' else sort):
            yield end, replace(one, start=at, end=end), cost
        for end, (relation, place), cost in destination(chart, begin):
            # "on the hook I need a scarf"
            for far, one, more in _bare(chart, chart.skip(end, (',',)), 'base'):
                if one.relation == 'holding' and relation != 'holding':
                    yield far, replace(one, relation=relation, place=place, start=at), cost + more
        behind = chart.phrase(begin, POLITE)
        if behind == begin:
            return
        begin = behind


def _bare(chart: Chart, at: int, sort: str) -> Iterator[Parse[Clause]]:
    for end, verb, cost in chart.verbs(at, sort, 'base'):
        for close, one, more in _order(chart, at, end, verb):
            yield close, one, cost + more
        if verb.act == 'state' and end - at == len(verb.words) and chart.word(end) == 'and':
            for close, one, more in _bare(chart, end + 1, sort):
                if one.relation == 'is' and verb.state != one.state:
                    yield close, replace(one, also=(*one.also, verb.state)), cost + more
    yield from _wish(chart, at)


def _order(chart: Chart, at: int, end: int, verb: Verb) -> Iterator[Parse[Clause]]:
    particle = verb.words[1] if end == at + 1 and len(verb.words) == 2 else ''
    yield from _up_to(chart, at, end, verb)
    if verb.words == ('give',):
        yield from _given(chart, at, end)
    if verb.act in ('put', 'bring', 'take', 'find'):
        yield from _carrying(chart, at, end, verb, particle)
    elif verb.act == 'go':
        yield from _going(chart, at, end, particle)
    elif verb.act == 'state':
        yield from _changing(chart, at, end, verb.state, particle)
    elif verb.act == 'turn':
        yield from _turning(chart, at, end)
    elif verb.act == 'examine':
        yield from _examining(chart, at, end)
    elif verb.act == 'fill':
        yield from _filling(chart, at, end)
    elif verb.act == 'make':
        yield from _making(chart, at, end)
    elif verb.act == 'keep':
        for close, things, cost in noun_list(chart, end):
            state = chart.server.states.get(chart.words[close : close + 1])
            if state and chart.word(close) not in STATE_KEPT:
                yield close + 1, Clause('is', things, at, close + 1, state=state), cost
    elif verb.act == 'swap':
        for close, things, cost in noun_list(chart, end):
            if len(things) == 2:
                yield close, Clause('swap', things, at, close), cost
            for far, others, more in noun_list(chart, close + 1):
                if chart.word(close) in ('with', 'for') and len(things) == len(others) == 1:
                    yield far, Clause('swap', (*things, *others), at, far), cost + more
    elif verb.act == 'empty':
        for close, place, cost in place_phrase(chart, end):
            for far, (relation, goal), more in destination(chart, close):
                every = Things(at, close, count='all', source=place.name, pronoun='all')
                if relation == 'in' and place.name:
                    yield far, Clause('in', (every,), at, far, goal), cost + more


def _given(chart: Chart, at: int, end: int) -> Iterator[Parse[Clause]]:
    """ "give the fern [some] water [until it is moist]": what the verb of that name does."""
    for close, things, cost in noun_list(chart, end):
        begin = chart.skip(close, ('a', 'an', 'some'))
        for far, verb, more in chart.verbs(begin, 'base'):
            if verb.state and far == begin + 1 and not chart.mentions(begin):
                yield far, Clause('is', things, at, far, state=verb.state), cost + more
                yield from _up_to(chart, at, far, verb, ((far, things, cost + more),))


def _up_to(
    chart: Chart,
    at: int,
    end: int,
    verb: Verb,
    begun: Iterable[Parse[tuple[Things, ...]]] = (),
) -> Iterator[Parse[Clause]]:
    """ "water the fern until its moisture is above 40 %": that number is what is asked for."""
    if not any(skill.changes for skill in verb.skills):
        return
    # "fill the tank", a skill without slots
    fixed = {c.subject for s in verb.skills if not s.slots for c in s.changes}
    own = tuple(Things(at, end, name) for name in sorted(fixed))
    for close, things, cost in begun or ((end, own, 0), *noun_list(chart, end)):
        behind = chart.phrase(close, _UNTIL)
        for far, told, more in statement(chart, behind) if behind > close else ():
            one = told.clause
            if not told.holds or one.relation != 'is' or one.also:
                continue
            said = [each.name for each in things]
            named = [each.name for each in one.things]
            if all(each.pronoun in ('it', 'them') for each in one.things):
                one, named = replace(one, things=things), said
            if said not in ([], named):
                # "water the fern until the rose is moist"
                continue
            numbers = {chart.server.number_of(name, verb.skills) for name in named} - {''}
            if one.state.startswith(('<', '>', 'between')) and len(numbers) == 1:
                # "until it is above 40 %": of the number that the skill changes
                one = replace(one, state=f'{numbers.pop()} {one.state}')
            if named and all(
                any(chart.server.moves(skill, name, one.state) for skill in verb.skills)
                for name in named
            ):
                yield far, replace(one, start=at), cost + more


def _carrying(
    chart: Chart, at: int, end: int, verb: Verb, particle: str
) -> Iterator[Parse[Clause]]:
    gets = chart.word(end) in _WHO_GETS
    begin = chart.skip(end + gets, (':',))
    for close, things, cost in noun_list(chart, begin):
        joined = {'and', 'well', 'plus'} & {*chart.words[begin:close]}
        if gets and len(things) > 1 and not joined:
            # "bring me a crate, the drum to bay 3"
            continue
        behind = close
        if particle:
            if chart.word(close) != particle:
                continue
            behind = close + 1
        placed = Clause('in', things, at, behind)
        if verb.act == 'put' and all(one.inside for one in things):
            # "put a glass with a fork in it": the fork is put into the glass.
            yield behind, replace(placed, relation='with'), cost + 2
        inside = verb.act == 'take' or (verb.act == 'bring' and chart.word(behind) == 'in')
        taken = 4 if inside and any(one.source for one in things) else 0
        for far, (relation, place), more in destination(chart, behind):
            stays = (gets or chart.word(at) in _TAKES) and chart.word(behind) in ('in', 'on', 'at')
            if stays and relation == 'in' and place.name:
                here = tuple(replace(one, source=place.name) for one in things)
                yield far, Clause('holding', here, at, far), cost + more + 1
            more += taken + 6 * stays
            if verb.act in ('put', 'bring', 'take', 'find') and (verb.act != 'find' or not more):
                yield far, replace(placed, relation=relation, place=place, end=far), cost + more
                fixed = chart.server.kind(place.name) in (NameKind.PLACE, NameKind.REGION)
                goes_on = fixed and chart.word(chart.skip(far)) in _LEADS
                if goes_on and not any(one.source for one in things):
                    # "put the crate in aisle 3 on the truck": the first place is where it is
                    told = tuple(replace(one, source=place.name) for one in things)
                    for last, (how, goal), extra in destination(chart, far):
                        moved = Clause(how, told, at, last, goal)
                        yield last, moved, cost + more + extra + 1
        if verb.act in ('take', 'bring', 'find'):
            relation = 'find' if verb.act == 'find' else 'holding'
            behind = chart.skip(behind, _PARTICLES)
            for far in (behind, _for_me(chart, behind)):
                yield far, replace(placed, relation=relation, end=far), cost + 3
            for far, place, more in place_phrase(chart, behind + 1):
                if chart.word(behind) == 'for' and chart.server.kind(place.name) is NameKind.PLACE:
                    # "gather three sheets for the press"
                    yield far, replace(placed, place=place, end=far), cost + more + 2
    if verb.act == 'put' and not particle and chart.word(end) in ('in', 'on'):
        # "open the vault, put in a drum"
        for close, things, cost in noun_list(chart, end + 1):
            there = Things(at, close, pronoun='there')
            yield close, Clause('in', things, at, close, there), cost + 8
    # "put in the vault an drum"; "take a drum and put in the vault"
    for close, (relation, place), cost in destination(chart, begin):
        if verb.act in ('put', 'bring') and not particle and chart.word(at - 1) in ('and', ','):
            # "slice the loaf and put in the bay"; "open the can and put in the nut" is none
            fixed = chart.server.kind(place.name) in (NameKind.PLACE, NameKind.REGION)
            them = Things(at, end, pronoun='handled' if fixed else 'held')
            yield close, Clause(relation, (them,), at, close, place), cost + 6
        for far, things, more in noun_list(chart, chart.skip(close, _LISTING)):
            if verb.act in ('put', 'bring') and not particle:
                yield far, Clause(relation, things, at, far, place), cost + more + 3


def _making(chart: Chart, at: int, end: int) -> Iterator[Parse[Clause]]:
    """ "make two planks": they are in hand afterwards."""
    for close, things, cost in noun_list(chart, end):
        if any(chart.server.kind(one.source) is NameKind.THING for one in things):
            # "a torch out of wax"
            continue
        behind = chart.phrase(close, _OUT_OF)
        for far, of, more in noun_list(chart, behind) if behind > close else ():
            # "craft a crate from two boards": what it is made of is not asked for
            yield far, Clause('holding', things, at, far, of=of), cost + more
        made = tuple(replace(one, count=1) if one.count == 'all' else one for one in things)
        if any(one.inside for one in things):
            # "make a mat of reed": of what it is made
            continue
        yield close, Clause('holding', made, at, close), cost + 2
        for far, (relation, place), more in destination(chart, close):
            yield far, Clause(relation, made, at, far, place), cost + more


def _for_me(chart: Chart, at: int) -> int:
    return at + 2 if chart.word(at) in ('for', 'to') and chart.word(at + 1) in _WHO_GETS else at


def _going(chart: Chart, at: int, end: int, particle: str) -> Iterator[Parse[Clause]]:
    if particle:
        return
    for begin in {end, chart.phrase(end, _TO)}:
        for close, place, cost in place_phrase(chart, begin):
            kind = chart.server.kind(place.name) if place.name else None
            is_place = kind in (NameKind.PLACE, NameKind.REGION) or place.pronoun == 'there'
            if is_place or (begin > end and place.name):
                yield close, Clause('at', (), at, close, place), cost + (begin == end)
        for close, places, cost in noun_list(chart, begin):
            kinds = {chart.server.kind(one.name) for one in places}
            if len(places) > 1 and kinds <= {NameKind.PLACE, NameKind.REGION}:
                yield close, Clause('at', places, at, close), cost + (begin == end)
                # "visit the shed and the yard twice": a round
                far, times = chart.number(close)
                far += chart.word(far) == 'times'
                if chart.word(far - 1) in ('times', 'twice') and 1 < times <= _MOST_ROUNDS:
                    yield far, Clause('at', places * int(times), at, far), cost


def _changing(
    chart: Chart, at: int, end: int, state: str, particle: str
) -> Iterator[Parse[Clause]]:
    """ "wash the crate", "heat it in the microwave", "turn the lamp on"."""
    for close, things, cost in noun_list(chart, end):
        behind = close
        if particle:
            if chart.word(close) != particle:
                continue
            behind = close + 1
        behind = chart.skip(behind, _PARTICLES) if not particle else behind
        one = Clause('is', things, at, behind, state=state)
        yield behind, one, cost
        for far, (relation, place), more in destination(chart, behind):
            if _treats(chart, state, place):
                yield far, replace(one, end=far), cost + more
            elif relation == 'in' and chart.server.kind(place.name or '') is NameKind.REGION:
                # "water the ferns in the yard": where they are
                there = tuple(replace(each, source=each.source or place.name) for each in things)
                for last, told, extra in extended(chart, far, there[-1], 0):
                    rest = (*there[:-1], replace(told, end=there[-1].end))
                    yield last, replace(one, things=rest, end=last), cost + more + extra
        if chart.word(behind) in ('with', 'using'):
            for far, tool, more in noun_phrase(chart, behind + 1):
                if _treats(chart, state, tool):
                    yield far, replace(one, end=far), cost + more


def _treats(chart: Chart, state: str, place: Things) -> bool:
    """Whether a place or tool is that of the skills that bring a state about."""
    if place.pronoun == 'there' or not place.name:
        return False
    for skill in chart.server.skills:
        if any(state in classes_ for classes_ in ((one.state,) for one in skill.treatments)):
            names = {one.place for one in skill.treatments} | {s.text for s in skill.slots}
            if place.name in names or any(
                chart.server.fits(slot, place.name) for slot in skill.slots[:1]
            ):
                return True
        made = any(fact.value == state and fact.holds for fact in skill.facts)
        if made and any(place.name in tool for tool in skill.tools_for(state)):
            return True
        if made and any(chart.server.fits(slot, place.name) for slot in skill.slots[1:]):
            return True
    return False


def _turning(chart: Chart, at: int, end: int) -> Iterator[Parse[Clause]]:
    """ "switch on the lamp", "turn the lamp on"."""
    if chart.word(end) in ('on', 'off'):
        for close, things, cost in noun_list(chart, end + 1):
            yield close, Clause('is', things, at, close, state=chart.word(end)), cost
    for close, things, cost in noun_list(chart, end):
        state = chart.word(chart.skip(close, ('back',)))
        if state in ('on', 'off'):
            far = chart.skip(close, ('back',)) + 1
            yield far, Clause('is', things, at, far, state=state), cost


def _examining(chart: Chart, at: int, end: int) -> Iterator[Parse[Clause]]:
    """ "examine the part under the lamp": in the hand, with the lamp on."""
    for close, place, cost in place_phrase(chart, end):
        if place.name and chart.server.kind(place.name) is NameKind.PLACE:
            # "check the gate": who is there sees it
            yield close, Clause('at', (), at, close, place), cost + 2
    for close, things, cost in noun_list(chart, end):
        for begin in {chart.phrase(close, _BY_LIGHT)} - {close}:
            for far, lamp, more in noun_phrase(chart, begin):
                if lamp.name and chart.server.reaches(lamp.name, 'on'):
                    held = tuple(replace(one, end=far) for one in things)
                    yield far, Clause('examine', held, at, far, lamp, 'on'), cost + more


def _filling(chart: Chart, at: int, end: int) -> Iterator[Parse[Clause]]:
    """ "load the truck with crates", "lay the table: a crate and a drum"."""
    for close, place, cost in place_phrase(chart, end):
        if chart.word(close) in ('with', ':'):
            for far, things, more in noun_list(chart, close + 1):
                yield far, Clause('in', things, at, far, place), cost + more


def _wish(chart: Chart, at: int) -> Iterator[Parse[Clause]]:
    """ "I want two crates on the table", "the cup should be clean"."""
    who = at + (chart.word(at) in ('my', 'our', 'the', 'your'))
    behind = chart.phrase(who + 1, _LACKS)
    if chart.word(who).isalpha() and not chart.mentions(who) and behind > who + 1:
        # "Max needs the drill, so fetch it": the sentence only introduces it
        for close, things, cost in noun_list(chart, behind):
            yield close, Clause('find', things, at, close, state='whom'), cost + 6
    stress = at + 1 + (chart.word(at + 1) == ',')
    kept = chart.phrase(stress, _STRESS)
    kept = kept + (chart.word(kept) == ',') if kept > stress else at + 1
    if chart.word(at) in ('not', 'never') and chart.word(kept) in ('leave', 'keep', 'let'):
        # "do not leave the vault open"
        for close, things, cost in noun_list(chart, kept + 1):
            stays = close + (chart.word(close) in ('be', 'stay', 'remain'))
            state = chart.server.states.get(chart.words[stays : stays + 1])
            if state:
                undone = Clause('is', things, at, stays + 1, state=state, holds=False)
                yield stays + 1, undone, cost
    begin = chart.phrase(at, WANT)
    for start in dict.fromkeys((begin, at)):
        for close, things, measure, cost in _subject(chart, start):
            says_wish = start > at
            for far, verb, more in chart.verbs(close + 1, 'gerund'):
                reached = all(chart.server.reaches(one.name, verb.state) for one in things)
                if chart.word(close) in ('need', 'needs') and verb.state and reached:
                    # "the lawn needs mowing"
                    yield far, Clause('is', things, at, far, state=verb.state), cost + more
            for behind in _copulas(chart, close, says_wish):
                yield from _predicate(chart, at, behind, things, cost + 2, measure)
                if says_wish and chart.word(behind) == 'not':
                    # "make sure that the gate is not open"
                    for far, one, more in _predicate(chart, at, behind + 1, things, cost + 2):
                        yield far, replace(one, holds=False), more
            if says_wish:
                for far, (relation, place), more in destination(chart, close):
                    yield far, Clause(relation, things, at, far, place), cost + more + 1
                if chart.word(at) in ('i', 'we'):
                    yield close, Clause('holding', things, at, close), cost + 6
            # "the cup in the sink should be on the shelf"
            for far, (_, place), more in destination(chart, close) if start == at else ():
                told = tuple(replace(one, source=place.name) for one in things)
                for behind in _copulas(chart, far, False) if place.name else ():
                    yield from _predicate(chart, at, behind, told, cost + more + 2)


_NEEDS = Phrases.named('clauses', 'needs')


@rule
def fragment(chart: Chart, at: int) -> Iterable[Parse[Clause]]:
    """Without a verb: "two crates on the table", "the gate shut", "shed: rake, broom"."""
    for end, things, cost in noun_list(chart, at):
        colon = end + (chart.word(end) in (':', '-'))
        for far, (relation, place), more in destination(chart, colon):
            yield far, Clause(relation, things, at, far, place), cost + more
        states = chart.server.states
        for length in (2, 1):
            state = states.get(chart.words[end : end + length])
            if state and end + length <= len(chart):
                yield end + length, Clause('is', things, at, end + length, state=state), cost + 2
    for end, place, cost in place_phrase(chart, chart.phrase(at, _TOWARDS)):
        kind = chart.server.kind(place.name) if place.name else None
        behind = chart.phrase(end, _NEEDS)
        behind = chart.skip(end, _LISTING) if chart.word(end) == ':' else behind
        if behind > end and kind in (NameKind.PLACE, NameKind.REGION):
            for far, things, more in noun_list(chart, behind):
                yield far, Clause('in', things, at, far, place), cost + more + 2


def _copulas(chart: Chart, at: int, says_wish: bool) -> Iterator[int]:
    """Indices behind a modal or copula; a bare "is" only tells, unless something is wished."""
    behind = chart.phrase(at, _MODAL)
    if behind > at and (says_wish or chart.word(at) not in ('is', 'are') or behind > at + 1):
        yield behind
    if says_wish:
        behind = chart.phrase(at, _RESULT)
        if behind > at:
            yield behind
        yield at


def _predicate(
    chart: Chart, at: int, begin: int, things: tuple[Things, ...], cost: int, measure: str = ''
) -> Iterator[Parse[Clause]]:
    for far, amount in _amount(chart, begin):
        yield far, Clause('is', things, at, far, state=f'{measure} {amount}'.strip()), cost
    if measure:
        return
    for start in {begin, chart.phrase(begin, _RESULT)}:
        for far, (relation, place), more in destination(chart, start):
            yield far, Clause(relation, things, at, far, place), cost + more
        for length in (3, 2, 1):
            state = chart.server.states.get(chart.words[start : start + length])
            if state and start + length <= len(chart):
                far = start + length
                one = Clause('is', things, at, far, state=state)
                yield far, one, cost
                for close, inner, more in (
                    noun_list(chart, far + 1) if chart.word(far) == 'with' else ()
                ):
                    # "shut with the crate in it"
                    behind = chart.phrase(close, INSIDE_IT)
                    told = tuple(replace(each, inside=inner) for each in things)
                    if behind > close:
                        yield behind, replace(one, things=told, end=behind), cost + more
                if chart.word(far) == 'and':
                    for close, rest, more in _predicate(chart, at, far + 1, things, cost):
                        yield close, replace(rest, also=(*rest.also, state)), more
        for far, verb, more in chart.verbs(start, 'participle'):
            if verb.act in ('put', 'bring', 'take'):
                for close, (relation, place), extra in destination(chart, far):
                    one = Clause(relation, things, at, close, place)
                    yield close, one, cost + more + extra
            elif verb.act == 'turn' and chart.word(far) in ('on', 'off'):
                one = Clause('is', things, at, far + 1, state=chart.word(far))
                yield far + 1, one, cost + more
            elif verb.act == 'state' and far - start == len(verb.words):
                yield far, Clause('is', things, at, far, state=verb.state), cost + more


_COMPARED = {
    'below': '<', 'under': '<', 'less than': '<', 'lower than': '<', 'above': '>', 'over': '>',
    'more than': '>', 'higher than': '>', 'at least': '>=', 'at most': '<=', 'exceeds': '>',
    'falls below': '<', 'drops below': '<', 'rises above': '>', 'reaches': '>=', 'reach': '>=',
    'between': 'between', 'no more than': '<=', 'not more than': '<=', 'no less than': '>=',
}  # fmt: skip
_COMPARISON = Phrases.of('|'.join(_COMPARED))
_COPULA = Phrases.named('clauses', 'copula')
_THERE = Phrases.named('clauses', 'there')
_YOU_ARE = Phrases.named('clauses', 'you_are')
_UNITS = words_named('clauses', 'units')


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact. :param holds: False for "is not". :param does: whether the robot does it."""

    clause: Clause
    holds: bool = True
    does: bool = False


@rule
def statement(chart: Chart, at: int) -> Iterable[Parse[Statement]]:
    """ "the lamp is on", "there is no cup on the table", "the battery is below 20 %"."""
    begin = chart.phrase(at, _YOU_ARE)
    for end, place, cost in place_phrase(chart, begin) if begin > at else ():
        yield end, Statement(Clause('at', (), at, end, place)), cost
    begin = chart.phrase(at, _THERE)
    if begin > at:
        none = chart.word(begin) in ('no', 'not')
        for end, things, cost in noun_list(chart, begin + none):
            for close, (relation, place), more in destination(chart, end):
                one = Clause(relation, things, at, close, place)
                yield close, Statement(one, not none), cost + more
            if chart.word(at) == 'you' and chart.word(at + 1) in ('have', 'hold', 'are'):
                yield end, Statement(Clause('holding', things, at, end), not none), cost + 1
    begin = chart.phrase(at, _SOMEBODY)
    begin += begin > at and chart.word(begin) in ('has', 'have')
    for far, verb, _ in chart.verbs(begin, 'third', 'participle') if begin > at else ():
        for end, things, cost in noun_list(chart, far):
            if verb.act in ('put', 'bring'):
                for close, (relation, place), more in destination(chart, end):
                    yield close, Statement(Clause(relation, things, at, close, place)), cost + more
            elif verb.act == 'state':
                yield end, Statement(Clause('is', things, at, end, state=verb.state)), cost
    for end, things, measure, cost in _subject(chart, at):
        copula = chart.phrase(end, _COPULA)
        negated = chart.word(copula) in ('not', 'no', 'never')
        behind = chart.skip(copula + negated, ('still', 'already', 'yet', 'been'))
        for close, state in _amount(chart, end) if copula == end else ():
            one = Clause('is', things, at, close, state=f'{measure} {state}'.strip())
            yield close, Statement(one), cost
        for close, one, more in _predicate(chart, at, behind, things, cost, measure):
            if copula > end:
                yield close, Statement(one, not negated), more


@rule
def event(chart: Chart, at: int) -> Iterable[Parse[Statement]]:
    """A statement, or what the robot does: "you have opened it", "opening it"."""
    yield from statement(chart, at)
    begin = chart.phrase(at, _DOER)
    sort = 'participle' if chart.word(begin - 1) in ('have', 'having') else 'gerund'
    for form in (sort, 'base') if begin > at else (sort,):
        for end, one, cost in _bare(chart, begin, form):
            yield end, Statement(replace(one, start=at), does=True), cost


_DOER = Phrases.named('clauses', 'doer')
_SOMEBODY = Phrases.of('somebody|someone|anybody|anyone|a person')


def _subject(chart: Chart, at: int) -> Iterator[tuple[int, tuple[Things, ...], str, int]]:
    """Things that something is said of, and the number of theirs: "the moisture of plant 2"."""
    numbers = {*chart.server.vocabulary.numbers} - chart.server.own_numbers
    owner = {'its': 'it', 'their': 'them', 'the': ''}.get(chart.word(at))
    measure = chart.word(at + 1)
    if not owner or measure not in numbers:
        yield from ((end, things, '', cost) for end, things, cost in noun_list(chart, at))
    if owner is not None and measure in numbers:
        if owner:
            yield at + 2, (Things(at, at + 1, pronoun=owner),), measure, 1
        elif chart.word(at + 2) == 'of':
            for end, things, cost in noun_list(chart, at + 3):
                yield end, things, measure, cost
    for end, one, cost in noun_phrase(chart, at):
        if chart.word(end) == "'s" and chart.word(end + 1) in numbers:
            yield end + 2, (one,), chart.word(end + 1), cost


def _amount(chart: Chart, at: int) -> Iterator[tuple[int, str]]:
    """A comparison with a number: '> 40 %'."""
    end = chart.phrase(at, _COMPARISON)
    close, value = chart.number(end)
    if end == at or close == end:
        return
    said = _COMPARED[' '.join(chart.words[at:end])]
    if said == 'between':
        first = chart.word(close) in _UNITS
        far, high = chart.number(close + first + 1)
        if chart.word(close + first) == 'and' and far > close + first + 1:
            yield _with_unit(chart, far, f'between {value:g} and {high:g}')
        return
    yield _with_unit(chart, close, f'{said} {value:g}')


def _with_unit(chart: Chart, at: int, amount: str) -> tuple[int, str]:
    unit = chart.word(at)
    if unit not in _UNITS:
        return at, amount
    short = {'percent': '%', 'seconds': 's', 'minutes': 'min'}.get(unit, unit)
    return at + 1, f'{amount} {short}'
