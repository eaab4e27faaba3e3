"""Rules of what a text says of order and number: "before", "only after", "at most", "whenever"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from reactree_core.permission.rules_file import MOST_TIMES, MOST_WITHIN
from reactree_core.skill_types import SkillKind
from reactree_planner.language import forbidding_words as said
from reactree_planner.language import lexicon
from reactree_planner.language.actions import Action
from reactree_planner.language.chart import Found, maybe, rule
from reactree_planner.language.forbidding import Forbidding
from reactree_planner.language.lexicon import number_of, NUMBER_WORDS
from reactree_planner.language.meanings import Noun, Pronoun
from reactree_planner.language.names import NameKind
from reactree_planner.language.skill_words import SkillWord
from reactree_planner.language.timed import followed_by, only_after, Timed, TimeKind, Told
from reactree_planner.language.words import Form

#: What stands before a number, and what is taken off it.
_COUNTS = (
    (('no', 'more', 'than'), 0), (('not', 'more', 'than'), 0), (('at', 'most'), 0),
    (('at', 'the', 'most'), 0), (('up', 'to'), 0), (('a', 'maximum', 'of'), 0),
    (('maximum',), 0), (('fewer', 'than'), 1), (('less', 'than'), 1),
)  # fmt: skip
_Counts = tuple[tuple[tuple[str, ...], int], ...]
_MORE_THAN = ((('more', 'than'), 0),)
#: With these a number is one for each thing, or for a time.
_SHARED_OUT = lexicon.words('per each every apiece hour hours minute minutes day days row')
_EVERY_TIME = lexicon.phrases(
    'whenever|every time|each time|any time|anytime|as often as|every time that|each time that'
)
_AGAIN = ('again', 'always', 'afterwards')
#: What stays where it is.
_CASES = lexicon.words('if when while unless whether yesterday were was did')
_STAY = (NameKind.PLACE, NameKind.REGION)
_NEAR = ('after', 'before', 'once', 'when', 'whenever')
_HAVING = lexicon.phrases(
    'you have first|you have already|you have|having first|having|first|already|have been'
)
_BEEN = lexicon.phrases('is|are|has been|have been|has first been|have first been|has already been'
                        '|have already been|gets|is being|were|was')  # fmt: skip
_BEFORE = lexicon.phrases('before|until|till|until after|prior to|before having')
_PLAIN_BEFORE = lexicon.phrases('before|prior to|before having')
_AFTER_OR_ONCE = lexicon.phrases('once', lexicon.AFTER)
_ONLY_AFTER = lexicon.phrases('only after|only once|only when|not until|only after having')
#: Signs and words behind which an order may begin.
_BEFORE_ORDERS = frozenset({'.', '?', '\n', '', ',', ':', '•', '#'}) | lexicon.words(
    'and but then so or always sure you must may should shall'
)
_SKILLS = lexicon.words('step steps skill skills action actions move moves')


class OrderRules(Forbidding):
    """Rules in time."""

    @rule
    def timed(self, at: int) -> Iterable[Found]:
        """A rule in time that holds for certain."""
        if at in self._quoted or at not in self.cued:
            return
        for end, timed, cost in self._timed(at):
            if self._is_certain(timed) and self._holds_for_all(at, end, timed):
                yield end, replace(timed, start=at, end=end), cost

    def _timed(self, at: int) -> Iterator[Found]:
        for read in (
            self._counted, self._waiting, self._waiting_first, self._only, self._in_order,
            self._following,
        ):  # fmt: skip
            yield from read(at)

    def joint(self, at: int) -> int:
        """The same, behind "within two steps"."""
        close, _ = self._within(at)
        if self.word(at) == 'only' and self.word(at + 1) == 'after':
            return at + 1
        return close if close > at else super().joint(at)

    def tails(self, at: int) -> Iterator[int]:
        """Ends of words there that belong to a rule, behind what it asks for: "at most twice"."""
        close, within = self._within(at)
        if within:
            yield close
        if self.word(at) == 'only' and self.word(at + 1) in ('once', 'twice'):
            yield at + 2
        for end, _ in self._numbers(at, _COUNTS):
            if self.word(end) == 'times' or self.word(end - 1) in ('once', 'twice'):
                yield end + (self.word(end) == 'times')

    def left(self, at: int) -> bool:
        """Whether something is forbidden there, or told of time, that no rule can say."""
        clause = self.words[self._clause_begin(at) : at]
        if self.word(at) == 'but' and not said.ALL_OF_SORT.isdisjoint(clause):
            return not self.excepts_from_set(at)
        is_told = self.word(at) == 'within' or self.word(at + 1) in _NEAR
        soon = is_told and self._within(at)[1] > 0
        return soon or (at not in self._quoted and bool(self.denied(at)))

    # For certain -----------------------------------------------------------------------------

    def _is_certain(self, timed: Timed) -> bool:
        """Whether skills of the server and things that it knows are meant."""
        return all(map(self._is_known, (*timed.actions, *timed.conditions)))

    def _is_known(self, action: Action) -> bool:
        word = action.word
        if not word.verbs or not word.certain:
            return False
        handled = [self.skills.are_all(word.verbs, one) for one in (SkillKind.TAKE, SkillKind.PUT)]
        if any(handled) and any(
            isinstance(one, Noun) and one.kind in _STAY for one in action.things
        ):
            # "the table is set": it is not put anywhere.
            return False
        told = action.things if action.where is None else (*action.things, action.where)
        return all(isinstance(one, Noun | Pronoun) for one in told)

    def _holds_for_all(self, at: int, end: int, timed: Timed) -> bool:
        begin, stop = self.sentence(at, end)
        if not _CASES.isdisjoint(self.words[begin:at]):
            return False
        if self.word(stop) == '?' and self.word(begin) in said.QUESTIONS:
            return False
        if any('now' in self.dropped.get(i, ()) for i in range(begin, stop + 1)):
            return False
        return self._closes(end) and self.word(end + 1) not in ('if', 'unless', 'provided')

    def _closes(self, at: int) -> bool:
        """Whether a clause may end there."""
        word = self.word(at)
        return word in ('.', '?', '\n', '', ',', '"') or word in ('and', 'but', 'so', 'then', 'or')

    def _orders(self, at: int) -> bool:
        """Whether an order may begin there: nothing but words of courtesy stands before it."""
        return self.word(at - 1) in _BEFORE_ORDERS

    @rule
    def ordered(self, at: int) -> Iterable[Found]:
        """An order: (its actions, "always" or "immediately" where it begins with that)."""
        lead = self.word(at) if self.word(at) in ('always', 'immediately') else ''
        begin = at + bool(lead)
        if not self._orders(at):
            return
        for end in (*self.says(begin, lexicon.REQUESTS), begin):
            for behind, actions, cost in self.actions(end, Form.BASE):
                yield behind, (Told(actions, self._has_or(end, behind)), lead), cost

    @rule
    def told(self, at: int) -> Iterable[Found]:
        """ "closing the valve", "you have closed it", "it has been closed", "it is closed"."""
        for begin in dict.fromkeys((*self.says(at, _HAVING), at)):
            for form in (Form.PARTICIPLE, Form.GERUND):
                if form is Form.PARTICIPLE and begin == at:
                    continue
                for end, actions, cost in self.actions(begin, form):
                    yield self._behind_first(end), Told(actions, self._has_or(begin, end)), cost
            if self.word(at) == 'you' and begin == at:
                first = at + 1 + (self.word(at + 1) in ('first', 'always'))
                for end, actions, cost in self.actions(first, Form.BASE):
                    yield self._behind_first(end), Told(actions, self._has_or(at, end)), cost
        for end, (things, word), cost in self.row(at, self.listed, _BEEN, self._brought_about):
            if things:
                yield end, Told((Action(word, things, None, at, end),)), cost

    def _behind_first(self, at: int) -> int:
        return at + (self.word(at) in ('first', 'again'))

    def _brought_about(self, at: int) -> Iterator[Found]:
        for end, word, particle in self._verbs(at, Form.PARTICIPLE):
            if not particle:
                yield end, word, 0
        for end, state in self.domain.states_at(self.words, at):
            if verbs := self.skills.making(state):
                yield end, SkillWord(verbs), 0

    # At most ---------------------------------------------------------------------------------

    def _counted(self, at: int) -> Iterator[Found]:
        """ "take at most two crates", "do not open it more than once"."""
        for begin, form in self._leads(at):
            if form is Form.BASE:
                yield from self._counted_one(begin, _MORE_THAN)
        if self._orders(at):
            for begin in (*self.says(at, lexicon.REQUESTS), at):
                for end, timed, cost in self._counted_one(begin, _COUNTS):
                    yield end, replace(timed, asks=True), cost
        if self.word(at - 1) in ('or', 'nor') and {'not', 'never'} & set(self.words[:at]):
            # "do not lift more than two crates or open more than one gate"
            yield from self._counted_one(at, _MORE_THAN)

    def _counted_one(self, at: int, counts: _Counts) -> Iterator[Found]:
        if self.word(at) == 'move':
            return
        for end, word, particle in self._verbs(at, Form.BASE):
            # "take at most two crates"
            for begin, most in self._numbers(end, counts):
                for behind, things, cost in self.listed(begin):
                    close = behind + (self.word(behind) == particle != '')
                    told = Action(word, things, None, at, close)
                    for last, action, _ in self.and_where(told) if len(things) == 1 else ():
                        if not self._is_shared_out(at, last):
                            yield last, Timed(TimeKind.AT_MOST, (action,), at_most=most), cost
        for end, action, cost in self.action_of(at, Form.BASE):
            # "open it at most twice"
            numbers = list(self._numbers(end, counts))
            if self.word(end) == 'only' and self.word(end + 1) in ('once', 'twice'):
                numbers.append((end + 2, 1 if self.word(end + 1) == 'once' else 2))
            for begin, most in numbers:
                by_times = self.word(begin - 1) in ('once', 'twice')
                close = begin + (not by_times and self.word(begin) == 'times')
                if (by_times or close > begin) and not self._is_shared_out(at, close):
                    yield close, Timed(TimeKind.AT_MOST, (action,), at_most=most), cost

    def _numbers(self, at: int, counts: _Counts) -> Iterator[tuple[int, int]]:
        for phrase, less in counts:
            begin = end = self.longest(at, (phrase,))
            while (begin > at and self.word(end) in NUMBER_WORDS) or self.word(end).isdecimal():
                end += 1
            words = self.words[begin:end]
            number = number_of(words) if words else None
            if number is not None and 0 <= number - less <= MOST_TIMES:
                yield end, number - less

    def _is_shared_out(self, begin: int, end: int) -> bool:
        inside = self.words[begin : end + 4]
        goes_on = self.word(end) in ('or', 'to') and self.word(end + 1) in NUMBER_WORDS
        return bool(set(inside) & _SHARED_OUT) or not self._closes(end) or goes_on

    # Only after ------------------------------------------------------------------------------

    def _waiting(self, at: int) -> Iterator[Found]:
        """ "do not open it before ...", "never open it without closing ..."."""
        for end, forbidden, cost in self.denied(at):
            if 'again' in self.dropped.get(end, ()):
                continue
            for begin in self.says(end, _BEFORE):
                yield from self._until(begin, forbidden.actions, cost)
            for behind, timed, more in self._until(end + 1, forbidden.actions, cost):
                has = self.word(end) == 'unless' and {'has', 'have', 'been'} & {
                    *self.words[end:behind]
                }
                if has or self.word(end) == 'without':
                    yield behind, timed, more

    def _until(self, begin: int, actions: tuple[Action, ...], cost: int) -> Iterator[Found]:
        for behind, told, more in self.told(begin):
            yield behind, only_after(actions, told), cost + more

    def _waiting_first(self, at: int) -> Iterator[Found]:
        """ "before you have closed it, do not ..."."""
        for joint in (_BEFORE, 'unless'):
            waits = self.row(at, joint, self.told, maybe(','), self.denied)
            for end, (told, forbidden), cost in waits:
                yield end, only_after(forbidden.actions, told), cost

    def _only(self, at: int) -> Iterator[Found]:
        """ "only after closing it may you ...", "it may only be opened after ..."."""
        act = (self.actions, Form.BASE)
        only = (_ONLY_AFTER, self.told)
        for end, (told, actions), cost in self.row(
            at, *only, maybe(','), lexicon.MODALS, 'you', act
        ):
            yield end, only_after(actions, told), cost
        comma = maybe(',') if self._orders(at) else ','
        for end, (told, (order, _)), cost in self.row(at, *only, comma, self.ordered):
            yield end, replace(only_after(order.actions, told), asks=True), cost
        if self.word(at) == 'only' or (self.word(at) == 'you' and self.word(at + 2) == 'only'):
            if self.word(at - 1) in said.OTHERS:
                return
            begin = at + (1 if self.word(at) == 'only' else 3)
            for end, (actions, told), cost in self.row(begin, act, lexicon.AFTER, self.told):
                yield end, only_after(actions, told), cost
        for end, ((order, _), told), cost in self.row(at, self.ordered, *only):
            yield end, replace(only_after(order.actions, told), asks=True), cost
        begin = at + (self.word(at) == 'no')
        for end, things, cost in self.listed(begin):
            if not things or self.word(end) not in lexicon.MODALS:
                continue
            start = end + 1 + (self.word(end + 1) == 'only')
            if self.word(start) == 'be' and (start > end + 1 or begin > at):
                for behind, actions, more in self._participles(start + 1, things, cost):
                    joints = _AFTER_OR_ONCE if start > end + 1 else _BEFORE
                    for first in self.says(behind, joints):
                        yield from self._until(first, actions, more)

    def _in_order(self, at: int) -> Iterator[Found]:
        """ "scan a crate before loading it", "after closing the valve, open the gate"."""
        for end, (order, _), cost in self.ordered(at):
            joint = self._behind_comma(end)
            for begin in self.says(joint, _PLAIN_BEFORE):
                for behind, later, more in self.told(begin):
                    close, within = self._within(behind)
                    yield from self._ordered_pair(close, order, later, cost + more, within)
            for begin, soon in self._after(joint):
                for behind, first, more in self.told(begin):
                    yield from self._ordered_pair(behind, first, order, cost + more, soon)
        for begin in self.says(at, _PLAIN_BEFORE):
            orders = self.row(begin, self.told, ',', self.ordered) if self._orders(at) else ()
            for end, (later, (order, _)), cost in orders:
                yield from self._ordered_pair(end, order, later, cost)
        for begin, soon in self._after(at) if self._orders(at) else ():
            for end, (first, (order, lead)), cost in self.row(begin, self.told, ',', self.ordered):
                close, within = self._within(self._behind_again(end))
                if lead != 'always':
                    within = soon or within or int(lead == 'immediately')
                    yield from self._ordered_pair(close, first, order, cost, within)

    def _here(self, at: int) -> Iterator[Found]:
        yield at, at, 0

    def _ordered_pair(
        self, end: int, first: Told, later: Told, cost: int, within: int = 0
    ) -> Iterator[Found]:
        """Later waits for first; and follows it soon where that is told."""
        timed = only_after(later.actions, first)
        yield end, replace(timed, asks=True, within=within or None), cost

    def _behind_comma(self, at: int) -> int:
        return at + (self.word(at) == ',' and self.word(at + 1) in ('before', 'after', 'prior'))

    def _after(self, at: int) -> Iterator[tuple[int, int]]:
        """Where a clause begins that tells what is done first, and how soon the other follows."""
        close, within = self._within(at)
        for begin in self.says(close, lexicon.AFTER):
            yield begin, within
        if within and self.word(close) == 'of':
            yield close + 1, within

    def _within(self, at: int) -> tuple[int, int]:
        """ "within two steps": the index behind it, and the number of skills; 0 for none."""
        if self.word(at) == 'immediately':
            return at + 1, 1
        if self.word(at) == 'within':
            number = number_of([self.word(at + 1)])
            if number and number <= MOST_WITHIN and self.word(at + 2) in _SKILLS:
                return at + 3, number
        return at, 0

    # Then ------------------------------------------------------------------------------------

    def _following(self, at: int) -> Iterator[Found]:
        """ "whenever you open it, close it again"."""
        starts = list(self.says(at, _EVERY_TIME))
        is_case = self.word(at) in ('if', 'when', 'once') and self.word(at + 1) == 'you'
        starts += [at + 1] if is_case or self.word(at) == 'after' else []
        for begin in starts:
            for end, (told, main, (order, lead)), cost in self.row(
                begin, self.told, ',', maybe('then'), self._here, self.ordered
            ):
                close, within = self._within(self._behind_again(end))
                within = within or int(lead == 'immediately')
                every = begin > at + 1 or self.word(at) in ('whenever', 'anytime')
                if every or lead == 'always' or (is_case and self._says_again(main, close)):
                    yield self._behind_again(close), followed_by(told, order, within), cost
        for end, (order, lead), cost in self.ordered(at):
            after = (('after',),) if lead == 'always' else ()
            for begin in self.says(end, (*_EVERY_TIME, *after)):
                for behind, told, more in self.told(begin):
                    yield behind, followed_by(told, order, 0), cost + more - 2
        yield from self._each_that(at)

    def _behind_again(self, at: int) -> int:
        return at + (self.word(at) in _AGAIN)

    def _says_again(self, begin: int, end: int) -> bool:
        return any(self.word(i) in _AGAIN for i in range(begin, end + 1))

    def _each_that(self, at: int) -> Iterator[Found]:
        """ "close every gate that you open"."""
        if not self._orders(at):
            return
        for end, word, particle in self._verbs(at, Form.BASE):
            if particle or self.word(end) not in said.ALL_OF_SORT - {'all'}:
                continue
            for behind, things, cost in self.listed(end):
                begin = behind + (self.word(behind) in ('that', 'which'))
                if len(things) != 1 or self.word(begin) != 'you':
                    continue
                for close, opened, _ in self._verbs(begin + 1, Form.BASE):
                    first = Told((Action(opened, things, None, begin, close),))
                    then = Told((Action(word, things, None, at, behind),))
                    yield close, followed_by(first, then, 0), cost
