"""`reactree tree`: the agent tree of a recorded run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_tools.commands.parsers import Subparsers

_EXAMPLES = """\
  reactree tree last
  reactree tree 3508702a --transcript
  reactree tree ~/from_the_robot/3508702a7f2841989421a744d6f34daf.jsonl --plain
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(commands, 'tree', 'draw the tree of a recorded run', run, _EXAMPLES)
    parser.add_argument(
        'run_name',
        metavar='RUN',
        help="a journal, a bag, the first digits of a run's id, or last: the newest run",
    )
    options.add_run_of_bag(parser)
    options.add_journals(parser)
    parser.add_argument(
        '--transcript', action='store_true', help='also what every agent thought, did and saw'
    )
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Read the run and draw it."""
    from reactree_core.record.journal import journal_directory
    from reactree_tools.output import Output
    from reactree_tools.recording.bags import first_run
    from reactree_tools.viewer.sources import open_runs
    from reactree_tools.views.replay_view import show_record

    output = Output(args.plain)
    runs = open_runs(args.run_name, journal_directory(args.journals), args.run_id, output.warn)
    recorded = first_run(runs, output.warn)
    show_record(recorded, output, args.transcript)
    return ExitCode.OK
