"""The command line with real processes: nodes, a scripted model, signals and bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_tools.processes.nodes import find_executable

pytestmark = pytest.mark.timeout(900.0)

Start = Callable[..., Any]


def test_a_task_is_planned_while_nodes_are_up_and_all_ends_on_ctrl_c(
    start: Start, nodes: Callable[..., list[str]]
) -> None:
    up = start('up', *nodes(runs=3))
    text = up.wait_for('Ready.')
    for node in ('bridge', 'memory', 'planner'):
        assert re.search(rf'✓ {node} +ready in', text), text
    children = up.children()
    assert set(children) == {'bridge', 'memory', 'planner'}

    plan = start('plan', 'look', 'into', 'the', 'fridge')
    assert plan.end() == 0, plan.text
    for words in (
        '◆ 1  look into the fridge',
        '│ · I look into the kitchen first, then into the fridge.',
        '│ ┬ sequence of 2 subgoals',
        '│ │ ▸ go to kitchen 1',
        '│ │ │ × precondition failed: The fridge is not close to you.',
        '✗ 6  failed',
        '✓ 4  succeeded: fallback: 1 of 2 succeeded',
        '├── ✓ 3  go to the kitchen  succeeded',
        '✓ Done, as the planner says (not known: ',
        'work    10 decisions · 4 steps · 5 agents',
    ):
        assert words in plan.text, plan.text
    assert '\x1b' not in plan.text

    reset = start('world', 'reset', '--scene', 'generated:3', '--task', 'put_fridge:1')
    assert reset.end() == 0, reset.text
    assert 'put_fridge:1' in reset.text
    unsolved = start('plan', '--json')
    assert unsolved.end() == 1, unsolved.text
    records = [json.loads(line) for line in unsolved.text.splitlines()]
    assert {record['event'] for record in records[:-1]} == {'decision', 'observation'}
    assert records[-1]['event'] == 'result'
    assert records[-1]['success'] is True
    assert (records[-1]['goal_known'], records[-1]['goal_met']) == (True, False)
    assert len(records[-1]['conditions']) >= 1

    state = start('world', 'state')
    assert state.end() == 0
    assert 'put_fridge:1' in state.text
    assert '✗ 0 of' in state.text

    assert start('world', 'reset').end() == 0
    os.kill(children['memory'], signal.SIGKILL)
    up.wait_for('Planning continues without it.')
    alone = start('plan', 'look into the fridge')
    assert alone.end() == 0, alone.text
    assert 'notice  !' in alone.text

    began = time.monotonic()
    up.interrupt()
    assert up.end() == 0, up.text
    assert time.monotonic() - began < 60.0
    assert not up.alive(children)


def test_ctrl_c_of_plan_cancels_the_run_and_the_planner_serves_the_next(
    start: Start, nodes: Callable[..., list[str]]
) -> None:
    up = start('up', *nodes(runs=1, skill_seconds=60.0))
    up.wait_for('Ready.')
    plan = start('plan', 'look into the fridge')
    plan.wait_for('▸ go to kitchen 1')

    busy = start('plan', 'something else')
    assert busy.end() == 2
    assert 'it is at work on "look into the fridge" (run ' in busy.text

    plan.interrupt()
    assert plan.end(60.0) == 130, plan.text
    assert '⊘ Canceled.' in plan.text
    again = start('plan', 'look into the fridge')
    assert again.end() == 0, again.text
    assert '▸ done' in again.text


def test_a_reader_that_has_enough_ends_the_run(
    start: Start, nodes: Callable[..., list[str]], environment: dict[str, str]
) -> None:
    # However far the first run comes before it is canceled, the second one waits for a skill.
    skills = [{'select': 'Act:'}, {'select': 'go to kitchen 1'}]
    start('up', *nodes(runs=9, skill_seconds=60.0, lines=skills)).wait_for('Ready.')
    command = [str(find_executable('reactree')), 'plan', '--json', 'look into the fridge']
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as plan:
        assert plan.stdout is not None
        assert b'"kind":4' in plan.stdout.readline()
        plan.stdout.close()
        plan.wait(120.0)
    again = start('plan', 'look into the fridge')
    again.wait_for('◆ 1  look into the fridge')
    again.interrupt()
    assert again.end() == 130, again.text


def test_a_killed_bridge_ends_the_run_and_the_stack_with_its_last_words(
    start: Start, nodes: Callable[..., list[str]]
) -> None:
    up = start('up', *nodes(runs=1, skill_seconds=60.0))
    up.wait_for('Ready.')
    children = up.children()
    plan = start('plan', 'look into the fridge')
    plan.wait_for('▸ go to kitchen 1')
    os.kill(children['bridge'], signal.SIGKILL)
    assert up.end() == 1, up.text
    assert 'The bridge was ended by SIGKILL; its log is ' in up.text
    assert not up.alive(children)
    assert plan.end() in (1, 2), plan.text
    assert 'BRIDGE_LOST' in plan.text or 'planner is gone' in plan.text


def test_a_demo_runs_alone_and_leaves_nothing(
    start: Start, nodes: Callable[..., list[str]], tmp_path: Path
) -> None:
    demo = start('demo', *nodes(), '--task', 'look into the fridge')
    assert demo.end() == 0, demo.text
    assert 'home         generated:3' in demo.text
    assert 'task         look into the fridge' in demo.text
    assert '✓ Done, as the planner says' in demo.text
    assert not (tmp_path / 'data').exists()


def test_a_demo_interrupted_at_work_cancels_and_ends_its_nodes(
    start: Start, nodes: Callable[..., list[str]]
) -> None:
    demo = start('demo', *nodes(skill_seconds=60.0), '--task', 'look into the fridge')
    demo.wait_for('▸ go to kitchen 1')
    children = demo.children()
    assert len(children) == 3
    demo.interrupt()
    assert demo.end() == 130, demo.text
    assert '⊘ Canceled.' in demo.text
    assert not demo.alive(children)


def test_two_stacks_do_not_share_a_namespace_but_do_share_a_domain(
    start: Start, nodes: Callable[..., list[str]]
) -> None:
    first = start('up', *nodes(runs=1))
    first.wait_for('Ready.')
    twin = start('up', *nodes(runs=1))
    assert twin.end() == 2, twin.text
    assert 'Nodes started by process ' in twin.text
    other = start('up', '--namespace', 'robot_2', *nodes(runs=1))
    other.wait_for('Ready.')
    plan = start('plan', '--namespace', '/robot_2', 'look into the fridge')
    assert plan.end() == 0, plan.text
    assert first.running


def test_up_says_that_a_node_of_its_names_runs_already(
    start: Start, nodes: Callable[..., list[str]], environment: dict[str, str]
) -> None:
    with subprocess.Popen(
        [str(find_executable('memory_node'))], env=environment, stderr=subprocess.PIPE, text=True
    ) as memory:
        assert memory.stderr is not None
        assert any('memory ready' in line for line in memory.stderr)
        up = start('up', *nodes())
        status = up.end()
        memory.send_signal(signal.SIGINT)
    assert status == 2, up.text
    assert f'The memory cannot start: /memory runs already (process {memory.pid} on' in up.text


def test_it_is_not_simply_ready_where_the_server_of_its_model_does_not_answer(
    start: Start, nodes: Callable[..., list[str]]
) -> None:
    up = start('up', *nodes(), '--model', 'http://127.0.0.1:9/v1')
    up.wait_for('Ready, but for the errors above.')
    assert 'http://127.0.0.1:9/v1' in up.text


@pytest.mark.parametrize('home', [None, ''])
def test_without_home_it_is_that_of_the_user(
    environment: dict[str, str], home: str | None
) -> None:
    # Some clients of MCP pass nothing but PATH.
    without = {name: value for name, value in environment.items() if name != 'HOME'}
    without.pop('ROS_LOG_DIR', None)
    done = subprocess.run(
        [str(find_executable('reactree')), 'cancel', '--plain'],
        env=without if home is None else {**without, 'HOME': home},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert 'No planner answers' in done.stderr, done.stderr


def test_where_ros_cannot_log_the_folder_is_named(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [str(find_executable('reactree')), 'cancel', '--plain'],
        env={**environment, 'ROS_LOG_DIR': '/proc/none'},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert 'Set HOME, or ROS_LOG_DIR, to a folder that can be written.' in done.stderr


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (('--world', 'mars'), "no world 'mars'"),
        (('--scene', 'generated:x'), 'whole number'),
        (('--task', 'nothing:1'), 'setup_table'),
    ],
)
def test_what_a_node_refuses_is_one_sentence_and_status_2(
    start: Start, nodes: Callable[..., list[str]], arguments: tuple[str, ...], words: str
) -> None:
    up = start('up', *nodes(), *arguments)
    assert up.end() == 2, up.text
    last = up.text.splitlines()[-1]
    assert last.startswith('reactree: The '), up.text
    assert words in last
    assert 'Traceback' not in up.text


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('planner: [', 'is not YAML: line 1'),
        ('planner: {seed: 1}\n', 'is not of the form'),
        ('planner: {ros__parameters: {max_decision: 5}}\n', 'did you mean max_decisions?'),
        ('bridge: {ros__parameters: {seed: many}}\n', "'seed' must be of type int"),
    ],
)
def test_a_wrong_parameter_file_is_told_before_anything_starts(
    start: Start, tmp_path: Path, text: str, words: str
) -> None:
    params = tmp_path / 'broken.yaml'
    params.write_text(text, encoding='utf-8')
    up = start('up', '--params', str(params))
    assert up.end() == 2
    assert words in up.text
    assert up.text.count('\n') == 1, up.text
    assert not (tmp_path / 'log').exists()


def test_without_nodes_every_command_says_what_to_start(start: Start) -> None:
    for arguments in (('plan', 'find a plate'), ('world', 'state')):
        program = start(*arguments)
        assert program.end() == 2
        assert '`reactree up`' in program.text
        assert program.text.count('\n') == 1, program.text


def test_an_empty_task_without_a_loaded_one_is_told(
    start: Start, nodes: Callable[..., list[str]]
) -> None:
    up = start('up', *nodes())
    up.wait_for('Ready.')
    plan = start('plan', '   ')
    assert plan.end() == 2, plan.text
    assert 'INVALID_TASK' in plan.text


def test_at_debug_the_planner_logs_decisions_requests_and_skills_and_at_info_a_few_lines(
    start: Start, nodes: Callable[..., list[str]], tmp_path: Path
) -> None:
    logs = {}
    for level in ('info', 'debug'):
        up = start('up', *nodes(), '--log-level', level)
        folder = re.search(r'logs in (\S+)', up.wait_for('Ready.'))
        assert folder
        assert start('plan', 'look into the fridge').end() == 0
        up.interrupt()
        assert up.end() == 0, up.text
        logs[level] = Path(folder.group(1), 'planner.log').read_text(encoding='utf-8')
    assert len(logs['info'].splitlines()) <= 6, logs['info']
    assert 'run ended: success; decisions 10, skills 4' in logs['info']
    lines = [line for line in logs['debug'].splitlines() if 'DEBUG' in line]
    for pattern in (
        r'plan_task [0-9a-f]{32}: "look into the fridge"',
        r'decision \d+: 1: think I look into the kitchen first',
        r'model generate: \d+ characters, "I look .*", \d+\.\d+ s, \d+ prompt tokens \(',
        r'model select: \d+ characters, "go to kitchen 1", ',
        r'answer to list_skills: \d{3,} characters',
        r'execute_skill (\d+): "go to kitchen 1"',
        r'execute_skill \d+: goal status 4',
        r'observation \d+: precondition_failed, \d+ characters, \d+: The fridge is not close',
    ):
        assert any(re.search(pattern, line) for line in lines), (pattern, logs['debug'])
    assert max(map(len, lines)) < 700
