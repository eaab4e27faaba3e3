"""Belief of the bridge about its robot: where it is, what it holds, which things are where.

Sources report it. What they do not report follows from the effects of the skills that succeeded.
Each fact that is kept has its source and time: one that is older than its age, or whose source has
fallen silent, is where it was last seen, and is not known now.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from reactree_core.belief import Fact, Source, SourceKind
from reactree_core.errors import SkillError
from reactree_core.measures import fact_text
from reactree_core.skill_types import class_and_number, Effect, is_of_class, Relation, SkillKind
from robot_bridge.instances import Instances
from robot_bridge.numbers import Numbers
from robot_bridge.perception_file import TOPIC
from robot_bridge.poses import Pose
from robot_bridge.robot import Robot, Skill, with_values
from robot_bridge.sensed import Grasp, is_opposite, Known, named, Sensed, SOMETHING
from robot_bridge.sources import EVERYWHERE, HERE, Looked, Reading, Seen, Sense

#: Most things that are remembered beside those that are seen, held or given by the file.
_MOST_THINGS = 500
#: What holds a thing that the robot holds, in facts.
ROBOT = 'agent 1'


_FILE = Source(SourceKind.PERSON, "the robot's file")
_EFFECT = Source(SourceKind.EFFECT)
_MODEL = Source(SourceKind.PERSON, 'a vision-language model')


@dataclass(frozen=True, slots=True)
class Thing:
    """What is known of a thing.

    :param where: the place that it was in last; None where that is not known.
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
        return self.where.what.value if self.where else ''

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


class Belief:
    """What is known, and what can be said of it.

    A sense wins over an effect, always: `known` asks the senses first, and `did` takes no effect
    of a skill where a sense reports the fact.

    :param poses: pose of a place in a frame. :raises SkillError: that is not known.
    """

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
        self.things: dict[str, Thing] = {
            name: Thing(_placed(name, entry.place, _FILE, 0.0))
            for name, entry in robot.file.things.items()
        }
        self.seen: tuple[str, ...] = ()
        self.looked_at: tuple[str, ...] = ()
        self.silent: dict[str, str] = {}
        #: Fault of a present report -> the sentence for people.
        self.notices: dict[str, str] = {}
        #: Contradictions: facts by sources that exclude each other, of things.
        self._disputed: list[Fact] = []
        #: What further sources report that say the same as the evidence of a thing.
        self._agreed: list[Fact] = []
        self._numbers = Numbers()
        named = (entry.name for entry in robot.file.state.facts if '{' not in entry.name)
        declared = {*robot.file.things, *robot.file.places, *named}
        classes = {entry.name for entry in robot.file.classes if entry.kind == 'thing'}
        self._instances = Instances(classes - declared, frozenset(declared))
        #: When the newest skill ended, by the clock of pictures: what was seen before is over.
        self.changed_at = -math.inf
        #: When the newest skill ended, by the clock of readings.
        self.acted_at = -math.inf
        #: When the robot came to its place, at the latest.
        self._arrived_at = -math.inf
        self._grasp_began: Grasp | None = None
        #: Thing -> when the picture was taken of which a model spoke last.
        self._model_heard: dict[str, float] = {}
        moves = any(skill.type.kind is SkillKind.MOVE for skill in robot.skills)
        self._stands = not moves and robot.senses.pose is None and robot.senses.place is None
        self._reading = Reading()
        self._sensed = self._ask(self._reading)

    def _ask(self, reading: Reading) -> Sensed:
        return Sensed(
            self.robot,
            reading,
            self.place,
            self.looked_at,
            self._is_near,
            lambda: self._held,
            self._numbers,
            lambda: self._grasp_began,
        )

    # What is learned -----------------------------------------------------------------------

    def learn(self, reading: Reading) -> None:
        """Take what the senses report."""
        senses = self.robot.senses
        before, place = self._reading.when, self.place
        self.silent = dict(reading.silent)
        self.notices = dict(reading.notices)
        self._disputed.clear()
        self._agreed.clear()
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
        if reading.seen is not None:
            of_here = (one for one in reading.seen if not self._is_elsewhere(one))
            reading.seen = tuple(of_here)
            self._number(reading)
        self._reading = reading
        self._learn_numbers(reading)
        self._sensed = self._ask(reading)
        if self.place:
            self._assumed_place = ''
        elif self._sensed.place is not None:
            self.place = self._assumed_place
        filled = len(self._held)
        grasp = self._grasp_now(changed)
        self._grasp_began = self._grasp_began or grasp
        for hand, held in reading.held.items():
            self._hold(hand, held)
        for hand, name, by in self._sensed.in_hands:
            self._grasp(hand, name, Source(SourceKind.SENSOR, by))
        if len(self._held) > filled:
            self._grasp_began = grasp
        elif not self._held:
            self._grasp_began = None
        if reading.seen is not None:
            self._see(reading.seen)
            self._eliminate()
        elif senses.facts:
            self.seen = ()

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
        sensed = self._ask(reading)
        held = [
            name
            for name in self.held
            if sensed.says(Effect(Relation.HOLDING, '', name)).holds is not False
        ]
        known = {
            name: ('' if thing.place == ROBOT else thing.place, thing.pose)
            for name, thing in self.things.items()
        }
        seen = reading.seen or ()
        reading.seen = self._instances.numbered(seen, known, held, self._place_of)
        self.notices |= self._instances.notices

    def _grasp_now(self, at: float) -> Grasp:
        """A grasp at a time, with the poses known then. :param at: s."""
        poses = {name: one.pose for name, one in self.things.items() if one.pose is not None}
        return Grasp(at, poses)

    def _eliminate(self) -> None:
        """Take the only thing that has gone since a hand has closed for what is in that hand."""
        unknown = [hand for hand, name in self._held if name == SOMETHING]
        gone = self._grasp_began.gone if self._grasp_began else ()
        if len(unknown) == len(gone) == 1:
            (name,) = gone
            self._grasp(unknown[0], name, Source(SourceKind.EFFECT, f'{name} is the one missing'))

    def _hold(self, hand: str, held: tuple[str, ...] | bool) -> None:
        """What is in a hand; '' for all of them."""
        before = {name: other for other, name in self._held if hand in ('', other)}
        if held is True:
            there = (name for name in before if self._sensed.elsewhere(name) is None)
            held = tuple(there) or (SOMETHING,)
        held = tuple(named(name, before) for name in held or ())
        # Of what another source sees elsewhere, only that something is held is known.
        says = {name: self._sensed.says(Effect(Relation.HOLDING, '', name)) for name in held}
        in_hand = [SOMETHING if says[name].is_disputed else name for name in held]
        others = [pair for pair in self._held if hand not in ('', pair[0])]
        self._held = [*others, *((before.get(name, hand), name) for name in in_hand)]
        for name in before:
            # It is no longer held, and nothing has reported where it went.
            if name not in self.held and self.things.get(name, Thing()).place == ROBOT:
                self._put(name, '')
        self._keep_to_hands()
        for name in self.held:
            if name != SOMETHING and (name not in before or self._is_told(hand, name)):
                senses = self.robot.senses.held
                gripper = next((one for one in senses if one.entry.hand == hand), None)
                where = self._reported(Effect(Relation.IN, name, ROBOT), gripper)
                self.things[name] = replace(self.things.get(name, Thing()), where=where, pose=None)

    def _grasp(self, hand: str, name: str, source: Source = _EFFECT) -> None:
        """Know a thing in a hand, in place of something that nobody has reported."""
        self._release(name)
        unknown = [pair for pair in self._held if pair[1] == SOMETHING]
        if hand:
            unknown = [pair for pair in unknown if pair[0] in ('', hand)]
        if unknown:
            self._held.remove(unknown[-1])
            hand = hand or unknown[-1][0]
        self._held.append((hand, name))
        self._put(name, ROBOT, source)
        self._keep_to_hands(name)

    def _keep_to_hands(self, newest: str = '') -> None:
        """Hold no more than there are hands, where the file says them, and one thing in each.

        What no sense reports goes first, and of that the oldest.
        """
        hands = self.robot.file.hands
        groups = [(hand, 1) for hand in hands if hand]
        for hand, most in (*groups, ('', len(hands))) if hands else ():
            inside = [pair for pair in self._held if hand in ('', pair[0])]
            order = sorted(inside, key=lambda pair: (self._is_told(*pair), pair[1] == newest))
            for pair in order[: max(0, len(inside) - most)]:
                self._held.remove(pair)
                if self.things.get(pair[1], Thing()).place == ROBOT:
                    self._put(pair[1], '')

    def _is_told(self, hand: str, name: str) -> bool:
        """Whether a sense reports that a thing is held."""
        sensed = self._sensed.says(Effect(Relation.HOLDING, '', name), hand)
        return bool(sensed.holds and not sensed.partly)

    def _see(self, seen: Iterable[Seen]) -> None:
        reports: dict[str, list[Seen]] = {}
        for one in (one for one in seen if not one.is_hint):
            reports.setdefault(one.name, []).append(one)
        self._disputed.clear()
        self._agreed.clear()
        for name, ones in reports.items():
            self._see_one(name, ones)
        self.seen = tuple(reports)
        looked, gone = self._reading.looked or Looked(), set()
        for name, thing in self.things.items():
            if name in reports or name in self.held:
                continue
            # What left where it was seen may since have been put where nobody has looked.
            left = name in looked.gone and not thing.assumed_place
            if left or thing.place in self.looked_at or looked.in_vain(name, thing.place):
                # It was there, and is no longer.
                if thing.place == self.place and not thing.assumed_place:
                    gone.add(name)
                self.things[name] = replace(thing, where=None, pose=None)
        if self._grasp_began is not None:
            since = (self._grasp_began.gone | gone).difference(reports)
            self._grasp_began = replace(self._grasp_began, gone=since)
        for one in (one for one in seen if one.is_hint):
            self._take_hint(one)
        kept = {*self.seen, *self.held, *self.robot.file.things}
        for name in [name for name in self.things if name not in kept][:-_MOST_THINGS]:
            del self.things[name]
        self._numbers.keep((*self.things, *self.robot.file.state.numbers))

    def _see_one(self, name: str, reports: list[Seen]) -> None:
        """Take what sources report of a thing, where they do not contradict each other."""
        thing = self.things.get(name, Thing())
        placed = [
            _seen_fact(Effect(Relation.IN, name, place), one, self._reading.when)
            for one in reports
            if (place := self._place_of(one))
        ]
        where = thing.where
        if name in self.held and self._sensed.elsewhere(name) is None:
            self._put(name, ROBOT, _source(reports[0]))
            where = self.things[name].where
        elif any(one.place or one.pose is not None for one in reports):
            held = self._sensed.says(Effect(Relation.HOLDING, '', name))
            if held.holds is not True:
                self._release(name)
            where = next((fact for fact in placed if self._sensed.says(fact.what).holds), None)
            if where is None and any(self._sensed.says(one.what).is_disputed for one in placed):
                self._dispute(held, name, placed)
        words = [
            _seen_fact(Effect(Relation.IS, name, word), one, self._reading.when)
            for one in reports
            for word in (one.state.split(', ') if one.state else ())
        ]
        so = {fact.what.value: fact for fact in words if self._sensed.says(fact.what).holds}
        self._agreed += [
            fact
            for fact in (*placed, *words)
            if fact not in (where, so.get(fact.what.value)) and self._sensed.says(fact.what).holds
        ]
        self._disputed += [fact for fact in words if fact.what.value not in so]
        # What another source has reported, or none can report, stays.
        kept = [
            fact
            for fact in thing.words
            if fact.what.value not in so
            and self._sensed.says(fact.what) == Known()
            and not any(is_opposite(fact.what.value, other) for other in so)
        ]
        poses = [one for one in reports if one.pose is not None]
        self.things[name] = Thing(
            where,
            (*so.values(), *kept),
            poses[-1].pose if poses else None,
            bool(poses) and poses[-1].by == TOPIC,
        )

    def _dispute(self, held: Known, name: str, placed: list[Fact]) -> None:
        """Keep facts that contradict each other, as evidence."""
        if held.is_disputed:
            by = next((one for one in self.robot.senses.held if one.what in (held.by or '')), None)
            self._disputed.append(self._reported(Effect(Relation.HOLDING, '', name), by))
        self._disputed += placed

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
        thing = self.things.get(one.name, Thing())
        now = self._reading.when
        is_sensed = thing.where is not None and not thing.assumed_place
        if one.place and not is_sensed and one.name not in self.held:
            thing = replace(thing, where=_placed(one.name, one.place, source, now), pose=None)
        if one.state and thing.assumed.issuperset(thing.states):
            words = (Effect(Relation.IS, one.name, word) for word in one.state.split(', '))
            thing = replace(thing, words=tuple(Fact(word, source, now) for word in words))
        self.things[one.name] = thing

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

    def contradiction(self, skill: Skill, slots: Mapping[str, str]) -> str:
        """What a sense reports against the effects of a skill that succeeded; '' for nothing."""
        for effect in skill.type.facts:
            fact = with_values(effect, slots)
            sensed = self._sensed.says(fact, skill.entry.hand)
            if sensed.holds is not None and sensed.holds is not fact.holds:
                return (
                    f'It was reported as done, but by {sensed.by} it was not. {self.lacks(fact)}'
                )
        return ''

    def did(self, skill: Skill, slots: Mapping[str, str]) -> str:
        """Take the effects of a skill that has succeeded, where no sense reports them.

        :returns: what a sense reports against them; then none counts. '' for nothing.
        """
        against = self.contradiction(skill, slots)
        text = skill.type.template
        for name, value in slots.items():
            text = text.replace(f'<{name}>', value)
        source = Source(SourceKind.EFFECT, text)
        for effect in () if against else skill.type.facts:
            fact = with_values(effect, slots)
            if self._sensed.says(fact, skill.entry.hand) == Known():
                self._assume(fact, skill.entry.hand, source)
        slotted = {f'<{name}>': value for name, value in slots.items()}
        for treatment in () if against else skill.type.treatments:
            bound = treatment.bound(slotted)
            if bound is not None:
                self._treat(bound.place, bound.state, source)
        if not against and self._reading.seen is not None:
            # What was put down is seen where it is.
            self._see(self._reading.seen)
        return against

    def suppose(self, fact: Effect, hand: str = '') -> None:
        """Take a fact for so, as an effect of an earlier skill, where no sense reports it."""
        if self._sensed.says(fact, hand) == Known():
            self._assume(fact, hand)

    def _treat(self, place: str, state: str, source: Source) -> None:
        """Take all that is in a place for treated, where no sense reports it."""
        within = {thing.place for thing in self.things.values() if is_of_class(thing.place, place)}
        for name, thing in list(self.things.items()) if len(within) == 1 else ():
            fact = Effect(Relation.IS, name, state)
            if thing.place in within and self._sensed.says(fact).holds is None:
                self._set_state(fact, source)

    def _assume(self, effect: Effect, hand: str, source: Source = _EFFECT) -> None:
        senses = self.robot.senses
        if effect.relation is Relation.AT:
            if effect.holds and senses.pose is None and senses.place is None:
                self.place = effect.value
            elif effect.holds and self._sensed.place == '':
                # A sense reports where the robot is, and this place has no pose.
                self.place = self._assumed_place = effect.value
        elif effect.relation is Relation.HOLDING:
            if effect.holds:
                filled, grasp = len(self._held), self._grasp_now(self._reading.when)
                self._grasp(hand, effect.value, source)
                if len(self._held) > filled:
                    self._grasp_began = grasp
            elif effect.value in self.held:
                self._release(effect.value)
                if self.things[effect.value].place == ROBOT:
                    self._put(effect.value, '')
        elif effect.relation is Relation.IN and effect.holds:
            place = self.place if effect.value == HERE else effect.value
            self._release(effect.subject)
            self._put(effect.subject, place, source)
        elif effect.relation is Relation.IN:
            if self.things.get(effect.subject, Thing()).place == effect.value:
                self._put(effect.subject, '')
        else:
            self._set_state(effect, source)

    def _release(self, name: str) -> None:
        self._held = [pair for pair in self._held if pair[1] != name]

    def _put(self, name: str, place: str, source: Source = _EFFECT) -> None:
        """Know a thing in another place. :param place: '' where that is not known."""
        thing = self.things.get(name, Thing())
        # Where it was seen is not where it is now.
        where = _placed(name, place, source, self._reading.when)
        self.things[name] = replace(thing, where=where, pose=None)

    def _set_state(self, effect: Effect, source: Source) -> None:
        thing = self.things.get(effect.subject, Thing())
        words = [fact for fact in thing.words if fact.what.value != effect.value]
        if effect.holds:
            words = [fact for fact in words if not is_opposite(fact.what.value, effect.value)]
            words.append(Fact(effect, source, self._reading.when))
        self.things[effect.subject] = replace(thing, words=tuple(words))

    def reported(self, name: str) -> str:
        """The name under which the robot reports a thing, without the number that we gave it."""
        return self._instances.reported.get(name, name)

    def pose_of_thing(self, name: str) -> Pose:
        """Where a thing was seen. :raises SkillError: that is not known."""
        thing = self.things.get(name)
        if thing is None or thing.pose is None or (thing.by_camera and name not in self.seen):
            raise SkillError(f'The pose of "{name}" is not known: it is not visible now.')
        return thing.pose

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

    def hands(self) -> tuple[tuple[str, str], ...]:
        """Hand, '' where that is not known, and thing."""
        return tuple(self._held)

    def held_where(self) -> list[str]:
        """The same with the hands that have names: 'crate 1 in left hand'."""
        return [f'{name} in {hand}' if hand else name for hand, name in self._held]

    def known(self, fact: Effect, hand: str = '') -> Known:
        """Whether a fact holds, its "not" left aside, and by what that is known.

        What a sense reports now is so. Else it is as effects, the file or earlier senses had it,
        as long as that is not too old.
        """
        sensed = self._sensed.says(fact, hand)
        return sensed if sensed != Known() else Known(self._believed(fact, hand))

    def _is_current(self, fact: Fact) -> bool:
        """Test for a fact within its age whose source has not fallen silent since."""
        is_silent = fact.source.kind.senses and fact.source.name in self._reading.unheard
        return fact.is_fresh(self._reading.when) and not is_silent

    def _believed(self, fact: Effect, hand: str, last: bool = False) -> bool | None:
        """Truth of a fact by memory. :param last: also as it was seen last."""
        if fact.relation is Relation.HOLDING:
            # A thing in a hand that is not given may be in this one.
            held = [name for other, name in self._held if not hand or other in ('', hand)]
            return None if held == [SOMETHING] else fact.value in held
        if fact.relation is Relation.AT:
            return fact.value in (self.place, self.room) if self.place else None
        if fact.relation is Relation.IS and self._numbers.tells(fact.subject, fact.value):
            # A number that no sense reports now is not known, whatever it was.
            return None
        thing = self.things.get(fact.subject, Thing())
        if fact.relation is Relation.IN:
            place = self.place if fact.value == HERE else fact.value
            is_known = thing.where is not None and (last or self._is_current(thing.where))
            return thing.place == place if is_known and place else None
        words = [one.what.value for one in thing.words if last or self._is_current(one)]
        return fact.value in words if words else None

    def lacks(self, need: Effect, hand: str = '') -> str:
        """Why a fact is not as wanted; '' when it is, and when nobody knows.

        Of a number that nobody knows, it says so: it is no ground to begin anything.
        """
        known = self.known(need, hand)
        if known.is_disputed:
            return f'Whether {replace(need, holds=True).text} is not known: {known.by} disagree.'
        holds = known.holds if known != Known() else self._believed(need, hand, last=True)
        of_number = need.relation is Relation.IS and self._numbers.tells(need.subject, need.value)
        if holds is None and of_number:
            return f'{self._unknown_number(need)}.'
        if holds in (None, need.holds):
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
        return self._sensed.says(Effect(Relation.HOLDING, '', name)).holds is False

    def lost(self, before: list[str], skill: Skill, slots: Mapping[str, str]) -> str:
        """A sentence about what was held before a skill and, against its effects, is no longer."""
        put = {with_values(e, slots).value for e in skill.type.facts if not e.holds}
        put |= {with_values(e, slots).subject for e in skill.type.facts}
        gone = [name for name in before if name not in (*self.held, *put)]
        return f'You no longer hold {listed(gone)}.' if gone else ''

    # By what it is known ----------------------------------------------------------------------

    def sensed(self) -> Iterator[str]:
        """Relations that senses report now, whatever they report."""
        if self._sensed.place is not None:
            yield Relation.AT.value
        if self._sensed.tells_held:
            yield Relation.HOLDING.value

    def evidence(self) -> Iterator[Fact]:
        """Believed facts with sources and times, and those that contradict each other."""
        now, senses = self._reading.when, self.robot.senses
        if self.place:
            by = senses.place if self._reading.place else senses.pose or senses.place
            is_sensed = self._sensed.place is not None and self.place != self._assumed_place
            yield self._reported(Effect(Relation.AT, '', self.place), by if is_sensed else None)
        for hand, name in self._held:
            what = Effect(Relation.HOLDING, '', name)
            where = self.things.get(name, Thing()).where or self._reported(what, None)
            of_hand = (one for one in senses.held if one.entry.hand in ('', hand))
            gripper = next(of_hand, None)
            if name != SOMETHING and gripper and self._is_told(hand, name):
                yield self._reported(what, gripper)
            elif name != SOMETHING:
                yield replace(where, what=what)
        for thing in self.things.values():
            if thing.where is not None and thing.place != ROBOT:
                declared = thing.where.source == _FILE
                yield replace(thing.where, time=now) if declared else thing.where
            yield from sorted(thing.words, key=lambda fact: fact.what.value)
        yield from self._numbers.evidence(now)
        yield from self._agreed
        yield from self._disputed

    def _reported(self, what: Effect, by: Sense[Any] | None) -> Fact:
        """A fact that a source of place or hands reports now. :param by: None for an effect."""
        now = self._reading.when
        if by is None:
            return Fact(what, _EFFECT, now)
        source = Source(SourceKind.SENSOR, by.what)
        at = self._reading.at.get(by.what, now) if by.entry.age else now
        return Fact(what, source, at, by.entry.age or math.inf)

    def assumed(self) -> Iterator[Effect]:
        """What is believed and no sense has reported."""
        for fact in self.evidence():
            is_last = fact.what.relation is Relation.HOLDING and not self._is_current(fact)
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
        return fact.time >= self._reading.when and self._is_current(fact)

    def last_seen(self, fact: Fact | None) -> str:
        """Time since a fact was known, as a clause; '' for one that is known now."""
        if fact is None or self._is_current(fact):
            return ''
        return f'last seen {self._reading.when - fact.time:.0f} s ago'

    def seen_at(self, thing: Thing) -> float:
        """When a thing was seen that is not known to be there now, s of the node; else 0."""
        where = thing.where
        return 0.0 if where is None or self._is_current(where) else self.on_node_clock(where).time

    def on_node_clock(self, fact: Fact) -> Fact:
        """The same with its time by the clock of the node."""
        return replace(fact, time=max(0.0, self._reading.now - (self._reading.when - fact.time)))


def _placed(name: str, place: str, source: Source, at: float) -> Fact | None:
    """A thing in a place; None for no place."""
    return Fact(Effect(Relation.IN, name, place), source, at) if place else None


def _source(one: Seen) -> Source:
    return Source(SourceKind.SENSOR, one.by)


def _seen_fact(what: Effect, one: Seen, now: float) -> Fact:
    """A report as a fact; one without an age is of now. :param now: s."""
    at = now if one.at is None or not one.age else one.at
    return Fact(what, _source(one), at, one.age or math.inf)


def listed(names: list[str]) -> str:
    """Names in a sentence."""
    if len(names) < 2:
        return ''.join(names)
    return f'{", ".join(names[:-1])} and {names[-1]}'
