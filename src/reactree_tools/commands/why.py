"""`reactree why`: why a recorded run did what it did, in sentences; no model is asked."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree why last "why pick up apple 1?"
  reactree why last "why not open fridge 1?" --permission config/permission.yaml
  reactree why 3508702a "why skill 12?"
  reactree why ~/bags/3508702a7f2841989421a744d6f34daf "why did it end?"
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(commands, 'why', 'say why a recorded run did what it did', run, _EXAMPLES)
    options.add_recorded_run(parser)
    parser.add_argument(
        'question',
        metavar='QUESTION',
        help='"why SKILL", "why not SKILL" or "why did it end", in quotation marks',
    )
    parser.add_argument(
        '--permission', default='', metavar='FILE', help='file of rules that the run had'
    )
    options.add_run_of_bag(parser)
    options.add_bags(parser)
    options.add_journals(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Read the run, and answer."""
    from reactree_core.permission.rules_file import read_rules
    from reactree_core.record.journal import journal_directory
    from reactree_tools.output import Output
    from reactree_tools.recording.bag_names import bag_directory
    from reactree_tools.recording.bags import first_run
    from reactree_tools.recording.reasons import RunReasons
    from reactree_tools.traces import audited
    from reactree_tools.viewer.declared_runs import open_declared_run

    output = Output(args.plain)
    runs = open_declared_run(
        args.run_name,
        journal_directory(args.journals),
        bag_directory(args.bags),
        args.run_id,
        output.warn,
    )
    recorded = first_run(runs, output.warn)
    task_rules = audited(recorded.run_id, recorded.records, recorded.vocabulary).task_rules
    reasons = RunReasons(
        recorded.events, recorded.vocabulary, read_rules(args.permission), task_rules
    )
    for sentence in reasons.answer(args.question):
        output.console.print(sentence, soft_wrap=True, markup=False, highlight=False)
    return ExitCode.OK
