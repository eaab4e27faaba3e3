"""Rules of when something is wanted: "if", "when", "whenever", "every ten minutes", "in an hour".

    if the pump is off, go to the shed            decided as soon as it is known
    go to the dock when the battery is low        once, as soon as that holds
    whenever somebody puts a crate on the dock    each time that it comes to hold
    every ten minutes check the gate              by the clock

What holds is told by the rules of statements and numbers; no sentence has a rule of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from reactree_planner.language import lexicon
from reactree_planner.language.amounts import UNITS
from reactree_planner.language.chart import Found, maybe, rule, SENTENCE_ENDS
from reactree_planner.language.goal import When
from reactree_planner.language.meanings import Attain, Clause, Do, Shall
from reactree_planner.language.order_rules import OrderRules
from reactree_planner.language.verbs import Act
from reactree_planner.language.words import Form

_WHENS = {
    When.IF: lexicon.phrases('if|in case|in the case that|provided that|provided'),
    When.ONCE: lexicon.phrases('when|once|as soon as|the moment|at the moment when|only when'),
    When.WHENEVER: lexicon.phrases('whenever|every time|each time|any time|anytime|always when'),
}
_EVERY = lexicon.words('every each')
_IN = lexicon.phrases('in|after')
#: Seconds of the units of time that may be said.
_SECONDS = {'s': 1, 'min': 60, 'h': 3600}
_SOMEBODY = lexicon.words('somebody someone anybody anyone people we they i he she')
_HAVE = lexicon.words('has have')
#: How something comes to be so.
_COMES = lexicon.phrases(
    'gets|becomes|falls|drops|goes|runs|rises|sinks|turns|is getting|falls to|drops to|comes'
)
#: Words before the rest of a sentence of which something is told to hold.
_THEN = maybe('then')
_JOINING = lexicon.words('and or nor but')
_TRIGGERING = frozenset(phrase[0] for told in _WHENS.values() for phrase in told) | _EVERY | {
    'in', 'after',
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ToldTrigger:
    """When something is wanted, before it is known what its words refer to.

    :param clauses: what shall hold then. :param seconds: of an interval.
    :param times: how often at most; 0 for any number. :param lasts: seconds in all; 0: for ever.
    """

    when: When
    clauses: tuple[Clause, ...] = ()
    seconds: float = 0.0
    times: int = 0
    lasts: float = 0.0
    start: int = 0
    end: int = 0


class Triggers(OrderRules):
    """Rules of when something is wanted."""

    @rule
    def clause(self, at: int) -> Iterable[Found]:
        """Anything that asks for something."""
        yield from super().clause(at)
        if self._has_trigger() and not self.trigger(at):
            # "whenever plant 3 is dry, water it": what its skill brings about
            for end, told, cost in self._done_in_case(at):
                yield end, told, cost + 1

    def _has_trigger(self) -> bool:
        return any(map(self.trigger, self._triggering))

    @cached_property
    def _triggering(self) -> tuple[int, ...]:
        """Tokens that may begin a trigger."""
        return tuple(at for at, word in enumerate(self.words) if word in _TRIGGERING)

    @property
    def is_triggered(self) -> bool:
        """Whether a word stands somewhere that may begin a trigger."""
        return bool(self._triggering)

    @rule
    def trigger(self, at: int) -> Iterable[Found]:
        """When something is wanted: at the beginning of a sentence, or at its end."""
        begins = self._begins(at)
        for end, told, cost in self._triggers(at):
            if begins:
                for close in self._before_rest(end):
                    if self.word(close) in _JOINING:
                        continue  # "if A and B, do C": B is no wish
                    if told.when is not When.AFTER or self.action(close, Form.BASE):
                        yield close, replace(told, start=at, end=close), cost
            elif self.word(end) in SENTENCE_ENDS and self.word(at) != 'in':
                # "go to the shed in ten minutes": by then, or from then on?
                yield end, replace(told, start=at, end=end), cost

    def _begins(self, at: int) -> bool:
        return self.word(at - 1) in SENTENCE_ENDS

    def _before_rest(self, at: int) -> Iterator[int]:
        """Where what is wanted begins."""
        for end, _, _ in self.row(at, maybe(','), _THEN):
            yield end

    def _triggers(self, at: int) -> Iterator[Found]:
        for when, phrases in _WHENS.items():
            for begin in self.says(at, phrases):
                for end, clauses, cost in self._told_to_hold(begin):
                    for close, told in self._bounded(end, ToldTrigger(when, clauses)):
                        yield close, told, cost
        if self.word(at) in _EVERY:
            for end, seconds in self._span(at + 1):
                for close, told in self._bounded(end, ToldTrigger(When.EVERY, (), seconds)):
                    yield close, told, 0
        for begin in self.says(at, _IN):
            for end, seconds in self._span(begin):
                yield end, ToldTrigger(When.AFTER, (), seconds), 0

    def _span(self, at: int) -> Iterator[tuple[int, float]]:
        """Seconds: "10 minutes", "half an hour", "hour", "an hour"."""
        half = self.word(at) == 'half' and self.word(at + 1) in lexicon.ARTICLES
        begin = at + 2 * half + (not half and self.word(at) in lexicon.ARTICLES)
        seconds = _SECONDS.get(UNITS.get(self.word(begin), ''), 0)
        if seconds:
            yield begin + 1, seconds / 2 if half else float(seconds)
        for end, (number, unit), _ in self._amount(at):
            if unit in _SECONDS and number > 0:
                yield end, float(number * _SECONDS[unit])

    def _bounded(self, at: int, told: ToldTrigger) -> Iterator[tuple[int, ToldTrigger]]:
        """Behind it, how often and for how long: ", at most three times", "for two hours"."""
        yield at, told
        if told.when not in (When.EVERY, When.WHENEVER):
            return
        begin = at + (self.word(at) == ',')
        if self.word(begin) == 'for':
            for end, seconds in self._span(begin + 1):
                yield end, replace(told, lasts=seconds)
        begin = next(self.says(begin, lexicon.phrases('at most|up to')), begin)
        for end, times in self._times(begin):
            if end > begin:
                yield end, replace(told, times=times)

    # What holds ------------------------------------------------------------------------------

    @rule
    def _told_to_hold(self, at: int) -> Iterable[Found]:
        """ "the gate is open", "somebody puts a crate on the dock", "... and ..."."""
        for end, one, cost in self._one_told(at):
            yield end, (one,), cost
            if self.word(end) == 'and':
                for behind, more, further in self._told_to_hold(end + 1):
                    yield behind, (one, *more), cost + further

    def _one_told(self, at: int) -> Iterator[Found]:
        for end, (asserted, told), cost in self.measured(at):
            if asserted:
                yield end, replace(told, start=at, end=end), cost
        for end, (told, state), cost in self.row(at, self._subject, _COMES, self._state):
            things, name = told
            yield end, Attain(things, name, state, start=at, end=end), cost
        for end, clauses, cost in self.statement(at):
            one = clauses[0]
            if len(clauses) == 1 and one.asserted and (one.states or one.to is not None):
                yield end, replace(one, start=at, end=end), cost
        if self.word(at) in _SOMEBODY or self.words[at : at + 2] == ('a', 'person'):
            yield from self._by_somebody(at + (2 if self.word(at) == 'a' else 1))

    def _by_somebody(self, at: int) -> Iterator[Found]:
        """What somebody does, as what holds afterwards."""
        forms = ((at, self.words, Form.BASE),)
        if self.word(at) in _HAVE:
            forms = ((at + 1, self.words, Form.PARTICIPLE),)
        for begin, words, form in (*forms, *self._third_person(at)):
            for end, verb, stands_as, particle in self.domain.verbs_at(words, begin):
                if stands_as is not form or verb.act not in (Act.PUT, Act.BRING, Act.CHANGE):
                    continue
                for behind, clauses, cost in self._objects(end, verb, particle):
                    one = clauses[0]
                    if len(clauses) != 1 or not isinstance(one, Do) or not one.things:
                        continue
                    if verb.act is Act.CHANGE:
                        holds = Shall(one.things, (verb.state,), asserted=True)
                    elif one.to is not None:
                        holds = Shall(one.things, (), one.to, asserted=True)
                    else:
                        continue
                    yield behind, replace(holds, start=at, end=behind), cost

    def _third_person(self, at: int) -> Iterator[tuple[int, tuple[str, ...], Form]]:
        """ "puts", "pushes": the words with the verb as it is in an order."""
        word = self.word(at)
        for base in (word[:-1], word[:-2]) if word.endswith('s') else ():
            if base and self.domain.is_base(base):
                yield at, (*self.words[:at], base, *self.words[at + 1 :]), Form.BASE
