"""`reactree tree`: the agent tree of a recorded run."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree tree last
  reactree tree 3508702a --transcript
  reactree tree last --why "open gate 2"
  reactree tree ~/from_the_robot/3508702a7f2841989421a744d6f34daf.jsonl --plain
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(commands, 'tree', 'draw the tree of a recorded run', run, _EXAMPLES)
    options.add_recorded_run(parser)
    options.add_run_of_bag(parser)
    options.add_journals(parser)
    parser.add_argument(
        '--transcript', action='store_true', help='also what every agent thought, did and saw'
    )
    parser.add_argument(
        '--why',
        default='',
        metavar='SKILL',
        help='also why a skill was done, who allowed it, and what takes it back',
    )
    options.add_bags(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Read the run and draw it."""
    from reactree_core.record.journal import journal_directory
    from reactree_tools.output import Output
    from reactree_tools.recording.bag_names import bag_directory
    from reactree_tools.recording.bags import first_run
    from reactree_tools.viewer.sources import open_runs
    from reactree_tools.viewer.terminal.replay_view import show_record

    output = Output(args.plain)
    runs = open_runs(
        args.run_name,
        journal_directory(args.journals),
        args.run_id,
        output.warn,
        bag_directory(args.bags),
    )
    recorded = first_run(runs, output.warn)
    show_record(recorded, output, args.transcript)
    if args.why:
        from reactree_tools.recording.reasons import RunReasons
        from reactree_tools.viewer.declared_runs import open_declared_run

        opened = open_declared_run(
            args.run_name,
            journal_directory(args.journals),
            bag_directory(args.bags),
            recorded.run_id,
        )[0]
        for sentence in RunReasons(opened.events, opened.vocabulary).answer(f'why {args.why}'):
            output.console.print(sentence, soft_wrap=True, markup=False, highlight=False)
    return ExitCode.OK
