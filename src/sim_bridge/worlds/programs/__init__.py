"""Tasks of VirtualHome programs, as Tree-Planner sets and judges them."""

from sim_bridge.worlds.programs.world import ProgramsWorld

__all__ = ['ProgramsWorld']
