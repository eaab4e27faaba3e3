"""From pictures and detections to what the bridge is told."""

from __future__ import annotations

from types import SimpleNamespace as Message

import numpy as np
import pytest

from perception.errors import PictureError
from perception.perceiver import Perceiver
from robot_bridge.perception_file import PerceptionEntry
from robot_bridge.poses import Pose
from support.drawn_pictures import draw_marker, lens, message

#: Looks straight down on the table from 1 m; its picture's right is the table's x.
MOUNT = {'frame': 'table', 'z': 1.0, 'roll': np.pi}
LENS = lens(640, 480, 600.0)
PLACES = {'left tray': Pose('table', -0.2), 'far shelf': Pose('table', 3.0)}
INFO = Message(
    k=LENS.matrix.reshape(-1), d=[0.0] * 5, distortion_model='plumb_bob', width=640, height=480
)


def perceiver(**more):
    entry = {
        'frame': 'table',
        'cameras': {'above': {'image': '/i', 'info': '/c', 'depth': '/d', 'mount': MOUNT}},
        'near': 0.1,
        **more,
    }
    return Perceiver(PerceptionEntry.model_validate(entry), lambda: PLACES)


def with_markers():
    return perceiver(markers=[{'dictionary': '4x4_50', 'size': 0.08, 'names': {3: 'gear 1'}}])


def with_detector(**more):
    entry = {'topic': '/f', 'type': 'vision_msgs/msg/Detection2DArray', 'camera': 'above'}
    return perceiver(detections=[{**entry, 'classes': {'box': 'crate'}, **more}])


def picture(**markers):
    """The table with markers at x, y in m. :param markers: 'm3' for number 3."""
    pixels = np.full((480, 640), 150, np.uint8)
    pixels[:, ::40] = 90
    for name, (x, y) in markers.items():
        # The camera's y is the table's other way round, and a marker lies face up.
        pose = Pose('camera', x, -y, 1.0, 1.0, 0.0, 0.0, 0.0)
        draw_marker(pixels, '4x4_50', int(name[1:]), 0.08, pose, LENS)
    return message(pixels)


def look(one, at, depth=None, **markers):
    one.look('above', picture(**markers), INFO, depth, at)
    return one.told(at)


def depth_picture(metres=1.0):
    return message(np.full((480, 640), metres * 1000, np.uint16), '16UC1')


def boxes(*corners, score=0.9, kind='box'):
    result = Message(hypothesis=Message(class_id=kind, score=score))
    told = [
        Message(
            header=Message(frame_id='camera'),
            results=[result],
            id='',
            bbox=Message(center=Message(position=Message(x=x, y=y)), size_x=width, size_y=height),
        )
        for x, y, width, height in corners
    ]
    return Message(header=Message(frame_id='camera'), detections=told)


def test_a_marker_is_told_by_name_in_the_frame_of_the_table():
    told = look(with_markers(), 0.0, m3=(0.2, 0.1))
    (gear,) = told.things
    assert gear.name == 'gear 1'
    assert gear.pose.distance(Pose('table', 0.2, 0.1)) < 0.01
    assert abs(gear.pose.qw) > 0.999
    assert told.tells == ('gear 1',)


def test_a_marker_that_nobody_named_and_one_that_is_there_twice_tell_nothing():
    assert look(with_markers(), 0.0, m5=(0.0, 0.0)).things == ()
    one, pixels = with_markers(), np.full((480, 640), 150, np.uint8)
    for x in (-0.2, 0.2):
        draw_marker(pixels, '4x4_50', 3, 0.08, Pose('c', x, 0, 1.0, 1.0, 0, 0, 0), LENS)
    one.look('above', message(pixels), INFO, None, 0.0)
    assert one.told(0.0).things == ()


def test_gone_and_looked_at_take_a_second_of_looking():
    one = with_markers()
    look(one, 0.0, m3=(-0.2, 0.0))
    assert one.told(0.0).looked_at == ()
    told = look(one, 0.6)
    assert [thing.name for thing in told.things] == ['gear 1']
    look(one, 1.2)
    told = look(one, 1.8)
    assert told.things == ()
    assert told.gone == ('gear 1',)
    # The shelf is out of view: nothing is known of it.
    assert told.looked_at == ('left tray',)


def test_a_look_with_long_gaps_is_none():
    one = with_markers()
    look(one, 0.0)
    assert look(one, 60.0).looked_at == ()


@pytest.mark.parametrize('depth', [0.5, 0.0])
def test_what_is_hidden_or_not_measured_is_not_looked_at(depth):
    one = with_markers()
    look(one, 0.0, depth_picture(), m3=(-0.2, 0.0))
    for at in (0.5, 1.0, 1.5, 2.0, 2.5):
        told = look(one, at, depth_picture(depth))
    assert told.gone == ()
    assert told.looked_at == ()


def test_a_camera_that_moves_finds_nothing_gone():
    one = with_markers()
    one.entry.cameras['above'].__dict__['mount'] = None
    for step in range(10):
        shift = Pose('table', 0.02 * step, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)
        one.frames.hear('camera', shift, 0.0)
        markers = {} if step else {'m3': (0.0, 0.0)}
        told = look(one, step * 0.3, **markers)
    assert told.gone == ()
    assert told.looked_at == ()


def test_a_picture_that_cannot_be_read_leaves_all_as_it_was_until_it_is_too_old():
    one = with_markers()
    look(one, 0.0, m3=(0.0, 0.0))
    torn = picture()
    torn.data = torn.data[:1000]
    black = message(np.zeros((480, 640), np.uint8))
    for bad in (torn, black):
        with pytest.raises(PictureError):
            one.look('above', bad, INFO, None, 0.5)
    assert [thing.name for thing in one.told(0.5).things] == ['gear 1']
    # Not known, and not gone either.
    assert one.told(2.5).things == ()
    assert one.told(2.5).gone == ()


def test_without_calibration_and_without_a_mount_nothing_is_known():
    one = with_markers()
    with pytest.raises(PictureError, match='nothing has come on /c yet'):
        one.look('above', picture(), None, None, 0.0)
    raw = Message(k=[0.0] * 9, d=[], distortion_model='', width=640, height=480)
    with pytest.raises(PictureError, match='has no calibration'):
        one.look('above', picture(), raw, None, 0.0)
    odd = Message(**{**vars(INFO), 'd': [0.1, 0.2, 0.3]})
    with pytest.raises(PictureError, match='3 terms of distortion'):
        one.look('above', picture(), odd, None, 0.0)
    fisheye = Message(**{**vars(INFO), 'distortion_model': 'equidistant'})
    with pytest.raises(PictureError, match='publish rectified pictures'):
        one.look('above', picture(), fisheye, None, 0.0)
    other = Message(**{**vars(INFO), 'width': 320})
    with pytest.raises(PictureError, match='640 x 480 pixels, its CameraInfo is of 320 x 480'):
        one.look('above', picture(), other, None, 0.0)
    one.entry.cameras['above'].__dict__['mount'] = None
    with pytest.raises(PictureError, match='where the camera is, is not known: no transform'):
        one.look('above', picture(), INFO, None, 0.0)


def test_boxes_get_their_place_from_the_depth():
    one = with_detector()
    one.look('above', picture(), INFO, depth_picture(0.9), 0.0)
    one.detect(0, boxes((319.5 + 100, 239.5, 40, 40), (319.5, 239.5 + 60, 40, 40)), 0.0)
    told = one.told(0.0)
    assert [thing.name for thing in told.things] == ['crate 1', 'crate 2']
    assert told.things[0].pose.distance(Pose('table', 0.15, 0.0, 0.1)) < 0.01
    assert told.things[1].pose.distance(Pose('table', 0.0, -0.09, 0.1)) < 0.01


@pytest.mark.parametrize(
    'message_of',
    [
        lambda: boxes((320, 240, 40, 40), score=0.3),
        lambda: boxes((320, 240, 40, 40), score=float('nan')),
        lambda: boxes((320, 240, 40, 40), kind='cat'),
        lambda: boxes((float('nan'), 240, 40, 40)),
        lambda: boxes((5000, 240, 40, 40)),
    ],
)
def test_detections_that_tell_nothing_are_left_out(message_of):
    one = with_detector()
    one.look('above', picture(), INFO, depth_picture(), 0.0)
    one.detect(0, message_of(), 0.0)
    assert one.told(0.0).things == ()


def test_boxes_before_any_depth_are_told():
    with pytest.raises(PictureError, match='without its depth'):
        with_detector().detect(0, boxes((1, 1, 1, 1)), 0.0)


def test_detections_in_space_need_their_frame():
    one = with_detector(type='vision_msgs/msg/Detection3DArray', camera='')
    told = boxes((1, 1, 1, 1))
    told.header.frame_id = told.detections[0].header.frame_id = 'camera'
    pose = Message(
        position=Message(x=0.1, y=0.0, z=1.0), orientation=Message(x=0.0, y=0.0, z=0.0, w=1.0)
    )
    told.detections[0].bbox.center = pose
    with pytest.raises(PictureError, match='where detections are, is not known'):
        one.detect(0, told, 0.0)
    one.frames.hear('camera', Pose('table', 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0), 0.0)
    one.detect(0, told, 0.0)
    assert one.told(0.0).things[0].pose.distance(Pose('table', 0.1, 0.0, 0.0)) < 1e-6


def test_4k_is_read():
    of = lens(3840, 2160, 3600.0)
    pixels = np.full((2160, 3840), 150, np.uint8)
    draw_marker(pixels, '4x4_50', 3, 0.08, Pose('camera', 0.1, -0.1, 1.0, 1.0, 0, 0, 0), of)
    info = Message(**{**vars(INFO), 'k': of.matrix.reshape(-1), 'width': 3840, 'height': 2160})
    one = with_markers()
    one.look('above', message(pixels), info, None, 0.0)
    assert one.told(0.0).things[0].pose.distance(Pose('table', 0.1, 0.1)) < 0.01
