"""Rules of skills that are done for themselves: waiting, patrols, "twice", "for five seconds".

wait there for 3 seconds                   the skill "wait 3 seconds" is done
patrol the shed and the gate twice         at the shed, at the gate, at the shed, at the gate
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import pairwise

from reactree_core.bounds import number_text, read_number
from reactree_core.measures import converted, Measure
from reactree_core.skill_types import SkillKind, SkillType, Slot, SlotType
from reactree_planner.language import lexicon
from reactree_planner.language.amounts import UNITS
from reactree_planner.language.chart import Found, maybe, rule
from reactree_planner.language.clauses import Clauses
from reactree_planner.language.domain import Verb
from reactree_planner.language.meanings import ALL, Do, Noun, Perform, Place, Series
from reactree_planner.language.names import NameKind
from reactree_planner.language.verbs import Act
from reactree_planner.language.words import Form, words_of

_THERE = maybe('there here')
#: Most places of one patrol, all rounds together.
_MOST_VISITS = 50


class Performing(Clauses):
    """Rules of skills that are done for themselves."""

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
        """ "wait there for 3 seconds", "photograph plant 5 twice"."""
        for begin, _, one in self.domain.skills_called(self.words, at):
            if one.kind is SkillKind.MOVE:
                continue
            is_event = not one.facts and not one.changes
            yield from self._done_there(at, begin, one)
            for end, values, cost in self._in_slots(begin, one):
                close = end + (self.word(end) in ('there', 'here'))
                for behind, times in self._times(close):
                    is_told = any(isinstance(value, str) for value in values)
                    if is_event or is_told or behind > close:
                        told = Perform(one.template, values, times, start=at, end=behind)
                        yield behind, (told,), cost + 1

    def _done_there(self, at: int, behind: int, skill: SkillType) -> Iterator[Found]:
        """ "wait at the gate for five seconds": to go there, and then to do it."""
        if any(slot.type is not SlotType.NUMBER for slot in skill.slots):
            return
        go = Verb(Act.MOVE, ('go',))
        for end, (place,), cost in self.row(behind, lexicon.words('at by'), self.place):
            if not isinstance(place, Noun) or place.kind is NameKind.THING:
                continue
            for close, values, more in self._in_slots(end + (self.word(end) == 'for'), skill):
                if values:
                    told = Perform(skill.template, values, start=at, end=close)
                    series = Series(
                        (Do(go, to=Place(place), start=at, end=close), told), at, close
                    )
                    yield close, (series,), cost + more

    def _in_slots(self, at: int, skill: SkillType) -> Iterator[Found]:
        """What stands in the slots of a skill, in their order."""
        rest = skill.template[len(skill.verb) :].strip()
        yield from self._slots_filled(at, rest, list(skill.slots))

    def _slots_filled(self, at: int, rest: str, slots: list[Slot]) -> Iterator[Found]:
        if not slots:
            yield from ((end, (), 0) for end in self._literal(at, rest))
            return
        slot, *others = slots
        literal, _, behind = rest.partition(slot.text)
        for begin in self._literal(at, literal):
            yield from self._slot_filled(begin, slot, behind.strip(), others)

    def _slot_filled(
        self, begin: int, slot: Slot, behind: str, others: list[Slot]
    ) -> Iterator[Found]:
        if slot.type is SlotType.NUMBER:
            unit = slot.bounds.unit if slot.bounds is not None else ''
            for start in (begin, *(end for end, _, _ in self.row(begin, _THERE, maybe('for')))):
                for end, (number, told), _ in self._amount(start):
                    value = converted(Measure('', number, told), UNITS.get(unit, unit))
                    if value is None or slot.objection(number_text(value)):
                        continue
                    for close, values, cost in self._slots_filled(end, behind, others):
                        yield close, (number_text(value), *values), cost
        elif slot.type.is_name:
            for end, thing, cost in self.thing(begin):
                if not isinstance(thing, Noun) or thing.states or thing.unread:
                    continue
                for close, values, more in self._slots_filled(end, behind, others):
                    yield close, (thing, *values), cost + more

    def _literal(self, at: int, text: str) -> Iterator[int]:
        """Behind fixed words of a template; a unit may have been read with its number."""
        words = tuple(words_of(text))
        if self.words[at : at + len(words)] == words:
            yield at + len(words)
        elif all(word in UNITS for word in words):
            yield at

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
