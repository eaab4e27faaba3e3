"""A world with a small shop."""

from __future__ import annotations

import pytest

from sim_bridge.worlds.webshop import world as webshop
from sim_bridge.worlds.webshop.catalogue import Catalogue
from support.small_shop import small_catalogue


@pytest.fixture
def small_shop(monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    """Every world that is reset here sells four products."""
    made = small_catalogue()
    monkeypatch.setattr(webshop, 'load_catalogue', lambda source: made)
    assert made.goals[0].price_upper == 30.0
    return made
