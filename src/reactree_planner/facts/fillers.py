"""Skills with names in their open slots: those that are known, the nearest first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from reactree_core.skill_types import Relation, SkillKind, SkillType
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.skills import Skill, Sort

#: Things and places that are tried for a slot that the goal leaves open.
MOST_FILLERS = 3


class Fillers:
    """By what is known."""

    def __init__(self, belief: Belief) -> None:
        self._belief = belief
        self._skills = belief.skills

    def known_skills(self) -> Iterator[str]:
        """Skills on offer, and those with at most one name, for all things that are known."""
        yield from self._belief.offered
        for one in self._skills.types:
            if len(one.slots) == 1 and one.slots[0].type.is_name:
                for name in self._belief.things:
                    if self._skills.fits(one, 0, name):
                        yield one.filled((name,))
            elif not one.slots:
                yield one.template

    def moves_to(self, place: str) -> Iterator[Skill]:
        """Moves that lead to a place, or may."""
        known = self._belief.moves.get(place)
        if known is not None:
            yield known
            return
        for one in self._skills.of_kind(SkillKind.MOVE):
            if len(one.slots) == 1 and one.slots[0].type.is_name and self._may_lead_to(one, place):
                yield self._skills.filled(one, (place,))

    def _may_lead_to(self, skill_type: SkillType, place: str) -> bool:
        """Whether a move that was never offered may lead to a place."""
        if not self._skills.fits(skill_type, 0, place):
            return False
        if (skill_type.slots[0].type.value == Sort.REGION.value) != (place in self._belief.rooms):
            return False
        # Where moves are told, such a place is one of those to which some were.
        kind = self._skills.class_of(place)
        told = self._belief.moves
        if place == self._belief.at and self._skills.sort(place) is Sort.PLACE:
            # No move to where the robot is was ever told; it may come back.
            return True
        return not told or any(self._skills.class_of(name) == kind for name in told)

    def about(self, one: SkillType, subject: str, name: str) -> Iterator[Skill]:
        """Skills of a type in which a name stands for what an effect is about."""
        slots = [slot.text for slot in one.slots]
        if subject not in slots:
            yield from self.with_names(one, {}) if subject == name else ()
        elif self._skills.fits(one, slots.index(subject), name):
            yield from self.with_names(one, {slots.index(subject): name})

    def bringing(self, relation: Relation) -> Iterator[SkillType]:
        """Types that declare such an effect."""
        for one in self._skills.types:
            if relation is Relation.AT and one.kind is SkillKind.MOVE:
                continue
            if any(fact.relation is relation and fact.holds for fact in one.facts):
                yield one

    def with_name(self, one: SkillType, name: str, relation: Relation) -> Iterator[Skill]:
        """Skills of a type by which a name comes to be what its effect is about."""
        for fact in one.facts:
            if fact.relation is relation and fact.holds:
                yield from self.about(one, fact.value, name)

    def with_names(self, one: SkillType, known: dict[int, str]) -> Iterator[Skill]:
        """Skills of a type with these names in its slots, and the nearest that fit in others."""
        choices = []
        for index, slot in enumerate(one.slots):
            if index in known:
                choices.append([known[index]])
            elif slot.type.is_name:
                choices.append(self.of_slot(one, index))
            else:
                choices.append([slot.text])
        for values in islice(product(*choices), MOST_FILLERS**2):
            if len(set(values)) == len(values):
                yield self._skills.filled(one, values)

    def of_slot(self, one: SkillType, index: int) -> list[str]:
        """The nearest names that fit into a slot."""
        belief = self._belief
        fit = [
            name
            for name in (*belief.held, *belief.things)
            if self._skills.fits(one, index, name) and belief.is_located(name)
        ]
        return sorted(dict.fromkeys(fit), key=self.distance)[:MOST_FILLERS]

    def distance(self, name: str) -> tuple[bool, bool, bool, bool]:
        """What is held comes first, then what is here, then in this region."""
        belief = self._belief
        here = name == belief.at or belief.at in belief.holders(name)
        return (
            name not in belief.held,
            not here,
            belief.room_of(name) != belief.room,
            belief.is_shut(name),
        )
