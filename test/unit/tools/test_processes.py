"""Child processes: their logs, how they end, and how they are made to."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reactree_core.errors import ConfigurationError
from reactree_tools.processes.node_process import log_level, NodeProcess
from reactree_tools.processes.stack import Stack

_DEADLINE = 20.0
_POLITE = 'import signal; print("ready", flush=True); signal.pause()'
_DEAF = 'import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); ' + _POLITE
_STONE = 'import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); ' + _DEAF
_SHORT = ((signal.SIGINT, 0.3), (signal.SIGTERM, 0.3), (signal.SIGKILL, 5.0))

Start = Callable[[str, str], NodeProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a Python program as a node; ends it after the test."""
    started: list[NodeProcess] = []

    def begin(name: str, program: str) -> NodeProcess:
        process = NodeProcess(name, [sys.executable, '-c', program], tmp_path / f'{name}.log')
        process.start()
        started.append(process)
        return process

    yield begin
    for process in started:
        process.send(signal.SIGKILL)
        process.wait(_DEADLINE)


def _wait_for_line(process: NodeProcess) -> list[str]:
    deadline = time.monotonic() + _DEADLINE
    pause = threading.Event()
    while time.monotonic() < deadline:
        lines = process.last_lines(5)
        if lines:
            return lines
        pause.wait(0.02)
    raise AssertionError('the process wrote nothing')


def test_a_process_that_ends_says_how(start: Start) -> None:
    process = start('bridge', 'import sys; print("a\\n\\nb", flush=True); sys.exit(7)')
    assert process.wait(_DEADLINE)
    assert process.returncode == 7
    assert process.describe_end() == 'ended with exit status 7'
    assert process.last_lines(5) == ['a', 'b']


def test_a_killed_process_names_the_signal(start: Start) -> None:
    process = start('bridge', _POLITE)
    _wait_for_line(process)
    process.send(signal.SIGKILL)
    assert process.wait(_DEADLINE)
    assert process.describe_end() == 'was ended by SIGKILL'


def test_new_lines_come_once_and_whole(start: Start, tmp_path: Path) -> None:
    process = start('bridge', 'print("\\x1b[33mone\\x1b[0m\\ntw", end="")')
    assert process.wait(_DEADLINE)
    assert process.new_lines() == ['one']
    with (tmp_path / 'bridge.log').open('a') as file:
        file.write('o\n')
    assert process.new_lines() == ['two']
    assert process.new_lines() == []


def test_all_end_on_sigint_the_last_started_first(start: Start) -> None:
    stack = Stack([start('bridge', _POLITE), start('planner', _POLITE)])
    for process in stack:
        _wait_for_line(process)
    assert stack.stop() == []
    assert [process.describe_end() for process in stack] == ['was ended by SIGINT'] * 2


def test_who_is_started_where_sigint_is_ignored_hears_it(start: Start) -> None:
    # As in a background job of a shell without job control.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = start('bridge', _POLITE)
    finally:
        signal.signal(signal.SIGINT, before)
    _wait_for_line(process)
    process.send(signal.SIGINT)
    assert process.wait(_DEADLINE)
    assert process.describe_end() == 'was ended by SIGINT'


@pytest.mark.parametrize(
    ('program', 'end', 'sentences'),
    [(_DEAF, 'was ended by SIGTERM', 1), (_STONE, 'was ended by SIGKILL', 2)],
)
def test_who_does_not_listen_gets_a_sharper_signal(
    start: Start, program: str, end: str, sentences: int
) -> None:
    stack = Stack([start('bridge', _POLITE), start('planner', program)])
    for process in stack:
        _wait_for_line(process)
    said = stack.stop(grace=_SHORT)
    assert [sentence.split()[1] for sentence in said] == ['planner'] * sentences
    assert stack['planner'].describe_end() == end
    assert stack['bridge'].describe_end() == 'was ended by SIGINT'


def test_a_second_ctrl_c_skips_the_waiting(start: Start) -> None:
    stack = Stack([start('planner', _STONE)])
    _wait_for_line(stack['planner'])
    hurry = threading.Event()
    grace = ((signal.SIGINT, 60.0), (signal.SIGKILL, _DEADLINE))
    threading.Timer(0.2, hurry.set).start()
    began = time.monotonic()
    stack.stop(hurry, grace)
    assert time.monotonic() - began < 30.0
    assert not stack['planner'].running


def test_when_one_cannot_be_started_those_before_it_are_ended(tmp_path: Path) -> None:
    first = NodeProcess('bridge', [sys.executable, '-c', _POLITE], tmp_path / 'bridge.log')
    second = NodeProcess('planner', ['/nowhere/planner_node'], tmp_path / 'planner.log')
    with pytest.raises(ConfigurationError, match='planner cannot be started'):
        Stack([first, second]).start()
    assert not first.running


def test_a_child_ends_when_its_starter_is_killed(tmp_path: Path) -> None:
    program = (
        'import pathlib, sys, signal\n'
        'from reactree_tools.processes.node_process import NodeProcess\n'
        f'child = NodeProcess("bridge", [sys.executable, "-c", {_POLITE!r}], '
        f'pathlib.Path({str(tmp_path / "child.log")!r}))\n'
        'child.start()\nprint(child.pid, flush=True)\nsignal.pause()\n'
    )
    source = str(Path(__file__).parents[3] / 'src')
    environment = {**os.environ, 'PYTHONPATH': source}
    starter = NodeProcess(
        'starter', [sys.executable, '-c', program], tmp_path / 'starter.log', environment
    )
    starter.start()
    child = int(_wait_for_line(starter)[0])
    _wait_for_line(NodeProcess('child', [], tmp_path / 'child.log'))
    starter.send(signal.SIGKILL)
    deadline = time.monotonic() + _DEADLINE
    pause = threading.Event()
    while _is_running(child) and time.monotonic() < deadline:
        pause.wait(0.02)
    assert not _is_running(child)


def _is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie that nobody has waited for."""
    try:
        return ') Z ' not in Path(f'/proc/{pid}/stat').read_text(encoding='utf-8')
    except OSError:
        return False


def test_the_level_of_a_log_line_is_read() -> None:
    assert log_level('[WARN] [1730000000.12] [ns.planner]: slow') == ('WARN', 'slow')
    assert log_level('json.decoder.JSONDecodeError: x') == (
        'ERROR',
        'json.decoder.JSONDecodeError: x',
    )
    assert log_level('Traceback (most recent call last):')[0] == ''
