"""Rules for what a text forbids: words that forbid, and the actions that they are about.

They read islands: a prohibition is found whether or not what stands around it is understood.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from reactree_core.skill_types import SkillKind
from reactree_planner.language import forbidding_words as said
from reactree_planner.language import lexicon
from reactree_planner.language.actions import Action, SIGNS, TOUCH
from reactree_planner.language.chart import Found, maybe, rule
from reactree_planner.language.exceptions import Exceptions
from reactree_planner.language.meanings import Place, Shall, Thing, Unknown
from reactree_planner.language.skill_words import SkillWord
from reactree_planner.language.words import Form

_OR = ('or', 'nor')


@dataclass(frozen=True, slots=True)
class Forbidden:
    """What some words forbid. :param named: what a text may refer to afterwards.

    :param asked: what the same words ask for.
    """

    actions: tuple[Action, ...]
    start: int = 0
    end: int = 0
    named: tuple[Thing, ...] = ()
    asked: tuple[Shall, ...] = ()


class Forbidding(Exceptions):
    """Rules of prohibitions."""

    # What is forbidden -----------------------------------------------------------------------

    @rule
    def forbidden(self, at: int) -> Iterable[Found]:
        """What is forbidden for certain and always."""
        for end, found, cost in self.denied(at):
            if self._holds_always(at, end):
                yield self.longest(end, said.TRAILING), found, cost

    @rule
    def denied(self, at: int) -> Iterable[Found]:
        """What is forbidden, be it for a time or a case only."""
        if at in self._quoted or at not in self.cued:
            return
        for end, actions, cost in self._denied(at):
            yield end, Forbidden(actions, at, end), cost
        for end, actions, things, cost in self._not_there(at):
            yield end, Forbidden(actions, at, end, things), cost
            rather = self.row(end, maybe(','), 'but', self.destination)
            for behind, (place,), more in rather:
                asked = Shall(things, (), place, start=at, end=behind)
                yield behind, Forbidden(actions, at, behind, (), (asked,)), cost + more

    def _denied(self, at: int) -> Iterator[Found]:
        yield from self._led(at)
        for end in self.says(at, said.HANDS_OFF):
            yield from self._of_things(end, (TOUCH,))
        for end in self.says(at, said.AWAY):
            yield from self._of_things(end, self._moving)
        if self.word(at) == 'avoid' and self._is_asked(at):
            yield from self._of_things(at + 1, self._moving)
        if self.word(at - 1) in said.OTHERS - {'it'}:
            return
        yield from self._passive(at)
        yield from self._is_forbidden(at)
        yield from self._if_so(at)
        yield from self._kept(at)
        yield from self._excepted(at)
        yield from self._none_of(at)

    @property
    def _moving(self) -> tuple[SkillWord, ...]:
        verbs = self.skills.of_kind(SkillKind.MOVE)
        return (SkillWord(verbs),) if verbs else ()

    def _of_things(self, at: int, words: tuple[SkillWord, ...]) -> Iterator[Found]:
        for end, things, cost in self.listed(at):
            yield end, tuple(Action(one, things, None, at, end) for one in words), cost

    def destination(self, at: int) -> Iterator[tuple[int, Place, int]]:
        """Where something shall be; "not in the chest but on the table", too."""
        if self.word(at) != 'not':
            yield from super().destination(at)
            return
        there = super().destination
        for end, (_, place), cost in self.row(at + 1, there, maybe(','), 'but', there):
            if not place.of_thing:
                # What it shall be next to may be in the chest.
                yield end, place, cost

    @rule
    def reason(self, at: int) -> Iterable[Found]:
        """ "to avoid damage to the chest", "so that it is not spoiled": asks for nothing."""
        for begin in self.says(at, said.REASONS):
            avoids = self.word(begin - 1) in ('avoid', 'prevent', 'avoiding', 'preventing')
            if avoids and self._is_asked(begin - 1):
                continue
            end = begin
            while self.word(end) not in SIGNS | {'and', 'but', 'then'} and end < begin + 14:
                end += 1
            yield end, 'a reason', 2
        yield from self.circumstance(at)
        if self.word(at) in lexicon.BECAUSE:
            end = at + 1
            while self.tells_nothing(end):
                end += 1
            if end > at + 1 and self.word(end) in SIGNS:
                yield end, 'a reason', 2

    # Words that forbid -----------------------------------------------------------------------

    def _leads(self, at: int) -> Iterator[tuple[int, Form]]:
        """Where a verb may stand that is forbidden, and in which form."""
        before = self.word(at - 1)
        if self.words[at : at + 2] == ('no', ','):
            return  # "Actually, no, put it there"
        is_told = before in SIGNS or before in said.LEADING or at in self.dropped
        if before in lexicon.BE and any(self.domain.states_at(self.words, at + 1)):
            return  # "make sure that the gate is not open"
        ends = list(self.says(at, said.BASE_LEADS))
        if self._may_be_told(at):
            ends += self.says(at, said.BARE_LEADS)
        if is_told and before != 'do':
            ends += self.says(at, (('not',),))
        if is_told:
            ends += self.says(at, said.MODAL_LEADS)
        if before in SIGNS or before in said.TOLD_TO:
            ends += self.says(at, said.NOT_TO_LEADS)
        for end in dict.fromkeys(ends):
            for begin in self._behind_lead(end):
                if self.word(begin) not in said.NO_DEED:
                    yield begin, Form.BASE
        if self._is_asked(at):
            for end in self.says(at, said.GERUND_LEADS):
                yield end + (self.word(end) == 'the'), Form.GERUND
        if self.word(at) == 'not' and before not in lexicon.BE and before not in said.OTHERS:
            yield at + 1, Form.GERUND
        if self.word(at) == 'neither':
            yield at + 1, Form.BASE

    def _behind_lead(self, end: int) -> Iterator[int]:
        """Where the verb stands; "do not, I repeat, do not"."""
        begin = end
        while self.word(begin) in (*said.BEHIND_LEADS, ',') and begin < end + 3:
            begin += 1
        yield from dict.fromkeys((begin, end))
        close = next((i for i in range(end + 2, end + 6) if self.word(i) == ','), None)
        if self.word(end) == ',' and close is not None:
            again = self.longest(close + 1, _LEADS_AGAIN)
            yield again + (self.word(again) == ',')

    def _may_be_told(self, at: int) -> bool:
        """Whether an order may begin there: nobody else stands before it."""
        before = self.word(at - 1)
        if before in SIGNS or before in said.LEADING or before == 'you':
            return True
        if before in said.OTHERS | said.NEGATIONS | lexicon.BE | lexicon.FORBIDDING:
            return False
        if before in ('have', 'has', 'had', 'why', 'does', 'did', 'to') or before.endswith('s'):
            return False
        return not any(e == at for i in range(max(0, at - 3), at) for e, _, _ in self.name(i))

    def _is_asked(self, at: int) -> bool:
        """Whether "avoid ..." and "without ..." are no reason, and not negated."""
        before = self.words[self._clause_begin(at) : at]
        if {'not', 'never'} & set(before):
            return False
        return before[-1:] != ('to',) or before[-2:-1] in [(one,) for one in sorted(_ASKED_TO)]

    def _holds_always(self, at: int, end: int) -> bool:
        """Whether neither a time nor a case is told with it, nor is it asked."""
        begin, stop = self.sentence(at, end)
        before = self.words[begin:at]
        if self.word(stop) == '?' and not said.QUESTIONS.isdisjoint(before[:1]):
            return False
        for number, word in enumerate(before):
            polite = set(before[:number]) & said.POLITE_BEFORE_IF
            if word in said.CONDITIONS and not polite:
                return False
            if word == 'for' and 'now' in self.dropped.get(begin + number + 1, ()):
                return False
            if word in ('when', 'whenever') and number == 0 and ',' in before:
                return False
        if before[:2] in (('in', 'case'), ('as', 'long')) and ',' in before:
            return False
        behind = self.longest(end, said.TRAILING)
        for i in range(behind, stop + 1):
            word = self.word(i)
            if word in said.RELEASES:
                return False
            if 'now' in self.dropped.get(i, ()):
                return False
            if word in SIGNS or word in ('but', 'so', 'then', 'because'):
                follows = self.word(i + 1)
                return not (word == ',' and follows in ('if', 'unless', 'until', 'till'))
        return True

    # In the passive --------------------------------------------------------------------------

    def _passive(self, at: int) -> Iterator[Found]:
        """ "the gate must not be opened", "no crate may be loaded", "nothing is to be touched"."""
        begin, negated = at, False
        if self.word(at) == 'never':
            begin, negated = at + 1, True
            begin += self.word(begin) in lexicon.MODALS | lexicon.BE | {'let', 'have'}
        elif self.word(at) in ('no', 'neither'):
            begin, negated = at + 1, True
        elif self.word(at) in ('nothing', 'none'):
            negated = True
        elif self.words[at : at + 3] in (('do', 'not', 'let'), ('do', 'not', 'have')):
            begin, negated = at + 3, True
        elif (wished := self.longest(at, _NOT_WISHED)) > at:
            yield from self._wished(wished)
            return
        for end, things, cost in self.listed(begin, True):
            copulas = set(self.says(end, said.NOT_BE))
            if negated:
                copulas.update(
                    (*self.says(end, said.BE_AFTER_NO), *((end,) if begin > at + 1 else ()))
                )
            for start in copulas:
                yield from self._participles(start, things, cost)

    def _wished(self, begin: int) -> Iterator[Found]:
        """ "I do not want the glass put in the sink"."""
        for end, (things,), cost in self.row(begin, self.listed, maybe('be')):
            yield from self._participles(end, things, cost)

    def _participles(self, at: int, things: tuple[Thing, ...], cost: int) -> Iterator[Found]:
        at += self.word(at) in ('ever', 'to')
        for end, word, particle in self._verbs(at, Form.PARTICIPLE):
            if particle:
                continue
            action = Action(word, things, None, at, end)
            for close, told, more in self.and_where(action):
                yield close, (told,), cost + more
            if self.word(end) in (*_OR, 'and'):
                for close, later, more in self._participles(end + 1, things, cost):
                    yield close, (action, *later), more

    def _is_forbidden(self, at: int) -> Iterator[Found]:
        """ "the hall is off limits", "opening the gate is a no-no"."""
        for end, actions, cost in self.actions(at, Form.GERUND):
            for behind in self._forbidding_ends(end):
                yield behind, actions, cost
        for end, things, cost in self.listed(at, True):
            for behind in self._forbidding_ends(end):
                if things and self.word(behind) not in ('to', 'from'):
                    words = (*self._moving, TOUCH)
                    yield behind, tuple(Action(one, things, None, at, end) for one in words), cost

    def _forbidding_ends(self, at: int) -> Iterator[int]:
        if self.word(at) in lexicon.BE or self.word(at) in ('remains', 'stays'):
            yield from self.says(at + 1 + (self.word(at + 1) in said.INTENSE), said.IS_FORBIDDEN)
        yield from self.says(at, said.NOT_TO_HAPPEN)

    # Kept as it is ---------------------------------------------------------------------------

    def _kept(self, at: int) -> Iterator[Found]:
        """ "keep the gate closed", "leave it alone", "the pump must stay off"."""
        if not lexicon.FORBIDDING.isdisjoint(self.words[self._clause_begin(at) : at]):
            return  # "do not leave the gate open"
        if self.word(at) in ('keep', 'leave', 'let'):
            yield from self._keeping(at + 1)
            return
        for end, things, cost in self.listed(at, True):
            begin = end + (self.word(end) in lexicon.MODALS)
            begin = self.longest(begin, lexicon.HAS_TO)
            begin += self.word(begin) == 'be'
            if things and self.word(begin) in said.STAYS:
                for close, word in self._kept_state(begin + 1):
                    yield close, (Action(word, things, None, at, close),), cost - 1

    def _if_so(self, at: int) -> Iterator[Found]:
        """ "if the gate is closed, leave it closed": it is not opened, which is only done then."""
        if self.word(at) not in ('if', 'when', 'where'):
            return
        for end, things, _ in self.listed(at + 1):
            if self.word(end) not in lexicon.BE:
                continue
            begin = end + 1 + (self.word(end + 1) == 'already')
            for close, state in self._kept_state(begin):
                main = close + (self.word(close) == ',')
                main += self.word(main) == 'then'
                for behind, actions, cost in (*self._kept(main), *self._led(main)):
                    if all(one.word.verbs == state.verbs for one in actions):
                        told = tuple(replace(one, things=things) for one in actions)
                        yield behind, told, cost

    def _led(self, at: int) -> Iterator[Found]:
        for begin, form in self._leads(at):
            yield from self.actions(begin, form)

    def _keeping(self, at: int) -> Iterator[Found]:
        for end, things, cost in self.listed(at):
            for close, word in self._kept_state(end):
                action = Action(word, things, None, at, close)
                yield close, (action,), cost - 1
                if self.word(close) in ('and', ','):
                    for behind, later, more in self._keeping(close + 1):
                        yield behind, (action, *later), cost + more - 1

    def _kept_state(self, at: int) -> Iterator[tuple[int, SkillWord]]:
        state = said.KEPT.get(self.word(at))
        if state is None:
            return
        end = at + 1
        if self.word(at) in ('on', 'open') and not self._ends(end):
            return
        if state == 'taken':
            if self.word(end) in ('it', 'they'):
                yield end + 2, SkillWord(self.skills.of_kind(SkillKind.TAKE))
        elif self.word(at) == 'be' or not state:
            # "let it be on the rack"
            if self.word(at) != 'be' or self._ends(end):
                yield end, TOUCH
        else:
            kind = {'open': SkillKind.OPEN, 'closed': SkillKind.CLOSE,
                    'on': SkillKind.SWITCH_ON, 'off': SkillKind.SWITCH_OFF}[state]  # fmt: skip
            verbs = self.skills.of_kind(kind)
            if verbs:
                yield end, SkillWord(verbs)

    # Not there -------------------------------------------------------------------------------

    def _not_there(
        self, at: int
    ) -> Iterator[tuple[int, tuple[Action, ...], tuple[Thing, ...], int]]:
        """ "I don't want the glass on the table", "the tray cannot go in the oven": it is not put
        there, and may be taken away.
        """
        puts = SkillWord(self.skills.of_kind(SkillKind.PUT))
        if not puts.verbs:
            return
        for begin in self.says(at, _NOT_WISHED):
            for end, things, cost in self.listed(begin):
                close = self.longest(end, (('to', 'be'),))
                yield from self._put_there(at, close, things, cost, puts)
        for end, things, cost in self.listed(at, True):
            known = not any(isinstance(one, Unknown) for one in things)
            for begin in self.says(end, said.NOT_THERE) if known else ():
                yield from self._put_there(at, begin, things, cost, puts)

    def _put_there(
        self, at: int, begin: int, things: tuple[Thing, ...], cost: int, puts: SkillWord
    ) -> Iterator[tuple[int, tuple[Action, ...], tuple[Thing, ...], int]]:
        begin += self.word(begin) in ('left', 'kept', 'standing', 'lying')
        for close, where, more in self._where(begin):
            if self.word(begin) not in ('from', 'off'):
                yield close, (Action(puts, things, where, at, close),), things, cost + more


_LEADS_AGAIN = lexicon.Phrases((*said.BARE_LEADS, *said.MODAL_LEADS))
_NOT_WISHED = lexicon.phrases(
    'i do not want|we do not want|i will not have|we will not have|i would not like'
    '|nobody wants|i never want'
)
_ASKED_TO = lexicon.words(
    'sure careful remember try want like prefer important need have ought asked you going best'
)
