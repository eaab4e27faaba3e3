"""Reports of a robot's sources: what each message says of the robot and the things around it.

    for sense in senses.all():
        sense.report(reading, message, filling, at)     # a Reading is what all of them say now

A source reports what it states and nothing else: what follows from silence, and from two that
disagree, `Sensed` decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from reactree_core.bounds import Bounds, number_text
from reactree_core.measures import Comparison
from reactree_core.skill_types import class_and_number
from robot_bridge.filling import Fill, Filling
from robot_bridge.interface_types import FieldPath, NotReportedError, Selection
from robot_bridge.perception_file import TOPIC, TYPE
from robot_bridge.poses import Pose
from robot_bridge.reading import pose_from, Sentence, Test
from robot_bridge.robot_file import RobotFile
from robot_bridge.state_file import FactEntry, HeldEntry, PlaceSource, PoseEntry, Source

TF_TYPE = 'tf2_msgs/msg/TFMessage'
#: Where the robot is, in a fact.
HERE = 'here'
#: Where a thing is that the robot holds, in a fact; in a robot with named hands, one of them.
HELD = 'held'
#: What a source that tells of all places is as a whole.
EVERYWHERE = 'everywhere'
#: Elements of one message that are read.
MOST_FACTS = 500


@dataclass(frozen=True, slots=True, eq=False)
class NumberReader:
    """Where a number is, and what follows from it.

    :param name: what is measured; '' of what is nothing but its number.
    :param lasts: s for which it is known once it was given; inf for always.
    :param words: each with the condition from which it follows.
    :param bounds: numbers that it can have, in its unit; None for any.
    """

    name: str
    path: FieldPath
    unit: str
    scale: float
    digits: int
    lasts: float
    margin: Decimal | None
    words: tuple[tuple[str, Comparison], ...]
    bounds: Bounds | None = None

    def read(self, holder: Any, by: str, when: float) -> ReportedNumber:
        """The number in a message or its element, or why there is none.

        :param when: s, when the message came.
        """
        try:
            raw = float(self.path.read_known(holder))
        except NotReportedError as error:
            return ReportedNumber(self, None, by, when, str(error))
        if abs(raw * self.scale) >= 1e15:
            return ReportedNumber(self, None, by, when, f'has no number in {self.path.text}')
        number = round(Decimal(repr(raw * self.scale)), self.digits)
        bounds = self.bounds
        if bounds is None or bounds.least <= number <= bounds.most:
            return ReportedNumber(self, number, by, when)
        said = f'says {self.path.text} {raw:g}'
        if number < bounds.least == 0:
            return ReportedNumber(self, None, by, when, f'{said}: it is not measured')
        least, most = (float(end) / self.scale for end in (bounds.least, bounds.most))
        fault = f'{said}, which is outside {least:g} to {most:g}'
        misscaled = self.scale != 1.0 and bounds.least <= raw <= bounds.most
        if misscaled:
            ends = f'{number_text(bounds.least)} to {number_text(bounds.most)}'
            fault += f' (is it {ends}? Then write "scale: 1")'
        return ReportedNumber(self, None, by, when, fault, misscaled)


@dataclass(frozen=True, slots=True)
class ReportedNumber:
    """What a source reports of one number.

    :param number: None where it reports none. :param when: s, when it was given.
    :param fault: why there is none, to go on after the name of the source.
    :param misscaled: the number would fit with another factor: none of this source can be trusted.
    """

    reader: NumberReader
    number: Decimal | None
    by: str
    when: float
    fault: str = ''
    misscaled: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """A report of one thing.

    :param place: its name, 'here', 'held', or '' where only `pose` tells. :param near: m.
    :param by: the source, as in sentences. :param words: of states that it can tell; None for any.
    :param numbers: what it reports of its numbers.
    :param by_model: a vision-language model says so, no sensor. :param seen_at: s; by a model.
    :param echo: it may be no more than the last command.
    :param at: s, of the clock of `Reading.when`, when it was told; None: at the reading.
    :param age: s for which it is good after that; 0 for as long as nothing else is told.
    """

    name: str
    place: str = ''
    state: str = ''
    pose: Pose | None = None
    near: float = 0.0
    by: str = 'a sensor'
    words: frozenset[str] | None = None
    by_model: bool = False
    seen_at: float = 0.0
    numbers: tuple[ReportedNumber, ...] = ()
    at: float | None = None
    age: float = 0.0
    echo: bool = False

    @property
    def is_hint(self) -> bool:
        """Whether no sensor says so."""
        return self.by_model or self.echo


@dataclass(frozen=True, slots=True)
class Looked:
    """Where cameras have looked, so that what they can tell and did not see is not there.

    :param places: in view for a while, all around. :param gone: things that left where they were.
    :param tells: names and classes that can be seen at all. :param by: the source.
    """

    places: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    tells: frozenset[str] = frozenset()
    by: str = TOPIC

    def in_vain(self, name: str, place: str) -> bool:
        """Whether a thing would have been seen at a place, were it there."""
        return place in self.places and bool(self.tells & {name, class_and_number(name)[0]})


@dataclass(slots=True)
class Reading:
    """What the sources report now; None where they say nothing.

    :param pose: of the robot. :param place: its name.
    :param held: hand, '' for all of them -> names, or whether it holds anything.
    :param seen: things. :param whole: whether these are all that is at the place where it is, or
        'everywhere'. :param whole_at: s, when that was told; None: it is so now.
    :param looked: where cameras have looked; None where they say nothing fresh.
    :param numbers: of the robot itself, by what they are called; None of what is silent.
    :param when: s, of a clock that only goes on. :param now: s, of the node's clock.
    :param silent: what nothing fresh is known of, with the reason.
    :param unheard: the sources that are silent.
    :param notices: what is wrong with a report -> the sentence for people.
    """

    pose: Pose | None = None
    place: str | None = None
    held: dict[str, tuple[str, ...] | bool] = field(default_factory=dict)
    seen: tuple[Seen, ...] | None = None
    whole: bool | str = False
    whole_at: float | None = None
    numbers: dict[str, ReportedNumber | None] = field(default_factory=dict)
    when: float = 0.0
    looked: Looked | None = None
    silent: tuple[tuple[str, str], ...] = ()
    now: float = 0.0
    unheard: set[str] = field(default_factory=set)
    notices: dict[str, str] = field(default_factory=dict)

    def miss(self, sense: Sense, why: str) -> None:
        """Note that a source says nothing now. :param why: as a clause."""
        self.silent = (*self.silent, (sense.about, why))
        self.unheard.add(sense.what)


@dataclass(frozen=True, slots=True, eq=False)
class Sense:
    """A source, and the way to what is read of it.

    :param send: request of a service. :param selection: of one element of a message's lists.
    """

    entry: Source
    path: FieldPath
    send: Fill
    selection: Selection | None

    def concerns(self, message: Any) -> bool:
        """Whether a message is about what is selected; others of its topic are not heard."""
        if self.selection is None:
            return True
        try:
            self.selection.index(message)
        except LookupError:
            return False
        return True

    @property
    def what(self) -> str:
        """For sentences."""
        return self.entry.topic or self.entry.service or f'tf of {getattr(self.entry, "tf", "")}'

    @property
    def about(self) -> str:
        """What is not known while it is silent: 'place', 'held', 'facts', or a number's name."""
        return 'place'

    def report(self, reading: Reading, message: Any, filling: Filling, at: float) -> None:
        """Add what a message says to a reading.

        :param at: s, when it came. :raises LookupError: it does not say what it should.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class PoseSense(Sense):
    """Where the robot is, as a pose."""

    @property
    def near(self) -> float:
        """Farthest from a place to be there, m."""
        assert isinstance(self.entry, PoseEntry)
        return self.entry.near

    def read(self, message: Any) -> Pose:
        """:raises NotReportedError: it is not given."""
        assert isinstance(self.entry, PoseEntry)
        return _pose(self.path, message, message, self.entry.frame)

    def report(self, reading: Reading, message: Any, filling: Filling, at: float) -> None:
        """:param message: the pose, in the frame that the file names."""
        reading.pose = message


@dataclass(frozen=True, slots=True, eq=False)
class PlaceSense(Sense):
    """Where the robot is, as a name."""

    def read(self, message: Any) -> str:
        """:raises LookupError: it is not given."""
        assert isinstance(self.entry, PlaceSource)
        word = str(self.path.read_known(message))
        return self.entry.words.get(word, word)

    def report(self, reading: Reading, message: Any, filling: Filling, at: float) -> None:
        """Add the name of the robot's place."""
        reading.place = self.read(message)


@dataclass(frozen=True, slots=True, eq=False)
class HeldSense(Sense):
    """What the robot holds. :param names: whether the field has names. :param test: else."""

    names: bool
    test: Test

    @property
    def hand(self) -> str:
        """That it is about; '' for all."""
        assert isinstance(self.entry, HeldEntry)
        return self.entry.hand

    def read(self, message: Any) -> tuple[str, ...] | bool:
        """Names, or whether anything is held. :raises LookupError: it is not given."""
        assert isinstance(self.entry, HeldEntry)
        if not self.test(message):
            return ()
        if not self.names:
            return True
        value = self.path.read(message)
        words = [value] if isinstance(value, str) else list(value)
        names = (self.entry.words.get(word, word) for word in words)
        return tuple(name for name in names if name)

    @property
    def about(self) -> str:
        """What is not known while it is silent."""
        return 'held'

    def report(self, reading: Reading, message: Any, filling: Filling, at: float) -> None:
        """Add what a hand holds; the last command says no more of that than its skill."""
        held = self.read(message)
        if self.entry.measured is not False:
            reading.held[self.hand] = held


@dataclass(frozen=True, slots=True, eq=False)
class FactSense(Sense):
    """Things that are seen. :param each: whether the field is a list."""

    each: bool
    test: Test
    name: Sentence
    place: Sentence | None
    state: Sentence | None
    position: FieldPath | None
    words: frozenset[str] | None
    numbers: tuple[NumberReader, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it says all that is where the robot is."""
        assert isinstance(self.entry, FactEntry)
        return bool(self.entry.whole)

    def read(self, message: Any, filling: Filling, when: float = 0.0) -> Iterator[Seen]:
        """What a message reports. :param when: s, when it came.

        :raises NotReportedError: it is not given.
        """
        entry = self.entry
        assert isinstance(entry, FactEntry)
        value = self.path.read(message)
        for element in list(value)[:MOST_FACTS] if self.each else [value]:
            if not self.test(element):
                continue
            name = ' '.join(_told(self.name, filling, element).split())
            # Brackets would be an open slot in the texts of skills.
            if name and not set('<>') & set(name):
                yield Seen(
                    name,
                    _told(self.place, filling, element),
                    _told(self.state, filling, element),
                    self._pose(element, message),
                    entry.near,
                    self.what,
                    self.words,
                    numbers=tuple(one.read(element, self.what, when) for one in self.numbers),
                    at=when,
                    age=entry.age,
                    echo=entry.measured is False,
                )

    @property
    def about(self) -> str:
        """What is not known while it is silent."""
        return 'facts'

    def report(self, reading: Reading, message: Any, filling: Filling, at: float) -> None:
        """Add the things that a message reports, and whether these are all."""
        seen = tuple(self.read(message, filling, at))
        reading.seen = (*(reading.seen or ()), *seen)
        count = len(self._elements(message)) if self.each else 1
        if count > MOST_FACTS:
            # Of what is left out nothing follows, least of all that it is not there.
            reading.notices[f'{self.what} is cut'] = (
                f'{self.what} reports {count} things at once: {MOST_FACTS} of them are read, and '
                'what is not among these may be there all the same.'
            )
        elif reading.whole != EVERYWHERE:
            assert isinstance(self.entry, FactEntry)
            if self.entry.whole:
                reading.whole = self.entry.whole
                reading.whole_at = None if self.entry.latched else at

    def _elements(self, message: Any) -> Any:
        return self.path.read(message)

    def _pose(self, element: Any, message: Any) -> Pose | None:
        assert isinstance(self.entry, FactEntry)
        if self.position is None:
            return None
        try:
            return _pose(self.position, element, message, self.entry.frame)
        except NotReportedError:
            return None


@dataclass(frozen=True, slots=True, eq=False)
class NumberSense(Sense):
    """A number of the robot itself. :param name: what it is called."""

    name: str
    reader: NumberReader

    @property
    def about(self) -> str:
        """What is not known while it is silent."""
        return self.name

    def read(self, message: Any, when: float = 0.0) -> ReportedNumber:
        """What a message reports. :param when: s, when it came."""
        return self.reader.read(message, self.what, when)

    def report(self, reading: Reading, message: Any, filling: Filling, at: float) -> None:
        """Add the number, or why there is none."""
        reading.numbers[self.name] = self.read(message, at)


@dataclass(frozen=True, slots=True, eq=False)
class PerceptionSense(FactSense):
    """What `perception_node` sees: markers, detections, and what a model says of pictures."""

    def read(self, message: Any, filling: Filling, when: float = 0.0) -> Iterator[Seen]:
        """What a message reports."""
        entry = self.entry
        assert isinstance(entry, FactEntry)
        picture = _seconds(message.header.stamp) if hasattr(message.header, 'stamp') else 0.0
        for one in list(message.things)[:MOST_FACTS]:
            pose = pose_from(one.pose, message.header.frame_id) if one.has_pose else None
            by_model = one.by == one.BY_MODEL
            reported = one.place or one.state if by_model else pose is not None and pose.is_finite
            if reported and one.name and not set('<>') & set(one.name):
                seen_at = _seconds(one.seen_at)
                yield Seen(
                    one.name,
                    one.place if by_model else '',
                    one.state if by_model else '',
                    pose,
                    entry.near,
                    self.what,
                    self.words,
                    by_model,
                    seen_at,
                    at=when - max(0.0, picture - seen_at),
                    age=entry.age,
                )

    def _elements(self, message: Any) -> Any:
        return message.things

    def report(self, reading: Reading, message: Any, filling: Filling, at: float) -> None:
        """Add the things, and where cameras have looked."""
        FactSense.report(self, reading, message, filling, at)
        reading.looked = self.looked(message)

    def looked(self, message: Any) -> Looked:
        """Where was looked."""
        looked_at, gone, tells = (
            frozenset(list(names)[:MOST_FACTS])
            for names in (message.looked_at, message.gone, message.tells)
        )
        return Looked(looked_at, gone, tells, self.what)


def perception_sense(file: RobotFile) -> PerceptionSense | None:
    """The source of what cameras see; None where the file has none."""
    perception = file.perception
    if perception is None:
        return None
    entry = FactEntry(
        topic=TOPIC, type=TYPE, name='{name}', near=perception.near, age=perception.age
    )
    return PerceptionSense(
        entry,
        FieldPath('', ()),
        lambda filling: {},
        None,
        True,
        lambda message: True,
        lambda filling, element: '',
        None,
        None,
        None,
        frozenset(),
    )


def _seconds(stamp: Any) -> float:
    return float(stamp.sec + stamp.nanosec * 1e-9)


def _told(sentence: Sentence | None, filling: Filling, element: Any) -> str:
    """What an element reports; '' where it does not."""
    try:
        return sentence(filling, element) if sentence else ''
    except NotReportedError:
        return ''


def _pose(path: FieldPath, holder: Any, message: Any, frame: str) -> Pose:
    """A pose in a field; in the frame of the message's header where it has one.

    :raises NotReportedError: it is not given, or not in finite numbers.
    """
    header = getattr(message, 'header', None)
    frame_id = header.frame_id.lstrip('/') if header is not None else ''
    pose = pose_from(path.read(holder), frame_id or frame)
    if not pose.is_finite:
        raise NotReportedError('has no finite numbers')
    return pose


@dataclass(frozen=True, slots=True)
class Senses:
    """All that is read."""

    pose: PoseSense | None = None
    place: PlaceSense | None = None
    held: tuple[HeldSense, ...] = ()
    facts: tuple[FactSense, ...] = ()
    numbers: tuple[NumberSense, ...] = ()

    def all(self) -> tuple[Sense, ...]:
        """Every source."""
        where = (sense for sense in (self.pose, self.place) if sense is not None)
        return (*where, *self.held, *self.facts, *self.numbers)
