"""A small home: a kitchen and a bedroom, in which every published action can be done."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def graph() -> dict[str, Any]:
    rows = [
        (1, 'kitchen', 'Rooms', '', ''),
        (2, 'bedroom', 'Rooms', '', ''),
        (3, 'character', 'Characters', '', ''),
        (10, 'fridge', 'Appliances', 'CAN_OPEN CONTAINERS HAS_SWITCH HAS_PLUG', 'CLOSED OFF'),
        (11, 'table', 'Furniture', 'SURFACES', ''),
        (12, 'bed', 'Furniture', 'SITTABLE LIEABLE', ''),
        (13, 'television', 'Electronics', 'HAS_SWITCH LOOKABLE', 'OFF'),
        (20, 'milk', 'Food', 'GRABBABLE DRINKABLE POURABLE', ''),
        (21, 'cup', 'Props', 'GRABBABLE RECIPIENT', 'DIRTY'),
        (22, 'book', 'Props', 'GRABBABLE READABLE', ''),
        (23, 'shirt', 'Props', 'GRABBABLE CLOTHES', ''),
    ]
    edges = [
        (3, 'INSIDE', 2),
        (10, 'INSIDE', 1),
        (11, 'INSIDE', 1),
        (12, 'INSIDE', 2),
        (13, 'INSIDE', 2),
        (20, 'INSIDE', 10),
        (20, 'INSIDE', 1),
        (21, 'ON', 11),
        (21, 'INSIDE', 1),
        (22, 'ON', 11),
        (22, 'INSIDE', 1),
        (23, 'ON', 12),
        (23, 'INSIDE', 2),
    ]
    return {
        'nodes': [
            {
                'id': key,
                'class_name': name,
                'category': category,
                'properties': properties.split(),
                'states': states.split(),
            }
            for key, name, category, properties, states in rows
        ],
        'edges': [
            {'from_id': start, 'relation_type': relation, 'to_id': end}
            for start, relation, end in edges
        ],
    }
