"""Rules of exceptions: "but not the crate", "every gate except gate 2", "touch nothing"."""

from __future__ import annotations

from collections.abc import Iterator

from reactree_core.skill_types import SkillKind
from reactree_planner.language import forbidding_words as said
from reactree_planner.language import lexicon
from reactree_planner.language.actions import Action, Actions, SIGNS
from reactree_planner.language.chart import Found
from reactree_planner.language.meanings import Noun, Thing
from reactree_planner.language.names import NameKind
from reactree_planner.language.skill_words import SkillWord
from reactree_planner.language.words import Form

_NO_OTHER = ('further', 'longer', 'more', 'other')
#: Tokens of one clause that are looked back at.
_LONGEST_CLAUSE = 80
_CLAUSE_ENDS = SIGNS | {'and', 'but'}


class Exceptions(Actions):
    """Rules of what a text takes off what it asks for."""

    def _clause_begin(self, at: int) -> int:
        furthest = max(0, at - _LONGEST_CLAUSE)
        while at > furthest and self.words[at - 1] not in _CLAUSE_ENDS:
            at -= 1
        return at

    def _excepted(self, at: int) -> Iterator[Found]:
        """ "but not the crate", "every gate except gate 2", "anywhere but in the sink"."""
        begin, is_exception = at, True
        if self.words[at : at + 2] == ('but', 'not'):
            begin, is_exception = at + 2, False
        elif self.word(at) == 'not' and (self.word(at - 1) in SIGNS or self.word(at - 1) == 'but'):
            begin, is_exception = at + 1, False
        elif (end := self.longest(at, said.EXCEPT)) > at:
            begin = end
        elif self.word(at) == 'but' and self._is_of_sort(at):
            begin = at + 1
        if begin == at or self.word(begin) in ('that', 'only', 'just', 'too', 'if', 'when'):
            return
        clause = self._clause_begin(at)
        negated = not lexicon.FORBIDDING.isdisjoint(self.words[clause:at])
        before = self._verb_before(at)
        if before is None or (is_exception and negated):
            return
        verb, word = before
        wheres: list[Found] = []
        for end, things, cost in self.listed(begin):
            nouns = [one for one in things if isinstance(one, Noun)]
            is_told = self.word(end) in ('goes', 'belongs', *lexicon.BE)
            if not nouns or len(nouns) < len(things) or is_told:
                continue
            if is_exception and self._is_open(nouns, begin, at):
                continue
            if 'anywhere' in self.words[at - 1 : begin]:
                wheres.append((end, nouns, cost))
                continue
            action = Action(word, things, None, at, end)
            for close, told, more in self.and_where(action):
                if close == end or self.skills.are_all(word.verbs, SkillKind.PUT):
                    yield close, (told,), cost + more + (close == end)
        if self.skills.are_all(word.verbs, SkillKind.PUT) or len(word.verbs) > 1:
            wheres += [(close, (where,), more) for close, where, more in self._where(begin)]
            for close, places, more in wheres:
                if self.word(close) == 'but':
                    continue
                known = [one for one in self._mentioned(at) if one.kind is NameKind.THING]
                # "put the glass next to the tray, not on the rack": whatever is meant of these.
                of_verb = [one for one in known if one.start > verb] or known[-1:]
                told_of = {
                    where: [one for one in of_verb if not self.is_told_at(one, where)] or of_verb
                    for where in places
                }
                actions = (Action(word, tuple(of), p, at, close) for p, of in told_of.items())
                yield close, tuple(actions), more + 1

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
            if self.word(i) in SIGNS or (self.words[i],) in lexicon.IN:
                return False
            if self.word(i) in said.ALL_OF_SORT:
                return i < at - 1
        return False

    def is_told_at(self, noun: Noun, where: Thing) -> bool:
        """Whether a place stands right behind a thing: "put the glass on the rack"."""
        told = [place.text for _, place, _ in self._where(noun.end) if isinstance(place, Noun)]
        return isinstance(where, Noun) and where.text in told

    def _verb_before(self, at: int) -> tuple[int, SkillWord] | None:
        """The verb of the clause that an exception belongs to, and where it stands."""
        for i in range(at - 1, -1, -1):
            for form in (Form.BASE, Form.PARTICIPLE, Form.GERUND):
                found = [
                    word
                    for _, word, particle in self._verbs(i, form)
                    if word.verbs and (not particle or particle in self.words[i:at])
                ]
                named = any(e > i for j in range(max(0, i - 2), i + 1) for e, _, _ in self.name(j))
                if found and not named:
                    return i, found[0]
        return None

    def _none_of(self, at: int) -> Iterator[Found]:
        """ "put no crate on the truck", "touch nothing"."""
        for end, word, particle in self._verbs(at, Form.BASE):
            told = self.word(end) in ('no', 'nothing', 'none')
            if particle or not told or self.word(at) in said.LEAVING:
                continue
            begin = end + (self.word(end) == 'no')
            begin = self.longest(begin, (('none', 'of'),))
            for behind, things, cost in self.listed(begin):
                if self.word(end) == 'no' and self.word(begin) in _NO_OTHER:
                    continue
                for close, told, more in self.and_where(Action(word, things, None, at, behind)):
                    yield close, (told,), cost + more
