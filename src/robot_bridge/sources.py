"""Reports of a robot's sources: what each message says of the robot and the things around it.

    for sense in senses.all():
        sense.report(reading, message, filling, at)     # a Reading is what all of them say now

A source reports what it states and nothing else: what follows from silence, and from two that
disagree, `Sensed` decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, TypeVar

from reactree_core.bounds import Bounds, number_text
from reactree_core.measures import Comparison
from reactree_core.skill_types import class_and_number
from robot_bridge.filling import Fill, Filling
from robot_bridge.interface_types import FieldPath, NotReportedError, Selection
from robot_bridge.perception_file import TOPIC, TYPE
from robot_bridge.poses import Pose
from robot_bridge.reading import pose_from, Sentence
from robot_bridge.robot_file import RobotFile
from robot_bridge.state_file import (
    FactEntry,
    HeldEntry,
    OwnNumber,
    PlaceSource,
    PoseEntry,
    Source,
)

TF_TYPE = 'tf2_msgs/msg/TFMessage'
#: Where the robot is, in a fact.
HERE = 'here'
#: Where a thing is that the robot holds, in a fact; in a robot with named hands, one of them.
HELD = 'held'
#: What is held where only that something is held is known.
SOMETHING = 'something'
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
    """Report of one number.

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
    :param at: s, of the clock of `Reading.when`, when it came; None: at the reading.
    :param age: s for which it is good after that; 0 until another report.
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
        """True where no sensor says so."""
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
    """Present reports of all sources; None where they say nothing.

    :param pose: of the robot. :param place: its name.
    :param held: hand, '' for all of them -> names, or whether it holds anything.
    :param seen: things. :param whole: whether these are all that is at the place where it is, or
        'everywhere'. :param whole_at: s, when that came; None: it is so now.
    :param looked: where cameras have looked; None where they say nothing fresh.
    :param numbers: of the robot itself, by what they are called; None of what is silent.
    :param when: s, of a clock that only goes on. :param now: s, of the node's clock.
    :param at: source -> s, when what it says of place and hands came.
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
    at: dict[str, float] = field(default_factory=dict)
    silent: tuple[tuple[str, str], ...] = ()
    now: float = 0.0
    unheard: set[str] = field(default_factory=set)
    notices: dict[str, str] = field(default_factory=dict)

    def miss(self, sense: Sense[Any], why: str) -> None:
        """Note that a source says nothing now. :param why: as a clause."""
        self.silent = (*self.silent, (sense.about, why))
        self.unheard.add(sense.what)


_E = TypeVar('_E', bound=Source)


@dataclass(frozen=True, slots=True, eq=False)
class Sense(Generic[_E]):
    """A source of the file, and what is read of its messages.

    :param about: what is not known while it is silent: 'place', 'held', 'facts', or a number.
    :param read: value of a message; LookupError where it does not say what it should.
    :param report: adds to a reading what a message says. :param send: request of a service.
    :param selection: of one element of a message's lists.
    :param names: whether it says what is held by name. :param numbers: that it reports.
    :param words: of states that it can report; None for any.
    """

    entry: _E
    about: str
    read: Callable[..., Any]
    report: Callable[[Reading, Any, Filling, float], None]
    send: Fill = lambda filling: {}
    selection: Selection | None = None
    names: bool = False
    numbers: tuple[NumberReader, ...] = ()
    words: frozenset[str] | None = None

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
        return source_name(self.entry)


@dataclass(frozen=True, slots=True)
class Senses:
    """All that is read."""

    pose: Sense[PoseEntry] | None = None
    place: Sense[PlaceSource] | None = None
    held: tuple[Sense[HeldEntry], ...] = ()
    facts: tuple[Sense[FactEntry], ...] = ()
    numbers: tuple[Sense[OwnNumber], ...] = ()

    def all(self) -> tuple[Sense[Any], ...]:
        """Every source."""
        where = (sense for sense in (self.pose, self.place) if sense is not None)
        return (*where, *self.held, *self.facts, *self.numbers)


def source_name(entry: Source) -> str:
    """A source, for sentences."""
    return entry.topic or entry.service or f'tf of {getattr(entry, "tf", "")}'


def add_seen(
    reading: Reading, entry: FactEntry, seen: Iterable[Seen], count: int, at: float
) -> None:
    """Add the things that a message reports, and whether these are all.

    :param count: of its elements. :param at: s, when it came.
    """
    by = source_name(entry)
    reading.seen = (*(reading.seen or ()), *seen)
    if count > MOST_FACTS:
        # Of what is left out nothing follows, least of all that it is not there.
        reading.notices[f'{by} is cut'] = (
            f'{by} reports {count} things at once: {MOST_FACTS} of them are read, and '
            'what is not among these may be there all the same.'
        )
    elif entry.whole and reading.whole != EVERYWHERE:
        reading.whole = entry.whole
        reading.whole_at = None if entry.latched else at


def perception_sense(file: RobotFile) -> Sense[FactEntry] | None:
    """The source of what `perception_node` sees: markers, detections, and what a model says.

    :returns: None where the file has no cameras.
    """
    if file.perception is None:
        return None
    entry = FactEntry(
        topic=TOPIC,
        type=TYPE,
        name='{name}',
        near=file.perception.near,
        age=file.perception.age,
        # Markers are tags; what a detector reports was told apart by its look.
        identifies=not file.perception.detections or None,
    )

    def read(message: Any, filling: Filling, at: float = 0.0) -> Iterator[Seen]:
        picture = _seconds(message.header.stamp) if hasattr(message.header, 'stamp') else 0.0
        for one in list(message.things)[:MOST_FACTS]:
            pose = pose_from(one.pose, message.header.frame_id) if one.has_pose else None
            by_model = one.by == one.BY_MODEL
            reported = one.place or one.state if by_model else pose is not None and pose.is_finite
            if reported and is_name(one.name):
                place, state = (one.place, one.state) if by_model else ('', '')
                seen_at = _seconds(one.seen_at)
                said_at = at - max(0.0, picture - seen_at)
                yield Seen(
                    one.name, place, state, pose, entry.near, TOPIC, frozenset(), by_model,
                    seen_at, at=said_at, age=entry.age,
                )  # fmt: skip

    def report(reading: Reading, message: Any, filling: Filling, at: float) -> None:
        add_seen(reading, entry, read(message, filling, at), len(message.things), at)
        looked_at, gone, tells = (
            frozenset(list(names)[:MOST_FACTS])
            for names in (message.looked_at, message.gone, message.tells)
        )
        reading.looked = Looked(looked_at, gone, tells)

    return Sense(entry, 'facts', read, report, words=frozenset())


def _seconds(stamp: Any) -> float:
    return float(stamp.sec + stamp.nanosec * 1e-9)


def is_name(text: str) -> bool:
    """Whether a text can be a thing's name: brackets would be an open slot in texts of skills."""
    return bool(text) and not set('<>') & set(text)


def said(sentence: Sentence | None, filling: Filling, element: Any) -> str:
    """What an element reports; '' where it does not."""
    try:
        return sentence(filling, element) if sentence else ''
    except NotReportedError:
        return ''


def read_pose(path: FieldPath, holder: Any, message: Any, frame: str) -> Pose:
    """A pose in a field; in the frame of the message's header where it has one.

    :raises NotReportedError: it is not given, or not in finite numbers.
    """
    header = getattr(message, 'header', None)
    frame_id = header.frame_id.lstrip('/') if header is not None else ''
    pose = pose_from(path.read(holder), frame_id or frame)
    if not pose.is_finite:
        raise NotReportedError('has no finite numbers')
    return pose
