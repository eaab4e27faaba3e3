"""A robot's map in a real browser: it moves, says what is not known, and names never overlap."""

from __future__ import annotations

import pytest

from reactree_core.errors import SkillError
from reactree_tools.viewer.sources import GivenRun
from support.made_up_runs import MadeUpRun
from system.viewer.test_page import Nodes

BASE = '.map-base'


def place(name, x, y, heading=0.0):
    return {'name': name, 'at': [x, y], 'heading': heading}


class Robot(Nodes):
    """Nodes whose bridge serves a robot with a map."""

    scene = 'porter'

    def __init__(self):
        super().__init__()
        self.gone = False
        self.floor = {
            'frame': 'hall',
            'locations': [place('dock', 0, 0, 1.57), place('shelf 1', 4, 2), place('gate', 4, -2)],
            'things': [place('<b>crate 1', 4.6, 2)],
            'unplaced': [],
            'way': [],
            'here': '',
            'trouble': '',
        }

    def graph(self):
        if self.gone:
            raise SkillError('No bridge is there.')
        holds = {'name': 'holds crate 7'}
        return 'porter', {'outline': {'name': 'porter', 'parts': [holds]}, 'floor': self.floor}

    def be_at(self, x, y, way=(), **told):
        self.floor |= {'agent': [x, y], 'heading': 0.5, 'age': 0.0, 'way': [*way, [x, y]], **told}


@pytest.fixture
def robot():
    return Robot()


@pytest.fixture
def look(serve, open_page, robot):
    """Opens the page at the scene of the robot."""

    def begin(**options):
        _, url = serve(GivenRun('a' * 32, MadeUpRun(5)), system_status=robot)
        page = open_page(url, **options)
        page.click('[role=tab][data-panel=scene]')
        page.wait_for_selector('svg.map')
        return page

    return begin


def base(page):
    """Where the base is drawn, in pixels of the page."""
    box = page.locator(f'{BASE} circle').bounding_box()
    return box['x'] + box['width'] / 2, box['y'] + box['height'] / 2


def sign(page, name):
    """Where a place is drawn."""
    box = page.locator('.map-place', has_text=name).locator('circle').bounding_box()
    return box['x'] + box['width'] / 2, box['y'] + box['height'] / 2


def wait_for_words(page, words):
    page.wait_for_function(
        'words => document.querySelector("#panel-scene").innerText.includes(words)', arg=words
    )


def test_a_robot_moves_on_its_map_and_leaves_its_way(look, robot):
    robot.be_at(0, 0, here='dock')
    page = look()
    wait_for_words(page, 'at dock · x 0.00 m, y 0.00 m · heading 29°')
    assert base(page) == pytest.approx(sign(page, 'dock'), abs=1)
    robot.be_at(4, 2, [[0, 0]], here='shelf 1')
    wait_for_words(page, 'at shelf 1 · x 4.00 m, y 2.00 m')
    assert base(page) == pytest.approx(sign(page, 'shelf 1'), abs=1)
    (dock_x, dock_y), (shelf_x, shelf_y) = sign(page, 'dock'), sign(page, 'shelf 1')
    # y grows upwards, and both ways have one scale.
    assert shelf_x > dock_x and shelf_y < dock_y
    assert (shelf_x - dock_x) / (dock_y - shelf_y) == pytest.approx(2, abs=0.1)
    assert len(page.get_attribute('.map-way', 'points').split()) == 3
    assert page.inner_text('.outline').split('\n') == ['porter', 'holds crate 7']
    page.click('#panel-scene summary')
    assert page.inner_text('#panel-scene summary') == '3 places, in the frame hall'
    assert page.inner_text('.map-places .here').split() == ['shelf', '1', '4.00', '2.00', '0°']
    assert '<b>crate 1' in page.locator('.map-name').all_text_contents()


def test_what_is_not_known_of_the_base_is_said(look, robot):
    robot.floor |= {
        'trouble': '/amcl_pose has sent nothing yet',
        'unplaced': [{'name': 'ramp', 'why': 'Nothing tells where it is.'}],
    }
    page = look(refused='503')
    wait_for_words(page, 'Where the robot is, is not known yet: /amcl_pose has sent nothing yet.')
    wait_for_words(page, 'Not on the map: ramp. Nothing tells where it is.')
    assert not page.locator(BASE).is_visible()
    robot.be_at(1, 1, trouble='')
    wait_for_words(page, 'at no named place · x 1.00 m')
    assert page.locator(BASE).is_visible() and page.locator(f'{BASE}.old').count() == 0
    assert 'not known' not in page.inner_text('#panel-scene')
    robot.floor['age'] = 75
    wait_for_words(page, 'told 75 s ago')
    assert page.locator(f'{BASE}.old').count() == 1
    robot.floor['trouble'] = 'the transform of "base_link" is too old'
    wait_for_words(page, 'where the robot was 75 s ago: the transform of "base_link" is too old.')
    robot.be_at(2, 1, trouble='')
    page.wait_for_selector(f'{BASE}:not(.old)')
    robot.gone = True
    wait_for_words(page, 's ago: No bridge is there.')
    assert page.locator(f'{BASE}.old').count() == 1


def test_a_robot_without_a_source_of_its_pose_has_a_map_of_its_places(look, robot):
    robot.floor['here'] = 'dock'
    page = look()
    wait_for_words(page, 'at dock')
    assert 'not known' not in page.inner_text('#panel-scene')
    assert not page.locator(BASE).is_visible() and page.locator('.map-place.here').count() == 1


BOXES = """all => all.map((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return [left, top, right, bottom];
})"""


def boxes(page, selector):
    return page.eval_on_selector_all(selector, BOXES)


def overlap(one, other):
    return all(
        one[axis] < other[axis + 2] - 1 and other[axis] < one[axis + 2] - 1 for axis in (0, 1)
    )


@pytest.mark.parametrize(('width', 'height'), [(1280, 800), (390, 844)])
def test_names_never_overlap_however_near_and_far_places_are(look, robot, width, height):
    docks = [place(f'dock {number}', 0.8 * number, 0.0) for number in range(12)]
    aisles = [place(f'aisle of long goods {number}', 300 + number, 90) for number in range(8)]
    robot.floor['locations'] = [*docks, *aisles, place('gate', 90, -40)]
    robot.floor['things'] = []
    robot.be_at(0.8, 0.0, here='dock 1')
    page = look(width=width, height=height, wait='#tabs')
    wait_for_words(page, 'names would not fit: point at a sign, or see the list.')
    (frame,) = boxes(page, 'svg.map')
    assert frame[0] >= 0 and frame[2] <= width

    def check():
        names = boxes(page, '.map-name')
        assert len(names) > 3
        for index, name in enumerate(names):
            assert frame[0] <= name[0] and name[2] <= frame[2], name
            assert not any(overlap(name, other) for other in names[:index]), names
        return page.locator('.map-name').all_text_contents()

    assert 'gate' in check()
    page.click('text=Around the robot')
    page.wait_for_function('() => !document.querySelector("svg.map").textContent.includes("gate")')
    (frame,) = boxes(page, 'svg.map')
    close = check()
    assert {'dock 0', 'dock 1', 'dock 5'} <= set(close) and 'gate' not in close
