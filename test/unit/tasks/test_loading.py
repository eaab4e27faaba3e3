"""From texts and files to tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.tasks import load_task, Task

GOAL = {'on_plate_kitchentable': 2, 'on_apple_kitchentable': 1}


def write(path: Path, data: Any) -> str:
    path.write_text(json.dumps(data), encoding='utf-8')
    return str(path)


def test_no_text_is_no_task(small_home: dict[str, Any]) -> None:
    assert load_task('  ', small_home, 1) is None


def test_the_seed_of_the_text_goes_before_the_seed_of_the_reset(
    small_home: dict[str, Any],
) -> None:
    assert load_task('setup_table:3', small_home, 8) == load_task('setup_table:3', small_home, 9)
    task = load_task('setup_table', small_home, 8)
    assert task is not None and task.task_id == 'setup_table:8'


def test_generated_is_any_family(small_home: dict[str, Any]) -> None:
    task = load_task('generated:4', small_home, 0)
    assert task is not None and task.task_id == 'generated:4'


def test_a_json_file_is_read(small_home: dict[str, Any], tmp_path: Path) -> None:
    text = write(
        tmp_path / 'one.json',
        {
            'task_id': 'mine',
            'task_type': 'supper',
            'instruction': 'Set it.',
            'goal': GOAL,
            'instructions': ['Set the table.'],
        },
    )
    assert load_task(text, small_home, 0) == Task(
        'mine', 'supper', 'Set it.', ('Set it.', 'Set the table.'), goal=GOAL
    )


def test_a_yaml_file_is_read(small_home: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / 'one.yaml'
    path.write_text('instruction: Set it.\ngoal:\n  on_plate_kitchentable: 2\n', encoding='utf-8')
    task = load_task(str(path), small_home, 0)
    assert task is not None
    assert (task.goal, task.task_type) == ({'on_plate_kitchentable': 2}, 'custom')


def test_one_of_several_tasks_is_named_or_chosen_by_the_seed(
    small_home: dict[str, Any], tmp_path: Path
) -> None:
    tasks = [{'task_id': name, 'instruction': name, 'goal': GOAL} for name in ('a', 'b', 'c')]
    for data in (tasks, {'tasks': tasks}):
        text = write(tmp_path / 'more.json', data)
        named = load_task(f'{text}#b', small_home, 0)
        assert named is not None and named.task_id == 'b'
        chosen = [load_task(text, small_home, seed) for seed in range(3)]
        assert [task.task_id for task in chosen if task] == ['a', 'b', 'c']
        with pytest.raises(ConfigurationError, match='no task'):
            load_task(f'{text}#z', small_home, 0)


@pytest.mark.parametrize(
    'entry, reason',
    [
        ({'instruction': 'x'}, 'goal'),
        ({'instruction': 'x', 'goal': {}}, 'goal'),
        ({'goal': GOAL}, 'instruction'),
        ({'instruction': ' ', 'goal': GOAL}, 'instruction'),
        ({'instruction': 'x', 'instructions': 'y', 'goal': GOAL}, 'list'),
        (
            {'instruction': 'x', 'goal': {'under_plate_kitchentable': 1}},
            'under_plate_kitchentable',
        ),
        ({'instruction': 'x', 'goal': {'on_plate_kitchentable': 0}}, '1 or more'),
        ({'instruction': 'x', 'goal': {'on_plate_piano': 1}}, 'piano'),
        ({'instruction': 'x', 'goal': {'on_sword_kitchentable': 1}}, 'sword'),
        ('x', 'must be a task with'),
    ],
)
def test_a_broken_task_file_is_refused_with_a_reason(
    small_home: dict[str, Any], tmp_path: Path, entry: Any, reason: str
) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        load_task(write(tmp_path / 'bad.json', entry), small_home, 0)


@pytest.mark.parametrize(
    'name, content',
    [
        ('bad.json', '{'),
        ('bad.yaml', 'a: [1'),
        ('empty.json', '[]'),
        ('latin.json', b'"\xff"'),
    ],
)
def test_a_file_that_is_none_is_refused(
    small_home: dict[str, Any], tmp_path: Path, name: str, content: str | bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigurationError, match=name.replace('.', r'\.')):
        load_task(str(path), small_home, 0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40))
def test_any_other_text_is_refused_with_what_to_write(
    small_home: dict[str, Any], text: str
) -> None:
    if not text.strip() or text.strip().partition(':')[0] in ('generated', 'setup_table'):
        return
    with pytest.raises(ConfigurationError, match='generated:<seed>'):
        load_task('no ' + text, small_home, 0)
