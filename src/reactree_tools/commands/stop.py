"""`reactree stop`: press the emergency stop of the skill server, or release it."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree stop                          end the running skill; refuse every new one
  reactree stop --release                skills may run again
  reactree stop || echo "stop it by hand"     exit status 1: it is not known to have stopped
  ros2 topic pub --once /bridge/emergency_stop std_msgs/msg/Bool "{data: true}"
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'stop', 'emergency stop of the robot, until you release it', run, _EXAMPLES
    )
    parser.add_argument('--release', action='store_true', help='let skills run again')
    options.add_namespace(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Press it or release it; FAILED where it is pressed and something may still move."""
    from reactree_tools.output import Output
    from reactree_tools.ros.session import Session, set_emergency_stop

    output = Output(args.plain)
    with Session(args.namespace) as session:
        done, said = set_emergency_stop(session, not args.release)
    output.console.print(said, soft_wrap=True, markup=False)
    return ExitCode.OK if done else ExitCode.FAILED
