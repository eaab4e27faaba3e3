"""What the bridge knows of its robot: where it is, what it holds, which things are where.

Senses report it. What they do not report follows from the effects of the skills that succeeded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from reactree_core.errors import SkillError
from reactree_core.measures import fact_text
from reactree_core.skill_types import class_and_number, Effect, is_of_class, Relation, SkillKind
from robot_bridge.numbers import Numbers
from robot_bridge.perception_file import TOPIC
from robot_bridge.poses import Pose
from robot_bridge.robot import Robot, Skill, with_values
from robot_bridge.sensed import is_opposite, Known, named, Reading, Sensed, SOMETHING, tells
from robot_bridge.senses import EVERYWHERE, HERE, Looked, Seen

#: Most things that are remembered beside those that are seen, held or given by the file.
_MOST_THINGS = 500
#: What holds a thing that the robot holds, in facts.
ROBOT = 'agent 1'


@dataclass(frozen=True, slots=True)
class Thing:
    """What is known of a thing.

    :param place: '' where that is not known. :param state: its states, joined by ', '.
    :param assumed_place: whether no sense has reported the place: an effect did, or the file.
    :param assumed: those of its states that no sense has reported.
    :param by_camera: whether its pose is what a camera sees now: no other one is known then.
    :param by_model: whether what no sense has reported of it is what a vision-language model says.
    """

    place: str = ''
    state: str = ''
    pose: Pose | None = None
    assumed_place: bool = False
    assumed: frozenset[str] = frozenset()
    by_camera: bool = False
    by_model: bool = False

    @property
    def states(self) -> list[str]:
        """Its states, one by one."""
        return self.state.split(', ') if self.state else []


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
            name: Thing(entry.place, assumed_place=True)
            for name, entry in robot.file.things.items()
        }
        self.seen: tuple[str, ...] = ()
        self.looked_at: tuple[str, ...] = ()
        self.silent: dict[str, str] = {}
        self._numbers = Numbers()
        #: When the newest skill ended, by the clock of pictures: what was seen before is over.
        self.changed_at = -math.inf
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
        )

    # What is learned -----------------------------------------------------------------------

    def learn(self, reading: Reading) -> None:
        """Take what the senses report."""
        senses = self.robot.senses
        self.silent = dict(reading.silent)
        if senses.pose is not None:
            self.pose = reading.pose
            self.place = self._nearest(reading.pose, senses.pose.near) if reading.pose else ''
        if senses.place is not None and (reading.place or senses.pose is None):
            # A name that is given is surer than the nearest place.
            self.place = reading.place or ''
        everywhere = self._stands or reading.whole == EVERYWHERE
        at = tuple(self.robot.file.places) if everywhere else (self.place,)
        self.looked_at = tuple(place for place in at if place and reading.whole)
        self._reading = reading
        self._learn_numbers(reading)
        self._sensed = self._ask(reading)
        if self.place:
            self._assumed_place = ''
        elif self._sensed.place is not None:
            self.place = self._assumed_place
        for hand, held in reading.held.items():
            self._hold(hand, held)
        for hand, name in self._sensed.in_hands():
            self._grasp(hand, name)
        if reading.seen is not None:
            self._see(reading.seen)
        elif senses.facts:
            self.seen = ()

    def _learn_numbers(self, reading: Reading) -> None:
        for name, number in reading.numbers.items():
            if number is None:
                self._numbers.forget(name)
            else:
                self._numbers.take(name, (number,))
        for one in reading.seen or ():
            self._numbers.take(one.name, one.numbers)
        self._numbers.forget_old(reading.when)

    def _hold(self, hand: str, held: tuple[str, ...] | bool) -> None:
        """What is in a hand; '' for all of them."""
        before = {name: other for other, name in self._held if hand in ('', other)}
        if held is True:
            there = (name for name in before if self._sensed.elsewhere(name) is None)
            held = tuple(there) or (SOMETHING,)
        held = tuple(named(name, before) for name in held or ())
        others = [pair for pair in self._held if hand not in ('', pair[0])]
        self._held = [*others, *((before.get(name, hand), name) for name in held)]
        for name in before:
            # It is no longer held, and nothing has reported where it went.
            if name not in self.held and self.things.get(name, Thing()).place == ROBOT:
                self._put(name, '')
        self._keep_to_hands()
        for name in self.held:
            if name != SOMETHING:
                self._put(name, ROBOT)

    def _grasp(self, hand: str, name: str) -> None:
        """Know a thing in a hand, in place of something that nobody has reported."""
        self._release(name)
        unknown = [pair for pair in self._held if pair[1] == SOMETHING]
        if hand:
            unknown = [pair for pair in unknown if pair[0] in ('', hand)]
        if unknown:
            self._held.remove(unknown[-1])
            hand = hand or unknown[-1][0]
        self._held.append((hand, name))
        self._put(name, ROBOT)
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
        names: dict[str, None] = {}
        for one in (one for one in seen if not one.by_model):
            self._see_one(one, one.name in names)
            names[one.name] = None
        self.seen = tuple(names)
        looked = self._reading.looked or Looked()
        for name, thing in self.things.items():
            if name in names or name in self.held:
                continue
            # What left where it was seen may since have been put where nobody has looked.
            left = name in looked.gone and not thing.assumed_place
            if left or thing.place in self.looked_at or looked.in_vain(name, thing.place):
                # It was there, and is no longer.
                self.things[name] = replace(thing, place='', pose=None)
        for one in (one for one in seen if one.by_model):
            self._hear_model(one)
        kept = {*self.seen, *self.held, *self.robot.file.things}
        for name in [name for name in self.things if name not in kept][:-_MOST_THINGS]:
            del self.things[name]
        self._numbers.keep((*self.things, *self.robot.file.state.numbers))

    def _see_one(self, one: Seen, again: bool) -> None:
        """Take what one source reports of a thing. :param again: another one has it now."""
        thing = self.things.get(one.name, Thing())
        place, assumed_place = thing.place, thing.assumed_place
        if one.name in self.held and self._sensed.elsewhere(one.name) is None:
            place, assumed_place = ROBOT, False
        elif one.place or one.pose is not None:
            self._release(one.name)
            place = self.place if one.place == HERE else one.place
            if not place and one.pose is not None:
                place = self._nearest(one.pose, one.near)
            assumed_place = False
        state, assumed = thing.state, thing.assumed
        if one.state:
            states = one.state.split(', ')
            # What another source has reported, or none can report, stays.
            kept = [
                word
                for word in thing.states
                if word not in states
                and (again or (word in assumed and not tells(one, word)))
                and not any(is_opposite(word, other) for other in states)
            ]
            state, assumed = ', '.join((*states, *kept)), assumed.intersection(kept)
        pose = one.pose or (thing.pose if again else None)
        by_camera = one.by == TOPIC and one.pose is not None
        # What a model has said, and this source does not report, stays what a model says.
        by_model = thing.by_model and bool(assumed or assumed_place)
        self.things[one.name] = Thing(
            place, state, pose, assumed_place, assumed, by_camera, by_model
        )

    def _hear_model(self, one: Seen) -> None:
        """Take what a vision-language model says, where no sense has reported otherwise.

        Of a picture that is older than the newest skill nothing follows.
        """
        if one.seen_at <= max(self.changed_at, self._model_heard.get(one.name, -math.inf)):
            return
        self._model_heard[one.name] = one.seen_at
        thing = self.things.get(one.name, Thing())
        sensed_place = bool(thing.place) and not thing.assumed_place
        if one.place and not sensed_place and one.name not in self.held:
            thing = replace(thing, place=one.place, pose=None, assumed_place=True)
        sensed = [word for word in thing.states if word not in thing.assumed]
        states = [] if sensed or not one.state else one.state.split(', ')
        if states:
            thing = replace(thing, state=', '.join(states), assumed=frozenset(states))
        self.things[one.name] = replace(thing, by_model=True)

    def _is_near(self, name: str, pose: Pose, most: float) -> bool | None:
        """Whether a named place is near a pose; None where the place has no pose that is known."""
        if not self.robot.file.places[name].has_pose:
            return None
        try:
            other = self._poses(name, pose.frame)
        except SkillError:
            return None
        return math.hypot(pose.x - other.x, pose.y - other.y) <= most

    def _nearest(self, pose: Pose, most: float) -> str:
        """The named place nearest to a pose, no farther than this; '' for none."""
        best, found = most, ''
        for name, entry in self.robot.file.places.items():
            if not entry.has_pose:
                continue
            try:
                other = self._poses(name, pose.frame)
            except SkillError:
                continue
            away = math.hypot(pose.x - other.x, pose.y - other.y)
            if away <= best:
                best, found = away, name
        return found

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
        for effect in () if against else skill.type.facts:
            fact = with_values(effect, slots)
            if self._sensed.says(fact, skill.entry.hand).holds is None:
                self._assume(fact, skill.entry.hand)
        slotted = {f'<{name}>': value for name, value in slots.items()}
        for treatment in () if against else skill.type.treatments:
            bound = treatment.bound(slotted)
            if bound is not None:
                self._treat(bound.place, bound.state)
        if not against and self._reading.seen is not None:
            # What was put down is seen where it is.
            self._see(self._reading.seen)
        return against

    def _treat(self, place: str, state: str) -> None:
        """Take all that is in a place for treated, where no sense reports it."""
        within = {thing.place for thing in self.things.values() if is_of_class(thing.place, place)}
        for name, thing in list(self.things.items()) if len(within) == 1 else ():
            fact = Effect(Relation.IS, name, state)
            if thing.place in within and self._sensed.says(fact).holds is None:
                self._set_state(fact)

    def _assume(self, effect: Effect, hand: str) -> None:
        senses = self.robot.senses
        if effect.relation is Relation.AT:
            if effect.holds and senses.pose is None and senses.place is None:
                self.place = effect.value
            elif effect.holds and self._sensed.place == '':
                # A sense reports where the robot is, and this place has no pose.
                self.place = self._assumed_place = effect.value
        elif effect.relation is Relation.HOLDING:
            if effect.holds:
                self._grasp(hand, effect.value)
            elif effect.value in self.held:
                self._release(effect.value)
                if self.things[effect.value].place == ROBOT:
                    self._put(effect.value, '')
        elif effect.relation is Relation.IN and effect.holds:
            place = self.place if effect.value == HERE else effect.value
            self._release(effect.subject)
            self._put(effect.subject, place)
        elif effect.relation is Relation.IN:
            if self.things.get(effect.subject, Thing()).place == effect.value:
                self._put(effect.subject, '')
        else:
            self._set_state(effect)

    def _release(self, name: str) -> None:
        self._held = [pair for pair in self._held if pair[1] != name]

    def _put(self, name: str, place: str) -> None:
        thing = self.things.get(name, Thing())
        # Where it was seen is not where it is now.
        self.things[name] = replace(
            thing, place=place, pose=None, assumed_place=True, by_model=False
        )

    def _set_state(self, effect: Effect) -> None:
        thing = self.things.get(effect.subject, Thing())
        states = [state for state in thing.states if state != effect.value]
        if effect.holds:
            states = [state for state in states if not is_opposite(state, effect.value)]
            states.append(effect.value)
        assumed = (thing.assumed | {effect.value}).intersection(states)
        self.things[effect.subject] = replace(
            thing, state=', '.join(states), assumed=assumed, by_model=False
        )

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

        What a sense reports now is so. Else it is as effects, the file or earlier senses had it.
        """
        sensed = self._sensed.says(fact, hand)
        return sensed if sensed.holds is not None else Known(self._believed(fact, hand))

    def _believed(self, fact: Effect, hand: str) -> bool | None:
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
            wanted = self.place if fact.value == HERE else fact.value
            return thing.place == wanted if thing.place and wanted else None
        return fact.value in thing.states if thing.state else None

    def lacks(self, need: Effect, hand: str = '') -> str:
        """Why a fact is not as wanted; '' when it is, and when nobody knows.

        Of a number that nobody knows, it says so: it is no ground to begin anything.
        """
        holds = self.known(need, hand).holds
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

    def assumed(self) -> Iterator[Effect]:
        """What is believed and no sense has reported."""
        if self.place and (self._sensed.place is None or self.place == self._assumed_place):
            yield Effect(Relation.AT, '', self.place)
        for hand, name in self._held:
            if name != SOMETHING and not self._is_told(hand, name):
                yield Effect(Relation.HOLDING, '', name)
        for name, thing in self.things.items():
            if thing.place and thing.place != ROBOT and thing.assumed_place:
                yield Effect(Relation.IN, name, thing.place)
            for word in sorted(thing.assumed):
                yield Effect(Relation.IS, name, word)


def listed(names: list[str]) -> str:
    """Names in a sentence."""
    if len(names) < 2:
        return ''.join(names)
    return f'{", ".join(names[:-1])} and {names[-1]}'
