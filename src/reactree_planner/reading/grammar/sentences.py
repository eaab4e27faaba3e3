"""Clauses of a text in order, with their circumstances and what pronouns stand for: a `GoalForm`.

The cheapest way through the text is taken: clauses, prohibitions, words of order and courtesy. A
word that nothing accounts for costs most; no part of the form quotes it, and the check says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from reactree_core.measures import read_comparison
from reactree_planner.facts.conditions import where_was
from reactree_planner.reading.form import (
    Circumstance,
    Circumstances,
    Count,
    FormCondition,
    FormMilestone,
    GoalForm,
    Interpretation,
    Limit,
    Ordering,
    Prohibition,
    Remainder,
)
from reactree_planner.reading.grammar.chart import Chart, Parse, rule
from reactree_planner.reading.grammar.clauses import Clause, clause, fragment, Statement, statement
from reactree_planner.reading.grammar.noun_phrases import noun_list, Things
from reactree_planner.reading.grammar.prohibitions import (
    Ban,
    ends_clause,
    limit,
    NEAR,
    negations,
    prohibition,
)
from reactree_planner.reading.phrases import Phrases, words_named
from reactree_planner.reading.sentence import inside, list_numbers, Sentence, Sign
from reactree_planner.reading.vocabulary import english, NameKind, ServerWords

#: Cost of a clause without a verb, and what may stand before it.
_FRAGMENT = 8
_OPENS = frozenset(['.', '!', '?', ';', ',', 'and', ':', '\n', '-', '*']) | {'\n'}
#: Cost of a word that nothing accounts for, of one that forbids, and of a clause.
_UNREAD, _UNREAD_SIGN, _CLAUSE = 40, 400, 4
_THEN = Phrases.named('sentences', 'then')
_FIRST = Phrases.named('sentences', 'first')
_BEFORE = Phrases.named('sentences', 'before')
_AFTER = Phrases.named('sentences', 'after')
_WHEN: dict[str, Circumstances] = {
    'if': 'if', 'in case': 'if', 'when': 'once', 'once': 'once', 'as soon as': 'once',
    'unless': 'unless', 'until': 'until', 'till': 'until', 'whenever': 'whenever',
    'each time': 'whenever', 'every time': 'whenever',
}  # fmt: skip
_WHEN_PHRASES = Phrases.of('|'.join(_WHEN))
_TIMES = {'second': 1, 'seconds': 1, 's': 1, 'sec': 1, 'minute': 60, 'minutes': 60, 'min': 60,
          'hour': 3600, 'hours': 3600, 'h': 3600}  # fmt: skip
_COURTESY = words_named('sentences', 'courtesy')
_EXCEPTING = frozenset(['but', 'except', 'apart', 'aside', 'other', 'excluding', 'save'])


#: Begin a clause that only tells when, why or for whom something is asked.
_SUBORDINATING = words_named('sentences', 'subordinating')
#: Begin a clause that tells something of the day, of people, or of what was asked.
_TELLING = words_named('sentences', 'telling')
_ASKING = words_named('sentences', 'asking')


@dataclass(frozen=True, slots=True)
class Order:
    """Words of order."""

    sign: Literal['then', 'first', 'before', 'after']
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class When:
    """A circumstance: a statement, or a time."""

    kind: Circumstances
    start: int
    end: int
    state: Statement | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """Things of a list: "the following items: ..."."""

    things: tuple[Things, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Stop:
    """The end of a sentence."""


Segment = Clause | Ban | Order | When | Listing | Stop


def read(text: str, server: ServerWords) -> GoalForm:
    """The goal of an English text; words that are not read are in no quote of it."""
    chart = Chart(Sentence(text, server, 'en'))
    return _Discourse(chart).form(_segments(chart))


# The cheapest way ------------------------------------------------------------------------------


def _segments(chart: Chart) -> list[Segment]:
    """Segments of the cheapest way through the tokens."""
    negated = negations(chart)
    tokens = chart.sentence.tokens
    counted = {token.start for token in list_numbers(tokens)}
    numbered = frozenset(i for i, token in enumerate(tokens) if token.start in counted)
    best: list[tuple[int, int, Segment | None]] = [(0, -1, None)]
    best += [(10**9, -1, None)] * len(chart)
    for at in range(len(chart)):
        cost = best[at][0]
        for end, segment, more in _steps(chart, at, negated, numbered):
            if cost + more < best[end][0]:
                best[end] = (cost + more, at, segment)
    found: list[Segment] = []
    at = len(chart)
    while at > 0:
        _, before, segment = best[at]
        if segment is not None:
            found.append(segment)
        at = before
    return found[::-1]


def _steps(
    chart: Chart, at: int, negated: frozenset[int], numbered: frozenset[int]
) -> Iterator[Parse[Segment | None]]:
    token = chart.sentence.tokens[at]
    if token.word in ('.', '!', '?', ';', '\n'):
        yield at + 1, Stop(), 0
    empty = token.word in _COURTESY or chart.sentence.is_function(token)
    unread = _UNREAD_SIGN if at in negated else 3 if empty else _UNREAD if token.is_word else 1
    yield at + 1, None, unread
    if at in numbered:
        yield at + 1, None, 0
    if chart.word(at - 1) in (':', '-', '\n', ',', '*') or at - 1 in numbered:
        for end, things, cost in noun_list(chart, at):
            if ends_clause(chart, end) or chart.word(end) == '\n':
                yield end, Listing(things, at, end), cost + 12
    for end, segment, cost in (*prohibition(chart, at), *limit(chart, at)):
        yield end, segment, cost + _CLAUSE + _loose(chart, end)
    for end, asked, cost in clause(chart, at):
        inner = [i for i in negated if at <= i < end]
        if all(chart.word(i) in _EXCEPTING or chart.word(i + 1) == 'but' for i in inner):
            yield end, asked, cost + _CLAUSE + _loose(chart, end)
    if at == 0 or chart.word(at - 1) in _OPENS:
        for end, asked, cost in fragment(chart, at):
            if ends_clause(chart, end) and not any(at <= i < end for i in negated):
                yield end, asked, cost + _CLAUSE + _FRAGMENT
    for end, order in _ordering(chart, at):
        yield end, order, 1
    yield from _circumstance(chart, at)


def _loose(chart: Chart, end: int) -> int:
    """The cost of a clause that goes on."""
    return 0 if ends_clause(chart, end) else 2


def _ordering(chart: Chart, at: int) -> Iterator[tuple[int, Order]]:
    signs: tuple[tuple[Literal['then', 'first', 'before', 'after'], Phrases], ...] = (
        ('then', _THEN),
        ('first', _FIRST),
        ('before', _BEFORE),
        ('after', _AFTER),
    )
    for sign, phrases in signs:
        end = chart.phrase(at, phrases)
        if end > at:
            yield end, Order(sign, at, end)


@rule
def _circumstance(chart: Chart, at: int) -> Iterator[Parse[When]]:
    end = chart.phrase(at, _WHEN_PHRASES)
    if end > at:
        kind = _WHEN[' '.join(chart.words[at:end])]
        for close, state, cost in statement(chart, end):
            yield close, When(kind, at, close, state), cost + 2
    number, factor = chart.word(at + 1), _TIMES.get(chart.word(at + 2))
    if chart.word(at) in ('every', 'in', 'after') and factor and _seconds(number):
        every: Circumstances = 'every' if chart.word(at) == 'every' else 'after'
        yield at + 3, When(every, at, at + 3, seconds=_seconds(number) * factor), 1


def _seconds(number: str) -> float:
    """The number of a word, 0 for none."""
    words = {
        'half': 0.5,
        'a': 1,
        'an': 1,
        **dict(
            zip(
                ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'],
                range(1, 11),
                strict=True,
            )
        ),
    }
    return float(number) if number.replace('.', '', 1).isdigit() else float(words.get(number, 0))


# Discourse -------------------------------------------------------------------------------------


@dataclass
class _Steps:
    """Milestones as they are spoken of, brought into the order in which they are due."""

    done: list[list[FormCondition]] = field(default_factory=list)
    #: Conditions of "before X, ...": they come behind what follows in the sentence.
    held: list[FormCondition] = field(default_factory=list)
    mode: str = 'new'
    in_sentence: bool = False

    def order(self, sign: str) -> None:
        """Take in a word of order."""
        if sign == 'then':
            self.mode = 'new'
        elif sign in ('before', 'after'):
            self.mode = sign if self.in_sentence else f'{sign} lead'

    def add(self, conditions: Sequence[FormCondition]) -> None:
        """Take in what a clause asks for."""
        mode, self.mode, self.in_sentence = self.mode, 'join', True
        if mode == 'before lead':
            self.held += conditions
            self.mode = 'new'
        elif mode == 'after' and self.done:
            self.done.insert(len(self.done) - 1, list(conditions))
        elif mode == 'join' and self.done:
            self.done[-1] += conditions
        else:
            self.done.append(list(conditions))
            self.mode = 'new' if mode == 'after lead' else 'join'

    def stop(self) -> None:
        """Take in the end of a sentence."""
        self.in_sentence = False
        if self.held:
            self.done.append(self.held)
            self.held = []
            self.mode = 'new'


def _parted(step: list[FormCondition]) -> list[list[FormCondition]]:
    """What is put in its place, then what is switched on with it in, or closed again."""
    places = {one.value for one in step if one.relation == 'in'}
    later = [
        one for one in step if (one.relation, one.value) == ('is', 'on') and one.thing in places
    ]
    found: list[list[FormCondition]] = [[]]
    for one in (*(one for one in step if one not in later), *later):
        undone = english()['opposite'].get(one.value or '', ()) if one.relation == 'is' else ()
        turns = any(o.thing == one.thing and o.value in undone for o in found[-1])
        if turns or (one in later and found[-1] and found[-1][-1] not in later):
            found.append([])
        found[-1].append(one)
    return found


class _Discourse:
    """What was spoken of so far, and the form that grows of it.

    :param chart: of the text.
    """

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        self._server = chart.server
        self._things: tuple[Things, ...] = ()
        self._named: list[str] = []
        self._place = ''
        self._taken_for: list[Interpretation] = []
        self._cannot: list[Remainder] = []
        #: Things of lists, which "the following items" stands for.
        self._listed: tuple[Things, ...] = ()
        #: Things that were taken or found and are laid nowhere yet.
        self._in_hand: tuple[Things, ...] = ()
        #: First token of "find a cup", which the next clause about it accounts for.
        self._introduced: int | None = None

    def form(self, segments: Sequence[Segment]) -> GoalForm:
        """The form of the segments."""
        steps = _Steps()
        never: list[Prohibition] = []
        limits: list[Limit] = []
        order: list[Ordering] = []
        forbidden_to = -1
        when: Circumstance | None = None
        self._listed = tuple(
            things for one in segments if isinstance(one, Listing) for things in one.things
        )
        for segment in segments:
            if isinstance(segment, Listing):
                continue
            if isinstance(segment, Stop):
                steps.stop()
            elif isinstance(segment, Order):
                steps.order(segment.sign)
            elif isinstance(segment, When):
                told = self._when(segment)
                if told.kind == 'until' and segment.start == forbidden_to and never:
                    # "don't open it until the lid is off"
                    ordered = [one for one in never if one.words == never[-1].words]
                    never = [one for one in never if one not in ordered]
                    order += [
                        Ordering(one, c, told.words) for one in ordered for c in told.conditions
                    ]
                else:
                    when = told
            elif isinstance(segment, Ban):
                self._forbid(segment, never, limits)
                forbidden_to = segment.end
            else:
                conditions = tuple(self._conditions(segment))
                if conditions:
                    steps.add(conditions)
        steps.stop()
        self._set_context_aside(segments)
        return GoalForm(
            'en',
            tuple(FormMilestone(tuple(one)) for one in self._settled(steps.done)),
            tuple(dict.fromkeys(never)),
            tuple(limits),
            tuple(order),
            when=when,
            taken_for=tuple(dict.fromkeys(self._taken_for)),
            cannot_say=tuple(dict.fromkeys(self._cannot)),
        )

    def _set_context_aside(self, segments: Sequence[Segment]) -> None:
        """Say of clauses that ask for nothing that they do: "it is hot today", "as you cook"."""
        chart = self._chart
        covered = {
            i
            for one in segments
            if not isinstance(one, Stop | Order)
            for i in range(one.start, one.end)
        }
        bounds = {
            i for i in range(len(chart)) if chart.word(i) in ('.', '!', '?', ';', ',', '\n', ':')
        }
        at = 0
        while at < len(chart):
            end = at
            while end < len(chart) and end not in covered and end not in bounds:
                end += 1
            if end > at and self._asks_nothing(at, end):
                self._cannot.append(Remainder(chart.text(at, end), 'it asks for nothing', False))
            at = end + 1

    def _asks_nothing(self, at: int, end: int) -> bool:
        """Whether uncovered words only tell something, of nothing that the server knows."""
        chart = self._chart
        words = chart.words[at:end]
        names = any(one.exact for i in range(at, end) for one in chart.mentions(i))
        signs = (Sign.NEGATION, Sign.NUMBER, Sign.EVERY, Sign.NARROWING)
        tokens = chart.sentence.tokens
        span = (tokens[at].start, tokens[end - 1].end)
        if names or any(inside(mark.span, span) for mark in chart.sentence.marked(*signs)):
            return False
        verbs = [verb for i in range(at, end) for _, verb, _ in chart.verbs(i, 'base')]
        address = not verbs and (chart.word(end) in (':', '\n') or 'robot' in words)
        if words[0] in _SUBORDINATING or address:
            return True
        if any(verb.state or verb.skills for verb in verbs):
            # "bring it here to slice"
            return False
        return words[0] in _TELLING and _ASKING.isdisjoint(words)

    # What is asked -----------------------------------------------------------------------------

    def _conditions(self, one: Clause) -> Iterator[FormCondition]:
        start = one.start if self._introduced is None else self._introduced
        self._introduced = None
        text = self._chart.text
        if one.relation == 'at':
            place = self._place_of(one.place)
            if place:
                self._place = place
                yield FormCondition('at', None, place, words=text(start, one.end))
            return
        if one.relation == 'find':
            self._introduced = start
            self._remember([t for things in one.things for t in self._resolved(things, '')])
            self._in_hand = self._things
            return
        if one.relation == 'swap':
            names = [t.name for things in one.things for t in self._resolved(things, '')]
            if len(names) == 2:
                quote = text(start, one.end)
                for thing, other in (names, names[::-1]):
                    yield FormCondition('in', thing, where_was(other), words=quote)
            return
        if any(things.pronoun == 'any' for things in one.things):
            self._leave_out(one.start, one.end, 'it is not said which things')
            return
        held = one.relation == 'holding'
        place = '' if held else self._place_of(one.place)
        if one.place is not None and not (place or held):
            self._leave_out(one.start, one.end, 'the place is not known here')
            return
        found = [t for things in one.things for t in self._resolved(things, one.state)]
        for number, things in enumerate(found):
            begin = start if number == 0 else max(things.start, start)
            end = one.end if number == len(found) - 1 else max(things.end, begin + 1)
            if things in self._listed:
                far = things.start > one.end and number == 0
                begin, end = (start if far else things.start), things.end
            yield from self._of_things(one, things, place, text(begin, end))
        self._remember(found)
        self._in_hand = self._things if one.relation == 'holding' else ()
        if place:
            self._place = place
            self._named.append(place)
        if one.place is not None and one.place.beside:
            self._leave_out(*one.place.beside, 'which of several places it is cannot be told')

    def _of_things(
        self, one: Clause, things: Things, place: str, quote: str
    ) -> Iterator[FormCondition]:
        if things.unknown:
            self._leave_out(things.start, things.end, f'"{things.unknown}" is not known here')
            return
        own = self._chart.text(things.start, things.end)
        name = things.name or None
        self._describe(things)
        if things.others:
            self._taken_for.append(Interpretation(own, things.name, things.others))
        being = None
        for state in things.states:
            if self._server.reaches(things.name, state):
                yield FormCondition('is', name, state, things.count, words=own)
            else:
                being = state
        for inner in things.inside:
            for resolved in self._resolved(inner, ''):
                if resolved.name:
                    yield FormCondition('in', resolved.name, name, resolved.count, words=own)
                    for state in resolved.states:
                        if self._server.reaches(resolved.name, state):
                            yield FormCondition('is', resolved.name, state, words=own)
        source = things.source or None
        told = FormCondition(
            'in', name, None, things.count, source, being, things.but, words=quote
        )
        if one.relation == 'with':
            return
        if one.relation == 'examine':
            yield replace(told, relation='holding')
            lamp = self._place_of(one.place)
            yield FormCondition('is', lamp, 'on', words=quote)
        elif one.relation == 'is':
            for state in (*one.also, one.state):
                yield replace(told, relation='is', value=state)
        elif one.relation == 'holding':
            yield replace(told, relation='holding')
        else:
            yield replace(told, relation='near' if one.relation == 'near' else 'in', value=place)

    def _settled(self, steps: list[list[FormCondition]]) -> list[list[FormCondition]]:
        """Without "take it" where what is taken is laid somewhere; nothing is asked twice."""
        flat = [(i, one) for i, step in enumerate(steps) for one in step]
        found: list[list[FormCondition]] = [[] for _ in steps]
        carried: dict[str, str] = {}
        for at, (i, one) in enumerate(flat):
            later = [
                o
                for _, o in flat[at + 1 :]
                if o.thing == one.thing and o.relation in ('in', 'near')
            ]
            if one.relation == 'holding' and later and one.thing:
                carried[one.thing] = carried.get(one.thing, one.words)
                continue
            begin = carried.pop(one.thing or '', '') if one.relation in ('in', 'near') else ''
            if begin:
                one = replace(one, words=self._joined(begin, one.words))
                alike = [o for _, o in flat if o.thing == one.thing and o.relation == one.relation]
                if one.source is None and len(alike) == 1:
                    taken = next(
                        o for _, o in flat if o.relation == 'holding' and o.thing == one.thing
                    )
                    one = replace(one, source=taken.source, count=taken.count)
            alike_at = [
                at
                for at, other in enumerate(found[i])
                if replace(other, words='') == replace(one, words='')
            ]
            if alike_at:
                told = found[i][alike_at[0]]
                found[i][alike_at[0]] = replace(told, words=self._joined(told.words, one.words))
            else:
                found[i].append(one)
        return [part for step in found if step for part in _parted(step) if part]

    def _joined(self, first: str, last: str) -> str:
        """The text from the begin of one quote to the end of another."""
        text = self._chart.sentence.text
        start = text.find(first)
        end = text.find(last, start)
        far = max(end + len(last), start + len(first))
        return text[start:far] if 0 <= start <= end else last

    # What is forbidden -------------------------------------------------------------------------

    def _forbid(self, ban: Ban, never: list[Prohibition], limits: list[Limit]) -> None:
        quote = self._chart.text(ban.start, ban.end)
        place = ban.place
        where = (place.name or place.unknown or self._place_of(place)) if place else ''
        things: list[Things | None] = [t for one in ban.things for t in self._resolved(one, '')]
        things = things or [None]
        for one in things:
            thing = (one.name or one.unknown or None) if one else None
            if one and one.source and not where:
                where = one.source
            side = 'from' if one and one.source == where and where else ban.side
            if ban.at_most is not None:
                limits.append(
                    Limit(ban.doing, float(ban.at_most), thing, where or None, words=quote)
                )
                continue
            but = one.but if one else ()
            doing = ban.doing
            if doing == 'take' and where and ban.side == 'to':
                doing = 'put'
            kind = self._server.kind(thing or '')
            if doing == NEAR:
                doing = 'touch'
                never.append(Prohibition('go', None, thing, 'to', but, words=quote))
            if doing == 'go':
                never.append(Prohibition('go', None, thing, 'to', but, words=quote))
            elif doing in ('take', 'put') and kind in (NameKind.PLACE, NameKind.REGION):
                never.append(Prohibition('touch', thing, where or None, side, but, words=quote))
            else:
                never.append(Prohibition(doing, thing, where or None, side, but, words=quote))
        self._remember([one for one in things if one])

    def _when(self, one: When) -> Circumstance:
        quote = self._chart.text(one.start, one.end)
        conditions: tuple[FormCondition, ...] = ()
        if one.state is not None:
            told = tuple(self._conditions(one.state.clause))
            conditions = tuple(replace(c, holds=one.state.holds, words=quote) for c in told)
        return Circumstance(one.kind, conditions, one.seconds, words=quote)

    # References --------------------------------------------------------------------------------

    def _resolved(self, things: Things, state: str) -> list[Things]:
        """What a noun phrase stands for, with its place in the text."""
        if not things.pronoun:
            return [things]
        if things.pronoun == 'list':
            return list(self._listed)
        if things.pronoun in ('all', 'any'):
            return [replace(things, name='', count='all')]
        known = self._things
        if things.pronoun in ('one', 'rest'):
            count: Count = 1 if things.pronoun == 'one' else 'all'
            return [replace(things, name=one.name, count=count) for one in known[-1:] if one.name]
        if state and things.pronoun == 'it' and not read_comparison(state):
            fitting = [name for name in reversed(self._named) if self._server.reaches(name, state)]
            if fitting and not any(t.name == fitting[0] for t in known[-1:]):
                return [replace(things, name=fitting[0], count=1)]
        if things.pronoun == 'it' and not self._in_hand:
            known = known[-1:]
        return [
            replace(
                one, start=things.start, end=things.end, states=(), source='', inside=(), others=()
            )
            for one in known
        ]

    def _place_of(self, place: Things | None) -> str:
        """The name of a place; '' where it is not known."""
        if place is None:
            return ''
        if place.pronoun:
            if place.pronoun not in ('there', 'it'):
                return ''
            kinds = (NameKind.PLACE, NameKind.REGION)
            places = (name for name in reversed(self._named) if self._server.kind(name) in kinds)
            return self._place or next(places, '')
        self._describe(place)
        if place.others:
            own = self._chart.text(place.start, place.end)
            self._taken_for.append(Interpretation(own, place.name, place.others))
        return place.name

    def _describe(self, things: Things) -> None:
        """Say of words that tell how a thing looks that no name and no state has them."""
        for begin, end in things.adjectives:
            self._leave_out(begin, end, 'no name or state says so')

    def _remember(self, things: Sequence[Things]) -> None:
        if things:
            self._things = tuple(things)
            self._named += [one.name for one in things if one.name]

    def _leave_out(self, start: int, end: int, why: str) -> None:
        self._cannot.append(Remainder(self._chart.text(start, end), why))
