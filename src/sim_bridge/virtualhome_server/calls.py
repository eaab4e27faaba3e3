"""What calls bring, and how they are answered."""

from __future__ import annotations

import json
from typing import Any

from reactree_core.errors import ConfigurationError

#: `success`, `message`, and `value` or `message_list` where a call has one.
Answer = dict[str, Any]


def good(message: str = '') -> Answer:
    """Done."""
    return {'success': True, 'message': message}


def bad(message: str) -> Answer:
    """Not done, for a reason."""
    return {'success': False, 'message': message}


def read_object(strings: list[str], what: str) -> dict[str, Any]:
    """The JSON object of the first string; an empty one without strings.

    :param what: named where it is none. :raises ConfigurationError: it is none.
    """
    value = read_json(strings[0], what) if strings else {}
    if not isinstance(value, dict):
        raise ConfigurationError(f'{what} must be a JSON object')
    return value


def read_json(text: str, what: str) -> Any:
    """A value of JSON.

    :param what: as for `read_object`. :raises ConfigurationError: it is none.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f'{what} is not JSON: {error}') from error
