"""What the bridge knows of its robot: where it is, what it holds, which things are where.

Senses tell it. What they do not tell follows from the effects of the skills that succeeded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from itertools import islice
from itertools import product

from reactree_core.errors import SkillError
from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import Effect
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import Slot
from reactree_core.skill_types import SlotType
from robot_bridge.poses import Pose
from robot_bridge.robot import Robot
from robot_bridge.robot import Skill
from robot_bridge.robot import with_values
from robot_bridge.senses import HERE
from robot_bridge.senses import Seen

#: Most skills that are told as admissible.
MOST_SKILLS = 1000
#: Most of one skill.
_MOST_OF_ONE = 300
#: Most things that are remembered beside those that are seen, held or told by the file.
_MOST_THINGS = 500
#: What holds a thing that the robot holds, in facts.
_ROBOT = 'agent 1'
#: What is held where only that something is held is known.
_SOMETHING = 'something'


@dataclass(frozen=True, slots=True)
class Thing:
    """What is known of a thing. :param place: '' where that is not known."""

    place: str = ''
    state: str = ''
    pose: Pose | None = None


@dataclass(slots=True)
class Reading:
    """What the senses tell now; None where they tell nothing.

    :param pose: of the robot. :param place: its name.
    :param held: hand, '' for all of them -> names, or whether it holds anything.
    :param seen: things. :param whole: whether these are all that is at the place where it is.
    :param silent: senses of which nothing fresh is known, with the reason.
    """

    pose: Pose | None = None
    place: str | None = None
    held: dict[str, tuple[str, ...] | bool] = field(default_factory=dict)
    seen: tuple[Seen, ...] | None = None
    whole: bool = False
    silent: tuple[tuple[str, str], ...] = ()


class Belief:
    """What is known, and what can be said of it.

    :param poses: pose of a place in a frame. :raises SkillError: that is not known.
    """

    def __init__(self, robot: Robot, poses: Callable[[str, str], Pose]) -> None:
        self._robot = robot
        self._poses = poses
        self.place = ''
        #: The robot's pose, where it is told.
        self.pose: Pose | None = None
        #: Hand, '' where that is not known, and thing.
        self._held: list[tuple[str, str]] = []
        self.things: dict[str, Thing] = {
            name: Thing(entry.place) for name, entry in robot.file.things.items()
        }
        self._seen: tuple[str, ...] = ()
        self._looked_at: tuple[str, ...] = ()
        self._silent: tuple[tuple[str, str], ...] = ()
        #: Hand and thing.
        self._last_taken = ('', '')
        moves = any(skill.type.kind is SkillKind.MOVE for skill in robot.skills)
        self._stands = not moves and robot.senses.pose is None and robot.senses.place is None

    # What is learned -----------------------------------------------------------------------

    def learn(self, reading: Reading) -> None:
        """Take what the senses tell."""
        senses = self._robot.senses
        self._silent = reading.silent
        if senses.pose is not None:
            self.pose = reading.pose
            near = senses.pose.entry.near  # type: ignore[attr-defined]
            self.place = self._nearest(reading.pose, near) if reading.pose else ''
        if senses.place is not None:
            self.place = reading.place or ''
        for hand, held in reading.held.items():
            self._hold(hand, held)
        seen = tuple(self._robot.file.places) if self._stands else (self.place,)
        self._looked_at = tuple(place for place in seen if place and reading.whole)
        if reading.seen is not None:
            self._see(reading.seen)
        elif senses.facts:
            self._seen = ()

    def _hold(self, hand: str, held: tuple[str, ...] | bool) -> None:
        """What is in a hand; '' for all of them."""
        before = {name: other for other, name in self._held if hand in ('', other)}
        if held is True:
            taken = self._last_taken[1] if hand in ('', self._last_taken[0]) else ''
            held = tuple(before) or (taken or _SOMETHING,)
        others = [pair for pair in self._held if hand not in ('', pair[0])]
        self._held = [*others, *((before.get(name, hand), name) for name in held or ())]
        for name in before:
            # It is no longer held, and nothing has told where it went.
            if name not in self.held and self.things.get(name, Thing()).place == _ROBOT:
                self.things[name] = Thing()
        for name in self.held:
            if name != _SOMETHING:
                self._put(name, _ROBOT)

    def _see(self, seen: Iterable[Seen]) -> None:
        names = []
        for one in seen:
            place = self.place if one.place == HERE else one.place
            if not place and one.pose is not None:
                place = self._nearest(one.pose, one.near)
            if one.name in self.held:
                place = _ROBOT
            state = one.state or self.things.get(one.name, Thing()).state
            self.things[one.name] = Thing(place, state, one.pose)
            names.append(one.name)
        self._seen = tuple(names)
        for name, thing in self.things.items():
            if thing.place in self._looked_at and name not in names:
                # It was there, and is no longer.
                self.things[name] = Thing(state=thing.state)
        kept = {*self._seen, *self.held, *self._robot.file.things}
        for name in [name for name in self.things if name not in kept][:-_MOST_THINGS]:
            del self.things[name]

    def _nearest(self, pose: Pose, most: float) -> str:
        """The named place nearest to a pose, no farther than this; '' for none."""
        best, found = most, ''
        for name, entry in self._robot.file.places.items():
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

    def did(self, skill: Skill, slots: Mapping[str, str]) -> None:
        """Take the effects of a skill that has succeeded, where no sense tells them better."""
        for effect in skill.type.facts:
            self._assume(with_values(effect, slots), skill.entry.hand)

    def _assume(self, effect: Effect, hand: str) -> None:
        senses = self._robot.senses
        if effect.relation is Relation.AT:
            if effect.holds and senses.pose is None and senses.place is None:
                self.place = effect.value
        elif effect.relation is Relation.HOLDING:
            self._last_taken = (hand, effect.value) if effect.holds else ('', '')
            if effect.holds:
                self._release(effect.value)
                self._held = [pair for pair in self._held if pair != (hand, _SOMETHING)]
                self._held.append((hand, effect.value))
                self._put(effect.value, _ROBOT)
            elif effect.value in self.held:
                self._release(effect.value)
                if self.things[effect.value].place == _ROBOT:
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
        self.things[name] = replace(thing, place=place, pose=None)

    def _set_state(self, effect: Effect) -> None:
        thing = self.things.get(effect.subject, Thing())
        states = [state for state in thing.state.split(', ') if state and state != effect.value]
        opposite = {'open': 'closed', 'closed': 'open', 'on': 'off', 'off': 'on'}
        if effect.holds:
            states = [state for state in states if state != opposite.get(effect.value)]
            states.append(effect.value)
        self.things[effect.subject] = replace(thing, state=', '.join(states))

    def pose_of_thing(self, name: str) -> Pose:
        """Where a thing was seen. :raises SkillError: that is not known."""
        thing = self.things.get(name)
        if thing is None or thing.pose is None:
            raise SkillError(f'The pose of "{name}" is not known: it is not visible now.')
        return thing.pose

    # What follows ----------------------------------------------------------------------------

    @property
    def room(self) -> str:
        """Region of the place where the robot is."""
        entry = self._robot.file.places.get(self.place)
        return entry.region if entry else ''

    @property
    def held(self) -> list[str]:
        """Things that it holds."""
        return [name for _, name in self._held]

    def held_where(self) -> list[str]:
        """The same with the hands that have names: 'crate 1 in left hand'."""
        return [f'{name} in {hand}' if hand else name for hand, name in self._held]

    def _is_free(self, hand: str) -> bool:
        """Whether it can take something, with a certain hand where one is named."""
        if hand:
            return all(other != hand for other, _ in self._held)
        return len(self._held) < max(1, len(self._robot.file.hands))

    def objection(self, skill: Skill, slots: Mapping[str, str]) -> str:
        """Why a skill cannot be begun now, as far as that is known; '' when it can."""
        for need in skill.needs:
            if need.fact is not None:
                objection = self._lacks(with_values(need.fact, slots), need.hand)
            elif self._is_free(need.hand):
                objection = ''
            else:
                hands = f'Your {need.hand} is' if need.hand else 'Your hands are'
                objection = f'{hands} not free: you hold {_listed(self.held_where())}.'
            if objection:
                return objection
        return ''

    def _lacks(self, need: Effect, hand: str) -> str:
        """Why a fact does not hold; '' when it does, and when nobody knows."""
        if need.relation is Relation.HOLDING:
            # A thing in a hand that is not told may be in this one.
            held = [name for other, name in self._held if not hand or other in ('', hand)]
            if (need.value in held) == need.holds or held == [_SOMETHING]:
                return ''
            where = f' in {hand}' if hand else ''
            if not need.holds:
                return f'You hold {need.value}{where}.'
            told = f': you hold {_listed(self.held_where())}' if self.held else ''
            return f'You do not hold {need.value}{where}{told}.'
        if need.relation is Relation.AT:
            if not self.place or (need.value in (self.place, self.room)) == need.holds:
                return ''
            return f'You are at {self.place}{f", not at {need.value}" if need.holds else ""}.'
        thing = self.things.get(need.subject, Thing())
        if need.relation is Relation.IN:
            here = need.value == HERE
            wanted = self.place if here else need.value
            if not thing.place or not wanted or (thing.place == wanted) == need.holds:
                return ''
            where = 'held by you' if thing.place == _ROBOT else f'at {thing.place}'
            if not need.holds:
                return f'{need.subject} is {where}.'
            at = f'here at {wanted}' if here else f'at {wanted}'
            return f'{need.subject} is {where}, not {at}.'
        states = thing.state.split(', ')
        if not thing.state or (need.value in states) == need.holds:
            return ''
        return f'{need.subject} is {thing.state}{f", not {need.value}" if need.holds else ""}.'

    def admissible(self) -> tuple[str, ...]:
        """Skills that can succeed now as far as that is known."""
        found: dict[str, None] = {}
        for skill in self._robot.skills:
            texts = self._texts(skill)
            found.update(dict.fromkeys(islice(texts, _MOST_OF_ONE)))
        return tuple(islice(found, MOST_SKILLS))

    def _texts(self, skill: Skill) -> Iterator[str]:
        slots = skill.type.slots
        for values in product(*(self._values(slot, skill) for slot in slots)):
            names = {slot.name: value for slot, value in zip(slots, values, strict=True)}
            named = [value for slot, value in zip(slots, values, strict=True) if slot.type.is_name]
            if len(set(named)) == len(named) and not self.objection(skill, names):
                yield skill.type.filled(values)

    def _values(self, slot: Slot, skill: Skill) -> list[str]:
        places = list(self._robot.file.places)
        regions = list(dict.fromkeys(entry.region for entry in self._robot.file.places.values()))
        if skill.type.kind is SkillKind.MOVE:
            places = [name for name in places if name != self.place]
        match slot.type:
            case SlotType.PLACE:
                return places
            case SlotType.REGION:
                return [region for region in regions if region]
            case SlotType.THING:
                return list(self.things)
            case SlotType.NAME:
                return [*places, *self.things]
            case _:
                return [slot.text]

    # What is said ------------------------------------------------------------------------------

    def observation(
        self, said: str = '', outcome: Outcome = Outcome.SUCCEEDED, skill: str = ''
    ) -> Observation:
        """What is seen now. :param said: comes first; '' for a look."""
        sentences = [said] if said else list(self._about_names())
        sentences += self._about_here()
        return Observation(
            ' '.join(sentences),
            outcome,
            skill,
            self.place,
            self.room,
            self._looked_at,
            held=tuple(self.held),
            admissible_skills=self.admissible(),
            facts=tuple(self._facts()),
        )

    def _about_names(self) -> Iterator[str]:
        places = self._robot.file.places
        if places:
            shown = (f'{name} ({at.region})' if at.region else name for name, at in places.items())
            yield f'Places: {", ".join(shown)}.'

    def _about_here(self) -> Iterator[str]:
        silent = dict(self._silent)
        if self.place:
            yield f'You are at {self.place}.'
        elif self.pose is not None:
            x, y, frame = self.pose.x, self.pose.y, self.pose.frame
            yield f'You are at no named place (x {x:.1f} m, y {y:.1f} m in {frame}).'
        elif 'place' in silent:
            yield f'Where you are is not known: {silent["place"]}.'
        if self.held:
            yield f'You hold {_listed(self.held_where())}.'
        elif 'held' in silent:
            yield f'What you hold is not known: {silent["held"]}.'
        elif self._can_hold():
            yield 'You hold nothing.'
        seen = [name for name in self._seen if name not in self.held]
        if seen:
            yield f'You see {_listed([self._shown(name) for name in seen])}.'
        elif 'facts' in silent:
            yield f'What is here is not known: {silent["facts"]}.'
        elif self._robot.senses.facts:
            yield 'You see nothing that has a name.'
        known = [
            self._shown(name)
            for name, thing in self.things.items()
            if thing.place and name not in self._seen and name not in self.held
        ]
        if known:
            yield f'Known from before: {_listed(known[:50])}.'

    def _can_hold(self) -> bool:
        return any(
            effect.relation is Relation.HOLDING
            for skill in self._robot.skills
            for effect in skill.type.facts
        )

    def _shown(self, name: str) -> str:
        thing = self.things[name]
        place = f' at {thing.place}' if thing.place and thing.place != _ROBOT else ''
        return f'{name}{place}{f" ({thing.state})" if thing.state else ""}'

    def _facts(self) -> Iterator[ObjectFact]:
        for name, entry in self._robot.file.places.items():
            yield ObjectFact(*class_and_number(name), room=entry.region)
        for name, thing in self.things.items():
            if not (thing.place or name in self._seen):
                continue
            at = self._robot.file.places.get(thing.place)
            yield ObjectFact(
                *class_and_number(name),
                room=self.room if thing.place == _ROBOT else at.region if at else '',
                receptacle=thing.place,
                state=thing.state,
            )


def _listed(names: list[str]) -> str:
    """Names in a sentence."""
    if len(names) < 2:
        return ''.join(names)
    return f'{", ".join(names[:-1])} and {names[-1]}'
