"""ALFWorld (Shridhar et al., 2021) as text: six kinds of tasks in the rooms of ALFRED."""

from sim_bridge.worlds.alfworld.world import AlfworldWorld

__all__ = ['AlfworldWorld']
