"""A simulated robot made of nothing but a robot's file: a `World` (`reactree_core.world`).

Its skills do what they declare, and its senses report what the file says that they report:

    world = DeclaredWorld(robot)
    world.make(read_effect('lid is closed'))
    world.step('open the lid')              # an observation, as the bridge of this robot gives it

Belief and observations are those of the bridge, so a run in it ends as a run with a robot does on
which all goes well. Nothing here needs ROS.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from reactree_core.bounds import read_number
from reactree_core.errors import ConfigurationError
from reactree_core.exclusive_states import exclusive_states
from reactree_core.measures import Comparison, Measure, read_comparison
from reactree_core.observation import Observation, Outcome, Progress, Vocabulary, WorldTask
from reactree_core.skill_types import (
    class_and_number,
    Effect,
    is_of_class,
    read_effect,
    Relation,
    Slot,
    SlotType,
)
from robot_bridge.applicable import admissible, objection_to, unmet
from robot_bridge.belief import Belief, OPPOSITES
from robot_bridge.classes import Classes
from robot_bridge.needs import Need
from robot_bridge.observation_text import observation_of
from robot_bridge.perception_file import TOPIC
from robot_bridge.poses import Pose
from robot_bridge.robot import Robot, Skill, with_values
from robot_bridge.sources import (
    EVERYWHERE,
    HELD,
    HERE,
    NumberReader,
    Reading,
    ReportedNumber,
    Seen,
    Sense,
)
from robot_bridge.state_file import FactEntry

#: Between two places, m: farther than any `near`.
_APART = 1e6
_FIELD = re.compile(r'\{[^{}]*\}')
#: Shift from a limit to numbers on either side of it.
_STEP = Decimal('0.5')
#: How long a skill takes, s.
_LASTS = 1.0


@dataclass
class Truth:
    """How the robot and its world are.

    :param place: '' for nowhere with a name. :param held: hand, '' for any, and thing.
    :param where: place of each thing that is not held; '' where it is nowhere with a name.
    :param states: words. :param numbers: by thing and measured name, in the unit of the file.
    """

    place: str = ''
    held: list[tuple[str, str]] = field(default_factory=list)
    where: dict[str, str] = field(default_factory=dict)
    states: dict[str, set[str]] = field(default_factory=dict)
    numbers: dict[tuple[str, str], Decimal] = field(default_factory=dict)


class DeclaredWorld:
    """The world that a robot's file declares.

    It begins with the robot at its first place and its hands empty; each class has one thing, at
    the last place without states, or with a robot that cannot move; each number meets as many
    needs as possible. Each skill takes a second.

    :param robot: of a file without mistakes.
    """

    name = 'declared'

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.truth = Truth()
        #: Skills that succeeded, in order.
        self.done: list[str] = []
        self._places = list(robot.file.places)
        self._belief = Belief(robot, self._pose_of)
        #: Names that a source of their own reports.
        self._owned = {one.name for one in self._entries() if not _FIELD.search(one.name)}
        #: Of the robot's clock, s.
        self._now = 0.0
        self._numbers = dict(self._readers())
        self._exclusive = exclusive_states([skill.type for skill in robot.skills])
        self._begin()

    # Beginning --------------------------------------------------------------------------------

    def _begin(self) -> None:
        truth, file = self.truth, self.robot.file
        truth.place = self._places[0] if self._places else ''
        # A place with states of its own, such as a closed box, may hide what is in it.
        open_places = [name for name in self._places if name not in self._owned] or self._places
        usual = open_places[-1] if self._moves and open_places else truth.place
        for name in self.names_of_things():
            thing = file.things.get(name)
            truth.where[name] = (thing.place if thing else '') or self._fixed(name) or usual
        for key, reader in self._numbers.items():
            truth.numbers[key] = self._usual_number(key, reader)
        for entry in self._entries():
            # A source with words always tells one of them.
            if not _FIELD.search(entry.name) and entry.words:
                self.truth.states[entry.name] = {list(entry.words.values())[-1]}

    def names_of_things(self) -> tuple[str, ...]:
        """Things of the file, of its sources, and one of each class without any."""
        file = self.robot.file
        found = dict.fromkeys((*file.things, *self._owned))
        known = (*found, *self._places)
        classes = Classes(file)
        members = {entry.name: classes.members(entry.name) for entry in file.classes}
        vocabulary = self.robot.vocabulary()
        for one in dict.fromkeys((*vocabulary.object_classes, *members)):
            wanted = members.get(one) or (one,)
            if any(is_of_class(name, kind) for name in (*known, *found) for kind in wanted):
                continue
            name = one if class_and_number(one)[1] else f'{one} 1'
            if any(self._reports(entry, name) for entry in self._entries()) or file.perception:
                found.setdefault(name)
        return tuple(found)

    def _reports(self, entry: FactEntry, name: str) -> bool:
        """Test for a source of a name: its own, or any that no other source and no place has."""
        if not _FIELD.search(entry.name):
            return entry.name == name
        is_other = name in self._owned or name in self._places
        return not is_other and bool(_pattern(entry).fullmatch(name))

    def _fixed(self, name: str) -> str:
        """The place where a source says that its thing always is."""
        for entry in self._entries():
            if entry.name == name and entry.place in self._places:
                return entry.place
        return ''

    def _entries(self) -> Iterator[FactEntry]:
        """What the file says of each source of things."""
        for sense in self.robot.senses.facts:
            assert isinstance(sense.entry, FactEntry)
            yield sense.entry

    def _readers(self) -> Iterator[tuple[tuple[str, str], NumberReader]]:
        for number in self.robot.senses.numbers:
            yield (number.about, ''), number.numbers[0]
        for sense in self.robot.senses.facts:
            assert isinstance(sense.entry, FactEntry)
            for name in self.names_of_things() if sense.numbers else ():
                if self._reports(sense.entry, name):
                    yield from (((name, reader.name), reader) for reader in sense.numbers)

    def _usual_number(self, key: tuple[str, str], reader: NumberReader) -> Decimal:
        """One that meets most needs on it; of those nearest to 50."""
        needs = [one for one in self._needed() if one.name == key[1]]
        limits = [limit for one in needs for _, limit in one.tests]
        candidates = [_within(reader, Decimal(50))]
        candidates += [
            _within(reader, limit + sign * _STEP)
            for limit in limits
            for sign in (-10, -1, 0, 1, 10)
        ]

        def merit(number: Decimal) -> tuple[int, Decimal]:
            met = sum(_holds(one, number) for one in needs)
            return met, -abs(number - 50)

        return max(candidates, key=merit)

    def _needed(self) -> Iterator[Comparison]:
        for skill in self.robot.skills:
            for text in skill.type.needs:
                effect = read_effect(text)
                if effect is not None and effect.relation is Relation.IS:
                    comparison = read_comparison(effect.value)
                    if comparison is not None:
                        yield comparison

    # Being changed ----------------------------------------------------------------------------

    def make(self, fact: Effect, hand: str = '') -> None:
        """Have a fact hold, or not hold where it says "not".

        :param fact: with names in place of slots. :param hand: that holds a thing.
        """
        truth = self.truth
        match fact.relation:
            case Relation.AT:
                self._go(fact)
            case Relation.HOLDING:
                now = [other for other, name in truth.held if name == fact.value]
                if fact.holds and now and hand in ('', *now):
                    return
                truth.held = [pair for pair in truth.held if pair[1] != fact.value]
                if fact.holds:
                    self._make_room(hand)
                    truth.held.append((hand, fact.value))
                    truth.where[fact.value] = ''
                elif not truth.where.get(fact.value):
                    truth.where[fact.value] = truth.place
            case Relation.IN:
                place = truth.place if fact.value == HERE else fact.value
                if fact.holds:
                    truth.held = [pair for pair in truth.held if pair[1] != fact.subject]
                    truth.where[fact.subject] = place
                elif truth.where.get(fact.subject) == place:
                    others = (name for name in self._places if name != place)
                    truth.where[fact.subject] = next(others, '')
            case Relation.IS:
                self._set_state(fact)

    def suppose(self, fact: Effect, hand: str = '') -> None:
        """Have a fact hold as after a skill that has brought it about: the robot knows of it.

        :param fact: see `make`.
        """
        self.make(fact, hand)
        self._belief.learn(self._reading())
        self._belief.suppose(fact, hand)

    def _go(self, fact: Effect) -> None:
        here = self.robot.file.places.get(self.truth.place)
        known = (self.truth.place, here.region if here is not None else '')
        if (fact.value in known) is fact.holds:
            return
        places = [
            name
            for name, entry in self.robot.file.places.items()
            if (fact.value in (name, entry.region)) is fact.holds
        ]
        self.truth.place = places[0] if places else fact.value if fact.holds else ''

    def _make_room(self, hand: str) -> None:
        """Empty a hand, or all of them where as many are full as there are."""
        held = self.truth.held
        if hand:
            held = [pair for pair in held if pair[0] != hand]
        if len(held) >= max(1, len(self.robot.file.hands)):
            held = []
        for _, name in set(self.truth.held) - set(held):
            self.truth.where[name] = self.truth.place
        self.truth.held = held

    def _set_state(self, fact: Effect) -> None:
        comparison = read_comparison(fact.value)
        if comparison is not None:
            self._set_number(fact.subject, comparison, fact.holds)
            return
        for (subject, name), reader in self._numbers.items():
            words = dict(reader.words)
            if subject == fact.subject and fact.value in words:
                self._set_number(subject, _named(words[fact.value], name), fact.holds)
                return
        states = self.truth.states.setdefault(fact.subject, set())
        others = self._excluded_by(fact.subject, fact.value)
        if fact.holds:
            states -= others
            states.add(fact.value)
        elif fact.value in states:
            states.discard(fact.value)
            states.update(sorted(others)[:1])
        elif not states:
            states.update(sorted(others)[:1])

    def _excluded_by(self, subject: str, word: str) -> set[str]:
        """States in which a thing is not while it is in this one: by skills, and by its source."""
        found = set(self._exclusive.get(word, ()))
        for entry in self._entries():
            words = set(entry.words.values())
            if word in words and self._reports(entry, subject):
                found |= words - {word}
        return found | (self.truth.states.get(subject, set()) & {*OPPOSITES.get(word, ())})

    def _set_number(self, subject: str, comparison: Comparison, holds: bool) -> None:
        key = (subject, comparison.name)
        if key not in self._numbers or _holds(comparison, self.truth.numbers[key]) is holds:
            return
        reader = self._numbers[key]
        limits = [limit for _, limit in comparison.tests]
        candidates = (limit + sign * _STEP for limit in limits for sign in (-1, 0, 1))
        possible = (_within(reader, one) for one in candidates)
        found = (one for one in possible if _holds(comparison, one) is holds)
        self.truth.numbers[key] = next(found, self.truth.numbers[key])

    # `World` ----------------------------------------------------------------------------------

    @property
    def scene(self) -> str:
        """The robot's name."""
        return self.robot.file.robot

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """:raises ConfigurationError: it has no scenes."""
        raise ConfigurationError('The world that a file declares has no scenes: make another one.')

    def vocabulary(self) -> Vocabulary:
        """Names and templates of the file."""
        return self.robot.vocabulary(self._belief.things)

    def task(self) -> WorldTask | None:
        """None: whoever runs it says what is to be done."""
        return None

    def progress(self) -> Progress | None:
        """None: it judges nothing."""
        return None

    def observe(self) -> Observation:
        """What the robot believes by its senses."""
        self._belief.learn(self._reading())
        return self._observed()

    def _observed(
        self, said: str = '', outcome: Outcome = Outcome.SUCCEEDED, skill: str = ''
    ) -> Observation:
        return replace(observation_of(self._belief, said, outcome, skill), stamp=self._now)

    def admissible_skills(self) -> tuple[str, ...]:
        """Skills of which no need is known to be unmet."""
        return admissible(self._belief)

    def candidate_skills(self) -> tuple[str, ...]:
        """The same."""
        return self.admissible_skills()

    def objection(self, skill: str) -> str:
        """Why a skill cannot be begun now, as the robot's bridge says it; '' where it can."""
        self.observe()
        found, slots, objection = self.robot.find(skill, self._belief.names)
        return objection if found is None else objection_to(self._belief, found, slots)

    def lacks(self, group: Iterable[Need]) -> bool:
        """Test for needs of which none holds, as the robot's bridge knows it."""
        return all(unmet(self._belief, need, {}) for need in group)

    def step(self, skill: str) -> Observation:
        """Do a skill by its effects, unless a need of it is known to be unmet."""
        belief = self._belief
        belief.learn(self._reading())
        found, slots, objection = self.robot.find(skill, belief.names)
        if found is None:
            return self._observed(objection, Outcome.INVALID_SKILL, skill)
        objection = objection_to(belief, found, slots)
        if objection:
            return self._observed(objection, Outcome.PRECONDITION_FAILED, skill)
        self._execute(found, slots)
        self.done.append(skill)
        self._now += _LASTS
        belief.acted_at = self._now
        belief.learn(self._reading())
        against = belief.did(found, slots)
        outcome = Outcome.EXECUTION_FAILED if against else Outcome.SUCCEEDED
        return self._observed(against or f'Done: {skill}.', outcome, skill)

    def _execute(self, skill: Skill, slots: Mapping[str, str]) -> None:
        for effect in skill.type.facts:
            self.make(with_values(effect, slots), skill.entry.hand)
        values = {f'<{name}>': value for name, value in slots.items()}
        for change in skill.type.changes:
            subject = values.get(change.subject, change.subject)
            amount = change.of(read_number(values.get(change.slot, '')) or Decimal(0))
            key = (subject, change.name)
            if key in self.truth.numbers:
                before = Decimal(0) if change.sets else self.truth.numbers[key]
                self.truth.numbers[key] = _within(self._numbers[key], before + amount)
        bound = filter(None, (one.bound(values) for one in skill.type.treatments))
        for treatment in bound:
            for name, place in list(self.truth.where.items()):
                if is_of_class(place, treatment.place):
                    self.make(Effect(Relation.IS, name, treatment.state))

    # Senses -----------------------------------------------------------------------------------

    def _pose_of(self, name: str, frame: str) -> Pose:
        """A made-up pose of a place: all are far apart."""
        at = self._places.index(name) if name in self._places else len(self._places)
        return Pose(frame, x=at * _APART)

    def _reading(self) -> Reading:
        senses, truth = self.robot.senses, self.truth
        reading = Reading(when=self._now, now=self._now)
        if senses.pose is not None:
            reading.pose = self._pose_of(truth.place, 'map')
        if senses.place is not None:
            reading.place = truth.place
        for sense in senses.held:
            names = tuple(
                name
                for hand, name in truth.held
                if not sense.entry.hand or hand in ('', sense.entry.hand)
            )
            reading.held[sense.entry.hand] = names if sense.names else bool(names)
        if senses.facts:
            reading.seen = tuple(one for sense in senses.facts for one in self._seen_by(sense))
        for entry in self._entries():
            if entry.whole and reading.whole != EVERYWHERE:
                reading.whole = entry.whole
                reading.whole_at = None if entry.latched else self._now
        for number in senses.numbers:
            reported = self._reported(number.about, '', number.numbers[0], number.what)
            reading.numbers[number.about] = reported
        return reading

    def _reported(self, thing: str, name: str, reader: NumberReader, by: str) -> ReportedNumber:
        return ReportedNumber(reader, self.truth.numbers.get((thing, name)), by, self._now)

    def _seen_by(self, sense: Sense[FactEntry]) -> Iterator[Seen]:
        """Things that a source reports now: its own one always, others where it can see them."""
        entry, truth = sense.entry, self.truth
        assert isinstance(entry, FactEntry)
        own = not _FIELD.search(entry.name)
        held = {name: hand for hand, name in truth.held}
        for name, place in truth.where.items():
            if not self._reports(entry, name) or not self._may_see(sense, name):
                continue
            in_hand = entry.place == HELD or entry.place in filter(None, self.robot.file.hands)
            if in_hand is not (name in held) and (in_hand or not own):
                continue
            near = place == truth.place or entry.whole == EVERYWHERE or self._stands
            if not own and not in_hand and not near:
                continue
            words = truth.states.get(name, set())
            told = words if sense.words is None else words & sense.words
            yield Seen(
                name,
                self._told_place(entry, place),
                ', '.join(sorted(told)),
                by=sense.what,
                words=sense.words,
                at=None if entry.latched else self._now,
                age=entry.age,
                echo=entry.measured is False,
                numbers=tuple(
                    self._reported(name, reader.name, reader, sense.what)
                    for reader in sense.numbers
                ),
            )

    def _may_see(self, sense: Sense[FactEntry], name: str) -> bool:
        perception = self.robot.file.perception
        if sense.what != TOPIC or perception is None:
            return True
        return any(is_of_class(name, known) for known in perception.sensed_names)

    @property
    def elsewhere(self) -> str:
        """A place where the robot is not; '' for none."""
        return next((name for name in self._places if name != self.truth.place), '')

    @property
    def _moves(self) -> bool:
        return any(
            fact.relation is Relation.AT for one in self.robot.skills for fact in one.type.facts
        )

    @property
    def _stands(self) -> bool:
        """Whether all places are in sight, as `Belief` takes it."""
        senses = self.robot.senses
        return not self._moves and senses.pose is None and senses.place is None

    @staticmethod
    def _told_place(entry: FactEntry, place: str) -> str:
        if entry.place and not _FIELD.search(entry.place):
            return entry.place
        return place if entry.place or entry.position or entry.topic == TOPIC else ''

    # Names ------------------------------------------------------------------------------------

    def values_for(self, slot: Slot) -> tuple[str, ...]:
        """Values that fit a slot, those that are known from the beginning first."""
        file = self.robot.file
        # What moves about before what is reported where it stands.
        known = (name for name in self.truth.where if name not in self._places)
        things = sorted(known, key=self._owned.__contains__)
        # Another place than the one where it begins, if it can go there.
        first = int(self._moves)
        places = (*self._places[first:], *self._places[:first])
        regions = dict.fromkeys(entry.region for entry in file.places.values() if entry.region)
        match slot.type:
            case SlotType.NUMBER:
                return self._numbers_for(slot)
            case SlotType.TEXT:
                return ('hello',)
            case SlotType.PLACE:
                names: Iterable[str] = places
            case SlotType.REGION:
                names = regions
            case SlotType.THING:
                names = things
            case _:
                names = (*things, *places)
        found = (name for name in names if not slot.objection(name))
        # A slot that bears the name of a class is about that.
        return tuple(sorted(found, key=lambda name: not is_of_class(name, slot.name)))

    @staticmethod
    def _numbers_for(slot: Slot) -> tuple[str, ...]:
        bounds = slot.bounds
        if bounds is None:
            return ('5',)
        some = bounds.values(1000) or tuple(f'{one:f}' for one in bounds.ends)
        positive = [one for one in some if not one.startswith('-') and one != '0']
        return tuple(positive[len(positive) // 2 :] or some)


def _pattern(entry: FactEntry) -> re.Pattern[str]:
    """Names that a source may report."""
    parts = _FIELD.split(entry.name)
    return re.compile('.+'.join(map(re.escape, parts)))


def _within(reader: NumberReader, number: Decimal) -> Decimal:
    """The nearest number that a source can report."""
    bounds = reader.bounds
    return number if bounds is None else min(max(number, bounds.least), bounds.most)


def _named(comparison: Comparison, name: str) -> Comparison:
    return Comparison(name, comparison.tests, comparison.unit)


def _holds(comparison: Comparison, number: Decimal) -> bool:
    """Whether a number, in the unit of the condition, is so."""
    plain = Comparison(comparison.name, comparison.tests)
    return bool(plain.holds(Measure(comparison.name, number, '')))
