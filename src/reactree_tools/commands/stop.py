"""`reactree stop`: stop robots, with or without our nodes, and release them again."""

from __future__ import annotations

import argparse
import sys

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.stopping.orders import choose, Order, StopResult

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


def run(args: argparse.Namespace) -> int:
    """Press or release; OK only where every robot is known to have done so."""
    order = Order(not args.release, args.namespace, args.robot, why=args.why)
    # Bridges that live stop by this alone, while ROS is still to be loaded here.
    chosen = choose(order)
    from reactree_tools.stopping.ros.robot_stop import carry_out

    return carry_out(order, chosen, _say).exit_code


def _say(result: StopResult) -> None:
    """Print what became of it. :param result: of the order."""
    for line in result.lines:
        print(line)
    sys.stdout.flush()
