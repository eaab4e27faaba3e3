"""What a robot's senses report now, asked for one fact.

    known = sensed.says(fact, hand)      # held by /gripper, not at dock 1 by /pose, or not known

A fact that a sense reports is so, whatever a skill says that it did. What no sense reports now may
follow from effects: `Belief` asks here first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reactree_core.skill_types import class_and_number, Effect, Relation
from robot_bridge.numbers import Numbers, ReportedNumber
from robot_bridge.poses import Pose
from robot_bridge.robot import Robot
from robot_bridge.senses import HELD, HERE, Looked, Seen

#: What is held where only that something is held is known.
SOMETHING = 'something'
_OPPOSITES = {'open': 'closed', 'closed': 'open', 'on': 'off', 'off': 'on'}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a fact.

    :param holds: whether it holds; None where that is not known.
    :param by: the source that tells it now; None where it follows from effects, the file, or what
        was sensed before.
    :param partly: the source reports that something is held, not what.
    """

    holds: bool | None = None
    by: str | None = None
    partly: bool = False


UNKNOWN = Known()


@dataclass(slots=True)
class Reading:
    """What the senses report now; None where they tell nothing.

    :param pose: of the robot. :param place: its name.
    :param held: hand, '' for all of them -> names, or whether it holds anything.
    :param seen: things. :param whole: whether these are all that is at the place where it is, or
        'everywhere'.
    :param looked: where cameras have looked; None where they tell nothing fresh.
    :param numbers: of the robot itself, by what they are called; None of what is silent.
    :param when: s, of a clock that only goes on.
    :param silent: senses of which nothing fresh is known, with the reason.
    """

    pose: Pose | None = None
    place: str | None = None
    held: dict[str, tuple[str, ...] | bool] = field(default_factory=dict)
    seen: tuple[Seen, ...] | None = None
    whole: bool | str = False
    numbers: dict[str, ReportedNumber | None] = field(default_factory=dict)
    when: float = 0.0
    looked: Looked | None = None
    silent: tuple[tuple[str, str], ...] = ()


class Sensed:
    """The answers of the senses at one moment.

    :param is_near: whether a place is within so many metres of a pose; None where it has no pose
        that is known.
    :param held: hand and thing, as far as that is believed. :param numbers: that are known.
    """

    def __init__(
        self,
        robot: Robot,
        reading: Reading,
        place: str,
        looked_at: tuple[str, ...],
        is_near: Callable[[str, Pose, float], bool | None],
        held: Callable[[], Sequence[tuple[str, str]]],
        numbers: Numbers,
    ) -> None:
        self._numbers = numbers
        self._file = robot.file
        self._senses = robot.senses
        self._reading = reading
        self._looked_at = looked_at
        self._is_near = is_near
        self._held = held
        placed = reading.pose is not None or bool(reading.place)
        #: Where the robot is; '' for no place with a name, None where no sense reports.
        self.place = place if placed else None
        self._seen: dict[str, list[Seen]] = {}
        # What a model says is a hint, and never what a sense reports.
        for one in (one for one in reading.seen or () if not one.by_model):
            self._seen.setdefault(one.name, []).append(one)
        self._regions = {place.region for place in self._file.places.values() if place.region}

    def says(self, fact: Effect, hand: str = '') -> Known:
        """Whether a fact holds, its "not" left aside. :param hand: that a held thing is in."""
        match fact.relation:
            case Relation.AT:
                return self._at(fact.value)
            case Relation.HOLDING:
                return self._holding(fact.value, hand)
            case Relation.IN:
                return self._in(fact.subject, fact.value)
            case _:
                return self._is(fact.subject, fact.value)

    @property
    def tells_held(self) -> bool:
        """Whether all that is held is given."""
        hands = set(self._reading.held)
        return '' in hands or (bool(hands) and hands.issuperset(self._file.hands))

    def in_hands(self) -> Iterator[tuple[str, str]]:
        """Hand, '' where that is not given, and name of the things that are seen in them."""
        for name, seen in self._seen.items():
            for one in seen:
                if _is_hand(one.place, self._file.hands):
                    yield '' if one.place == HELD else one.place, name

    def elsewhere(self, name: str) -> str | None:
        """The source that sees a thing where the robot is not, so that it cannot hold it."""
        for one in self._seen.get(name, ()):
            if not self.place or self._is_inside(one, self.place) is not False:
                continue
            others = (name for name in self._file.places if name != self.place)
            if any(self._is_inside(one, other) for other in others):
                return one.by
        return None

    # Each relation ---------------------------------------------------------------------------

    def _at(self, name: str) -> Known:
        places, pose_sense = self._file.places, self._senses.pose
        if self.place is None:
            return UNKNOWN
        sense = self._senses.place if self._reading.place else pose_sense or self._senses.place
        by = sense.what if sense is not None else None
        here = places.get(self.place)
        if name in (self.place, here.region if here else ''):
            return Known(True, by)
        by_pose = pose_sense is not None and self._reading.pose is not None
        if name in places and by_pose and not self._reading.place:
            assert pose_sense is not None and self._reading.pose is not None
            near = self._is_near(name, self._reading.pose, pose_sense.near)
            return UNKNOWN if near is None else Known(near, by)
        if name in places or (name in self._regions and here is not None and here.region):
            return Known(False, by)
        return UNKNOWN

    def _holding(self, name: str, hand: str) -> Known:
        seen = {thing: self._seen[thing][0].by for _, thing in self.in_hands()}
        reported = {
            other: held
            for other, held in self._reading.held.items()
            if not hand or other in ('', hand)
        }
        by = next((s.what for s in self._senses.held if s.hand in reported), None)
        if any(isinstance(held, tuple) and _names(held, name) for held in reported.values()):
            return Known(True, by)
        if name in seen:
            return Known(True, seen[name])
        if reported and (
            '' in reported or hand in reported or set(reported).issuperset(self._file.hands)
        ):
            if not any(held is True for held in reported.values()):
                return Known(False, by)
        if elsewhere := self.elsewhere(name):
            return Known(False, elsewhere)
        if seen and len(seen) >= max(1, len(self._file.hands)):
            return Known(False, next(iter(seen.values())))
        within = [thing for other, thing in self._held() if not hand or other in ('', hand)]
        if any(held is True for held in reported.values()) and within == [name]:
            return Known(True, by, partly=True)
        return UNKNOWN

    def _where(self, one: Seen) -> str:
        """Named place where a thing is told to be; '' where none is given by name."""
        return (self.place or '') if one.place == HERE else one.place

    def _in(self, thing: str, place: str) -> Known:
        place = (self.place or '') if place == HERE else place
        if not place:
            return UNKNOWN
        held = self._holding(thing, '')
        if held.holds and not held.partly:
            return Known(False, held.by)
        for one in self._seen.get(thing, ()):
            inside = self._is_inside(one, place)
            if inside is not None:
                return Known(inside, one.by)
        if place in self._looked_at and thing not in self._seen:
            whole = (sense.what for sense in self._senses.facts if sense.is_whole)
            return Known(False, next(whole, 'a sensor'))
        looked = self._reading.looked
        if looked is not None and thing not in self._seen and looked.in_vain(thing, place):
            return Known(False, looked.by)
        return UNKNOWN

    def _is_inside(self, one: Seen, place: str) -> bool | None:
        where = self._where(one)
        if where == place:
            return True
        if where in self._file.places:
            region = self._file.places[where].region
            if place in self._regions:
                return region == place if region else None
            return False if place in self._file.places else None
        if where or one.pose is None or one.place == HERE or place not in self._file.places:
            return None
        return self._is_near(place, one.pose, one.near)

    def _is(self, thing: str, word: str) -> Known:
        if self._numbers.tells(thing, word):
            said = self._numbers.says(thing, word)
            return UNKNOWN if said is None else Known(*said)
        for one in self._seen.get(thing, ()):
            states = one.state.split(', ') if one.state else []
            if word in states:
                return Known(True, one.by)
            if states and (tells(one, word) or _OPPOSITES.get(word) in states):
                return Known(False, one.by)
        return UNKNOWN


def tells(one: Seen, word: str) -> bool:
    """Whether a source that tells a thing's state would tell a word of it."""
    return one.words is None or word in one.words


def is_opposite(word: str, other: str) -> bool:
    """Whether a thing can be only one of two, e.g. open and closed."""
    return _OPPOSITES.get(word) == other


def _is_hand(place: str, hands: Sequence[str]) -> bool:
    return place == HELD or (bool(place) and place in hands)


def _names(names: Sequence[str], name: str) -> bool:
    """Whether what a source reports names a thing: itself, or its class without a number."""
    return name in names or class_and_number(name)[0] in names


def named(reported: str, believed: Mapping[str, str]) -> str:
    """The thing that a source means: the held one of a class that it tells without a number."""
    if class_and_number(reported)[1] or reported in believed:
        return reported
    return next((name for name in believed if class_and_number(name)[0] == reported), reported)
