"""How every node of the package starts, runs and ends."""

from __future__ import annotations

import ctypes
import gc
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import FrameType

import rclpy
from rclpy.context import Context
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future as SpinFuture

from reactree_core.errors import ConfigurationError
from reactree_core.ros.executor import PooledExecutor
from reactree_core.ros.node_name import NodeName

#: Seconds by which the loss of the node's name may be seen late.
NAME_POLL = 0.25
#: Whole seconds that the middleware gets to let go of a node whose work is done.
LET_GO = 2
#: Exit code when something given by the user cannot be used.
EXIT_CONFIGURATION = 2
#: Exit code when callbacks, or work of the node, did not end in time.
EXIT_STUCK = 3

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SIGEV_THREAD = 2


def announce_ready(node: Node) -> None:
    """Log the one line that launchers and tests wait for: '<node> ready'."""
    node.get_logger().info(f'{node.get_name()} ready')


def run_node(
    factory: Callable[[], Node],
    threads: int = 1,
    arguments: Sequence[str] | None = None,
    grace: float = 4.0,
) -> int:
    """Make a node, run it until SIGINT, SIGTERM or a shutdown, and clean up.

    A node that has work of its own gives a method `stop()`: it is called first, while messages
    still flow, so that a running goal can end with a result. Work that may not end for all that
    is given by a property `is_working`.

    :param factory: makes the node, after ROS is initialised.
    :param threads: of the executor; 1 takes the single-threaded one.
    :param arguments: command line with --ros-args; None takes that of the process.
    :param grace: seconds that the factory, or running callbacks, get to end after a signal.
    :return: exit code: 0; 2 when the factory raised ConfigurationError, the arguments are bad or
        the name is another node's, 3 when the factory, callbacks or work did not end (one sentence
        goes to the standard error stream).
    """
    made = False
    code = 0

    def stop(number: int, frame: FrameType | None) -> None:
        if not made:
            raise KeyboardInterrupt  # whatever the factory waits for

    # A pipe that the system writes to: a handler that set an Event would wait for ever when it
    # comes while this thread holds the Event's lock.
    stopped, wake = os.pipe()
    os.set_blocking(wake, False)
    before = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    # rclpy's own handlers shut the middleware down at once; these leave time for a last result.
    handlers = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        try:
            _initialise(arguments)
            with _starting((stopped, wake), grace):
                node = factory()
        except ConfigurationError as error:
            sys.stderr.write(f'{error}\n')
            code = EXIT_CONFIGURATION
            return code
        except (RuntimeError, ValueError) as error:
            sentence = refusal(error)
            if not sentence:
                raise
            sys.stderr.write(f'{sentence}\n')
            code = EXIT_CONFIGURATION
            return code
        except KeyboardInterrupt:
            return code
        finally:
            made = True
        executor = SingleThreadedExecutor() if threads == 1 else PooledExecutor(threads)
        executor.add_node(node)
        return _spin(node, executor, (stopped, wake), grace)
    finally:
        with leaving(code):
            rclpy.try_shutdown()
            gc.collect()  # a node that was not finished ends here too
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        os.close(stopped)
        os.close(wake)


class NodesInThread:
    """Nodes that a thread spins while the program does something else.

    Executor.shutdown() in one thread destroys what a spinning one waits with; here the spinning
    ends first, and the callbacks with it.

    :param context: of the nodes.
    :param nodes: what is spun; destroyed at the end.
    :param threads: of the executor; 1 takes the single-threaded one.
    """

    def __init__(self, context: Context, *nodes: Node, threads: int = 1) -> None:
        self._nodes = nodes
        self._executor: Executor = (
            SingleThreadedExecutor(context=context)
            if threads == 1
            else PooledExecutor(threads, context=context)
        )
        for node in nodes:
            self._executor.add_node(node)
        self._ending = SpinFuture()
        self._spinner = ThreadPoolExecutor(1, 'executor')
        self._spinning: Future[None] | None = None

    def start(self) -> None:
        """Spin from now on."""
        self._spinning = self._spinner.submit(_spin_until, self._ending, self._executor)

    def end(self, grace: float = 4.0) -> None:
        """Stop the nodes that have a `stop()`, end the spinning and destroy the nodes.

        :param grace: seconds that running callbacks get to end.
        :raises TimeoutError: they did not.
        """
        deadline = time.monotonic() + grace
        for node in self._nodes:
            if hasattr(node, 'stop'):
                node.stop()
        self._ending.set_result(None)
        if self._spinning is not None and not _is_idle(self._executor, self._spinning, deadline):
            raise TimeoutError(f'callbacks did not end in {grace:g} s')
        self._executor.shutdown()
        for node in self._nodes:
            node.destroy_node()
        self._spinner.shutdown()
        if self._spinning is not None:
            self._spinning.result()  # raises what a callback raised


def _initialise(arguments: Sequence[str] | None) -> None:
    try:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:  # a bad --ros-args line or an unreadable parameter file
        raise ConfigurationError(
            f'ROS does not take these arguments: {reason_of(error)}{security_hint()}'
        ) from None


def reason_of(error: Exception) -> str:
    """What an error of rclpy says, on one line, without the places in its sources."""
    return ' '.join(str(error).split(', at /', maxsplit=1)[0].split())


def refusal(error: RuntimeError | ValueError) -> str:
    """A sentence for what ROS refused with its security on; '' for any other error."""
    hint = security_hint()
    # rclpy has a ValueError for an action's client, and its own RuntimeError for all else.
    ours = isinstance(error, ValueError) and 'ailed to create' not in str(error)
    return '' if ours or not hint else f'ROS refuses this: {reason_of(error)}.{hint}'


def security_hint() -> str:
    """Where to look when ROS refuses what it usually permits; '' where its security is off."""
    if os.environ.get('ROS_SECURITY_ENABLE') != 'true':
        return ''
    return (
        ' The security of ROS is on (ROS_SECURITY_ENABLE): look whether the policy of this '
        'enclave permits it, and is for this ROS_DOMAIN_ID (docs/sros2.md).'
    )


class _SignalEvent(ctypes.Structure):
    """Linux' struct sigevent for a function that is called in a new thread."""

    _fields_ = (
        ('value', ctypes.c_void_p),
        ('signal', ctypes.c_int),
        ('notify', ctypes.c_int),
        ('function', ctypes.c_void_p),
        ('rest', ctypes.c_void_p * 5),
    )


@contextmanager
def leaving(code: int, seconds: int = LET_GO) -> Iterator[None]:
    """End the process with this code when what is done here takes longer.

    A participant that ends while it hears of others may turn for ever (Fast DDS 3.2 built for C
    libraries older than 2.30: eProsima/Fast-DDS issue 6513), and rclpy keeps Python's lock all
    the while: no thread of Python and no signal handler could end that, so the system calls
    _exit.

    :param code: exit code.
    :param seconds: whole ones, 1 or more.
    """
    if not sys.platform.startswith('linux'):
        yield
        return
    system = ctypes.CDLL(None)
    leave = ctypes.cast(system._exit, ctypes.c_void_p)
    event = _SignalEvent(code, 0, _SIGEV_THREAD, leave)
    timer = ctypes.c_void_p()
    system.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer))
    system.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 0, seconds, 0), None)
    try:
        yield
    finally:
        system.timer_delete(timer)


@contextmanager
def _starting(pipe: tuple[int, int], grace: float) -> Iterator[None]:
    """End the process when what is done here goes on for long after a signal.

    A library that loads a model runs for long without a look at signals, or calls back into
    Python, where what the handler raises is ignored. Python's lock is free all the while.

    :param pipe: that the system writes signals to, and its other end.
    :param grace: seconds.
    """
    end, wake = pipe
    done, tell = os.pipe()

    def watch() -> None:
        number = 0
        while number not in _SIGNALS:
            if done in select.select([end, done], [], [])[0]:
                return
            number = os.read(end, 1)[0]
        os.write(wake, bytes([number]))  # for whoever looks at the pipe after the start
        if not select.select([done], [], [], grace)[0]:
            sys.stderr.write(f'the start did not end in {grace:g} s; leaving\n')
            sys.stderr.flush()
            os._exit(EXIT_STUCK)

    watcher = threading.Thread(target=watch, name='start', daemon=True)
    watcher.start()
    try:
        yield
    finally:
        os.close(tell)
        watcher.join()
        os.close(done)


def _has_ended(end: int) -> bool:
    """Whether a signal, or the executor's end, came through the pipe in a quarter of a second."""
    readable = select.select([end], [], [], NAME_POLL)[0]
    return bool(readable) and os.read(end, 1)[0] in (0, *_SIGNALS)


def _spin(node: Node, executor: Executor, stopped: tuple[int, int], grace: float) -> int:
    # The main thread only waits: a Python signal handler cannot run while it is inside rcl.
    ending = SpinFuture()
    end, wake = stopped
    with ThreadPoolExecutor(1, 'executor') as spinner:
        spinning = spinner.submit(_spin_until, ending, executor)
        spinning.add_done_callback(lambda _: os.write(wake, b'\0'))
        while not _has_ended(end) and not _trouble(node):
            pass
        deadline = time.monotonic() + grace
        if hasattr(node, 'stop'):
            node.stop()
        _settle(executor, spinning, deadline)
        ending.set_result(None)
        idle = _is_idle(executor, spinning, deadline)
        if not idle or getattr(node, 'is_working', False):
            # The end of Python waits for every thread.
            what = 'its work' if idle else 'callbacks'
            sys.stderr.write(f'{node.get_name()}: {what} did not end in {grace:g} s; leaving\n')
            sys.stderr.flush()
            os._exit(EXIT_STUCK)
        executor.shutdown()
        with leaving(1 if spinning.exception() else 0):
            node.destroy_node()
        spinning.result()  # raises what a callback raised
    if _trouble(node):
        sys.stderr.write(f'{_trouble(node)}\n')
        return EXIT_CONFIGURATION
    return 0


def _trouble(node: Node) -> str:
    """Why a node that holds its name (node_name.py) must give it up."""
    held: NodeName | None = getattr(node, 'held_name', None)
    return held.trouble if held is not None else ''


def _settle(executor: Executor, spinning: Future[None], deadline: float) -> None:
    """Let messages out that follow from what was just stopped.

    rclpy sends the result of a goal in a task of its own, after the task that has finished it.
    """
    for _ in range(3):
        turn = threading.Event()
        executor.create_task(turn.set)
        while not turn.wait(0.05) and not spinning.done() and time.monotonic() < deadline:
            pass


def _spin_until(ending: SpinFuture, executor: Executor) -> None:
    try:
        executor.spin_until_future_complete(ending)
    except ExternalShutdownException:
        pass


def _is_idle(executor: Executor, spinning: Future[None], deadline: float) -> bool:
    """Wait for the spinning thread and for callbacks in the executor's other threads.

    Executor.shutdown() promises the latter, but rclpy 9 forgets it, and callbacks that still run
    then stumble over destroyed handles.
    """
    done = wait([spinning], max(0.0, deadline - time.monotonic())).done
    return bool(done) and executor._work_tracker.wait(max(0.0, deadline - time.monotonic()))
