"""Houses as files: they come back as they were, and mistakes are told."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.procworld.generator import generated_house
from sim_bridge.worlds.procworld.house_file import house_of, read_house, record_of, write_house
from sim_bridge.worlds.procworld.layout import Layout


def small_house():
    """A record of one room."""
    return {
        'format': 1,
        'seed': 0,
        'rooms': [{'name': 'kitchen 1', 'polygon': [[0, 0], [3, 0], [3, 2.5], [0, 2.5]]}],
        'openings': [],
        'doors': [],
        'things': [
            {'name': 'desk 1', 'class': 'desk', 'at': [1.0, 0.25], 'in': None,
             'room': 'kitchen 1', 'fixed': True, 'open': None, 'states': []},
            {'name': 'mug 1', 'class': 'mug', 'at': None, 'in': 'desk 1', 'room': 'kitchen 1',
             'fixed': False, 'open': None, 'states': ['hot', 'dirty']},
        ],
        'locations': [{'name': 'loc 1', 'at': [1.5, 1.25], 'room': 'kitchen 1'}],
        'start': 'loc 1',
    }  # fmt: skip


@settings(max_examples=5, deadline=None)
@given(strategies.integers(0, 10**9))
def test_a_house_comes_back_from_its_file(tmp_path_factory, seed):
    house = generated_house(seed)
    file = tmp_path_factory.mktemp('house') / 'house.json'
    file.write_text(write_house(house), encoding='utf-8')
    again = read_house(file)
    assert again == house
    assert write_house(again) == write_house(house)


def test_one_thing_is_one_line():
    house = house_of(small_house(), 'a house')
    lines = write_house(house).splitlines()
    assert sum('"class"' in line for line in lines) == 2
    assert house.thing['mug 1'].states == ('dirty', 'hot')
    assert record_of(house)['things'][0] == small_house()['things'][0]


def change(path, value):
    """A small house with one value changed; with None it is removed."""
    record = small_house()
    *way, last = path
    place = record
    for step in way:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return record


@pytest.mark.parametrize(
    ('path', 'value', 'said'),
    [
        (('format',), 2, '"format" must be one of 1'),
        (('start',), None, '"start" is missing'),
        (('start',), 'loc 2', 'which is no location: write one of "locations"'),
        (('rooms', 0, 'polygon', 2), [3, 2.6], "'kitchen 1' has the position [3.0, 2.6]"),
        (('rooms', 0, 'polygon', 2), [2, 2.5], 'a wall that is askew'),
        (('rooms', 0, 'polygon'), [[0, 0], [900, 0], [900, 900], [0, 900]], 'more than 2000'),
        (('rooms',), [], '"rooms" must have 1 entries or more'),
        (('things', 1, 'in'), 'shelf 1', "'mug 1' is in 'shelf 1', which is not under \"things\""),
        (('things', 1, 'in'), 'mug 1', 'or in itself: correct "in"'),
        (('things', 1, 'at'), [1, 1], "'mug 1' must have either \"at\" or \"in\""),
        (('things', 1, 'class'), 'cup', 'its name must be the class and a number'),
        (('things', 1, 'room'), 'attic 1', "names the room 'attic 1', which is not under"),
        (('things', 1, 'states'), ['burnt'], '"things.2.states.1" must be one of'),
        (('things', 1, 'name'), 'desk 1', "'desk 1' stands there 2 times: give each its own"),
        (('things', 1, 'weight'), 3, 'there is no "things.2.weight"'),
        (('things', 0, 'at'), [float('inf'), 0], '"things.1.at.1"'),
        (('locations', 0, 'at'), [5, 1.25], "'loc 1' is not in 'kitchen 1'"),
        (('things', 0, 'at'), [5, 1.25], "'desk 1' is not in 'kitchen 1'"),
        (('doors',), [{'name': 'door 1', 'at': [0, 1], 'rooms': ['kitchen 1', 'attic 1']}],
         "'door 1' names the room 'attic 1'"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(tmp_path, path, value, said):
    file = tmp_path / 'house.json'
    file.write_text(json.dumps(change(path, value)))
    with pytest.raises(ConfigurationError) as caught:
        read_house(file)
    assert str(file) in str(caught.value)
    assert said in str(caught.value)


def test_a_door_needs_a_location_on_either_side():
    house = small_house()
    pantry = {'name': 'pantry 1', 'polygon': [[3, 0], [4, 0], [4, 2.5], [3, 2.5]]}
    door = {'name': 'door 1', 'at': [3, 1], 'rooms': ['kitchen 1', 'pantry 1']}
    house = {**house, 'rooms': [*house['rooms'], pantry], 'doors': [door]}
    with pytest.raises(ConfigurationError, match="'door 1' leads to 'pantry 1', which has no loc"):
        house_of(house, 'a house')
    beside = {'name': 'hall 1', 'polygon': [[4, 0], [6, 0], [6, 2.5], [4, 2.5]]}
    there = {'name': 'loc 2', 'at': [5, 1], 'room': 'hall 1'}
    house = {**house, 'rooms': [*house['rooms'], beside], 'openings': [['pantry 1', 'hall 1']]}
    layout = Layout(house_of({**house, 'locations': [*house['locations'], there]}, 'a house'))
    ((one, beyond),) = layout.doors['loc 1']
    assert (one.name, beyond.name) == ('door 1', 'loc 2') and 'loc 2' in layout.doors


@pytest.mark.parametrize('text', ['', '[]', '3', '{"format": 1', '{}', 'null'])
def test_what_is_no_house_is_told(tmp_path, text):
    file = tmp_path / 'house.json'
    file.write_text(text)
    with pytest.raises(ConfigurationError):
        read_house(file)


json_values = strategies.recursive(
    strategies.none() | strategies.booleans() | strategies.integers() | strategies.floats()
    | strategies.text(max_size=8),
    lambda inner: strategies.lists(inner, max_size=4)
    | strategies.dictionaries(strategies.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=150)
@given(strategies.sampled_from(sorted(small_house())), json_values)
def test_any_value_is_read_or_refused(key, value):
    record = {**small_house(), key: value}
    try:
        house = house_of(record, 'a house')
    except ConfigurationError:
        return
    assert house_of(json.loads(write_house(house)), 'again') == house
