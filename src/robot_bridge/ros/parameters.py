"""Parameters of the robot bridge."""

from __future__ import annotations

from reactree_core.ros.managed_node import MANAGED, TELEMETRY
from reactree_core.ros.parameter_specs import ParameterSpec as Row
from reactree_core.ros.parameter_specs import Table

PARAMETERS: Table = (
    Row('robot', '', 'File of the robot: its skills, places and state (docs/robot_file.md).',
        read_only=True),
    Row('skill_time_limit', 0.0,
        'Time limit of skills whose goal has none; 0: no limit.',
        unit='s', low=0.0, high=86400.0),
    Row('server_timeout', 10.0,
        'Longest wait for actions and services of the file that have no server, after an '
        'activation; READY then names those that are missing.',
        unit='s', low=0.0, high=3600.0),
    Row('stop_timeout', 2.0,
        'Longest wait of the emergency stop, and of the end of the bridge, until everything has '
        'stopped; what has not is named.',
        unit='s', low=0.0, high=60.0),
    Row('permission', '',
        'File of rules on what may be done (docs/permission.md), or allow, ask or deny for all '
        'skills, whichever planner sends them; empty: ask before anything moves.',
        read_only=True),
    Row('hazards', '',
        'Hazards that are not done without approval (docs/permission.md): a file, off, and names '
        'to leave out behind "-"; empty: the shipped ones.',
        read_only=True),
    *TELEMETRY,
    *MANAGED,
)  # fmt: skip
