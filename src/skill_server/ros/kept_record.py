"""The record of its robot that a skill server keeps while it serves."""

from __future__ import annotations

from dataclasses import replace

from rclpy.node import Node

from reactree_core.robot_record import remove_record, RobotRecord, this_process, write_record


class KeptRecord:
    """Writes the record of a robot, for stops that come when its skill server is gone.

    A record that cannot be written is said in the log of the node, which goes on: the robot can
    then be stopped by its skill server alone.

    :param node: the skill server. :param record: without its process.
    """

    def __init__(self, node: Node, record: RobotRecord) -> None:
        self._log = node.get_logger()
        self._name = node.get_fully_qualified_name()
        try:
            write_record(replace(record, **this_process()))
        except OSError as error:
            self._log.error(
                'The record of this robot cannot be written '
                f'({error.strerror or error}): `reactree stop` cannot reach the robot when this '
                'bridge is gone. Make $XDG_STATE_HOME/reactree writable.'
            )

    def remove(self) -> None:
        """Forget it: nothing of the robot is at work."""
        try:
            remove_record(self._name)
        except OSError as error:
            self._log.warning(
                f'The record of this robot cannot be removed ({error.strerror or error}).'
            )
