"""`reactree watch`: the tree of whichever run is under way, in the terminal."""

from __future__ import annotations

import argparse
import math
import time

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree watch                         over ssh, beside a robot that plans
  reactree watch --namespace robot_1
  reactree watch --once > run.txt        the transcript of one run, then ends
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'watch', 'watch the tree of a running planner in the terminal', run, _EXAMPLES
    )
    options.add_namespace(parser)
    options.add_journals(parser)
    parser.add_argument('--once', action='store_true', help='exit when this run ends')
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Watch until Ctrl-C, or until the run ends."""
    from reactree_core.record.journal import journal_directory
    from reactree_tools.output import Output
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.ros.approvals import Approvals
    from reactree_tools.ros.session import FIND_SECONDS, nobody_there, Session
    from reactree_tools.viewer.ros.planner_feed import PlannerFeed
    from reactree_tools.viewer.sources import JournalFolder
    from reactree_tools.viewer.terminal.watch_display import WatchDisplay

    output = Output(args.plain)
    journals = JournalFolder(journal_directory(args.journals))
    with Interrupts() as interrupts, Session(args.namespace) as session:
        approvals = Approvals(session)
        display = WatchDisplay(output, lambda: approvals.waiting_skill)
        PlannerFeed(session.node, display.begin, journals.events)
        with display:
            report_by = time.monotonic() + FIND_SECONDS
            while not interrupts.wait(display.period):
                display.tick()
                if time.monotonic() >= report_by:
                    report_by = math.inf
                    if not session.node.count_publishers('planner/decisions'):
                        display.say(nobody_there('planner', session))
                if args.once and display.ended:
                    return ExitCode.OK
    return ExitCode.INTERRUPTED if args.once else ExitCode.OK
