"""Questions that ask for an answer: "how many crates are there?", "is there any oil left?"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from reactree_planner.reading.grammar.chart import Chart, Parse, rule
from reactree_planner.reading.grammar.clauses import Clause, statement
from reactree_planner.reading.grammar.noun_phrases import destination, noun_list, Things
from reactree_planner.reading.phrases import Phrases

_ASK = Phrases.named('questions', 'ask')
_LOOK = Phrases.named('questions', 'look')
_ANY = Phrases.named('questions', 'any')
_HOW_MANY = Phrases.named('questions', 'how_many')
_WHERE = Phrases.named('questions', 'where')
_WHAT = Phrases.named('questions', 'what')
_LINKS = Phrases.named('questions', 'links')
_LEFT = Phrases.named('questions', 'left')


@dataclass(frozen=True, slots=True)
class Asked:
    """A question. :param clause: what is asked about. :param look: whether to go and see."""

    ask: Literal['whether', 'how many', 'where', 'what']
    clause: Clause
    start: int
    end: int
    look: bool = False
    holds: bool = True


@rule
def inquiry(chart: Chart, at: int) -> Iterable[Parse[Asked]]:
    """A question, or the order to tell or to go and see."""
    begin, look = at, False
    for _ in range(3):
        behind = chart.phrase(begin, _LOOK)
        look |= behind > begin
        begin = chart.phrase(behind, _ASK)
        begin += chart.word(begin) in (',', 'and', ':') and begin > at
    for end, ask, clause, holds, cost in _asked(chart, begin, told=begin > at):
        behind = chart.phrase(end, _LEFT)
        behind += chart.word(behind) == ',' and chart.phrase(behind + 1, _LOOK) > behind + 1
        close = chart.phrase(behind, _LOOK)
        sees = look or close > behind
        close = close if close > behind else chart.phrase(end, _LEFT)
        after = chart.phrase(close + 1, _LOOK) if chart.word(close) == '?' else close
        looks = after > close + 1
        if begin > at or looks or _ends(chart, close):
            # "is it open? Go and look."
            close, sees = (after, True) if looks else (close, sees)
            yield close, Asked(ask, clause, at, close, sees, holds), cost


def _ends(chart: Chart, at: int) -> bool:
    """Whether a question mark stands behind a token, or behind what is said politely."""
    while chart.word(at) in (',', 'please', 'robot', 'and'):
        at += 1
    return chart.word(at) == '?' or chart.phrase(at, _LOOK) > at


def _asked(
    chart: Chart, at: int, told: bool
) -> Iterator[tuple[int, Literal['whether', 'how many', 'where', 'what'], Clause, bool, int]]:
    begin = chart.phrase(at, _HOW_MANY)
    for end, things, cost in noun_list(chart, begin) if begin > at else ():
        for close, one in _somewhere(chart, at, chart.phrase(end, _LINKS), things):
            yield close, 'how many', one, True, cost
    begin = chart.phrase(at, _WHERE)
    for end, things, cost in noun_list(chart, begin) if begin > at else ():
        close = end + (chart.word(end) in ('is', 'are', 'lies'))
        yield close, 'where', Clause('in', things, at, close), True, cost
    begin = chart.phrase(at, _WHAT)
    for end, (relation, place), cost in destination(chart, begin) if begin > at else ():
        yield end, 'what', Clause(relation, (), at, end, place), True, cost
    begin = chart.phrase(at, _ANY)
    for end, things, cost in noun_list(chart, begin) if begin > at else ():
        for close, one in _somewhere(chart, at, end, things):
            yield close, 'whether', one, True, cost
    # "is the gate open?", "[tell me] whether the gate is open"
    if chart.word(at) in ('is', 'are'):
        for end, things, cost in noun_list(chart, at + 1):
            for close, (relation, place), more in destination(chart, end):
                yield (
                    close,
                    'whether',
                    Clause(relation, things, at, close, place),
                    True,
                    cost + more,
                )
            for length in (2, 1):
                state = chart.server.states.get(chart.words[end : end + length])
                if state and end + length <= len(chart):
                    one = Clause('is', things, at, end + length, state=state)
                    yield end + length, 'whether', one, True, cost
    if told and chart.word(at) in ('whether', 'if'):
        for end, fact, cost in statement(chart, at + 1):
            yield end, 'whether', fact.clause, fact.holds, cost
        begin = at + 1
        behind = chart.phrase(
            begin, Phrases.of('there is|there are|we have|you see|there is still')
        )
        for end, things, cost in noun_list(chart, behind) if behind > begin else ():
            for close, one in _somewhere(chart, at, end, things):
                yield close, 'whether', one, True, cost


def _somewhere(
    chart: Chart, at: int, begin: int, things: tuple[Things, ...]
) -> Iterator[tuple[int, Clause]]:
    """Things anywhere, or at a place."""
    begin = chart.phrase(begin, _LEFT)
    yield begin, Clause('in', things, at, begin)
    for end, (relation, place), _ in destination(chart, begin):
        yield end, Clause(relation, things, at, end, place)
