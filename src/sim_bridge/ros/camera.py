"""Pictures of the world as a topic."""

from __future__ import annotations

from array import array
from contextlib import suppress
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node

from reactree_core.errors import ConfigurationError, ReactreeError
from reactree_core.ros import qos
from reactree_core.ros.parameter_specs import LiveValues
from reactree_core.world import World
from sim_bridge.pictures import Cameras, Picture
from sim_bridge.ros.served_world import result_of, ServedWorld

FRAME = 'camera'


class CameraTopic:
    """Publisher `~/camera/image_raw` (sensor_msgs/Image, bgr8), as long as somebody listens.

    A picture that takes longer than the period is waited for; none are taken beside it.

    :param settings: `camera_period` (s), `camera_index`, `camera_width`, `camera_height` (pixels).
    :raises ConfigurationError: sensor_msgs or OpenCV is missing, or the world has no such camera.
    """

    def __init__(
        self, node: Node, group: CallbackGroup, world: ServedWorld, settings: LiveValues
    ) -> None:
        self._message = _message_type()
        self._settings = settings
        self._node = node
        self._world = world
        self._taking = False
        self._complaint = ''
        try:
            result_of(world.ask(self._take))
        except ReactreeError as error:
            raise ConfigurationError(
                f'the bridge can take no pictures: {error} (camera.period 0 is without)'
            ) from error
        self._publisher = node.create_publisher(
            self._message,
            '~/camera/image_raw',
            qos.pictures(),
            # Events that end with it would take a spinning executor with them.
            event_callbacks=PublisherEventCallbacks(use_default_callbacks=False),
            qos_overriding_options=qos.overridable(),
        )
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(settings.camera_period, self._publish, group, clock=clock)

    def close(self) -> None:
        """Take no more pictures."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)

    async def _publish(self) -> None:
        if self._taking or self._publisher.get_subscription_count() == 0:
            return
        self._taking = True
        try:
            picture = await self._world.answer(self._world.ask(self._take))
        except ReactreeError as error:
            # Said once, however often it happens.
            if str(error) != self._complaint:
                self._complaint = str(error)
                self._node.get_logger().warning(f'no picture: {error}')
            return
        finally:
            self._taking = False
        self._complaint = ''
        with suppress(InvalidHandle):  # closed while it was taken
            self._publisher.publish(self._to_message(picture))

    def _take(self, world: World) -> Picture:
        if not isinstance(world, Cameras):
            raise ConfigurationError(f'the world {world.name} has no camera')
        settings = self._settings
        return world.picture(settings.camera_index, settings.camera_width, settings.camera_height)

    def _to_message(self, picture: Picture) -> Any:
        message = self._message(
            height=picture.height,
            width=picture.width,
            encoding='bgr8',
            step=3 * picture.width,
            # As an array, because anything else is checked byte by byte.
            data=array('B', picture.data),
        )
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.header.frame_id = FRAME
        return message


def _message_type() -> Any:
    try:
        from sensor_msgs.msg import Image
    except ImportError as error:
        raise ConfigurationError(
            'camera.period needs the ROS package sensor_msgs: install it, or run `make setup`'
        ) from error
    return Image
