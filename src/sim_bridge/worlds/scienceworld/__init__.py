"""ScienceWorld (Wang et al., 2022): elementary science in a house of ten rooms."""

from sim_bridge.worlds.scienceworld.world import ScienceWorldWorld

__all__ = ['ScienceWorldWorld']
