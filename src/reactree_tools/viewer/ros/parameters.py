"""Parameters of the viewer node."""

from __future__ import annotations

from reactree_core.ros.parameters import ParameterSpec
from reactree_core.ros.parameters import Table
from reactree_tools.viewer.web.server import PORT

_S = ParameterSpec

PARAMETERS: Table = (
    _S('port', PORT, 'Port of the page on 127.0.0.1; 0: any free one.', '', 0, 65535, (), True),
    _S(
        'control',
        False,
        'Let whoever has the token pause, step, cancel, and approve skills. The token is made at '
        'the start, or taken from the environment variable REACTREE_VIEWER_TOKEN.',
        read_only=True,
    ),
    _S(
        'journal_directory',
        '',
        "Folder of the runs' journals; empty: the user's state folder.",
        read_only=True,
    ),
    _S('answer_timeout', 5.0, 'Longest wait for a node that is asked.', 's', 0.1, 600.0),
)
