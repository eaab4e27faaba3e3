"""ROS parameter files: checked before a node is started with them, and written for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import read_file

ParameterValue = bool | int | float | str


def check_parameter_file(path: Path) -> dict[str, dict[str, Any]]:
    """Read a parameter file and say what is wrong with it, better than a node's crash does.

    :returns: node name or wildcard -> its parameters.
    :raises ConfigurationError: it cannot be read or is not a parameter file.
    """
    content = read_file(path)
    return _node_sections(path, content)


def _node_sections(path: Path, content: object, prefix: str = '') -> dict[str, dict[str, Any]]:
    """Sections of nodes; namespaces may be written as nested keys."""
    sections: dict[str, dict[str, Any]] = {}
    if not isinstance(content, Mapping) or not content:
        raise _not_parameters(path)
    for name, section in content.items():
        if not isinstance(section, Mapping):
            raise _not_parameters(path)
        full = f'{prefix}{name}'
        if 'ros__parameters' in section:
            parameters = section['ros__parameters']
            if not isinstance(parameters, Mapping):
                raise ConfigurationError(
                    f'The parameter file {path} has no parameters below ros__parameters of {full}.'
                )
            sections[full] = dict(parameters)
        else:
            sections.update(_node_sections(path, section, f'{full.rstrip("/")}/'))
    return sections


def _not_parameters(path: Path) -> ConfigurationError:
    return ConfigurationError(
        f'The parameter file {path} is not of the form "node: ros__parameters: name: value"; '
        'see config/planner.yaml for an example.'
    )


def write_parameter_file(path: Path, node: str, values: Mapping[str, ParameterValue]) -> None:
    """Write parameters of one node, named with its namespace so that they go before wildcards.

    :param node: full name, e.g. '/robot_1/planner'.
    :raises ConfigurationError: the file cannot be written.
    """
    content = {node: {'ros__parameters': dict(values)}}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding='utf-8')
    except OSError as error:
        raise ConfigurationError(
            f'{path} cannot be written: {error.strerror}. Set ROS_LOG_DIR to a folder that can.'
        ) from error
