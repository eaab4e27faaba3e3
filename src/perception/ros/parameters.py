"""Parameters of the perception node."""

from __future__ import annotations

from reactree_core.ros.managed_node import MANAGED
from reactree_core.ros.parameter_specs import ParameterSpec as Row
from reactree_core.ros.parameter_specs import Table

# fmt: off
PARAMETERS: Table = (
    Row('robot', '', 'File of the robot: what it says of perception (docs/perception.md).',
        read_only=True),
    Row('server_model', '',
        'Model name in requests to the server of a vision-language model; empty: its only model.',
        read_only=True),
    Row('api_key_variable', '',
        'Environment variable with the API key of that server.',
        read_only=True),
    Row('api_key_over_http', False,
        'Send the key in api_key_variable to another machine even over plain http, where others '
        'on the network can read it.',
        read_only=True),
    Row('model_picture_size', 768,
        'Longer side of the pictures that a vision-language model gets.',
        unit='pixels', low=64, high=4096, read_only=True),
    Row('shown_picture_size', 640,
        'Longer side of the pictures on ~/picture, with what is seen drawn over.',
        unit='pixels', low=64, high=4096, read_only=True),
    Row('shown_picture_period', 0.5,
        'Shortest time between two pictures on ~/picture, which are made while somebody looks.',
        unit='s', low=0.05, high=60.0, read_only=True),
    # It has no services of which calls could be given.
    *(row for row in MANAGED if row.name != 'service_introspection'),
)
# fmt: on
