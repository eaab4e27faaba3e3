"""`reactree cancel`: end the run that a planner is at work on."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree cancel                        whoever sent the task: its skill is canceled too
  reactree cancel --namespace robot_1
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'cancel', 'cancel the run that the planner is at work on', run, _EXAMPLES
    )
    options.add_namespace(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Cancel it, and say which one it was."""
    from reactree_tools.output import Output
    from reactree_tools.ros.run_at_work import RunAtWork
    from reactree_tools.ros.session import Session

    output = Output(args.plain)
    with Session(args.namespace) as session:
        name, ended = RunAtWork(session).cancel()
    if not name:
        output.console.print('No run is at work.')
        return ExitCode.FAILED
    if not ended:
        output.warn(f"{name} is canceled, and has not ended yet: look at the planner's log.")
        return ExitCode.FAILED
    output.console.print(f'Canceled: {name}.', soft_wrap=True, markup=False)
    return ExitCode.OK
