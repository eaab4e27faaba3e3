"""WebShop (Yao et al., 2022): find and buy what somebody asks for, in a shop of many products."""

from sim_bridge.worlds.webshop.world import WebShopWorld

__all__ = ['WebShopWorld']
