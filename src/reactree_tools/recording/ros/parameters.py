"""Parameters of the recorder node."""

from __future__ import annotations

from reactree_core.ros.parameter_specs import ParameterSpec as Row
from reactree_core.ros.parameter_specs import Table

# fmt: off
PARAMETERS: Table = (
    Row('directory', '',
        'Folder of the bags, one per run; empty: $XDG_STATE_HOME/reactree/bags, else '
        '~/.local/state/reactree/bags.',
        read_only=True),
    Row('sync_period', 1.0,
        'Longest time between two syncs to disk: a power failure loses at most this time.',
        unit='s', low=0.1, high=60.0, read_only=True),
)
# fmt: on
