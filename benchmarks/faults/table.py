"""All rows of the table, in the order of the page."""

from __future__ import annotations

from benchmarks.faults import (
    disk_rows,
    model_rows,
    node_rows,
    program_rows,
    robot_rows,
    sense_rows,
    slot_rows,
    stop_rows,
    time_rows,
    traffic_rows,
)
from benchmarks.faults.row import Row

_MODULES = (
    node_rows, model_rows, disk_rows, traffic_rows, time_rows, sense_rows, slot_rows,
    robot_rows, stop_rows, program_rows,
)  # fmt: skip
ROWS: dict[str, Row] = {row.name: row for module in _MODULES for row in module.ROWS}
