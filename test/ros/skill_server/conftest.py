"""A node whose time the tests drive."""

from __future__ import annotations

import pytest

from skill_server.ros import running_skill
from support.hand_driven_node import Coroutine, HandDrivenNode


@pytest.fixture
def node():
    """A node with simulated time."""
    return HandDrivenNode()


@pytest.fixture
def steady_node(monkeypatch):
    """A node whose skills go by the machine's steady time, which is the node's here."""
    node = HandDrivenNode(simulated=False)
    monkeypatch.setattr(running_skill.time, 'monotonic', lambda: node.time)
    return node


@pytest.fixture
def play():
    """Begins a coroutine that is gone on with by hand."""
    return Coroutine
