"""AI2-THOR behind the bridge, with ALFRED's tasks; see docs/thor.md."""

from sim_bridge.worlds.thor.world import ThorWorld

__all__ = ['ThorWorld']
