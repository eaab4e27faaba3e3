"""Parameters of the recorder node."""

from __future__ import annotations

from reactree_core.ros.parameters import ParameterSpec
from reactree_core.ros.parameters import Table

PARAMETERS: Table = (
    ParameterSpec(
        'directory',
        '',
        'Folder that takes a bag per run; empty: $XDG_STATE_HOME/reactree/bags, else '
        '~/.local/state/reactree/bags.',
        read_only=True,
    ),
    ParameterSpec(
        'sync_period',
        1.0,
        'What a power failure may cost: longest time between two writes to the disk.',
        's',
        0.1,
        60.0,
        (),
        True,
    ),
)
