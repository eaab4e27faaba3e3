"""How far one goal is met: its milestones in their order, and the things that met them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from reactree_core.belief import Status, Verdict, why
from reactree_core.record.outcome import Ending, WHY
from reactree_core.skill_types import Relation
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import (
    ALL,
    Condition,
    is_place_now,
    Milestone,
    Milestones,
    place_of,
)
from reactree_planner.facts.explore import Exploration
from reactree_planner.facts.goals import (
    candidates,
    holds,
    meets,
    places_meant,
    settle,
    verdict_of,
    wishes,
)
from reactree_planner.facts.known import is_known, of_which
from reactree_planner.facts.operators import brings_about
from reactree_planner.facts.skills import Skill


class Pursuit:
    """Of one goal, by what is known.

    :param given: where these conditions do not hold, nothing is to be done.
    :param met: how many milestones were met already.
    :param meant: things with which classes of earlier milestones were met.
    """

    def __init__(
        self,
        belief: Belief,
        exploration: Exploration,
        milestones: Milestones,
        given: Milestone = (),
        met: int = 0,
        meant: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._belief = belief
        self._exploration = exploration
        self.milestones = milestones
        #: What is still to be decided; and what turned out not to hold, so that nothing is done.
        self.given, self.not_so = given, ''
        self.met = met
        self.meant = dict(meant or {})
        #: States of earlier milestones that a skill for a later one has ended.
        self._superseded: set[Condition] = set()

    @property
    def standing(self) -> Milestone:
        """Conditions of the milestone that comes next: all that holds once it is met."""
        return self._of(self.met)

    @property
    def final(self) -> Milestone:
        """Conditions that hold at the end."""
        return self._of(len(self.milestones) - 1)

    def _of(self, number: int) -> Milestone:
        if not 0 <= number < len(self.milestones):
            return ()
        return tuple(one for one in self.milestones[number] if one not in self._superseded)

    def states_kept(self) -> Milestone:
        """States of the milestone before that hold, and that the next one still asks for."""
        if not 0 < self.met < len(self.milestones):
            return ()
        before = self.milestones[self.met - 1]
        return tuple(
            one
            for one in self.standing
            if one.relation is Relation.IS and one in before and self.holds(one, before)
        )

    def supersede(self, kept: Milestone, skill: Skill) -> None:
        """Ask no more for a state that ended as a skill brought a later one of its thing about.

        A milestone that was met in its order is an event: opened, then closed.

        :param kept: states that held before the skill. :param skill: that has succeeded.
        """
        brought = {
            (one.subject, one.value)
            for one in skill.effects()
            if one.relation is Relation.IS and one.holds
        }
        later = {
            one.subject
            for one in self.standing
            if one.relation is Relation.IS and one not in kept
            for subject, value in brought
            if brings_about(value, one.value)
            and self._belief.skills.is_named(subject, one.subject)
        }
        self._superseded.update(
            one for one in kept if one.subject in later and self.holds(one, kept) is False
        )

    def unmet(self) -> Milestone:
        """Those of them that do not hold, as far as anybody can tell."""
        conditions = self.standing
        return tuple(one for one in conditions if self.holds(one, conditions) is not True)

    def holds(self, condition: Condition, together: Milestone = ()) -> bool | None:
        """Whether a condition holds now; None where nobody could tell."""
        return holds(self._belief, condition, together, *self._about(condition))

    def _about(self, condition: Condition) -> tuple[bool, tuple[str, ...]]:
        """Whether more such things may be unseen, and which are meant."""
        unseen = condition.count == ALL and self._is_unseen(condition)
        return unseen, self.meant.get(condition.subject, ())

    def verdict(self, condition: Condition, together: Milestone, now: float) -> Verdict:
        """Test a condition, with its status and evidence. :param now: s."""
        found = verdict_of(self._belief, condition, together, *self._about(condition), now)
        if not found.holds or not condition.is_of_sight:
            return found
        parts = [verdict_of(self._belief, one, now=now) for one in self.things_meant(condition)]
        worst = [one for one in parts if one.status is not Status.VERIFIED]
        if not worst:
            return replace(found, status=Status.VERIFIED)
        return replace(
            found, status=Status.ASSUMED, evidence=worst[0].evidence, doubt=worst[0].doubt
        )

    def ending(self, now: float) -> Ending:
        """State of the goal at the end; a milestone that was not met yet is missing whole.

        :param now: s, in the clock of observations.
        """
        if self.not_so:
            return Ending(verified=(f'not so: {self.not_so}',))
        if not self.milestones:
            return Ending()
        found: dict[Status, list[str]] = {status: [] for status in Status}
        for milestone in self.milestones[self.met : -1]:
            found[Status.NOT_MET].append('; '.join(one.text for one in milestone))
        last = self.final
        for condition in last:
            verdict = self.verdict(condition, last, now)
            reason = why(verdict, now) if verdict.status is not Status.NOT_MET else ''
            found[verdict.status].append(f'{condition.text}{WHY if reason else ""}{reason}')
        return Ending(
            verified=tuple(found[Status.VERIFIED]),
            missing=tuple(found[Status.NOT_MET]),
            unknown=tuple(found[Status.NOT_KNOWN]),
            assumed=tuple(found[Status.ASSUMED]),
        )

    def _is_unseen(self, condition: Condition) -> bool:
        """Whether some place was not looked at where a thing may be that a condition is about."""
        place = condition.being_in
        if place and place not in self._belief.rooms:
            spots = places_meant(self._belief, place)
            if spots and self._belief.looked.issuperset(spots):
                return False
        return self._exploration.is_left()

    def things_meant(self, condition: Condition) -> tuple[Condition, ...]:
        """A condition that depends on what is seen, as one of each thing that it is about."""
        if not condition.is_of_sight:
            return (condition,)
        belief = self._belief
        wish = settle(belief, wishes((condition,)))[0]
        names = candidates(belief, wish)
        is_beside = is_place_now(wish.place)
        if condition.count != ALL:
            is_told = is_beside or condition.being_in
            met = [name for name in names if meets(belief, name, wish)]
            names = met if is_told else [condition.subject]
        plain = replace(condition, count=max(1, condition.count), being='', but=())
        value = wish.place if condition.relation is Relation.IN else condition.value
        found = [replace(plain, subject=name, value=value) for name in names]
        if is_beside:
            # What they are beside has to be there too.
            found = [replace(one, value=belief.holder(one.subject)) for one in found]
            found += [
                replace(plain, subject=name, value=place)
                for place in dict.fromkeys(one.value for one in found)
                for name in belief.of_class(place_of(wish.place))
                if belief.whereabouts(name) == place
            ][:1]
        return tuple(found)

    def reopen(self) -> None:
        """Take the last milestone for open again where it was met and is known to be lost."""
        if self.not_so or not self.milestones or self.met < len(self.milestones):
            return
        last = self.final
        if any(self.holds(one, last) is False for one in last):
            self.met = len(self.milestones) - 1

    def pass_next(self) -> None:
        """Take the milestone that comes next for met, by the things that meet it now."""
        meant: dict[str, tuple[str, ...]] = defaultdict(tuple)
        for wish in settle(self._belief, wishes(self.standing)):
            names = candidates(self._belief, wish)
            # A flask here and a flask there: both are meant.
            meant[wish.subject] += tuple(name for name in names if meets(self._belief, name, wish))
        self.meant.update(meant)
        self.met += 1

    def undecided(self) -> Condition | None:
        """What must be known before anything is done; None once it is known."""
        known = {one: is_known(self._belief, one) for one in self.given}
        if False in known.values():
            self.not_so = next(one.text for one, so in known.items() if so is False)
            self.given, self.met = (), len(self.milestones)
        elif all(known.values()):
            for one in self.given:
                self._bind(one)
            self.given = ()
        else:
            return next(one for one, so in known.items() if so is None)
        return None

    @property
    def is_of_given(self) -> bool:
        """Whether it is about things of which is not known yet whether they are as is asked."""
        asked = {one.subject for one in self.given if one.count == 1}
        return any(one.subject in asked for each in self.milestones for one in each)

    def _bind(self, given: Condition) -> None:
        """Have what is wanted of a thing be wanted of one that is as was asked: "put it away"."""
        names = of_which(self._belief, given)
        if names:
            self.milestones = of_thing(self.milestones, given.subject, names[0])


def of_thing(milestones: Milestones, subject: str, name: str) -> Milestones:
    """Milestones in which what is wanted of one thing of a class is wanted of a certain one."""

    def of_it(one: Condition) -> Condition:
        is_it = one.subject == subject and one.count == 1 and one.relation is not Relation.DONE
        return replace(one, subject=name) if is_it else one

    return tuple(tuple(map(of_it, each)) for each in milestones)
