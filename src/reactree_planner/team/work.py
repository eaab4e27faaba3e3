"""Who of a team does which parts of the work, by an auction and by hand-overs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import inf

from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import ALL, Condition
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.team.auction import sell
from reactree_planner.team.handover import first_hand_over
from reactree_planner.team.mate import Mate, Mates
from reactree_planner.team.parts import as_if_done, conditions_of, is_about_world, Part, parts_of

#: How often one thing is handed over at one place.
_MOST_HAND_OVERS = 2
#: How often one part is done; where it is undone more often, robots undo each other's work.
_MOST_DONE = 2


class Work:
    """The work on the milestone that comes next.

    :param whole: reasons about the task with the skills of all, and what is known to all.
    """

    def __init__(self, mates: Mates, whole: Reasoner) -> None:
        self._mates = mates
        self._whole = whole
        #: What nobody can do alone, and nobody knows how to do together.
        self.left: tuple[Part, ...] = ()
        #: Classes of things that have to be found first.
        self.missing: tuple[str, ...] = ()
        #: What robots look for that have nothing better to do.
        self.sought: tuple[str, ...] = ()
        #: Whose work a milestone is that cannot be shared; '' for one that can.
        self.alone = ''
        self._sold_for: tuple[object, ...] = ()
        self._handed: Counter[tuple[object, ...]] = Counter()
        self._done: Counter[Part] = Counter()
        self._known = 0

    def begin_milestone(self) -> None:
        """Begin with what comes next."""
        self._sold_for, self.alone = (), ''
        self.left = self.missing = self.sought = ()
        self._done.clear()

    def deal_anew(self, who: str) -> None:
        """A robot is gone, or there again: others may do what it did."""
        self._sold_for = ()
        if self.alone == who:
            self.alone = ''

    def know_more(self) -> None:
        """What could not be done may be possible where more is known now."""
        belief = self._whole.belief
        known = len(belief.things) + len(belief.looked) + len(belief.visited)
        if self._known != known:
            self._known = known
            for mate in self._mates.values():
                mate.refuses.clear()

    def share(self) -> list[Mate]:
        """Give the work to the robots. :return: those that have taken on something new."""
        before = {mate.who: mate.parts for mate in self._mates.working}
        self._share()
        return [mate for mate in self._mates.working if set(mate.parts) - set(before[mate.who])]

    def _share(self) -> None:
        for mate in self._mates.working:
            over = [part for part in mate.parts if self.is_over(part)]
            self._done.update(over)
            mate.parts = tuple(part for part in mate.parts if part not in over)
        taken = [part for mate in self._mates.working for part in mate.parts]
        with as_if_done(self._whole.belief, taken):
            bound = self._whole.bound([part.thing for part in taken])
            open_ = [group for group in bound.goal if not bound.problem.has(group)]
            later = [group for group in bound.later if not bound.problem.has(group)]
        self.missing = tuple(bound.missing)
        # What shall hold of all is known once all was looked at.
        self.sought = self.missing or self._names_of_unmet(lambda one: one.count == ALL)
        is_shared = all(map(is_about_world, (*open_, *later))) and not self._is_of_one_robot()
        if not is_shared or any(number > _MOST_DONE for number in self._done.values()):
            self._leave_to_one()
            return
        busy_with = {part.thing for part in taken}
        parts = [part for part in parts_of(open_) if part.thing not in busy_with]
        if not parts and not taken and not self.missing:
            # What stays where it is comes last: a machine is switched on with all in it.
            parts = parts_of(later)
            if not parts:
                self.sought = self._names_of_unmet()
        self._sell(parts)

    def _names_of_unmet(
        self, wanted: Callable[[Condition], bool] = lambda one: True
    ) -> tuple[str, ...]:
        unmet = [
            one
            for one in self._whole.goal.standing
            if wanted(one) and not self._whole.goal.holds(one)
        ]
        return tuple(dict.fromkeys(name for one in unmet for name in one.names))

    def _is_of_one_robot(self) -> bool:
        """Whether the milestone says where a robot is, what it holds or how often it does what."""
        personal = (Relation.AT, Relation.HOLDING, Relation.DONE)
        return any(one.relation in personal for one in self._whole.goal.standing)

    def _leave_to_one(self) -> None:
        if self.alone:
            return
        standing = self._whole.goal.standing
        costs = [(mate.cost_of(standing), place) for place, mate in enumerate(self._mates.working)]
        if costs:
            self.alone = self._mates.working[min(costs)[1]].who
            for mate in self._mates.working:
                mate.parts = ()

    def is_over(self, part: Part) -> bool:
        """Whether a part is done, or its thing is gone."""
        if part.thing in self._whole.belief.vanished:
            return True
        return all(self._whole.goal.holds(one) is True for one in part.conditions)

    def _sell(self, new: Sequence[Part]) -> None:
        working = self._mates.working
        names = [mate.who for mate in working]
        idle = any(not mate.parts for mate in working)
        key = (
            tuple(new),
            tuple((mate.who, mate.parts, mate.held) for mate in working),
            tuple(tuple(mate.refuses) for mate in working),
            self._known,
        )
        if key == self._sold_for or not (new or idle):
            return
        self._sold_for = key
        kept = {mate.who: tuple(self._begun(mate)) for mate in working}
        again = [part for mate in working for part in mate.parts if part not in kept[mate.who]]
        sale = sell([*new, *again], names, self._bid, kept)
        for mate in working:
            mate.parts = sale.work[mate.who]
        self.left = sale.unsold
        for part in sale.unsold:
            is_shared = any(one.thing == part.thing for mate in working for one in mate.parts)
            if not is_shared and (self._pass_on(part) or self._sell_in_facts(part)):
                self.left = tuple(one for one in self.left if one != part)

    def _begun(self, mate: Mate) -> Iterator[Part]:
        """Parts that a robot is at: what it holds or passes on, and what it set out for."""
        planned = mate.aim.planned if mate.aim is not None else ()
        ordered = sorted(
            (part for part in mate.parts if part.thing in planned),
            key=lambda part: planned.index(part.thing),
        )
        for part in mate.parts:
            if part.thing in mate.held or part.for_ or part in ordered[:1]:
                yield part

    def _bid(self, who: str, parts: tuple[Part, ...]) -> float:
        mate = self._mates[who]
        for part in parts:
            if part in mate.refuses or self._mates.holder(part.thing) not in ('', who):
                return inf
        return mate.cost_of(conditions_of(parts))

    def _sell_in_facts(self, part: Part) -> bool:
        """Have a robot do some of a part: one lays down what another one has the tool for."""
        had = {mate.who: mate.parts for mate in self._mates.working}
        for fact in part.facts if len(part.facts) > 1 else ():
            sale = sell([Part(part.thing, (fact,))], list(had), self._bid, had)
            if not sale.unsold:
                for mate in self._mates.working:
                    mate.parts = sale.work[mate.who]
                return True
        return False

    def _pass_on(self, part: Part) -> bool:
        """Have a robot do what another one needs for a part that none can do alone."""
        robots = {mate.who: mate.reasoner for mate in self._mates.working}
        lost = [mate.who for mate in self._mates.lost]
        if len(robots) < 2 or self._mates.holder(part.thing) in lost:
            return False
        found = first_hand_over(part, robots, self._whole.belief)
        if found is None or found.part in self._mates[found.who].refuses:
            return False
        if self._handed[found.part.facts] >= _MOST_HAND_OVERS:
            return False
        self._handed[found.part.facts] += 1
        mate = self._mates[found.who]
        mate.parts = (*mate.parts, found.part)
        return True
