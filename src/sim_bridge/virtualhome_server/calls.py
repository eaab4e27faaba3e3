"""What calls bring, and how they are answered."""

from __future__ import annotations

from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.virtualhome_server.graph_writing import JsonText
from sim_bridge.worlds.household.graph_reading import read_json

#: `success`, `message`, and `value` or `message_list` where a call has one.
Answer = dict[str, Any]


def good(message: str | JsonText = '') -> Answer:
    """Done."""
    return {'success': True, 'message': message}


def bad(message: str) -> Answer:
    """Not done, for a reason."""
    return {'success': False, 'message': message}


def read_object(strings: list[str], what: str) -> dict[str, Any]:
    """The JSON object of the first string; an empty one without strings.

    :param what: named where it is none. :raises ConfigurationError: it is none.
    """
    value = read_value(strings[0], what) if strings else {}
    if not isinstance(value, dict):
        raise ConfigurationError(f'{what} must be a JSON object')
    return value


def read_value(text: str, what: str) -> Any:
    """A value of JSON.

    :param what: as for `read_object`. :raises ConfigurationError: it is none.
    """
    try:
        return read_json(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f'{what} is not JSON: {error}') from error
