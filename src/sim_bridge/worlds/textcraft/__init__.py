"""TextCraft (ADaPT, section 4.3): things are made of others by recipes."""

from sim_bridge.worlds.textcraft.world import TextCraftWorld

__all__ = ['TextCraftWorld']
