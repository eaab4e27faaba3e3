"""The process behind ScienceWorld: begun, asked and ended in time; no Java is needed for that."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time

import pytest

from reactree_core.errors import ConfigurationError, SkillError
from sim_bridge.worlds.scienceworld.java import JavaProcess

#: Says two lines, then answers each line.
SERVER = (
    'import sys\nprint("7\\ntoken", flush=True)\nfor line in sys.stdin: print(line, flush=True)'
)
SILENT = 'import time\ntime.sleep(60)'


def python(program: str, lines: int = 2, start: float = 20.0) -> JavaProcess:
    return JavaProcess([sys.executable, '-c', program], lines, start)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def hang(process: JavaProcess) -> object:
    """A question that is answered by the end of the process alone."""
    while process.is_running:
        time.sleep(0.01)
    raise OSError('the connection is gone')


def test_what_it_says_first_is_kept_and_closing_ends_it():
    process = python(SERVER)
    assert [line.strip() for line in process.said] == ['7', 'token']
    assert process.ask(lambda: 3) == 3
    process.close()
    process.close()
    assert not process.is_running and not is_alive(process.pid)
    with pytest.raises(SkillError, match='has ended: reset the world'):
        process.ask(lambda: 3)


def test_nobody_who_lets_it_go_leaves_it_behind():
    process = python(SERVER)
    pid = process.pid
    del process
    gc.collect()
    assert not is_alive(pid)


def test_one_that_hangs_is_ended_at_the_deadline():
    process = python(SERVER)
    with pytest.raises(SkillError, match=r'did not answer within 0\.2 s: reset the world'):
        process.ask(lambda: hang(process), 0.2)
    assert not process.is_running


def test_one_that_dies_under_a_question_is_told_of():
    process = python(SERVER)

    def question() -> object:
        os.kill(process.pid, signal.SIGKILL)
        return hang(process)

    with pytest.raises(SkillError, match='has ended'):
        process.ask(question)


def test_its_own_errors_come_out_in_one_line():
    process = python(SERVER)

    def question() -> object:
        raise ValueError('no such object\n at java.lang')

    with pytest.raises(SkillError, match=r'^ScienceWorld failed: no such object$'):
        process.ask(question)
    process.close()


def test_one_that_says_nothing_in_time_or_ends_at_once_is_told_of():
    with pytest.raises(ConfigurationError, match=r'said nothing within 0\.2 s.*-version'):
        python(SILENT, start=0.2)
    with pytest.raises(ConfigurationError, match='ended at once'):
        python('pass')


def test_java_that_is_not_installed_is_asked_for():
    with pytest.raises(ConfigurationError, match='default-jre-headless'):
        JavaProcess(['/nowhere/java'], 2)


def test_it_ends_with_the_process_that_started_it():
    program = (
        'import os, sys\n'
        'from sim_bridge.worlds.scienceworld.java import JavaProcess\n'
        f'made = JavaProcess([sys.executable, "-c", {SERVER!r}], 2)\n'
        'print(made.pid, flush=True)\nos.kill(os.getpid(), 9)'
    )
    source = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, '-c', program],
        capture_output=True,
        text=True,
        timeout=50,
        env={**os.environ, 'PYTHONPATH': source},
        check=False,
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 20
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_alive(pid)
