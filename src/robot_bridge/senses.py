"""What a robot tells of itself and the world, read from its messages as the file says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from string import Formatter
from typing import Any

from reactree_core.skill_types import class_and_number
from robot_bridge.calls import CallMaker
from robot_bridge.faults import Faults, Location
from robot_bridge.filling import Fill, Filler, Filling, Scope
from robot_bridge.interface_types import (
    Catalogue,
    FieldPath,
    FieldType,
    near,
    NotToldError,
    Selection,
    Shape,
)
from robot_bridge.numbers import NumberReader, reader_of, scale_of, ToldNumber
from robot_bridge.perception_file import TOPIC, TYPE
from robot_bridge.poses import Pose
from robot_bridge.reading import pose_from, Reader, reads_pose, Sentence, Test
from robot_bridge.robot_file import (
    FactEntry,
    HeldEntry,
    NumberEntry,
    PlaceSource,
    PoseEntry,
    RobotFile,
    Source,
)

TF_TYPE = 'tf2_msgs/msg/TFMessage'
#: Where the robot is, in a fact.
HERE = 'here'
#: Where a thing is that the robot holds, in a fact; in a robot with named hands, one of them.
HELD = 'held'
#: What a source that tells of all places is as a whole.
EVERYWHERE = 'everywhere'
_NO_SKILL = Scope({}, 'a fact of the state')
#: Elements of one message that are read.
_MOST_FACTS = 500


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that was seen.

    :param place: its name, 'here', 'held', or '' where only `pose` tells. :param near: m.
    :param by: the source, as in sentences. :param words: of states that it can tell; None for any.
    :param numbers: what it tells of its numbers.
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
    numbers: tuple[ToldNumber, ...] = ()


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
        """:raises NotToldError: it is not told."""
        assert isinstance(self.entry, PoseEntry)
        return _pose(self.path, message, message, self.entry.frame)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceSense(Sense):
    """Where the robot is, as a name."""

    def read(self, message: Any) -> str:
        """:raises LookupError: it is not told."""
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
        """Names, or whether anything is held. :raises LookupError: it is not told."""
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
        """Whether it tells all that is where the robot is."""
        assert isinstance(self.entry, FactEntry)
        return bool(self.entry.whole)

    def read(self, message: Any, filling: Filling, when: float = 0.0) -> Iterator[Seen]:
        """What a message tells. :param when: s, when it came.

        :raises NotToldError: it is not told.
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
        except NotToldError:
            return None


@dataclass(frozen=True, slots=True, eq=False)
class NumberSense(Sense):
    """A number of the robot itself. :param name: what it is called."""

    name: str
    reader: NumberReader

    def read(self, message: Any, when: float = 0.0) -> ToldNumber:
        """What a message tells. :param when: s, when it came.

        :raises NotToldError: it tells no number.
        """
        told = self.reader.read(message, self.what, when)
        if told.number is None:
            raise NotToldError(f'tells no number in {self.path.text}')
        return told


@dataclass(frozen=True, slots=True, eq=False)
class PerceptionSense(FactSense):
    """What `perception_node` sees: markers, detections, and what a model says of pictures."""

    def read(self, message: Any, filling: Filling, when: float = 0.0) -> Iterator[Seen]:
        """What a message tells."""
        entry = self.entry
        assert isinstance(entry, FactEntry)
        for one in list(message.things)[:_MOST_FACTS]:
            pose = pose_from(one.pose, message.header.frame_id) if one.has_pose else None
            by_model = one.by == one.BY_MODEL
            told = one.place or one.state if by_model else pose is not None and pose.is_finite
            if told and one.name and not set('<>') & set(one.name):
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
    told = file.perception
    if told is None:
        return None
    entry = FactEntry(topic=TOPIC, type=TYPE, name='{name}', near=told.near, age=told.age)
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
    """What an element tells; '' where it does not."""
    try:
        return sentence(filling, element) if sentence else ''
    except NotToldError:
        return ''


def _pose(path: FieldPath, holder: Any, message: Any, frame: str) -> Pose:
    """A pose in a field; in the frame of the message's header where it has one.

    :raises NotToldError: it is not told, or not in finite numbers.
    """
    header = getattr(message, 'header', None)
    told = header.frame_id.lstrip('/') if header is not None else ''
    pose = pose_from(path.read(holder), told or frame)
    if not pose.is_finite:
        raise NotToldError('tells no finite numbers')
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


def check_hand(hand: str, file: RobotFile, location: Location, faults: Faults) -> None:
    """Note a hand that the robot has not."""
    if hand and hand not in file.hands:
        known = [name for name in file.hands if name]
        faults.add(location, f'"hands" has no "{hand}"; {near(hand, known)}')


class SensesMaker:
    """Makes senses of a file's state, and notes what is wrong with it."""

    def __init__(
        self,
        file: RobotFile,
        catalogue: Catalogue,
        filler: Filler,
        reader: Reader,
        calls: CallMaker,
        faults: Faults,
    ) -> None:
        self._file = file
        self._catalogue = catalogue
        self._filler = filler
        self._reader = reader
        self._calls = calls
        self._faults = faults

    def senses(self) -> Senses:
        """All that the file's state tells of."""
        state = self._file.state
        if self._uses_tf():
            location: Location = ('state', 'pose') if state.pose and state.pose.tf else ('places',)
            self._calls.shape(TF_TYPE, 'msg', 'message', location)
        held = [
            self._held(entry, ('state', 'held', index)) for index, entry in enumerate(state.held)
        ]
        hands = [entry.hand for entry in state.held]
        for index, hand in enumerate(hands):
            if len(hands) > 1 and hands.index(hand) < index:
                self._faults.add(
                    ('state', 'held', index),
                    'what is held is told twice: name the hand that each is about',
                )
        facts = [
            self._facts(entry, ('state', 'facts', index))
            for index, entry in enumerate(state.facts)
        ]
        return Senses(
            self._pose(state.pose, ('state', 'pose')) if state.pose else None,
            self._place(state.place, ('state', 'place')) if state.place else None,
            tuple(sense for sense in held if sense is not None),
            tuple(fact for fact in (*facts, perception_sense(self._file)) if fact is not None),
            tuple(self._own_numbers()),
        )

    def _uses_tf(self) -> bool:
        pose = self._file.state.pose
        return bool(pose and pose.tf) or any(place.tf for place in self._file.places.values())

    def _open(
        self, entry: Source, location: Location
    ) -> tuple[Shape, FieldPath, FieldType, Fill, Selection | None] | None:
        """What is read of a source, and the way to it."""
        kind, what = ('msg', 'topic') if entry.topic else ('srv', 'service')
        name = entry.topic or entry.service
        self._calls.check_name(name, kind, entry.type, (*location, what))
        parts = ('message', 'message') if kind == 'msg' else ('request', 'response')
        shape = self._calls.shape(entry.type, kind, parts[1], (*location, 'type'))
        if shape is None:
            return None
        send: Fill = lambda filling: {}  # noqa: E731 - of a topic
        if kind == 'srv':
            asked = self._catalogue.part(entry.type, parts[0])
            send = self._filler.fields(entry.send, asked, _NO_SKILL, (*location, 'send'))
        where = 'select'
        try:
            selection = self._reader.selection(entry.select, shape)
            where = 'field'
            path, found = self._reader.path(entry.field, shape, selection)
        except ValueError as error:
            self._faults.add((*location, where), str(error))
            return None
        return shape, path, found, send, selection

    def _pose(self, entry: PoseEntry, location: Location) -> PoseSense | None:
        if not self._file.places:
            self._faults.add(location, 'a pose is told by places, and the file has none')
        if entry.tf:
            return PoseSense(entry, FieldPath('', ()), lambda filling: {}, None)
        opened = self._open(entry, location)
        if opened is None:
            return None
        shape, path, kind, send, selection = opened
        if not reads_pose(kind):
            where = f'"{entry.field}"' if entry.field else 'the message'
            self._faults.add(
                (*location, 'field'), f'{where} is {kind}, which is no pose: name the field of one'
            )
        elif 'header' not in shape.fields and not entry.frame:
            self._faults.add(
                location, f'{shape.name} tells no frame: add the one it is in, "frame: map"'
            )
        return PoseSense(entry, path, send, selection)

    def _place(self, entry: PlaceSource, location: Location) -> PlaceSense | None:
        for word, name in entry.words.items():
            if name not in self._file.places:
                known = list(self._file.places)
                self._faults.add(
                    (*location, 'words', word), f'there is no place "{name}"; {near(name, known)}'
                )
        opened = self._open(entry, location)
        if opened is None:
            return None
        _, path, kind, send, selection = opened
        if not kind.is_text and not kind.is_number:
            self._faults.add(
                (*location, 'field'), f'"{entry.field}" is {kind}; a place is told by a text'
            )
        return PlaceSense(entry, path, send, selection)

    def _held(self, entry: HeldEntry, location: Location) -> HeldSense | None:
        opened = self._open(entry, location)
        if opened is None:
            return None
        shape, path, kind, send, selection = opened
        check_hand(entry.hand, self._file, (*location, 'hand'), self._faults)
        names = kind.name == 'string'
        here = (*location, 'when')
        test = self._reader.told_conditions(entry.when, shape, here, selection)
        if not names and not entry.when:
            if kind.is_truth:
                truth = path
                test = lambda message: bool(truth.read(message))  # noqa: E731
            else:
                self._faults.add(
                    location,
                    f'"{entry.field or entry.topic or entry.service}" is {kind}: what is held is '
                    'told by a text, by true or false, or by "when"',
                )
        return HeldSense(entry, path, send, selection, names, test)

    def _facts(self, entry: FactEntry, location: Location) -> FactSense | None:
        opened = self._open(entry, location)
        if opened is None:
            return None
        shape, path, kind, send, selection = opened
        element = kind.element if kind.length is not None else kind
        if not element.is_message:
            self._faults.add(
                (*location, 'field'),
                f'"{entry.field}" is {kind}: a fact is read from a message, or a list of messages',
            )
            return None
        inner = shape if not entry.field else self._catalogue.message(element.name)
        sentences: dict[str, Sentence | None] = {}
        for field in ('name', 'place', 'state'):
            written = getattr(entry, field)
            sentences[field] = None
            if written:
                with self._faults.noting((*location, field)):
                    sentences[field] = self._reader.sentence(
                        written, _NO_SKILL, inner, entry.words, selection
                    )
        known = [HERE, HELD, *filter(None, self._file.hands), *self._file.places]
        if entry.place and '{' not in entry.place and entry.place not in known:
            self._faults.add(
                (*location, 'place'),
                f'there is no place "{entry.place}"; {near(entry.place, known)}',
            )
        position = None
        if entry.position:
            with self._faults.noting((*location, 'position')):
                position, told = self._reader.path(entry.position, inner)
                if not reads_pose(told):
                    raise ValueError(f'"{entry.position}" is {told}, which is no pose or point')
                if 'header' not in shape.fields and not entry.frame:
                    raise ValueError(
                        f'{shape.name} tells no frame: add the one positions are in, "frame: map"'
                    )
        test = self._reader.conditions(entry.when, inner, (*location, 'when'), selection)
        name = sentences['name']
        if name is None:
            return None
        return FactSense(
            entry,
            path,
            send,
            selection,
            kind.length is not None,
            test,
            name,
            sentences['place'],
            sentences['state'],
            position,
            self._words_of_states(entry, inner, selection),
            tuple(self._numbers(entry, inner, selection, location)),
        )

    def _numbers(
        self,
        entry: FactEntry,
        inner: Shape,
        selection: Selection | None,
        location: Location,
    ) -> Iterator[NumberReader]:
        """What is measured of the things of a source."""
        for name, number in entry.numbers.items():
            here = (*location, 'numbers', name)
            with self._faults.noting((*here, 'field')):
                path, kind = self._reader.path(number.field, inner, selection)
                yield self._number(name, number, inner, path, kind, entry.age)

    def _number(
        self,
        name: str,
        entry: NumberEntry,
        holder: Shape,
        path: FieldPath,
        kind: FieldType,
        age: float,
    ) -> NumberReader:
        """:param holder: message of the field. :raises ValueError: there is no number."""
        if not kind.is_number:
            raise ValueError(f'"{path.text}" is {kind}, and no number')
        return reader_of(name, entry, path, scale_of(entry, holder.name, path.text), age)

    def _own_numbers(self) -> Iterator[NumberSense]:
        for name, entry in self._file.state.numbers.items():
            location: Location = ('state', 'numbers', name)
            if name in (*self._file.places, *self._file.things):
                self._faults.add(location, f'"{name}" is a place or a thing already')
            opened = self._open(entry, location)
            if opened is None:
                continue
            shape, path, kind, send, selection = opened
            with self._faults.noting((*location, 'field')):
                reader = self._number('', entry, shape, path, kind, entry.age)
                yield NumberSense(entry, path, send, selection, name, reader)

    def _words_of_states(
        self, entry: FactEntry, inner: Shape, selection: Selection | None
    ) -> frozenset[str] | None:
        """Words that a source can tell as states; None where its text can be anything."""
        words = {*entry.words.values()}
        # What is wrong with the text has been noted.
        with suppress(ValueError):
            for literal, name, _, _ in Formatter().parse(entry.state):
                words.update(literal.strip(' ,').split(', '))
                told = self._reader.path(name, inner, selection)[1] if name else None
                if told is not None and told.is_text and not entry.words:
                    return None
                if told is not None and told.is_truth:
                    words |= {str(truth).lower() for truth in (True, False)} - set(entry.words)
        return frozenset(words)
