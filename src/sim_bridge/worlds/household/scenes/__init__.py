"""Apartments generated from a seed."""

from sim_bridge.worlds.household.scenes.apartment import generate_apartment
from sim_bridge.worlds.household.scenes.apartment import NODE_LIMITS
from sim_bridge.worlds.household.scenes.apartment import ROOM_LIMITS

__all__ = ['NODE_LIMITS', 'ROOM_LIMITS', 'generate_apartment']
