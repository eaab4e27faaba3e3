"""The record of its robot that a skill server keeps while it serves."""

from __future__ import annotations

import time
from dataclasses import replace

from rclpy.node import Node

from reactree_core.robot_record import (
    forget_outdated,
    RobotRecord,
    this_process,
    write_record,
)


class KeptRecord:
    """Writes the record of a robot, for stops that come when its skill server is gone.

    A record that cannot be written is said in the log of the node, which goes on: the robot can
    then be stopped by its skill server alone.

    :param node: the skill server. :param record: without its process.
    """

    def __init__(self, node: Node, record: RobotRecord) -> None:
        self._log = node.get_logger()
        self._record = replace(record, **this_process())
        try:
            forget_outdated()
            write_record(self._record)
        except OSError as error:
            self._log.error(
                'The record of this robot cannot be written '
                f'({error.strerror or error}): `reactree stop` cannot reach the robot when this '
                'bridge is gone. Make $XDG_STATE_HOME/reactree writable.'
            )

    def end(self) -> None:
        """Note that the skill server ends, and that nothing of the robot is at work."""
        try:
            write_record(replace(self._record, ended=time.time()))
        except OSError as error:
            self._log.warning(
                'That this bridge has ended cannot be noted in the record of this robot '
                f'({error.strerror or error}).'
            )
