"""Names and numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge.worlds.household.names import Names
from sim_bridge.worlds.household.nodes import read_node
from sim_bridge.worlds.household.roles import known_classes, name_of
from support.needs import need_data


def names(*classes: str) -> Names:
    """Ids from 1 on."""
    return Names(
        {
            key: read_node({'id': key, 'class_name': class_name})
            for key, class_name in enumerate(classes, 1)
        }
    )


@pytest.mark.parametrize(
    ('class_name', 'name'),
    [
        ('kitchentable', 'kitchen table'),
        ('cutleryfork', 'cutlery fork'),
        ('dishbowl', 'bowl'),
        ('breadslice', 'slice of bread'),
        ('microwave', 'microwave oven'),
        ('tv', 'tv'),
        ('chinesefood', 'Chinese food'),
        ('livingroom', 'living room'),
        ('clothesshirt', 'shirt'),
        ('clothespile', 'pile of clothes'),
        ('character', 'user'),
    ],
)
def test_known_classes_have_their_published_names(class_name: str, name: str) -> None:
    assert name_of(class_name) == name


@pytest.mark.parametrize(
    ('class_name', 'name'),
    [
        ('dining_room', 'dining room'),
        ('home_office', 'home office'),
        ('filingCabinet2', 'filing cabinet2'),
        ('couch', 'couch'),
        ('Wall_Clock', 'wall clock'),
        ('__', 'thing'),
        ('new\nline', 'new line'),
    ],
)
def test_unknown_classes_are_spelt_with_spaces(class_name: str, name: str) -> None:
    assert name_of(class_name) == name


def test_the_number_is_the_rank_of_the_id_in_its_class() -> None:
    some = names('plate', 'apple', 'plate', 'plate', 'apple')
    assert [some.name[key] for key in range(1, 6)] == [
        'plate 1',
        'apple 1',
        'plate 2',
        'plate 3',
        'apple 2',
    ]


def test_classes_of_one_name_are_numbered_together() -> None:
    some = names('kitchencabinet', 'kitchen_cabinet', 'kitchencabinets')
    assert [some.name[key] for key in (1, 2, 3)] == [
        'kitchen cabinet 1',
        'kitchen cabinet 2',
        'kitchen cabinet 3',
    ]


def test_lists_are_grouped_by_name_and_sorted() -> None:
    some = names('plate', 'chinesefood', 'apple', 'plate', 'apple', *['cutleryfork'] * 10)
    assert some.listed([15, 7, 4, 5, 2, 1]) == (
        'Chinese food (1), apple (2), cutlery fork (2, 10), plate (1, 2)'
    )
    assert some.listed([]) == ''


@given(
    st.lists(
        st.sampled_from(
            ['plate', 'apple', 'kitchentable', 'odd_class', 'CamelCase', 'chinesefood']
        ),
        min_size=1,
        max_size=30,
    )
)
def test_every_name_leads_back_to_its_node(classes: list[str]) -> None:
    some = names(*classes)
    assert len(set(some.name.values())) == len(classes)
    for key, name in some.name.items():
        assert some.find(name) == key
        assert some.find(name.upper()) == key


def test_the_table_agrees_with_the_published_names(shared_data: Path) -> None:
    folder = shared_data / 'wah_nl_train'
    need_data(folder)
    published = json.loads((folder / 'wah_obj_dict_sim2nl.json').read_text())
    assert {class_name: name_of(class_name) for class_name in published} == published
    # One more: an older spelling of the graphs.
    assert known_classes().keys() - published.keys() == {'kitchencabinets'}


def test_the_lists_have_their_published_lengths() -> None:
    counts = {
        role: sum(
            getattr(known.roles, role)
            for class_name, known in known_classes().items()
            if class_name != 'kitchencabinets'
        )
        for role in (
            'grabbable',
            'openable',
            'switchable',
            'receptacle',
            'surface',
            'container',
            'look',
        )
    }
    assert counts == {
        'grabbable': 89,
        'openable': 30,
        'switchable': 17,
        'receptacle': 38,
        'surface': 25,
        'container': 21,
        'look': 37,
    }
