"""Rules for what a text forbids: words that forbid, and the actions that they are about.

They read islands: a prohibition is found whether or not what stands around it is understood.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace

from reactree_core.skill_types import SkillKind
from reactree_planner.instructions.names import NameKind
from reactree_planner.language import forbidding_words as said
from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found
from reactree_planner.language.chart import rule
from reactree_planner.language.clauses import Clauses
from reactree_planner.language.domain import Domain
from reactree_planner.language.domain import Form
from reactree_planner.language.meanings import Noun
from reactree_planner.language.meanings import Place
from reactree_planner.language.meanings import Pronoun
from reactree_planner.language.meanings import Reference
from reactree_planner.language.meanings import Shall
from reactree_planner.language.meanings import Thing
from reactree_planner.language.meanings import Unknown
from reactree_planner.language.nouns import Tied
from reactree_planner.language.skill_words import IDLE_PARTICLES
from reactree_planner.language.skill_words import SkillWord
from reactree_planner.language.skill_words import SkillWords

_SENTENCE_ENDS = frozenset({'.', '?', '\n', ''})
_SIGNS = frozenset({'.', '?', '\n', '', ',', ':', '"', '•', '#', '->'})
_OR = ('or', 'nor')
_TOUCH = SkillWord((), touches=True)


@dataclass(frozen=True, slots=True)
class Action:
    """Skills that words tell of, before it is known what those refer to.

    :param things: what it is done with; () for anything. :param where: the place; None for none.
    :param away: whether it is taken from there.
    """

    word: SkillWord
    things: tuple[Thing, ...] = ()
    where: Thing | None = None
    start: int = 0
    end: int = 0
    away: bool = False


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


class Forbidding(Clauses):
    """Rules of prohibitions.

    :param dropped: index of a word -> words of courtesy that stood right before it.
    """

    def __init__(
        self,
        words: tuple[str, ...],
        domain: Domain,
        tied: Mapping[int, tuple[Tied, ...]],
        dropped: Mapping[int, tuple[str, ...]] = {},
    ) -> None:
        super().__init__(words, domain, tied)
        self.skills = SkillWords(domain)
        self.dropped = dropped
        self._quoted = self._find_quoted()

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
        if at in self._quoted:
            return
        for end, actions, cost in self._denied(at):
            yield end, Forbidden(actions, at, end), cost
        for end, actions, things, cost in self._not_there(at):
            yield end, Forbidden(actions, at, end, things), cost
            begin = end + (self.word(end) == ',')
            if self.word(begin) == 'but':
                for behind, place, more in self.destination(begin + 1):
                    asked = Shall(things, (), place, start=at, end=behind)
                    yield behind, Forbidden(actions, at, behind, (), (asked,)), cost + more

    def _denied(self, at: int) -> Iterator[Found]:
        yield from self._led(at)
        for end in self.says(at, said.HANDS_OFF):
            yield from self._of_things(end, (_TOUCH,))
        for end in self.says(at, said.AWAY):
            yield from self._of_things(end, (self._moving,))
        if self.word(at) == 'avoid' and self._is_asked(at):
            yield from self._of_things(at + 1, (self._moving,))
        if self.word(at - 1) in said.OTHERS - {'it'}:
            return
        yield from self._passive(at)
        yield from self._is_forbidden(at)
        yield from self._if_so(at)
        yield from self._kept(at)
        yield from self._excepted(at)
        yield from self._none_of(at)

    @property
    def _moving(self) -> SkillWord:
        return SkillWord(self.skills.of_kind(SkillKind.MOVE))

    def _of_things(self, at: int, words: tuple[SkillWord, ...]) -> Iterator[Found]:
        for end, things, cost in self.listed(at):
            found = (
                Action(one, things, None, at, end) for one in words if one.verbs or one.touches
            )
            yield end, tuple(found), cost

    def destination(self, at: int) -> Iterator[tuple[int, Place, int]]:
        """Where something shall be; "not in the fridge but on the table", too."""
        if self.word(at) != 'not':
            yield from super().destination(at)
            return
        for end, _, _ in super().destination(at + 1):
            end += self.word(end) == ','
            if self.word(end) == 'but':
                yield from super().destination(end + 1)

    @rule
    def reason(self, at: int) -> Iterable[Found]:
        """ "to avoid damage to the fridge", "so that it is not spoiled": asks for nothing."""
        for begin in self.says(at, said.REASONS):
            avoids = self.word(begin - 1) in ('avoid', 'prevent', 'avoiding', 'preventing')
            if avoids and self._is_asked(begin - 1):
                continue
            end = begin
            while self.word(end) not in _SIGNS | {'and', 'but', 'then'} and end < begin + 14:
                end += 1
            if end > begin:
                yield end, None, 2

    # Words that forbid -----------------------------------------------------------------------

    def _leads(self, at: int) -> Iterator[tuple[int, Form]]:
        """Where a verb may stand that is forbidden, and in which form."""
        before = self.word(at - 1)
        is_told = before in _SIGNS or before in said.LEADING or at in self.dropped
        ends = list(self.says(at, said.BASE_LEADS))
        if self._may_be_told(at):
            ends += self.says(at, said.BARE_LEADS)
        if is_told and before != 'do':
            ends += self.says(at, (('not',),))
        if is_told:
            ends += self.says(at, said.MODAL_LEADS)
        if before in _SIGNS or before in said.TOLD_TO:
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
        if self.word(at) == 'neither' and self.word(at + 1):
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
        if before in _SIGNS or before in said.LEADING or before == 'you':
            return True
        if before in said.OTHERS | said.NEGATIONS | lexicon.BE | lexicon.FORBIDDING:
            return False
        if before in ('have', 'has', 'had', 'why', 'does', 'did', 'to') or before.endswith('s'):
            return False
        return not any(e == at for i in range(max(0, at - 3), at) for e, _, _ in self.name(i))

    def _clause_begin(self, at: int) -> int:
        while self.word(at - 1) not in _SIGNS and self.word(at - 1) not in ('and', 'but'):
            at -= 1
        return at

    def _is_asked(self, at: int) -> bool:
        """Whether "avoid ..." and "without ..." are no reason, and not negated."""
        before = self.words[self._clause_begin(at) : at]
        if {'not', 'never'} & set(before):
            return False
        return before[-1:] != ('to',) or before[-2:-1] in [(one,) for one in sorted(_ASKED_TO)]

    def _holds_always(self, at: int, end: int) -> bool:
        """Whether neither a time nor a case is told with it, nor is it asked."""
        begin = at
        while self.word(begin - 1) not in _SENTENCE_ENDS:
            begin -= 1
        stop = end
        while self.word(stop) not in _SENTENCE_ENDS:
            stop += 1
        before = self.words[begin:at]
        if self.word(stop) == '?' and before[:1] and before[0] in said.QUESTIONS:
            return False
        for number, word in enumerate(before):
            polite = set(before[:number]) & said.POLITE_BEFORE_IF
            if word in said.CONDITIONS and not polite:
                return False
            if word == 'for' and 'now' in self.dropped.get(begin + number + 1, ()):
                return False
            if word in ('when', 'whenever') and number == 0 and ',' in before:
                return False
        if self._says_case(before, begin):
            return False
        behind = self.longest(end, said.TRAILING)
        for i in range(behind, stop + 1):
            word = self.word(i)
            if word in said.RELEASES and not (word == 'when' and i == behind):
                return False
            if 'now' in self.dropped.get(i, ()):
                return False
            if word in _SIGNS or word in ('but', 'so', 'then', 'because'):
                follows = self.word(i + 1)
                return not (word == ',' and follows in ('if', 'unless', 'until', 'till'))
        return True

    def _says_case(self, before: tuple[str, ...], begin: int) -> bool:
        return before[:2] in (('in', 'case'), ('as', 'long')) and ',' in before

    def _find_quoted(self) -> frozenset[int]:
        """Tokens within quotation marks that say something, and are no name."""
        signs = [i for i, word in enumerate(self.words) if word == '"']
        found: set[int] = set()
        for first, last in zip(signs[::2], signs[1::2], strict=False):
            inside = range(first + 1, last)
            if len(inside) > 3 or any(self.domain.is_verb(self.word(i)) for i in inside):
                found.update(inside)
        return frozenset(found) if len(found) < len(self.words) - 2 else frozenset()

    # Actions ---------------------------------------------------------------------------------

    @rule
    def actions(self, at: int, form: Form) -> Iterable[Found]:
        """One or more actions that are handled alike: "open or close it", "open A or take B"."""
        for end, action, cost in self.action_of(at, form):
            yield end, (action,), cost
            yield from self._more_actions(end, form, (action,), cost)
        for end, word, particle in self._verbs(at, form):
            # "open or close the gate"
            if self.word(end) in ('or', 'and', 'nor') and not particle:
                for behind, later, cost in self.actions(end + 1, form):
                    first = replace(later[0], word=word)
                    yield behind, (*later, first), cost

    def _more_actions(
        self, end: int, form: Form, before: tuple[Action, ...], cost: int
    ) -> Iterator[Found]:
        comma = self.word(end) == ','
        joint = end + comma
        if self.word(joint) in (*_OR, 'and') and 'please' not in self.dropped.get(joint + 1, ()):
            if self.word(joint) == 'and' and comma and form is Form.BASE:
                return
            begin = self.longest(joint + 1, (('even',), ('do', 'not')))
            for behind, later, more in self.actions(begin, form):
                if begin == joint + 1 or self.word(begin - 1) == 'even':
                    yield behind, (*before, *later), cost + more
        elif comma:
            for behind, later, more in self.actions(joint, form):
                if len(later) > 1 and (form is Form.GERUND or self._has_or(joint, behind)):
                    yield behind, (*before, *later), cost + more

    def _has_or(self, begin: int, end: int) -> bool:
        return any(word in _OR for word in self.words[begin:end])

    def _verbs(self, at: int, form: Form) -> Iterator[tuple[int, SkillWord, str]]:
        yield from self.skills.at(self.words, at, form)
        if self.word(at) in said.TOUCHING[form]:
            yield at + 1, _TOUCH, ''

    @rule
    def action_of(self, at: int, form: Form) -> Iterable[Found]:
        """One action with what it is about."""
        known = False
        for end, word, particle in self._verbs(at, form):
            for behind, action, cost in self._with_objects(at, end, word, particle):
                known = known or not cost
                yield behind, action, cost
        is_denied = self.word(at - 1) == 'never' or self.words[at - 2 : at] == ('do', 'not')
        if not known and form is Form.BASE and is_denied and any(self.name(at)):
            # A name that reads like something to do: whatever is done with it.
            for end, things, cost in self.listed(at):
                yield end, Action(_TOUCH, things, None, at, end), cost + 4
        if not known and form is Form.BASE and self._is_strange_verb(at):
            begin = at + 1 + (self.word(at + 1) in IDLE_PARTICLES)
            word = replace(_TOUCH, certain=False)
            for end, things, cost in self.listed(begin):
                if self.word(begin) not in said.OTHERS:
                    yield end, Action(word, things, None, at, end), cost + 3

    def _is_strange_verb(self, at: int) -> bool:
        """A verb that no skill has: whatever is done with the thing is meant."""
        word = self.word(at)
        closed = word in said.NO_DEED | said.MODALS | said.BEHIND_LEADS | lexicon.BE
        is_third = word.endswith('s') and not word.endswith('ss')
        may_be = word.isalpha() and word != 'leave' and not is_third and self.word(at - 1) != 'no'
        return may_be and not closed and not self._may_begin_noun(at)

    def _may_begin_noun(self, at: int) -> bool:
        word = self.word(at)
        determiners = lexicon.ARTICLES | lexicon.DEFINITE | lexicon.EVERY | lexicon.SOME
        is_closed = word in determiners | lexicon.REST | lexicon.TYING | lexicon.ADVERBS
        return is_closed or word in ('in', 'on', 'at', 'to', 'for') or bool(self.name(at))

    def _with_objects(self, at: int, end: int, word: SkillWord, particle: str) -> Iterator[Found]:
        moves = self.skills.are_all(word.verbs, SkillKind.MOVE)
        if moves:
            begins = [*self.says(end, said.THROUGH), end]
            for begin in dict.fromkeys(begins):
                for behind, things, cost in self.listed(begin):
                    yield behind, Action(word, things, None, at, behind), cost
            return
        begin = end + (self.word(end) == 'of')
        for behind, things, cost in self.listed(begin):
            words = [word]
            if particle:
                told, other = self.word(behind), self.word(behind + 2)
                if self.word(behind + 1) == 'or' and {told, other} == {'on', 'off'}:
                    verbs = (*word.verbs, *self._other_particle(word, particle))
                    words, behind = [replace(word, verbs=verbs)], behind + 3
                elif told == particle:
                    behind += 1
                else:
                    continue
            for one in words:
                if not self.word(at).startswith('leav') and self.word(at) != 'left':
                    yield behind, Action(one, things, None, at, behind), cost
                if not one.touches or things:
                    for close, where, more in self._where(behind):
                        away = self.longest(behind, lexicon.FROM) > behind
                        yield close, Action(one, things, where, at, close, away), cost + more
        if particle:
            return
        if not self.skills.has_slots(word.verbs) and word.verbs:
            yield end, Action(word, (), None, at, end), 0
        elif word.verbs and (self.word(end) in _SIGNS or self.word(end) in ('and', 'or', 'but')):
            yield end, Action(word, (), None, at, end), 2

    def _other_particle(self, word: SkillWord, particle: str) -> tuple[str, ...]:
        head = word.verbs[0].split()[0]
        other = {'on': 'off', 'off': 'on'}.get(particle, '')
        return tuple(verb for verb in self.skills.types if verb == f'{head} {other}')

    def _where(self, at: int) -> Iterator[tuple[int, Thing, int]]:
        """ "in the fridge", "there": a place at which it is meant."""
        if self.word(at) in ('there', 'here'):
            yield at + 1, _there(at), 0
        for end in self.says(at, _AT_PLACE):
            if self.word(end) in ('there', 'here'):
                yield end + 1, _there(end), 0
            yield from self.place(end)

    # Things ----------------------------------------------------------------------------------

    @rule
    def listed(self, at: int, subject: bool = False) -> Iterable[Found]:
        """A list of things; () for anything. :param subject: whether a verb follows."""
        for end in self.says(at, said.ANYTHING):
            if self.word(end) not in ('else', 'but', 'except', 'other', 'that', 'which'):
                yield end, (), 0
        for end, things, cost in self._ones(at):
            yield end, things, cost
            for begin in self._joined(end):
                for behind, rest, more in self.listed(begin, subject):
                    if rest and (subject or not self._begins_clause(begin, behind)):
                        yield behind, (*things, *rest), cost + more

    def _ones(self, at: int) -> Iterator[tuple[int, tuple[Thing, ...], int]]:
        """One thing, or several of one name that numbers tell apart: "crates 1, 2 and 3"."""
        for end, thing, cost in self._one(at):
            begin = end + (self.word(end) == ',')
            if not isinstance(thing, Noun):
                yield end, (thing,), cost
                continue
            first = thing
            if thing.instance is None and self.word(begin).isdecimal():
                if begin == end:
                    continue
                first = replace(thing, instance=int(self.word(begin)), end=begin + 1)
                close = begin + 1
            else:
                close = end
            if self.word(close).isdecimal() or (
                self.word(close) in ('to', 'through', 'till') and self.word(close + 1).isdecimal()
            ):
                # "crates 1 to 3": not all of them are told.
                continue
            yield close, (first,), cost
            if first.instance is not None:
                for behind, numbers in self._further_numbers(close):
                    others = tuple(replace(first, instance=one) for one in numbers)
                    behind += close > end and self.word(behind) == ','
                    yield behind, (first, *others), cost

    def _one(self, at: int) -> Iterator[tuple[int, Thing, int]]:
        at += self.word(at) in ('neither', 'either', 'both')
        unknown: list[tuple[int, Unknown]] = []
        for end, thing, cost in self.thing(at):
            if not said.COMPARING.isdisjoint(self.words[at:end]):
                continue
            if isinstance(thing, Unknown):
                unknown += [(end, thing)] if not any(self.name(end)) else []
            elif isinstance(thing, Pronoun) and self.word(at) in ('all', 'one', 'both'):
                continue
            else:
                yield end, thing, min(cost, 3)
        if unknown:
            # All of its words, since none must be lost; but for those that only say when.
            told = [one for one in unknown if self.word(one[0] - 1) not in said.WHEN]
            end, thing = max(told or unknown, key=lambda one: one[0])
            end += self.word(end).isdecimal()
            yield end, replace(thing, end=end), 1 if self._known_in(thing) else 0

    def _known_in(self, thing: Unknown) -> bool:
        return any(self.name(i) for i in range(thing.start, thing.end))

    def _joined(self, at: int) -> Iterator[int]:
        if self.word(at) == ',':
            begin = at + 1 + (self.word(at + 1) in (*_OR, 'and'))
            if begin > at + 1 or self._list_closes(at + 1):
                yield begin
        elif self.word(at) in (*_OR, 'and'):
            yield at + 1

    def _list_closes(self, at: int) -> bool:
        """Whether "or" or "and" ends a list of nothing but things that begins there."""
        for end, _, _ in self._one(at):
            behind = end + (self.word(end) == ',')
            if self.word(behind) in (*_OR, 'and'):
                return True
            if self.word(end) == ',' and self._list_closes(end + 1):
                return True
        return False

    def _begins_clause(self, begin: int, end: int) -> bool:
        """Whether what is read as a thing is what something else is said of."""
        if self.word(end) in said.MODALS | lexicon.BE | {'goes', 'belongs'}:
            return True
        return any(True for _ in self.skills.at(self.words, begin, Form.BASE)) and not any(
            self.name(begin)
        )

    # In the passive --------------------------------------------------------------------------

    def _passive(self, at: int) -> Iterator[Found]:
        """ "the gate must not be opened", "no crate may be loaded", "nothing is to be touched"."""
        begin, negated = at, False
        for end in self.says(at, said.NO_TIME):
            begin, negated = end, True
            break
        if negated:
            begin += self.word(begin) in said.MODALS | lexicon.BE | {'let', 'have'}
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
        for end, things, cost in self.listed(begin):
            yield from self._participles(end + (self.word(end) == 'be'), things, cost)

    def _participles(self, at: int, things: tuple[Thing, ...], cost: int) -> Iterator[Found]:
        at += self.word(at) in ('ever', 'to')
        for end, word, particle in self._verbs(at, Form.PARTICIPLE):
            if particle:
                continue
            action = Action(word, things, None, at, end)
            yield end, (action,), cost
            for close, where, more in self._where(end):
                yield close, (replace(action, where=where),), cost + more
            if self.word(end) in (*_OR, 'and'):
                for close, later, more in self._participles(end + 1, things, cost):
                    yield close, (action, *later), more

    def _is_forbidden(self, at: int) -> Iterator[Found]:
        """ "the kitchen is off limits", "opening the gate is a no-no"."""
        for end, actions, cost in self.actions(at, Form.GERUND):
            for behind in self._forbidding_ends(end):
                yield behind, actions, cost
        for end, things, cost in self.listed(at, True):
            for behind in self._forbidding_ends(end):
                if things and self.word(behind) not in ('to', 'from'):
                    words = [one for one in (self._moving, _TOUCH) if one.verbs or one.touches]
                    yield behind, tuple(Action(one, things, None, at, end) for one in words), cost

    def _forbidding_ends(self, at: int) -> Iterator[int]:
        if self.word(at) in lexicon.BE or self.word(at) in ('remains', 'stays'):
            yield from self.says(at + 1 + (self.word(at + 1) in said.INTENSE), said.IS_FORBIDDEN)
        yield from self.says(at, said.NOT_TO_HAPPEN)

    # Kept as it is ---------------------------------------------------------------------------

    def _kept(self, at: int) -> Iterator[Found]:
        """ "keep the gate closed", "leave it alone", "the pump must stay off"."""
        if self.word(at) in ('keep', 'leave', 'let'):
            yield from self._keeping(at + 1)
            return
        for end, things, cost in self.listed(at, True):
            begin = end + (self.word(end) in said.MODALS)
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
            if not things or self.word(end) not in lexicon.BE:
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
            if self.word(end) in ('it', 'they') and self.word(end + 1) in lexicon.BE:
                yield end + 2, SkillWord(self.skills.of_kind(SkillKind.TAKE))
        elif self.word(at) == 'be' or not state:
            yield end, _TOUCH
        else:
            kind = {'open': SkillKind.OPEN, 'closed': SkillKind.CLOSE,
                    'on': SkillKind.SWITCH_ON, 'off': SkillKind.SWITCH_OFF}[state]  # fmt: skip
            verbs = self.skills.of_kind(kind)
            if verbs:
                yield end, SkillWord(verbs)

    # Exceptions ------------------------------------------------------------------------------

    def _excepted(self, at: int) -> Iterator[Found]:
        """ "but not the crate", "every gate except gate 2", "anywhere but in the sink"."""
        begin, is_exception = at, True
        if self.words[at : at + 2] == ('but', 'not'):
            begin, is_exception = at + 2, False
        elif self.word(at) == 'not' and (
            self.word(at - 1) in _SIGNS or self.word(at - 1) == 'but'
        ):
            begin, is_exception = at + 1, False
        elif (end := self.longest(at, said.EXCEPT)) > at:
            begin = end
        elif self.word(at) == 'but' and self._is_of_sort(at):
            begin = at + 1
        if begin == at or self.word(begin) in ('that', 'only', 'just', 'too', 'if', 'when'):
            return
        clause = self._clause_begin(at)
        negated = not lexicon.FORBIDDING.isdisjoint(self.words[clause:at])
        word = self._verb_before(at)
        if word is None or (is_exception and negated):
            return
        for end, things, cost in self.listed(begin):
            nouns = [one for one in things if isinstance(one, Noun)]
            if (
                not nouns
                or len(nouns) < len(things)
                or self.word(end) in ('goes', 'belongs', *lexicon.BE)
            ):
                continue
            if is_exception and self._is_open(nouns, begin, at):
                continue
            action = Action(word, things, None, at, end)
            yield end, (action,), cost + 1
            if self.skills.are_all(word.verbs, SkillKind.PUT):
                for close, where, more in self._where(end):
                    yield close, (replace(action, where=where),), cost + more
        if self.skills.are_all(word.verbs, SkillKind.PUT) or len(word.verbs) > 1:
            for close, where, more in self._where(begin):
                if self.word(close) == 'but':
                    continue
                things = self._things_before(at)
                yield close, (Action(word, things, where, at, close),), more + 1

    def _is_open(self, nouns: list[Noun], begin: int, at: int) -> bool:
        """Whether an exception leaves open which ones it means: "all but one crate"."""
        first = self.word(begin)
        if first in lexicon.NUMBERS or first.isdecimal() or first in said.SOME_OF_A_SORT:
            return True
        before = self._mentioned(at)
        return any(
            one.text == one.name and one.name == two.name for one in nouns for two in before[-1:]
        )

    def _is_of_sort(self, at: int) -> bool:
        """Whether "all", "every" and a noun stand right before a "but"."""
        if not any(self.name(at + 1 + (self.word(at + 1) in lexicon.DEFINITE))):
            return False
        for i in range(at - 1, max(-1, at - 6), -1):
            if self.word(i) in _SIGNS or (self.words[i],) in lexicon.IN:
                return False
            if self.word(i) in said.ALL_OF_SORT:
                return i < at - 1
        return False

    def _verb_before(self, at: int) -> SkillWord | None:
        """The verb of the clause that an exception belongs to."""
        for i in range(at - 1, -1, -1):
            for form in (Form.BASE, Form.PARTICIPLE, Form.GERUND):
                found = [
                    word
                    for _, word, particle in self._verbs(i, form)
                    if word.verbs and (not particle or particle in self.words[i:at])
                ]
                named = any(e > i for j in range(max(0, i - 2), i + 1) for e, _, _ in self.name(j))
                if found and not named:
                    return found[0]
        return None

    def _things_before(self, at: int) -> tuple[Thing, ...]:
        found = [one for one in self._mentioned(at) if one.kind is NameKind.THING]
        return tuple(found[-1:])

    def _mentioned(self, at: int) -> tuple[Noun, ...]:
        """Known names before an index, in order."""
        return tuple(one for one in self.mentions() if one.end <= at)

    def mentions(self) -> tuple[Noun, ...]:
        """All known names of the text, each word used once, with their numbers."""
        found: list[Noun] = []
        at = 0
        while at < len(self.words):
            nouns = [noun for _, (noun, _), _ in self.name(at)]
            if not nouns:
                at += 1
                continue
            ranked = [one for noun in nouns for one in self._with_number(noun, noun.end)]
            noun, end, _ = max(ranked, key=lambda one: one[1])
            found.append(noun)
            for behind, numbers in self._further_numbers(end) if noun.instance is not None else ():
                found.append(replace(noun, instance=numbers[-1], start=behind - 1, end=behind))
                end = max(end, behind)
            at = end
        return tuple(found)

    def _none_of(self, at: int) -> Iterator[Found]:
        """ "put no crate on the truck", "touch nothing"."""
        for end, word, particle in self._verbs(at, Form.BASE):
            told = self.word(end) in ('no', 'nothing', 'none')
            if particle or not told or self.word(at) in said.LEAVING:
                continue
            begin = end + (self.word(end) == 'no')
            begin = self.longest(begin, (('none', 'of'),))
            for behind, things, cost in self.listed(begin):
                if self.word(end) == 'no' and self.word(begin) in (
                    'further',
                    'longer',
                    'more',
                    'other',
                ):
                    continue
                yield behind, (Action(word, things, None, at, behind),), cost
                for close, where, more in self._where(behind):
                    yield close, (Action(word, things, where, at, close),), cost + more

    # Not there -------------------------------------------------------------------------------

    def _not_there(
        self, at: int
    ) -> Iterator[tuple[int, tuple[Action, ...], tuple[Thing, ...], int]]:
        """ "I don't want the glass on the table", "the plate cannot go in the oven": it is not put
        there, and may be taken away.
        """
        puts = SkillWord(self.skills.of_kind(SkillKind.PUT))
        if not puts.verbs:
            return
        for begin in self.says(at, _NOT_WISHED):
            for end, things, cost in self.listed(begin):
                yield from self._put_there(
                    at, self.longest(end, (('to', 'be'),)), things, cost, puts
                )
        for end, things, cost in self.listed(at, True):
            known = not any(isinstance(one, Unknown) for one in things)
            for begin in self.says(end, said.NOT_THERE) if known else ():
                yield from self._put_there(at, begin, things, cost, puts)

    def _put_there(
        self, at: int, begin: int, things: tuple[Thing, ...], cost: int, puts: SkillWord
    ) -> Iterator[tuple[int, tuple[Action, ...], tuple[Thing, ...], int]]:
        begin += self.word(begin) in ('left', 'kept', 'standing', 'lying')
        for close, where, more in self._where(begin):
            if things and self.word(begin) not in ('from', 'off'):
                yield close, (Action(puts, things, where, at, close),), things, cost + more


_AT_PLACE = lexicon.Phrases((*lexicon.IN, *lexicon.FROM, *lexicon.RESTING))
_LEADS_AGAIN = lexicon.Phrases((*said.BARE_LEADS, *said.MODAL_LEADS))
_NOT_WISHED = lexicon.phrases(
    'i do not want|we do not want|i will not have|we will not have|i would not like'
    '|nobody wants|i never want'
)
_ASKED_TO = lexicon.words(
    'sure careful remember try want like prefer important need have ought asked you going best'
)


def _there(at: int) -> Pronoun:
    return Pronoun(Reference.ONE, at, at + 1)
