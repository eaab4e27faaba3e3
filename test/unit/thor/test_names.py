"""Names of things: numbers within a class, in the reverse order of the program's names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.classes import (
    class_of,
    FIXED_RECEPTACLES,
    PICKABLE,
    RECALLED,
    room_of,
    words_of,
)
from sim_bridge.worlds.thor.names import Names
from support.small_kitchen import thing


def named(style, *names):
    things = [thing(name, x=index) for index, name in enumerate(names)]
    known = Names(style)
    known.see(things)
    return known, things


def test_numbers_follow_the_reverse_order_of_the_programs_names():
    known, things = named('published', 'Mug_a', 'Mug_c', 'CounterTop_dc543948', 'Mug_b(Clone)')
    assert [known.of(one['objectId']) for one in things] == [
        'Mug (3)', 'Mug (1)', 'CounterTop (1)', 'Mug (2)',
    ]  # fmt: skip
    assert known.id_of('Mug (2)') == things[3]['objectId']
    assert known.id_of('Mug (4)') == known.id_of('') == ''


def test_lists_are_grouped_by_class_in_the_reverse_order_of_names():
    known, things = named(
        'published', 'Mug_a', 'SoapBottle_x', 'SoapBottle_y', 'Tomato_1', 'Tomato_0', 'Mug_b'
    )
    ids = [things[index]['objectId'] for index in (0, 1, 4, 5)]
    assert known.listed(ids) == 'Tomato (2), SoapBottle (2), Mug (1, 2)'
    # What failed tries have seen already stands there once more.
    assert known.listed([ids[0], ids[0]]) == 'Mug (2, 2)'
    known, things = named('published', 'ToiletPaperHanger_1', 'Toilet_1')
    assert known.listed(one['objectId'] for one in things) == 'Toilet (1), ToiletPaperHanger (1)'


def test_published_numbers_change_when_something_was_sliced_and_stable_ones_stay():
    whole = [thing('Apple_a', 1), thing('Apple_b', 2), thing('Apple_c', 3)]
    pieces = [
        thing(f'Apple_a_Slice_{number}', 1, objectId=f'Apple|1|AppleSliced_{number}')
        for number in (1, 2)
    ]
    published, stable, plain = Names('published'), Names('stable'), Names('plain')
    for names in (published, stable, plain):
        names.see(whole)
        assert names.listed(one['objectId'] for one in whole) in (
            'Apple (1, 2, 3)', 'apple 1, apple 2, apple 3',
        )  # fmt: skip
        names.see([*whole[1:], *pieces])
    assert published.listed(one['objectId'] for one in pieces) == 'Apple (3, 4)'
    assert published.of(whole[2]['objectId']) == 'Apple (1)'
    assert stable.listed(one['objectId'] for one in pieces) == 'Apple (4, 5)'
    assert stable.of(whole[0]['objectId']) == '' and stable.id_of('Apple (3)') == ''
    assert plain.listed(one['objectId'] for one in pieces) == 'apple 4, apple 5'


def test_names_are_understood_in_any_spelling():
    known, things = named('stable', 'CounterTop_1', 'CD_1')
    for text in ('CounterTop (1)', 'counter top 1', 'the CounterTop (1)', 'countertop 1'):
        assert known.id_of(text) == things[0]['objectId']
    assert known.id_of('cd 1') == things[1]['objectId']
    assert named('plain', 'CounterTop_1', 'CD_1')[0].listed([things[0]['objectId']]) == (
        'counter top 1'
    )


def test_two_things_of_one_name_have_two_numbers():
    known, things = named('published', 'Mug_a', 'Mug_a')
    assert {known.of(one['objectId']) for one in things} == {'Mug (1)', 'Mug (2)'}


def test_there_are_three_styles():
    with pytest.raises(ConfigurationError, match='published, stable, plain'):
        Names('short')


@given(st.lists(st.sampled_from(['Mug_a', 'Mug_b', 'Cup_1', 'Cup_2', 'Egg(Clone)']), max_size=8))
def test_every_thing_is_found_by_its_name(names):
    for style in ('published', 'stable', 'plain'):
        known, things = named(style, *names)
        called = [known.of(one['objectId']) for one in things]
        assert len(set(called)) == len(called)
        assert [known.id_of(name) for name in called] == [one['objectId'] for one in things]


def test_classes_are_those_of_the_published_environment():
    assert len(PICKABLE) == 53 and len(FIXED_RECEPTACLES) == 32 and len(RECALLED) == 55
    assert class_of('CounterTop_dc543948') == 'CounterTop' and class_of('Mug(Clone)_1') == 'Mug'
    assert [words_of(name) for name in ('CounterTop', 'TVStand', 'CD', 'Mug')] == [
        'counter top', 'tv stand', 'CD', 'mug',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ('scene', 'room'),
    [
        ('FloorPlan1', 'kitchen'), ('FloorPlan30', 'kitchen'), ('FloorPlan201', 'living room'),
        ('FloorPlan330', 'bedroom'), ('FloorPlan424_physics', 'bathroom'),
        ('FloorPlan31', 'house'), ('house.json', 'house'), ('FloorPlan²', 'house'),
    ],
)  # fmt: skip
def test_the_room_follows_from_the_floor_plan(scene, room):
    assert room_of(scene) == room
