"""Kinds of lie: what a robot's skills and sources do otherwise than its file says.

Each is a single fault that begins before the run or in it, or a change by somebody of which
nothing is reported but by the sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from decimal import Decimal

from benchmarks.lying_robots.robots import LabeledFile
from benchmarks.lying_robots.world import LyingWorld
from reactree_core.skill_types import class_and_number, SkillKind
from robot_bridge.declared_world import Truth
from robot_bridge.robot import Skill

_FACTORS = tuple(map(Decimal, ('0.5', '1.5', '1.8', '2.2')))


class Lie:
    """No lie: every skill does what it says, and every source reports what is so."""

    name = 'none'
    #: Demands on the robot: two sensors of each thing and part, a number, a part.
    two_sources = needs_number = needs_part = False
    #: Whether the robot drives elsewhere in the end.
    leaves = False
    #: Whether a run is judged that follows another one in the same world.
    second_run = False

    def suits(self, robot: LabeledFile) -> bool:
        """Test whether a robot can lie like this."""
        return True

    def begin(self, world: LyingWorld) -> None:
        """Be called before the run, with the world as it is."""

    def before(self, world: LyingWorld) -> None:
        """Be called before each skill."""

    def view(self, world: LyingWorld, source: str) -> Truth | None:
        """State of the world by a source that reports now; None where it says nothing."""
        if world.is_echo(source):
            return world.commanded
        return world.truth

    def act(
        self, world: LyingWorld, skill: Skill, slots: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        """Values with which a skill acts; None where it does nothing, and says that it did."""
        return slots


class FailedGrasp(Lie):
    """The hand takes nothing, and the skill succeeds."""

    name = 'failed grasp'

    def act(
        self, world: LyingWorld, skill: Skill, slots: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        fails = skill.type.kind is SkillKind.TAKE and world.draw.random() < 0.8
        return None if fails else slots


class WrongInstance(Lie):
    """The hand takes another thing of the same class that lies there."""

    name = 'wrong instance'

    def begin(self, world: LyingWorld) -> None:
        places = {class_and_number(name)[0]: place for name, place in world.truth.where.items()}
        for name in world.truth.where:
            if class_and_number(name)[1]:
                world.truth.where[name] = places[class_and_number(name)[0]]

    def act(
        self, world: LyingWorld, skill: Skill, slots: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        if skill.type.kind is not SkillKind.TAKE:
            return slots
        (key, wanted), where = next(iter(slots.items())), world.truth.where
        others = [
            name
            for name, place in where.items()
            if place == world.truth.place and name != wanted
            and class_and_number(name)[0] == class_and_number(wanted)[0]
        ]  # fmt: skip
        return {key: others[0]} if others else slots


class StuckDoor(Lie):
    """A part that is commanded does not move, and the skill succeeds."""

    name = 'stuck door'
    needs_part = True

    def act(
        self, world: LyingWorld, skill: Skill, slots: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        return slots or None


class _Failing(Lie):
    """One source fails: before the run, so that what it says is old, or in it."""

    def begin(self, world: LyingWorld) -> None:
        self.source = world.draw.choice([one for one in world.sources if not world.is_echo(one)])
        self.after_acts = world.draw.choice((0, 0, 1, 2, 3))
        self.kept: Truth | None = None
        if not self.after_acts:
            self.kept = deepcopy(world.truth)
            world.pass_time(1.0)
            world.mix()

    def has_failed(self, world: LyingWorld, source: str) -> bool:
        """Test whether this source is the one, and has failed by now."""
        return source == self.source and world.acts >= self.after_acts


class Frozen(_Failing):
    """A source goes on to report what was so when it froze."""

    name = 'sensor frozen'

    def view(self, world: LyingWorld, source: str) -> Truth | None:
        if not self.has_failed(world, source):
            return super().view(world, source)
        self.kept = self.kept or deepcopy(world.truth)
        return self.kept


class Silent(_Failing):
    """A source says nothing any more; its last message stays where the file gives no age."""

    name = 'sensor silent'

    def view(self, world: LyingWorld, source: str) -> Truth | None:
        heard = super().view(world, source)
        return None if self.has_failed(world, source) else heard


class Late(_Failing):
    """A source reports what was so some seconds ago, as if it were now."""

    name = 'sensor late'

    def begin(self, world: LyingWorld) -> None:
        self.delay = world.draw.choice((2.0, 5.0, 20.0))
        super().begin(world)

    def view(self, world: LyingWorld, source: str) -> Truth | None:
        if source == self.source:
            return world.truth_at(world.clock - self.delay)
        return super().view(world, source)


class Echo(Lie):
    """A source that may repeat commands does so, and acts fail."""

    name = 'echo of the command'

    def begin(self, world: LyingWorld) -> None:
        world.echoes = {one for one in world.sources if not world.measures(one)}

    def suits(self, robot: LabeledFile) -> bool:
        return any(
            entry.get('measured') is not True and 'identifies' not in entry
            for entry in (*robot.file['state']['facts'], robot.file['state']['place'])
        )

    def act(
        self, world: LyingWorld, skill: Skill, slots: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        return slots if world.draw.random() < 0.5 else None


class MovedAway(Lie):
    """Somebody moves things and parts between two skills, and nobody says so."""

    name = 'moved away after the skill'
    leaves = True

    def before(self, world: LyingWorld) -> None:
        if world.acts and world.draw.random() < 0.5:
            world.move_something()


class MovedBetween(Lie):
    """Somebody moves things and parts between two runs of the same task."""

    name = 'moved between runs'
    second_run = True


class Swapped(Lie):
    """A source takes each of two things of a class for the other: always, or from some time on.

    One that identifies things by what they carry does not.
    """

    name = 'swapped identities'

    def suits(self, robot: LabeledFile) -> bool:
        cameras = (one for one in robot.file['state']['facts'] if one['topic'].startswith('/seen'))
        return any('identifies' not in one for one in cameras)

    def begin(self, world: LyingWorld) -> None:
        cameras = [one for one in world.sources if one.startswith('/seen')]
        self.source = world.draw.choice([one for one in cameras if not world.identifies(one)])
        self.after_acts = world.draw.choice((0, 0, 0, 1, 2))
        kinds: dict[str, list[str]] = {}
        for name in world.truth.where:
            if class_and_number(name)[1]:
                kinds.setdefault(class_and_number(name)[0], []).append(name)
        several = next(names for names in kinds.values() if len(names) > 1)
        self.pair = world.draw.sample(several, 2)
        #: Whether the hand takes what the source calls so, and not what is called so.
        self.by_sight = world.draw.random() < 0.7

    def _other(self, name: str) -> str:
        return self.pair[1 - self.pair.index(name)] if name in self.pair else name

    def view(self, world: LyingWorld, source: str) -> Truth | None:
        view = super().view(world, source)
        if view is None or source != self.source or world.acts < self.after_acts:
            return view
        swapped = deepcopy(view)
        swapped.where = {self._other(name): place for name, place in view.where.items()}
        swapped.held = [(hand, self._other(name)) for hand, name in view.held]
        return swapped

    def act(
        self, world: LyingWorld, skill: Skill, slots: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        if not self.by_sight or world.acts <= self.after_acts:
            return slots
        return {key: self._other(value) for key, value in slots.items()}


class WrongUnit(Lie):
    """A source of a number counts in another unit than the file says."""

    name = 'unit off by a factor'
    needs_number = True

    def begin(self, world: LyingWorld) -> None:
        self.factor = world.draw.choice(_FACTORS)
        for key in world.truth.numbers:
            world.truth.numbers[key] = Decimal(world.draw.randrange(10, 35))

    def view(self, world: LyingWorld, source: str) -> Truth | None:
        view = super().view(world, source)
        if view is None:
            return None
        scaled = deepcopy(view)
        scaled.numbers = {key: number * self.factor for key, number in view.numbers.items()}
        return scaled


class Disagree(Lie):
    """One of two sensors of the same things says otherwise than is so."""

    name = 'two sensors that disagree'
    two_sources = True

    def begin(self, world: LyingWorld) -> None:
        self.source = world.draw.choice([one for one in world.sources if one != '/where'])
        self.after_acts = world.draw.choice((0, 0, 1, 2, 3))

    def view(self, world: LyingWorld, source: str) -> Truth | None:
        view = super().view(world, source)
        if view is None or source != self.source or world.acts < self.after_acts:
            return view
        false = deepcopy(view)
        places = world.places
        for name, place in view.where.items():
            if place in places:
                false.where[name] = places[(places.index(place) + 1) % len(places)]
        for name, words in view.states.items():
            false.states[name] = world.words_of(name) - words or words
        return false


class FrozenThenMoved(Frozen):
    """Two at once: a source freezes in the run, then somebody moves what it saw."""

    name = 'frozen, then moved (two at once)'

    def begin(self, world: LyingWorld) -> None:
        super().begin(world)
        self.after_acts = max(1, self.after_acts)
        self.kept = None

    def before(self, world: LyingWorld) -> None:
        if world.acts >= self.after_acts and world.draw.random() < 0.5:
            world.move_something()


#: The twelve kinds.
KINDS: tuple[type[Lie], ...] = (
    FailedGrasp, WrongInstance, StuckDoor, Frozen, Silent, Late, Echo, MovedAway, MovedBetween,
    Swapped, WrongUnit, Disagree,
)  # fmt: skip
