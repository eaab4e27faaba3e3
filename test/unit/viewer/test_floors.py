"""Floors that a world tells: read within bounds, and drawn."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from reactree_tools.viewer.floor_plan import floor_plan
from reactree_tools.viewer.pictures.house import HousePicture
from reactree_tools.viewer.terminal.floor_view import floor_lines
from sim_bridge.worlds.procworld.floor import known_floor, whole_floor
from sim_bridge.worlds.procworld.generator import generated_house
from sim_bridge.worlds.procworld.house_file import read_house
from sim_bridge.worlds.procworld.layout import Layout
from sim_bridge.worlds.procworld.state import beginning
from sim_bridge.worlds.registry import make_world

FLOOR = {
    'rooms': [
        {'name': 'shed 1', 'polygon': [[0, 0], [4, 0], [4, 2], [2, 2], [2, 3], [0, 3]]},
        {'name': 'yard 1', 'polygon': [[4, 0], [6, 0], [6, 2], [4, 2]]},
    ],
    'openings': [],
    'doors': [{'name': 'door 1', 'at': [4, 1]}],
    'locations': [{'name': 'loc 1', 'at': [1, 1]}, {'name': 'loc 2', 'at': [5, 1]}],
    'things': [{'name': '<b>crate 1', 'at': [0.5, 0.5]}, {'name': 'nail 1', 'at': None}],
    'agent': [1, 1],
    'reach': 1.5,
}


def test_a_floor_becomes_a_plan():
    plan = floor_plan('a site', {'nodes': [], 'edges': [], 'floor': FLOOR})
    assert [(box.name, box.x, box.y, box.width, box.height) for box in plan.rooms] == [
        ('shed 1', 2.0, -1.5, 4, 3),
        ('yard 1', 5.0, -1.0, 2, 2),
    ]
    assert plan.rooms[0].corners[2] == (4, -2)
    assert (plan.robot, plan.reach, plan.explored) == ((1, -1), 1.5, True)
    assert [box.name for box in plan.fixtures] == ['<b>crate 1']
    assert [(box.name, box.x, box.y) for box in plan.locations] == [
        ('loc 1', 1, -1),
        ('loc 2', 5, -1),
    ]


@pytest.mark.parametrize('side', [float('nan'), float('inf'), 10**400, '3', None])
def test_a_box_without_finite_sides_is_none(side):
    world = make_world('household')
    world.reset('generated:1', '', 1)
    graph = world.graph()
    whole = floor_plan('a site', graph)
    boxes = [node['bounding_box'] for node in graph['nodes'] if node['category'] == 'Rooms']
    boxes[0]['center'] = [side, 0, 1]
    plan = floor_plan('a site', graph)
    assert len(plan.rooms) == len(whole.rooms) - 1 == len(boxes) - 1
    json.dumps(plan.record(), allow_nan=False)


def test_a_plan_is_a_picture_and_letters():
    plan = floor_plan('a <site>', {'floor': FLOOR})
    picture = ElementTree.fromstring(HousePicture(plan).svg())
    said = [element.text for element in picture.iter() if element.text and element.text.strip()]
    assert {'a <site>', 'shed 1', 'yard 1', '<b>crate 1', '2'} <= set(said)
    text = floor_lines(plan, plain=True).plain
    assert text.isascii()
    lines = text.splitlines()
    assert lines[0].rstrip() == '+---------------+'
    assert '@' in text and '#' in text and ' 2 ' in text


def lines_of(plan):
    return floor_lines(plan, plain=True).plain.splitlines()


def test_where_rooms_are_open_to_each_other_no_wall_is_drawn():
    walled = floor_plan('a site', {'floor': FLOOR})
    opened = floor_plan('a site', {'floor': {**FLOOR, 'openings': [['yard 1', 'shed 1']]}})
    assert walled.openings == () and opened.openings == (((4, -2), (4, 0)),)
    assert 'class="gap"' in HousePicture(opened).svg()
    assert 'class="gap"' not in HousePicture(walled).svg()
    # Four lines a metre, eight columns: the wall between is gone but for where others meet it.
    assert [line[32:33] for line in lines_of(walled)[5:8]] == ['|', '|', '|']
    assert [line[32:33] for line in lines_of(opened)[5:8]] == [' ', ' ', ' ']
    assert lines_of(opened)[4][30:35] == '-----' == lines_of(opened)[12][30:35]
    assert opened.record()['openings'] == (((4, -2), (4, 0)),)


def test_only_openings_between_known_rooms_are_told():
    layout = Layout(generated_house(22), 1.5)
    opening = ['kitchen 1', 'livingroom 1']
    # In the kitchen, in the living room, and where one sees from one into the other.
    for start, told in (('loc 3', []), ('loc 10', []), ('loc 1', [opening])):
        assert known_floor(beginning(layout, start))['openings'] == told
    assert whole_floor(layout.house)['openings'] == [opening]


def place_of(plan, name):
    picture = ElementTree.fromstring(HousePicture(plan).svg())
    (found,) = (element for element in picture.iter() if element.text == name)
    return float(found.get('x')), float(found.get('y'))


def test_the_name_of_a_room_is_not_written_over_what_stands_there():
    free = floor_plan('a site', {'floor': FLOOR})
    covered = {**FLOOR, 'things': [{'name': 'bin 1', 'at': [5, 0.25]}]}
    (x, y), (x_then, y_then) = (
        place_of(plan, 'yard 1') for plan in (free, floor_plan('a site', {'floor': covered}))
    )
    assert abs(x - x_then) > 30 or abs(y - y_then) > 20


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats()
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(['name', 'at', 'polygon', 'other']), inner, max_size=3
    ),
    max_leaves=10,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(sorted(FLOOR)), values))
def test_any_floor_is_read(changes):
    plan = floor_plan('a site', {'floor': {**FLOOR, **changes}})
    if plan is not None:
        ElementTree.fromstring(HousePicture(plan).svg())
        floor_lines(plan, plain=True)


MAP = {
    'frame': 'map',
    'locations': [{'name': 'dock', 'at': [1, 2], 'heading': 0.5}],
    'things': [],
    'unplaced': [{'name': 'ramp', 'why': 'nothing tells'}],
    'way': [[0, 0], [1, 2]],
    'agent': [1, 2],
    'heading': 0.5,
    'age': 0.1,
    'here': 'dock',
    'trouble': '',
}


@given(st.dictionaries(st.sampled_from(sorted(MAP)), values))
def test_any_map_is_read_and_can_be_told_to_a_page(changes):
    plan = floor_plan('a robot', {'floor': {**MAP, **changes}})
    if plan is not None:
        json.dumps(plan.record(), allow_nan=False)


def test_a_map_is_bounded():
    long = {'name': 'x' * 1000, 'why': 'y' * 1000, 'at': [4e6, 4e5]}
    told = {**MAP, 'way': [[0, 0]] * 5000 + [[1, 1], [1e9, 0]], 'unplaced': [long] * 500}
    plan = floor_plan('a robot', {'floor': {**told, 'locations': [long] * 5000}})
    assert len(plan.map.way) < 1001 and plan.map.way[-1] == (1, -1)
    assert len(plan.map.unplaced) == 200 and len(plan.locations) == 1500
    assert max(map(len, plan.map.unplaced[0])) < 350
    assert (plan.locations[0].x, plan.locations[0].y) == (4e6, -4e5)


def test_what_is_no_house_is_told_as_it_was_written(capsys):
    assert main(['scene', 'procworld:abc']) != ExitCode.OK
    told = capsys.readouterr().err
    assert "there is no house 'procworld:abc'" in told and 'generated:abc' not in told


def test_a_house_is_printed_drawn_and_saved(capsys, tmp_path):
    assert main(['scene', 'procworld:3', '--plain']) == ExitCode.OK
    text = capsys.readouterr().out
    assert text.isascii() and '3 rooms' in text.splitlines()[0]
    assert 'fridge 1 (closed)' in text and '@' in text
    assert main(['scene', 'procworld:3', '--json']) == ExitCode.OK
    file = tmp_path / 'house.json'
    file.write_text(capsys.readouterr().out, encoding='utf-8')
    assert read_house(file).seed == 3
    picture = tmp_path / 'house.svg'
    assert main(['scene', str(file), '--world', 'procworld', '--output', str(picture)]) == 0
    assert 'kitchen 1' in picture.read_text()


def test_a_picture_ends_in_svg_or_png(capsys, tmp_path):
    assert main(['scene', 'procworld:3', '--output', str(tmp_path / 'a.jpg')]) != ExitCode.OK
    assert 'ends neither in .svg nor in .png' in capsys.readouterr().err


@pytest.mark.parametrize('reach', [1.5, 3.0, 'inf'])
def test_only_what_is_known_is_on_the_floor(reach):
    world = make_world('procworld', reach=reach)
    told = world.reset('generated:6', '', 0)
    whole = world.floor()
    before = world.graph()['floor']
    if reach == 'inf':
        assert len(before['rooms']) == len(whole['rooms'])
        assert before['locations'] == [] and before['reach'] is None
        return
    assert [room['name'] for room in before['rooms']] == [told.room]
    assert before['agent'] == whole['agent'] and before['reach'] == reach
    assert 0 < len(before['locations']) < len(whole['locations'])
    for skill in [one for one in world.admissible_skills() if one.startswith('go to loc')][:1]:
        world.step(skill)
    after = world.graph()['floor']
    assert len(after['locations']) >= len(before['locations'])
    assert after['agent'] != before['agent']
