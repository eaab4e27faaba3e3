"""ProcWorld: generated houses in which an agent reaches only so far."""

from sim_bridge.worlds.procworld.world import ProcWorldWorld

__all__ = ['ProcWorldWorld']
