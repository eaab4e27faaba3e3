"""Parameters of the bridge node."""

from __future__ import annotations

import json
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_core.ros.managed_node import MANAGED, TELEMETRY
from reactree_core.ros.parameter_specs import ParameterSpec as Row
from reactree_core.ros.parameter_specs import Table

# fmt: off
_WORLD: Table = (
    Row('world', 'household',
        'Simulated world to serve: its registered name, or module:class of your own.',
        read_only=True),
    Row('world_options', '{}',
        'Options of the world as a JSON object, e.g. {"failure_rate": 0.1}.', read_only=True),
    Row('scene', '',
        'Scene to load at the start: generated:<seed>, or a path of a VirtualHome graph file; '
        "empty: the world's own for the seed.",
        read_only=True),
    Row('task', '',
        'Task to load at the start: generated:<seed>, <family>:<seed>, a path of a task file,'
        ' wah:<path>#<id> of a published task set; empty for none.',
        read_only=True),
    Row('seed', 0, 'Seed of all random choices of the world.', low=0, read_only=True),
)

_SKILLS: Table = (
    Row('skill_duration', 0.0,
        'Simulated execution time of every skill; its effect comes at the end.',
        unit='s', low=0.0, high=3600.0),
    Row('skill_time_limit', 0.0,
        'Time limit of skills whose goal has none; 0: no limit.',
        unit='s', low=0.0, high=86400.0),
    Row('failure_probability', 0.0,
        'Probability that an admissible skill fails without effect, drawn from the seed.',
        low=0.0, high=1.0),
    Row('permission', '',
        'File of rules on what may be done (docs/permission.md), or allow, ask or deny for all '
        'skills, whichever planner sends them; empty: allow.',
        read_only=True),
)

_CAMERA: Table = (
    Row('camera.period', 0.0,
        'Time between two pictures on ~/camera/image_raw, while it has subscribers; 0: none.',
        unit='s', low=0.0, high=3600.0, read_only=True),
    Row('camera.index', -3,
        'Camera: 0 and above are cameras of the scene, -6 to -1 those of the robot.',
        low=-6, high=10000),
    Row('camera.width', 640, 'Width of the pictures.', unit='pixels', low=1, high=4096),
    Row('camera.height', 480, 'Height of the pictures.', unit='pixels', low=1, high=4096),
)
# fmt: on

PARAMETERS: Table = (*_WORLD, *_SKILLS, *_CAMERA, *TELEMETRY, *MANAGED)


def read_options(text: str) -> dict[str, Any]:
    """The world's options from their parameter.

    :raises ConfigurationError: not a JSON object.
    """
    try:
        options = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"parameter 'world_options' is not JSON: {error}") from None
    if not isinstance(options, dict):
        raise ConfigurationError(
            f"parameter 'world_options' must be a JSON object such as {{}}, not {text!r:.80}"
        )
    return options
