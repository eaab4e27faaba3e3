"""All rows of the table, in the order of the page."""

from __future__ import annotations

from benchmarks.faults import disk_rows
from benchmarks.faults import model_rows
from benchmarks.faults import node_rows
from benchmarks.faults import program_rows
from benchmarks.faults import robot_rows
from benchmarks.faults import sense_rows
from benchmarks.faults import slot_rows
from benchmarks.faults import time_rows
from benchmarks.faults import traffic_rows
from benchmarks.faults.row import Row

_MODULES = (
    node_rows, model_rows, disk_rows, traffic_rows, time_rows, sense_rows, slot_rows,
    robot_rows, program_rows,
)  # fmt: skip
ROWS: dict[str, Row] = {row.name: row for module in _MODULES for row in module.ROWS}
