"""VirtualHome programs: scripts such as `[WALK] <fridge> (103)` on scene graphs."""

from sim_bridge.worlds.household.programs.execution import execute
from sim_bridge.worlds.household.programs.script import read_script

__all__ = ['execute', 'read_script']
