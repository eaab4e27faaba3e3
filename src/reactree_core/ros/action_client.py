"""An action client that loses no answer to a node that is being spun."""

from __future__ import annotations

import threading
from typing import Any

import rclpy.action


class ActionClient(rclpy.action.ActionClient):
    """rclpy's action client, whole before an executor sees it, and so are its requests.

    That of rclpy 7 to 9 registers with its node first and makes its lock last: a spinning thread
    that comes between the two dies of the missing lock, and with it every answer to the node.
    That of rclpy 9.1 writes down a goal twice, the second time without its lock: an answer that
    comes between the two goes to a future that nobody has.

    :param arguments: as rclpy.action.ActionClient takes them.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._sending = threading.Lock()
        # Replaced by the base class; until then no goal can exist that the lock would guard.
        self._lock = threading.Lock()
        super().__init__(*arguments, **options)

    def send_goal_async(self, *arguments: Any, **options: Any) -> Any:
        """Send a goal; as rclpy.action.ActionClient takes it."""
        with self._sending:
            return super().send_goal_async(*arguments, **options)

    def take_data(self) -> Any:
        """Take answers, but not to what is just being sent."""
        with self._sending:
            return super().take_data()
