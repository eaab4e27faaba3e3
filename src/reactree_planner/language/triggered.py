"""When something is wanted: what the words of a trigger refer to, as conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import Condition, where_is
from reactree_planner.language.discourse import Discourse
from reactree_planner.language.domain import Domain
from reactree_planner.language.goal import Trigger
from reactree_planner.language.meanings import Attain, Clause, Do, Noun, Shall
from reactree_planner.language.triggers import ToldTrigger
from reactree_planner.language.verbs import Act
from reactree_planner.language.wishes import Item


class TriggeredDiscourse(Discourse):
    """Takes clauses in that may be wanted later than now."""

    #: When they are; None: now.
    trigger: Trigger | None = None

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        self._is_told = False
        self._only_named: set[int] = set()

    def take_trigger(self, told: ToldTrigger, is_alone: bool) -> None:
        """When the clauses are wanted.

        :param is_alone: whether all clauses are; else it cannot be told which, and it is not read.
        """
        before = len(self._unread)
        conditions = tuple(one for clause in told.clauses for one in self._conditions(clause))
        if not is_alone or len(self._unread) > before or len(conditions) < len(told.clauses):
            self._leave(told.start, told.end)
            return
        self.trigger = Trigger(told.when, conditions, told.seconds, told.times, told.lasts)

    def _conditions(self, clause: Clause) -> Iterator[Condition]:
        """What holds when a clause is true; what follows may speak of its things."""
        if not isinstance(clause, Attain | Shall):
            return
        items = self._resolved(clause.things, None)
        if items is None:
            return
        if any(isinstance(one, Noun) and one.place is not None for one in clause.things):
            # "if a drum on the rack is next to the crate": of which one it is true, nobody asks.
            self._leave(clause.start, clause.end)
        self._group = items
        self._note_spoken(items)
        for item in items:
            subject, count = item.noun.text, abs(item.count)
            if isinstance(clause, Attain):
                state = self._attained(clause, item)
                if state is not None:
                    yield Condition(Relation.IS, subject, state, count)
                continue
            for state in clause.states:
                yield Condition(Relation.IS, subject, state, count)
            if clause.to is not None and clause.to.of_thing:
                beside = self._resolved((clause.to.thing,), None) or ()
                self._note_spoken(beside)
                if len(beside) == 1 and not beside[0].is_place and not clause.to.source:
                    there = where_is(beside[0].noun.text, clause.to.sort)
                    yield Condition(Relation.IN, subject, there, count)
                else:
                    self._leave(clause.start, clause.end)
                continue
            place = self._place_of(clause.to, items) if clause.to is not None else None
            if clause.to is not None and (place is None or clause.to.beside):
                self._leave(clause.start, clause.end)
            elif place is not None:
                yield Condition(Relation.IN, subject, place.noun.text, count)
        self._things = tuple(one for one in items if not one.is_place) or self._things

    def _note_spoken(self, items: Sequence[Item]) -> None:
        """Know of which things only their names are known once it has happened: all but the first.

        "whenever a drum is next to a crate, put the crate away": that one, and no other crate.
        """
        if self._is_told:
            self._only_named |= {one.number for one in items if not one.noun.definite}
        self._is_told = True

    def _wish(
        self, relation: Relation, item: Item, value: str = '', container: Item | None = None
    ) -> None:
        if item.number in self._only_named and item.noun.instance is None:
            self._leave(*self._spans[-1])
        super()._wish(relation, item, value, container)

    def _do(self, clause: Do) -> None:
        """ "every ten minutes check the gate": where that is, one sees how it is."""
        if self.trigger is not None and clause.verb.act is Act.EXAMINE and clause.source is None:
            items = self._resolved(clause.things, clause) or ()
            # "check two locks", "the lock in the shed": of several, where it is cannot be told.
            nouns = all(
                isinstance(one, Noun) and abs(one.count) == 1 and one.place is None
                for one in clause.things
            )
            if items and nouns and all(one.is_place for one in items):
                for number, item in enumerate(items):
                    if number:
                        self.begin_step()
                    self._wish(Relation.AT, item)
                self._group = items
                return
        super()._do(clause)
