"""A proposed file that passes its own test."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from reactree_tools.robot_check.self_test import skill_row
from robot_bridge.interface_types import Catalogue
from robot_bridge.loading import load_robot
from robot_bridge.proposal import proposal
from robot_bridge.robot import Interface


def sound_proposal(
    interfaces: Sequence[Interface], latched: Collection[str], catalogue: Catalogue
) -> str:
    """A file for what is in the graph; a skill that fails the self-test is a comment.

    :raises ConfigurationError: see `proposal`.
    """
    text = proposal(interfaces, latched, catalogue)
    with TemporaryDirectory() as folder:
        path = Path(folder) / 'proposed.yaml'
        path.write_text(text, encoding='utf-8')
        robot = load_robot(path, catalogue)
    rows = [skill_row(robot, skill) for skill in robot.skills]
    faults = {row.name: row.failed[0].note for row in rows if row.failed}
    return proposal(interfaces, latched, catalogue, faults) if faults else text
