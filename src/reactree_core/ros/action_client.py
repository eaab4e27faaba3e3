"""An action client that may be made while its node is being spun."""

from __future__ import annotations

import threading
from typing import Any

import rclpy.action


class ActionClient(rclpy.action.ActionClient):
    """rclpy's action client, whole before an executor sees it.

    That of rclpy 7 to 9 registers with its node first and makes its lock last: a spinning thread
    that comes between the two dies of the missing lock, and with it every answer to the node.

    :param arguments: as rclpy.action.ActionClient takes them.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        # Replaced by the base class; until then no goal can exist that the lock would guard.
        self._lock = threading.Lock()
        super().__init__(*arguments, **options)
