"""Homes shared by the tests of tasks, each made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.scenes import generate_apartment


@cache
def _home(seed: int) -> dict[str, Any]:
    return generate_apartment(seed)


@pytest.fixture(scope='session')
def home() -> Callable[[int], dict[str, Any]]:
    """The graph of a seed."""
    return _home


@pytest.fixture
def small_home() -> dict[str, Any]:
    """A kitchen and a living room with a table, a cabinet, a fridge and few things."""

    def node(
        number: int, class_name: str, category: str, properties: str = '', states: str = ''
    ) -> dict[str, Any]:
        return {
            'id': number,
            'class_name': class_name,
            'category': category,
            'properties': properties.split(),
            'states': states.split(),
            'bounding_box': None,
        }

    container = 'CAN_OPEN CONTAINERS'
    nodes = [
        node(1, 'character', 'Characters'),
        node(11, 'kitchen', 'Rooms'),
        node(12, 'livingroom', 'Rooms'),
        node(21, 'kitchentable', 'Furniture', 'SURFACES'),
        node(32, 'kitchencabinet', 'Furniture', container, 'CLOSED'),
        node(43, 'fridge', 'Appliances', f'{container} HAS_SWITCH', 'CLOSED'),
        node(54, 'dishwasher', 'Appliances', f'{container} HAS_SWITCH', 'OPEN OFF'),
        node(65, 'sofa', 'Furniture', 'SURFACES'),
        node(76, 'coffeetable', 'Furniture', 'SURFACES'),
        node(1001, 'plate', 'Props', 'GRABBABLE SURFACES'),
        node(1002, 'plate', 'Props', 'GRABBABLE SURFACES'),
        node(1003, 'apple', 'Food', 'GRABBABLE'),
        node(1004, 'apple', 'Food', 'GRABBABLE'),
    ]
    places = [
        (1, 'INSIDE', 12),
        (21, 'INSIDE', 11),
        (32, 'INSIDE', 11),
        (43, 'INSIDE', 11),
        (54, 'INSIDE', 11),
        (65, 'INSIDE', 12),
        (76, 'INSIDE', 12),
        (1001, 'INSIDE', 11),
        (1001, 'INSIDE', 32),
        (1002, 'INSIDE', 11),
        (1002, 'INSIDE', 32),
        (1003, 'INSIDE', 12),
        (1003, 'ON', 65),
        (1004, 'INSIDE', 11),
        (1004, 'ON', 21),
    ]
    edges = [
        {'from_id': start, 'relation_type': relation, 'to_id': end}
        for start, relation, end in places
    ]
    return {'nodes': nodes, 'edges': edges}


@pytest.fixture
def world() -> HouseholdWorld:
    """A world without a scene."""
    return HouseholdWorld()
