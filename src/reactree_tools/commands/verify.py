"""`reactree verify`: whether a run's journal or bag is as it was written."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_core.record.chain import Verification
    from reactree_tools.output import Output

_EXAMPLES = """\
  reactree verify last
  reactree verify 3508702a --closing 9f2c...      the hash from the run's result (record_hash)
  reactree verify 3508702a --key public.pem       the hash that the planner's record_key has signed
  reactree verify ~/bags/3508702a7f2841989421a744d6f34daf --closing 9f2c...

exit status: 0 whole, 1 changed, cut or not chained, 2 bad input
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        'verify',
        "say whether a run's journal or bag is as it was written",
        run,
        _EXAMPLES,
    )
    options.add_recorded_run(parser)
    closing = parser.add_mutually_exclusive_group()
    closing.add_argument('--closing', default='', metavar='HASH', help="of the run's result")
    closing.add_argument('--key', type=Path, metavar='FILE', help='public key, PEM')
    options.add_run_of_bag(parser)
    options.add_journals(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Follow the chain of each run; fails where one is broken, or its end is missing."""
    from reactree_core.record.chain import Verdict
    from reactree_tools.output import Output

    output = Output(args.plain)
    ok, known = True, bool(args.closing or args.key)
    for run_id, found in _verifications(args, output):
        whole = found.verdict is Verdict.WHOLE
        ok &= whole
        style = 'green' if whole else 'bold red'
        output.console.print(f'{found.verdict.value}: {run_id}', style=style, markup=False)
        output.console.print(found.why, soft_wrap=True, markup=False, highlight=False)
        if found.closing:
            output.console.print(f'closing hash: {found.closing}', soft_wrap=True, highlight=False)
        if whole and not known:
            output.console.print(
                'Whoever wrote everything anew would not be seen: compare the closing hash with '
                "the run's result (--closing), or have it signed (--key).",
                soft_wrap=True,
            )
    return ExitCode.OK if ok else ExitCode.FAILED


def _verifications(args: argparse.Namespace, output: Output) -> Iterator[tuple[str, Verification]]:
    """What is found of each run of a record, by its id."""
    from reactree_core.record.chain import signed_closing, verify, verify_events
    from reactree_core.record.journal import journal_directory
    from reactree_tools.recording.bag_names import bag_directory
    from reactree_tools.viewer.sources import is_bag, journal_path, named_path

    journals = journal_directory(args.journals)

    def closing_of(journal: Path) -> str:
        """The hash that the record must end with; '' where nobody says so."""
        return signed_closing(journal, args.key) if args.key else args.closing.lower()

    bag = named_path(args.run_name, journals, bag_directory(), readable=False)
    if not is_bag(bag):
        path = bag if bag.is_file() else journal_path(args.run_name, journals)
        yield path.stem, verify(path, closing_of(path))
        return
    # Messages need ROS; journals do not.
    from reactree_tools.recording.ros.run_reading import runs_of

    for one in runs_of(bag, args.run_id, output.warn):
        closing = closing_of(journals / f'{one.run_id}.jsonl')
        yield one.run_id, verify_events(one.events, closing, one.twice)
