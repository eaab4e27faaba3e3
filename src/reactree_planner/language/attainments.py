"""What things shall come to be once, and what is done so many times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reactree_core.measures import Comparison
from reactree_core.skill_types import Effect, plain_name, Relation, SkillType
from reactree_planner.facts.conditions import ALL, Condition
from reactree_planner.language.meanings import Attain, Noun, Perform
from reactree_planner.language.names import NameKind
from reactree_planner.language.placements import Placements
from reactree_planner.language.wishes import Item, Wish


class Attainments(Placements):
    """Takes in what is wanted for a moment: it need not stay so."""

    def _attain(self, clause: Attain) -> None:
        """What things shall come to be once."""
        items = self._resolved(clause.things, clause)
        for item in items or ():
            state = self._attained(clause, item)
            if state is None:
                continue
            self._wish(Relation.IS, item, state)
            wish = self._wishes[-1]
            wish.fades = True
            if clause.being:
                wish.condition = replace(
                    wish.condition, count=ALL, being=clause.being, where=clause.where
                )
        self._group = items or self._group

    def _attained(self, clause: Attain, item: Item) -> str | None:
        """The state that a thing comes to be in; None where no one number can be meant."""
        if not isinstance(clause.state, Comparison):
            return clause.state
        names, name = self._domain.names, clause.name
        own = item.noun.name in names.own_numbers
        if name is None:
            others = [one for one in names.numbers if one not in names.own_numbers]
            name = '' if own else others[0] if len(others) == 1 else None
        if name is None or own == bool(name):
            self._leave(clause.start, clause.end)
            return None
        return replace(clause.state, name=name).text

    def _perform(self, clause: Perform) -> None:
        """A skill that is to be done, so many times more than it was before."""
        values = []
        for value in clause.values:
            if isinstance(value, Noun):
                items = self._resolved((value,), clause) or ()
                one = items[0].noun if len(items) == 1 else None
                stays = one is not None and one.kind is not NameKind.THING
                if one is None or not (one.instance is not None or one.label or stays):
                    self._leave(clause.start, clause.end)
                    return
                self._group = items
                values.append(one.text)
            else:
                values.append(value)
        text = SkillType(clause.template).filled(values)
        before = [one for one in self._wishes if one.condition.subject == text]
        count = clause.times + max((one.condition.count for one in before), default=0)
        for wish in before:
            # So often in all.
            wish.ends = self._milestone
        for effect in self._effects(clause.template, values):
            for wish in self._wishes:
                if wish.ends is None and self._takes_back(effect, wish.condition):
                    wish.ends = self._milestone
        noun = Noun(text, NameKind.OTHER, clause.start, clause.end)
        self._count += 1
        self._wishes.append(
            Wish(
                Condition(Relation.DONE, text, '', count),
                Item(noun, self._count),
                self._milestone,
                self._clause,
            )
        )

    def _effects(self, template: str, values: Sequence[str]) -> Iterator[Effect]:
        """Effects of a skill with names in its slots."""
        for one in self._domain.names.skill_types:
            if one.template == template:
                slots = (slot.text for slot in one.slots)
                named = dict(zip(slots, map(plain_name, values), strict=True))
                for fact in one.facts:
                    subject, value = (named.get(side, side) for side in (fact.subject, fact.value))
                    yield replace(fact, subject=subject, value=value)

    def _takes_back(self, effect: Effect, condition: Condition) -> bool:
        """Whether a condition no longer holds once an effect does."""
        relation, subject, value = condition.relation, condition.subject, condition.value
        if relation is Relation.HOLDING:
            subject, value = '', subject
        if effect.relation is not relation or effect.subject != subject:
            return False
        if not effect.holds:
            return effect.value == value
        if relation is Relation.IS:
            return self._domain.excludes(effect.value, value)
        return relation in (Relation.AT, Relation.IN) and effect.value != value
