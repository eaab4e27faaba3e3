"""A team at work on one goal: what each robot knows, which parts it has, and what it does next.

Facts about the world are known to all: what one robot sees or does, every other one hears. Where a
robot is, what it holds and what it can do is its own. Everything follows from the observations in
their order, so a run that is resumed decides the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf

from reactree_core.measures import measures_of, SEATS
from reactree_core.observation import Observation
from reactree_core.ports import Listed
from reactree_core.skill_types import Relation, SkillKind
from reactree_planner.facts.conditions import ALL, Condition, Milestone
from reactree_planner.facts.reasoner import Reasoner, Step, Why
from reactree_planner.team.auction import sell
from reactree_planner.team.handover import first_hand_over
from reactree_planner.team.mate import Does, Mate, Turn
from reactree_planner.team.parts import as_if_done, conditions_of, is_about_world, Part, parts_of
from reactree_planner.team.reservations import Reservations, Wait

#: How often one thing is handed over at one place.
_MOST_HAND_OVERS = 2
#: How often a robot is asked anew within one decision.
_MOST_TURNS = 6


class Team:
    """The robots of one run.

    :param listed: they, in the order that settles ties. :param whole: reasons about the task with
        the skills of all, and what is known to all; it judges when a milestone is met.
    :param mates: a reasoner for each. :param seats: as of `Reservations`.
    """

    def __init__(
        self,
        listed: Sequence[Listed],
        whole: Reasoner,
        reasoners: Sequence[Reasoner],
        reservations: Reservations | None = None,
    ) -> None:
        self.whole = whole
        self.mates = {
            one.who: Mate(one.who, reasoner, one.observation)
            for one, reasoner in zip(listed, reasoners, strict=True)
        }
        for reasoner in reasoners:
            # Who can close nothing knows all the same what is shut.
            reasoner.belief.shut_words |= whole.belief.shut_words
            reasoner.belief.open_words |= whole.belief.open_words
            reasoner.belief.skills.know_states_of(whole.belief.skills)
        self.reservations = reservations or Reservations(tuple(self.mates))
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
        self._known = 0

    # What is known -----------------------------------------------------------------------------

    @property
    def working(self) -> list[Mate]:
        """Robots that are there, in their order."""
        return [mate for mate in self.mates.values() if not mate.is_lost]

    def holder(self, thing: str) -> str:
        """Which robot holds a thing; '' for none."""
        return next((mate.who for mate in self.mates.values() if thing in mate.held), '')

    def of_all(self, observation: Observation) -> Observation:
        """An observation as the team sees it: held is what any of its robots holds."""
        held = dict.fromkeys(observation.held)
        for mate in self.mates.values():
            if mate.who != observation.who and not mate.is_lost:
                held.update(dict.fromkeys(mate.held))
        return replace(observation, held=tuple(held))

    def observe(self, observation: Observation) -> None:
        """Learn what one robot tells; the reasoner for the whole is told by the run."""
        mate = self.mates[observation.who]
        mate.last, mate.is_outdated = observation, False
        mate.reasoner.see(observation)
        if not mate.is_busy:
            self.reservations.stand(mate.who, self.station(observation.place))
        belief = self.whole.belief
        # What a robot brings back that was lost is known to be somewhere again.
        for known in (belief, *(one.reasoner.belief for one in self.mates.values())):
            known.vanished.difference_update(observation.held)
        for fact in observation.facts:
            if SEATS in (told := measures_of(fact.state)):
                self.reservations.seats[fact.name] = int(told[SEATS].number)
        belief.capacity = sum(one.reasoner.belief.most_held for one in self.mates.values())
        skill = mate.reasoner.belief.skills.parse(observation.skill) if observation.skill else None
        changes = skill is not None and observation.succeeded and skill.kind is not SkillKind.MOVE
        for other in self.mates.values():
            if other is mate:
                continue
            other.reasoner.hear(observation, mate.reasoner.belief.skills)
            if changes and other.last.room == observation.room:
                other.is_outdated = True
        if self._known != self._extent():
            # What could not be done may be possible now.
            self._known = self._extent()
            for one in self.mates.values():
                one.refuses.clear()

    def _extent(self) -> int:
        belief = self.whole.belief
        return len(belief.things) + len(belief.looked) + len(belief.visited)

    def station(self, name: str) -> str:
        """Where a robot stands that is at a thing: what has seats, and the thing is in or on."""
        around = (name, *self.whole.belief.holders(name))
        return next((one for one in around if one in self.reservations.seats), name)

    def lose(self, who: str) -> tuple[Part, ...]:
        """Go on without a robot. :return: the parts that it had, for others."""
        mate = self.mates[who]
        mate.is_lost, mate.is_busy = True, False
        parts, mate.parts = mate.parts, ()
        # Others may find things like those that it holds.
        for belief in (self.whole.belief, *(one.reasoner.belief for one in self.working)):
            for name in mate.held:
                belief.lose(name)
        self.reservations.drop(who)
        self._sold_for = ()
        if self.alone == who:
            self.alone = ''
        return parts

    def take_back(self, who: str) -> None:
        """Go on with a robot that was lost; what it sees and holds is told by its next look."""
        mate = self.mates[who]
        mate.is_lost = False
        mate.looks_at, mate.aim, mate.aims_at = '', None, ()
        mate.refuses.clear()
        self._sold_for = ()

    def begin_milestone(self) -> None:
        """Begin with what comes next."""
        self._sold_for, self.alone = (), ''
        self.left = self.missing = self.sought = ()
        for mate in self.mates.values():
            mate.parts, mate.looks_at = (), ''
            mate.aim, mate.aims_at = None, ()
            mate.refuses.clear()

    # Who does what -----------------------------------------------------------------------------

    def share(self) -> list[Mate]:
        """Give the work to the robots. :return: those that have taken on something new."""
        before = {mate.who: mate.parts for mate in self.working}
        self._share()
        return [mate for mate in self.working if set(mate.parts) - set(before[mate.who])]

    def _share(self) -> None:
        for mate in self.working:
            mate.parts = tuple(part for part in mate.parts if not self._is_over(part))
        taken = [part for mate in self.working for part in mate.parts]
        with as_if_done(self.whole.belief, taken):
            bound = self.whole.bound()
            open_ = [group for group in bound.goal if not bound.problem.has(group)]
            later = [group for group in bound.later if not bound.problem.has(group)]
        self.missing = tuple(bound.missing)
        # What shall hold of all is known once all was looked at.
        self.sought = self.missing or self._names_of_unmet(lambda one: one.count == ALL)
        if not all(map(is_about_world, (*open_, *later))) or self._is_of_one_robot():
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
            for one in self.whole.goal.standing
            if wanted(one) and not self.whole.goal.holds(one)
        ]
        return tuple(dict.fromkeys(name for one in unmet for name in one.names))

    def _is_of_one_robot(self) -> bool:
        """Whether the milestone says where a robot is, what it holds or how often it does what."""
        personal = (Relation.AT, Relation.HOLDING, Relation.DONE)
        return any(one.relation in personal for one in self.whole.goal.standing)

    def _leave_to_one(self) -> None:
        if self.alone:
            return
        standing = self.whole.goal.standing
        costs = [(self._cost(mate, standing), place) for place, mate in enumerate(self.working)]
        if costs:
            self.alone = self.working[min(costs)[1]].who

    def _is_over(self, part: Part) -> bool:
        """Whether a part is done, or its thing is gone."""
        if part.thing in self.whole.belief.vanished:
            return True
        return all(self.whole.goal.holds(one) is True for one in part.conditions)

    def _sell(self, new: Sequence[Part]) -> None:
        working = self.working
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
            if self._pass_on(part) or self._sell_in_facts(part):
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
        mate = self.mates[who]
        for part in parts:
            if part in mate.refuses or self.holder(part.thing) not in ('', who):
                return inf
        return self._cost(mate, conditions_of(parts))

    def _cost(self, mate: Mate, wanted: Milestone) -> float:
        trial = mate.reasoner.part((wanted,))
        cost = trial.cost()
        mate.reasoner.forget(trial)
        return cost

    def _sell_in_facts(self, part: Part) -> bool:
        """Have a robot do some of a part: one lays down what another one has the tool for."""
        if any(one.thing == part.thing for mate in self.working for one in mate.parts):
            return False
        had = {mate.who: mate.parts for mate in self.working}
        for fact in part.facts if len(part.facts) > 1 else ():
            sale = sell([Part(part.thing, (fact,))], list(had), self._bid, had)
            if not sale.unsold:
                for mate in self.working:
                    mate.parts = sale.work[mate.who]
                return True
        return False

    def _pass_on(self, part: Part) -> bool:
        """Have a robot do what another one needs for a part that none can do alone."""
        if any(one.thing == part.thing for mate in self.working for one in mate.parts):
            return False
        robots = {mate.who: mate.reasoner for mate in self.working}
        if len(robots) < 2 or self.holder(part.thing) in self._lost:
            return False
        found = first_hand_over(part, robots, self.whole.belief)
        if found is None or found.part in self.mates[found.who].refuses:
            return False
        if self._handed[found.part.facts] >= _MOST_HAND_OVERS:
            return False
        self._handed[found.part.facts] += 1
        mate = self.mates[found.who]
        mate.parts = (*mate.parts, found.part)
        return True

    @property
    def _lost(self) -> list[str]:
        return [mate.who for mate in self.mates.values() if mate.is_lost]

    @property
    def out_of_reach(self) -> dict[str, str]:
        """Things that lost robots hold, and which robot."""
        return {name: who for who in self._lost for name in self.mates[who].held}

    # What comes next ---------------------------------------------------------------------------

    def next(self, who: str) -> Turn:
        """What a robot does that does nothing; its parts are those of the last `share`."""
        mate = self.mates[who]
        if self.alone == who:
            return self._next_alone(mate)
        for _ in range(_MOST_TURNS):
            turn = self._next_of_parts(mate) if mate.parts else self._next_look(mate)
            if turn is not None:
                return turn
            self.share()
        return Turn(Does.NOTHING)

    def _next_alone(self, mate: Mate) -> Turn:
        standing = self.whole.goal.standing
        if mate.aim is None or mate.aims_at != standing:
            mate.aim, mate.aims_at = mate.reasoner.part((standing,)), standing
        step = self._step_of(mate, mate.aim)
        if step.skill:
            return self._taken(mate, mate.aim, step.skill, 'does this milestone alone')
        if step.unreachable is not None:
            self.reason = step.unreachable.text
        return Turn(Does.NOTHING)

    def _step_of(self, mate: Mate, aim: Reasoner) -> Step:
        """What a robot does next for its aim; where it looks for something, no other one looks."""
        with self._others_looks(mate):
            step = aim.next(self.missing)
        mate.looks_at = aim.frontier if step.why is Why.LOOK else ''
        return step

    def _next_of_parts(self, mate: Mate) -> Turn | None:
        """The next skill for its parts; None where they have to be shared anew."""
        aim = mate.aimed()
        step = self._step_of(mate, aim)
        if step.why is Why.LOOK and not self.missing and self._is_held_elsewhere(mate):
            for part in mate.parts:
                mate.refuses[part] = self.reason = 'another robot holds what it takes'
            mate.parts, mate.looks_at = (), ''
            return None
        if step.skill:
            if step.why is Why.LOOK:
                return self._taken(mate, aim, step.skill, f'looks for {", ".join(self.missing)}')
            return self._taken(mate, aim, step.skill, _told(mate, step.skill))
        if step.unreachable is None:
            # All its parts are done, as far as it knows.
            done = [part for part in mate.parts if self._is_over(part)]
            for part in mate.parts:
                if part not in done:
                    mate.refuses[part] = 'it is done, as far as this robot knows'
            mate.parts = ()
            return None
        hard = [part for part in mate.parts if self._cost(mate, part.conditions) == inf]
        for part in hard or mate.parts:
            mate.refuses[part] = self.reason = step.unreachable.text
        mate.parts = tuple(part for part in mate.parts if part not in mate.refuses)
        return None

    def _is_held_elsewhere(self, mate: Mate) -> bool:
        """Whether another robot holds something that is no part of what it does."""
        return any(
            name not in {part.thing for part in one.parts}
            for one in self.working
            if one is not mate
            for name in one.held
        )

    def _next_look(self, mate: Mate) -> Turn:
        """Look for what is missing where no other robot looks."""
        if not self.sought:
            return Turn(Does.NOTHING)
        with self._others_looks(mate):
            step = mate.reasoner.look(self.sought)
        if step is None or not step.skill:
            mate.looks_at = ''
            return Turn(Does.NOTHING)
        mate.looks_at = mate.reasoner.frontier
        reason = f'looks for {", ".join(self.sought)}'
        return self._taken(mate, mate.reasoner, step.skill, reason)

    @contextmanager
    def _others_looks(self, mate: Mate) -> Iterator[None]:
        """Leave to others what they have set out to look at."""
        exploration = mate.reasoner.exploration
        others = (one.looks_at for one in self.working if one is not mate and one.looks_at)
        exploration.taken = frozenset(others)
        try:
            yield
        finally:
            exploration.taken = frozenset()

    def _taken(self, mate: Mate, by: Reasoner, text: str, reason: str) -> Turn:
        """A skill, with all that it needs taken; else why the robot waits."""
        skill = by.belief.skills.parse(text)
        names: tuple[str, ...] = skill.names if skill is not None else ()
        goes_to = ''
        if skill is not None and skill.kind is SkillKind.MOVE:
            goes_to, names = self.station(skill.target), ()
        wait = self.reservations.reserve(mate.who, names, goes_to)
        if wait is None:
            return Turn(Does.SKILL, text, reason)
        by.put_back(text)
        return self._waiting(mate, wait)

    def way_out(self, mate: Mate) -> str:
        """A move by which a robot leaves where it stands to a place that is free; '' for none."""
        belief = mate.reasoner.belief
        waited_for = {wait.what for wait in self.reservations.waits.values()}
        for text, skill in belief.offered.items():
            goes = skill.kind is SkillKind.MOVE and not mate.reasoner.rules.forbids(text)
            if goes and skill.target not in (belief.at, *waited_for):
                if self.reservations.reserve(mate.who, (), self.station(skill.target)) is None:
                    return text
        return ''

    def _waiting(self, mate: Mate, wait: Wait) -> Turn:
        if self.reservations.is_tired(mate.who) and mate.parts:
            self.reservations.give_up(mate.who)
            mate.refuses[mate.parts[0]] = self.reason = f'{mate.who} {wait.text}'
            mate.parts = mate.parts[1:]
        return Turn(Does.WAIT, reason=wait.text)

    #: Why some work cannot be done, as it was found last.
    reason: str = ''


def _told(mate: Mate, skill: str) -> str:
    """Which part a skill is for, as far as its words tell."""
    named = [part for part in mate.parts if part.thing in skill]
    part = (named or list(mate.parts))[0]
    return part.text
