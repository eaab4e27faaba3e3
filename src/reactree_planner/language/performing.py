"""Rules of skills that are done somewhere, or on the way: waiting, patrols.

wait there for 3 seconds                   the skill "wait 3 seconds" is done
patrol the shed and the gate twice         at the shed, at the gate, at the shed, at the gate
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import pairwise

from reactree_core.bounds import number_text, read_number
from reactree_core.measures import converted, Measure
from reactree_core.skill_types import SkillKind, SkillType, SlotType
from reactree_planner.language import lexicon
from reactree_planner.language.amounts import UNITS
from reactree_planner.language.chart import Found, maybe, rule
from reactree_planner.language.clauses import Clauses
from reactree_planner.language.domain import Verb
from reactree_planner.language.meanings import ALL, Do, Noun, Perform, Place, Series
from reactree_planner.language.names import NameKind
from reactree_planner.language.verbs import Act
from reactree_planner.language.words import Form

_THERE = maybe('there here')
#: Most places of one patrol, all rounds together.
_MOST_VISITS = 50


class Performing(Clauses):
    """Rules of skills that are done somewhere, or on the way."""

    def _amount(self, at: int) -> Iterator[Found]:
        """A number and its unit; '' for none."""
        number, end = read_number(self.word(at)), at + 1
        if number is None:
            told = lexicon.number_of([self.word(at)]) if self.word(at) in lexicon.NUMBERS else None
            number = None if told is None else Decimal(told)
        if number is None:
            return
        unit = '%' if self.word(end) == 'percent' else UNITS.get(self.word(end), '')
        if unit:
            yield end + 1, (number, unit), 0
        else:
            yield end, (number, ''), 0

    @rule
    def performed(self, at: int) -> Iterable[Found]:
        """ "wait there for 3 seconds", "wait at the gate for 3 seconds"."""
        go = Verb(Act.MOVE, ('go',))
        for begin, _, one in self.domain.skills_called(self.words, at):
            if one.kind is SkillKind.MOVE or [s.type for s in one.slots] != [SlotType.NUMBER]:
                continue
            for start, _, _ in self.row(begin, _THERE, maybe('for')):
                for end, value in self._so_much(start, one):
                    for close, times in self._times(end):
                        told = Perform(one.template, (value,), times, start=at, end=close)
                        yield close, (told,), 1
            for end, (place,), cost in self.row(begin, lexicon.words('at by'), self.place):
                if not isinstance(place, Noun) or place.kind is NameKind.THING:
                    continue
                for close, value in self._so_much(end + (self.word(end) == 'for'), one):
                    # To go there, and then to do it.
                    there = Do(go, to=Place(place), start=at, end=close)
                    then = Perform(one.template, (value,), start=at, end=close)
                    yield close, (Series((there, then), at, close),), cost

    def _so_much(self, at: int, skill: SkillType) -> Iterator[tuple[int, str]]:
        """What stands in the only slot of a skill, which takes a number."""
        (slot,) = skill.slots
        unit = slot.bounds.unit if slot.bounds is not None else ''
        for end, (number, told), _ in self._amount(at):
            value = converted(Measure('', number, told), UNITS.get(unit, unit))
            if value is not None and not slot.objection(number_text(value)):
                yield end, number_text(value)

    def _times(self, at: int) -> Iterator[tuple[int, int]]:
        """How often; 1 where nothing is said."""
        yield at, 1
        word = self.word(at)
        if word in ('once', 'twice'):
            yield at + 1, 1 if word == 'once' else 2
        for end, (number, unit), _ in self._amount(at):
            if self.word(end) == 'times' and not unit and 0 < number <= _MOST_VISITS:
                yield end + 1, int(number)

    def _rounds(self, at: int) -> Iterator[Found]:
        """ "patrol the shed and the gate twice", "drive to rack 2 and rack 3 three times"."""
        for end, places, cost in self._places(at):
            for behind, times in self._times(end):
                rounds = places * times
                stays = any(a.to == b.to for a, b in pairwise(rounds))
                if (behind > end or len(places) > 1) and not stays and len(rounds) <= _MOST_VISITS:
                    yield behind, (Series(rounds, at, behind),), cost + (behind == end)

    def _places(self, at: int) -> Iterator[Found]:
        """Where somebody shall go, one place after the other."""
        for begin, words, skill in self.domain.skills_called(self.words, at):
            if skill.kind is not SkillKind.MOVE:
                continue
            begin += self.word(begin) == 'to' and words[-1] != 'to'
            for end, things, cost in self.things(begin):
                nouns = [one for one in things if isinstance(one, Noun)]
                kinds = {noun.kind for noun in nouns if not noun.states and not noun.place}
                if len(nouns) != len(things) or not kinds <= {NameKind.PLACE, NameKind.REGION}:
                    continue
                if any(noun.count == ALL for noun in nouns):
                    continue
                verb = Verb(Act.MOVE, words, own=True)
                yield end, tuple(Do(verb, to=Place(n), start=at, end=end) for n in nouns), cost
        for end, clauses, cost in self.action(at, Form.BASE):
            moves = [c for c in clauses if isinstance(c, Do) and c.verb.act is Act.MOVE]
            if len(moves) == len(clauses):
                yield end, tuple(moves), cost
