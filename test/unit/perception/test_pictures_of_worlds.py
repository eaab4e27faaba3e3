"""Pictures of the simulated homes, with their depth, as those of a robot's camera.

A detector that makes no mistakes, by the colours of instances, finds boxes; where things are must
then follow from the picture, its depth and the lens alone.
"""

from __future__ import annotations

import math
from types import SimpleNamespace as Message

import numpy as np
import pytest

from perception.perceiver import Perceiver
from robot_bridge.perception_file import PerceptionEntry
from robot_bridge.poses import Pose
from sim_bridge.worlds.household.nodes import read_node
from sim_bridge.worlds.household.pictures.drawing import depth_of, draw, instance_colour
from sim_bridge.worlds.household.pictures.views import axes_of, Camera, scene_cameras, View
from sim_bridge.worlds.household.scenes import generate_apartment
from sim_bridge.worlds.thor.stand_in.evidence import Sources
from sim_bridge.worlds.thor.stand_in.frames import Frames, graph_of
from sim_bridge.worlds.thor.stand_in.simulation import Simulation
from sim_bridge.worlds.thor.stand_in.sources import SceneSource
from support.drawn_pictures import message

WIDTH, HEIGHT = 320, 240
#: How near the middle of a thing's surface is to its box, m.
NEAR = 0.08


def home_of(view: View) -> Pose:
    """The camera's optical frame. Homes have y up and are left-handed: y and z change places."""
    right, up, ahead = (np.array([axis[0], axis[2], axis[1]]) for axis in axes_of(view.rotation))
    turn = np.array([right, -up, ahead]).T
    assert np.linalg.det(turn) == pytest.approx(1.0)
    w = math.sqrt(max(0.0, 1 + np.trace(turn))) / 2
    if w > 1e-3:
        x, y, z = (turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1])
        x, y, z = (part / (4 * w) for part in (x, y, z))
    else:
        values, vectors = np.linalg.eigh(turn + turn.T)
        x, y, z = vectors[:, int(np.argmax(values))]
        w = 0.0
    east, high, north = view.position
    return Pose('home', east, north, high, x, y, z, w)


def info_of(view: View) -> Message:
    focal = HEIGHT / 2 / math.tan(math.radians(view.field_of_view) / 2)
    middle = WIDTH / 2 - 0.5, HEIGHT / 2 - 0.5
    return Message(
        k=[focal, 0, middle[0], 0, focal, middle[1], 0, 0, 1],
        d=[],
        distortion_model='plumb_bob',
        width=WIDTH,
        height=HEIGHT,
    )


def found_boxes(ids: np.ndarray, nodes: dict) -> Message:
    """What the detector tells: things that are wholly in the picture, and not hidden in parts."""
    found = []
    mixed = ids.astype(np.int64) @ (1, 1 << 8, 1 << 16)
    shown = set(np.unique(mixed).tolist())
    for number in nodes:
        red, green, blue = instance_colour(number)
        colour = red << 16 | green << 8 | blue
        if colour not in shown:
            continue
        rows, columns = np.nonzero(mixed == colour)
        if len(rows) < 100 or not 0 < rows.min() <= rows.max() < HEIGHT - 1:
            continue
        width, height = np.ptp(columns) + 1, np.ptp(rows) + 1
        if columns.min() == 0 or columns.max() == WIDTH - 1 or len(rows) < 0.75 * width * height:
            continue
        middle = Message(
            position=Message(
                x=float(columns.min() + width / 2 - 0.5), y=float(rows.min() + height / 2 - 0.5)
            )
        )
        found.append(
            Message(
                header=Message(frame_id=''),
                results=[Message(hypothesis=Message(class_id=str(number), score=1.0))],
                bbox=Message(center=middle, size_x=float(width), size_y=float(height)),
            )
        )
    return Message(header=Message(frame_id='camera'), detections=found)


def perceive(picture, ids, depths, view, nodes):
    """Names of what is seen, and where; each thing is its own class."""
    told = {
        'frame': 'home',
        'cameras': {'eye': {'image': '/i', 'info': '/c', 'depth': '/d'}},
        'detections': [
            {
                'topic': '/boxes',
                'type': 'vision_msgs/msg/Detection2DArray',
                'camera': 'eye',
                'classes': {str(number): f'thing {number}' for number in nodes},
            }
        ],
        # No marker is in these pictures, of whatever family.
        'markers': [
            {'dictionary': name, 'size': 0.1, 'names': {n: f'{name} {n}' for n in range(1000)}}
            for name in ('4x4_50', '5x5_100', '6x6_250', 'apriltag_36h11')
        ],
    }
    one = Perceiver(PerceptionEntry.model_validate(told))
    one.frames.hear('camera', home_of(view), 0.0)
    depth = message(depths.astype(np.float32), '32FC1')
    one.look('eye', message(picture), info_of(view), depth, 0.0)
    assert one.told(0.0).things == ()
    one.detect(0, found_boxes(ids, nodes), 0.0)
    return {int(track.name.split()[1]): track.pose for track in one.told(0.0).things}


def away(pose: Pose, box) -> float:
    """How far a point is from a box, m."""
    point = np.array([pose.x, pose.z, pose.y])
    outside = np.abs(point - np.array(box.center)) - np.array(box.size) / 2
    return float(np.linalg.norm(np.maximum(outside, 0.0)))


def pixels_of(picture) -> np.ndarray:
    return np.frombuffer(picture.data, np.uint8).reshape(HEIGHT, WIDTH, 3)


def test_things_of_a_household_are_where_the_home_has_them():
    graph = generate_apartment(3)
    nodes = {node['id']: read_node(node) for node in graph['nodes']}
    rooms = [key for key, node in nodes.items() if node.category == 'Rooms']
    things = {
        key: node
        for key, node in nodes.items()
        if node.box is not None and node.category not in ('Rooms', 'Walls', 'Floors')
    }
    seen = 0
    cameras = [one for one in scene_cameras(nodes, rooms) if not one.view.extent]
    for camera in cameras[::7][:6]:
        looks = [draw(graph, camera, mode, WIDTH, HEIGHT) for mode in ('normal', 'seg_inst')]
        depths = depth_of(graph, camera, WIDTH, HEIGHT)
        found = perceive(*map(pixels_of, looks), depths, camera.view, things)
        for number, pose in found.items():
            assert away(pose, things[number].box) < NEAR, (camera.name, things[number])
        seen += len(found)
    assert seen >= 10


def test_things_of_ai2_thor_are_where_the_simulator_has_them():
    made = Simulation(SceneSource(Sources()), Frames(True), WIDTH, HEIGHT, {})
    reset = made.answer({'action': 'Reset', 'sequenceId': 0, 'sceneName': 'FloorPlan1_physics'})
    assert reset.metadata['agents'][0]['lastActionSuccess']
    state = made.state
    graph = graph_of(state)
    nodes = {node['id']: read_node(node) for node in graph['nodes']}
    things = {key: node for key, node in nodes.items() if node.category != 'Rooms'}
    seen = 0
    for turn in (0, 90, 180, 270):
        rotation = (state.agent.horizon, float(turn), 0.0)
        view = View(state.camera(), rotation, state.settings.field_of_view)
        camera = Camera('agent', view)
        looks = [draw(graph, camera, mode, WIDTH, HEIGHT) for mode in ('normal', 'seg_inst')]
        depths = depth_of(graph, camera, WIDTH, HEIGHT)
        for number, pose in perceive(*map(pixels_of, looks), depths, view, things).items():
            assert away(pose, things[number].box) < NEAR, things[number]
            seen += 1
    assert seen >= 3
