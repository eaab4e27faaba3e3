"""Apartments generated from a seed."""

from sim_bridge.worlds.household.scenes.apartment import (
    generate_apartment,
    NODE_LIMITS,
    ROOM_LIMITS,
)

__all__ = ['NODE_LIMITS', 'ROOM_LIMITS', 'generate_apartment']
