"""What comes back from a robot: conditions on fields, sentences with fields, poses."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any

from robot_bridge.faults import Faults, Location
from robot_bridge.filling import Filler, Filling, POSE_TYPES, Scope
from robot_bridge.interface_types import (
    Catalogue,
    FieldPath,
    FieldType,
    follow,
    near,
    NotReportedError,
    Selection,
    Shape,
)
from robot_bridge.poses import Pose
from robot_bridge.quantities import number
from robot_bridge.state_file import Conditions, Scalar

#: Whether a message says so.
Test = Callable[[Any], bool]
#: A sentence about a skill and a message; the message may be None where no field is named.
Sentence = Callable[[Filling, Any], str]
_COMPARISONS = {
    '<=': operator.le, '>=': operator.ge, '!=': operator.ne, '<': operator.lt, '>': operator.gt,
}  # fmt: skip
_COMPARED = re.compile(r'(<=|>=|!=|<|>)\s*(.+)')
_BETWEEN = re.compile(r'between\s+(.+?)\s+and\s+(.+)')
#: A value of each sort, to try a format with.
_EXAMPLES: tuple[tuple[Callable[[FieldType], bool], Any], ...] = (
    (lambda kind: kind.is_truth, True),
    (lambda kind: kind.is_float, 0.5),
    (lambda kind: kind.is_number, 1),
)
#: By how much a number may be outside a stated range for having been rounded.
_SLACK = 1e-6
#: Longest text of one field in a sentence.
_LONGEST = 300


class Reader:
    """Makes functions of what a file says about messages, and notes what is wrong with it."""

    def __init__(self, catalogue: Catalogue, filler: Filler, faults: Faults) -> None:
        self._catalogue = catalogue
        self._filler = filler
        self._faults = faults

    def conditions(
        self,
        written: Conditions,
        shape: Shape,
        location: Location,
        selection: Selection | None = None,
    ) -> Test:
        """Whether all of some conditions hold; what is not given does not. Mistakes are noted."""
        read = self.strict_conditions(written, shape, location, selection)

        def test(message: Any) -> bool:
            try:
                return read(message)
            except LookupError:
                return False

        return test

    def strict_conditions(
        self,
        written: Conditions,
        shape: Shape,
        location: Location,
        selection: Selection | None = None,
    ) -> Test:
        """The same, where what is not given is not known.

        :returns: a test. :raises NotReportedError: (the test) a field is not there, or no number.
        """
        tests: list[Test] = []
        for name, wanted in written.items():
            with self._faults.noting((*location, name)):
                path, kind = follow(name, shape, self._catalogue, selection)
                tests.append(_test(path, kind, wanted, self._holder(name, shape)))
        return lambda message: all(test(message) for test in tests)

    def _holder(self, written: str, shape: Shape) -> Shape:
        """The message whose field a way ends at: its constants are meant."""
        way = written.rpartition('.')[0]
        return self._catalogue.message(self.path(way, shape)[1].name) if way else shape

    def path(
        self, written: str, shape: Shape, selection: Selection | None = None
    ) -> tuple[FieldPath, FieldType]:
        """A way to a field. :raises ValueError: there is none."""
        return follow(written, shape, self._catalogue, selection)

    def selection(self, written: Mapping[str, Scalar], shape: Shape) -> Selection | None:
        """Which element of a message's lists is meant; None for none.

        :raises ValueError: there is no such list.
        """
        for name, wanted in written.items():
            path, kind = self.path(name, shape)
            if kind.length is None or kind.element.is_message:
                raise ValueError(f'"{name}" is {kind}: elements are selected by a list of names')
            if kind.element.is_text != isinstance(wanted, str):
                raise ValueError(f'"{name}" is {kind}, and {wanted!r:.60} can never be in it')
            return Selection(path, wanted)
        return None

    def sentence(
        self,
        written: str,
        scope: Scope,
        shape: Shape | None,
        words: Mapping[str, str] | None = None,
        selection: Selection | None = None,
    ) -> Sentence:
        """A text with `<slot>` and, of a message, `{field}` and `{field:.1f}`.

        :param words: what a field says -> what stands in the sentence. With words it is a name
            or state, not a text for people: where a field is not given, there is none.
        :param selection: of an element, where a field is a list.
        :raises ValueError: there is no such slot or field, or no such format.
        """
        try:
            pieces = list(Formatter().parse(written))
        except ValueError as error:
            raise ValueError(f'"{written:.80}" cannot be read: {error}') from None
        parts: list[Sentence] = []
        for literal, name, form, conversion in pieces:
            if literal:
                text = self._filler.text(literal, scope)
                parts.append(_without_message(text))
            if name is not None:
                parts.append(self._field(name, form or '', conversion, shape, words, selection))
        return lambda filling, message: ''.join(part(filling, message) for part in parts)

    def _field(
        self,
        name: str,
        form: str,
        conversion: str | None,
        shape: Shape | None,
        words: Mapping[str, str] | None,
        selection: Selection | None,
    ) -> Sentence:
        if shape is None:
            raise ValueError(f'"{{{name}}}" names a field, and nothing comes back here')
        if conversion:
            raise ValueError(f'"{{{name}!{conversion}}}": write the field without "!{conversion}"')
        path, kind = follow(name, shape, self._catalogue, selection)
        if kind.is_message or kind.length is not None:
            raise ValueError(f'"{{{name}}}" is {kind}: name one of its fields')
        example = next((value for fits, value in _EXAMPLES if fits(kind)), 'text')
        try:
            format(example, form)
        except ValueError:
            raise ValueError(f'"{{{name}:{form}}}": {kind} cannot be written so') from None

        def read(filling: Filling, message: Any) -> str:
            try:
                value = path.read(message) if words is None else path.read_known(message)
            except LookupError:
                if words is None:
                    return '?'
                raise
            shown = str(value).lower() if isinstance(value, bool) else format(value, form)
            return (words or {}).get(shown, shown)[:_LONGEST]

        return read


def _test(path: FieldPath, kind: FieldType, wanted: Scalar | list[Scalar], holder: Shape) -> Test:
    """:param holder: of the field. :raises ValueError: a field of this type cannot be so."""
    if kind.is_message or kind.length is not None:
        raise ValueError(f'"{path.text}" is {kind}: a condition is on a number, text or truth')
    if isinstance(wanted, list):
        tests = [_test(path, kind, one, holder) for one in wanted]
        return lambda message: any(test(message) for test in tests)
    compare: Callable[[Any, Any], bool] = operator.eq
    if kind.is_number and isinstance(wanted, str):
        between = _BETWEEN.fullmatch(wanted.strip())
        if between:
            unit = '' if re.search(r'[^\d.]$', between[1]) else between[2].lstrip('+-.0123456789')
            ends = (f'>= {between[1]}{unit}', f'<= {between[2]}')
            both = [_test(path, kind, end, holder) for end in ends]
            return lambda message: all(test(message) for test in both)
        compared = _COMPARED.fullmatch(wanted.strip())
        if compared:
            compare, wanted = _COMPARISONS[compared[1]], compared[2]
        if wanted in holder.constants:
            wanted = holder.constants[wanted]
        elif re.fullmatch('[A-Z][A-Z0-9_]*', str(wanted)):
            known = [
                name for name, constant in holder.constants.items() if isinstance(constant, int)
            ]
            raise ValueError(f'{holder.name} has no constant {wanted}; {near(str(wanted), known)}')
        elif wanted.rstrip().endswith('%'):
            part = holder.ranges.get(path.text.rpartition('.')[2]) == (0.0, 1.0)
            wanted = number(wanted.rstrip()[:-1]) * (0.01 if part else 1.0)
        else:
            wanted = number(wanted)
    fits = (
        isinstance(wanted, bool)
        if kind.is_truth
        else isinstance(wanted, str)
        if kind.is_text
        else isinstance(wanted, int | float) and not isinstance(wanted, bool)
    )
    if not fits:
        raise ValueError(f'"{path.text}" is {kind}, and can never be {wanted!r:.60}')

    least, most = holder.ranges.get(path.text.rpartition('.')[2], (-math.inf, math.inf))

    def test(message: Any) -> bool:
        value = path.read_known(message)
        if kind.is_number and not least - _SLACK <= value <= most + _SLACK:
            raise NotReportedError(
                f'says {path.text} {value:g}, which is outside {least:g} to {most:g}'
            )
        return compare(value, wanted)

    return test


def _without_message(text: Callable[[Filling], str]) -> Sentence:
    return lambda filling, message: text(filling)


def reads_pose(kind: FieldType) -> bool:
    """Whether a field's message reports a position."""
    return kind.is_message and kind.name in POSE_TYPES - {'geometry_msgs/Quaternion'}


def pose_from(message: Any, frame: str) -> Pose:
    """The pose in a message of one of `POSE_TYPES`.

    :param frame: that it is in, where the message has no header.
    """
    header = getattr(message, 'header', None)
    if header is not None:
        frame = header.frame_id.lstrip('/') or frame
    for part in ('pose', 'pose', 'transform', 'point'):
        message = getattr(message, part, message)
    if hasattr(message, 'theta'):
        return Pose.flat(frame, message.x, message.y, message.theta)
    point = getattr(message, 'position', getattr(message, 'translation', message))
    turn = getattr(message, 'orientation', getattr(message, 'rotation', None))
    if turn is None:
        return Pose(frame, point.x, point.y, point.z)
    return Pose(frame, point.x, point.y, point.z, turn.x, turn.y, turn.z, turn.w)
