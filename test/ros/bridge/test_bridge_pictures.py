"""Pictures of the world on a topic."""

from __future__ import annotations

import threading

import pytest
from sensor_msgs import msg as sensor_msgs

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.ros import qos
from sim_bridge.pictures import Picture

PATIENCE = 30.0


class Camera:
    """Gives pictures whose first pixel is the number of pictures taken; can be told to fail."""

    def __init__(self):
        self.taken = 0
        self.broken = False

    def picture(self, camera, width, height):
        self.taken += 1
        if self.broken or camera != -1:
            raise SkillError(f'there is no camera {camera}')
        return Picture(width, height, bytes([self.taken % 256, *range(3 * width * height - 1)]))


class Pictures:
    """What a subscriber sees."""

    def __init__(self, node):
        self.messages = []
        self._change = threading.Condition()
        node.create_subscription(
            sensor_msgs.Image, 'bridge/camera/image_raw', self._hear, qos.pictures()
        )

    def _hear(self, message):
        with self._change:
            self.messages.append(message)
            self._change.notify_all()

    def wait(self, count):
        with self._change:
            assert self._change.wait_for(lambda: len(self.messages) >= count, PATIENCE)
            return self.messages


@pytest.fixture
def camera(world):
    camera = Camera()
    world.picture = camera.picture
    return camera


SMALL = {'camera.period': 0.05, 'camera.index': -1, 'camera.width': 4, 'camera.height': 2}


def test_pictures_are_published_to_who_listens(serve, camera, client_node):
    serve(**SMALL)
    # One at the start, to see that there are any.
    assert camera.taken == 1
    first = Pictures(client_node).wait(2)[0]
    assert (first.width, first.height, first.encoding, first.step) == (4, 2, 'bgr8', 12)
    assert bytes(first.data) == bytes([first.data[0], *range(23)])
    assert first.header.frame_id == 'camera'
    assert first.header.stamp.sec > 0


def test_a_camera_that_breaks_stops_no_skills_and_may_come_back(serve, camera, client_node):
    client = serve(**SMALL)
    pictures = Pictures(client_node)
    pictures.wait(1)
    camera.broken = True
    _, observation = client.execute('press button 1', 1)
    assert observation.text == 'You press button.'
    camera.broken = False
    pictures.wait(len(pictures.messages) + 2)


def test_no_picture_at_the_start_is_a_reason_not_to_start(serve, world):
    with pytest.raises(ConfigurationError, match='the world toy has no camera'):
        serve(**SMALL)


def test_without_a_period_no_picture_is_taken(serve, camera):
    client = serve()
    assert client.call('list_skills').templates
    assert camera.taken == 0
