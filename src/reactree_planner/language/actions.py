"""Rules for actions that a text tells of in any form, and what they are done with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from reactree_core.skill_types import SkillKind
from reactree_planner.language import forbidding_words as said
from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found, rule, SENTENCE_ENDS
from reactree_planner.language.circumstances import Circumstances
from reactree_planner.language.domain import Domain
from reactree_planner.language.meanings import Noun, Pronoun, Reference, Thing, Unknown
from reactree_planner.language.names_in_text import Tied
from reactree_planner.language.skill_words import IDLE_PARTICLES, SkillWord, SkillWords
from reactree_planner.language.words import Form

SIGNS = frozenset({'.', '?', '\n', '', ',', ':', '"', '•', '#', '->'})
_OR = ('or', 'nor')
TOUCH = SkillWord((), touches=True)
_AT_PLACE = lexicon.Phrases(
    one for one in (*lexicon.IN, *lexicon.FROM, *lexicon.RESTING) if one not in lexicon.BESIDE
)


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


@lru_cache(maxsize=16)
def _skill_words(domain: Domain) -> SkillWords:
    return SkillWords(domain)


class Actions(Circumstances):
    """Rules of actions, looser than those of clauses that ask for something.

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
        self.skills = _skill_words(domain)
        self.dropped = dropped
        self._quoted = self._find_quoted()
        #: Tokens of sentences in which something may be forbidden.
        self.cued = self._find_cued()

    def _find_cued(self) -> frozenset[int]:
        found: set[int] = set()
        begin = 0
        for end in range(len(self.words) + 1):
            if self.word(end) in SENTENCE_ENDS:
                if not said.CUES.isdisjoint(self.words[begin:end]):
                    found.update(range(begin, end))
                begin = end + 1
        return frozenset(found)

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
            yield at + 1, TOUCH, ''

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
                yield end, Action(TOUCH, things, None, at, end), cost + 4
        if not known and form is Form.BASE and self._is_strange_verb(at):
            begin = at + 1 + (self.word(at + 1) in IDLE_PARTICLES)
            word = replace(TOUCH, certain=False)
            for end, things, cost in self.listed(begin):
                if self.word(begin) not in said.OTHERS:
                    yield end, Action(word, things, None, at, end), cost + 3

    def _is_strange_verb(self, at: int) -> bool:
        """A verb that no skill has: whatever is done with the thing is meant."""
        word = self.word(at)
        closed = word in said.NO_DEED | lexicon.MODALS | said.BEHIND_LEADS | lexicon.BE
        is_third = word.endswith('s') and not word.endswith('ss')
        may_be = word.isalpha() and word != 'leave' and not is_third and self.word(at - 1) != 'no'
        return may_be and not closed and not self._may_begin_noun(at)

    def _may_begin_noun(self, at: int) -> bool:
        word = self.word(at)
        is_closed = word in lexicon.DETERMINERS | lexicon.REST | lexicon.TYING | lexicon.ADVERBS
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
                        away = self._is_away(behind)
                        yield close, Action(one, things, where, at, close, away), cost + more
        if particle:
            return
        if not self.skills.has_slots(word.verbs) and word.verbs:
            yield end, Action(word, (), None, at, end), 0
        elif word.verbs and (self.word(end) in SIGNS or self.word(end) in ('and', 'or', 'but')):
            yield end, Action(word, (), None, at, end), 2

    def _other_particle(self, word: SkillWord, particle: str) -> tuple[str, ...]:
        head = word.verbs[0].split()[0]
        other = {'on': 'off', 'off': 'on'}.get(particle, '')
        return tuple(verb for verb in self.skills.types if verb == f'{head} {other}')

    def _where(self, at: int) -> Iterator[tuple[int, Thing, int]]:
        """ "in the chest", "there": a place at which it is meant."""
        if self.word(at) in ('there', 'here'):
            yield at + 1, _there(at), 0
        for end in self.says(at, _AT_PLACE):
            if self.word(end) in ('there', 'here'):
                yield end + 1, _there(end), 0
            yield from self.place(end)

    def _is_away(self, at: int) -> bool:
        return self.longest(at, lexicon.FROM) > at

    def and_where(self, action: Action) -> Iterator[Found]:
        """An action by itself, and at a place that is told behind it."""
        yield action.end, action, 0
        for end, where, cost in self._where(action.end):
            yield end, replace(action, where=where, away=self._is_away(action.end)), cost

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
                for behind, numbers in self._further_numbers(close, (',', 'and', *_OR)):
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
            # "crates 1, 2, or 3 today": rather a number of what is known.
            cost = self._known_in(thing) + self.word(at).isdecimal()
            # "two flasks": whatever is called a flask.
            yield end, replace(thing, start=max(thing.start, thing.begin), end=end), cost

    def _known_in(self, thing: Unknown) -> bool:
        return any(self.name(i) for i in range(thing.start, thing.end))

    def _joined(self, at: int) -> Iterator[int]:
        if self.word(at) == ',':
            begin = at + 1 + (self.word(at + 1) in (*_OR, 'and'))
            if begin > at + 1 or self._closing(at + 1):
                yield begin
        elif self.word(at) in (*_OR, 'and'):
            yield at + 1

    @rule
    def _closing(self, at: int) -> Iterable[Found]:
        """Where "or" or "and" ends a list of nothing but things that begins there."""
        for end, _, _ in self._one(at):
            behind = end + (self.word(end) == ',')
            if self.word(behind) in (*_OR, 'and'):
                yield behind, None, 0
            elif self.word(end) == ',':
                yield from self._closing(end + 1)

    def _begins_clause(self, begin: int, end: int) -> bool:
        """Whether what is read as a thing is what something else is said of."""
        if self.word(end) in lexicon.MODALS | lexicon.BE | {'goes', 'belongs'}:
            return True
        return any(True for _ in self.skills.at(self.words, begin, Form.BASE)) and not any(
            self.name(begin)
        )

    # Names -----------------------------------------------------------------------------------

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


def _there(at: int) -> Pronoun:
    return Pronoun(Reference.ONE, at, at + 1)
