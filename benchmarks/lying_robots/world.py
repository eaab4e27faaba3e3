"""A robot's world with a clock of its own, where what is so, sensed and commanded differ.

world = LyingWorld(robot, lie, Random(7))
world.step('pick up crate 1')        # as the robot's bridge answers; the truth: `world.truth`
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random
from typing import Any, TYPE_CHECKING

from reactree_core.observation import Observation
from reactree_core.skill_types import Effect, Relation, SkillKind
from robot_bridge.declared_world import DeclaredWorld, Truth
from robot_bridge.robot import Robot, Skill
from robot_bridge.sources import Reading, ReportedNumber, Seen, Sense

if TYPE_CHECKING:
    from benchmarks.lying_robots.lies import Lie

#: Seconds that a skill takes, at least and at most.
_TAKES = 1.0, 8.0


@dataclass(frozen=True, slots=True)
class Message:
    """Newest message of a source. :param at: s. :param view: how the world is by it."""

    at: float
    view: Truth


class LyingWorld(DeclaredWorld):
    """Generated robot file with a lie in it.

    :param lie: what is changed of acts and of reports.
    """

    name = 'lying'

    def __init__(self, robot: Robot, lie: Lie, draw: Random) -> None:
        super().__init__(robot)
        self.draw, self.lie = draw, lie
        self.clock = 1000.0
        #: Sources that repeat what was commanded.
        self.echoes = {sense.what for sense in robot.senses.all() if sense.entry.measured is False}
        # Of what the file says nothing, half does, and that is no lie.
        others = {one for one in self.sources if not self.measures(one) and one[:5] != '/seen'}
        self.echoes |= {one for one in sorted(others) if draw.random() < 0.5}
        #: How it would be if all had done what was commanded.
        self.commanded = deepcopy(self.truth)
        #: Skills that were commanded, and texts of those that had their effects.
        self.acts = 0
        self.acted: list[str] = []
        self._past: list[tuple[float, Truth]] = []
        self._last: dict[str, Message] = {}
        self.mix()
        lie.begin(self)
        self.pass_time(1.0)

    @property
    def places(self) -> list[str]:
        """Names of places."""
        return self._places

    def is_echo(self, source: str) -> bool:
        """Test whether a source repeats what was commanded."""
        return source in self.echoes

    def measures(self, source: str) -> bool:
        """Test whether the file says that a sensor stands behind a source."""
        senses = (one for one in self.robot.senses.all() if one.what == source)
        return any(one.entry.measured for one in senses)

    def identifies(self, source: str) -> bool:
        """Test whether the file says that a source tells things apart by what they carry."""
        senses = (one for one in self.robot.senses.all() if one.what == source)
        return any(getattr(one.entry, 'identifies', None) for one in senses)

    def words_of(self, name: str) -> set[str]:
        """Words of which a part is in one."""
        entries = (one for one in self._entries() if one.name == name)
        return {word for one in entries for word in one.words.values()}

    @property
    def sources(self) -> list[str]:
        """Names of the sources of the robot's state."""
        return list(dict.fromkeys(sense.what for sense in self.robot.senses.all()))

    def mix(self) -> None:
        """Have things, parts and numbers be anyhow."""
        for name in self.truth.where:
            self.move_away(name)
        for entry in self._entries():
            if words := list(entry.words.values()):
                self.truth.states[entry.name] = {self.draw.choice(words)}
        for key in self.truth.numbers:
            self.truth.numbers[key] = Decimal(self.draw.randrange(5, 60))
        self.commanded = deepcopy(self.truth)

    def move_away(self, name: str) -> None:
        """Have somebody put a thing into another place, or a part into its other state."""
        truth = self.truth
        words = self.words_of(name)
        if words:
            truth.states[name] = words - truth.states.get(name, set())
            return
        if any(name == held for _, held in truth.held):
            return
        truth.where[name] = self.draw.choice([p for p in self._places if p != truth.where[name]])

    def move_something(self) -> None:
        """Have somebody move a thing or a part: mostly what the robot has acted on last."""
        names = list(self.truth.where)
        last = [name for name in names if self.acted and name in self.acted[-1]]
        self.move_away(self.draw.choice(last if last and self.draw.random() < 0.7 else names))

    # Time -------------------------------------------------------------------------------------

    def pass_time(self, seconds: float) -> None:
        """Let time pass, at the end of which every source reports that has not failed."""
        self._past.append((self.clock, deepcopy(self.truth)))
        self.clock += seconds
        for source in self.sources:
            view = self.lie.view(self, source)
            if view is not None:
                self._last[source] = Message(self.clock, deepcopy(view))

    def truth_at(self, when: float) -> Truth:
        """State of the world at a time. :param when: s, by its clock."""
        found = self._past[0][1]
        for at, truth in self._past:
            if at <= when:
                found = truth
        return found

    # Acts -------------------------------------------------------------------------------------

    def step(self, skill: str) -> Observation:
        """Do a skill; somebody may have done something before."""
        self.lie.before(self)
        self.pass_time(0.5)
        return self._stamped(super().step(skill))

    def observe(self) -> Observation:
        """Belief of the robot by its sensors."""
        self.pass_time(0.5)
        return self._stamped(super().observe())

    def _stamped(self, observation: Observation) -> Observation:
        return replace(observation, stamp=self.clock)

    def _execute(self, skill: Skill, slots: Mapping[str, str]) -> None:
        self.acts += 1
        with_truth, self.truth = self.truth, self.commanded
        self._act(skill, slots)
        self.truth = with_truth
        done = self.lie.act(self, skill, slots)
        if done is not None:
            self._act(skill, done)
        if done == slots:
            self.acted.append(skill.type.filled(list(slots.values())))
        self.pass_time(self.draw.uniform(*_TAKES))
        self._belief.acted_at = self._belief.changed_at = self.clock

    def _act(self, skill: Skill, slots: Mapping[str, str]) -> None:
        """Have the effects of a skill, as far as the world lets them come about."""
        truth, kind = self.truth, skill.type.kind
        values = list(slots.values())
        if kind is SkillKind.TAKE:
            if not truth.held and truth.where.get(values[0]) == truth.place:
                self.make(Effect(Relation.HOLDING, '', values[0]))
        elif kind is SkillKind.PUT:
            for _, held in list(truth.held):
                self.make(Effect(Relation.IN, held, truth.place))
        else:
            super()._execute(skill, slots)

    # Senses -----------------------------------------------------------------------------------

    def _reading(self) -> Reading:
        reading = Reading(when=self.clock, now=self.clock)
        with_truth = self.truth
        for sense in self.robot.senses.all():
            message = self._last.get(sense.what)
            age = getattr(sense.entry, 'age', 0.0)
            if message is None or (age and self.clock - message.at > age):
                reading.miss(sense, 'nothing was heard of it')
                continue
            self.truth = message.view
            self._report(reading, sense, message.at)
            self.truth = with_truth
        return reading

    def _report(self, reading: Reading, sense: Sense[Any], at: float) -> None:
        senses, truth = self.robot.senses, self.truth
        if sense is senses.place:
            reading.place, reading.at[sense.what] = truth.place, at
        elif sense in senses.held:
            if sense.entry.measured is not False:
                names = tuple(name for _, name in truth.held)
                reading.held[sense.entry.hand] = names if sense.names else bool(names)
                reading.at[sense.what] = at
        elif sense in senses.facts:
            seen = tuple(self._seen_at(one, sense, at) for one in self._seen_by(sense))
            reading.seen = (*(reading.seen or ()), *seen)
            if sense.entry.whole and reading.whole != 'everywhere':
                reading.whole, reading.whole_at = sense.entry.whole, at
        else:
            reading.numbers[sense.about] = self._number(sense, at)

    @staticmethod
    def _seen_at(one: Seen, sense: Sense[Any], at: float) -> Seen:
        return replace(one, at=at, age=sense.entry.age)

    def _number(self, sense: Sense[Any], at: float) -> ReportedNumber:
        reader = sense.numbers[0]
        number = self.truth.numbers.get((sense.about, ''))
        bounds = reader.bounds
        if number is not None and bounds and not bounds.least <= number <= bounds.most:
            return ReportedNumber(reader, None, sense.what, at, 'says what cannot be')
        return ReportedNumber(reader, number, sense.what, at)
