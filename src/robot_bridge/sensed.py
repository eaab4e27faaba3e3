"""What a robot's senses report now, asked for one fact.

    known = sensed.says(fact, hand)      # held by /gripper, not at dock 1 by /pose, or not known

A fact that a sense reports is so, whatever a skill says that it did. What no sense reports now may
follow from effects: `Belief` asks here first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reactree_core.skill_types import class_and_number, Effect, Relation
from robot_bridge.numbers import Numbers
from robot_bridge.poses import Pose
from robot_bridge.robot import Robot
from robot_bridge.sources import HELD, HERE, Reading, Seen

#: What is held where only that something is held is known.
SOMETHING = 'something'
#: What has moved less than this has not been moved, m.
_STILL = 0.03
_OPPOSITES = {'open': 'closed', 'closed': 'open', 'on': 'off', 'off': 'on'}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a fact.

    :param holds: whether it holds; None where that is not known.
    :param by: the source that tells it now; None where it follows from effects, the file, or what
        was sensed before. Where it is not known, the sources that contradict each other.
    :param partly: the source reports that something is held, not what.
    """

    holds: bool | None = None
    by: str | None = None
    partly: bool = False

    @property
    def is_disputed(self) -> bool:
        """True where sources contradict each other."""
        return self.holds is None and self.by is not None


UNKNOWN = Known()


@dataclass(frozen=True, slots=True)
class Grasp:
    """The last time that a hand has closed on something.

    :param at: s, when it was closed. :param poses: of things, before.
    :param gone: things that have left the place of the robot, all of which is seen, since then.
    """

    at: float
    poses: Mapping[str, Pose]
    gone: frozenset[str] = frozenset()


def _verdict(votes: Sequence[tuple[bool, str]]) -> Known:
    """Conclusion from the answers of sources: not known where they contradict each other."""
    answers = {holds for holds, _ in votes}
    if len(answers) > 1:
        return Known(None, ' and '.join(dict.fromkeys(by for _, by in votes)))
    return Known(*votes[0]) if votes else UNKNOWN


class Sensed:
    """The answers of the senses at one moment.

    :param is_near: whether a place is within so many metres of a pose; None where it has no pose
        that is known.
    :param held: hand and thing, as far as that is believed. :param numbers: that are known.
    :param grasp: the last one; None before.
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
        grasp: Callable[[], Grasp | None],
    ) -> None:
        self._numbers = numbers
        self._grasp = grasp
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
        for one in (one for one in reading.seen or () if not one.is_hint):
            self._seen.setdefault(one.name, []).append(one)
        #: Hand, '' where that is not given, and name of what is seen in it, and by what.
        self.in_hands = tuple(
            ('' if one.place == HELD else one.place, name, one.by)
            for name, seen in self._seen.items()
            for one in seen
            if _is_hand(one.place, self._file.hands)
        )
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

    def elsewhere(self, name: str, named: bool = False) -> str | None:
        """The source that sees a thing where no hand is, so that it is not held.

        :param named: whether another source says that it is.
        """
        for one in self._seen.get(name, ()):
            if not self.place or _is_hand(one.place, self._file.hands):
                continue
            if self._is_left(one, named):
                return one.by
            if self._is_inside(one, self.place) is not False:
                continue
            others = (name for name in self._file.places if name != self.place)
            if any(self._is_inside(one, other) for other in others):
                return one.by
        return None

    def _is_left(self, one: Seen, named: bool) -> bool:
        """Test for a thing that is still seen where it was after a hand has closed."""
        grasp = self._grasp()
        if grasp is None:
            return False
        if not named and grasp.gone - {one.name} and self.place in self._looked_at:
            return True
        at = self._reading.when if one.at is None else one.at
        before = grasp.poses.get(one.name)
        if at <= grasp.at:
            return False
        if one.pose is None or before is None or one.pose.frame != before.frame:
            return one.place in self._file.places
        return one.pose.distance(before) <= _STILL

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
            near = self._is_near(name, self._reading.pose, pose_sense.entry.near)
            return UNKNOWN if near is None else Known(near, by)
        if name in places or (name in self._regions and here is not None and here.region):
            return Known(False, by)
        return UNKNOWN

    def _holding(self, name: str, hand: str) -> Known:
        seen = {thing: by for _, thing, by in self.in_hands}
        reported = {
            other: held
            for other, held in self._reading.held.items()
            if not hand or other in ('', hand)
        }
        by = next((s.what for s in self._senses.held if s.entry.hand in reported), 'a sensor')
        votes = []
        if any(isinstance(held, tuple) and _names(held, name) for held in reported.values()):
            votes.append((True, by))
        elif reported and not any(held is True for held in reported.values()):
            if '' in reported or hand in reported or set(reported).issuperset(self._file.hands):
                votes.append((False, by))
        if name in seen:
            votes.append((True, seen[name]))
        elif elsewhere := self.elsewhere(name, named=(True, by) in votes):
            votes.append((False, elsewhere))
        elif not votes and len(seen) >= max(1, len(self._file.hands)):
            votes.append((False, next(iter(seen.values()))))
        if votes:
            return _verdict(votes)
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
        if held.is_disputed or (held.holds and not held.partly):
            return Known(None if held.is_disputed else False, held.by)
        inside = ((self._is_inside(one, place), one.by) for one in self._seen.get(thing, ()))
        votes = [(so, by) for so, by in inside if so is not None]
        if votes or thing in self._seen:
            return _verdict(votes)
        if place in self._looked_at:
            whole = (sense.what for sense in self._senses.facts if sense.entry.whole)
            return Known(False, next(whole, 'a sensor'))
        looked = self._reading.looked
        if looked is not None and looked.in_vain(thing, place):
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
        votes = []
        # A source whose text can be anything denies what it does not say, where no other says it.
        silent = UNKNOWN
        for one in self._seen.get(thing, ()):
            states = one.state.split(', ') if one.state else []
            if word in states:
                votes.append((True, one.by))
            elif states and (_OPPOSITES.get(word) in states or (one.words and word in one.words)):
                votes.append((False, one.by))
            elif states and one.words is None:
                silent = Known(False, one.by)
        return _verdict(votes) if votes else silent


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
