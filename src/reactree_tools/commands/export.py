"""`reactree export`: a recorded run as JSON lines, or as experiences for a memory."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_tools.commands.parsers import Subparsers

_EXAMPLES = """\
  reactree export last | jq .skill
  reactree export 3508702a run.jsonl
  reactree export last lessons.jsonl --experiences && reactree memory import lessons.jsonl
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(commands, 'export', 'write a recorded run as JSON lines', run, _EXAMPLES)
    options.add_bag(parser)
    parser.add_argument('file', nargs='?', type=Path, metavar='FILE', help='default: the terminal')
    parser.add_argument(
        '--experiences',
        action='store_true',
        help='as experiences for `reactree memory import`, instead of events',
    )
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Read the run and write it."""
    from memory_server.exchange.json_lines import write_line
    from reactree_core.errors import ConfigurationError
    from reactree_planner.tree.journal import encode_event
    from reactree_planner.tree.trajectory import trajectories_of
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count
    from reactree_tools.recording.bags import bag_directory
    from reactree_tools.recording.bags import first_run
    from reactree_tools.recording.ros.run_reading import open_runs

    output = Output(args.plain)
    runs = open_runs(args.bag, bag_directory(args.bags), args.run_id)
    recorded = first_run(runs, output.warn)
    if args.experiences:
        recorded.start  # noqa: B018  tells what is missing
        kept = trajectories_of(recorded.events).experiences(recorded.run_id)
        lines = [write_line(experience) for experience in kept]
        what = count(len(lines), 'experience')
    else:
        lines = [encode_event(event) for event in recorded.events]
        what = count(len(lines), 'event')
    text = ''.join(f'{line}\n' for line in lines)
    if args.file is None:
        sys.stdout.write(text)
        return ExitCode.OK
    try:
        args.file.write_text(text, encoding='utf-8')
    except OSError as error:
        raise ConfigurationError(f'{args.file} cannot be written: {error.strerror}.') from error
    output.console.print(f'{what} written to {args.file}.', soft_wrap=True)
    return ExitCode.OK
