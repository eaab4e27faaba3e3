"""The interface types that generated files use, without ROS."""

from __future__ import annotations

from robot_bridge.interface_types import read_field_type, Shape, UnknownTypeError

_FIELDS = {
    'std_srvs/srv/Trigger': {
        'request': {},
        'response': {'success': 'boolean', 'message': 'string'},
    },
    'std_msgs/msg/String': {'message': {'data': 'string'}},
    'std_msgs/msg/Float32': {'message': {'data': 'float'}},
    'std_msgs/msg/Bool': {'message': {'data': 'boolean'}},
    'made_up_msgs/msg/Thing': {
        'message': {'name': 'string', 'place': 'string', 'state': 'string', 'level': 'float'}
    },
    'made_up_msgs/msg/Things': {'message': {'things': 'sequence<made_up_msgs/Thing>'}},
}


class GeneratedInterfaces:
    """Port `Catalogue` over the table above."""

    def part(self, name: str, part: str) -> Shape:
        """Fields of a goal, request, answer or message. :raises UnknownTypeError: no such type."""
        try:
            fields = _FIELDS[name][part]
        except KeyError:
            raise UnknownTypeError(f'there is no type {name}') from None
        return _shape(f'the {part} of {name}', fields)

    def message(self, name: str) -> Shape:
        """Fields of a message inside another."""
        package, _, short = name.partition('/')
        return _shape(name, _FIELDS[f'{package}/msg/{short}']['message'])


def _shape(name: str, fields: dict[str, str]) -> Shape:
    return Shape(name, {field: read_field_type(kind) for field, kind in fields.items()}, {})
