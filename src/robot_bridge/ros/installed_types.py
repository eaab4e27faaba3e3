"""The types of interfaces that are installed here, and messages filled by fields."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_share_directory, PackageNotFoundError

from robot_bridge.interface_types import (
    documented_ranges,
    near,
    PARTS,
    read_field_type,
    Shape,
    TYPE_NAME,
    UnknownTypeError,
)

_WORDS = {'msg': 'message', 'srv': 'service', 'action': 'action'}


@lru_cache(maxsize=512)
def installed_type(name: str) -> Any:
    """The class of a type. :param name: e.g. 'nav2_msgs/action/NavigateToPose'.

    :raises UnknownTypeError: it is not installed.
    """
    match = TYPE_NAME.fullmatch(name)
    if match is None:
        raise UnknownTypeError(f'"{name}" is no type: write it as package/kind/Name')
    package, kind, short = match.groups()
    try:
        module = import_module(f'{package}.{kind}')
    except ImportError:
        what = f'{package}.{kind}'
        try:
            import_module(package)
        except ImportError:
            what = package
        if what != package:
            raise UnknownTypeError(f'the package {package} has no {_WORDS[kind]}s') from None
        raise UnknownTypeError(
            f'the package {package} is not installed, so there is no {name}: install it '
            f'(ros-<distribution>-{package.replace("_", "-")}), or source its workspace'
        ) from None
    found = getattr(module, short, None)
    if found is None:
        known = [other for other in dir(module) if other[:1].isupper() and '_' not in other]
        raise UnknownTypeError(f'{package} has no {_WORDS[kind]} {short}; {near(short, known)}')
    return found


class InstalledTypes:
    """Port `Catalogue` over the installed interface packages."""

    def part(self, name: str, part: str) -> Shape:
        """One part of an interface. :raises UnknownTypeError: it is not installed."""
        found = installed_type(name)
        kind = name.split('/')[1]
        if part not in PARTS[kind]:
            raise UnknownTypeError(f'a {_WORDS[kind]} has no {part}')
        if kind == 'msg':
            return _shape(found, name.replace('/msg/', '/'))
        return _shape(getattr(found, part.capitalize()), f'the {part} of {name}')

    def message(self, name: str) -> Shape:
        """A message that stands in a field."""
        return _shape(message_class(name), name)


@lru_cache(maxsize=512)
def message_class(name: str) -> Any:
    """The class of a message in a field. :param name: e.g. 'geometry_msgs/Pose'."""
    package, _, short = name.partition('/')
    return installed_type(f'{package}/msg/{short}')


@lru_cache(maxsize=1024)
def _shape(kind: Any, name: str) -> Shape:
    fields = {
        field: read_field_type(declared)
        for field, declared in kind.get_fields_and_field_types().items()
    }
    constants = {
        constant: value
        for constant, value in type(kind).__prepare__('', ()).items()
        if not constant.endswith('__DEFAULT')
    }
    return Shape(name, fields, constants, _ranges(kind))


def _ranges(kind: Any) -> dict[str, tuple[float, float]]:
    """Ranges that the definition of a message states; none where its text is not installed."""
    package, _, part = kind.__module__.partition('.')
    try:
        share = Path(get_package_share_directory(package))
        text = (share / part.partition('.')[0] / f'{kind.__name__}.msg').read_text()
    except (PackageNotFoundError, OSError, ValueError):
        return {}
    return documented_ranges(text)


def fill(message: Any, values: Mapping[str, Any]) -> Any:
    """Set fields of a message from nested dicts; returns it."""
    types = message.get_fields_and_field_types()
    for name, value in values.items():
        if isinstance(value, Mapping):
            fill(getattr(message, name), value)
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            element = message_class(read_field_type(types[name]).name)
            setattr(message, name, [fill(element(), one) for one in value])
        else:
            setattr(message, name, value)
    return message
