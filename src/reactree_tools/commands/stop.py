"""`reactree stop`: stop robots, with or without our nodes, and release them again."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode
from reactree_tools.stopping.orders import choose, interrupted_sentence, Order, StopResult

_EXAMPLES = """\
  reactree stop                          every robot here: end what it does, refuse new skills
  reactree stop --robot hermes           one of them
  reactree stop --why "a child is there"
  reactree stop --release                skills may run again, also before `reactree up`
  reactree stop || echo "stop it by hand"     exit status 1: not known to have stopped
  ros2 topic pub --once /bridge/emergency_stop std_msgs/msg/Bool "{data: true}"
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'stop', 'emergency stop of robots, until you release them', run, _EXAMPLES
    )
    parser.add_argument('--release', action='store_true', help='let skills run again')
    parser.add_argument(
        '--robot', default='', metavar='NAME', help='one robot, by its name or namespace'
    )
    parser.add_argument('--why', default='', metavar='TEXT', help='kept with the stop, and shown')
    options.add_namespace(parser)
    options.add_plain(parser)


#: What Fast DDS writes of shared memory that another process has left; the network serves as well.
_NOISE = b'RTPS_TRANSPORT_SHM'


def run(args: argparse.Namespace) -> int:
    """Press or release; OK only where every robot is known to have done so."""
    order = Order(not args.release, args.namespace, args.robot, why=args.why)
    said: list[StopResult] = []
    chosen = None

    def say(result: StopResult) -> None:
        said.append(result)
        _say(result)

    try:
        # The launcher has Ctrl-C wait for this; a time limit of a script ends it as that does.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)
        # Bridges that live stop by this alone, while ROS is still to be loaded here.
        chosen = choose(order)
        from reactree_tools.stopping.ros.robot_stop import carry_out

        with without(_NOISE):
            return carry_out(order, chosen, say).exit_code
    except KeyboardInterrupt:
        if not said:
            _say(StopResult(notes=[interrupted_sentence(order, chosen)]))
        return ExitCode.INTERRUPTED


@contextmanager
def without(words: bytes) -> Iterator[None]:
    """Keep lines off standard error, also those of libraries; all others come at the end.

    :param words: in such a line.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            for line in file:
                if words not in line:
                    os.write(2, line)


def _say(result: StopResult) -> None:
    """Print what became of it, where anybody reads that. :param result: of the order."""
    with suppress(OSError):
        for line in result.lines:
            print(line)
        sys.stdout.flush()
