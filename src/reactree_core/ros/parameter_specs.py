"""One table of parameters per node: declared from it, checked by it, documented by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, KW_ONLY
from types import SimpleNamespace
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from reactree_core.errors import ConfigurationError

Value = bool | int | float | str | tuple[str, ...]

_TYPE_NAMES = {bool: 'bool', int: 'int', float: 'float', str: 'string', tuple: 'string[]'}
_EXAMPLES = {bool: 'true', int: '3', float: '1.0', str: "'text'", tuple: "['text']"}


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """One parameter of a node.

    :param name: as in YAML; dots make groups.
    :param default: gives the type too: bool, int, float, str, or a tuple of str for string[].
    :param description: one line.
    :param unit: of the number, e.g. 's'; '' when it has none.
    :param low: smallest number allowed, None for any.
    :param high: largest number allowed, None for any.
    :param choices: texts allowed; () for any.
    :param read_only: fixed once the node runs.
    :param check: says what is wrong with a text, as a sentence; '' for nothing.
    """

    name: str
    default: Value
    description: str
    _: KW_ONLY
    unit: str = ''
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    read_only: bool = False
    check: Callable[[str], str] | None = None

    @property
    def type_name(self) -> str:
        """As in the documentation, e.g. 'string'."""
        return _TYPE_NAMES[type(self.default)]

    @property
    def allowed(self) -> str:
        """What it may be, for people: '0.0 to 1.0', 'at least 1', 'one of: a, b'; '' for any."""
        if self.choices:
            return 'one of: ' + ', '.join(choice or "''" for choice in self.choices)
        if self.low is not None and self.high is not None:
            return f'{self.low:g} to {self.high:g}'
        if self.low is not None:
            return f'at least {self.low:g}'
        if self.high is not None:
            return f'at most {self.high:g}'
        return ''

    @property
    def ros_default(self) -> bool | int | float | str | list[str]:
        """The default as rclpy takes it; an empty list would lose its type, so it is ['']."""
        return list(self.default) or [''] if isinstance(self.default, tuple) else self.default

    @property
    def attribute(self) -> str:
        """Its name in what `read_all` returns."""
        return self.name.replace('.', '_')

    def descriptor(self) -> ParameterDescriptor:
        """For declaring it: `ros2 param describe` shows all of this."""
        descriptor = ParameterDescriptor(
            name=self.name,
            description=self.description + (f' [{self.unit}]' if self.unit else ''),
            additional_constraints=self.allowed,
            read_only=self.read_only,
        )
        limited = self.low is not None or self.high is not None
        if limited and isinstance(self.default, float):
            low = -1.7e308 if self.low is None else float(self.low)
            high = 1.7e308 if self.high is None else float(self.high)
            descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
        elif limited:
            low = -(2**63) if self.low is None else int(self.low)
            high = 2**63 - 1 if self.high is None else int(self.high)
            descriptor.integer_range = [IntegerRange(from_value=low, to_value=high, step=1)]
        return descriptor

    def objection(self, value: object) -> str:
        """Why a value cannot be used, as a sentence; '' when it can."""
        if isinstance(value, list):
            value = tuple(value)
        right_type = type(value) is type(self.default)
        if isinstance(value, tuple) and not all(isinstance(item, str) for item in value):
            right_type = False
        if not right_type:
            return (
                f"parameter '{self.name}' must be of type {self.type_name}, for example"
                f' {_EXAMPLES[type(self.default)]}, not {value!r:.80}'
            )
        outside = False
        if isinstance(value, int | float) and not isinstance(value, bool):
            low = float('-inf') if self.low is None else self.low
            high = float('inf') if self.high is None else self.high
            outside = not low <= value <= high
        elif self.choices:
            values = set(value) - {''} if isinstance(value, tuple) else {value}
            outside = not values <= set(self.choices)
        if outside:
            wanted = self.allowed or 'a number'
            return f"parameter '{self.name}' must be {wanted}, not {value!r:.80}"
        if self.check is not None and isinstance(value, str) and (wrong := self.check(value)):
            return f"parameter '{self.name}': {wrong}"
        return ''


Table = Sequence[ParameterSpec]


def declare_all(node: Node, table: Table) -> None:
    """Declare a node's parameters and keep watch over later changes.

    :raises ConfigurationError: a value given on the command line or in a file cannot be used.
    """
    specs = {spec.name: spec for spec in table}

    def check(parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            spec = specs.get(parameter.name)
            objection = spec.objection(parameter.value) if spec else ''
            if objection:
                return SetParametersResult(successful=False, reason=objection)
        return SetParametersResult(successful=True)

    for spec in table:
        try:
            node.declare_parameter(spec.name, spec.ros_default, spec.descriptor())
        except (InvalidParameterTypeException, InvalidParameterValueException) as error:
            raise ConfigurationError(_objection_to_override(node, spec) or str(error)) from None
        objection = spec.objection(node.get_parameter(spec.name).value)
        if objection:
            raise ConfigurationError(objection)
    node.add_on_set_parameters_callback(check)


def _objection_to_override(node: Node, spec: ParameterSpec) -> str:
    override = node._parameter_overrides.get(spec.name)
    return '' if override is None else spec.objection(override.value)


class SettledNode(Node):
    """A node that says what to do when a parameter is fixed; rclpy only says that it is."""

    def set_parameters(self, parameter_list: list[Parameter]) -> list[SetParametersResult]:
        """Set each by itself."""
        return [self.set_parameters_atomically([parameter]) for parameter in parameter_list]

    def is_fixed(self, name: str) -> bool:
        """Whether a parameter keeps its value."""
        fixed: bool = self.describe_parameter(name).read_only
        return fixed

    def set_parameters_atomically(self, parameter_list: list[Parameter]) -> SetParametersResult:
        """Set all of them or none."""
        names = [one.name for one in parameter_list if self.has_parameter(one.name)]
        for name in names:
            if self.is_fixed(name):
                return SetParametersResult(
                    successful=False,
                    reason=f"parameter '{name}' is fixed at start: restart the node with "
                    f'-p {name}:=..., or with a parameter file that sets it',
                )
        # What is not fixed now may be read-only at other times.
        shut = [one for one in map(self.describe_parameter, names) if one.read_only]
        try:
            for descriptor in shut:
                descriptor.read_only = False
            return super().set_parameters_atomically(parameter_list)
        finally:
            for descriptor in shut:
                descriptor.read_only = True


class LiveValues:
    """Values of a node's parameters as they are when asked for; names as in `read_all`.

    Who holds this instead of a value follows every change without being told of it.
    """

    def __init__(self, node: Node, table: Table) -> None:
        self._node = node
        self._names = {spec.attribute: spec.name for spec in table}

    def __getattr__(self, attribute: str) -> Any:
        name = self._names.get(attribute)
        if name is None:
            raise AttributeError(f'there is no parameter {attribute}')
        value = self._node.get_parameter(name).value
        return tuple(item for item in value if item) if isinstance(value, list) else value


def read_all(node: Node, table: Table) -> SimpleNamespace:
    """Present values, as attributes; a dot in a name becomes an underscore.

    Lists come as tuples without their empty texts: [''] is how ROS writes an empty list.
    """
    live = LiveValues(node, table)
    return SimpleNamespace(**{spec.attribute: getattr(live, spec.attribute) for spec in table})


def markdown_table(table: Table) -> str:
    """For the documentation: one row per parameter."""
    rows = ['| parameter | default, range | description |', '|---|---|---|']
    for spec in table:
        default = spec.ros_default
        shown = str(default).lower() if isinstance(default, bool) else repr(default)
        name = f'`{spec.name}`, fixed' if spec.read_only else f'`{spec.name}`'
        allowed = f'{spec.allowed} {spec.unit}'.strip()
        value = f'`{shown}`, {allowed}' if allowed else f'`{shown}`'
        cells = (name, value, spec.description)
        rows.append(f'| {" | ".join(cells)} |')
    return '\n'.join(rows) + '\n'
