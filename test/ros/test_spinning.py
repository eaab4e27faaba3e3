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
import uuid
from pathlib import Path

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.ros.node_name import Address, Claim
from support.waiting import wait_for

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


#: What a library that loads a model does: it calls back, and ignores what is raised there.
LOADING = """import ctypes
        load = ctypes.CFUNCTYPE(None)(lambda: print('example ready', flush=True)
            or threading.Event().wait(60.0))
        load(); threading.Event().wait({seconds})"""


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_start_that_does_not_hear_of_it(number):
    process = start(LOADING.format(seconds=60.0), grace=2.0)
    until(process, 'example ready')
    code, output, seconds = end(process, number)
    assert code == 3
    assert 'the start did not end in 2 s; leaving' in output
    assert seconds < allowed()


def test_a_signal_that_a_start_does_not_hear_of_ends_the_node_after_it():
    process = start(LOADING.format(seconds=0.5))
    until(process, 'example ready')
    code, output, _ = end(process, signal.SIGTERM)
    assert code == 0
    assert 'stopped' in output


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


@pytest.mark.parametrize(
    'error', ['RuntimeError("failed to create topic [rt/clock], at /a.c:1")',
              'ValueError("Failed to create action client: no topic [rt/clock]")']
)  # fmt: skip
def test_what_ros_refuses_is_a_sentence_only_where_its_security_is_on(error):
    for switch, code in (('true', 2), ('false', 1)):
        # From here on: ROS itself would look for a keystore.
        process = start(
            f'import os; os.environ["ROS_SECURITY_ENABLE"] = "{switch}"; raise {error}'
        )
        output, _ = process.communicate(timeout=START)
        assert process.returncode == code, output
        assert 'rt/clock' in output
        assert ('docs/sros2.md' in output) == (switch == 'true')
        assert ('Traceback' in output) == (switch == 'false')


def test_an_error_of_the_program_stays_one_where_security_is_on():
    process = start('import os; os.environ["ROS_SECURITY_ENABLE"] = "true"; raise ValueError("1")')
    output, _ = process.communicate(timeout=START)
    assert process.returncode == 1 and 'Traceback' in output


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


def test_work_that_never_ends_does_not_keep_the_process():
    begin = """self.is_working = True
        threading.Thread(target=threading.Event().wait, args=(60.0,)).start()
        self.create_timer(0.1, lambda: print('spinning', flush=True))"""
    process = start(begin, threads=3, grace=2.0)
    until(process, 'spinning')
    code, output, seconds = end(process, signal.SIGINT)
    assert code == 3
    assert 'its work did not end in 2 s' in output
    assert seconds < allowed()


TWIN = """
import sys

from rclpy.node import Node

from reactree_core.ros import node_name
from reactree_core.ros.node_name import NodeName
from reactree_core.ros.spinning import announce_ready
from reactree_core.ros.spinning import run_node

{elsewhere}


class Twin(Node):

    def __init__(self):
        super().__init__('twin', namespace='{namespace}')
        self.held_name = NodeName(self)
        announce_ready(self)


sys.exit(run_node(Twin))
"""
#: Processes on two machines do not share addresses.
ELSEWHERE = 'node_name.Address.__init__ = lambda self, *_: setattr(self, "_socket", None)'


@pytest.fixture
def start_twin():
    """Starts nodes of one name, as processes."""
    started = []
    namespace = f'/t{uuid.uuid4().hex[:8]}'

    def start_one(elsewhere=''):
        program = TWIN.format(namespace=namespace, elsewhere=elsewhere)
        started.append(
            subprocess.Popen(
                [sys.executable, '-c', program],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        return started[-1]

    yield start_one
    for process in started:
        process.kill()
        process.wait(START)
        process.stdout.close()


def ended(*processes):
    """The processes that have ended, when at least one has."""
    wait_for(lambda: any(one.poll() is not None for one in processes), 'an end', START)
    return [one for one in processes if one.poll() is not None]


@pytest.mark.parametrize('elsewhere', ['', ELSEWHERE], ids=['one machine', 'two machines'])
def test_the_second_node_of_a_name_says_so_and_does_not_serve(start_twin, elsewhere):
    first = start_twin(elsewhere)
    until(first, 'twin ready')
    second = start_twin(elsewhere)
    assert ended(first, second) == [second]
    output, _ = second.communicate(timeout=START)
    assert second.returncode == 2
    assert f'twin runs already (process {first.pid} on ' in output
    assert 'stop it, or use another namespace or ROS_DOMAIN_ID' in output
    assert 'Traceback' not in output
    if not elsewhere:
        assert 'twin ready' not in output


@pytest.mark.parametrize('elsewhere', ['', ELSEWHERE], ids=['one machine', 'two machines'])
def test_of_nodes_that_start_at_once_exactly_one_serves(start_twin, elsewhere):
    twins = [start_twin(elsewhere) for _ in range(3)]
    wait_for(lambda: sum(twin.poll() is not None for twin in twins) == 2, 'two ends', START)
    assert sorted(str(twin.poll()) for twin in twins) == ['2', '2', 'None']
    (kept,) = (twin for twin in twins if twin.poll() is None)
    until(kept, 'twin ready')
    code, _, _ = end(kept, signal.SIGINT)
    assert code == 0


@pytest.mark.parametrize('elsewhere', ['', ELSEWHERE], ids=['one machine', 'two machines'])
def test_a_killed_node_leaves_its_name_to_the_next(start_twin, elsewhere):
    for _ in range(3):
        twin = start_twin(elsewhere)
        until(twin, 'twin ready')
        twin.kill()
        twin.communicate()


def test_who_has_served_for_long_stays_whatever_the_clock_of_the_newcomer_says(start_twin):
    first = start_twin(f'{ELSEWHERE}; node_name.YIELDING = 0.0')
    until(first, 'twin ready')
    second = start_twin(f'{ELSEWHERE}; node_name.HEARING = 0.0; node_name.time.time = float')
    assert ended(first, second) == [second]
    assert second.returncode == 2


@pytest.mark.parametrize('text', ['', 'hello', '-1 0.0 k h', '0 nan k h', '0 1.0 k', 'x 1.0 k h'])
def test_what_is_no_claim_of_a_name_is_not_read_as_one(text):
    with pytest.raises(ValueError):
        Claim.read(text)


def test_a_holder_of_a_name_is_told_only_in_printable_words():
    assert Claim.read('1 2.0 key \x1b[2J').holder == 'elsewhere'
    assert Claim.read('1 2.0 key process 7 on robot').holder == 'process 7 on robot'


SPINNING = "self.create_timer(0.1, lambda: print('spinning', flush=True))"


def test_whoever_comes_second_third_or_tenth_is_told_who_holds_the_name():
    name = f'/{uuid.uuid4().hex}/bridge'
    first = Address(0, name)
    try:
        for _ in range(10):
            with pytest.raises(ConfigurationError, match=f'process {os.getpid()} on this machine'):
                Address(0, name)
    finally:
        first.close()


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
