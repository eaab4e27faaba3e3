"""Senses made of what a robot's file says of its state, and what is wrong with that."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from string import Formatter
from typing import Any

from reactree_core.bounds import Bounds
from reactree_core.measures import read_comparison
from robot_bridge.calls import CallMaker
from robot_bridge.faults import Faults, Location
from robot_bridge.filling import Fill, Filling, Scope
from robot_bridge.interface_types import (
    Catalogue,
    FieldPath,
    FieldType,
    near,
    NotReportedError,
    Selection,
    Shape,
)
from robot_bridge.poses import Pose
from robot_bridge.reading import Reader, reads_pose, Sentence
from robot_bridge.robot_file import RobotFile
from robot_bridge.sources import (
    add_seen,
    HELD,
    HERE,
    is_name,
    MOST_FACTS,
    NumberReader,
    perception_sense,
    read_pose,
    Reading,
    ReportedNumber,
    said,
    Seen,
    Sense,
    Senses,
    source_name,
    TF_TYPE,
)
from robot_bridge.state_file import (
    FactEntry,
    HeldEntry,
    NumberEntry,
    OwnNumber,
    PlaceSource,
    PoseEntry,
    Source,
)

_NO_SKILL = Scope({}, 'a fact of the state')


def _take_pose(reading: Reading, message: Any, filling: Filling, at: float) -> None:
    """:param message: the pose, in the frame that the file names."""
    reading.pose = message


def check_hand(hand: str, file: RobotFile, location: Location, faults: Faults) -> None:
    """Note a hand that the robot has not."""
    if hand and hand not in file.hands:
        known = [name for name in file.hands if name]
        faults.add(location, f'"hands" has no "{hand}"; {near(hand, known)}')


@dataclass
class SensesMaker:
    """Makes senses of a file's state, and notes what is wrong with it."""

    _file: RobotFile
    _catalogue: Catalogue
    _reader: Reader
    _calls: CallMaker
    _faults: Faults

    def senses(self) -> Senses:
        """All that the file's state names."""
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
                    'what is held is given twice: name the hand that each is about',
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
        told = self._calls.source(entry, _NO_SKILL, location)
        if told is None:
            return None
        shape, send = told
        where = 'select'
        try:
            selection = self._reader.selection(entry.select, shape)
            where = 'field'
            path, found = self._reader.path(entry.field, shape, selection)
        except ValueError as error:
            self._faults.add((*location, where), str(error))
            return None
        return shape, path, found, send, selection

    def _pose(self, entry: PoseEntry, location: Location) -> Sense[PoseEntry] | None:
        if not self._file.places:
            self._faults.add(location, 'a pose needs places, and the file has none')
        if entry.tf:
            return Sense(entry, 'place', lambda message: message, _take_pose)
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
                location, f'{shape.name} has no frame: add the one it is in, "frame: map"'
            )

        def read(message: Any) -> Pose:
            return read_pose(path, message, message, entry.frame)

        return Sense(entry, 'place', read, _take_pose, send, selection)

    def _place(self, entry: PlaceSource, location: Location) -> Sense[PlaceSource] | None:
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
                (*location, 'field'), f'"{entry.field}" is {kind}; a place has to be a text'
            )

        def read(message: Any) -> str:
            word = str(path.read_known(message))
            return entry.words.get(word, word)

        def report(reading: Reading, message: Any, filling: Filling, at: float) -> None:
            reading.place = read(message)
            reading.at[source_name(entry)] = at

        return Sense(entry, 'place', read, report, send, selection)

    def _held(self, entry: HeldEntry, location: Location) -> Sense[HeldEntry] | None:
        opened = self._open(entry, location)
        if opened is None:
            return None
        shape, path, kind, send, selection = opened
        check_hand(entry.hand, self._file, (*location, 'hand'), self._faults)
        names = kind.name == 'string'
        here = (*location, 'when')
        test = self._reader.strict_conditions(entry.when, shape, here, selection)
        if not names and not entry.when:
            if kind.is_truth:
                truth = path
                test = lambda message: bool(truth.read(message))  # noqa: E731
            else:
                self._faults.add(
                    location,
                    f'"{entry.field or entry.topic or entry.service}" is {kind}: what is held is '
                    'given by a text, by true or false, or by "when"',
                )

        if entry.identifies and not names:
            self._faults.add(
                (*location, 'identifies'),
                'this source says whether something is held, and not which thing: leave it out',
            )

        def read(message: Any) -> tuple[str, ...] | bool:
            """Names, or whether anything is held."""
            if not test(message):
                return ()
            if not names:
                return True
            value = path.read(message)
            words = [value] if isinstance(value, str) else list(value)
            held = (entry.words.get(word, word) for word in words)
            return tuple(name for name in held if name)

        def report(reading: Reading, message: Any, filling: Filling, at: float) -> None:
            held = read(message)
            # The last command says no more of that than its skill.
            if entry.measured is not False:
                reading.held[entry.hand] = held
                reading.at[source_name(entry)] = at

        return Sense(entry, 'held', read, report, send, selection, names)

    def _facts(self, entry: FactEntry, location: Location) -> Sense[FactEntry] | None:
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
                position, described = self._reader.path(entry.position, inner)
                if not reads_pose(described):
                    raise ValueError(
                        f'"{entry.position}" is {described}, which is no pose or point'
                    )
                if 'header' not in shape.fields and not entry.frame:
                    raise ValueError(
                        f'{shape.name} has no frame: add the one positions are in, "frame: map"'
                    )
        test = self._reader.conditions(entry.when, inner, (*location, 'when'), selection)
        name = sentences['name']
        if name is None:
            return None
        each, by = kind.length is not None, source_name(entry)
        words = self._words_of_states(entry, inner, selection)
        numbers = tuple(self._numbers(entry, inner, selection, location))

        def pose_of(element: Any, message: Any) -> Pose | None:
            with suppress(NotReportedError):
                return read_pose(position, element, message, entry.frame) if position else None
            return None

        def read(message: Any, filling: Filling, at: float = 0.0) -> Iterator[Seen]:
            value = path.read(message)
            for element in list(value)[:MOST_FACTS] if each else [value]:
                found = ' '.join(said(name, filling, element).split()) if test(element) else ''
                if is_name(found):
                    yield Seen(
                        found,
                        said(sentences['place'], filling, element),
                        said(sentences['state'], filling, element),
                        pose_of(element, message),
                        entry.near,
                        by,
                        words,
                        numbers=tuple(one.read(element, by, at) for one in numbers),
                        at=None if entry.latched else at,
                        age=entry.age,
                        echo=entry.measured is False,
                    )

        def report(reading: Reading, message: Any, filling: Filling, at: float) -> None:
            count = len(path.read(message)) if each else 1
            add_seen(reading, entry, tuple(read(message, filling, at)), count, at)

        return Sense(entry, 'facts', read, report, send, selection, numbers=numbers, words=words)

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
        stated = holder.ranges.get(path.text.rpartition('.')[2])
        percent, scale = entry.unit == '%', entry.scale
        if scale is None:
            scale = 100.0 if percent and stated == (0.0, 1.0) else 1.0
        bounds = entry.bounds
        if bounds is None and percent:
            bounds = Bounds(Decimal(0), Decimal(100))
        elif bounds is None and stated is not None and entry.scale is None:
            bounds = Bounds(Decimal(str(stated[0])), Decimal(str(stated[1])))
        comparisons = ((word, read_comparison(written)) for word, written in entry.words.items())
        return NumberReader(
            name,
            path,
            entry.unit,
            float(scale),
            entry.digits,
            (age if entry.lasts is None else entry.lasts) or math.inf,
            None if entry.margin is None else Decimal(str(entry.margin)),
            tuple((word, one) for word, one in comparisons if one is not None),
            bounds,
        )

    def _own_numbers(self) -> Iterator[Sense[OwnNumber]]:
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
                yield self._own_number(name, entry, reader, send, selection)

    def _own_number(
        self,
        name: str,
        entry: OwnNumber,
        reader: NumberReader,
        send: Fill,
        selection: Selection | None,
    ) -> Sense[OwnNumber]:
        def read(message: Any, at: float = 0.0) -> ReportedNumber:
            return reader.read(message, source_name(entry), at)

        def report(reading: Reading, message: Any, filling: Filling, at: float) -> None:
            reading.numbers[name] = read(message, at)

        return Sense(entry, name, read, report, send, selection, numbers=(reader,))

    def _words_of_states(
        self, entry: FactEntry, inner: Shape, selection: Selection | None
    ) -> frozenset[str] | None:
        """Words that a source can report as states; None where its text can be anything."""
        words = {*entry.words.values()}
        # What is wrong with the text has been noted.
        with suppress(ValueError):
            for literal, name, _, _ in Formatter().parse(entry.state):
                words.update(literal.strip(' ,').split(', '))
                read = self._reader.path(name, inner, selection)[1] if name else None
                if read is not None and read.is_text and not entry.words:
                    return None
                if read is not None and read.is_truth:
                    words |= {str(truth).lower() for truth in (True, False)} - set(entry.words)
        return frozenset(words)
