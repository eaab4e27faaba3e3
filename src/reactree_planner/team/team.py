"""A team at work on one goal: what each robot knows, and what it does next.

Facts about the world are known to all: what one robot sees or does, every other one hears. Where a
robot is, what it holds and what it can do is its own. Everything follows from the observations in
their order, so a run that is resumed decides the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf

from reactree_core.measures import measures_of, SEATS
from reactree_core.observation import Observation
from reactree_core.ports import Listed
from reactree_core.skill_types import SkillKind
from reactree_planner.facts.plan import Step, Why
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.team.mate import Does, Mate, Mates, Turn
from reactree_planner.team.parts import Part
from reactree_planner.team.reservations import Reservations, Wait
from reactree_planner.team.work import Work

#: How often a robot is asked anew within one decision.
_MOST_TURNS = 6


class Team:
    """The robots of one run.

    :param listed: they, in the order that settles ties. :param whole: reasons about the task with
        the skills of all, and what is known to all; it judges when a milestone is met.
    :param reasoners: one for each.
    """

    def __init__(
        self,
        listed: Sequence[Listed],
        whole: Reasoner,
        reasoners: Sequence[Reasoner],
        reservations: Reservations | None = None,
    ) -> None:
        self.whole = whole
        self.mates = Mates(
            (one.who, Mate(one.who, reasoner, one.observation))
            for one, reasoner in zip(listed, reasoners, strict=True)
        )
        self.work = Work(self.mates, whole)
        for reasoner in reasoners:
            # Who can close nothing knows all the same what is shut.
            reasoner.belief.shut_words |= whole.belief.shut_words
            reasoner.belief.open_words |= whole.belief.open_words
            reasoner.belief.skills.know_states_of(whole.belief.skills)
        self.reservations = reservations or Reservations(tuple(self.mates))
        #: Why some work cannot be done, as it was found last.
        self.reason = ''

    # What is known -----------------------------------------------------------------------------

    def of_all(self, observation: Observation) -> Observation:
        """An observation as the team sees it: held is what any of its robots holds."""
        held = dict.fromkeys(observation.held)
        for mate in self.mates.values():
            if mate.who != observation.who and not mate.is_lost:
                held.update(dict.fromkeys(mate.held))
        evidence = tuple(
            replace(fact, source=replace(fact.source, robot=observation.who))
            for fact in observation.evidence
        )
        return replace(observation, held=tuple(held), evidence=evidence)

    def observe(self, observation: Observation) -> None:
        """Learn what one robot reports; the reasoner for the whole is given by the run."""
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
            if SEATS in (measures := measures_of(fact.state)):
                self.reservations.seats[fact.name] = int(measures[SEATS].number)
        belief.capacity = sum(one.reasoner.belief.most_held for one in self.mates.values())
        skill = mate.reasoner.belief.skills.parse(observation.skill) if observation.skill else None
        changes = skill is not None and observation.succeeded and skill.kind is not SkillKind.MOVE
        for other in self.mates.values():
            if other is mate:
                continue
            other.reasoner.hear(observation, mate.reasoner.belief.skills)
            if changes and other.last.room == observation.room:
                other.is_outdated = True
        self.work.know_more()

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
        for belief in (self.whole.belief, *(one.reasoner.belief for one in self.mates.working)):
            for name in mate.held:
                belief.lose(name)
        self.reservations.drop(who)
        self.work.deal_anew(who)
        return parts

    def take_back(self, who: str) -> None:
        """Go on with a robot that was lost; what it sees and holds is given by its next look."""
        self.mates[who].is_lost = False
        self.mates[who].begin_anew()
        self.work.deal_anew(who)

    def begin_milestone(self) -> None:
        """Begin with what comes next."""
        self.work.begin_milestone()
        for mate in self.mates.values():
            mate.begin_anew()

    @property
    def out_of_reach(self) -> dict[str, str]:
        """Things that lost robots hold, and which robot."""
        return {name: mate.who for mate in self.mates.lost for name in mate.held}

    # What comes next ---------------------------------------------------------------------------

    def next(self, who: str) -> Turn:
        """What a robot does that does nothing; its parts are those that were shared last."""
        mate = self.mates[who]
        if self.work.alone == who:
            return self._next_alone(mate)
        for _ in range(_MOST_TURNS):
            turn = self._next_of_parts(mate) if mate.parts else self._next_look(mate)
            if turn is not None:
                return turn
            self.work.share()
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
            step = aim.next(self.work.missing)
        mate.looks_at = aim.frontier if step.why is Why.LOOK else ''
        return step

    def _next_of_parts(self, mate: Mate) -> Turn | None:
        """The next skill for its parts; None where they have to be shared anew."""
        aim = mate.aimed()
        step = self._step_of(mate, aim)
        if step.why is Why.LOOK and not self.work.missing and self._is_held_elsewhere(mate):
            for part in mate.parts:
                mate.refuses[part] = self.reason = 'another robot holds what it takes'
            mate.parts, mate.looks_at = (), ''
            return None
        if step.skill:
            if step.why is Why.LOOK:
                return self._taken(
                    mate, aim, step.skill, f'looks for {", ".join(self.work.missing)}'
                )
            return self._taken(mate, aim, step.skill, _told(mate, step.skill))
        if step.unreachable is None:
            # All its parts are done, as far as it knows.
            done = [part for part in mate.parts if self.work.is_over(part)]
            for part in mate.parts:
                if part not in done:
                    mate.refuses[part] = 'it is done, as far as this robot knows'
            mate.parts = ()
            return None
        hard = [part for part in mate.parts if mate.cost_of(part.conditions) == inf]
        for part in hard or mate.parts:
            mate.refuses[part] = self.reason = step.unreachable.text
        mate.parts = tuple(part for part in mate.parts if part not in mate.refuses)
        return None

    def _is_held_elsewhere(self, mate: Mate) -> bool:
        """Whether another robot holds something that is no part of what it does."""
        return any(
            name not in {part.thing for part in one.parts}
            for one in self.mates.working
            if one is not mate
            for name in one.held
        )

    def _next_look(self, mate: Mate) -> Turn:
        """Look for what is missing where no other robot looks."""
        if not self.work.sought:
            return Turn(Does.NOTHING)
        with self._others_looks(mate):
            step = mate.reasoner.look(self.work.sought)
        if step is None or not step.skill:
            mate.looks_at = ''
            return Turn(Does.NOTHING)
        mate.looks_at = mate.reasoner.frontier
        reason = f'looks for {", ".join(self.work.sought)}'
        return self._taken(mate, mate.reasoner, step.skill, reason)

    @contextmanager
    def _others_looks(self, mate: Mate) -> Iterator[None]:
        """Leave to others what they have set out to look at."""
        exploration = mate.reasoner.exploration
        others = (one.looks_at for one in self.mates.working if one is not mate and one.looks_at)
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


def _told(mate: Mate, skill: str) -> str:
    """Which part a skill is for, as far as its words say."""
    named = [part for part in mate.parts if part.thing in skill]
    part = (named or list(mate.parts))[0]
    return part.text
