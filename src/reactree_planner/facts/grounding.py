"""Grounding: the operators that matter for some facts, found backwards from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product

from reactree_core.measures import Change, Measure, read_comparison
from reactree_core.skill_types import Relation, SkillKind, SkillType, Treatment
from reactree_planner.facts.amounts import amounts, leads_towards
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.experience import Experience
from reactree_planner.facts.fillers import Fillers, MOST_FILLERS
from reactree_planner.facts.nearness import Nearness
from reactree_planner.facts.operators import (
    AnyOf,
    arrival,
    effects_of,
    Fact,
    following,
    needs_of,
    Operator,
    rows_of,
    unshut,
    way_of,
)
from reactree_planner.facts.skills import hand_of, Skill, Sort
from reactree_planner.facts.things import HAND

_MOST_OPERATORS = 3000
#: How often one skill is planned to be done.
_MOST_REPEATS = 20
#: Things of one class that such a skill is planned with.
_MOST_OF_CLASS = 16


class Grounding:
    """The operators that matter for some facts, found backwards from them.

    :param allowed: whether a skill may be done.
    """

    def __init__(
        self, belief: Belief, experience: Experience, allowed: Callable[[str], bool]
    ) -> None:
        self._belief = belief
        self._skills = belief.skills
        self.fillers = Fillers(belief)
        self._experience = experience
        self._allowed = allowed
        self.operators: list[Operator] = []
        self._made: set[tuple[str, int, str]] = set()
        self._wanted: set[Fact] = set()
        self._nearness = Nearness(belief, self.fillers, self._wanted)
        self._open: list[Fact] = []
        self._taken: set[str] = set()
        #: Skills left out because they may not be done, or failed too often, by what they bring.
        self._left_out: dict[Fact, str] = {}

    def ground(self, goals: Iterable[Fact]) -> None:
        """Find what leads to these facts."""
        self._want(goals)
        while self._open and len(self.operators) < _MOST_OPERATORS:
            self._achieve(self._open.pop())

    def may_lie(self, thing: str, place: str) -> None:
        """Know that a thing may come to lie in a place, from where it can be taken."""
        self._add_all(self._nearness.comes_to(thing, place))

    def add(self, texts: Iterable[str]) -> None:
        """Take in skills although no fact asks for them."""
        for text in texts:
            skill = self._skills.parse(text)
            if skill is not None and not skill.has_gap:
                self._fill(skill.type, skill)
        self.ground(())

    def _want(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            if fact not in self._wanted:
                self._wanted.add(fact)
                self._open.append(fact)

    def _add(self, operator: Operator) -> None:
        self.operators.append(operator)
        for group in operator.needs:
            self._want(group)

    def _add_all(self, operators: Iterable[Operator]) -> None:
        for one in operators:
            self._add(one)

    def left_out_for(self, fact: Fact) -> str:
        """A skill that would bring a fact about, and is forbidden or given up; '' for none."""
        return self._left_out.get(fact, '')

    # Which operators bring a fact about -----------------------------------------------------

    def _achieve(self, fact: Fact) -> None:
        match fact:
            case ('at', str(place)):
                self._moves_to(place)
            case ('room', str(region)):
                self._moves_to(region)
            case ('near', str(name)):
                self._add_all(self._nearness.of(name))
            case ('within', str(thing), str(place)):
                self._add_all(self._nearness.within(thing, place))
            case ('in', str(thing), str(place)) if place == HAND:
                self._get(thing)
            case ('in', str(thing), str(place)):
                self._put(thing, place)
            case ('is', str(name), str(word), True) if self._belief.number_wanted(word):
                self._reach(name, word)
            case ('grip', _, ''):
                self._free_hand()
            case ('grip', str(thing), str(hand)):
                self._grip(thing, hand)
            case ('done', str(text), str(count)):
                self._repeat(text, int(count))
            case ('is', str(name), str(word), bool(so)):
                self._change(name, word, so)
            case ('free',):
                self._free_hand()
            case _:
                raise ValueError(f'no such fact: {fact}')

    def _moves_to(self, place: str) -> None:
        for skill in self.fillers.moves_to(place):
            self._fill(skill.type, skill)
        for (text, begin), end in self._belief.led_to.items():
            led = self._skills.parse(text)
            if end == place and led is not None and led.target != place and begin:
                self._emit(led, ((('at', begin),),), arrival(self._belief, place), -1)
        for one in self.fillers.bringing(Relation.AT):
            for skill in self.fillers.with_name(one, place, Relation.AT):
                self._fill(one, skill)

    def _get(self, thing: str) -> None:
        if thing in self._taken:
            return
        self._taken.add(thing)
        for one in self.fillers.bringing(Relation.HOLDING):
            for skill in self.fillers.with_name(one, thing, Relation.HOLDING):
                if skill.kind is SkillKind.TAKE and len(skill.names) > 1:
                    continue
                self._fill(one, skill)
        for one in self._skills.of_kind(SkillKind.TAKE):
            if sum(slot.type.is_name for slot in one.slots) == 2:
                for place in self._nearness.places_of(thing):
                    self._take_from(one, thing, place)

    def _grip(self, thing: str, hand: str) -> None:
        """Take a thing with a certain hand, or hand it over to that."""
        for one in self.fillers.bringing(Relation.HOLDING):
            if hand_of(one) == hand:
                for skill in self.fillers.with_name(one, thing, Relation.HOLDING):
                    self._fill(one, skill)

    def _take_from(self, one: SkillType, thing: str, place: str) -> None:
        if place.startswith('~'):
            known = self._belief.things.get(thing)
            text = next(
                (s for s in self._belief.offered.values() if s.type is one and s.target == thing),
                None,
            )
            place_name = text.destination if text else known.beside if known else ''
            if not place_name:
                return
            self._fill(one, text or self._skills.filled(one, (thing, place_name)), place)
        elif place != HAND:
            self._fill(one, self._skills.filled(one, (thing, place)), place)

    def _put(self, thing: str, place: str) -> None:
        if place.startswith('~'):
            return
        self.may_lie(thing, place)
        if ('in', thing, HAND) in self._wanted and thing in self._taken:
            for one in self._skills.of_kind(SkillKind.TAKE):
                if sum(slot.type.is_name for slot in one.slots) == 2:
                    self._take_from(one, thing, place)
        for one in self.fillers.bringing(Relation.IN):
            names = [index for index, slot in enumerate(one.slots) if slot.type.is_name]
            if len(one.slots) == 1 and self._skills.fits(one, 0, thing):
                self._fill(one, self._skills.filled(one, (thing,)), place)
            elif len(names) == 2 and self._takes(one, place):
                for skill in self.fillers.with_names(one, {0: thing, 1: place}):
                    self._fill(one, skill, place)

    def _takes(self, one: SkillType, place: str) -> bool:
        """Whether a place, or a region where it names regions, may stand in a skill that puts."""
        return self._skills.sort(place) is not Sort.REGION or self._skills.fits(one, 1, place)

    def _free_hand(self) -> None:
        """Lay down what is held, at the nearest, or where the robot has to go in any case.

        A robot that does not move lays things down at any place that it knows.
        """
        belief = self._belief
        spots = [name for name in belief.moves or belief.things if belief.sort(name) is Sort.PLACE]
        spots = [name for name in dict.fromkeys((belief.at, *spots)) if not belief.is_shut(name)]
        ready = sorted(filter(None, spots), key=self._readiness)
        on_the_way = [one for one in ready[MOST_FILLERS:] if self._is_wanted(one)]
        for thing in belief.held:
            for place in (*ready[:MOST_FILLERS], *on_the_way[:MOST_FILLERS]):
                self._put(thing, place)

    def _is_wanted(self, place: str) -> bool:
        return not self._wanted.isdisjoint((('at', place), ('near', place)))

    def _readiness(self, place: str) -> tuple[object, ...]:
        """Where something could be laid down comes first, then the like of it; last where not."""
        belief, kind = self._belief, self._skills.class_of(place)
        takes, not_ = (
            {self._skills.class_of(name) for name in names}
            for names in (belief.takes_things, belief.takes_nothing)
        )
        if place in belief.takes_things or kind in takes:
            return 0, place not in belief.takes_things, self.fillers.distance(place)
        return 1, kind in not_, self.fillers.distance(place)

    def _change(self, name: str, word: str, so: bool) -> None:
        for one, effect in self._skills.changers(word, so):
            fixed = {slot.text for slot in one.slots}
            if effect.subject not in fixed:
                if effect.subject == name:
                    for skill in self.fillers.with_names(one, {}):
                        self._fill(one, skill)
                continue
            index = [slot.text for slot in one.slots].index(effect.subject)
            if self._skills.fits(one, index, name):
                for skill in self.fillers.with_names(one, {index: name}):
                    self._fill(one, skill)
        if so and self._skills.sort(name) is not Sort.REGION:
            self._treat(name, word)

    def _treat(self, name: str, word: str) -> None:
        """Bring a thing where a skill does something to all that is there."""
        for one, told in self._skills.treating(word):
            slots = [slot.text for slot in one.slots]
            deciding = told.slot or told.place
            index = slots.index(deciding) if deciding in slots else -1
            if told.classes:
                doers = [other for kind in told.classes for other in self._belief.of_class(kind)]
            else:
                doers = self.fillers.of_slot(one, index) if index >= 0 else ['']
            for other in sorted(doers, key=self.fillers.distance)[:MOST_FILLERS]:
                for skill in self.fillers.with_names(one, {index: other} if other else {}):
                    self._treat_by(skill, told, name)

    def _treat_by(self, skill: Skill, told: Treatment, name: str) -> None:
        fact: Fact = ('is', name, told.state, True)
        places = self._belief.of_class(skill.by_slot().get(told.place, told.place))
        for place in sorted(places, key=self.fillers.distance)[:MOST_FILLERS]:
            if place != name:
                self._fill(skill.type, skill, needs=((('in', name, place),),), brings=(fact,))

    def _reach(self, name: str, word: str) -> None:
        """Bring a number where it is wanted; where it is not known, come to know it.

        :param word: of the state, a condition on a number or what follows from one.
        """
        wanted = self._belief.number_wanted(word)
        assert wanted is not None, 'it was asked'
        fact: Fact = ('is', name, word, True)
        thing = self._belief.things.get(name)
        now = thing.numbers.get(wanted.name) if thing is not None else None
        if now is None and thing is not None and wanted.name in thing.measured:
            self._add(following(((('near', name),),), fact))
        elif now is None and wanted.name not in self._belief.measured:
            # No number tells it.
            self._change(name, word, True)
        for one in self._skills.types:
            if one.kind is SkillKind.LOOK and now is None:
                for skill in self.fillers.about(one, one.slots[0].text if one.slots else '', name):
                    self._fill(one, skill, brings=(fact,))
            for effect in one.facts:
                told = read_comparison(effect.value) if effect.relation is Relation.IS else None
                if effect.holds and told is not None and told.implies(wanted):
                    for skill in self.fillers.about(one, effect.subject, name):
                        self._fill(one, skill, brings=(fact,))
            for change in one.changes:
                if now is not None and leads_towards(change, wanted):
                    for skill in self.fillers.about(one, change.subject, name):
                        self._fill_amount(skill, change, now, fact)

    def _fill_amount(self, skill: Skill, change: Change, now: Measure, fact: Fact) -> None:
        """Add a skill with the best number that may stand in its slot, as often as it takes."""
        one, wanted = skill.type, self._belief.number_wanted(str(fact[2]))
        assert wanted is not None, 'it was asked'
        index = next((i for i, slot in enumerate(one.slots) if slot.text == change.slot), -1)
        for amount in amounts(change, one.slots[index] if index >= 0 else None, now, wanted):
            values = list(skill.values)
            if index >= 0:
                values[index] = amount.value
            found = self._skills.filled(one, tuple(values))
            if self._allowed(found.text):
                self._fill(one, found, brings=(fact,), times=amount.times)
                return
            self._left_out[fact] = found.text

    def _repeat(self, text: str, count: int) -> None:
        """Do a skill as often as it is asked for, with any thing of a class that it names."""
        skill = self._skills.parse(text)
        if skill is None:
            return
        done = self._belief.done_as[text]
        for number in range(max(done, count - _MOST_REPEATS), count):
            before: AnyOf = (('done', text, str(number)),)
            for one in self._with_known(skill):
                self._fill(
                    one.type, one, needs=(before,), brings=(('done', text, str(number + 1)),)
                )

    def _with_known(self, skill: Skill) -> Iterator[Skill]:
        """A skill with the known things of the classes that it names; itself where none is."""
        belief, choices = self._belief, []
        for slot, value in zip(skill.type.slots, skill.values, strict=True):
            is_class = slot.type.is_name and value not in belief.things
            choices.append((is_class and belief.of_class(value)) or [value])
        for values in islice(product(*choices), _MOST_OF_CLASS):
            yield self._skills.filled(skill.type, values)

    # What an operator needs -------------------------------------------------------------------

    def _fill(
        self,
        one: SkillType,
        skill: Skill,
        place: str = '',
        needs: tuple[AnyOf, ...] = (),
        brings: tuple[Fact, ...] = (),
        times: int = 1,
    ) -> None:
        """Add a skill in all ways in which it may be done.

        :param place: where a thing is put or taken from. :param needs: beside its own.
        :param brings: the same. :param times: how often it has to be done for that.
        """
        for row, texts in rows_of(skill, self._skills.can_hold):
            told = [*needs, *needs_of(self._belief, skill, texts)]
            if one.kind is SkillKind.MOVE:
                told += way_of(self._belief, skill)
            if one.kind is SkillKind.PUT and place and skill.destination == '':
                # What is laid down lies where the robot stands.
                told += [(('at', place),), *unshut(self._belief, place)]
            if one.kind is SkillKind.TAKE and place:
                told.append((('in', skill.target, place),))
            if one.kind is SkillKind.TAKE and hand_of(one):
                told.append((('grip', skill.target, ''),))
            effects = (*brings, *effects_of(self._belief, skill, place))
            self._emit(skill, tuple(dict.fromkeys(told)), effects, row, times)
        if any(fact[0] == 'done' for fact in brings) and self._is_offered(skill):
            # What is asked for by name and is on offer here needs no more than to be here.
            here: tuple[AnyOf, ...] = ((('at', self._belief.at),),) if self._belief.at else ()
            effects = (*brings, *effects_of(self._belief, skill, place))
            self._emit(skill, here, effects, row + 1, times)

    def _is_offered(self, skill: Skill) -> bool:
        """Test for a skill on offer whose needs its server does not declare."""
        offered = self._belief.offered
        return not skill.type.needs and (
            skill.text in offered
            or any(one.has_gap and one.leaves_open(skill) for one in offered.values())
        )

    def _emit(
        self,
        skill: Skill,
        needs: tuple[AnyOf, ...],
        brings: tuple[Fact, ...],
        row: int,
        times: int = 1,
    ) -> None:
        key = skill.text, row, str((needs, brings) if times > 1 else needs)
        if key in self._made:
            return
        self._made.add(key)
        if self._belief.attempts.has_given_up(skill.text) or not self._allowed(skill.text):
            self._left_out.update(dict.fromkeys(brings, skill.text))
            return
        if self._experience.has_given_up(skill.text, row):
            return
        template = skill.type.template
        cost = self._belief.attempts.cost(template) * (
            1 + self._belief.attempts.failures(skill.text)
        )
        cost = times * cost + self._experience.extra_cost(template, row, skill.text)
        for fact in brings:
            if fact[0] == 'in' and fact[2] != HAND:
                self.may_lie(str(fact[1]), str(fact[2]))
        self._add(Operator(skill, needs, brings, cost, row))
