"""What clauses ask for: conditions in milestones, and which of them a later one supersedes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import ALL, Condition, is_place_now
from reactree_planner.language.domain import Domain
from reactree_planner.language.meanings import (
    Noun,
)
from reactree_planner.language.names import NameKind


@dataclass(frozen=True, slots=True)
class Item:
    """Things that were spoken of. :param number: tells items of one name apart.

    :param into: whether something was put in it, not on it. :param being: of all of a sort, where
        those were that are meant, as a `Condition` has it. :param but: which are not meant.
    :param more: whether it is one more of a sort that was named: "the other one".
    """

    noun: Noun
    number: int
    count: int = 1
    into: bool = False
    being: str = ''
    but: tuple[str, ...] = ()
    more: bool = False

    def may_include(self, other: Item) -> bool:
        """Whether it is a set to which another thing may belong."""
        if self.count != ALL or other.is_place or self.number == other.number:
            return False
        if other.noun.text in self.but or other.noun.name in self.but:
            return False
        return self.noun.is_everything or self.noun.name == other.noun.name

    @property
    def is_place(self) -> bool:
        """Whether it stays where it is."""
        return self.noun.kind in (NameKind.PLACE, NameKind.REGION)


@dataclass
class Wish:
    """A condition of one clause. :param milestone: index of the milestone.

    :param ends: milestone from which on it no longer has to hold; None: it holds at the end.
    :param on_the_way: whether a later clause about the thing makes it needless.
    :param fades: whether it ends as the next step begins: what is charged is used up.
    """

    condition: Condition
    item: Item
    milestone: int
    clause: int
    container: Item | None = None
    ends: int | None = None
    on_the_way: bool = False
    fades: bool = False

    def is_of(self, item: Item | None) -> bool:
        """Whether something shall hold of this item."""
        return item is not None and self.item.number == item.number

    def is_in(self, item: Item) -> bool:
        """Whether its item shall be in, or on, this one."""
        return self.container is not None and self.container.number == item.number

    @property
    def is_state(self) -> bool:
        """Whether a state shall hold."""
        return self.condition.relation is Relation.IS


class Wishes:
    """Keeps what was asked for so far."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._wishes: list[Wish] = []
        self._milestone = 0
        self._clause = -1
        self._unread: set[int] = set()
        self._spans: list[tuple[int, int]] = []
        #: Things that were taken, and put nowhere since.
        self._held: list[Item] = []
        self._opened: Item | None = None

    def _leave(self, start: int, end: int) -> None:
        self._unread.update(range(start, end))

    def begin_step(self) -> None:
        """What follows comes after what was told so far."""
        if any(one.milestone == self._milestone for one in self._wishes):
            self._milestone += 1
            for one in self._wishes:
                if one.fades and one.ends is None:
                    one.ends = self._milestone

    def _hold(self, item: Item) -> None:
        if item.is_place:
            self._leave(*self._spans[-1])
            return
        self._wish(Relation.HOLDING, item)
        self._held = [one for one in self._held if one.number != item.number] + [item]

    def _state(self, item: Item, state: str) -> None:
        noun = item.noun
        if noun.is_everything:
            # "close everything": what can be closed is no thing that is carried.
            self._leave(*self._spans[-1])
            return
        if state in self._domain.makers and not self._domain.may_be(noun.kind, noun.name, state):
            self._leave(*self._spans[-1])
            return
        same = (one for one in self._states_of(item) if one.condition.value == state)
        if any(same):
            # "open the locker, put the box in, and open it": surely the box.
            self._leave(*self._spans[-1])
        self._wish(Relation.IS, item, state)
        if state in self._domain.openings:
            self._opened = item

    def _states_of(self, item: Item | None) -> list[Wish]:
        """States that shall hold of an item, so far."""
        return [one for one in self._wishes if one.is_state and one.is_of(item) and not one.ends]

    def _wish(
        self, relation: Relation, item: Item, value: str = '', container: Item | None = None
    ) -> None:
        """A condition more; those that it supersedes end."""
        condition = Condition(
            relation, item.noun.text, value, abs(item.count), being=item.being, but=item.but
        )
        if relation is Relation.AT:
            condition = Condition(relation, '', item.noun.text)
        ended = [one for one in self._wishes if self._supersedes(condition, item, one)]
        held = [one for one in ended if one.condition.relation is Relation.HOLDING]
        for one in held:
            # It is taken only to be put somewhere, or to be changed.
            one.on_the_way = True
        passed = [one for one in ended if one not in held]
        # What had to hold of the place that a thing leaves, while it was there.
        passed += [state for one in passed for state in self._states_of(one.container)]
        if relation in (Relation.IN, Relation.HOLDING):
            self._part_from(item)
        now = [one for one in self._wishes if one.milestone == self._milestone]
        follows = relation is Relation.IS and any(
            (one.is_in(item) and value in self._domain.switchings)
            or (
                (one.is_of(item) and one.is_state and one.condition.value != value)
                and one.clause != self._clause
            )
            for one in now
        )
        if follows or any(one in now for one in passed):
            self.begin_step()
        for one in passed:
            one.ends = self._milestone
        self._wishes.append(Wish(condition, item, self._milestone, self._clause, container))

    def _part_from(self, item: Item) -> None:
        """A thing is moved that others shall be beside: later they need not, else nobody knows."""
        for one in self._wishes:
            if one.ends is None and one.is_in(item) and is_place_now(one.condition.value):
                if one.milestone < self._milestone:
                    one.ends = self._milestone
                else:
                    self._leave(*self._spans[-1])

    def _supersedes(self, condition: Condition, item: Item, wish: Wish) -> bool:
        if wish.ends is not None or wish.on_the_way:
            return False
        old = wish.condition
        if old.relation is Relation.AT:
            return True
        if not wish.is_of(item):
            return False
        moves = (Relation.IN, Relation.HOLDING)
        if old.relation is Relation.HOLDING:
            return True
        if old.relation is Relation.IN:
            return condition.relation in moves and old != condition
        return condition.relation is Relation.IS and self._domain.excludes(
            condition.value, old.value
        )


def added(wishes: Sequence[Wish]) -> tuple[Condition, ...]:
    """Conditions of wishes; of equal ones on "another" thing, the numbers together."""
    found: dict[tuple[str, ...], list[Wish]] = {}
    for one in wishes:
        condition = one.condition
        where = condition.where or _where(one, wishes)
        key = (
            condition.relation.value, condition.subject, condition.value, where, condition.being,
            *condition.but,
        )  # fmt: skip
        found.setdefault(key, []).append(one)
    told = []
    for same in found.values():
        number = same[0].condition.count
        for one in same[1:]:
            more = one.condition.count
            is_other = one.item.noun.other or one.item.more
            number = (number + more if is_other else max(number, more)) if number and more else ALL
        where = same[0].condition.where or _where(same[0], wishes)
        told.append(replace(same[0].condition, count=number, where=where))
    return tuple(told)


def _where(wish: Wish, wishes: Sequence[Wish]) -> str:
    """The place that tells the things of a state from others of their name that are put elsewhere:
    "a crate on the rack and a sealed crate on the dock"; '' where nothing has to.
    """
    if not wish.is_state:
        return ''
    own, others = '', set()
    for one in wishes:
        condition = one.condition
        if condition.relation is Relation.IN and condition.subject == wish.condition.subject:
            if one.is_of(wish.item):
                own = condition.value
            else:
                others.add(condition.value)
    return own if others - {own} else ''
