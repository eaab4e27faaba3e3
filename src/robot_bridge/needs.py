"""Facts that skills need and bring about: read, and compared with the names of the file.

A need that is not known counts as fulfilled, and nothing is ever known of a misspelled name: with
one the need would never be checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches

from reactree_core.measures import read_change, read_comparison
from reactree_core.skill_types import (
    class_and_number,
    Effect,
    read_effect,
    read_need,
    read_treatment,
    Relation,
    SLOT,
)
from robot_bridge.classes import Classes
from robot_bridge.faults import Faults, Location
from robot_bridge.filling import references, Scope
from robot_bridge.interface_types import near
from robot_bridge.robot_file import RobotFile, SkillEntry
from robot_bridge.sources import HERE

#: A need that is no fact; "left hand free" for a hand with a name.
HANDS_FREE = 'hands free'
#: Likeness from which a name counts as another one that is misspelled.
_LIKE = 0.85


@dataclass(frozen=True, slots=True)
class Need:
    """What a skill is not begun without.

    :param fact: None for a free hand. :param hand: the one that is meant; '' for any.
    :param others: of these and itself any one will do.
    """

    fact: Effect | None
    hand: str = ''
    others: tuple[Need, ...] = ()


class NeedsReader:
    """Reads needs and effects, and notes those that are about nothing in the file."""

    def __init__(self, file: RobotFile, faults: Faults) -> None:
        self._faults = faults
        self._groups = Classes(file)
        self._hands = [hand for hand in file.hands if hand]
        self._free = {HANDS_FREE: '', **{f'{hand} free': hand for hand in self._hands}}
        regions = (place.region for place in file.places.values() if place.region)
        self._places = list(dict.fromkeys((*file.places, *regions)))
        classes = [name for entry in file.classes for name in (entry.name, *entry.members)]
        known = [*self._places, *file.things, *classes]
        #: Where literal names of sources stand, which are names of the file too.
        sources = {
            entry.name: ('state', 'facts', index, 'name')
            for index, entry in enumerate(file.state.facts)
            if '{' not in entry.name
        }
        self._own = list(file.state.numbers)
        #: What is measured of things.
        self._measured = [name for entry in file.state.facts for name in entry.numbers]
        self._names = list(dict.fromkeys((*known, *sources, *self._own, *self._hands, HERE)))
        self._classes = {*classes, *(class_and_number(name)[0] for name in file.things)}
        for name, location in sources.items():
            self._check_source(name, known, location)

    def _check_source(self, name: str, declared: list[str], location: Location) -> None:
        """Note a source whose one thing has nearly the name of another."""
        number = class_and_number(name)[1]
        others = [other for other in declared if class_and_number(other)[1] == number]
        close = get_close_matches(name, others, n=1, cutoff=_LIKE)
        if name not in declared and close:
            self._faults.add(
                location,
                f'there is no thing "{name}"; did you mean "{close[0]}"? '
                'If it is another one, list it below "things"',
            )

    def needs(self, entry: SkillEntry, scope: Scope, location: Location) -> Iterator[Need]:
        """What a skill needs."""
        for index, text in enumerate(entry.needs):
            here = (*location, 'needs', index)
            ways = [self._need(one, entry, scope, here) for one in self._ways(text)]
            read = [one for one in ways if one is not None]
            if len(read) == len(ways):
                yield replace(read[0], others=tuple(read[1:]))

    def declared(self, entry: SkillEntry) -> tuple[str, ...]:
        """The needs as `SkillType` has them: of a class with members, what is of it."""
        return tuple(' or '.join(self._ways(text)) for text in entry.needs)

    def _ways(self, text: str) -> list[str]:
        """Needs of which one will do; to hold a class with members is to hold one of these."""
        ways: list[str] = []
        for one in text.split(' or '):
            fact, hand = self._held(one)
            name = fact.value if fact is not None and fact.holds else ''
            held = f' in {hand}' if hand else ''
            members = self._groups.members(name) if name else ()
            ways += [f'holding {member}{held}' for member in members] or [one]
        return ways

    def _held(self, text: str) -> tuple[Effect | None, str]:
        """Thing to be held, and its hand; None where it is no such need."""
        fact = read_effect(text)
        if fact is None or fact.relation is not Relation.HOLDING:
            return None, ''
        hand = next((hand for hand in self._hands if text.endswith(f' in {hand}')), '')
        return read_effect(text.removesuffix(f' in {hand}')), hand

    def _need(self, text: str, entry: SkillEntry, scope: Scope, location: Location) -> Need | None:
        """One need; None, with a fault, where it cannot be read."""
        if text in self._free:
            return Need(None, self._free[text])
        fact, hand = self._held(text)
        fact = fact or read_need(text, scope.slots.values())
        if fact is None:
            self._faults.add(
                location,
                f'the need "{text}" cannot be read; write "at <x>", "holding <x>", '
                f'"<x> in <y>", "<x> in here", "<x> is word", "battery > 20 %" or '
                f'"{HANDS_FREE}"',
            )
            return None
        return Need(fact, hand) if self.check_fact(text, fact, entry, scope, location) else None

    def check_fact(
        self, text: str, fact: Effect, entry: SkillEntry, scope: Scope, location: Location
    ) -> bool:
        """Note a need, or what is waited for, about nothing in the file; False for no slot."""
        strange = [name for name in references(text) if name not in scope.slots]
        if strange:
            self._faults.add(
                location,
                f'"{entry.skill}" has no slot <{strange[0]}>; '
                f'{near(strange[0], list(scope.slots))}',
            )
            return False
        self._check(f'the need "{text}"', fact, location)
        return True

    def check_effects(self, entry: SkillEntry, location: Location) -> None:
        """Note effects about nothing in the file."""
        for index, text in enumerate(entry.effects):
            effect, change = read_effect(text), read_change(text)
            if change is not None:
                objection = self._unmeasured(change.subject, change.name)
                if objection:
                    here = (*location, 'effects', index)
                    self._faults.add(here, f'the effect "{text}": {objection}')
            if effect is not None:
                self._check(f'the effect "{text}"', effect, (*location, 'effects', index))
            treatment = read_treatment(text)
            for name in (treatment.place, *treatment.classes) if treatment is not None else ():
                objection = self._unknown('thing, place or class', name, self._names)
                if objection:
                    here = (*location, 'effects', index)
                    self._faults.add(here, f'the effect "{text}": {objection}')

    def _check(self, what: str, fact: Effect, location: Location) -> None:
        """Note a fact that is about no name of the file. :param what: for the sentence."""
        # A slot of a number stands for any.
        comparison = fact.relation is Relation.IS and references(fact.value)
        sample = SLOT.sub('1', fact.value) if comparison else fact.value
        objection = self._objection(replace(fact, value=sample))
        if objection:
            self._faults.add(location, f'{what}: {objection}')

    def _objection(self, fact: Effect) -> str:
        comparison = read_comparison(fact.value) if fact.relation is Relation.IS else None
        if comparison is not None:
            return self._unmeasured(fact.subject, comparison.name)
        if fact.relation is Relation.IS:
            if self._is_known(fact.subject):
                return _misread(fact)
            if fact.value == 'free':
                return near(f'{fact.subject} free', list(self._free))
            return self._unknown('thing or place', fact.subject, self._names)
        if fact.relation is Relation.AT:
            # "here" is where the robot is: it would always be so.
            return self._unknown('place', fact.value, self._places)
        if fact.relation is Relation.HOLDING:
            thing, _, hand = fact.value.rpartition(' in ')
            if thing and self._is_known(thing):
                return f'"hands" has no "{hand}"; {near(hand, self._hands)}'
            return self._unknown('thing', fact.value, self._names)
        if fact.value in self._hands:
            return f'did you mean "holding {fact.subject} in {fact.value}"?'
        return self._unknown('thing', fact.subject, self._names) or self._unknown(
            'place', fact.value, self._names
        )

    def _unmeasured(self, subject: str, name: str) -> str:
        """Why a number is none that the state says; '' for one that it does."""
        if not name:
            known = self._own
            return '' if subject in known else self._unmeasured_as(subject, known)
        if name not in self._measured:
            return self._unmeasured_as(name, self._measured)
        return self._unknown('thing or place', subject, self._names)

    @staticmethod
    def _unmeasured_as(name: str, known: list[str]) -> str:
        return f'the state has no number "{name}"; {near(name, known)}'

    def _unknown(self, what: str, name: str, known: list[str]) -> str:
        """Why a name cannot stand there; '' when it can."""
        if self._is_known(name, known):
            return ''
        return f'there is no {what} "{name}"; {near(name, known)}'

    def _is_known(self, name: str, known: list[str] | None = None) -> bool:
        known = self._names if known is None else known
        # What a slot in it makes of a name is known only when the skill is done.
        return (
            any(references(name))
            or name in known
            or (known is self._names and class_and_number(name)[0] in self._classes)
        )


def _misread(fact: Effect) -> str:
    """What was meant by words that make a state of what is none; '' for a state."""
    word, _, rest = fact.value.partition(' ')
    if not rest:
        return ''
    if word in ('in', 'on', 'at'):
        return f'did you mean "{fact.subject} {fact.value}"?'
    return f'did you mean "not {fact.subject} is {rest}"?' if word == 'not' else ''
