"""Clauses of a text in order, with their circumstances and what pronouns stand for: a `GoalForm`.

The cheapest way through the text is taken: clauses, prohibitions, words of order and courtesy. A
word that nothing accounts for costs most; no part of the form quotes it, and the check says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from reactree_core.measures import read_comparison
from reactree_core.permission.acts import MAKING
from reactree_core.skill_types import is_of_class
from reactree_planner.facts.conditions import read_condition, where_was
from reactree_planner.reading.form import (
    Circumstance,
    Circumstances,
    Count,
    FormCondition,
    FormMilestone,
    GoalForm,
    Inquiry,
    Interpretation,
    Limit,
    Ordering,
    Prohibition,
    Relation,
    Remainder,
    Sequel,
)
from reactree_planner.reading.grammar.chart import Chart, Parse, rule
from reactree_planner.reading.grammar.clauses import (
    Clause,
    clause,
    event,
    fragment,
    Statement,
    statement,
)
from reactree_planner.reading.grammar.noun_phrases import (
    BUT,
    destination,
    names_only,
    noun_list,
    Things,
)
from reactree_planner.reading.grammar.occasions import occasion
from reactree_planner.reading.grammar.prohibitions import (
    Ban,
    Bans,
    ends_clause,
    limit,
    NEAR,
    negations,
    prohibition,
)
from reactree_planner.reading.grammar.questions import Asked, inquiry
from reactree_planner.reading.phrases import Phrases, words_named
from reactree_planner.reading.sentence import inside, list_numbers, Sentence, Sign, Span
from reactree_planner.reading.tokens import is_too_long
from reactree_planner.reading.vocabulary import (
    ACT_OF_STATE,
    act_of_state,
    english,
    NameKind,
    ServerWords,
)

#: Cost of a clause without a verb, and what may stand before it.
_FRAGMENT = 8
_OPENS = frozenset(['then', '.', '!', '?', ';', ',', 'and', ':', '\n', '-', '*']) | {'\n'}
#: Cost of a word that nothing accounts for, of one that forbids, and of a clause.
_UNREAD, _UNREAD_SIGN, _CLAUSE = 40, 400, 4
#: Of a clause of declared skills: a clause of English that says the same is preferred.
_SAID = 3
_THEN = Phrases.named('sentences', 'then')
_FIRST = Phrases.named('sentences', 'first')
_BEFORE = Phrases.named('sentences', 'before')
_AFTER = Phrases.named('sentences', 'after')
_WHEN: dict[str, Circumstances] = {
    'if': 'if', 'in case': 'if', 'when': 'once', 'once': 'once', 'as soon as': 'once',
    'unless': 'unless', 'until': 'until', 'till': 'until', 'whenever': 'whenever',
    'each time': 'whenever', 'every time': 'whenever', 'every time that': 'whenever',
    'provided that': 'if', 'provided': 'if', 'the moment': 'once', 'any time': 'whenever',
    'each time that': 'whenever', 'always when': 'whenever', 'only if': 'if', 'only when': 'once',
}  # fmt: skip
_WHEN_PHRASES = Phrases.of('|'.join(_WHEN))
_TIMES = {'second': 1, 'seconds': 1, 's': 1, 'sec': 1, 'minute': 60, 'minutes': 60, 'min': 60,
          'hour': 3600, 'hours': 3600, 'h': 3600}  # fmt: skip
_COURTESY = words_named('sentences', 'courtesy')
#: Nouns for what opens and closes a place, also where it is a thing of its own.
_PARTS = frozenset(['door', 'lid', 'cover', 'hatch', 'flap'])
_SOON = Phrases.named('sentences', 'soon')
_SKILLS = frozenset(['step', 'steps', 'skill', 'skills', 'action', 'actions'])
_EXCEPTING = frozenset(['but', 'except', 'apart', 'aside', 'other', 'excluding', 'save'])


_BOUNDS = frozenset('.!?;,\n:')
#: A circumstance, what holds then, and the acts that it speaks of.
_Case = tuple['When', Circumstance, tuple[Prohibition, ...]]
#: Begin a clause that only tells when, why or for whom something is asked.
_SUBORDINATING = words_named('sentences', 'subordinating')
#: Begin a clause that tells something of the day, of people, or of what was asked.
_TELLING = words_named('sentences', 'telling')
_ASKING = words_named('sentences', 'asking')
#: Behind a noun: "dinner starts soon".
_HAPPENING = words_named('sentences', 'happening')
_REPORTING = words_named('sentences', 'reporting')


@dataclass(frozen=True, slots=True)
class Order:
    """Words of order."""

    sign: Literal['then', 'first', 'before', 'after']
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class When:
    """A circumstance: a statement, or a time. :param also: statements that hold with it."""

    kind: Circumstances
    start: int
    end: int
    state: Statement | None = None
    also: tuple[Statement, ...] = ()
    seconds: float | None = None
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Island:
    """What is forbidden, limited, or has to wait. :param bans: together."""

    bans: Bans
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Soon:
    """In how many skills something has to follow: "immediately", "within two steps"."""

    within: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Listing:
    """Things of a list: "the following items: ..."."""

    things: tuple[Things, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Stop:
    """The end of a sentence."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A word that nothing accounts for. :param empty: whether it says nothing where it stands."""

    start: int
    end: int
    empty: bool


@dataclass(frozen=True, slots=True)
class Denial:
    """A clause that says that something need not be done."""

    start: int
    end: int


Segment = Denial | Clause | Island | Order | When | Soon | Asked | Listing | Stop | Gap


#: Characters of a clause that is made of declared skills -> texts of what they are asked for.
Said = Mapping[Span, tuple[str, ...]]
_NOTHING_SAID: Said = {}


def read(text: str, server: ServerWords, said: Said = _NOTHING_SAID) -> GoalForm:
    """The goal of an English text; words that are not read are in no quote of it.

    :param said: clauses that are declared skills, or customary orders.
    """
    try:
        if is_too_long(text):
            raise RecursionError
        chart = Chart(Sentence(text, server, 'en'))
        return _Discourse(chart).form(_segments(chart, said))
    except RecursionError:
        return GoalForm(cannot_say=(Remainder(text.strip(), 'it is too long to be read'),))


# The cheapest way ------------------------------------------------------------------------------


def _segments(chart: Chart, said: Said = _NOTHING_SAID) -> list[Segment]:
    """Segments of the cheapest way through the tokens."""
    negated = negations(chart)
    tokens = chart.sentence.tokens
    counted = {token.start for token in list_numbers(tokens)}
    numbered = frozenset(i for i, token in enumerate(tokens) if token.start in counted)
    clauses: dict[int, list[Clause]] = {}
    starts = {token.start: i for i, token in enumerate(tokens)}
    ends = {token.end: i + 1 for i, token in enumerate(tokens)}
    for (first, last), means in said.items():
        if first in starts and last in ends:
            one = Clause('said', (), starts[first], ends[last], means=means)
            clauses.setdefault(one.start, []).append(one)
    best: list[tuple[int, int, Segment | None]] = [(0, -1, None)]
    best += [(10**9, -1, None)] * len(chart)
    for at in range(len(chart)):
        cost = best[at][0]
        spoken = ((one.end, one, _CLAUSE + _SAID) for one in clauses.get(at, ()))
        for end, segment, more in (*_steps(chart, at, negated, numbered), *spoken):
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
    tokens = chart.sentence.tokens
    token = tokens[at]
    if token.word in ('.', '!', '?', ';', '\n'):
        yield at + 1, Stop(), 0
    polite = token.word in _COURTESY
    empty = polite or chart.sentence.is_function(token)
    unread = _UNREAD_SIGN if at in negated else 3 if empty else _UNREAD if token.is_word else 1
    yield at + 1, Gap(at, at + 1, polite or not token.is_word), unread
    if at in numbered:
        # "1. open it 2. wash it"
        yield at + 1, Order('then', at, at + 1), 0
    if chart.word(at - 1) in (':', '-', '\n', ',', '*') or at - 1 in numbered:
        for end, things, cost in noun_list(chart, at):
            if ends_clause(chart, end) or chart.word(end) == '\n':
                yield end, Listing(things, at, end), cost + 12
    for end, bans, cost in (*prohibition(chart, at), *limit(chart, at)):
        yield end, Island(bans, at, end), cost + _CLAUSE + _loose(chart, end)
    for start, stop in chart.sentence.denied:
        if token.start == start:
            end = next((i for i, t in enumerate(tokens) if t.start >= stop), len(tokens))
            yield end, Denial(at, end), _CLAUSE
    for end, question, cost in inquiry(chart, at):
        yield end, question, cost + _CLAUSE + _loose(chart, end)
    for end, asked, cost in (*clause(chart, at), *occasion(chart, at)):
        inner = [i for i in negated if at <= i < end]
        if not asked.holds or all(
            chart.word(i) in _EXCEPTING or chart.word(i + 1) == 'but' for i in inner
        ):
            yield end, asked, cost + _CLAUSE + _loose(chart, end)
    if at == 0 or chart.word(at - 1) in _OPENS:
        for end, asked, cost in fragment(chart, at):
            if ends_clause(chart, end) and not any(at <= i < end for i in negated):
                asked = replace(asked, bare=True)
                yield end, asked, cost + _CLAUSE + _FRAGMENT
    if chart.word(at - 1) in ('then', ',', 'and', 'finally'):
        # "go to the hall, then the yard": what was asked last, of something else
        for end, things, cost in noun_list(chart, at):
            if ends_clause(chart, end) and len(things) == 1 and things[0].name:
                yield (
                    end,
                    Clause('same', things, at, end, bare=True),
                    cost + _CLAUSE + 2 * _FRAGMENT,
                )
        for end, (relation, place), cost in destination(chart, at):
            if ends_clause(chart, end) and relation != 'holding' and chart.word(at) != 'then':
                one = Clause('same', (), at, end, place, relation, bare=True)
                yield end, one, cost + _CLAUSE + 2 * _FRAGMENT
    but = chart.phrase(at, BUT)
    for end, names, cost in names_only(chart, but):
        # "put all crates on the rack, except crate 3", "crate 3 excepted"
        behind = end + (but == at and chart.word(end) in ('excepted', 'excluded'))
        ends = ends_clause(chart, end) and chart.word(end) != 'and'
        ends &= chart.words[at:but] != ('but',)
        if (behind > end and len(names) == 1) or (but > at and ends):
            left = tuple(Things(but, end, name) for name in names)
            yield behind, Clause('but', left, at, behind), cost + _CLAUSE
    for end, order in _ordering(chart, at):
        yield end, order, 1
    for end, within in _soon(chart, at):
        yield end, Soon(within, at, end), 1
    yield from _circumstance(chart, at)


def _soon(chart: Chart, at: int) -> Iterator[tuple[int, int]]:
    end = chart.phrase(at, _SOON)
    if end > at:
        yield end, 1
    number, value = chart.number(at + 1)
    if chart.word(at) == 'within' and number > at + 1 and chart.word(number) in _SKILLS:
        yield number + 1, int(value)


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
        for close, state, cost in event(chart, end):
            if not state.does or chart.word(end) == 'you':
                yield from _so_often(chart, When(kind, at, close, state), cost + 2)
            for far, also, more in _also(chart, close) if not state.does else ():
                yield from _so_often(chart, When(kind, at, far, state, also), cost + more + 2)
    begin = at + 1 + (chart.word(at + 1) in ('a', 'an'))
    close, number = chart.number(begin)
    close += number == 0.5 and chart.word(close) in ('a', 'an')
    factor = _TIMES.get(chart.word(close), 0)
    if close == begin or chart.word(begin) == 'second':
        close, number, factor = begin, 1.0, _TIMES.get(chart.word(begin), 0)
    if (
        chart.word(at) in ('every', 'in', 'after')
        and factor
        and number
        and close > at + 1 - (chart.word(at) == 'every')
    ):
        every: Circumstances = 'every' if chart.word(at) == 'every' else 'after'
        yield from _so_often(chart, When(every, at, close + 1, seconds=number * factor), 1)


def _also(chart: Chart, at: int) -> Iterator[Parse[tuple[Statement, ...]]]:
    """ "... and a net is on the pier": further statements."""
    begin = at + (chart.word(at) == ',')
    if chart.word(begin) != 'and':
        return
    for end, one, cost in statement(chart, begin + 1):
        yield end, (one,), cost
        for far, rest, more in _also(chart, end):
            yield far, (one, *rest), cost + more


def _so_often(chart: Chart, one: When, cost: int) -> Iterator[Parse[When]]:
    """A circumstance, and one with its limit: "every minute, at most twice"."""
    yield one.end, one, cost
    begin = chart.phrase(chart.skip(one.end, (',',)), _AT_MOST)
    end, number = chart.number(begin)
    named = chart.word(end) in ('times', 'time')
    if one.kind in ('every', 'whenever') and end > begin > one.end:
        if named or chart.word(begin) in ('once', 'twice', 'thrice'):
            end += named
            yield end, replace(one, end=end, times=int(number)), cost


_AT_MOST = Phrases.of('at most|no more than|not more than|up to')


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
        elif sign == 'first' and self.done and not self.in_sentence:
            self.mode = 'front'
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
        elif mode == 'front':
            self.done.insert(0, list(conditions))
            self.mode = 'new'
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
    """In turn: the robot's own places, what is put somewhere, what is switched on with it in."""
    places = {one.value for one in step if one.relation == 'in'}
    later = [
        one for one in step if (one.relation, one.value) == ('is', 'on') and one.thing in places
    ]
    found: list[list[FormCondition]] = [[]]
    for one in (*(one for one in step if one not in later), *later):
        undone = english()['opposite'].get(one.value or '', ()) if one.relation == 'is' else ()
        turns = any(o.thing == one.thing and o.value in undone for o in found[-1])
        turns |= one.relation == 'holding' and any(
            (o.relation, o.thing, o.count) == ('in', one.thing, one.count) for o in found[-1]
        )
        moves = 'at' in (one.relation, *(o.relation for o in found[-1][-1:]))
        if turns or moves or (one in later and found[-1] and found[-1][-1] not in later):
            found.append([])
        found[-1].append(one)
    return [one for one in found if one]


def _in_turn(segments: Sequence[Segment]) -> list[Segment]:
    """Segments, with "then" that ends a sentence before what it is said of."""
    found = list(segments)
    said = [i for i, one in enumerate(found) if not isinstance(one, Gap | Stop)]
    last = found[said[-1]] if len(said) > 1 else None
    if isinstance(last, Order) and last.sign == 'then':
        found.insert(said[-2], found.pop(said[-1]))
    return found


def _is_sequel(one: When) -> bool:
    """Whether it speaks of an act of the robot: "whenever you open it, close it"."""
    waits = one.kind in ('until', 'unless', 'once')
    return one.state is not None and one.state.does and not waits


def _is_step(one: When) -> bool:
    """Test for an act of the robot that comes before another: "once you have sealed it"."""
    return one.state is not None and one.state.does and one.kind == 'once'


def bounds_of(chart: Chart) -> frozenset[int]:
    """Tokens at which a clause ends for certain."""
    return frozenset(i for i in range(len(chart)) if chart.word(i) in _BOUNDS)


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
        self._last: Clause | None = None
        #: Things of which others are made.
        self._used: set[str] = set()
        #: Place on which something was put last; who says "in it" or "open it" means another.
        self._surface = ''
        #: Quotes of what a place needs; who says "fetch it" then says the same.
        self._needed: set[str] = set()
        #: Whether what was read last is a prohibition.
        self._forbids = False
        #: Things and the states that are asked of them.
        self._asked: list[tuple[str, str]] = []
        self._never: list[Prohibition] = []
        self._limits: list[Limit] = []
        self._order: list[Ordering] = []
        self._sequels: list[Sequel] = []
        self._question: Inquiry | None = None
        #: Circumstances by the quotes of what is due then.
        self._cases: dict[str, list[Circumstance]] = {}

    def form(self, segments: Sequence[Segment]) -> GoalForm:
        """The form of the segments."""
        steps = _Steps()
        self._listed = tuple(
            things for one in segments if isinstance(one, Listing) for things in one.things
        )
        sentence: list[Segment] = []
        for segment in (*segments, Stop()):
            if isinstance(segment, Stop):
                self._sentence(sentence, steps)
                steps.stop()
                sentence = []
            else:
                sentence.append(segment)
        self._set_context_aside(segments)
        milestones = [part for one in self._settled(steps.done) for part in self._by_case(one)]
        cases = tuple(self._case_of(one) for one in milestones)
        common = cases[0] if cases and all(one == cases[0] for one in cases) else None
        if common is not None and common.kind == 'until':
            common = None
        return GoalForm(
            'en',
            tuple(
                FormMilestone(tuple(one), None if common else case)
                for one, case in zip(milestones, cases, strict=True)
            ),
            tuple(dict.fromkeys(self._never)),
            tuple(self._limits),
            tuple(self._order),
            tuple(self._sequels),
            when=common,
            question=self._question,
            taken_for=tuple(dict.fromkeys(self._taken_for)),
            cannot_say=tuple(dict.fromkeys(self._cannot)),
        )

    def _sentence(self, segments: Sequence[Segment], steps: _Steps) -> None:
        """Take in a sentence."""
        cases: list[_Case] = []
        asked: list[FormCondition] = []
        bans = len(self._never)
        follows = any(isinstance(one, When) and _is_sequel(one) for one in segments)
        soon: int | None = None
        gap = -1
        loose = False
        segments = _in_turn(segments)
        first = min((one.start for one in segments if not isinstance(one, Stop)), default=0)
        for segment in segments:
            if isinstance(segment, Gap):
                word = self._chart.word(segment.start)
                ends = word in _BOUNDS - {':'} | {'and', 'then'}
                said = self._chart.words[first : segment.start]
                ends |= (
                    word == ':'
                    and _REPORTING.isdisjoint(said)
                    and not self._denies(first, segment)
                )
                loose |= not segment.empty
                gap = -1 if ends else segment.start if gap < 0 and not segment.empty else gap
                continue
            doubt, gap = gap, -1
            if isinstance(segment, Clause) and segment.bare and loose and not asked and doubt < 0:
                # "we left a crate, and a drum on the rack"
                doubt = first if self._chart.word(segment.start - 1) != ':' else doubt
            if doubt >= 0 and isinstance(segment, Clause | When | Asked):
                # "she wants to open it", "I will put it there": who says that it is asked?
                self._leave_out(doubt, segment.end, 'it may not be asked')
                continue
            if isinstance(segment, Denial):
                self._deny(segment)
            elif isinstance(segment, Order):
                steps.order(segment.sign)
            elif isinstance(segment, Soon):
                soon = segment.within
            elif isinstance(segment, When) and _is_step(segment) and segment.state is not None:
                quote = self._chart.text(segment.start, segment.end)
                told = tuple(self._conditions(segment.state.clause))
                told = tuple(replace(one, words=quote) for one in told)
                if asked:
                    steps.order('after')
                steps.add(told)
                steps.order('' if asked else 'then')
            elif isinstance(segment, When):
                state = segment.state
                acts = tuple(self._acts_of(state.clause)) if state and state.does else ()
                cases.append((segment, self._when(segment), acts))
            elif isinstance(segment, Island) and self._repeats(segment, cases):
                cases = [self._so_often(segment, one) for one in cases]
            elif isinstance(segment, Island) and self._stays(segment):
                self._leave_out(segment.start, segment.end, 'it is there then', False)
            elif isinstance(segment, Island):
                self._forbid_all(segment, steps)
                self._last, self._forbids = None, True
            elif isinstance(segment, Asked):
                self._ask(segment)
            elif isinstance(segment, Clause) and segment.relation == 'but':
                if not asked or not self._except(segment, steps.done[-1] if steps.done else []):
                    ban = Ban('touch', segment.things, segment.start, segment.end)
                    self._forbid_all(Island((ban,), ban.start, ban.end), steps)
                    if self._chart.word(segment.start + 1) != 'not':
                        self._leave_out(segment.start, segment.end, 'it is not said of what')
            elif isinstance(segment, Clause) and segment.bare and self._forbids:
                # "never put the drum in the vault and the crate on the table"
                self._leave_out(segment.start, segment.end, 'it may be forbidden as well')
            elif (
                isinstance(segment, Clause)
                and self._last
                and ((segment.relation, self._last.relation) == ('same', 'near'))
            ):
                # "put the fork next to the net and the rope"
                self._leave_out(segment.start, segment.end, 'it may be beside that as well')
            elif isinstance(segment, Clause) and self._is_purpose(segment, segments):
                self._leave_out(segment.start, segment.end, 'it may only say what for')
            elif isinstance(segment, Clause) and self._denied(segment, segments):
                self._leave_out(segment.start, segment.end, 'it may be denied')
            elif isinstance(segment, Clause):
                self._forbids = False
                conditions = tuple(self._conditions(self._like_last(segment)))
                asked += conditions
                behind = max((one.end for one in segment.things), default=0)
                if segment.bare and segment.place and segment.place.end < behind:
                    self._needed |= {one.words for one in conditions}
                if conditions and not follows:
                    steps.add(conditions)
        read = [one for one in segments if not isinstance(one, Gap | Stop)]
        quote = self._chart.text(read[0].start, read[-1].end) if read else ''
        self._bind(cases, asked, soon, quote, forbids=len(self._never) > bans)

    def _except(self, left: Clause, step: list[FormCondition]) -> bool:
        """Take things out of what was asked of all; False where that is of another sort."""
        names = tuple(one.name for one in left.things)
        for at, one in reversed(list(enumerate(step))):
            fits = one.thing is None or all(is_of_class(name, one.thing) for name in names)
            if one.count == 'all' and fits:
                quote = self._joined(one.words, self._chart.text(left.start, left.end))
                step[at] = replace(one, but=(*one.but, *names), words=quote)
                return True
        return False

    def _is_purpose(self, one: Clause, segments: Sequence[Segment]) -> bool:
        """Test for "to open the chest, switch on the pump"."""
        behind = any(isinstance(each, Clause) and each.start > one.end for each in segments)
        return behind and self._chart.word(one.start) == 'to' and self._chart.word(one.end) == ','

    def _denies(self, at: int, gap: Gap) -> bool:
        """Test for a negation before a colon."""
        return any(at <= i < gap.start for i in self._chart.negated)

    @staticmethod
    def _repeats(island: Island, cases: Sequence[_Case]) -> bool:
        """Test for "..., at most twice" of what is done every hour, or whenever it is so."""
        ban = island.bans[0]
        times = ban.at_most is not None and not (ban.doing or ban.unit or ban.things)
        return times and any(told.kind in ('every', 'whenever') for _, told, _ in cases)

    def _stays(self, island: Island) -> bool:
        """Test for "leave it there", of what was just put somewhere."""
        placed = self._last is not None and self._last.place is not None
        it = all(t.pronoun in ('it', 'them') for ban in island.bans for t in ban.things)
        there = self._chart.word(island.end - 1) in ('there', 'here')
        return placed and it and there and 'leave' in self._chart.words[island.start : island.end]

    def _so_often(self, island: Island, case: _Case) -> _Case:
        one, told, acts = case
        most = island.bans[0].at_most
        assert most is not None, 'asked for those that have one'
        quote = self._around(told.words, self._chart.text(island.start, island.end))
        return one, replace(told, times=int(most), words=quote), acts

    def _deny(self, one: Denial) -> None:
        """Take in a denial: "you need not wash the cup, just put it away" names the cup."""
        chart = self._chart
        joins = not {'and', 'or', 'not', ','}.isdisjoint(chart.words[one.start + 3 : one.end])
        self._leave_out(one.start, one.end, 'it need not be done', joins)
        named = [m for i in range(one.start, one.end) for m in chart.mentions(i) if m.exact]
        self._remember([Things(m.start, m.end, m.name) for m in named[-1:] if m.name])

    def _denied(self, one: Clause, segments: Sequence[Segment]) -> bool:
        """Test for a clause right behind a negation: "nobody asked you to", "avoid this:"."""
        before = self._chart.word(one.start - 1)
        bans = [other for other in segments if isinstance(other, Island)]
        return any(
            other.end <= one.start
            and (before in ('to', ':') or other.end == one.start)
            and not _BOUNDS & {*self._chart.words[other.end : one.start - 1]}
            for other in bans
        )

    def _bind(
        self,
        cases: list[_Case],
        asked: list[FormCondition],
        soon: int | None,
        quote: str,
        forbids: bool,
    ) -> None:
        """Tie what a sentence asks for to its circumstances."""
        for one, told, acts in cases:
            if _is_sequel(one):
                # "whenever you open it, close it again"
                self._sequels += [
                    Sequel(replace(act, words=quote), condition, soon, quote)
                    for act in acts
                    for condition in asked
                ]
                soon = None
                continue
            if not asked or (one.seconds is None and not told.conditions):
                why = 'it is forbidden in any case' if forbids else 'nothing is asked then'
                self._leave_out(one.start, one.end, why)
            for condition in asked:
                self._cases.setdefault(condition.words, []).append(told)
        if soon is not None:
            self._cannot.append(Remainder(quote, 'it is to be done at once'))

    def _by_case(self, milestone: list[FormCondition]) -> list[list[FormCondition]]:
        """A milestone, parted where its conditions are due under other circumstances."""
        found: dict[Circumstance | None, list[FormCondition]] = {}
        for one in milestone:
            found.setdefault(self._case_of([one]), []).append(one)
        return list(found.values())

    def _case_of(self, milestone: Sequence[FormCondition]) -> Circumstance | None:
        found = [
            case
            for one in milestone
            for quote, cases in self._cases.items()
            if quote in one.words or one.words in quote
            for case in cases
        ]
        return found[0] if found else None

    def _like_last(self, one: Clause) -> Clause:
        """A clause without a verb, with that of the clause before."""
        last, self._last = self._last, one
        if one.relation != 'same' or last is None:
            return one
        things = one.things
        if last.relation == 'at':
            told = replace(last, place=one.place or things[0])
        elif one.place is not None:
            it = Things(one.start, one.end, pronoun='it')
            told = Clause(one.state, (it,), one.start, one.end, one.place)
        else:
            told = replace(last, things=things)
        self._last = replace(told, start=one.start, end=one.end)
        return self._last

    def _ask(self, one: Asked) -> None:
        about = next(self._conditions(one.clause), None)
        if about is None or self._question is not None:
            self._leave_out(one.start, one.end, 'the question is not understood')
            return
        quote = self._chart.text(one.start, one.end)
        about = replace(about, holds=one.holds, words=quote)
        self._question = Inquiry(one.ask, about, one.look, quote)

    def _acts_of(self, one: Clause) -> Iterator[Prohibition]:
        """Acts that a clause asks for."""
        for condition in self._conditions(one):
            act = {'in': 'put', 'near': 'put', 'holding': 'take', 'at': 'go'}.get(
                condition.relation, ''
            )
            act = act or act_of_state(condition.value or '', self._server)
            if condition.relation == 'at':
                yield Prohibition('go', None, condition.value, 'to', words=condition.words)
            else:
                place = condition.value if act == 'put' else None
                yield Prohibition(act, condition.thing, place, 'to', words=condition.words)

    def _set_context_aside(self, segments: Sequence[Segment]) -> None:
        """Say of clauses that ask for nothing that they do: "it is hot today", "as you cook"."""
        chart = self._chart
        covered = {
            i
            for one in segments
            if not isinstance(one, Stop | Order | Gap)
            for i in range(one.start, one.end)
        }
        bounds = bounds_of(chart)
        first = min((one.start for one in segments if isinstance(one, Clause)), default=len(chart))
        at = 0
        while at < len(chart):
            end = at
            while end < len(chart) and end not in covered and end not in bounds:
                end += 1
            if end > at and self._asks_nothing(at, end, at < first):
                why = 'it says by when' if chart.word(at) == 'before' else 'it asks for nothing'
                self._cannot.append(Remainder(chart.text(at, end), why, False))
            at = end + 1

    def _asks_nothing(self, at: int, end: int, leads: bool) -> bool:
        """Test for uncovered words that only tell something, of nothing that the server knows.

        :param leads: whether nothing was asked before: "that was yesterday" may take it back.
        """
        chart = self._chart
        words = chart.words[at:end]
        names = any(one.exact for i in range(at, end) for one in chart.mentions(i))
        signs = (Sign.NEGATION, Sign.NUMBER, Sign.EVERY, Sign.NARROWING, Sign.CONDITION)
        tokens = chart.sentence.tokens
        span = (tokens[at].start, tokens[end - 1].end)
        if end < len(chart) and end not in bounds_of(chart):
            # "it is a bad idea to open it"
            return False
        if names or any(inside(mark.span, span) for mark in chart.sentence.marked(*signs)):
            return False
        if not _REPORTING.isdisjoint(words):
            # "Mum says: ..."
            return False
        verbs = [verb for i in range(at, end) for _, verb, _ in chart.verbs(i, 'base')]
        if words[0] == 'for' and not verbs:
            # "for Max"
            return at + 2 == end and chart.text(at + 1, end).istitle()
        address = not verbs and (chart.word(end) in (':', '\n') or 'robot' in words)
        acts = any(verb.state or verb.skills for verb in verbs)
        if acts and words[0] == 'before':
            # "scan it before you load it", which binds the loading
            return False
        if words[0] in _SUBORDINATING or address:
            return True
        if acts:
            # "bring it here to slice"
            return False
        told = words[0] in _TELLING or (words[1:2] and words[1] in _HAPPENING)
        return leads and bool(told) and _ASKING.isdisjoint(words)

    # What is asked -----------------------------------------------------------------------------

    def _conditions(self, one: Clause) -> Iterator[FormCondition]:
        start = one.start if self._introduced is None else self._introduced
        self._introduced = None
        text = self._chart.text
        for begin, end in one.told:
            if begin < end:
                self._leave_out(begin, end, 'it says what for', False)
        if one.relation == 'at':
            for place in filter(None, map(self._place_of, one.things or (one.place,))):
                self._place = place
                yield FormCondition('at', None, place, words=text(start, one.end))
            return
        if one.relation == 'said':
            for told in filter(None, map(read_condition, one.means)):
                thing, value = told.subject or None, told.value or None
                yield FormCondition(
                    told.relation.value, thing, value, told.count, words=text(start, one.end)
                )
            return
        if one.relation == 'find':
            self._introduced = start
            if one.state:
                self._leave_out(start, one.things[0].start, 'it says for whom', False)
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
        words = self._chart.words[one.start : one.end + 1]
        if any(a == 'or' and b != 'more' for a, b in pairwise(words)):
            self._leave_out(one.start, one.end, 'it is left open which')
            return
        if any(things.pronoun == 'any' for things in one.things):
            self._leave_out(one.start, one.end, 'it is not said which things')
            return
        held = one.relation == 'holding'
        place = '' if held else self._place_of(one.place)
        goal = one.place
        if goal and goal.plural and (one.relation == 'near' or isinstance(goal.count, int)):
            self._leave_out(one.start, one.end, 'it is not said what goes to which')
            return
        if one.place is not None and not (place or held):
            self._leave_out(one.start, one.end, 'the place is not known here')
            return
        moved = one.relation in ('in', 'near', 'holding')
        found = [t for things in one.things for t in self._resolved(things, one.state, moved)]
        for first, second in pairwise(one.things):
            plain = second.name and not second.states and self._chart.mentions(second.start)
            if plain and first.states and self._chart.word(second.start - 1) == 'and':
                self._leave_out(second.start, second.end, f'it may be {first.states[0]} as well')
        # "find a cup and two plates and put them there": each where it was named
        named = {t.name: t for t in self._things} if start < one.start else {}
        for number, things in enumerate(found):
            own = named.get(things.name, things)
            begin = start if number == 0 else max(own.start, start)
            end = one.end if number == len(found) - 1 else max(own.end, begin + 1)
            item = next((each for each in self._listed if each.name == things.name), None)
            if item is not None and (item == things or item.start > one.end):
                far = item.start > one.end and number == 0
                begin, end = (start if far else item.start), item.end
            yield from self._of_things(one, things, place, text(begin, end))
        for used in (t for of in one.of for t in self._resolved(of, '')):
            self._used.add(used.name)
        self._remember(found)
        self._in_hand = self._things if one.relation == 'holding' else ()
        if place:
            if one.place is not None and not one.place.pronoun:
                on = self._chart.word(one.place.start - 1) in ('on', 'onto')
                self._surface = place if on else ''
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
            if things.count != 'all' and self._server.reaches(things.name, state):
                yield FormCondition('is', name, state, things.count, words=own)
            else:
                being = state
        if things.inside and one.relation == 'is' and self._which(things):
            self._leave_out(things.inside[0].start, things.end, 'it may say which one is meant')
        for inner in things.inside if not (one.relation == 'is' and self._which(things)) else ():
            # "the pump should be running with two trays in it"
            here = own if inner.start < things.end else self._chart.text(inner.start, one.end)
            for resolved in self._resolved(inner, ''):
                if resolved.name:
                    for state in resolved.states:
                        if self._server.reaches(resolved.name, state):
                            yield FormCondition('is', resolved.name, state, words=here)
                    yield FormCondition('in', resolved.name, name, resolved.count, words=here)
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
            told_states = (*one.also, one.state)
            opposite = english()['opposite']
            if any(b in opposite.get(a, ()) for a in told_states for b in told_states):
                self._leave_out(one.start, one.end, 'it cannot be both at once')
                return
            shut = self._place if self._server.reaches(self._place, told_states[0]) else ''
            if own.rpartition(' ')[2] in _PARTS and shut not in ('', things.name):
                # "put it in the vault and shut the door"
                self._leave_out(things.start, things.end, f'it may be that of the {shut}')
            for state in told_states:
                if state.startswith(('<', '>', 'between')):
                    state = f'{self._server.number_of(things.name)} {state}'.strip()
                self._asked.append((things.name, state))
                yield replace(told, relation='is', value=state, holds=one.holds)
        elif one.relation == 'holding':
            yield replace(told, relation='holding')
        else:
            relation: Relation = 'near' if one.relation == 'near' else 'in'
            yield replace(told, relation=relation, value=place, holds=one.holds)
            if one.state and one.place is not None:
                # "the washer can clean them": it has to run
                works = self._chart.text(one.place.start, one.end - 1)
                self._taken_for.append(Interpretation(works, one.state))
                yield FormCondition('is', place, one.state, words=works)

    def _which(self, things: Things) -> bool:
        """Test for "the pump with the tray in it", not "with two trays in it"."""
        first = things.inside[0].start if things.inside else -1
        return first < things.end and self._chart.word(first) in ('the', 'my', 'your', 'our')

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
            if all(o.count != one.count for o in later) and one.count != sum(
                o.count for o in later if isinstance(o.count, int)
            ):
                # "take two crates; put one on the table"
                later = []
            told = next(
                (o for _, o in flat[:at] if o.words in self._needed and o.thing == one.thing), None
            )
            if one.relation == 'holding' and told is not None and not one.words.endswith(' me'):
                # "the rack needs a crate: fetch it"
                step = next(step for step in found if told in step)
                step[step.index(told)] = replace(told, words=self._joined(told.words, one.words))
                continue
            if one.relation == 'holding' and one.thing in self._used:
                # "get some wax and make a torch out of it"
                self._cannot.append(Remainder(one.words, 'others are made of it', False))
                continue
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
                and (one.relation != 'at' or at == len(found[i]) - 1)
            ]
            if alike_at:
                told = found[i][alike_at[0]]
                found[i][alike_at[0]] = replace(told, words=self._joined(told.words, one.words))
            else:
                found[i].append(one)
        return [part for step in found if step for part in _parted(step) if part]

    def _around(self, one: str, other: str) -> str:
        """The text from the begin of two quotes to their end, in whichever order they stand."""
        joined = self._joined(one, other)
        return joined if one in joined else self._joined(other, one)

    def _joined(self, first: str, last: str) -> str:
        """The text from the begin of one quote to the end of another."""
        text = self._chart.sentence.text
        start = text.find(first)
        end = text.find(last, start)
        far = max(end + len(last), start + len(first))
        return text[start:far] if 0 <= start <= end else last

    # What is forbidden -------------------------------------------------------------------------

    def _forbid_all(self, island: Island, steps: _Steps) -> None:
        """Take in what is forbidden, limited, or has to wait."""
        for ban in island.bans:
            acts = list(self._forbidden(ban))
            quote = self._chart.text(ban.start, ban.end)
            if not ban.doing:
                # "[open it] at most twice": the act is that of the clause before.
                last = self._last
                acts = [self._never.pop()] if self._never and last is None else []
                acts = acts or (list(self._acts_of(last)) if last else [])
                if ban.place is not None:
                    acts = list(self._elsewhere(ban, acts))
                acts = [replace(one, words=self._around(one.words, quote)) for one in acts]
                named = next((one.name for one in ban.things if one.name), None)
                if ban.unit and not acts:
                    acts = [Prohibition('touch', named, words=quote)]
                acts = [replace(one, thing=named) for one in acts] if named else acts
            if ban.doubt >= 0:
                self._leave_out(ban.doubt, ban.doubt + 1, 'it may join what is asked as well')
            if ban.at_most is not None:
                self._limits += [
                    Limit(
                        one.doing,
                        ban.at_most,
                        one.thing,
                        one.place if not ban.unit else None,
                        ban.unit,
                        ban.per,
                        ban.hourly,
                        one.words,
                    )
                    for one in acts
                ]
            elif ban.first is not None:
                first = tuple(self._conditions(ban.first.clause))
                first = tuple(replace(one, holds=ban.first.holds) for one in first)
                self._order += [Ordering(act, one, act.words) for act in acts for one in first]
                if not ban.doing and ban.first.does:
                    steps.order('after')
                    steps.add(first)
                if not first:
                    self._never += acts
            else:
                self._never += acts
            if not acts and not (ban.at_most is None and ban.first is None and self._never):
                self._leave_out(ban.start, ban.end, 'it is not understood')

    def _elsewhere(self, ban: Ban, acts: Sequence[Prohibition]) -> Iterator[Prohibition]:
        """The acts of the clause before, at another place: "[put it there,] not in the bin"."""
        assert ban.place is not None, 'asked for those that have one'
        quote, place = self._chart.text(ban.start, ban.end), self._place_of(ban.place)
        moving = [one for one in acts if one.doing in ('put', 'go', 'take')]
        for one in moving if place else ():
            yield replace(one, place=place, side=ban.side, words=quote)
        if not (moving and place):
            yield from self._forbidden(replace(ban, doing=NEAR, things=(ban.place,), place=None))

    def _forbidden(self, ban: Ban) -> Iterator[Prohibition]:
        """Acts that a ban names."""
        quote = self._chart.text(ban.start, ban.end)
        place = ban.place
        where = (place.name or place.unknown or self._place_of(place)) if place else ''
        things: list[Things | None] = [t for one in ban.things for t in self._resolved(one, '')]
        if any(one.pronoun in ('it', 'them') for one in ban.things):
            # "there is a drum somewhere, do not touch it": also what was named last
            known = {t.name for t in things if t}
            things += [one for one in self._also(ban) if one.name not in known]
            # "put the crate in the truck and do not label it"
            things = [one for one in things if one and self._takes(ban.doing, one.name)] or things
        if ban.things and not things:
            self._leave_out(ban.start, ban.end, 'it is not said what it stands for')
            return
        for one in things or [None]:
            thing = (one.name or one.unknown or None) if one else None
            if one and one.adjectives:
                # "the ice box" where the server knows a box: whatever it may be
                noun = self._chart.text(one.adjectives[0][0], one.end)
                yield from self._forbidden(
                    replace(ban, things=(replace(one, name='', unknown=noun, adjectives=()),))
                )
            where = where or (one.source if one else '')
            side = 'from' if one and one.source == where and where else ban.side
            but = one.but if one else ()
            doing = 'put' if ban.doing == 'take' and where and ban.side == 'to' else ban.doing
            kind = self._server.kind(thing or '')
            if doing == 'touch' and kind is NameKind.REGION:
                # "not the hall": whoever is in it touches it.
                doing = NEAR
            if doing in (NEAR, 'go'):
                yield Prohibition('go', None, thing, 'to', but, words=quote)
            if doing == 'take' and where and side == 'at':
                # It lies there, or it is brought there: neither.
                yield Prohibition('put', thing, where, 'to', but, words=quote)
                side = 'from'
            if doing in ('take', 'put') and kind in (NameKind.PLACE, NameKind.REGION):
                doing = 'touch'
            if doing != 'go':
                doing = 'touch' if doing == NEAR else doing
                yield Prohibition(doing, thing, where or None, side, but, words=quote)
        self._remember([one for one in things if one])

    def _takes(self, doing: str, name: str) -> bool:
        """Whether a skill of an act may be about a thing, as far as is declared."""
        skills = self._server.skills_of(doing)
        return any(self._server.fits(one.slots[0], name) for one in skills if one.slots)

    def _also(self, ban: Ban) -> list[Things]:
        """What a pronoun may stand for as well: the last noun, or what the act is done with."""
        state = {act: state for state, act in ACT_OF_STATE.items()}.get(ban.doing)
        if ban.doing.startswith(MAKING):
            return []
        if state is None:
            said = self._last_named(ban.start, all_of_them=not self._things)
            carried = ban.doing in ('take', 'put')
            return [t for t in said if not carried or self._server.kind(t.name) is NameKind.THING]
        asked = {name for name, told in self._asked if told == state}
        before = (m for i in range(ban.start) for m in self._chart.mentions(i))
        exact = (m for m in before if m.exact and m.end <= ban.start)
        names = dict.fromkeys(m.name or m.names[0] for m in exact)
        found = [one for one in names if one not in asked and self._server.reaches(one, state)]
        return [Things(ban.start, ban.start, one) for one in found] or self._last_named(ban.start)

    def _last_named(self, at: int, all_of_them: bool = False) -> list[Things]:
        """What the noun before a token stands for, or all nouns before it."""
        found: list[Things] = []
        for begin in range(at - 1, -1, -1):
            for one in self._chart.mentions(begin):
                if one.exact and one.end <= at:
                    found.append(Things(at, at, one.name or one.names[0]))
            if found and not all_of_them:
                break
        return found

    def _when(self, one: When) -> Circumstance:
        quote = self._chart.text(one.start, one.end)
        conditions: tuple[FormCondition, ...] = ()
        for state in (one.state, *one.also) if one.state else ():
            told = tuple(self._conditions(state.clause))
            conditions += tuple(replace(c, holds=state.holds, words=quote) for c in told)
        return Circumstance(one.kind, conditions, one.seconds, one.times, words=quote)

    # References --------------------------------------------------------------------------------

    def _resolved(self, things: Things, state: str, moved: bool = False) -> list[Things]:
        """What a noun phrase stands for, with its place in the text.

        :param state: that is asked of it; '' for none. :param moved: whether it is carried.
        """
        if not things.pronoun:
            return [things]
        if things.pronoun == 'list':
            return list(self._listed)
        if things.pronoun in ('all', 'any'):
            return [replace(things, name='', count='all')]
        known = self._in_hand if things.pronoun in ('held', 'handled') else self._things
        if things.pronoun == 'handled' and not known:
            kind = self._server.kind
            things_named = {name for name in self._named if kind(name) is NameKind.THING}
            known = self._things if things_named == {o.name for o in self._things} else ()
        if things.pronoun in ('one', 'rest'):
            count: Count = things.count if things.pronoun == 'one' else 'all'
            return [replace(things, name=one.name, count=count) for one in known[-1:] if one.name]
        if state and things.pronoun == 'it' and not read_comparison(state):
            fitting = [name for name in reversed(self._named) if self._server.reaches(name, state)]
            last = known[-1].name if known else ''
            if fitting and last in fitting and fitting[0] != last:
                own = self._chart.text(things.start, things.end)
                self._taken_for.append(Interpretation(own, last, (fitting[0],)))
            elif fitting and last != fitting[0]:
                if fitting[0] == self._surface and state in ('open', 'closed'):
                    # "put the box on the rack and open it"
                    self._leave_out(things.start, things.end, f'it may be the {last}')
                return [replace(things, name=fitting[0], count=1)]
        if things.pronoun == 'it' and not self._in_hand:
            known = known[-1:]
            carried = [n for n in self._named if self._server.kind(n) is NameKind.THING]
            if moved and carried and self._server.kind(known[-1].name) is NameKind.PLACE:
                # "close the truck and put it on the rack", of a crate
                known = (replace(known[-1], name=carried[-1], count=1),)
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
            if place.pronoun == 'it' and self._surface == self._place and self._things:
                if self._chart.word(place.start - 1) in ('in', 'into', 'inside'):
                    # "put the tray on the rack and the rod in it"
                    why = f'it may be the {self._things[-1].name}'
                    self._leave_out(place.start, place.end, why)
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

    def _leave_out(self, start: int, end: int, why: str, matters: bool = True) -> None:
        self._cannot.append(Remainder(self._chart.text(start, end), why, matters))
