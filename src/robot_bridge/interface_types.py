"""Types of interfaces as a robot's file names them, and what fields they have."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from numbers import Real
from typing import Any, Protocol

TYPE_NAME = re.compile(r'([A-Za-z]\w*)/(msg|srv|action)/([A-Za-z]\w*)')
_PLAIN = re.compile(r'w?string(?:<(\d+)>)?')
_ARRAY = re.compile(r'(?P<of>.+)\[(?P<size>\d+)\]')
_SEQUENCE = re.compile(r'sequence<(?P<of>.+?)(?:, ?(?P<most>\d+))?>')
_STEP = re.compile(r'(\w+)((?:\[-?\d+\])*)')
_REAL = r'([-+]?\d+(?:\.\d+)?)'
_RANGE = re.compile(
    rf'\b(?:on|in|from|between|range)(?: the)?(?: range)?(?: of| from)? ?\[?{_REAL}'
    rf'(?: to | ?\.\. ?| and |, ){_REAL}\b',
    re.IGNORECASE,
)
_INTEGERS = {
    **{f'int{bits}': (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f'uint{bits}': (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    'octet': (0, 255),
    'byte': (0, 255),
    'char': (0, 255),
}


class UnknownTypeError(Exception):
    """A type that is not installed; the text is a clause that says so."""


@dataclass(frozen=True, slots=True)
class FieldType:
    """What a field holds.

    :param name: 'boolean', 'int32', 'double', 'string', or a message as 'geometry_msgs/Pose'.
    :param length: of an array; -1 for one of any length, None for a single value.
    :param most: longest text, or most elements; 0 for any.
    """

    name: str
    length: int | None = None
    most: int = 0

    @property
    def is_message(self) -> bool:
        """Whether it is a message with fields of its own."""
        return '/' in self.name and self.length is None

    @property
    def is_text(self) -> bool:
        """Whether it is a text."""
        return self.name in ('string', 'wstring') and self.length is None

    @property
    def is_truth(self) -> bool:
        """Whether it is true or false."""
        return self.name in ('boolean', 'bool') and self.length is None

    @property
    def range(self) -> tuple[int, int] | None:
        """Smallest and largest whole number, for whole numbers."""
        return _INTEGERS.get(self.name) if self.length is None else None

    @property
    def is_float(self) -> bool:
        """Whether it is a number that need not be whole."""
        return self.name in ('float', 'double', 'float32', 'float64') and self.length is None

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return self.is_float or self.range is not None

    @property
    def element(self) -> FieldType:
        """Of an array."""
        return FieldType(self.name)

    def __str__(self) -> str:
        """For sentences."""
        what = {'boolean': 'true or false', 'string': 'a text', 'wstring': 'a text'}
        if self.length is not None:
            return f'a list of {self.name}'
        return what.get(self.name, self.name)


@lru_cache(maxsize=4096)
def read_field_type(text: str) -> FieldType:
    """A type as `get_fields_and_field_types` of a message reports it."""
    if match := _SEQUENCE.fullmatch(text):
        return FieldType(read_field_type(match['of']).name, -1, int(match['most'] or 0))
    if match := _ARRAY.fullmatch(text):
        return FieldType(read_field_type(match['of']).name, int(match['size']))
    if match := _PLAIN.fullmatch(text):
        return FieldType('string', most=int(match[1] or 0))
    return FieldType(text)


def documented_ranges(definition: str) -> dict[str, tuple[float, float]]:
    """Ranges of numbers that the comments of a message's definition state.

    A comment belongs to the field before it where it is indented, else to the field after it.

    :param definition: text of a .msg file.
    """
    found: dict[str, tuple[float, float]] = {}
    name, before = '', ''
    for line in definition.splitlines():
        code, _, comment = line.partition('#')
        words = code.split()
        if len(words) > 1 and '=' not in code:
            name = words[1]
            before, comment = '', f'{before} {comment}'
        elif not words and not line.startswith('#'):
            before = before if comment else ''
        elif not words:
            before += comment
            continue
        else:
            before = ''
            continue
        stated = _RANGE.search(comment)
        if stated and name:
            found.setdefault(name, (float(stated[1]), float(stated[2])))
    return found


@dataclass(frozen=True, slots=True)
class Shape:
    """Fields of a message, and its constants by name.

    :param name: as in sentences, e.g. 'geometry_msgs/Pose', 'goal of nav2_msgs/...'.
    :param ranges: least and greatest number of a field, where the interface's text states them.
    """

    name: str
    fields: Mapping[str, FieldType]
    constants: Mapping[str, Any]
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


#: Parts of each kind of interface: what is sent, what comes back, what is given on the way.
PARTS = {
    'msg': ('message',),
    'srv': ('request', 'response'),
    'action': ('goal', 'result', 'feedback'),
}


class Catalogue(Protocol):
    """The types that are installed."""

    def part(self, name: str, part: str) -> Shape:
        """One part of an interface.

        :param name: e.g. 'nav2_msgs/action/NavigateToPose'. :param part: see `PARTS`.
        :raises UnknownTypeError: it is not installed.
        """

    def message(self, name: str) -> Shape:
        """A message that stands in a field. :param name: e.g. 'geometry_msgs/Pose'."""


def near(name: str, known: Sequence[str]) -> str:
    """What there is in place of a wrong name, as the end of a sentence."""
    close = get_close_matches(name, list(dict.fromkeys(known)), n=1)
    if close:
        return f'did you mean "{close[0]}"?'
    shown = ', '.join(sorted(set(known))[:20])
    return f'there are: {shown}' if shown else 'there are none'


class NotReportedError(LookupError):
    """A message does not report a field; the text goes on after the message's name."""


@dataclass(frozen=True, slots=True)
class Selection:
    """One element of the lists of a message, by its name in one of them.

    :param names: the way to the list of names, e.g. 'name' of a joint state.
    :param wanted: e.g. 'gripper_joint'.
    """

    names: FieldPath
    wanted: bool | int | float | str

    def index(self, message: Any) -> int:
        """Where it is. :raises NotReportedError: the message is not about it."""
        for index, name in enumerate(self.names.read(message)):
            if name == self.wanted:
                return index
        raise NotReportedError(f'tells nothing of {self.wanted}')


@dataclass(frozen=True, slots=True)
class FieldPath:
    """The way to a field: names, and numbers of elements.

    :param text: as written, e.g. 'results[0].hypothesis.class_id'.
    :param selection: which element of the list at the end is meant; None for what is there.
    """

    text: str
    steps: tuple[str | int, ...]
    selection: Selection | None = None

    def read(self, message: Any) -> Any:
        """The value. :raises NotReportedError: a list has no such element."""
        value = message
        try:
            for step in self.steps:
                value = value[step] if isinstance(step, int) else getattr(value, step)
        except IndexError:
            raise NotReportedError(f'has no {self.text}') from None
        if self.selection is None:
            return value
        index = self.selection.index(message)
        if index >= len(value):
            raise NotReportedError(f'has no {self.text} of {self.selection.wanted}')
        return value[index]

    def read_known(self, message: Any) -> Any:
        """The value, if it is one. :raises NotReportedError: nothing is there, or no number."""
        value = self.read(message)
        if isinstance(value, Real) and not math.isfinite(value):
            raise NotReportedError(f'has no number in {self.text}')
        return value


def follow(
    text: str, shape: Shape, catalogue: Catalogue, selection: Selection | None = None
) -> tuple[FieldPath, FieldType]:
    """A path and what is there.

    :param selection: of an element, where the path ends at a list.
    :raises ValueError: there is no such field; says which there are.
    """
    steps: list[str | int] = []
    kind = FieldType(shape.name)
    here: Shape | None = shape
    for part in text.split('.') if text else ():
        match = _STEP.fullmatch(part)
        if match is None:
            raise ValueError(f'"{text:.60}" is no path of fields: write e.g. "pose.position.x"')
        if here is None or kind.length is not None:
            raise ValueError(f'"{text}": {kind} has no field "{part}"')
        if match[1] not in here.fields:
            raise ValueError(
                f'{here.name} has no field "{match[1]}"; {near(match[1], list(here.fields))}'
            )
        kind = here.fields[match[1]]
        steps.append(match[1])
        for index in re.findall(r'-?\d+', match[2]):
            if kind.length is None:
                raise ValueError(f'"{text}": "{match[1]}" is no list')
            steps.append(int(index))
            kind = kind.element
        here = catalogue.message(kind.name) if kind.is_message else None
    if selection is not None and kind.length is not None:
        return FieldPath(text, tuple(steps), selection), kind.element
    return FieldPath(text, tuple(steps)), kind
