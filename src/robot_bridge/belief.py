"""Belief of the bridge about its robot: where it is, what it holds, which things are where.

    belief.learn(reading)                          # present reports of all sources
    holds(belief, Effect(...), belief.now)         # `reactree_core.belief`: verdict and evidence

A report bears on more than its own facts: a gripper that names a crate denies that a cup is held,
and a camera that sees all of a table denies what it does not see there. So facts are derived from
the reading as a question is asked (`about`). What no source reports any more is kept with its
source and time, beside the effects of skills that succeeded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from reactree_core.belief import (
    bearing_on,
    Fact,
    holds,
    judge,
    Source,
    SourceKind,
    Verdict,
)
from reactree_core.belief import (
    Belief as Facts,
)
from reactree_core.errors import SkillError
from reactree_core.measures import fact_text
from reactree_core.skill_types import class_and_number, Effect, is_of_class, Relation, SkillKind
from robot_bridge.instances import Instances
from robot_bridge.numbers import Numbers
from robot_bridge.perception_file import TOPIC
from robot_bridge.poses import Pose
from robot_bridge.robot import Robot, Skill, with_values
from robot_bridge.sources import (
    EVERYWHERE,
    HELD,
    HERE,
    Looked,
    Reading,
    Seen,
    Sense,
    SOMETHING,
)

#: Most things that are remembered beside those that are seen, held or given by the file.
_MOST_THINGS = 500
#: What holds a thing that the robot holds, in facts.
ROBOT = 'agent 1'
#: What has moved less than this has not been moved, m.
_STILL = 0.03
#: States that exclude each other, whatever skills bring about.
OPPOSITES = {'open': ('closed',), 'closed': ('open',), 'on': ('off',), 'off': ('on',)}
#: Shortest age of a fact whose source fell silent, s.
_ENDED = 1e-6

_SOMETHING = Effect(Relation.HOLDING, '', SOMETHING)
_FILE = Source(SourceKind.PERSON, "the robot's file")
_EFFECT = Source(SourceKind.EFFECT)
_MODEL = Source(SourceKind.PERSON, 'a vision-language model')


@dataclass(frozen=True, slots=True)
class Thing:
    """What is known of a thing.

    :param where: the place, or the hand, that it was in last; None where that is not known.
    :param words: its states. :param pose: where it was seen.
    :param by_camera: whether its pose is what a camera sees now: no other one is known then.
    """

    where: Fact | None = None
    words: tuple[Fact, ...] = ()
    pose: Pose | None = None
    by_camera: bool = False

    @property
    def place(self) -> str:
        """Name of the place that it was in last; '' where that is not known."""
        if self.where is None:
            return ''
        return ROBOT if self.where.what.relation is Relation.HOLDING else self.where.what.value

    @property
    def states(self) -> list[str]:
        """Its states, one by one."""
        return [fact.what.value for fact in self.words]

    @property
    def state(self) -> str:
        """Its states, joined by ', '."""
        return ', '.join(self.states)

    @property
    def assumed_place(self) -> bool:
        """True where an effect or the file gave the place, and no sense has reported it."""
        return self.where is not None and not self.where.source.kind.senses

    @property
    def assumed(self) -> frozenset[str]:
        """Those of its states that no sense has reported."""
        return frozenset(fact.what.value for fact in self.words if not fact.source.kind.senses)

    @property
    def by_model(self) -> bool:
        """True where a vision-language model, and no sense, has reported something of it."""
        facts = (*self.words, *((self.where,) if self.where else ()))
        return any(fact.source == _MODEL for fact in facts)


@dataclass(frozen=True, slots=True)
class _Grasp:
    """The last time that a hand has closed on something.

    :param at: s, when it was closed. :param poses: of things, before.
    :param gone: things that have left the place of the robot, all of which is seen, since then.
    """

    at: float
    poses: Mapping[str, Pose]
    gone: frozenset[str] = frozenset()


class Belief:
    """Evidence about a robot and the things around it (`reactree_core.belief.Evidence`).

    :param poses: pose of a place in a frame. :raises SkillError: that is not known.
    """

    #: The belief is not of one run: no fact is of an earlier one.
    began = -math.inf
    #: What sources report is believed; the planner doubts what verifies an end.
    witnesses = None

    def __init__(self, robot: Robot, poses: Callable[[str, str], Pose]) -> None:
        self.robot = robot
        self._poses = poses
        self.place = ''
        self._classes = robot.vocabulary().object_classes
        #: The place that a sense cannot report, where a skill has brought the robot.
        self._assumed_place = ''
        #: The robot's pose, where it is given.
        self.pose: Pose | None = None
        #: Hand, '' where that is not known, and thing.
        self._held: list[tuple[str, str]] = []
        #: Facts of things that no source reports any more, and those reported now by name.
        self._kept = Facts(self._opposites, -math.inf)
        self.things: dict[str, Thing] = {name: Thing() for name in robot.file.things}
        #: Things of which a kept fact has changed.
        self._changed: set[str] = set()
        #: Of each thing, words of states that a kept fact is about.
        self._words: dict[str, set[str]] = {}
        self.seen: tuple[str, ...] = ()
        self.looked_at: tuple[str, ...] = ()
        self.silent: dict[str, str] = {}
        #: Fault of a present report -> the sentence for people.
        self.notices: dict[str, str] = {}
        #: Contradictions: facts by sources that exclude each other, of things.
        self._disputed: list[Fact] = []
        self._numbers = Numbers()
        named = (entry.name for entry in robot.file.state.facts if '{' not in entry.name)
        declared = {*robot.file.things, *robot.file.places, *named}
        classes = {entry.name for entry in robot.file.classes if entry.kind == 'thing'}
        self._instances = Instances(classes - declared, frozenset(declared))
        self._regions = {one.region for one in robot.file.places.values() if one.region}
        #: When the newest skill ended, by the clock of pictures: what was seen before is over.
        self.changed_at = -math.inf
        #: When the newest skill ended, by the clock of readings.
        self.acted_at = -math.inf
        #: When effects were taken last, by the same clock.
        self._did_at = -math.inf
        #: When the robot came to its place, at the latest.
        self._arrived_at = -math.inf
        self._grasp_began: _Grasp | None = None
        #: Thing -> when the picture was taken of which a model spoke last.
        self._model_heard: dict[str, float] = {}
        moves = any(skill.type.kind is SkillKind.MOVE for skill in robot.skills)
        self._stands = not moves and robot.senses.pose is None and robot.senses.place is None
        self._begin(Reading())
        for name, entry in robot.file.things.items():
            if entry.place:
                self._know(Fact(Effect(Relation.IN, name, entry.place), _FILE, 0.0))
        self._project()

    @property
    def now(self) -> float:
        """Time of the newest reading, s."""
        return self._reading.when

    # Evidence ------------------------------------------------------------------------------

    def about(self, what: Effect) -> tuple[Fact, ...]:
        """Facts for and against a proposition, the newest first.

        What a source reports now replaces what was kept of its subject, but for later acts.

        :param what: of a thing that is held, the subject is the hand; '' for any.
        """
        if what.relation is Relation.IS and self._numbers.tells(what.subject, what.value):
            # A number that no sense reports now is not known, whatever it was.
            return tuple(self._numbers.about(what.subject, what.value))
        reports = list(self._reports(what))
        if what.relation is Relation.AT:
            return tuple(reports or self._at_by_effect(what.value))
        if what.relation is Relation.IN and not what.value:
            return ()
        kept = self._kept.about(what)
        if reports:
            kept = tuple(fact for fact in kept if fact.source.kind.acts)
        elif what.relation is Relation.HOLDING and SOMETHING not in self.held:
            if not any(what.value == name for _, name in self._in_hand(what.subject)):
                # Hands are known by what was taken and put down.
                kept = (Fact(replace(what, holds=False), _EFFECT, self.now),)
        return bearing_on(what, (*reports, *kept))

    def test(self, what: Effect, hand: str = '') -> Verdict:
        """Test a proposition now, "here" being the place of the robot.

        :param hand: that a held thing is in; '' for any.
        """
        return holds(self, in_hand(self._located(what), hand), self.now)

    def report_on(self, what: Effect, since: float = -math.inf) -> Verdict:
        """Test a proposition by what sources report now alone. :param since: s, when they did."""
        what = self._located(what)
        return judge(self._reported_facts(what, since), what, self.now)

    def _reported_facts(self, what: Effect, since: float = -math.inf) -> tuple[Fact, ...]:
        what = self._located(what)
        return bearing_on(what, (fact for fact in self._reports(what) if fact.time >= since))

    def _located(self, what: Effect) -> Effect:
        """A proposition with the place of the robot for "here"."""
        is_here = what.relation is Relation.IN and what.value == HERE
        return replace(what, value=self.place) if is_here else what

    def is_reported(self, what: Effect) -> bool:
        """Test whether sources report now that a proposition holds.

        Of a hand that reports something, not what, the thing is the one that was taken.
        """
        held = what.relation is Relation.HOLDING and what.holds
        return self.report_on(what).holds is True or bool(held and self.grips(what.value))

    def _reports(self, what: Effect) -> Iterable[Fact]:
        """Reports of sources now, as facts for and against a proposition."""
        match what.relation:
            case Relation.AT:
                return self._at(what.value)
            case Relation.HOLDING:
                return self._holding(what.value, what.subject)
            case Relation.IN:
                return self._in(what.subject, what.value)
            case _ if self._numbers.tells(what.subject, what.value):
                return self._numbers.about(what.subject, what.value)
            case _:
                return self._is(what.subject, what.value)

    def _at_by_effect(self, name: str) -> Iterator[Fact]:
        if self.place:
            there = name in (self.place, self.room)
            yield Fact(Effect(Relation.AT, '', name, there), _EFFECT, self.now)

    def _at(self, name: str) -> Iterator[Fact]:
        places, pose_sense = self.robot.file.places, self.robot.senses.pose
        reading = self._reading
        if self._sensed_place is None:
            return
        by_name = bool(reading.place)
        by_pose = pose_sense is not None and reading.pose is not None and not by_name
        sense = self.robot.senses.place if by_name else pose_sense or self.robot.senses.place
        here = places.get(self._sensed_place)
        so: bool | None = None
        if name in (self._sensed_place, here.region if here else ''):
            so = True
        elif name in places and by_pose:
            assert pose_sense is not None and reading.pose is not None
            so = self._is_near(name, reading.pose, pose_sense.entry.near)
        elif name in places or (name in self._regions and here is not None and here.region):
            so = False
        if so is not None:
            yield self._fact_of(sense, Effect(Relation.AT, '', name, so))

    def _holding(self, name: str, hand: str) -> Iterator[Fact]:
        is_so = Effect(Relation.HOLDING, hand, name)
        not_so = replace(is_so, holds=False)
        seen = {thing: one for _, thing, one in self._in_hands}
        reported = {
            other: held
            for other, held in self._reading.held.items()
            if not hand or other in ('', hand)
        }
        gripper = next((s for s in self.robot.senses.held if s.entry.hand in reported), None)
        found = []
        if any(isinstance(held, tuple) and _names(held, name) for held in reported.values()):
            found.append(self._fact_of(gripper, is_so))
        elif reported and not any(held is True for held in reported.values()):
            hands = set(self.robot.file.hands)
            if '' in reported or hand in reported or hands.issubset(reported):
                found.append(self._fact_of(gripper, not_so))
        elsewhere = self._elsewhere(name, any(fact.what.holds for fact in found))
        if name in seen:
            found.append(_seen_fact(is_so, seen[name], self.now))
        elif elsewhere is not None:
            found.append(_seen_fact(not_so, elsewhere, self.now))
        elif not found and len(seen) >= max(1, len(self.robot.file.hands)):
            found.append(_seen_fact(not_so, next(iter(seen.values())), self.now))
        yield from found

    def _in(self, thing: str, place: str) -> Iterator[Fact]:
        if not place:
            return
        is_so = Effect(Relation.IN, thing, place)
        held = list(self._holding(thing, ''))
        yield from (fact for fact in held if fact.what.holds)
        if any(fact.what.holds for fact in held) and all(fact.what.holds for fact in held):
            # It is seen near the hand that it is in.
            return
        for one in self._seen.get(thing, ()):
            inside = self._is_inside(one, place)
            if inside is not None:
                yield _seen_fact(replace(is_so, holds=inside), one, self.now)
        if thing in self._seen:
            return
        if place in self.looked_at:
            whole = (sense for sense in self.robot.senses.facts if sense.entry.whole)
            yield self._fact_of(next(whole, None), replace(is_so, holds=False))
        elif (looked := self._reading.looked) is not None and looked.in_vain(thing, place):
            source = Source(SourceKind.SENSOR, looked.by)
            yield Fact(replace(is_so, holds=False), source, self.now)

    def _is(self, thing: str, word: str) -> Iterator[Fact]:
        is_so = Effect(Relation.IS, thing, word)
        found = []
        # A source whose text can be anything denies what it does not say, where no other says it.
        silent = None
        for one in self._seen.get(thing, ()):
            states = one.state.split(', ') if one.state else []
            denied = replace(is_so, holds=False)
            if word in states:
                found.append(_seen_fact(is_so, one, self.now))
            elif not states:
                continue
            elif set(self._opposites(word)) & set(states) or (one.words and word in one.words):
                found.append(_seen_fact(denied, one, self.now))
            elif one.words is None:
                silent = _seen_fact(denied, one, self.now)
        yield from found or ([silent] if silent else [])

    def _fact_of(self, by: Sense[Any] | None, what: Effect) -> Fact:
        """A fact that a source of the robot reports now. :param by: None for an effect."""
        if by is None:
            return Fact(what, _EFFECT, self.now)
        at = self._reading.at.get(by.what, self.now) if by.entry.age else self.now
        return Fact(what, Source(SourceKind.SENSOR, by.what), at, by.entry.age or math.inf)

    def _elsewhere(self, name: str, named: bool = False) -> Seen | None:
        """The report of a thing where no hand is, so that it is not held.

        :param named: whether another source says that it is.
        """
        place = self._sensed_place
        for one in self._seen.get(name, ()):
            if not place or self._is_hand(one.place):
                continue
            if self._is_left(one, named):
                return one
            if self._is_inside(one, place) is not False:
                continue
            others = (other for other in self.robot.file.places if other != place)
            if any(self._is_inside(one, other) for other in others):
                return one
        return None

    def _is_left(self, one: Seen, named: bool) -> bool:
        """Test for a thing that is still seen where it was after a hand has closed."""
        grasp = self._grasp_began
        if grasp is None:
            return False
        if not named and grasp.gone - {one.name} and self._sensed_place in self.looked_at:
            return True
        at = self.now if one.at is None else one.at
        before = grasp.poses.get(one.name)
        if at <= grasp.at:
            return False
        if one.pose is None or before is None or one.pose.frame != before.frame:
            return one.place in self.robot.file.places
        return one.pose.distance(before) <= _STILL

    def _is_inside(self, one: Seen, place: str) -> bool | None:
        places = self.robot.file.places
        where = (self._sensed_place or '') if one.place == HERE else one.place
        if where == place:
            return True
        if where in places:
            region = places[where].region
            if place in self._regions:
                return region == place if region else None
            return False if place in places else None
        if where or one.pose is None or one.place == HERE or place not in places:
            return None
        return self._is_near(place, one.pose, one.near)

    def _is_hand(self, place: str) -> bool:
        return place == HELD or (bool(place) and place in self.robot.file.hands)

    def _opposites(self, word: str) -> tuple[str, ...]:
        """Words of states that a word excludes, e.g. open and closed."""
        return OPPOSITES.get(word, ())

    # What is learned -----------------------------------------------------------------------

    def _begin(self, reading: Reading) -> None:
        """Ask a reading from now on."""
        self._reading = reading
        placed = reading.pose is not None or bool(reading.place)
        #: Where the robot is; '' for no place with a name, None where no sense reports.
        self._sensed_place = self.place if placed else None
        self._seen: dict[str, list[Seen]] = {}
        # What a model says is a hint, and never what a sense reports.
        for one in (one for one in reading.seen or () if not one.is_hint):
            self._seen.setdefault(one.name, []).append(one)
        #: Hand, '' where that is not given, and name of what is seen in it, and the report.
        self._in_hands = tuple(
            ('' if one.place == HELD else one.place, name, one)
            for name, seen in self._seen.items()
            for one in seen
            if self._is_hand(one.place)
        )

    def learn(self, reading: Reading) -> None:
        """Take what the senses report."""
        senses = self.robot.senses
        before, place = self._reading.when, self.place
        self.silent = dict(reading.silent)
        self.notices = dict(reading.notices)
        self._disputed.clear()
        if senses.pose is not None:
            self.pose = reading.pose
            near = senses.pose.entry.near
            self.place = self._nearest(reading.pose, near) if reading.pose else ''
        if senses.place is not None and (reading.place or senses.pose is None):
            # A name that is given is surer than the nearest place.
            self.place = reading.place or ''
        # What has changed since the last reading was changed by the skill that has ended since.
        changed = self.acted_at if before <= self.acted_at <= reading.when else reading.when
        if self.place != place:
            self._arrived_at = changed
        everywhere = self._stands or reading.whole == EVERYWHERE
        at = tuple(self.robot.file.places) if everywhere else (self.place,)
        # A report from before the robot came here says nothing of this place.
        is_here = everywhere or reading.whole_at is None or reading.whole_at >= self._arrived_at
        self.looked_at = tuple(place for place in at if place and reading.whole and is_here)
        self._begin(reading)
        if reading.seen is not None:
            of_here = (one for one in reading.seen if not self._is_elsewhere(one))
            reading.seen = tuple(of_here)
            self._begin(reading)
            self._number(reading)
            self._begin(reading)
        self._learn_numbers(reading)
        self._end_silent(before)
        if self.place:
            self._assumed_place = ''
        elif self._sensed_place is not None:
            self.place = self._assumed_place
        filled = len(self._held)
        grasp = self._grasp_now(changed)
        self._grasp_began = self._grasp_began or grasp
        for hand, held in reading.held.items():
            self._hold(hand, held)
        for hand, name, one in self._in_hands:
            self._grasp(hand, _seen_fact(Effect(Relation.HOLDING, '', name), one, self.now))
        if len(self._held) > filled:
            self._grasp_began = grasp
        elif not self._held:
            self._grasp_began = None
        if reading.seen is not None:
            self._see(reading.seen)
            self._eliminate()
        elif senses.facts:
            self.seen = ()
        self._project()

    def _end_silent(self, before: float) -> None:
        """End the facts of sources that have fallen silent. :param before: s, the last reading."""
        if not self._reading.unheard:
            return
        for fact in [*self._kept]:
            silent = fact.source.kind.senses and fact.source.name in self._reading.unheard
            if silent and fact.is_fresh(self.now):
                self._tell(replace(fact, age=max(_ENDED, before - fact.time)))

    def _learn_numbers(self, reading: Reading) -> None:
        for name in self.robot.file.state.numbers:
            number = reading.numbers.get(name)
            if number is None:
                self._numbers.forget(name)
            else:
                self._numbers.take(name, (number,))
        for one in reading.seen or ():
            self._numbers.take(one.name, one.numbers)
        self._numbers.forget_old(reading.when)
        for (thing, name), why in self._numbers.faults.items():
            if not name:
                self.silent[thing] = why
            what = f'{name} of {thing}' if name else thing
            self.notices[f'{thing} {name}'] = f'The {what} is not known: {why}.'

    def _is_elsewhere(self, one: Seen) -> bool:
        """Test for a report of "here" from before the robot came to its place."""
        return one.place == HERE and one.at is not None and one.at < self._arrived_at

    def _number(self, reading: Reading) -> None:
        """Give numbers to detections that have only the name of a class."""
        held = [name for name in self.held if not self.denied_hold(name)]
        known = {
            name: ('' if thing.place == ROBOT else thing.place, thing.pose)
            for name, thing in self.things.items()
        }
        seen = reading.seen or ()
        reading.seen = self._instances.numbered(seen, known, held, self._place_of)
        self.notices |= self._instances.notices

    def _grasp_now(self, at: float) -> _Grasp:
        """A grasp at a time, with the poses known then. :param at: s."""
        poses = {name: one.pose for name, one in self.things.items() if one.pose is not None}
        return _Grasp(at, poses)

    def _eliminate(self) -> None:
        """Take the only thing that has gone since a hand has closed for what is in that hand."""
        unknown = [hand for hand, name in self._held if name == SOMETHING]
        gone = self._grasp_began.gone if self._grasp_began else ()
        if len(unknown) == len(gone) == 1:
            (name,) = gone
            source = Source(SourceKind.EFFECT, f'{name} is the one missing')
            self._grasp(unknown[0], Fact(Effect(Relation.HOLDING, '', name), source, self.now))

    def _hold(self, hand: str, held: tuple[str, ...] | bool) -> None:
        """Take what a sense reports of a hand; '' for all of them."""
        before = {name: other for other, name in self._held if hand in ('', other)}
        if held is True:
            there = (name for name in before if self._elsewhere(name) is None)
            held = tuple(there) or (SOMETHING,)
        held = tuple(_named(name, before) for name in held or ())
        # Of what another source sees elsewhere, only that something is held is known.
        says = {name: self.report_on(Effect(Relation.HOLDING, '', name)) for name in held}
        in_hand = [SOMETHING if says[name].is_disputed else name for name in held]
        others = [pair for pair in self._held if hand not in ('', pair[0])]
        self._held = [*others, *((before.get(name, hand), name) for name in in_hand)]
        for name in before:
            # It is no longer held, and nothing has reported where it went.
            if name not in self.held:
                self._lose_from_hand(name)
        self._keep_to_hands()
        for name in self.held:
            if name != SOMETHING and (name not in before or self._is_reported(hand, name)):
                senses = self.robot.senses.held
                gripper = next((one for one in senses if one.entry.hand == hand), None)
                self._know(self._fact_of(gripper, Effect(Relation.HOLDING, '', name)))

    def _lose_from_hand(self, name: str) -> None:
        """Forget that a thing is held; nothing has reported where it went."""
        held = Effect(Relation.HOLDING, '', name)
        if self._is_kept(held):
            self._forget(held)

    def _is_kept(self, held: Effect) -> bool:
        """Test whether a thing was in a hand, by what was known last."""
        return any(fact.what.relation is Relation.HOLDING for fact in self._kept.about(held))

    def _grasp(self, hand: str, fact: Fact) -> None:
        """Know a thing in a hand, in place of something that nobody has reported."""
        name = fact.what.value
        self._release(name)
        unknown = [pair for pair in self._held if pair[1] == SOMETHING]
        if hand:
            unknown = [pair for pair in unknown if pair[0] in ('', hand)]
        if unknown:
            self._held.remove(unknown[-1])
            hand = hand or unknown[-1][0]
        self._held.append((hand, name))
        self._know(fact)
        self._keep_to_hands(name)

    def _keep_to_hands(self, newest: str = '') -> None:
        """Hold no more than there are hands, where the file says them, and one thing in each.

        What no sense reports goes first, and of that the oldest.
        """
        hands = self.robot.file.hands
        groups = [(hand, 1) for hand in hands if hand]
        for hand, most in (*groups, ('', len(hands))) if hands else ():
            inside = [pair for pair in self._held if hand in ('', pair[0])]
            order = sorted(inside, key=lambda pair: (self._is_reported(*pair), pair[1] == newest))
            for pair in order[: max(0, len(inside) - most)]:
                self._held.remove(pair)
                self._lose_from_hand(pair[1])

    def _is_reported(self, hand: str, name: str) -> bool:
        """Whether a sense reports that a thing is held."""
        return self.report_on(Effect(Relation.HOLDING, hand, name)).holds is True

    def _see(self, seen: Iterable[Seen]) -> None:
        self._disputed.clear()
        for name, ones in self._seen.items():
            self._see_one(name, ones)
        self.seen = tuple(self._seen)
        looked, gone = self._reading.looked or Looked(), set()
        for name, thing in self.things.items():
            if name in self._seen or name in self.held:
                continue
            # What left where it was seen may since have been put where nobody has looked.
            left = name in looked.gone and not thing.assumed_place
            if left or thing.place in self.looked_at or looked.in_vain(name, thing.place):
                # It was there, and is no longer.
                if thing.place == self.place and not thing.assumed_place:
                    gone.add(name)
                self._forget(Effect(Relation.IN, name, thing.place))
        if self._grasp_began is not None:
            since = (self._grasp_began.gone | gone).difference(self._seen)
            self._grasp_began = replace(self._grasp_began, gone=since)
        for one in (one for one in seen if one.is_hint):
            self._take_hint(one)
        kept = {*self.seen, *self.held, *self.robot.file.things}
        for name in [name for name in self.things if name not in kept][:-_MOST_THINGS]:
            self._forget_thing(name)
        self._numbers.keep((*self.things, *self.robot.file.state.numbers))

    def _see_one(self, name: str, reports: Sequence[Seen]) -> None:
        """Take what sources report of a thing."""
        held = Effect(Relation.HOLDING, '', name)
        if name in self.held and self._elsewhere(name) is None:
            # That it is near the hand is no report that it is in it.
            if not self._is_kept(held):
                self._know(Fact(held, _EFFECT, self.now))
        elif any(one.place or one.pose is not None for one in reports):
            if self.report_on(held).holds is not True:
                self._release(name)
            placed = [
                _seen_fact(Effect(Relation.IN, name, place), one, self.now)
                for one in reports
                if (place := self._place_of(one))
            ]
            in_hands = [fact for fact in self._holding(name, '') if fact.what.holds]
            for fact in self._taken(Effect(Relation.IN, name, ''), (*in_hands, *placed)):
                self._tell(fact)
        words = [word for one in reports for word in one.state.split(', ') if word]
        words += sorted(self._words.get(name, ()))
        about = {word: list(self._is(name, word)) for word in words}
        taken = [
            self._taken(Effect(Relation.IS, name, word), facts)
            for word, facts in about.items()
            if facts
        ]
        for fact in (fact for facts in taken for fact in facts):
            self._tell(fact)
        poses = [one for one in reports if one.pose is not None]
        pose = poses[-1].pose if poses else None
        by_camera = bool(poses) and poses[-1].by == TOPIC
        self.things[name] = replace(self.things.get(name, Thing()), pose=pose, by_camera=by_camera)
        self._changed.add(name)

    def _taken(self, what: Effect, facts: Sequence[Fact]) -> list[Fact]:
        """Forget what was kept of a thing for what sources report of it now.

        :returns: what is to be kept: later acts, and reports that agree.
        """
        newest = max((fact.time for fact in facts), default=math.inf)
        acts = [fact for fact in self._kept.about(what) if fact.source.kind.acts]
        self._forget(what)
        said = [fact for fact in facts if fact.what.holds]
        disputed = [fact for fact in said if self.report_on(fact.what).is_disputed]
        self._disputed += disputed
        return [*(acts if acts and acts[0].time > newest else ()), *(() if disputed else said)]

    def _place_of(self, one: Seen) -> str:
        """The named place of a report; '' where it has none."""
        if one.place or one.pose is None:
            return self.place if one.place == HERE else one.place
        return self._nearest(one.pose, one.near)

    def _take_hint(self, one: Seen) -> None:
        """Take what no sensor says, where none has reported otherwise.

        Of a model's picture that is older than the newest skill nothing follows.
        """
        source = _MODEL
        if one.echo:
            source = Source(SourceKind.EFFECT, f'the last command, on {one.by}')
        elif one.seen_at <= max(self.changed_at, self._model_heard.get(one.name, -math.inf)):
            return
        else:
            self._model_heard[one.name] = one.seen_at
        self._project()
        thing = self.things.setdefault(one.name, Thing())
        is_sensed = thing.where is not None and not thing.assumed_place
        if one.place and not is_sensed and one.name not in self.held:
            self._know(Fact(Effect(Relation.IN, one.name, one.place), source, self.now))
        if one.state and thing.assumed.issuperset(thing.states):
            for word in self._words.pop(one.name, set()):
                self._forget(Effect(Relation.IS, one.name, word))
            for word in one.state.split(', '):
                self._tell(Fact(Effect(Relation.IS, one.name, word), source, self.now))

    # What is kept ----------------------------------------------------------------------------

    def _tell(self, fact: Fact) -> None:
        self._kept.tell(fact)
        name = fact.what.subject or fact.what.value
        if fact.what.relation is Relation.IS:
            self._words.setdefault(name, set()).add(fact.what.value)
        self._changed.add(name)

    def _know(self, fact: Fact) -> None:
        """Keep a fact in place of all that was known of the same thing."""
        self._forget(fact.what)
        self._tell(fact)

    def _forget(self, what: Effect) -> None:
        """Forget facts for and against a proposition; of a place, of every place."""
        self._kept.forget(what)
        name = what.subject or what.value
        if what.relation is Relation.IS:
            opposites = self._opposites(what.value)
            for word in opposites:
                self._kept.forget(replace(what, value=word))
            self._words.get(name, set()).difference_update((what.value, *opposites))
        if what.relation is not Relation.IS and name in self.things:
            # Where it was seen is not where it is now.
            self.things[name] = replace(self.things[name], pose=None)
        self._changed.add(name)

    def _forget_thing(self, name: str) -> None:
        for word in self._words.pop(name, set()):
            self._kept.forget(Effect(Relation.IS, name, word))
        self._kept.forget(Effect(Relation.IN, name, ''))
        del self.things[name]
        self._changed.discard(name)

    def _project(self) -> None:
        """Bring `things` up to date with the facts of those that have changed."""
        for name in self._changed:
            if name == SOMETHING:
                continue
            thing = self.things.get(name, Thing())
            placed = self._kept.about(Effect(Relation.IN, name, ''))
            where = next((fact for fact in placed if self._is_so(fact)), None)
            words = [
                fact
                for word in sorted(self._words.get(name, ()))
                for fact in self._kept.about(Effect(Relation.IS, name, word))[:1]
                if fact.what.value == word and self._is_so(fact)
            ]
            words.sort(key=lambda fact: not fact.source.kind.senses)
            self.things[name] = replace(thing, where=where, words=tuple(words))
        self._changed.clear()

    def _is_so(self, fact: Fact) -> bool:
        return fact.what.holds and holds(self, fact.what, self.now).holds is True

    # Poses -----------------------------------------------------------------------------------

    def _away(self, name: str, pose: Pose) -> float:
        """Distance of a named place from a pose, m; NaN where that is not known."""
        with suppress(SkillError):
            if self.robot.file.places[name].has_pose:
                other = self._poses(name, pose.frame)
                return math.hypot(pose.x - other.x, pose.y - other.y)
        return math.nan

    def _is_near(self, name: str, pose: Pose, most: float) -> bool | None:
        """Whether a named place is near a pose; None where the place has no pose that is known."""
        away = self._away(name, pose)
        return None if math.isnan(away) else away <= most

    def _nearest(self, pose: Pose, most: float) -> str:
        """The named place nearest to a pose, no farther than this; '' for none."""
        near = ((self._away(name, pose), name) for name in reversed(self.robot.file.places))
        found = [pair for pair in near if pair[0] <= most]
        return min(found, key=lambda pair: pair[0], default=(most, ''))[1]

    def reported(self, name: str) -> str:
        """The name under which the robot reports a thing, without the number that we gave it."""
        return self._instances.reported.get(name, name)

    def pose_of_thing(self, name: str) -> Pose:
        """Place where a thing was seen. :raises SkillError: that is not known."""
        thing = self.things.get(name)
        if thing is None or thing.pose is None or (thing.by_camera and name not in self.seen):
            raise SkillError(f'The pose of "{name}" is not known: it is not visible now.')
        return thing.pose

    # Effects ---------------------------------------------------------------------------------

    def contradiction(self, skill: Skill, slots: Mapping[str, str]) -> str:
        """What a sense reports against the effects of a skill that succeeded; '' for nothing."""
        for fact in _effects_of(skill, slots):
            hand, since = skill.entry.hand, self.acted_at
            verdict = self.report_on(in_hand(fact, hand), since)
            by = sources_of(verdict) if verdict.holds is False else ''
            if fact.relation is Relation.HOLDING and not fact.holds and not by:
                by = self.grips(fact.value, hand, since)
            if by:
                return f'It was reported as done, but by {by} it was not. {self.lacks(fact)}'
        return ''

    def did(self, skill: Skill, slots: Mapping[str, str]) -> str:
        """Take the effects of a skill that has succeeded, where no sense reports them.

        :returns: what a sense reports against them; then none counts. '' for nothing.
        """
        against = self.contradiction(skill, slots)
        if against:
            return against
        at = self.acted_at if self.acted_at > self._did_at else self.now
        self._did_at = at
        text = skill.type.template
        for name, value in slots.items():
            text = text.replace(f'<{name}>', value)
        source = Source(SourceKind.EFFECT, text)
        for fact in _effects_of(skill, slots):
            what = in_hand(fact, skill.entry.hand)
            # A report of what came about before the skill has ended is sensed all the same.
            if self.report_on(what).holds is not True and not self._reported_facts(what, at):
                self._assume(fact, skill.entry.hand, source, at)
        slotted = {f'<{name}>': value for name, value in slots.items()}
        for treatment in skill.type.treatments:
            bound = treatment.bound(slotted)
            if bound is not None:
                self._treat(bound.place, bound.state, source, at)
        if self._reading.seen is not None:
            # What was put down is seen where it is.
            self._see(self._reading.seen)
        self._project()
        return ''

    def suppose(self, fact: Effect, hand: str = '') -> None:
        """Take a fact for so, as an effect of an earlier skill, where no sense reports it."""
        if not self._reported_facts(in_hand(fact, hand)):
            self._assume(fact, hand)
            self._project()

    def _treat(self, place: str, state: str, source: Source, at: float) -> None:
        """Take all that is in a place for treated, where no sense reports it."""
        within = {thing.place for thing in self.things.values() if is_of_class(thing.place, place)}
        for name, thing in list(self.things.items()) if len(within) == 1 else ():
            what = Effect(Relation.IS, name, state)
            if thing.place in within and self.report_on(what).holds is None:
                self._know(Fact(what, source, at))

    def _assume(
        self, effect: Effect, hand: str, source: Source = _EFFECT, at: float | None = None
    ) -> None:
        """Take an effect that no sense reports. :param at: s; None: now."""
        senses, at = self.robot.senses, self.now if at is None else at
        if effect.relation is Relation.AT:
            if effect.holds and senses.pose is None and senses.place is None:
                self.place = effect.value
            elif effect.holds and self._sensed_place == '':
                # A sense reports where the robot is, and this place has no pose.
                self.place = self._assumed_place = effect.value
        elif effect.relation is Relation.HOLDING:
            if effect.holds:
                filled, grasp = len(self._held), self._grasp_now(self.now)
                self._grasp(hand, Fact(effect, source, at))
                if len(self._held) > filled:
                    self._grasp_began = grasp
            elif effect.value in self.held:
                self._release(effect.value)
                self._lose_from_hand(effect.value)
        elif effect.relation is Relation.IN:
            place = self.place if effect.value == HERE else effect.value
            if effect.holds:
                self._release(effect.subject)
                self._forget(effect)
                if place:
                    self._tell(Fact(replace(effect, value=place), source, at))
            elif self.things.get(effect.subject, Thing()).place == place:
                self._forget(effect)
        else:
            self._know(Fact(effect, source, at))

    def _release(self, name: str) -> None:
        self._held = [pair for pair in self._held if pair[1] != name]

    # What follows ----------------------------------------------------------------------------

    @property
    def viewed(self) -> tuple[str, ...]:
        """Places where the robot, or a camera that can see every sort of thing, has looked."""
        looked = self._reading.looked
        if looked is None or self._reading.seen is None:
            return self.looked_at
        classes = {class_and_number(name)[0] for name in looked.tells}
        known = {class_and_number(name)[0] for name in self.things}
        if not classes.issuperset((*self._classes, *known)):
            return self.looked_at
        return tuple(dict.fromkeys((*self.looked_at, *sorted(looked.places))))

    @property
    def room(self) -> str:
        """Region of the place where the robot is."""
        entry = self.robot.file.places.get(self.place)
        return entry.region if entry else ''

    @property
    def held(self) -> list[str]:
        """Things that it holds."""
        return [name for _, name in self._held]

    @property
    def names(self) -> list[str]:
        """Names of things that skills may be about: those that are known, and `SOMETHING` while
        something without a name is held.
        """
        return [*self.things, *([SOMETHING] if SOMETHING in self.held else ())]

    def hands(self) -> tuple[tuple[str, str], ...]:
        """Hand, '' where that is not known, and thing."""
        return tuple(self._held)

    def _in_hand(self, hand: str) -> list[tuple[str, str]]:
        """Things that may be in a hand; '' for all of them."""
        return [pair for pair in self._held if not hand or pair[0] in ('', hand)]

    def held_where(self) -> list[str]:
        """The same with the hands that have names: 'crate 1 in left hand'."""
        return [f'{name} in {hand}' if hand else name for hand, name in self._held]

    def grips(self, name: str, hand: str = '', since: float = -math.inf) -> str:
        """The source that reports something in a hand, not what, which holds this thing alone.

        :param since: s, when it did. :returns: '' for none.
        """
        hands = [one for one, held in self._reading.held.items() if held is True]
        hands = [one for one in hands if not hand or one in ('', hand)]
        gripper = next((s for s in self.robot.senses.held if s.entry.hand in hands), None)
        is_only = [name] == [other for _, other in self._in_hand(hand)]
        if gripper is None or not is_only:
            return ''
        return gripper.what if self._fact_of(gripper, _SOMETHING).time >= since else ''

    def lacks(self, need: Effect, hand: str = '') -> str:
        """Reason why a fact is not as it has to be; '' when it is, and when nobody knows.

        Of a number that nobody knows, it says so: it is no ground to begin anything.
        """
        verdict = self.test(need, hand)
        if verdict.is_disputed:
            by = sources_of(verdict)
            return f'Whether {replace(need, holds=True).text} is not known: {by} disagree.'
        of_number = need.relation is Relation.IS and self._numbers.tells(need.subject, need.value)
        if verdict.holds is None and of_number:
            return f'{self._unknown_number(need)}.'
        if verdict.holds is not False:
            return ''
        if need.relation is Relation.HOLDING:
            where = f' in {hand}' if hand else ''
            if not need.holds:
                return f'You hold {need.value}{where}.'
            observed = f': you hold {listed(self.held_where())}' if self.held else ''
            return f'You do not hold {need.value}{where}{observed}.'
        if need.relation is Relation.AT:
            at = f'You are at {self.place}' if self.place else 'You are at no named place'
            return f'{at}{f", not at {need.value}" if need.holds else ""}.'
        thing = self.things.get(need.subject, Thing())
        if need.relation is Relation.IN:
            here = need.value == HERE
            at = f'here at {self.place}' if here else f'at {need.value}'
            if not thing.place:
                return f'{need.subject} is not {at}.'
            where = 'held by you' if thing.place == ROBOT else f'at {thing.place}'
            return f'{need.subject} is {where}{f", not {at}" if need.holds else ""}.'
        if of_number:
            observed = ', '.join(self.states(need.subject))
            wanted = fact_text(need.subject, need.value)
            return (
                f'{need.subject} is {observed}; needed is {"" if need.holds else "not "}{wanted}.'
            )
        if not thing.state:
            return f'{need.subject} is not {need.value}.'
        return f'{need.subject} is {thing.state}{f", not {need.value}" if need.holds else ""}.'

    def _unknown_number(self, need: Effect) -> str:
        """That a number that is needed is not known, and why, as far as a source reports."""
        why = self.silent.get(need.subject, '')
        sentence = f'Whether {fact_text(need.subject, need.value)} is not known'
        return f'{sentence}: {why}' if why else sentence

    def states(self, name: str) -> list[str]:
        """The states of a thing, with its numbers and what follows from them."""
        return [*self.things.get(name, Thing()).states, *self._numbers.states(name)]

    def denied_hold(self, name: str) -> bool:
        """Whether a sense reports that a thing is not held."""
        return self.report_on(Effect(Relation.HOLDING, '', name)).holds is False

    def lost(self, before: list[str], skill: Skill, slots: Mapping[str, str]) -> str:
        """A sentence about what was held before a skill and, against its effects, is no longer."""
        put = {with_values(e, slots).value for e in skill.type.facts if not e.holds}
        put |= {with_values(e, slots).subject for e in skill.type.facts}
        gone = [name for name in before if name not in (*self.held, *put)]
        return f'You no longer hold {listed(gone)}.' if gone else ''

    # For observations -------------------------------------------------------------------------

    def sensed(self) -> Iterator[str]:
        """Relations that senses report now, whatever they report."""
        if self._sensed_place is not None:
            yield Relation.AT.value
        hands = set(self._reading.held)
        if '' in hands or (bool(hands) and hands.issuperset(self.robot.file.hands)):
            yield Relation.HOLDING.value

    def evidence(self) -> Iterator[Fact]:
        """Believed facts with sources and times, and those that contradict each other."""
        senses, numbers = self.robot.senses, self._numbers.evidence(self.now)
        if self.place:
            by = senses.place if self._reading.place else senses.pose or senses.place
            is_sensed = self._sensed_place is not None and self.place != self._assumed_place
            yield self._fact_of(by if is_sensed else None, Effect(Relation.AT, '', self.place))
        for hand, name in self._held:
            if name == SOMETHING:
                continue
            what = Effect(Relation.HOLDING, '', name)
            gripper = next((one for one in senses.held if one.entry.hand in ('', hand)), None)
            if gripper and self._is_reported(hand, name):
                yield self._fact_of(gripper, what)
            else:
                where = self.things.get(name, Thing()).where
                yield replace(where or self._fact_of(None, what), what=what)
        for thing in self.things.values():
            if thing.where is not None and thing.place != ROBOT:
                declared = thing.where.source == _FILE
                yield replace(thing.where, time=self.now) if declared else thing.where
                yield from self._agreeing(thing.where)
            for word in sorted(thing.words, key=lambda fact: fact.what.value):
                yield word
                yield from self._agreeing(word)
        yield from numbers
        yield from self._disputed

    def _agreeing(self, fact: Fact) -> Iterator[Fact]:
        """Reports of further sources that say the same."""
        kept = self._kept.about(fact.what)
        yield from (one for one in kept if one.what == fact.what and one != fact)

    def assumed(self) -> Iterator[Effect]:
        """What is believed and no sense has reported."""
        for fact in self.evidence():
            is_last = fact.what.relation is Relation.HOLDING and not fact.is_fresh(self.now)
            if is_last or not fact.source.kind.senses:
                yield fact.what

    def contradictions(self) -> Iterator[str]:
        """Sentences about sources that contradict each other."""
        about: dict[str, list[Fact]] = {}
        for fact in self._disputed:
            what = fact.what
            about.setdefault(what.subject or what.value, []).append(fact)
        for name, facts in about.items():
            said = listed([f'{fact.source.name} says "{fact.what.text}"' for fact in facts])
            yield f'Not known of {name}: {said}.'

    def reports_now(self, fact: Fact) -> bool:
        """Test for a fact that its source reports at this moment, and has not fallen silent."""
        silent = fact.source.name in self._reading.unheard
        return fact.time >= self.now and not silent

    def last_seen(self, fact: Fact | None) -> str:
        """Time since a fact was known, as a clause; '' for one that is known now."""
        if fact is None or fact.is_fresh(self.now):
            return ''
        return f'last seen {self.now - fact.time:.0f} s ago'

    def seen_at(self, thing: Thing) -> float:
        """When a thing was seen that is not known to be there now, s of the node; else 0."""
        where = thing.where
        if where is None or where.is_fresh(self.now):
            return 0.0
        return self.on_node_clock(where).time

    def on_node_clock(self, fact: Fact) -> Fact:
        """The same with its time by the clock of the node."""
        return replace(fact, time=max(0.0, self._reading.now - (self.now - fact.time)))


def _effects_of(skill: Skill, slots: Mapping[str, str]) -> Iterator[Effect]:
    """Effects of a skill, without those on a thing of which only that it is held is known: what it
    is, and where it lies then, is for the senses to say.
    """
    effects = (with_values(effect, slots) for effect in skill.type.facts)
    yield from (effect for effect in effects if effect.subject != SOMETHING)


def in_hand(fact: Effect, hand: str) -> Effect:
    """A question about a held thing, of one hand. :param hand: '' for any."""
    return replace(fact, subject=hand) if fact.relation is Relation.HOLDING else fact


def sources_of(verdict: Verdict) -> str:
    """The sources of its evidence, for sentences."""
    return ' and '.join(dict.fromkeys(fact.source.name for fact in verdict.evidence))


def _names(names: Sequence[str], name: str) -> bool:
    """Test whether what a source reports names a thing: itself, or its class without a number."""
    return name in names or class_and_number(name)[0] in names


def _named(reported: str, believed: Mapping[str, str]) -> str:
    """The thing that a source means: the held one of a class that it tells without a number."""
    if class_and_number(reported)[1] or reported in believed:
        return reported
    return next((name for name in believed if class_and_number(name)[0] == reported), reported)


def _seen_fact(what: Effect, one: Seen, now: float) -> Fact:
    """A report as a fact; one without an age is of now. :param now: s."""
    at = now if one.at is None or not one.age else one.at
    return Fact(what, Source(SourceKind.SENSOR, one.by), at, one.age or math.inf)


def listed(names: list[str]) -> str:
    """Names in a sentence."""
    if len(names) < 2:
        return ''.join(names)
    return f'{", ".join(names[:-1])} and {names[-1]}'
