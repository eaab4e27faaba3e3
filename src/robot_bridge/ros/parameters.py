"""Parameters of the robot bridge."""

from __future__ import annotations

from reactree_core.ros.managed_node import MANAGED
from reactree_core.ros.parameter_specs import ParameterSpec as Row
from reactree_core.ros.parameter_specs import Table

PARAMETERS: Table = (
    Row('robot', '', 'File of the robot: its skills, places and state (docs/robot_file.md).',
        read_only=True),
    Row('skill_time_limit', 0.0,
        'Time limit of skills whose goal has none; 0: no limit.',
        unit='s', low=0.0, high=86400.0),
    Row('permission', '',
        'File of rules on what may be done (docs/permission.md), or allow, ask or deny for all '
        'skills, whichever planner sends them; empty: ask before anything moves.',
        read_only=True),
    *MANAGED,
)  # fmt: skip
