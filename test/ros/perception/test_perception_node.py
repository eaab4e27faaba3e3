"""The perception node beside cameras, detectors, models and the bridge of a robot by its file."""

from __future__ import annotations

import threading
import time
import uuid
from array import array
from contextlib import ExitStack

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from perception.ros.node import PerceptionNode
from reactree_core.errors import ConfigurationError
from reactree_core.ros import qos
from reactree_ros.msg import PerceivedThings
from robot_bridge.poses import Pose
from robot_bridge.ros.node import RobotBridgeNode
from support.bridge_client import Client, spinning
from support.drawn_pictures import draw_marker, lens
from support.vision_server import VisionServer
from support.waiting import wait_for

LENS = lens(640, 480, 600.0)
FILE = """\
robot: arm
hands: 1
places:
  left tray: {frame: table, x: -0.2, y: 0}
  bin: {frame: table, x: 0.2, y: 0}
perception:
  frame: table
  near: 0.12
  gone_after: 0.3
  age: 1 s
  every: 20 ms
  cameras:
    above: {image: image, info: info, mount: {frame: table, z: 1.0, roll: 180 deg}}
  markers:
    - {dictionary: 4x4_50, size: 8 cm, names: {3: gear 1}}
MODEL
skills:
  - {skill: grab <thing>, kind: take, do: {service: std_srvs/srv/Trigger, name: grab}}
"""
MODEL = """\
  model:
    model: ADDRESS
    camera: above
    ask: {drawer 1: {states: [open, closed]}, cup 1: {places: [left tray, bin]}}
    every: 100 ms
    within: WITHIN
    budget: BUDGET
"""


class Camera(Node):
    """Publishes pictures of a table at a rate, until it is told otherwise."""

    def __init__(self, **options):
        super().__init__('camera', **options)
        self.image = self.create_publisher(Image, 'image', qos.pictures())
        self.info = self.create_publisher(CameraInfo, 'info', qos.pictures())
        self.pixels = table()
        self.change = lambda message: None
        self.sent = 0
        self.timer = self.create_timer(0.05, self.send)

    def at(self, rate):
        self.destroy_timer(self.timer)
        self.timer = self.create_timer(1.0 / rate, self.send)

    def send(self):
        if self.pixels is None:
            return
        height, width = self.pixels.shape
        message = Image(height=height, width=width, encoding='mono8', step=width)
        message.data.frombytes(self.pixels.tobytes())
        message.header.stamp = self.get_clock().now().to_msg()
        message.header.frame_id = 'camera_optical'
        self.change(message)
        scale = width / LENS.width
        info = CameraInfo(width=width, height=height, distortion_model='plumb_bob')
        info.k = (LENS.matrix * np.array([[scale], [scale], [1.0]])).reshape(-1)
        info.d = [0.0] * 5
        self.info.publish(info)
        self.image.publish(message)
        self.sent += 1


def table(of=LENS, **markers):
    """:param markers: 'm3' for number 3, at x, y of the table in m."""
    pixels = np.full((of.height, of.width), 150, np.uint8)
    pixels[:, ::40] = 90
    for name, (x, y) in markers.items():
        pose = Pose('camera', x, -y, 1.0, 1.0, 0.0, 0.0, 0.0)
        draw_marker(pixels, '4x4_50', int(name[1:]), 0.08, pose, of)
    return pixels


class Stage:
    """A camera, a listener and, when it is started, the node."""

    def __init__(self, stack, namespace, folder):
        self.stack, self.namespace, self.folder = stack, namespace, folder
        self.told, self.shown, self.health = [], [], []
        self.camera = self.spin(Camera, 2)
        self.listener = self.spin(lambda **options: Node('listener', **options))
        make = self.listener.create_subscription
        make(PerceivedThings, 'perception/things', self.told.append, 10)
        make(DiagnosticArray, '/diagnostics', self.hear_health, 10)

    def spin(self, kind, threads=1, **options):
        def make(context):
            return kind(context=context, namespace=self.namespace, **options)

        return self.stack.enter_context(spinning(make, threads))

    def hear_health(self, message):
        own = f'/{self.namespace}/perception'
        self.health += [
            status for status in message.status if own in f'/{status.name.lstrip("/")}'
        ]

    def file(self, model=''):
        path = self.folder / 'robot.yaml'
        path.write_text(FILE.replace('MODEL\n', model))
        return str(path)

    def start(self, model=''):
        overrides = [Parameter('robot', value=self.file(model))]
        self.node = self.spin(PerceptionNode, 4, parameter_overrides=overrides)
        return self.node

    def bridge(self):
        overrides = [
            Parameter('robot', value=str(self.folder / 'robot.yaml')),
            Parameter('permission', value='allow'),
            Parameter('server_timeout', value=0.5),
        ]
        node = self.spin(RobotBridgeNode, 3, parameter_overrides=overrides)
        client = Client(self.listener, snapshots=False).find()
        client.bridge = node
        return client

    @property
    def things(self):
        return {thing.name: thing for thing in self.told[-1].things} if self.told else {}

    def waits(self, condition, what, patience=20.0):
        wait_for(condition, f'{what}; health: {self.node.health()}', patience)


def look(client):
    """What the bridge says of the world now."""
    return client.call('list_skills').observation


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path / 'state'))
    with ExitStack() as stack:
        yield Stage(stack, f'test_{uuid.uuid4().hex[:12]}', tmp_path)


def test_a_marker_comes_goes_and_comes_back(stage):
    stage.camera.pixels = table(m3=(-0.2, 0.05))
    stage.start()
    stage.waits(lambda: 'gear 1' in stage.things, 'the gear')
    gear = stage.things['gear 1']
    assert stage.told[-1].header.frame_id == 'table'
    assert gear.by == gear.BY_MARKER and gear.has_pose and gear.camera == 'above'
    assert abs(gear.pose.position.x + 0.2) < 0.01 and abs(gear.pose.position.y - 0.05) < 0.01
    assert len(gear.outline) == 8
    stage.waits(lambda: set(stage.told[-1].looked_at) == {'left tray', 'bin'}, 'the look')
    stage.camera.pixels = table()
    stage.waits(lambda: list(stage.told[-1].gone) == ['gear 1'], 'that it is gone')
    stage.camera.pixels = table(m3=(0.2, 0.0))
    stage.waits(lambda: 'gear 1' in stage.things and not stage.told[-1].gone, 'its return')


@pytest.mark.parametrize(
    ('change', 'sentence'),
    [
        (lambda m: m.data.__delitem__(slice(1000, None)), 'it is torn: 640 x 480 pixels'),
        (lambda m: setattr(m, 'step', 100), 'it is torn'),
        (lambda m: setattr(m, 'encoding', 'jpeg'), "the encoding 'jpeg' is not read"),
        (lambda m: setattr(m, 'data', array('B', bytes(640 * 480))), 'all of one brightness'),
        (lambda m: setattr(m.header.stamp, 'sec', m.header.stamp.sec - 60), 'its stamp is 60.'),
    ],
    ids=['torn', 'wrong step', 'unknown encoding', 'black', 'old'],
)
def test_bad_pictures_make_what_was_known_old_and_nothing_gone(stage, change, sentence):
    stage.camera.pixels = table(m3=(-0.2, 0.0))
    stage.start()
    client = stage.bridge()
    stage.waits(lambda: 'gear 1' in look(client).text, 'the gear in the bridge')
    assert 'You see gear 1 at left tray.' in look(client).text
    stage.camera.change = change
    stage.waits(lambda: sentence in stage.node.health().warning, sentence)
    stage.waits(
        lambda: (
            'What is here is not known: perception/things has sent nothing for'
            in look(client).text
        ),
        'that it is too old',
    )
    assert list(stage.told[-1].gone) == []
    assert 'Known from before: gear 1 at left tray (last seen ' in look(client).text
    stage.camera.change = lambda message: None
    stage.waits(lambda: 'You see gear 1 at left tray.' in look(client).text, 'the gear again')
    assert stage.node.health().warning == ''


def test_no_camera_is_told(stage):
    stage.camera.pixels = None
    stage.camera.destroy_publisher(stage.camera.image)
    stage.start()
    stage.waits(lambda: 'nobody publishes image' in stage.node.health().warning, 'the sentence')


def test_a_model_that_takes_five_seconds_keeps_no_picture_waiting(stage):
    """4K at 30 Hz: pictures are skipped and not queued, and what is told stays new."""
    of = lens(3840, 2160, 3600.0)
    stage.camera.pixels = table(of, m3=(-0.2, 0.0))
    stage.camera.at(30)
    with VisionServer(['open', 'bin'], takes=5.0) as server:
        model = MODEL.replace('ADDRESS', server.address).replace('WITHIN', '20 s')
        stage.start(model.replace('BUDGET', '100'))
        stage.waits(lambda: 'gear 1' in stage.things, 'the gear')
        stage.waits(server.begun.is_set, 'the model to be asked')
        begin, sent = len(stage.told), stage.camera.sent
        wait_for(lambda: len(stage.told) >= begin + 10, 'ten more messages while it thinks')
        assert not server.ended.is_set()
        newest = stage.told[-1]
        age = time.time() - (
            newest.things[0].seen_at.sec + newest.things[0].seen_at.nanosec * 1e-9
        )
        # One picture is read while another waits: more would be a queue.
        assert age < 2.0
        assert stage.camera.sent > sent
        stage.waits(lambda: 'drawer 1' in stage.things, 'the answer', 40.0)
    drawer = stage.things['drawer 1']
    assert drawer.by == drawer.BY_MODEL and drawer.state == 'open' and not drawer.has_pose
    feed = stage.node._feeds['above']
    assert feed.skipped > 0
    # Whole, small, and as a file.
    assert server.pictures and len(server.pictures[0]) < 300_000
    assert server.pictures[0].startswith(b'\xff\xd8')


def test_what_a_model_says_is_a_hint_in_the_bridge(stage):
    with VisionServer(['open', 'bin']) as server:
        model = MODEL.replace('ADDRESS', server.address).replace('WITHIN', '5 s')
        stage.start(model.replace('BUDGET', '100'))
        client = stage.bridge()
        stage.waits(lambda: 'drawer 1' in look(client).text, 'the drawer')
    seen = look(client)
    assert 'drawer 1 (open, seen by a model)' in seen.text
    stage.waits(lambda: 'cup 1 at bin (seen by a model)' in look(client).text, 'the cup')
    assert {'drawer 1 is open', 'cup 1 in bin'} <= set(look(client).assumed)


def test_a_budget_that_is_spent_and_a_model_too_slow_are_told(stage):
    with VisionServer(['I am not sure'] * 99) as server:
        model = MODEL.replace('ADDRESS', server.address).replace('WITHIN', '5 s')
        stage.start(model.replace('BUDGET', '3'))
        stage.waits(
            lambda: 'its budget of 3 requests an hour is spent' in stage.node.health().warning,
            'the sentence',
        )
        asked = server.asked
        shown = len(stage.told)
        wait_for(lambda: len(stage.told) > shown + 10, 'more pictures')
        assert server.asked == asked
    assert 'drawer 1' not in stage.things


def test_a_model_that_hangs_is_given_up_and_the_node_ends_soon(stage):
    with VisionServer(['open'], takes=60.0) as server:
        model = MODEL.replace('ADDRESS', server.address).replace('WITHIN', '500 ms')
        node = stage.start(model.replace('BUDGET', '100'))
        stage.waits(
            lambda: 'the model did not answer within 0.5 s' in node.health().warning,
            'the sentence',
        )
        started = time.monotonic()
        node.trigger_deactivate()
        assert time.monotonic() - started < 4.0
        assert not any(thread.is_alive() for thread in node._threads)
        node.trigger_activate()
        told = len(stage.told)
        stage.waits(lambda: len(stage.told) > told, 'pictures again')


def test_the_picture_is_shown_with_what_is_seen_while_somebody_looks(stage):
    stage.camera.pixels = table(m3=(-0.2, 0.0))
    stage.start()
    stage.waits(lambda: 'gear 1' in stage.things, 'the gear')
    stage.listener.create_subscription(
        CompressedImage, 'perception/picture', stage.shown.append, qos.pictures()
    )
    stage.waits(lambda: stage.shown, 'a picture')
    import cv2

    picture = cv2.imdecode(np.frombuffer(stage.shown[-1].data, np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape == (480, 640, 3)
    assert stage.shown[-1].header.frame_id == 'above'
    # What the camera sees is grey; what is drawn over is not.
    assert (np.ptp(picture.astype(int), axis=2) > 80).sum() > 200


@pytest.mark.parametrize(
    ('file', 'sentence'),
    [
        ('', 'perception needs the file of a robot'),
        ('robot: a\nskills: [{skill: a, do: {service: b/srv/C, name: /d}}]\n', 'says nothing of'),
        (FILE.replace('MODEL\n', '').replace('4x4_50', '4x4'), 'must be one of'),
        (
            FILE.replace(
                'MODEL\n', MODEL.replace('ADDRESS', 'random:1').replace('WITHIN', '1')
            ).replace('BUDGET', '1'),
            'takes no pictures',
        ),
    ],
)
def test_what_cannot_be_used_is_told(stage, file, sentence):
    path = stage.folder / 'other.yaml'
    path.write_text(file)
    overrides = [Parameter('robot', value=str(path) if file else '')]
    with pytest.raises(ConfigurationError, match=sentence):
        stage.spin(PerceptionNode, parameter_overrides=overrides)


def test_a_thread_that_has_ended_is_a_fault(stage):
    node = stage.start()
    assert node.health().fault == ''
    # As a fault in a codec would end it.
    node._ending.set()
    node._wake()
    stage.waits(lambda: 'The reading of pictures broke' in node.health().fault, 'the fault')


def test_threads_end_with_the_node(stage):
    def names():
        return [one.name for one in threading.enumerate() if one.name.startswith('perception')]

    node = stage.start()
    assert names() == ['perception _read_pictures']
    node.stop()
    assert names() == []
