"""A robot's file that has nothing wrong with it."""

from __future__ import annotations

import pytest

from robot_bridge.loading import load_robot
from support.made_up_interfaces import MadeUpInterfaces
from support.robot_files import PORTER


@pytest.fixture
def written():
    return PORTER


@pytest.fixture
def load(tmp_path):
    """The robot of a text."""

    def loaded(text=PORTER):
        path = tmp_path / 'robot.yaml'
        path.write_text(text)
        return load_robot(path, MadeUpInterfaces())

    return loaded
