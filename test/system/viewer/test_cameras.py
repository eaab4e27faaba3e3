"""A robot's cameras in a real browser: the picture, what is seen in it, and what is old."""

from __future__ import annotations

import time

import cv2
import httpx
import numpy as np
import pytest

from perception.drawing import drawn_over
from perception.pictures import jpeg_of
from perception.tracking import Track
from perception.vision_language import Answer
from reactree_tools.viewer.cameras import (
    Cameras,
    SeenThing,
)
from reactree_tools.viewer.sources import GivenRun
from robot_bridge.poses import Pose
from support.made_up_runs import MadeUpRun
from system.viewer.test_map import Robot


def picture():
    """Something with a thing in it, drawn over as perception does."""
    pixels = np.full((480, 640, 3), 120, np.uint8)
    cv2.rectangle(pixels, (200, 150), (320, 270), (60, 60, 200), cv2.FILLED)
    outline = (200.0, 150.0, 320.0, 150.0, 320.0, 270.0, 200.0, 270.0)
    track = Track('gear 1', Pose('table'), 0.0, 'marker above', 'above', outline)
    said = Answer('Schublade 1 ä', '', 'open', 0.0)
    return jpeg_of(drawn_over(pixels, [track], [said], 960), 960).data


@pytest.fixture
def cameras():
    found = Cameras()
    found.show('above', picture())
    now = time.time()
    things = (
        SeenThing('gear 1', 'marker', 'above', (0.1, -0.2, 0.0), '', '', now),
        SeenThing('<b>drawer 1', 'model', '', None, '', 'open', now - 12),
    )
    found.tell(things, 'table', ('gear 2',))
    return found


@pytest.fixture
def page(serve, open_page, cameras):
    robot = Robot()
    robot.be_at(0.2, 0.0)
    _, url = serve(GivenRun('a' * 32, MadeUpRun(5)), system_status=robot, cameras=cameras)
    found = open_page(url)
    found.click('[role=tab][data-panel=scene]')
    found.wait_for_selector('.camera')
    return found


def words_of(page):
    return page.locator('section[aria-label=Cameras]').inner_text()


def test_the_picture_and_what_is_seen_are_shown(page):
    page.wait_for_function('() => document.querySelector(".camera").naturalWidth === 640')
    words = words_of(page)
    assert '0.10, -0.20, 0.00 m' in words and 'a marker (above)' in words
    assert '<b>drawer 1' in words and 'a model says so' in words
    assert 'Positions are in table. No longer where it was seen: gear 2.' in words
    assert page.locator('.seen .by-model').count() == 1
    # Beside the map, not in its place.
    page.wait_for_selector('svg.map')


def test_a_new_picture_and_new_things_come_by_themselves(page, cameras):
    first = page.get_attribute('.camera', 'src')
    cameras.show('above', picture())
    cameras.tell((SeenThing('cup 7', 'detector', 'above', (0, 0, 1), '', '', 0.0),), 'table', ())
    page.wait_for_function('src => document.querySelector(".camera").src !== src', arg=first)
    page.wait_for_function(
        '() => document.querySelector("#panel-scene").innerText.includes("cup 7")'
    )
    assert 'drawer' not in words_of(page)


def test_what_is_old_is_said_to_be(page, cameras):
    cameras._told_at -= 30.0
    number, file, at = cameras._pictures['above']
    cameras._pictures['above'] = number, file, at - 30.0
    page.wait_for_selector('.camera.old')
    words = words_of(page)
    assert 'Nothing has been told of what is seen for 3' in words
    assert 'above, 3' in words


def test_a_camera_is_no_way_to_other_files(serve, cameras):
    _, url = serve(GivenRun('a' * 32, MadeUpRun(5)), system_status=Robot(), cameras=cameras)
    with httpx.Client(base_url=url) as client:
        found = client.get('api/camera?name=above')
        assert found.headers['content-type'] == 'image/jpeg'
        for name in ('', '../above', 'below'):
            assert client.get('api/camera', params={'name': name}).status_code == 404
        cameras.show('above', b'<svg onload=alert(1)>')
        assert client.get('api/camera?name=above').content == found.content
