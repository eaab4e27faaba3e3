"""Household tasks on VirtualHome scene graphs, in process: the default world."""

from sim_bridge.worlds.household.world import HouseholdWorld

__all__ = ['HouseholdWorld']
