"""Hearing what nodes say of themselves on /diagnostics."""

from __future__ import annotations

import threading

from diagnostic_msgs.msg import DiagnosticArray

PATIENCE = 30.0


class Diagnostics:
    """The newest status of every node; `until` waits for one that is as wanted."""

    def __init__(self, node):
        self.newest = {}
        self.arrived = threading.Condition()
        node.create_subscription(DiagnosticArray, '/diagnostics', self._hear, 50)

    def _hear(self, message):
        with self.arrived:
            for status in message.status:
                self.newest[status.name] = status
            self.arrived.notify_all()

    def until(self, name, wanted=lambda status, values: True):
        """Level, message and values."""
        found = []

        def is_there():
            status = self.newest.get(name)
            if status is not None:
                values = {item.key: item.value for item in status.values}
                found[:] = (status, values)
                return wanted(status, values)
            return False

        with self.arrived:
            assert self.arrived.wait_for(is_there, PATIENCE), (name, found, list(self.newest))
        return found
