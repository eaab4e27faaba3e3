"""VirtualHome's Unity simulator, or anything that speaks its protocol, as a world."""

from sim_bridge.worlds.virtualhome_unity.world import VirtualHomeUnityWorld

__all__ = ['VirtualHomeUnityWorld']
