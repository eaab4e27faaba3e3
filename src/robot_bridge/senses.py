"""What a robot reports of itself and the world, read from its messages as the file says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reactree_core.skill_types import class_and_number
from robot_bridge.filling import Fill, Filling
from robot_bridge.interface_types import FieldPath, NotReportedError, Selection
from robot_bridge.numbers import NumberReader, ReportedNumber
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
_MOST_FACTS = 500


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that was seen.

    :param place: its name, 'here', 'held', or '' where only `pose` tells. :param near: m.
    :param by: the source, as in sentences. :param words: of states that it can tell; None for any.
    :param numbers: what it reports of its numbers.
    :param by_model: a vision-language model says so, no sensor. :param seen_at: s; by a model.
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


@dataclass(frozen=True, slots=True, eq=False)
class PlaceSense(Sense):
    """Where the robot is, as a name."""

    def read(self, message: Any) -> str:
        """:raises LookupError: it is not given."""
        assert isinstance(self.entry, PlaceSource)
        word = str(self.path.read_known(message))
        return self.entry.words.get(word, word)


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
        for element in list(value)[:_MOST_FACTS] if self.each else [value]:
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
                )

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

    def read(self, message: Any, when: float = 0.0) -> ReportedNumber:
        """What a message reports. :param when: s, when it came.

        :raises NotReportedError: it has no number.
        """
        number = self.reader.read(message, self.what, when)
        if number.number is None:
            raise NotReportedError(f'has no number in {self.path.text}')
        return number


@dataclass(frozen=True, slots=True, eq=False)
class PerceptionSense(FactSense):
    """What `perception_node` sees: markers, detections, and what a model says of pictures."""

    def read(self, message: Any, filling: Filling, when: float = 0.0) -> Iterator[Seen]:
        """What a message reports."""
        entry = self.entry
        assert isinstance(entry, FactEntry)
        for one in list(message.things)[:_MOST_FACTS]:
            pose = pose_from(one.pose, message.header.frame_id) if one.has_pose else None
            by_model = one.by == one.BY_MODEL
            reported = one.place or one.state if by_model else pose is not None and pose.is_finite
            if reported and one.name and not set('<>') & set(one.name):
                seen_at = one.seen_at.sec + one.seen_at.nanosec * 1e-9
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
                )

    def looked(self, message: Any) -> Looked:
        """Where was looked."""
        looked_at, gone, tells = (
            frozenset(list(names)[:_MOST_FACTS])
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
