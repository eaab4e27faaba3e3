"""`reactree plot`: a picture of a run's tree."""

from __future__ import annotations

import argparse
from pathlib import Path

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree plot last                     writes <run id>.svg here
  reactree plot 3508702a --output tree.png
  reactree plot last --steps 0           goals only, without what the agents did
"""
#: Steps of an agent that are written out, unless told otherwise.
STEPS = 8


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(commands, 'plot', "draw a run's tree as SVG or PNG", run, _EXAMPLES)
    options.add_recorded_run(parser)
    options.add_run_of_bag(parser)
    options.add_journals(parser)
    parser.add_argument(
        '--output',
        metavar='FILE',
        type=Path,
        help='file to write, .svg or .png (default <run id>.svg)',
    )
    parser.add_argument(
        '--steps',
        type=options.whole,
        default=STEPS,
        metavar='N',
        help=f'steps to show per agent (default {STEPS})',
    )
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Read the run, draw it and write the file."""
    from reactree_core.record.journal import journal_directory
    from reactree_tools.output import Output
    from reactree_tools.recording.bag_names import bag_directory
    from reactree_tools.recording.bags import first_run
    from reactree_tools.viewer.pictures.plot import plot, write_picture
    from reactree_tools.viewer.sources import open_runs

    output = Output(args.plain)
    runs = open_runs(
        args.run_name, journal_directory(args.journals), args.run_id, output.warn, bag_directory()
    )
    recorded = first_run(runs, output.warn)
    entry = recorded.entries()[0]
    path = args.output or Path(f'{entry.run_id}.svg')
    write_picture(path, plot(recorded.events(entry.run_id), args.steps))
    output.console.print(str(path), highlight=False, soft_wrap=True)
    return ExitCode.OK
