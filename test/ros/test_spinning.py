"""How nodes start, run and end, as processes."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

#: Seconds that a start may take on a busy machine.
START = 30.0
#: Seconds within which a signal must have ended a process.
END = 5.0

#: Number of the system call, which Python does not have.
TGKILL = 234 if platform.machine() == 'x86_64' else 131

PROGRAM = """
import sys
import threading

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from reactree_core.errors import ConfigurationError
from reactree_core.ros.spinning import announce_ready
from reactree_core.ros.spinning import run_node


class Example(Node):

    def __init__(self):
        super().__init__('example')
        {begin}
        announce_ready(self)

    def stop(self):
        print('stopped', flush=True)


sys.exit(run_node(Example, threads={threads}, grace={grace}))
"""


def allowed():
    """Seconds that the end may take: longer on a machine with more to do than it can."""
    return END * max(1.0, os.getloadavg()[0] / os.cpu_count())


def start(begin='pass', threads=1, arguments=(), grace=None):
    grace = allowed() if grace is None else grace
    program = textwrap.dedent(PROGRAM).format(begin=begin, threads=threads, grace=grace)
    return subprocess.Popen(
        [sys.executable, '-c', program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def until(process, words):
    lines = []
    for line in process.stdout:
        lines.append(line)
        if words in line:
            return
    raise AssertionError(''.join(lines))


def end(process, number):
    began = time.monotonic()
    process.send_signal(number)
    output, _ = process.communicate(timeout=START)
    return process.returncode, output, time.monotonic() - began


@pytest.mark.parametrize('threads', [1, 3])
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_node_and_ends_with_code_0(number, threads):
    process = start("self.create_timer(0.1, lambda: print('spinning', flush=True))", threads)
    until(process, 'spinning')
    code, output, seconds = end(process, number)
    assert (code, set(output.split()) - {'spinning'}) == (0, {'stopped'})
    assert seconds < allowed()


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='uses a call of Linux')
def test_a_signal_that_another_thread_gets_ends_it_too():
    process = start("self.create_timer(0.1, lambda: print('spinning', flush=True))")
    until(process, 'spinning')
    thread = max(int(entry.name) for entry in Path(f'/proc/{process.pid}/task').iterdir())
    libc = ctypes.CDLL(None)
    assert thread != process.pid
    # tgkill: what the system does with a second signal, when a first one is on its way.
    assert libc.syscall(TGKILL, process.pid, thread, signal.SIGINT) == 0
    output, _ = process.communicate(timeout=START)
    assert process.returncode == 0
    assert 'stopped' in output


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_start_that_takes_long(number):
    process = start("print('example ready', flush=True); threading.Event().wait(60.0)")
    until(process, 'example ready')
    code, output, seconds = end(process, number)
    assert (code, output) == (0, '')
    assert seconds < allowed()


def test_a_shutdown_from_inside_ends_with_code_0():
    process = start('self.create_timer(0.1, self.context.shutdown)')
    until(process, 'example ready')
    output, _ = process.communicate(timeout=START)
    assert process.returncode == 0
    assert 'Traceback' not in output


def test_a_configuration_error_is_one_sentence_and_code_2():
    process = start('raise ConfigurationError("no such world: choose household")')
    output, _ = process.communicate(timeout=START)
    assert process.returncode == 2
    assert output == 'no such world: choose household\n'


def test_bad_ros_arguments_are_one_sentence_and_code_2():
    process = start(arguments=['--ros-args', '--params-file', '/no/such/file.yaml'])
    output, _ = process.communicate(timeout=START)
    assert process.returncode == 2
    assert 'ROS does not take these arguments' in output
    assert '/no/such/file.yaml' in output
    assert 'Traceback' not in output


def test_an_error_in_a_callback_is_not_hidden():
    process = start('self.create_timer(0.1, lambda: 1 / 0)')
    until(process, 'example ready')
    output, _ = process.communicate(timeout=START)
    assert process.returncode == 1
    assert 'ZeroDivisionError' in output


@pytest.mark.parametrize('threads', [1, 3])
def test_a_callback_that_never_ends_does_not_keep_the_process(threads):
    begin = """self.create_timer(0.1, lambda: (print('hanging', flush=True),
            threading.Event().wait(60.0)), callback_group=ReentrantCallbackGroup())"""
    process = start(begin, threads, grace=2.0)
    until(process, 'hanging')
    code, output, seconds = end(process, signal.SIGINT)
    assert code == 3
    assert 'callbacks did not end in 2 s' in output
    assert seconds < allowed()


SPINNING = "self.create_timer(0.1, lambda: print('spinning', flush=True))"


def test_a_middleware_that_does_not_let_go_of_the_node_does_not_keep_the_process():
    begin = f"""{SPINNING}
        import ctypes
        self.destroy_node = lambda: ctypes.PyDLL(None).sleep(60)  # Python's lock is kept"""
    process = start(begin)
    until(process, 'spinning')
    code, output, seconds = end(process, signal.SIGINT)
    assert (code, 'stopped' in output) == (0, True)
    assert seconds < allowed()


def test_a_signal_is_obeyed_also_while_a_wait_holds_its_lock():
    begin = f"""{SPINNING}
        import signal
        def trace(frame, event, argument):
            if event == 'line' and frame.f_code is threading.Event.wait.__code__:
                event, timeout = frame.f_locals['self'], frame.f_locals['timeout']
                if timeout is not None and event._cond._lock.locked():
                    sys.settrace(None)
                    signal.raise_signal(signal.SIGINT)
            return trace
        sys.settrace(trace)"""
    process = start(begin)
    until(process, 'example ready')
    timer = threading.Timer(1.0, process.send_signal, [signal.SIGINT])
    timer.start()
    output, _ = process.communicate(timeout=START)
    timer.join()
    assert process.returncode == 0
    assert 'stopped' in output
