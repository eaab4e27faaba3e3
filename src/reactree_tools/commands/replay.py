"""`reactree replay`: a recorded run in the terminal."""

from __future__ import annotations

import argparse
import sys

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree replay last                   space pauses, arrows step and change the speed, q quits
  reactree replay 3508702a --speed 8
  reactree replay ~/from_the_robot/bag --plain | less
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(commands, 'replay', 'play a recorded run in the terminal', run, _EXAMPLES)
    options.add_bag(parser)
    parser.add_argument(
        '--speed',
        type=options.positive_seconds,
        default=1.0,
        metavar='X',
        help='speed relative to the run (default 1)',
    )
    parser.add_argument('--step', action='store_true', help='start paused, to step by hand')
    parser.add_argument('--full', action='store_true', help='do not shorten long observations')
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Read the run and play it; where no keys can be pressed, print it."""
    from reactree_core.record.journal import journal_directory
    from reactree_tools.output import Output
    from reactree_tools.recording.bag_names import bag_directory
    from reactree_tools.recording.bags import first_run
    from reactree_tools.recording.ros.run_reading import open_runs
    from reactree_tools.viewer.sources import bag_name
    from reactree_tools.viewer.terminal.replay_view import Player, print_run, ReplayView

    output = Output(args.plain)
    bags = bag_directory(args.bags)
    record = bag_name(args.bag, journal_directory(), bags, output.warn)
    runs = open_runs(record, bags, args.run_id, output.warn)
    recorded = first_run(runs, output.warn)
    player = Player(recorded.events, args.speed)
    player.playing = not args.step
    if output.live and sys.stdin.isatty():
        ReplayView(player, output, args.full).run()
    else:
        print_run(player, output, args.full)
    return ExitCode.OK
