"""The newest picture of a camera; those that come while one is read are never read."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image

from perception.errors import PictureError
from reactree_core.ros import qos
from robot_bridge.perception_file import CameraEntry

#: Seconds between two looks whether a camera is there that was not.
_FINDING = 0.5
#: Longest time between a picture and the depth of the same view, s.
_APART = 0.25


class CameraFeed:
    """Subscribes a camera's topics, once their publishers are there: as reliably as they are.

    :param wake: called when a picture has come.
    """

    def __init__(
        self, node: Node, name: str, entry: CameraEntry, wake: Callable[[], None]
    ) -> None:
        self.name = name
        self.entry = entry
        self._node = node
        self._wake = wake
        self._lock = threading.Lock()
        self._picture: Any = None
        self._depth: Any = None
        self._info: Any = None
        #: When a picture came, by the monotonic clock; how many came, and how many were not read.
        self.came_at = -float('inf')
        self.came = 0
        self.skipped = 0
        #: Why its pictures tell nothing; '' where they do.
        self.trouble = ''
        self._open = {entry.image: Image, entry.info: CameraInfo}
        if entry.depth:
            self._open[entry.depth] = Image
        #: Each topic in a group of its own: a large picture keeps no other waiting.
        self._groups = {topic: MutuallyExclusiveCallbackGroup() for topic in self._open}
        self._finder = node.create_timer(
            _FINDING, self._find, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        self._find()

    def _find(self) -> None:
        hear = {
            self.entry.depth: self._hear_depth,
            self.entry.info: self._hear_info,
            self.entry.image: self._hear,
        }
        for topic, kind in list(self._open.items()):
            # Counting follows no remappings; subscribing does.
            if self._node.count_publishers(self._node.resolve_topic_name(topic)):
                profile = qos.pictures_as_published()
                self._node.create_subscription(
                    kind, topic, hear[topic], profile, callback_group=self._groups[topic]
                )
                del self._open[topic]
        if not self._open:
            self._finder.cancel()

    def _hear(self, message: Image) -> None:
        with self._lock:
            self.skipped += self._picture is not None
            self._picture = message
            self.came += 1
            self.came_at = time.monotonic()
        self._wake()

    def _hear_depth(self, message: Image) -> None:
        self._depth = message

    def _hear_info(self, message: CameraInfo) -> None:
        self._info = message

    @property
    def waits(self) -> bool:
        """Whether there is a picture that was not taken."""
        return self._picture is not None

    @property
    def info(self) -> CameraInfo | None:
        """The newest."""
        return self._info

    def take(self) -> Image | None:
        """The newest picture, once; None where none has come since."""
        with self._lock:
            picture, self._picture = self._picture, None
        return picture

    def depth_of(self, picture: Image) -> Image | None:
        """The depth of the same view; None for a camera without.

        :raises PictureError: none of about the same time has come.
        """
        if not self.entry.depth:
            return None
        depth = self._depth
        if depth is None or abs(seconds(depth) - seconds(picture)) > _APART:
            raise PictureError(
                f'no depth picture of the same {_APART:g} s has come on {self.entry.depth}'
            )
        return depth

    def silence(self, longest: float) -> str:
        """What is missing, in a sentence; '' where pictures come. :param longest: s."""
        missing = list(self._open)
        if missing:
            return f'camera {self.name}: nobody publishes {", ".join(missing)}'
        away = time.monotonic() - self.came_at
        if away > longest:
            how = f'for {away:.0f} s' if away < float('inf') else 'yet'
            return f'camera {self.name}: no picture has come on {self.entry.image} {how}'
        return f'camera {self.name}: {self.trouble}' if self.trouble else ''


def seconds(message: Any) -> float:
    """When a message's content was so, by its header."""
    stamp = message.header.stamp
    return float(stamp.sec + stamp.nanosec * 1e-9)
