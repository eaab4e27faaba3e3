"""Finding a VirtualHome scene graph in a file, however it is wrapped, and checking its form."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.nodes import CHARACTER

#: Largest file that is read, in bytes; the largest published graphs have about a megabyte.
LARGEST_FILE = 128 * 1024 * 1024
#: How many wrappings are opened, and how many entries of each, before giving up.
_DEPTH = 4
_BREADTH = 64
#: Whole numbers of more digits are no float any more.
_MOST_DIGITS = 300


def read_graph(path: str | Path) -> dict[str, Any]:
    """Read the scene graph of a file.

    :param path: a JSON file that is, or somewhere contains, `{'nodes': [...], 'edges': [...]}`.
    :raises ConfigurationError: the file cannot be read or holds no graph; says which.
    """
    place = Path(path).expanduser()
    try:
        size = place.stat().st_size
        if size > LARGEST_FILE:
            raise ConfigurationError(f'{place} has {size} bytes: too large for a scene graph')
        data = read_json(place.read_bytes())
    except OSError as error:
        reason = error.strerror or error
        raise ConfigurationError(f'the scene file {place} cannot be read: {reason}') from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f'the scene file {place} is not JSON: {error}') from error
    try:
        return find_graph(data)
    except ConfigurationError as error:
        raise ConfigurationError(f'the scene file {place} cannot be used: {error}') from error


def read_json(text: str | bytes | bytearray) -> Any:
    """A value of JSON, whose numbers are all finite: Python's own reader takes NaN too.

    :raises ValueError: it is not JSON; says why.
    """
    return json.loads(
        text, parse_constant=_refuse_constant, parse_float=_read_float, parse_int=_read_int
    )


def _refuse_constant(text: str) -> None:
    raise ValueError(f'{text} is no number in JSON: write a finite one, or leave it out')


def _read_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f'the number {text:.40} is too large')
    return number


def _read_int(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f'a number of {len(text)} digits is too large')
    return int(text)


def find_graph(data: Any) -> dict[str, Any]:
    """The first graph in a value read from JSON: the value itself, or inside dicts and lists.

    Published files wrap graphs as `{'init_graph': ...}`, `{'graph': ...}` or lists of graphs.

    :raises ConfigurationError: there is none, or it is malformed.
    """
    waiting = deque([(data, 0)])
    while waiting:
        value, depth = waiting.popleft()
        if isinstance(value, dict):
            if 'nodes' in value and 'edges' in value:
                check_graph(value)
                return value
            inner = list(value.values())
        elif isinstance(value, list):
            inner = value
        else:
            continue
        if depth < _DEPTH:
            waiting.extend((entry, depth + 1) for entry in inner[:_BREADTH])
    raise ConfigurationError("it holds no scene graph: expected {'nodes': [...], 'edges': [...]}")


def check_graph(graph: dict[str, Any]) -> None:
    """Return quietly when the form is VirtualHome's.

    :raises ConfigurationError: says what is wrong where.
    """
    nodes, edges = graph.get('nodes'), graph.get('edges')
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise ConfigurationError("'nodes' and 'edges' of a scene graph must be lists")
    if not nodes:
        raise ConfigurationError('the scene graph has no nodes')
    known = set()
    for index, node in enumerate(nodes):
        if not isinstance(node, dict) or not _is_id(node.get('id')):
            raise ConfigurationError(f"node {index} of the scene graph has no whole number 'id'")
        if not isinstance(node.get('class_name'), str) or not node['class_name'].strip():
            raise ConfigurationError(f"node {node['id']} of the scene graph has no 'class_name'")
        if node['id'] in known:
            raise ConfigurationError(f'the scene graph has two nodes with the id {node["id"]}')
        known.add(node['id'])
    for index, edge in enumerate(edges):
        if not (
            isinstance(edge, dict)
            and _is_id(edge.get('from_id'))
            and _is_id(edge.get('to_id'))
            and isinstance(edge.get('relation_type'), str)
        ):
            raise ConfigurationError(
                f"edge {index} of the scene graph lacks 'from_id', 'to_id' or 'relation_type'"
            )


def without_characters(graph: Mapping[str, Any]) -> dict[str, Any]:
    """A home as it is before `add_character`; what was held stays in its room."""
    gone = {node['id'] for node in graph['nodes'] if node['class_name'].strip() == CHARACTER}
    return {
        'nodes': [node for node in graph['nodes'] if node['id'] not in gone],
        'edges': [
            edge
            for edge in graph['edges']
            if edge['from_id'] not in gone and edge['to_id'] not in gone
        ],
    }


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
