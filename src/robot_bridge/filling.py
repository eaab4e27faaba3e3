"""Fields of a message from what the file says: constants, slots of the skill, places.

A file's values become functions once, when it is read; every mistake is found then. A skill only
calls them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from reactree_core.bounds import number_text
from reactree_core.errors import SkillError
from reactree_core.skill_types import Slot, SlotType
from robot_bridge.faults import Faults, Location
from robot_bridge.interface_types import Catalogue, FieldType, near, Shape
from robot_bridge.poses import Pose
from robot_bridge.quantities import metres, number, radians, seconds
from robot_bridge.robot_file import RobotFile
from robot_bridge.state_file import Scalar

_REFERENCE = re.compile(r'<([^<>]*)>')
#: Messages that a place's name can stand for.
POSE_TYPES = frozenset(
    f'geometry_msgs/{name}'
    for name in (
        'PoseStamped', 'PoseWithCovarianceStamped', 'PointStamped', 'TransformStamped', 'Pose',
        'PoseWithCovariance', 'Point', 'Point32', 'Pose2D', 'Quaternion', 'Transform',
    )
)  # fmt: skip


class Surroundings(Protocol):
    """What is known only when a skill is done."""

    def pose_of(self, name: str, frame: str = '') -> Pose:
        """Where a place or thing is; in a frame, or in the one it is given in.

        :raises SkillError: that is not known.
        """

    def now(self) -> float:
        """The time of the robot's clock, s."""

    def reported(self, name: str) -> str:
        """The name under which the robot reports a thing: "tyre" of what we call "tyre 1"."""


@dataclass(frozen=True, slots=True)
class FileSurroundings:
    """Surroundings by a robot's file alone, for a dry run without the robot."""

    file: RobotFile

    def now(self) -> float:
        """The time of this machine, s."""
        return time.time()

    def reported(self, name: str) -> str:
        """The same name: nothing is reported."""
        return name

    def pose_of(self, name: str, frame: str = '') -> Pose:
        """The pose of a place. :raises SkillError: the file does not give it."""
        place = self.file.places.get(name)
        pose = place.pose if place is not None else None
        if pose is None or frame not in ('', pose.frame):
            raise SkillError(
                f'The pose of "{name}" is not in the file: it needs the running robot.'
            )
        return pose


@dataclass(frozen=True, slots=True)
class Filling:
    """What a skill is about. :param slots: name of a slot -> what stands in it."""

    slots: Mapping[str, str]
    surroundings: Surroundings


#: Makes a value for a field.
Fill = Callable[[Filling], Any]


@dataclass(frozen=True, slots=True)
class Scope:
    """What values may refer to.

    :param slots: of the skill's template, by their names. :param skill: the template.
    """

    slots: Mapping[str, Slot]
    skill: str


def stamp(time: float) -> dict[str, int]:
    """A time as the fields of a message. :param time: s."""
    whole = int(time // 1)
    return {'sec': whole, 'nanosec': min(int((time - whole) * 1e9), 10**9 - 1)}


def pose_fields(kind: str, pose: Pose, time: float) -> dict[str, Any]:
    """A pose as the fields of one of `POSE_TYPES`. :param time: of its header, s."""
    point = {'x': pose.x, 'y': pose.y, 'z': pose.z}
    turn = {'x': pose.qx, 'y': pose.qy, 'z': pose.qz, 'w': pose.qw}
    name = kind.partition('/')[2]
    plain: dict[str, dict[str, Any]] = {
        'Pose': {'position': point, 'orientation': turn},
        'Transform': {'translation': point, 'rotation': turn},
        'Pose2D': {'x': pose.x, 'y': pose.y, 'theta': pose.yaw},
        'Quaternion': turn,
    }
    header = {'frame_id': pose.frame, 'stamp': stamp(time)}
    match name:
        case 'PoseStamped':
            return {'header': header, 'pose': plain['Pose']}
        case 'PoseWithCovarianceStamped':
            return {'header': header, 'pose': {'pose': plain['Pose']}}
        case 'PointStamped':
            return {'header': header, 'point': point}
        case 'TransformStamped':
            return {'header': header, 'transform': plain['Transform']}
        case 'PoseWithCovariance':
            return {'pose': plain['Pose']}
        case _:
            return plain.get(name, point)


class Filler:
    """Makes functions of what a file says about fields, and notes what is wrong with it."""

    def __init__(self, file: RobotFile, catalogue: Catalogue, faults: Faults) -> None:
        #: Whose places and things values may name.
        self.file = file
        self._catalogue = catalogue
        self._faults = faults

    # Texts ---------------------------------------------------------------------------------

    def reference(self, written: str, scope: Scope) -> Callable[[Filling], Scalar]:
        """What `<slot>` or `<slot.value>` stands for.

        :raises ValueError: there is no such slot or value.
        """
        slot, _, value = written.partition('.')
        if slot not in scope.slots:
            raise ValueError(
                f'"{scope.skill}" has no slot <{slot}>; {near(slot, list(scope.slots))}'
            )
        if not value or scope.slots[slot].fault:
            return lambda filling: filling.slots[slot]
        known = self._values(scope.slots[slot])
        lacking = [name for name, values in known.items() if value not in values]
        if len(lacking) == len(known):
            names = list({name: None for values in known.values() for name in values})
            raise ValueError(
                f'no name that may stand in <{slot}> has a value "{value}"; {near(value, names)}'
            )
        if lacking and scope.slots[slot].type is not SlotType.NAME:
            raise ValueError(
                f'<{slot}.{value}>: "{lacking[0]}" has no such value; add it to its "values"'
            )

        def read(filling: Filling) -> Scalar:
            name = filling.slots[slot]
            if value not in known.get(name, {}):
                raise SkillError(f'The value "{value}" of "{name}" is not known.')
            return known[name][value]

        return read

    def _values(self, slot: Slot) -> dict[str, Mapping[str, Scalar]]:
        """Names of the file that may stand in a slot, with their values."""
        found: dict[str, Mapping[str, Scalar]] = {}
        if slot.type in (SlotType.PLACE, SlotType.NAME):
            found |= {name: place.values for name, place in self.file.places.items()}
        if slot.type in (SlotType.THING, SlotType.NAME):
            found |= {name: thing.values for name, thing in self.file.things.items()}
        return {name: values for name, values in found.items() if not slot.objection(name)}

    def sent(self, written: str, scope: Scope) -> Callable[[Filling], Scalar]:
        """Value of `<slot>` or `<slot.value>` in what is sent, with names as the robot has them.

        :raises ValueError: there is no such slot or value.
        """
        read = self.reference(written, scope)
        slot = scope.slots[written.partition('.')[0]]
        if '.' in written or not slot.type.is_name:
            return read
        return lambda filling: filling.surroundings.reported(str(read(filling)))

    def text(self, written: str, scope: Scope, is_sent: bool = False) -> Callable[[Filling], str]:
        """A text in which references are replaced. :param is_sent: to the robot.

        :raises ValueError: one of them refers to nothing.
        """
        parts = _REFERENCE.split(written)
        if len(parts) == 1:
            return lambda filling: written
        literals = parts[::2]
        refer = self.sent if is_sent else self.reference
        reads = [refer(part, scope) for part in parts[1::2]]

        def fill(filling: Filling) -> str:
            values = [str(read(filling)) for read in reads]
            return literals[0] + ''.join(
                value + literal for value, literal in zip(values, literals[1:], strict=True)
            )

        return fill

    # Fields --------------------------------------------------------------------------------

    def whole(self, written: Any, shape: Shape, scope: Scope, location: Location) -> Fill:
        """All that is sent, as nested dicts; mistakes are noted."""
        if shape.name not in POSE_TYPES and isinstance(written, dict):
            return self.fields(written, shape, scope, location)
        try:
            return self._message(written, FieldType(shape.name), scope, location)
        except ValueError as error:
            self._faults.add(location, str(error))
            return lambda filling: {}

    def fields(
        self, written: Mapping[str, Any], shape: Shape, scope: Scope, location: Location
    ) -> Fill:
        """The fields of a message, as nested dicts; mistakes are noted."""
        fills: dict[str, Fill] = {}
        for name, value in written.items():
            here = (*location, name)
            if name not in shape.fields:
                self._faults.add(
                    here,
                    f'{shape.name} has no field "{name}"; {near(str(name), list(shape.fields))}',
                )
                continue
            with self._faults.noting(here):
                fills[name] = self._value(value, shape.fields[name], shape, scope, here)
        return lambda filling: {name: fill(filling) for name, fill in fills.items()}

    def _value(
        self, value: Any, kind: FieldType, shape: Shape, scope: Scope, location: Location
    ) -> Fill:
        """:raises ValueError: it is none for such a field."""
        field = f'"{location[-1]}"'
        if kind.length is not None:
            return self._list(value, kind, shape, scope, location)
        if kind.is_message:
            return self._message(value, kind, scope, location)
        if kind.is_truth:
            if isinstance(value, bool):
                return lambda filling: value
            if isinstance(value, str) and (match := _REFERENCE.fullmatch(value)):
                return _checked(self.reference(match[1], scope), _truth)
            raise ValueError(f'{field} must be true or false, not {value!r:.60}')
        if kind.is_text:
            if not isinstance(value, str):
                raise ValueError(
                    f'{field} must be a text: write it between quotation marks ("{value}")'
                )
            if not kind.most:
                return self.text(value, scope, is_sent=True)
            fit = partial(_short, kind, field)
            if _REFERENCE.search(value):
                return _checked(self.text(value, scope, is_sent=True), fit)
            fit(value)
            return self.text(value, scope, is_sent=True)
        return self._number(value, kind, shape, scope, field)

    def _number(self, value: Any, kind: FieldType, shape: Shape, scope: Scope, field: str) -> Fill:
        def fit(written: object) -> int | float:
            return _fit(written, kind, field)

        if isinstance(value, str) and (match := _REFERENCE.fullmatch(value)):
            slot = scope.slots.get(match[1])
            if slot is not None and slot.fault:
                return lambda filling: 0
            if slot is not None and slot.type is not SlotType.NUMBER:
                raise ValueError(
                    f'{field} is a number, and {slot.text} stands for a {slot.type.value}; '
                    f'write <{slot.name}.value>, and "values" for each {slot.type.value}'
                )
            if slot is not None and slot.bounds is not None:
                for end in slot.bounds.ends:
                    fit(number_text(end))
            return _checked(self.reference(match[1], scope), fit)
        if isinstance(value, str) and value in shape.constants:
            value = shape.constants[value]
        elif isinstance(value, str) and re.fullmatch('[A-Z][A-Z0-9_]*', value):
            known = [name for name, written in shape.constants.items() if isinstance(written, int)]
            raise ValueError(f'{shape.name} has no constant {value}; {near(value, known)}')
        fixed = fit(value)
        return lambda filling: fixed

    def _list(
        self, value: Any, kind: FieldType, shape: Shape, scope: Scope, location: Location
    ) -> Fill:
        field = f'"{location[-1]}"'
        if not isinstance(value, list):
            raise ValueError(f'{field} must be a list of {kind.name}, not {value!r:.60}')
        if kind.length not in (-1, len(value)):
            raise ValueError(f'{field} must have {kind.length} elements; there are {len(value)}')
        if kind.most and len(value) > kind.most:
            raise ValueError(f'{field} must have {kind.most} elements or fewer')
        fills: list[Fill] = []
        for index, element in enumerate(value):
            with self._faults.noting((*location, index)):
                fills.append(self._value(element, kind.element, shape, scope, (*location, index)))
        return lambda filling: [fill(filling) for fill in fills]

    def _message(self, value: Any, kind: FieldType, scope: Scope, location: Location) -> Fill:
        field, name = f'"{location[-1]}"', kind.name
        if name == 'builtin_interfaces/Time' and value == 'now':
            return lambda filling: stamp(filling.surroundings.now())
        if name in ('builtin_interfaces/Duration', 'builtin_interfaces/Time') and not isinstance(
            value, dict
        ):
            fixed = stamp(seconds(value))
            return lambda filling: fixed
        if name in POSE_TYPES and isinstance(value, str):
            return self._pose(value, name, scope, {}, '')
        if name in POSE_TYPES and isinstance(value, dict) and 'pose_of' in value:
            offset = {
                key: given for key, given in value.items() if key not in ('pose_of', 'frame')
            }
            return self._pose(value['pose_of'], name, scope, offset, value.get('frame', ''))
        if not isinstance(value, dict):
            hint = ', or the name of a place' if name in POSE_TYPES else ''
            raise ValueError(
                f'{field} is a {name}: write its fields as "name: value"{hint}, not {value!r:.60}'
            )
        return self.fields(value, self._catalogue.message(name), scope, location)

    def _pose(
        self, written: object, kind: str, scope: Scope, offset: Mapping[str, Any], frame: str
    ) -> Fill:
        if not isinstance(written, str) or not isinstance(frame, str):
            raise ValueError('"pose_of" takes the name of a place, and "frame" that of a frame')
        match = _REFERENCE.fullmatch(written)
        named: Callable[[Filling], Scalar]
        if match:
            named = self.reference(match[1], scope)
            slot = scope.slots.get(match[1])
            if (
                slot is not None
                and not slot.fault
                and slot.type
                in (
                    SlotType.NUMBER,
                    SlotType.TEXT,
                    SlotType.REGION,
                )
            ):
                raise ValueError(f'{slot.text} stands for a {slot.type.value}, which has no pose')
            if slot is not None and slot.type is SlotType.PLACE and not slot.fault:
                self._check_poses(slot)
        else:
            place = self.file.places.get(written)
            if place is None:
                raise ValueError(
                    f'there is no place "{written}"; {near(written, list(self.file.places))}'
                )
            if not place.has_pose:
                raise ValueError(f'the place "{written}" has no pose: add "frame", "x" and "y"')
            named = lambda filling: written  # noqa: E731 - as the reference above
        shift = _offset(offset)

        def fill(filling: Filling) -> dict[str, Any]:
            pose = filling.surroundings.pose_of(str(named(filling)), frame)
            if shift is not None:
                pose = shift.after(pose)
            return pose_fields(kind, pose, filling.surroundings.now())

        return fill

    def _check_poses(self, slot: Slot) -> None:
        known = self._values(slot)
        bare = [name for name in known if not self.file.places[name].has_pose]
        if bare:
            raise ValueError(
                f'{slot.text} stands for a pose, and the place "{bare[0]}" has none: add "frame", '
                '"x" and "y" to it'
            )


def references(written: Any) -> Iterator[str]:
    """Slots that a value refers to, anywhere in it."""
    if isinstance(written, str):
        yield from (match.partition('.')[0] for match in _REFERENCE.findall(written))
    elif isinstance(written, dict):
        for part in written.values():
            yield from references(part)
    elif isinstance(written, list):
        for part in written:
            yield from references(part)


def _offset(written: Mapping[str, Any]) -> Pose | None:
    strange = [key for key in written if key not in ('x', 'y', 'z', 'yaw')]
    if strange:
        raise ValueError(f'"pose_of" goes with frame, x, y, z and yaw; there is no "{strange[0]}"')
    if not written:
        return None
    x, y, z = (metres(written.get(axis, 0.0)) for axis in 'xyz')
    return Pose.flat('', x, y, radians(written.get('yaw', 0.0)), z)


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f'{value!r:.60} is neither true nor false')
    return value


def _short(kind: FieldType, field: str, value: object) -> object:
    """A text that fits into a field. :raises ValueError: it is too long."""
    if len(str(value)) > kind.most:
        raise ValueError(f'{field} must have {kind.most} letters or fewer')
    return value


def _fit(value: object, kind: FieldType, field: str) -> int | float:
    """A number that fits into a field. :raises ValueError: it does not."""
    if isinstance(value, bool):
        raise ValueError(f'{field} is a number ({kind.name}), not {str(value).lower()}')
    if kind.range is None:
        return number(value)
    low, high = kind.range
    found = value if isinstance(value, int) else number(value)
    if found != int(found):
        raise ValueError(f'{field} must be a whole number ({kind.name}), not {value!r:.60}')
    if not low <= found <= high:
        raise ValueError(f'{field} must be from {low} to {high} ({kind.name}), not {value!r:.60}')
    return int(found)


def _checked(read: Callable[[Filling], Scalar], fit: Callable[[object], Any]) -> Fill:
    def fill(filling: Filling) -> Any:
        try:
            return fit(read(filling))
        except ValueError as error:
            raise SkillError(f'{error}.') from None

    return fill
