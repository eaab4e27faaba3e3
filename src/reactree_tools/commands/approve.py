"""`reactree approve`: answer the skill that waits for a person."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree approve                       show the skill, and answer with y or n
  reactree approve --yes
  reactree approve --no "the stove is hot"
  ros2 param set /planner require_approval true     from the next skill on
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'approve', 'approve or refuse the skill that waits', run, _EXAMPLES
    )
    answer = parser.add_mutually_exclusive_group()
    answer.add_argument('--yes', action='store_true', help='let the skill run')
    answer.add_argument(
        '--no',
        nargs='?',
        const='',
        metavar='REASON',
        help='refuse it; the planner reads the reason',
    )
    options.add_namespace(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Show what waits, and answer it."""
    from reactree_tools.output import Output
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.ros.approvals import ApprovalDesk, Approvals, request_lines
    from reactree_tools.ros.session import Session

    output = Output(args.plain)
    with Interrupts() as interrupts, Session(args.namespace) as session:
        approvals = Approvals(session)
        approvals.find()
        if not approvals.hear(interrupts):
            return ExitCode.INTERRUPTED
        waiting = approvals.waiting
        if waiting is None:
            output.console.print('No skill waits for approval.')
            return ExitCode.FAILED if args.yes or args.no is not None else ExitCode.OK
        if args.yes or args.no is not None:
            for line in request_lines(waiting, approvals.seconds_left, output):
                output.console.print(line, soft_wrap=True)
            output.console.print(f'  {approvals.answer(waiting, args.yes, args.no or "")}')
            return ExitCode.OK
        desk = ApprovalDesk(approvals, output, ask=True)
        return ExitCode.OK if desk.serve(interrupts) else ExitCode.INTERRUPTED
