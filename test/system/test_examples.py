"""The examples do what they say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.timeout(900.0)

_EXAMPLES = Path(__file__).parents[2] / 'examples'
#: With the guards off, every decision is asked for: its kind, then the skill.
_SKILLS = ('go to table 1', 'pick up cup 1', 'go to shelf 1', 'put down cup 1')


def test_a_robot_of_ones_own_brings_a_cup_when_a_client_asks_for_it(
    start: Callable[..., Any], nodes: Callable[..., list[str]], tmp_path: Path
) -> None:
    options = nodes()
    script = [{'select': line} for skill in (*_SKILLS, 'done') for line in ('Act:', f' {skill}\n')]
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(script), encoding='utf-8')
    robot = start(str(_EXAMPLES / 'robot_skill_server'))
    # The scene is the robot's own business.
    up = start('up', '--no-bridge', *options[2:])
    up.wait_for('Ready.')
    robot.wait_for('the robot is ready')

    client = start(str(_EXAMPLES / 'send_task.py'), 'bring', 'the', 'cup', 'to', 'the', 'shelf')
    assert client.end() == 0, client.text
    lines = client.text.splitlines()
    assert [line for line in lines if ' does: ' in line] == [
        f'agent 1 does: {skill}' for skill in (*_SKILLS, 'done')
    ]
    assert lines[-1].startswith('5 decisions, 4 skills, ')

    robot.interrupt()
    assert robot.end() == 0, robot.text
    assert 'Traceback' not in robot.text


def test_the_example_and_our_own_bridge_keep_the_robot_contract(
    start: Callable[..., Any], nodes: Callable[..., list[str]]
) -> None:
    robot = start(str(_EXAMPLES / 'robot_skill_server'))
    robot.wait_for('the robot is ready')
    check = start('conformance', '--move', '--plain')
    assert check.end() == 0, check.text
    assert '11 clauses kept, 0 broken, 0 not tried' in check.text
    robot.interrupt()
    assert robot.end() == 0, robot.text

    up = start('up', *nodes())
    up.wait_for('Ready.')
    check = start('conformance', '--move', '--plain')
    assert check.end() == 0, check.text
    assert '11 clauses kept, 0 broken, 0 not tried' in check.text
