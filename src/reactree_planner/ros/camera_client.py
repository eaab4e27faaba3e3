"""The camera of the bridge, or of a robot, as a port."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from reactree_core.cancellation import CancelToken
from reactree_core.chat import PictureFile
from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.png import png_file
from reactree_core.ros import qos
from reactree_planner.ros.waiting import wait_until

#: Where pictures come from; remap it to a robot's own camera.
TOPIC = 'bridge/camera/image_raw'
#: Bytes of a pixel by encoding.
_ENCODINGS = {'mono8': 1, 'rgb8': 3, 'bgr8': 3}


class RosPictures:
    """Pictures of `bridge/camera/image_raw` (port `Pictures`); listens once one was wanted.

    :param timeout: asked at every wait: seconds until a picture must come.
    """

    def __init__(self, node: Node, timeout: Callable[[], float]) -> None:
        self._node = node
        self._timeout = timeout
        self._lock = threading.Lock()
        self._listens = False
        self._message: Any = None

    def newest(self, cancel: CancelToken) -> PictureFile:
        """The first picture that comes from now on: what was under way may show what was before.

        :raises SkillError: none comes in time, or it cannot be read.
        :raises ConfigurationError: sensor_msgs is not installed.
        """
        with self._lock:
            self._message = None
        timeout = self._timeout()
        if not wait_until(self._has_come, timeout, cancel):
            raise SkillError(
                f'No picture came on {TOPIC} within {timeout:g} s: set camera.period of the '
                'bridge, remap the topic to a camera, or leave pictures=true out of the preset.'
            )
        return _file_of(self._message)

    def _has_come(self) -> bool:
        if not self._listens:
            self._listen()
        return self._message is not None

    def _listen(self) -> None:
        try:
            from sensor_msgs.msg import Image
        except ImportError as error:
            raise ConfigurationError(
                'pictures=true needs the ROS package sensor_msgs: install it, or run `make setup`.'
            ) from error
        # Cameras of robots are reliable or not: it shows when they are there.
        # Counting follows no remappings; subscribing does.
        if self._node.count_publishers(self._node.resolve_topic_name(TOPIC)):
            self._node.create_subscription(
                Image,
                TOPIC,
                self._hear,
                qos.pictures_as_published(),
                callback_group=ReentrantCallbackGroup(),
            )
            self._listens = True

    def _hear(self, message: Any) -> None:
        with self._lock:
            self._message = message


def _file_of(message: Any) -> PictureFile:
    depth = _ENCODINGS.get(message.encoding, 0)
    line = message.width * depth
    data = bytes(message.data)
    step = message.step or line
    if not depth or step < line or len(data) != step * message.height:
        raise SkillError(
            f'The picture on {TOPIC} cannot be read ({message.width} x {message.height}, '
            f'{message.encoding[:30]!r}): publish {", ".join(_ENCODINGS)}.'
        )
    if step != line:
        data = b''.join(data[begin : begin + line] for begin in range(0, len(data), step))
    try:
        return png_file(message.width, message.height, data, message.encoding == 'bgr8')
    except ValueError as error:
        raise SkillError(f'The picture on {TOPIC} cannot be read: {error}.') from error
