"""The server on loopback that the tests of model servers have, and a state folder of its own."""

from __future__ import annotations

import pytest

from unit.llm.conftest import reply as reply
from unit.llm.conftest import server as server


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """Where profiles are kept, and nothing else."""
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path / 'state'))
    return tmp_path / 'state' / 'reactree' / 'profiles'
