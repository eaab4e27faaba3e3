"""Pictures of a home, and the cameras they are from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError, SkillError
from sim_bridge.pictures import Cameras, Picture, read_picture, write_png
from sim_bridge.virtualhome_server import VirtualHomeServer, VirtualHomeService
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.nodes import read_node
from sim_bridge.worlds.household.pictures.boxes import Figure
from sim_bridge.worlds.household.pictures.canvas import FAR, projection
from sim_bridge.worlds.household.pictures.drawing import (
    class_colour,
    depth_of,
    draw,
    instance_colour,
    MODES,
)
from sim_bridge.worlds.household.pictures.views import (
    axes_of,
    Camera,
    camera_at,
    character_cameras,
    Pose,
    pose_at,
    scene_cameras,
    View,
)
from sim_bridge.worlds.household.scenes import generate_apartment
from sim_bridge.worlds.virtualhome_unity import VirtualHomeUnityWorld

ROBOT = 1


@pytest.fixture
def room(make_home: Callable[..., Any]) -> dict[str, Any]:
    """A kitchen of 4 x 4 metres with a sofa in the middle, a ceiling and the robot."""
    graph: dict[str, Any] = make_home(
        (10, 'kitchen', '', 0, 0), (20, 'sofa', '', 10, 0), (21, 'ceiling', '', 10, 0)
    )
    boxes = {10: ([4.0, 2.5, 4.0], 1.25), 20: ([2.0, 1.0, 2.0], 0.5), 21: ([4.0, 0.1, 4.0], 2.45)}
    for node in graph['nodes']:
        if node['id'] in boxes:
            size, y = boxes[node['id']]
            node['bounding_box'] = {'center': [0.0, y, 0.0], 'size': size}
    graph['nodes'].append({'id': ROBOT, 'class_name': 'character', 'category': 'Characters'})
    return graph


def cameras_of(graph: dict[str, Any]) -> list[Camera]:
    nodes = {node['id']: read_node(node) for node in graph['nodes']}
    return scene_cameras(nodes, [key for key, node in nodes.items() if node.category == 'Rooms'])


def pixels_of(picture: Picture) -> Any:
    return np.frombuffer(picture.data, np.uint8).reshape(picture.height, picture.width, 3)


def test_cameras_are_above_rooms_then_in_them_then_above_the_home(room: dict[str, Any]) -> None:
    cameras = cameras_of(room)
    assert len(cameras) == 1 + 16 + 1
    assert cameras[0].room == 10 and cameras[-1].room is None
    for camera in cameras[1:-1]:
        assert camera.view is not None
        x, y, z = camera.view.position
        assert max(abs(x), abs(z)) < 2.0 and 0.0 < y < 2.5
        # They look at the middle.
        ahead = axes_of(camera.view.rotation)[2]
        assert ahead[0] * -x + ahead[2] * -z > 0.0
    with pytest.raises(ConfigurationError, match='counted from 0'):
        camera_at(cameras, 18)
    assert camera_at(cameras, -1) is cameras[-1]


def test_whoever_walks_to_a_thing_stands_beside_it_and_looks_at_it(room: dict[str, Any]) -> None:
    nodes = {node['id']: read_node(node) for node in room['nodes']}
    sofa = nodes[20]
    assert sofa.box is not None
    sofa.box = replace(sofa.box, center=(1.0, 0.5, 1.0), size=(1.0, 1.0, 1.0))
    pose = pose_at(nodes, 10, 20)
    assert pose is not None
    assert pose.x < 0.5 and pose.z < 0.5 and pose.heading == pytest.approx(45.0)
    assert pose.y == pytest.approx(0.0)


def test_a_room_is_drawn_without_its_ceiling_and_the_robot_is_red(room: dict[str, Any]) -> None:
    above = cameras_of(room)[0]
    by_class = pixels_of(draw(room, above, 'seg_class', 100, 100))
    assert tuple(by_class[50, 50]) == class_colour('sofa')[::-1]
    assert tuple(by_class[15, 15]) == class_colour('kitchen')[::-1]
    assert tuple(by_class[1, 1]) == (0, 0, 0)
    figure = Figure(ROBOT, Pose(0.0, 1.0, -1.5, 0.0))
    drawn = pixels_of(draw(room, above, 'albedo', 100, 100, [figure]))
    blue, green, red = drawn[80, 50]
    assert red > 200 and blue < 100 and green < 100


def test_who_looks_does_not_see_itself_but_others_do(room: dict[str, Any]) -> None:
    pose = Pose(0.0, 0.0, -1.6, 0.0)
    colour = np.array(instance_colour(ROBOT)[::-1])
    for camera in character_cameras(ROBOT, 10, pose):
        drawn = pixels_of(draw(room, camera, 'seg_inst', 160, 120, [Figure(ROBOT, pose)]))
        assert (drawn == colour).all(axis=2).any() == (camera.name != 'FIRST_PERSON'), camera.name


@settings(max_examples=40, deadline=None)
@given(
    heading=st.floats(-180.0, 180.0),
    down=st.floats(-30.0, 60.0),
    angle=st.floats(30.0, 100.0),
    where=st.tuples(st.floats(-0.9, 0.9), st.floats(0.1, 0.9), st.floats(-0.9, 0.9)),
)
def test_a_small_thing_is_seen_where_the_matrices_say_and_as_far_as_it_is(
    heading: float, down: float, angle: float, where: tuple[float, float, float]
) -> None:
    # A ball-sized box on a ray through the picture, in an empty home.
    right, up, ahead = (np.array(axis) for axis in axes_of((down, heading, 0.0)))
    view = View((1.0, 1.5, -2.0), (down, heading, 0.0), angle)
    half = math.tan(math.radians(angle) / 2)
    far = 2.0 + 3.0 * where[1]
    seen = where[0] * half * 4 / 3 * far, where[2] * half * far
    center = np.array(view.position) + seen[0] * right + seen[1] * up + far * ahead
    graph = {
        'nodes': [
            {
                'id': 5,
                'class_name': 'ball',
                'category': 'Props',
                'bounding_box': {'center': center.tolist(), 'size': [0.2, 0.2, 0.2]},
            }
        ],
        'edges': [],
    }
    drawn = pixels_of(draw(graph, Camera('', view), 'seg_inst', 320, 240))
    rows, columns = np.nonzero((drawn == np.array(instance_colour(5)[::-1])).all(axis=2))
    assert len(rows) > 0
    # As `world2im` of the published client computes it.
    place = np.array([seen[0], seen[1], -far, 1.0])
    clip = projection(view, 320 / 240) @ place
    x, y = (clip[0] / clip[3] + 1) * 160, (1 - clip[1] / clip[3]) * 120
    inside = (columns.min() - 1 <= x <= columns.max() + 2, rows.min() - 1 <= y <= rows.max() + 2)
    assert all(inside), (x, y)
    depth = depth_of(graph, Camera('', view), 320, 240)
    assert far - 0.2 <= depth[rows, columns].min() <= far
    nothing = depth[(drawn == 0).all(axis=2)]
    assert nothing.size == 0 or nothing.min() == FAR


def test_normals_are_those_of_the_sides_that_are_seen(room: dict[str, Any]) -> None:
    front = Camera('', View((0.0, 0.5, -1.9), (0.0, 0.0, 0.0)), 10)
    blue, green, red = pixels_of(draw(room, front, 'surf_normals', 100, 100))[50, 50]
    # The side of the sofa looks back at the camera.
    assert (red, green, blue) == (128, 128, 255)
    assert depth_of(room, front, 100, 100)[50, 50] == pytest.approx(0.9, abs=0.01)
    floor = pixels_of(draw(room, front, 'surf_normals', 100, 100))[99, 50]
    assert tuple(floor) == (128, 255, 128)


def test_a_home_without_boxes_is_drawn_in_words() -> None:
    graph = generate_apartment(3)
    for node in graph['nodes']:
        node.pop('bounding_box', None)
    for camera in cameras_of(graph):
        assert camera.view is None
    words = pixels_of(draw(graph, cameras_of(graph)[0], 'normal', 640, 480))
    assert (words < 128).mean() > 0.005
    for mode in set(MODES) - {'normal'}:
        with pytest.raises(ConfigurationError, match='no bounding boxes'):
            draw(graph, cameras_of(graph)[0], mode, 64, 48)
    with pytest.raises(ConfigurationError, match='no bounding boxes'):
        depth_of(graph, cameras_of(graph)[0], 64, 48)


def test_every_camera_of_a_generated_home_sees_something() -> None:
    graph = generate_apartment(4)
    for camera in cameras_of(graph):
        drawn = pixels_of(draw(graph, camera, 'seg_inst', 80, 60))
        assert len(np.unique(drawn.reshape(-1, 3), axis=0)) > 2, camera


@pytest.mark.parametrize(
    ('mode', 'width', 'height'),
    [('x', 64, 48), ('normal', 0, 48), ('normal', 5000, 48), ('normal', 4000, 4000)],
)
def test_modes_and_sizes_that_do_not_exist_are_refused(
    room: dict[str, Any], mode: str, width: int, height: int
) -> None:
    with pytest.raises(ConfigurationError):
        draw(room, cameras_of(room)[0], mode, width, height)


def test_a_picture_comes_through_a_file_as_it_was() -> None:
    picture = Picture(2, 1, bytes(range(6)))
    assert read_picture(write_png(picture)) == picture
    for data in (b'', b'GIF'):
        with pytest.raises(SkillError, match='neither PNG nor JPEG'):
            read_picture(data)


def test_a_picture_over_the_simulators_protocol_is_that_of_the_household() -> None:
    household = HouseholdWorld()
    household.reset('generated:2', '', 0)
    assert isinstance(household, Cameras)
    service = VirtualHomeService([generate_apartment(1)])
    with VirtualHomeServer(service, 0) as server:
        simulator = VirtualHomeUnityWorld(url=server.url)
        before = simulator.reset('generated:2', '', 0)
        walk = next(skill for skill in before.admissible_skills if skill.startswith('go to'))
        for skill in ('', walk):
            if skill:
                assert simulator.step(skill) == household.step(skill)
            for camera in (0, -1, -3):
                assert simulator.picture(camera, 64, 48) == household.picture(camera, 64, 48)
        with pytest.raises(SkillError, match='camera'):
            simulator.picture(999, 64, 48)
        simulator.close()
