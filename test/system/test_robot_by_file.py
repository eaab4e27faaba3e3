"""`reactree up --robot`: a robot by its file, as processes that a user starts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.timeout(400.0)
_ROBOT = Path(__file__).parents[2] / 'examples' / 'mobile_robot'
_BRINGS = (
    'go to shelf 2',
    'pick up crate 3',
    'go to packing table',
    'put crate 3 on packing table',
)


def _sentences(text: str) -> str:
    """What is printed, without what it is set in."""
    return ' '.join(text.replace('│', ' ').split())


def test_a_robot_by_its_file_brings_a_crate_and_tells_when_it_is_gone(
    start: Callable[..., Any], nodes: Callable[..., list[str]], tmp_path: Path
) -> None:
    options = nodes()
    chosen = (*_BRINGS, 'done', 'go to shelf 1', 'failure')
    script = [{'select': line} for skill in chosen for line in ('Act:', f' {skill}\n')]
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(script), encoding='utf-8')
    robot = start(str(_ROBOT))
    robot.wait_for('the mobile robot is ready')
    # The scene is the robot's own; it is simulated, and nobody is asked before it moves.
    robot_file = str(_ROBOT / 'robot.yaml')
    up = start('up', '--robot', robot_file, '--permission', 'allow', *options[2:])
    assert 'bridge' in up.wait_for('Ready.')

    plan = start('plan', 'bring crate 3 to the packing table')
    assert plan.end() == 0, plan.text
    for skill in _BRINGS:
        assert f'▸ {skill}' in plan.text
    assert 'You see crate 3 at packing table.' in _sentences(plan.text)

    robot.interrupt()
    assert robot.end() == 0, robot.text
    plan = start('plan', 'go to shelf 1')
    assert plan.end() != 0, plan.text
    assert 'The action /navigate_to_pose has no server: is it running' in _sentences(plan.text)

    up.interrupt()
    assert up.end() == 0, up.text
    for program in (robot, up):
        assert 'Traceback' not in program.text


def test_words_that_are_surely_nothing_it_knows_move_nothing(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    tasks = {
        # A verb, which is no thing; and a thing that was not seen, and is like another.
        'Stop scanning': 'Stop scanning',
        'Bring the bench to the packing table': 'bench',
    }
    # A model that answers nothing: what moves then is moved by what was read.
    answers = [{'select': 'Act:'}]
    script = tmp_path / 'script.yaml'
    script.write_text(yaml.safe_dump(answers), encoding='utf-8')
    params = tmp_path / 'params.yaml'
    planner = {'preset': 'default,no-first-thought', 'keep_experiences': False}
    params.write_text(yaml.safe_dump({'/**/planner': {'ros__parameters': planner}}))
    robot = start(str(_ROBOT))
    robot.wait_for('the mobile robot is ready')
    up = start('up', '--robot', str(_ROBOT / 'robot.yaml'), '--permission', 'allow',
               '--model', f'scripted:{script}', '--params', str(params),
               '--memory', 'none')  # fmt: skip
    up.wait_for('Ready.')
    for task, unknown in tasks.items():
        plan = start('plan', task)
        assert plan.end() != 0, plan.text
        told = _sentences(plan.text)
        assert unknown in told.partition(' unread ')[2], plan.text
        assert 'Nothing was done' in told and '0 decisions' in told, plan.text
        assert '▸ go' not in told and '▸ pick' not in told, plan.text
    for program in (robot, up):
        program.interrupt()
        assert program.end() == 0, program.text


def test_a_file_with_a_mistake_ends_it_with_a_sentence(
    start: Callable[..., Any], nodes: Callable[..., list[str]], tmp_path: Path
) -> None:
    file = tmp_path / 'robot.yaml'
    written = (_ROBOT / 'robot.yaml').read_text(encoding='utf-8')
    file.write_text(written.replace('name: /navigate_to_pose', 'nam: /navigate_to_pose'))
    up = start('up', '--robot', str(file), *nodes()[2:])
    assert up.end() != 0
    assert f'{file}: line ' in up.text
    assert 'there is no "skills.1.do.nam"' in up.text
    assert 'Traceback' not in up.text
