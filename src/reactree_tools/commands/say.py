"""`reactree say`: correct the task of a run while it is under way."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree say no, the other one
  reactree say leave the juice
  reactree say and a plate too
  reactree say never touch the vase
  reactree say wait                      nothing more is done, until:
  reactree say go on
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'say', 'say something to the run that is under way (docs/corrections.md)', run,
        _EXAMPLES,
    )  # fmt: skip
    parser.add_argument('words', nargs='+', metavar='TEXT', help='what is to be otherwise')
    parser.add_argument(
        '--run', dest='run_id', type=options.run_id, metavar='RUN', help='only to this run'
    )
    options.add_namespace(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Say it; the run says what follows, where it is followed."""
    from reactree_tools.output import Output
    from reactree_tools.ros.saying import say
    from reactree_tools.ros.session import Session

    output = Output(args.plain)
    with Session(args.namespace) as session:
        output.console.print(say(session, ' '.join(args.words), args.run_id or ''), soft_wrap=True)
    return ExitCode.OK
