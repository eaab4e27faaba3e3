"""Hears what perception sees, and the pictures with that drawn over."""

from __future__ import annotations

from rclpy.node import Node
from sensor_msgs.msg import CompressedImage

from reactree_core.ros import qos
from reactree_ros.msg import PerceivedThing, PerceivedThings
from reactree_tools.viewer.cameras import Cameras, SeenThing

_BY = {
    PerceivedThing.BY_MARKER: 'marker',
    PerceivedThing.BY_DETECTOR: 'detector',
    PerceivedThing.BY_MODEL: 'model',
}


def hear_cameras(node: Node, robot: str = '') -> Cameras:
    """What the cameras of a robot show from now on. :param robot: namespace with a slash."""
    cameras = Cameras()

    def show(message: CompressedImage) -> None:
        cameras.show(message.header.frame_id, bytes(message.data))

    def tell(message: PerceivedThings) -> None:
        things = tuple(map(_thing, message.things))
        cameras.tell(things, message.header.frame_id, tuple(message.gone))

    for kind, topic, hear in (
        (CompressedImage, 'perception/picture', show),
        (PerceivedThings, 'perception/things', tell),
    ):
        node.create_subscription(kind, f'{robot}{topic}', hear, qos.pictures())
    return cameras


def _thing(thing: PerceivedThing) -> SeenThing:
    point, stamp = thing.pose.position, thing.seen_at
    return SeenThing(
        thing.name,
        _BY.get(thing.by, 'model'),
        thing.camera,
        (point.x, point.y, point.z) if thing.has_pose else None,
        thing.place,
        thing.state,
        stamp.sec + stamp.nanosec * 1e-9,
    )
