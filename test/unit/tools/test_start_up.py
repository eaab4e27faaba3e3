"""Waiting for nodes, and what is said of those that die."""

from __future__ import annotations

import io
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reactree_core.errors import ConfigurationError
from reactree_tools.exit_codes import ExitCode
from reactree_tools.output import Output
from reactree_tools.processes import domains
from reactree_tools.processes.interrupts import Interrupts
from reactree_tools.processes.node_process import NodeProcess
from reactree_tools.processes.nodes import find_executable, full_name, StackOptions
from reactree_tools.processes.stack import make_log_folder, Stack, StackLock
from reactree_tools.running_stack import MOST_RESPAWNS, NodeDied, Respawns, wait_until_ready

_DEADLINE = 20.0
_READY = (
    'import signal; print("[INFO] [1.2] [{0}]: {0} ready", flush=True); '
    'signal.signal(signal.SIGINT, lambda *_: exit(0)); signal.pause()'
)


class Graph:
    """A graph on which everything answers at once, unless said otherwise."""

    def __init__(self, silent: str = '', fault: str = '', twins: int = 1) -> None:
        self._silent = silent
        self._fault = fault
        self._twins = twins

    def ready(self, name: str) -> bool:
        return name != self._silent

    def fault(self) -> str:
        return self._fault

    def describe(self, name: str) -> str:
        return 'household' if name == 'bridge' else ''

    def twins(self, name: str) -> int:
        return self._twins


Wait = Callable[..., bool]


@pytest.fixture
def screen() -> io.StringIO:
    """What is printed, on both consoles."""
    return io.StringIO()


@pytest.fixture
def wait(tmp_path: Path, screen: io.StringIO) -> Wait:
    """Starts programs as nodes, waits for them and ends them."""

    def begin(programs: dict[str, str], graph: Graph, patience: float = _DEADLINE) -> bool:
        stack = Stack(
            [
                NodeProcess(name, [sys.executable, '-c', program], tmp_path / f'{name}.log')
                for name, program in programs.items()
            ]
        )
        stack.start()
        try:
            return wait_until_ready(
                stack, graph, Output(True, screen, screen), Interrupts(), patience, {}
            )
        finally:
            stack.stop()

    return begin


def test_a_line_says_that_a_node_is_ready_and_what_it_told(
    wait: Wait, screen: io.StringIO
) -> None:
    programs = {name: _READY.format(name) for name in ('bridge', 'planner')}
    assert wait(programs, Graph())
    lines = screen.getvalue().splitlines()
    assert sorted(line[:17] for line in lines) == ['+ bridge   ready ', '+ planner  ready ']
    assert any(line.endswith('  household') for line in lines)


def test_a_node_that_dies_ends_the_waiting_with_its_last_lines(
    wait: Wait, screen: io.StringIO
) -> None:
    with pytest.raises(NodeDied, match='The planner ended with exit status 3') as death:
        wait({'planner': 'print("this\\nwas it"); exit(3)'}, Graph(silent='planner'))
    assert death.value.exit_code is ExitCode.FAILED
    assert '  was it' in screen.getvalue()


def test_a_node_that_refuses_its_parameters_says_why_itself(
    wait: Wait, screen: io.StringIO
) -> None:
    program = 'import sys; print("no world \'mars\'", file=sys.stderr); exit(2)'
    with pytest.raises(NodeDied, match="The bridge cannot start: no world 'mars'") as death:
        wait({'bridge': program}, Graph(silent='bridge'))
    assert death.value.exit_code is ExitCode.UNUSABLE
    assert screen.getvalue() == ''


@pytest.fixture
def respawned(tmp_path: Path, screen: io.StringIO) -> Iterator[Callable[..., NodeProcess]]:
    """A node that was started, cared for until a condition holds."""
    stacks: list[Stack] = []

    def care_for(program: str, until: Callable[[NodeProcess, bool], bool]) -> NodeProcess:
        process = NodeProcess('planner', [sys.executable, '-c', program], tmp_path / 'log')
        stack = Stack([process])
        stacks.append(stack)
        stack.start()
        respawns = Respawns(Output(True, screen, screen), delay=0.01)
        deadline = time.monotonic() + _DEADLINE
        while not until(process, bool(respawns.care(stack))):
            assert time.monotonic() < deadline, screen.getvalue()
            process.wait(0.01)
        return process

    yield care_for
    for stack in stacks:
        stack.stop()


def test_a_node_that_was_killed_is_started_again_with_a_sentence(
    respawned: Callable[..., NodeProcess], screen: io.StringIO
) -> None:
    pids: list[int] = []

    def until(process: NodeProcess, given_up: bool) -> bool:
        assert not given_up
        if process.running and process.pid not in pids and process.is_announced():
            pids.append(process.pid)
            if len(pids) < 2:
                process.send(signal.SIGKILL)
        return 'ready again' in screen.getvalue()

    process = respawned(_READY.format('planner'), until)
    assert process.running and process.pid == pids[-1] and len(pids) == 2
    warning, ready = screen.getvalue().splitlines()
    assert warning == (
        '! The planner was ended by SIGKILL and is restarted (1 of 3 times in 10 min); '
        f'its log is {process.log}.'
    )
    assert ready.startswith('+ planner  ready again in ')
    # The log of before is still there.
    assert len(process.last_lines(5)) == 2


def test_a_node_that_dies_again_and_again_is_given_up(
    respawned: Callable[..., NodeProcess], screen: io.StringIO
) -> None:
    process = respawned('print("begun"); exit(3)', lambda process, given_up: given_up)
    assert process.last_lines(9) == ['begun'] * (1 + MOST_RESPAWNS)
    lines = screen.getvalue().splitlines()
    assert [f'({number} of 3 times' in lines[number - 1] for number in (1, 2, 3)] == [True] * 3
    assert len(lines) == 3


def test_a_node_that_refuses_what_it_was_given_is_not_started_again(
    respawned: Callable[..., NodeProcess], screen: io.StringIO
) -> None:
    process = respawned('print("no"); exit(2)', lambda process, given_up: given_up)
    assert process.last_lines(9) == ['no'] and screen.getvalue() == ''


def test_a_fault_a_twin_and_silence_are_told_apart(wait: Wait) -> None:
    programs = {'bridge': _READY.format('bridge')}
    with pytest.raises(ConfigurationError, match='no power'):
        wait(programs, Graph(silent='bridge', fault='no power'))
    with pytest.raises(ConfigurationError, match='Another bridge runs'):
        wait(programs, Graph(twins=2))
    with pytest.raises(ConfigurationError, match=r'not ready after 0\.2 s'):
        wait(programs, Graph(silent='bridge'), patience=0.2)


def test_another_node_of_the_same_name_does_not_pass_for_ours(wait: Wait) -> None:
    with pytest.raises(ConfigurationError, match='not ready'):
        wait({'bridge': 'import signal; signal.pause()'}, Graph(), patience=0.3)


def test_one_stack_holds_a_namespace_until_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('XDG_RUNTIME_DIR', str(tmp_path))
    with (
        StackLock(3, '/'),
        StackLock(3, '/robot_1'),
        StackLock(4, '/'),
        pytest.raises(ConfigurationError, match=f'process {os.getpid()} run in namespace /'),
    ):
        StackLock(3, '/').__enter__()
    with StackLock(3, '/'):
        pass


def test_a_place_without_room_for_locks_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('XDG_RUNTIME_DIR', '/nonexistent')
    with StackLock(3, '/'):
        pass


def test_a_domain_whose_port_is_taken_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    first = domains.free_domain()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(('', 7400 + 250 * first + 10))
        assert domains.free_domain() != first
    monkeypatch.setattr(domains, '_in_use', lambda domain: True)
    with pytest.raises(ConfigurationError, match='All ROS domains'):
        domains.free_domain()


@pytest.mark.parametrize(('text', 'domain'), [('', 0), ('7', 7), (' 42 ', 42), ('232', 232)])
def test_the_domain_is_that_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, text: str, domain: int
) -> None:
    monkeypatch.setenv('ROS_DOMAIN_ID', text)
    assert domains.current_domain() == domain


@pytest.mark.parametrize('text', ['233', '-1', 'one', '1.5'])
def test_a_domain_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv('ROS_DOMAIN_ID', text)
    with pytest.raises(ConfigurationError, match='0 to'):
        domains.current_domain()


def test_logs_go_where_ros_puts_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('ROS_LOG_DIR', raising=False)
    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    assert make_log_folder().parent == tmp_path / 'log'
    monkeypatch.setenv('ROS_LOG_DIR', '/dev/null/log')
    with pytest.raises(ConfigurationError, match='ROS_LOG_DIR'):
        make_log_folder()


def test_programs_are_found_in_a_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / 'lib' / 'reactree_ros' / 'some_node'
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere:{tmp_path}')
    assert find_executable('some_node') == program
    with pytest.raises(ConfigurationError, match='`make setup`'):
        find_executable('other_node')


def test_which_nodes_run_and_how_they_are_called() -> None:
    def names(**given: bool) -> list[str]:
        options = StackOptions(given=given)
        return [options.name_of(one) for one in options.nodes]

    assert names(with_bridge=True, memory=True) == ['bridge', 'memory', 'planner']
    assert names(memory=False) == ['planner']
    team = StackOptions('/home', {'memory': False}, robots=('left', 'right'))
    assert [team.name_of(one) for one in team.nodes] == [
        'home',
        'left/bridge',
        'right/bridge',
        'planner',
    ]
    assert full_name('/', 'planner') == '/planner'
    assert full_name('/a/b', 'planner') == '/a/b/planner'
