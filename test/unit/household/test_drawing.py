"""Pictures of a home, and the cameras they are from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.errors import SkillError
from sim_bridge.pictures import Cameras
from sim_bridge.pictures import Picture
from sim_bridge.pictures import read_picture
from sim_bridge.pictures import write_png
from sim_bridge.virtualhome_server import VirtualHomeServer
from sim_bridge.virtualhome_server import VirtualHomeService
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.drawing import class_colour
from sim_bridge.worlds.household.drawing import draw
from sim_bridge.worlds.household.drawing import room_of_camera
from sim_bridge.worlds.household.scenes import generate_apartment
from sim_bridge.worlds.virtualhome_unity import VirtualHomeUnityWorld


def test_cameras_are_those_of_the_rooms_and_six_of_the_robot() -> None:
    assert [room_of_camera((10, 11), 11, camera) for camera in range(8)] == [10, *[11] * 7]
    assert room_of_camera((10, 11), 10, -1) == room_of_camera((10, 11), 10, -6) == 10
    assert room_of_camera((10, 11), None, -1) == 11


@pytest.mark.parametrize(('here', 'camera'), [(11, 8), (11, -9), (None, 2)])
def test_a_camera_that_is_not_there_is_told(here: int | None, camera: int) -> None:
    with pytest.raises(ConfigurationError, match='counted from 0'):
        room_of_camera((10, 11), here, camera)


@pytest.fixture
def opencv() -> None:
    pytest.importorskip('cv2', reason='pictures need OpenCV: requirements/virtualhome.txt')


def pixels_of(picture: Picture) -> Any:
    return np.frombuffer(picture.data, np.uint8).reshape(picture.height, picture.width, 3)


@pytest.mark.usefixtures('opencv')
def test_a_room_is_drawn_without_its_ceiling_and_the_robot_is_red(
    make_home: Callable[..., Any],
) -> None:
    graph = make_home(
        (10, 'kitchen', '', 0, 0), (20, 'sofa', '', 10, 0), (21, 'ceiling', '', 10, 0)
    )
    boxes = {10: ([4.0, 2.5, 4.0], 1.25), 20: ([2.0, 1.0, 2.0], 0.5), 21: ([4.0, 0.1, 4.0], 2.45)}
    for node in graph['nodes']:
        if node['id'] in boxes:
            size, y = boxes[node['id']]
            node['bounding_box'] = {'center': [0.0, y, 0.0], 'size': size}
    by_class = pixels_of(draw(graph, 10, 'seg_class', 100, 100, None))
    assert tuple(by_class[50, 50]) == class_colour('sofa')[::-1]
    assert tuple(by_class[15, 15]) not in (class_colour('ceiling')[::-1], (0, 0, 0))
    blue, green, red = pixels_of(draw(graph, 10, 'normal', 100, 100, 20))[50, 50]
    assert red > 200 and blue < 50 and green < 50


@pytest.mark.usefixtures('opencv')
def test_a_picture_comes_through_a_file_as_it_was() -> None:
    picture = Picture(2, 1, bytes(range(6)))
    assert read_picture(write_png(picture)) == picture
    for data in (b'', b'GIF'):
        with pytest.raises(SkillError, match='neither PNG nor JPEG'):
            read_picture(data)


@pytest.mark.usefixtures('opencv')
def test_a_picture_over_the_simulators_protocol_is_that_of_the_household() -> None:
    household = HouseholdWorld()
    household.reset('generated:2', '', 0)
    assert isinstance(household, Cameras)
    service = VirtualHomeService([generate_apartment(1)])
    with VirtualHomeServer(service, 0) as server:
        simulator = VirtualHomeUnityWorld(url=server.url)
        simulator.reset('generated:2', '', 0)
        for camera in (0, -3):
            assert simulator.picture(camera, 64, 48) == household.picture(camera, 64, 48)
        with pytest.raises(SkillError, match='camera'):
            simulator.picture(99, 64, 48)
        simulator.close()
