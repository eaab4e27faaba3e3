"""A home and a task, printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from reactree_tools.views.home_view import read_home
from sim_bridge.worlds.registry import make_world


def test_everything_that_can_be_carried_is_somewhere_once() -> None:
    world = make_world('household')
    world.reset('generated:3', '', 0)
    home = read_home(world.graph())
    names = [
        name
        for room in home.rooms
        for group in (room.loose, *(fixture.things for fixture in room.fixtures))
        for name in group
    ]
    assert len(names) == len(set(names)) == home.things
    assert home.fixtures > 20
    assert home.robot in [room.name for room in home.rooms]
    assert home.held == ()


def test_what_the_robot_holds_is_told() -> None:
    world = make_world('household')
    world.reset('generated:3', '', 0)
    thing = _pick_up_something(world)
    assert read_home(world.graph()).held == (thing,)


def _pick_up_something(world: object) -> str:
    for room in world.vocabulary().rooms:  # type: ignore[attr-defined]
        world.step(f'go to {room}')  # type: ignore[attr-defined]
        places = [s for s in world.admissible_skills() if s.startswith('go to')]  # type: ignore[attr-defined]
        for skill in places:
            world.step(skill)  # type: ignore[attr-defined]
            found = [s for s in world.admissible_skills() if s.startswith('pick up ')]  # type: ignore[attr-defined]
            if found:
                assert world.step(found[0]).succeeded  # type: ignore[attr-defined]
                return found[0].removeprefix('pick up ')
    raise AssertionError('nothing to pick up')


def test_a_scene_is_printed_with_its_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['scene', 'generated:3', '--plain']) == ExitCode.OK
    text = capsys.readouterr().out
    assert text.isascii()
    assert text.startswith('generated:3  ')
    assert 'pieces of furniture' in text.splitlines()[0]
    assert '+-- kitchen 1' in text


def test_a_printed_graph_is_a_scene_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(['scene', 'generated:2', '--json']) == ExitCode.OK
    path = tmp_path / 'home.json'
    path.write_text(capsys.readouterr().out, encoding='utf-8')
    assert json.loads(path.read_text(encoding='utf-8'))['nodes']
    assert main(['scene', str(path)]) == ExitCode.OK
    assert 'kitchen 1' in capsys.readouterr().out


def test_a_task_is_printed_with_goal_and_expert(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ['task', 'put_fridge:4', '--scene', 'generated:3', '--skills', '--plain']
    assert main(arguments) == ExitCode.OK
    text = capsys.readouterr().out
    assert 'put_fridge:4, family put_fridge' in text
    assert ' fridge: 0 of ' in text and 'at start     0 of ' in text
    assert 'skills, shortest known plan' in text
    assert ' 1  go to ' in text


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['scene', 'missing.json'], 'missing.json'),
        (['scene', 'generated:x'], 'whole number'),
        (['task', 'nothing:1', '--scene', 'generated:3'], 'setup_table'),
        (['task', '', '--scene', 'generated:3'], 'generated:3'),
    ],
)
def test_what_cannot_be_loaded_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(arguments) == ExitCode.UNUSABLE
    captured = capsys.readouterr()
    assert captured.out == ''
    assert captured.err.startswith('reactree: ')
    assert captured.err.count('\n') == 1
    assert words in captured.err


def test_a_file_that_is_no_graph_is_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / 'list.json'
    path.write_text('[1, 2]', encoding='utf-8')
    assert main(['scene', str(path)]) == ExitCode.UNUSABLE
    assert captured_sentence(capsys)


def captured_sentence(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on standard error."""
    text = capsys.readouterr().err
    assert text.count('\n') == 1
    return text
