"""What shall be where: what is put, moved, swapped or cleared away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import (
    ALL,
    EVERYTHING,
    place_in,
    where_is,
    where_was,
)
from reactree_planner.language.domain import Domain
from reactree_planner.language.meanings import Clear, Do, Noun, Place, Swap, UNTOLD
from reactree_planner.language.names import NameKind
from reactree_planner.language.references import References
from reactree_planner.language.wishes import Item


class Placements(References):
    """Takes in where things, and robots, shall be."""

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        #: Places that shall be empty, of which it is still to be told where things go.
        self._cleared: dict[str, int] = {}

    def _move(self, clause: Do) -> None:
        place = self._place_of(clause.to)
        if place is not None:
            self._wish(Relation.AT, place)
            self._place = place

    def _put(self, items: Sequence[Item], to: Place, clause: Do | None) -> None:
        if to.beside:
            span = (clause.start, clause.end) if clause is not None else self._spans[-1]
            self._leave(*span)
            return
        if to.of_thing:
            (self._put_beside if to.now else self._put_where)(items, to)
            return
        place = self._place_of(to, tuple(items))
        stays = any(item.is_place for item in items)
        nowhere = place is None or place.noun.kind is NameKind.OTHER
        if place is None or nowhere or stays or any(i.number == place.number for i in items):
            self._leave(*self._spans[-1])
            return
        for item in items:
            self._cleared.pop(place_in(item.being), None)
            self._wish(Relation.IN, item, place.noun.text, place)
        self._place = replace(place, into=to.into)
        self._lay_down(items)

    def _put_beside(self, items: Sequence[Item], to: Place) -> None:
        """To a place where another thing is, which stays there; or where that one shall be."""
        others = self._resolved((to.thing,), None) or ()
        # "a drum next to a drum": which one stays?
        apart = not any(
            one.noun.text.startswith(other.noun.text) for one in items for other in others
        )
        is_one = len(others) == 1 and not others[0].is_place and others[0].count in (1, UNTOLD)
        if not (is_one and apart) or any(item.is_place for item in items):
            self._leave(*self._spans[-1])
            return
        (beside,) = others
        now = [
            one
            for one in self._wishes
            if one.is_of(beside) and one.ends is None and not (one.is_state or one.on_the_way)
        ]
        held = any(one.condition.relation is Relation.HOLDING for one in now)
        # "all drums next to the crate on the rack": are those meant, or shall they be there?
        is_set = bool(to.sort) and any(item.count == ALL for item in items)
        if held or beside.being or (now and to.sort) or is_set:
            self._leave(*self._spans[-1])
            return
        value = now[0].condition.value if now else where_is(beside.noun.text, to.sort)
        container = now[0].container if now else beside
        for item in items:
            self._wish(Relation.IN, item, value, container)
        self._lay_down(items)

    def _put_where(self, items: Sequence[Item], to: Place) -> None:
        """To the place of another thing, which nothing that was told has moved."""
        others = self._resolved((to.thing,), None) or ()
        # "the drum where the crate is, and the crate where the drum is"
        moved = {
            one.item.number
            for one in self._wishes
            if one.milestone < self._milestone or not one.condition.place_of
        }
        known = [one for one in others if not one.is_place and one.count in (1, ALL)]
        stays = [one for one in known if to.source or one.number not in moved]
        apart = not any(one.number == other.number for one in items for other in others)
        if len(stays) != 1 or len(others) != 1 or not apart or any(i.is_place for i in items):
            self._leave(*self._spans[-1])
            return
        for item in items:
            self._wish(Relation.IN, item, where_was(stays[0].noun.text))
        self._lay_down(items)

    def _lay_down(self, items: Sequence[Item]) -> None:
        placed = {item.number for item in items}
        self._held = [item for item in self._held if item.number not in placed]

    def _swap(self, clause: Swap) -> None:
        items = self._resolved(clause.things, None) or ()
        moved = {one.item.number for one in self._wishes}
        if len(items) != 2 or any(
            one.is_place or one.count != 1 or one.number in moved for one in items
        ):
            self._leave(clause.start, clause.end)
            return
        for one, other in (items, items[::-1]):
            self._wish(Relation.IN, one, where_was(other.noun.text))
        self._group = items

    def _clear(self, clause: Clear) -> None:
        everything = Noun(
            EVERYTHING, NameKind.THING, clause.start, clause.end, None, '', ALL, True,
            place=clause.place,
        )  # fmt: skip
        if clause.to is not None:
            items = self._resolved((everything,), None) or ()
            self._put(items, clause.to, None)
            self._group = items
            return
        place = self._place_of(clause.place)
        if place is None:
            self._leave(clause.start, clause.end)
        else:
            self._cleared[place.noun.text] = self._clause
            self._place = place
