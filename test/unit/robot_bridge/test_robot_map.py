"""What is told of a robot to be drawn: its places, its base, and the way that it went."""

from __future__ import annotations

import itertools
import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reactree_core.errors import SkillError
from reactree_tools.viewer.floor_plan import floor_plan
from robot_bridge.belief import Belief
from robot_bridge.poses import FrameTree, Pose
from robot_bridge.robot_map import Base, map_frame, MOST_CORNERS, robot_floor, STEP, TOLERANCE, Way
from robot_bridge.sources import Reading, Seen

moves = st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), max_size=60)


def way_of(points):
    return followed(points).points


def followed(points):
    way = Way()
    for point in points:
        way.follow(*point)
    return way


def aside(point, begin, end):
    """From a straight way: from its end or beginning, or from the foot on it."""
    point, begin, end = (complex(*one) for one in (point, begin, end))
    along = end - begin
    if not (abs(along) ** 2):
        return abs(point - begin)
    part = ((point - begin) * along.conjugate()).real / abs(along) ** 2
    return abs(point - begin - min(1.0, max(0.0, part)) * along)


# Back almost to the beginning: the square of that distance is 0.
@example([(0.0, 0.0), (1.0, 0.0), (1e-200, 0.0)])
@given(moves)
def test_a_way_goes_near_all_points_from_the_first_to_the_last(points):
    way = way_of(points)
    if not points:
        assert way == []
        return
    assert way[0] == points[0] and math.dist(way[-1], points[-1]) < STEP
    assert set(way) <= set(points)
    gone = sum(math.dist(*leg) for leg in itertools.pairwise(points))
    shortest = sum(math.dist(*leg) for leg in itertools.pairwise(way))
    assert shortest - 1e-9 <= followed(points).length <= gone + STEP * len(points)
    legs = list(itertools.pairwise(way)) or [(way[0], way[0])]
    for point in points:
        away = min(aside(point, *leg) for leg in legs)
        assert away <= STEP + TOLERANCE + 0.02


def test_straight_drives_cost_two_points_and_the_oldest_are_forgotten():
    assert way_of([(0.1 * number, 0.0) for number in range(150)]) == [(0, 0), (14.9, 0)]
    assert len(way_of([(0.0, 0.01 * (number % 3)) for number in range(50)])) == 1
    corners = [(float(number), float(number % 2)) for number in range(3 * MOST_CORNERS)]
    assert way_of(corners) == corners[-MOST_CORNERS - 1 :]


@pytest.fixture
def told(load):
    """What is drawn of the made-up robot, which stands at its dock."""
    robot = load()
    frames = FrameTree()

    def pose_of(name, frame=''):
        place = robot.file.places.get(name)
        if place is None:
            pose = belief.pose_of_thing(name)
        elif place.tf:
            pose = frames.pose_in(Pose(place.tf), place.frame)
        else:
            pose = Pose.flat(place.frame, place.x, place.y, place.yaw)
        return frames.pose_in(pose, frame) if frame else pose

    belief = Belief(robot, pose_of)
    seen = (Seen('crate 1', pose=Pose('map', 4.2, 0.1), near=1.0), Seen('crate 2'))
    belief.learn(Reading(pose=Pose('map', 0.1, 0.0), seen=seen))

    def make(base, *points):
        way = Way()
        for point in points:
            way.follow(*point)
        return robot_floor(robot.file, belief, pose_of, base, way)

    make.frames = frames
    return make


def test_places_things_and_the_base_are_on_the_map(told):
    told.frames.hear('charger', Pose.flat('map', -1.0, 2.0, math.pi), math.inf)
    floor = told(Base(Pose.flat('map', 0.1, 0.0, 0.5), 0.04), (3.0, 0.0), (0.1, 0.0))
    assert floor == {
        'frame': 'map',
        'locations': [
            {'name': 'dock', 'at': [0, 0], 'heading': 0},
            {'name': 'shelf 1', 'at': [4, 0], 'heading': 1.571},
            {'name': 'charger', 'at': [-1, 2], 'heading': 3.142},
        ],
        'unplaced': [],
        'things': [{'name': 'crate 1', 'at': [4.2, 0.1], 'heading': 0}],
        'here': 'dock',
        'trouble': '',
        'way': [[3, 0], [0.1, 0]],
        'agent': [0.1, 0],
        'heading': 0.5,
        'age': 0.0,
    }
    plan = floor_plan('porter', json.loads(json.dumps({'floor': floor})))
    assert [(box.name, box.x, box.y) for box in plan.locations][2] == ('charger', -1, -2)
    assert (plan.robot, plan.map.heading, plan.map.way) == ((0.1, 0), 0.5, ((3, 0), (0.1, 0)))
    assert (plan.map.frame, plan.map.here) == ('map', 'dock')


def test_what_is_not_known_is_said(told):
    floor = told(Base(trouble='/pose has sent nothing yet'))
    assert 'agent' not in floor and floor['way'] == []
    (charger,) = floor['unplaced']
    assert charger['name'] == 'charger' and 'on /tf names "charger"' in charger['why']
    plan = floor_plan('porter', {'floor': floor})
    assert plan.robot is None and plan.map.heading is None
    assert plan.map.trouble == '/pose has sent nothing yet'
    assert plan.map.unplaced == (('charger', charger['why']),)


def test_a_place_whose_pose_is_no_number_is_not_on_the_map(told):
    told.frames.hear('charger', Pose('map', math.nan, 0.0), math.inf)
    (charger,) = told(Base())['unplaced']
    assert charger == {'name': 'charger', 'why': 'Its pose is no finite number.'}


def test_the_map_has_the_frame_of_most_places(load, written):
    assert map_frame(load().file) == 'map'
    mixed = written.replace('dock: {frame: map', 'dock: {frame: odom')
    assert map_frame(load(mixed).file) == 'map'


BY_NAMES = """\
robot: clerk
places: {desk: {}, door: {}}
skills:
  - skill: wait <number> s
    do: {publish: std_msgs/msg/Float64, name: /wait, send: {data: <number>}}
"""


def test_without_poses_of_places_there_is_no_map(load):
    robot = load(BY_NAMES)

    def pose_of(name, frame):
        raise SkillError('nothing has a pose')

    belief = Belief(robot, pose_of)
    assert robot_floor(robot.file, belief, pose_of, Base(), Way()) is None
