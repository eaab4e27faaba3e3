"""A small ProcTHOR house: a kitchen and a bedroom, and a door between them."""

from __future__ import annotations


def vector(x, y, z):
    return {'x': x, 'y': y, 'z': z}


def room(name, kind, west, east):
    corners = ((west, 0.0), (west, 4.0), (east, 4.0), (east, 0.0))
    return {
        'id': name, 'roomType': kind, 'floorPolygon': [vector(x, 0.0, z) for x, z in corners],
    }  # fmt: skip


HOUSE = {
    'rooms': [room('room|1', 'Kitchen', 0.0, 4.0), room('room|2', 'Bedroom', 4.0, 8.0)],
    'doors': [
        {
            'room0': 'room|1', 'room1': 'room|2', 'wall0': 'wall|1|4.00|0.00|4.00|4.00',
            'holePolygon': [vector(1.5, 0, 0), vector(2.5, 2, 0)],
        }
    ],
    'objects': [
        {
            'id': 'DiningTable|1|0',
            'position': vector(1.2, 0.4, 2.7),
            'children': [{'id': 'Mug|1|1', 'position': vector(1.2, 0.85, 2.7)}],
        },
        {'id': 'Fridge|1|3', 'position': vector(3.4, 0.9, 3.5), 'openness': 0},
        {'id': 'FloorLamp|2|1', 'position': vector(7.5, 0.8, 0.5)},
    ],
    'metadata': {'agent': {'position': vector(3.0, 0.95, 2.0), 'rotation': vector(0, 0, 0)}},
}  # fmt: skip
