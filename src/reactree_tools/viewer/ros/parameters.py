"""Parameters of the viewer node."""

from __future__ import annotations

from reactree_core.ros.parameter_specs import ParameterSpec as Row
from reactree_core.ros.parameter_specs import Table
from reactree_tools.viewer.web.server import PORT

# fmt: off
PARAMETERS: Table = (
    Row('port', PORT, 'Port of the page on 127.0.0.1; 0: any free one.',
        low=0, high=65535, read_only=True),
    Row('control', False,
        'Let whoever has the token pause, step and cancel, approve skills and answer questions. '
        'The token is printed at the start, or set by the environment variable '
        'REACTREE_VIEWER_TOKEN.',
        read_only=True),
    Row('journal_directory', '', "Folder of the runs' journals; empty: the user's state folder.",
        read_only=True),
    Row('robots', (),
        'Namespaces of the robots that are shown side by side; empty: planner and bridge of the '
        "viewer's own namespace.",
        read_only=True),
    Row('answer_timeout', 5.0, 'Timeout for the answer of a node.',
        unit='s', low=0.1, high=600.0),
)
# fmt: on
