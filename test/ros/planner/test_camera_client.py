"""The bridge's camera as pictures for a model that plans, from the drawing to the turn."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Image

from reactree_core.cancellation import CancelToken
from reactree_core.errors import SkillError
from reactree_core.png import png_file
from reactree_core.ros.spinning import NodesInThread
from reactree_planner.llm.chat import PlainChat
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.ros import camera_client
from reactree_planner.ros.camera_client import _file_of

PRESET = ('preset', 'default,example_count=0,free_actions=true,decides=model,pictures=true')
SMALL = (('camera.width', 32), ('camera.height', 24))


class Seer(PolicyModel):
    """Takes pictures, and keeps them."""

    takes_pictures = True

    def __init__(self, policy):
        super().__init__(policy)
        self.seen = []

    def chat(self, cancel, turns=()):
        seer = self

        class Chat(PlainChat):
            def say(self, role, text, pictures=()):
                seer.seen.extend(pictures)
                super().say(role, text)

        chat = Chat(self.session(cancel), self.name)
        for turn in turns:
            chat.say(turn.role, turn.text)
        return chat


def two_steps(text, options):
    done = text.rpartition('Your task is to: ')[2].count('ACTION: go')
    return f' ACTION: {("go to kitchen 1", "go to fridge 1", "done")[done]}'


def test_each_turn_shows_the_model_what_the_robots_camera_sees_then(make_stack):
    model = Seer(two_steps)
    stack = make_stack(model=model, planner=(PRESET,), bridge=(('camera.period', 0.1), *SMALL))
    result = stack.plan(planner='agentbench', task='look into the fridge').result
    assert result.success, result.error_msg
    assert len(model.seen) == 3
    assert all(picture.media_type == 'image/png' for picture in model.seen)
    # The robot has moved between them.
    assert len({picture.data for picture in model.seen}) == 3


def test_without_a_camera_the_run_ends_with_what_to_do(make_stack):
    model = Seer(two_steps)
    stack = make_stack(model=model, planner=(PRESET, ('service_timeout', 0.5)))
    result = stack.plan(planner='agentbench', task='look into the fridge').result
    assert not result.success
    assert 'set camera.period of the bridge' in result.error_msg
    assert not model.seen


@pytest.mark.parametrize('topic', [camera_client.TOPIC, '/eye/image_raw'])
def test_a_camera_that_is_not_reliable_or_has_another_name_is_seen_too(topic):
    context = Context()
    context.init(args=[])
    camera = Node('camera', context=context, start_parameter_services=False)
    rule = ['--ros-args', '-r', f'{camera_client.TOPIC}:={topic}']
    planner = Node('planner', context=context, start_parameter_services=False, cli_args=rule)
    image = Image(encoding='mono8', width=2, height=2, data=bytes(4))
    publisher = camera.create_publisher(Image, topic, qos_profile_sensor_data)
    camera.create_timer(0.05, lambda: publisher.publish(image))
    thread = NodesInThread(context, camera, planner)
    thread.start()
    try:
        pictures = camera_client.RosPictures(planner, lambda: 5.0)
        assert pictures.newest(CancelToken()) == png_file(2, 2, bytes(4))
    finally:
        thread.end(30.0)
        context.try_shutdown()


def message(encoding, data, width=2, height=2, step=0):
    return SimpleNamespace(encoding=encoding, data=data, width=width, height=height, step=step)


def test_pictures_of_the_usual_encodings_are_read():
    pixels = bytes(range(12))
    assert _file_of(message('rgb8', pixels)) == png_file(2, 2, pixels)
    assert _file_of(message('bgr8', pixels)) == png_file(2, 2, pixels, blue_first=True)
    assert _file_of(message('mono8', bytes(4))) == png_file(2, 2, bytes(4))
    # Lines may be longer than their pixels.
    padded = pixels[:6] + b'xx' + pixels[6:] + b'xx'
    assert _file_of(message('rgb8', padded, step=8)) == png_file(2, 2, pixels)


@pytest.mark.parametrize(
    ('encoding', 'size', 'step'), [('yuv422', 8, 0), ('rgb8', 11, 0), ('rgb8', 12, 3), ('', 0, 0)]
)
def test_what_cannot_be_read_is_said(encoding, size, step):
    with pytest.raises(SkillError, match='publish mono8, rgb8, bgr8'):
        _file_of(message(encoding, bytes(size), step=step))
