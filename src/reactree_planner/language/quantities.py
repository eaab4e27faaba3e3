"""Rules of numbers: "until its moisture is above 40 %", "if the battery is low".

    water plant 3 until it is above 40 %       plant 3 moisture > 40 %
    water every dry plant in row 1             all plants there that are dry: moist

What is told of a number is read with a skill that may bring it about, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from reactree_core.measures import Comparison
from reactree_core.skill_types import SkillType
from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found, maybe, rule
from reactree_planner.language.domain import state_of
from reactree_planner.language.meanings import (
    ALL,
    Attain,
    Noun,
    Pronoun,
    Reference,
    Series,
    Thing,
)
from reactree_planner.language.names import NameKind
from reactree_planner.language.performing import Performing
from reactree_planner.language.words import words_of

_SIGNS = {
    '<': lexicon.phrases('below|under|less than|lower than|smaller than'),
    '>': lexicon.phrases('above|over|more than|higher than|greater than'),
    '>=': lexicon.phrases('at least|not less than|no less than|not below'),
    '<=': lexicon.phrases('at most|not more than|no more than|not above'),
}
_REACHES = lexicon.phrases('reaches|has reached|gets to|has got to|is at|gets above|gets over')
_UNTIL = lexicon.phrases('until|till|so that|such that')


class Quantities(Performing):
    """Rules of numbers."""

    @rule
    def clause(self, at: int) -> Iterable[Found]:
        """Anything that asks for something."""
        yield from super().clause(at)
        yield from self._wanted(at)
        yield from self.attained(at)
        yield from self.performed(at)
        yield from self._rounds(at)
        yield from self._in_case(at)

    # Numbers ---------------------------------------------------------------------------------

    def _comparison(self, at: int) -> Iterator[Found]:
        """ "above 40 %", "between 10 and 20 %", "at least 90 %"."""
        for sign, phrases in _SIGNS.items():
            for end, (told,), _ in self.row(at, phrases, self._amount):
                yield end, Comparison('', ((sign, told[0]),), told[1]), 0
        for end, (low, high), _ in self.row(at, 'between', self._amount, 'and', self._amount):
            if low[0] <= high[0] and low[1] in ('', high[1]):
                yield end, Comparison('', (('>=', low[0]), ('<=', high[0])), high[1]), 0

    def _measured_name(self, at: int) -> Iterator[Found]:
        """A word for what is measured of things: "moisture"."""
        for name in self.names.numbers:
            words = tuple(words_of(name))
            if self.words[at : at + len(words)] == words:
                yield at + len(words), name, 0

    def _subject(self, at: int) -> Iterator[Found]:
        """Things, and what is measured of them; None where that is not said."""
        of = (maybe('the'), self._measured_name, 'of', self.things)
        for end, (name, things), cost in self.row(at, *of):
            yield end, (things, name), cost
        for end, (things, name), cost in self.row(at, self.things, "'s", self._measured_name):
            yield end, (things, name), cost
        if self.word(at) in ('its', 'their', 'the'):
            one = Reference.ONE if self.word(at) != 'their' else Reference.SEVERAL
            for end, name, _ in self._measured_name(at + 1):
                if name not in self.names.own_numbers:
                    yield end, ((Pronoun(one, at, at + 1),), name), self.word(at) == 'the'
        for end, things, cost in self.things(at):
            yield end, (things, None), cost

    def _state(self, at: int) -> Iterator[Found]:
        """A condition on a number, or a word of a state that the server tells."""
        yield from self._comparison(at)
        for end, state in self.domain.states_at(self.words, at):
            yield end, state, 0

    @rule
    def measured(self, at: int) -> Iterable[Found]:
        """(whether "is" says only how things are, what is told): "its moisture is above 40 %"."""
        for end, (things, name), cost in self._subject(at):
            for behind, (asserted, state), more in self.row(end, self._copula, self._state):
                yield behind, (asserted, Attain(things, name, state)), cost + more
            for behind, (told,), more in self.row(end, _REACHES, self._amount):
                reached = Comparison('', (('>=', told[0]),), told[1])
                yield behind, (True, Attain(things, name, reached)), cost + more

    def _wanted(self, at: int) -> Iterator[Found]:
        """ "the battery should be above 80 %", "... before you drive to the yard"."""
        begins = {at: False} | dict.fromkeys(self.says(at, lexicon.ENSURING), True)
        for begin, ensured in begins.items():
            for end, (asserted, told), cost in self.measured(begin):
                if (asserted and not ensured) or not isinstance(told.state, Comparison):
                    continue
                one = replace(told, start=at, end=end)
                yield end, (one,), cost
                before = (lexicon.BEFORE, self._told)
                for behind, (then,), more in self.row(self.joint(end), *before):
                    yield behind, (Series((one, *then), at, behind),), cost + more

    # Until -----------------------------------------------------------------------------------

    def _acting(self, at: int) -> Iterator[Found]:
        """A verb of skills, and its things: (skill types, things)."""
        for end, types in self._verbs_of_skills(at):
            yield end, (types, ()), 0
            for behind, things, cost in self.things(end):
                yield behind, (types, things), cost
        if self.word(at) == 'give':
            for end, things, cost in self.things(at + 1):
                for behind, types in self._verbs_of_skills(end + (self.word(end) == 'some')):
                    yield behind, (types, things), cost
                for behind, types in self._verbs_of_skills(end - 1):
                    # "the plants water" was read as "a slice of" the plants would be.
                    told = {state_of(one) for one in types}
                    plain = tuple(_without(thing, told) for thing in things)
                    if behind == end and plain != things:
                        yield end, (types, plain), cost

    def _verbs_of_skills(self, at: int) -> Iterator[tuple[int, tuple[SkillType, ...]]]:
        """Where the words for a skill's verb end, and the skills that are called so."""
        found: dict[int, list[SkillType]] = {}
        for end, _, one in self.domain.skills_called(self.words, at):
            found.setdefault(end, []).append(one)
        for end, types in found.items():
            yield end, tuple(types)

    @rule
    def attained(self, at: int) -> Iterable[Found]:
        """ "water plant 3 until it is above 40 %", "charge", "water every dry plant"."""
        begins = (at, *self.says(at, lexicon.REQUESTS))
        for begin in dict.fromkeys(begins):
            for end, (types, things), cost in self._acting(begin):
                for behind, told, more in self._up_to(self.joint(end), types, things):
                    if self._is_reached(types, told):
                        yield behind, (self._chosen(told, at, behind),), cost + more
                for told in self._usual(types, things):
                    yield end, (self._chosen(told, at, end),), cost + 1

    def _up_to(
        self, at: int, types: Iterable[SkillType], things: tuple[Thing, ...]
    ) -> Iterator[Found]:
        subjects = [fact.subject for skill in types for fact in skill.facts]
        subjects += [change.subject for skill in types for change in skill.changes]
        names = dict.fromkeys(name for name in subjects if name in self.names.own_numbers)
        own = tuple(Noun(name, NameKind.OTHER, at, at) for name in names)
        for begin in self.says(at, _UNTIL):
            for end, (asserted, told), cost in self.measured(begin):
                is_same = all(isinstance(one, Pronoun) for one in told.things)
                if asserted and things and is_same:
                    yield end, replace(told, things=things), cost
                elif asserted and (not things or _named(things) == _named(told.things)):
                    yield end, told, cost
            for end, state, cost in self._state(begin):
                if things or own:
                    yield end, Attain(things or own, None, state), cost

    def _usual(
        self, types: tuple[SkillType, ...], things: tuple[Thing, ...], of_any: bool = False
    ) -> Iterator[Attain]:
        """What skills bring about where nothing else is said: of things that are told apart by
        how they are, or of a number of the robot's own. :param of_any: also of other things."""
        for one in types:
            facts = [fact for fact in one.facts if fact.holds]
            for name in self.names.own_numbers:
                own = [
                    told
                    for fact in facts
                    if fact.subject == name and (told := self.names.number_wanted(fact.value))
                ]
                is_it = [
                    isinstance(thing, Pronoun) or (isinstance(thing, Noun) and thing.name == name)
                    for thing in things
                ]
                if own and all(is_it):
                    noun = Noun(name, NameKind.OTHER, 0, 0)
                    yield Attain(things or (noun,), '', own[0])
            state = state_of(one)
            chosen = (_is_chosen(thing, self.names.states) for thing in things)
            if state and things and (of_any or all(chosen)):
                yield Attain(things, None, state)

    def _chosen(self, told: Attain, start: int, end: int) -> Attain:
        """What is told, of things that are so: "every dry plant in row 1"."""
        told = replace(told, start=start, end=end)
        if len(told.things) != 1 or not _is_chosen(told.things[0], self.names.states):
            return told
        thing = told.things[0]
        assert isinstance(thing, Noun), 'it is told to be so'
        place = thing.place.thing if thing.place is not None else None
        where = place.text if isinstance(place, Noun) else ''
        plain = replace(thing, states=(), place=None)
        return replace(told, things=(plain,), being=thing.states[0], where=where)

    def _is_reached(self, types: Iterable[SkillType], told: Attain) -> bool:
        """Whether one of these skills may bring about what is told."""
        wanted = told.state
        if isinstance(wanted, str):
            wanted = self.names.number_wanted(wanted) or wanted
        if isinstance(wanted, str):
            return any(fact.value == wanted and fact.holds for one in types for fact in one.facts)
        signs = {sign[0] for sign, _ in wanted.tests}
        for one in types:
            for change in one.changes:
                up = change.factor > 0
                if change.sets or len(signs) == 2 or up == ('>' in signs):
                    return told.name in (None, change.name) or not told.name
            for fact in one.facts:
                brings = self.names.number_wanted(fact.value) if fact.holds else None
                if brings is not None and replace(brings, name=wanted.name).implies(wanted):
                    return True
        return False

    # Cases -----------------------------------------------------------------------------------

    def _in_case(self, at: int) -> Iterator[Found]:
        """ "if the battery is below 30 %, charge it", "charge it if it is below 30 %"."""
        case = (self.measured, maybe(','), maybe('then'), self._done_in_case)
        for end, ((asserted, told), (one,)), cost in self.row(at, 'if', *case):
            if asserted:
                yield from self._case(at, end, told, one, cost)
        for end, (one,), cost in self._done_in_case(at):
            behind = self.row(self.joint(end), 'if', self.measured)
            for close, ((asserted, told),), more in behind:
                if asserted:
                    yield from self._case(at, close, told, one, cost + more)

    def _done_in_case(self, at: int) -> Iterator[Found]:
        yield from self.attained(at)
        for end, (types, things), cost in self._acting(at):
            for told in self._usual(types, things, True):
                yield end, (replace(told, start=at, end=end),), cost

    def _case(self, at: int, end: int, told: Attain, one: Attain, cost: int) -> Iterator[Found]:
        """What is done to a thing where it is so; of other things, nothing is read."""
        is_it = [all(isinstance(thing, Pronoun) for thing in each.things) for each in (told, one)]
        if one.being or not (any(is_it) or _named(told.things) == _named(one.things)):
            return
        state = told.state
        if isinstance(state, Comparison):
            state = replace(state, name=self._number_of(told, one)).text
        things = one.things if is_it[0] else told.things
        if any(is_it) and len(things) > 1:
            return
        yield end, (replace(one, things=things, being=state, start=at, end=end),), cost

    def _number_of(self, *told: Attain) -> str:
        """What is measured, as far as it is said, or only one number can be meant."""
        said = (one.name for one in told if one.name)
        names = [thing.name for one in told for thing in one.things if isinstance(thing, Noun)]
        own = self.names.own_numbers
        others = [name for name in self.names.numbers if name not in own]
        usual = others[0] if len(others) == 1 else ''
        return next(said, '' if any(name in own for name in names) else usual)


def _named(things: Iterable[Thing]) -> list[str]:
    return [one.text if isinstance(one, Noun) else '' for one in things]


def _without(thing: Thing, states: Iterable[str]) -> Thing:
    """A thing that is not told to be in these states."""
    if not isinstance(thing, Noun):
        return thing
    return replace(thing, states=tuple(one for one in thing.states if one not in set(states)))


def _is_chosen(thing: Thing, states: Iterable[str]) -> bool:
    """Whether all things of a sort are meant that are so, and nothing else is said of them."""
    if not isinstance(thing, Noun) or thing.count != ALL or thing.unread or thing.inside:
        return False
    if len(thing.states) != 1 or thing.states[0] not in set(states):
        return False
    place = thing.place
    return place is None or (isinstance(place.thing, Noun) and not place.beside)
