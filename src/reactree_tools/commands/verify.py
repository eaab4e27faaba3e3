"""`reactree verify`: whether a run's journal is as it was written."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_tools.commands.parsers import Subparsers

_EXAMPLES = """\
  reactree verify last
  reactree verify 3508702a --closing 9f2c...      the hash from the run's result (record_hash)
  reactree verify 3508702a --key public.pem       the hash that the planner's record_key has signed

exit status: 0 whole, 1 changed, cut or not chained, 2 bad input
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'verify', "say whether a run's journal is as it was written", run, _EXAMPLES
    )
    parser.add_argument(
        'run_name',
        metavar='RUN',
        help="a journal, the first digits of a run's id, or last: the newest run",
    )
    closing = parser.add_mutually_exclusive_group()
    closing.add_argument('--closing', default='', metavar='HASH', help="of the run's result")
    closing.add_argument('--key', type=Path, metavar='FILE', help='public key, PEM')
    options.add_journals(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Follow the chain; fails where it is broken, or the end is missing."""
    from reactree_core.record.chain import signed_closing
    from reactree_core.record.chain import Verdict
    from reactree_core.record.chain import verify
    from reactree_core.record.journal import journal_directory
    from reactree_tools.output import Output
    from reactree_tools.viewer.sources import journal_path

    output = Output(args.plain)
    path = journal_path(args.run_name, journal_directory(args.journals))
    closing = args.closing.lower()
    if args.key is not None:
        closing = signed_closing(path, args.key)
    found = verify(path, closing)
    style = 'green' if found.verdict is Verdict.WHOLE else 'bold red'
    output.console.print(f'{found.verdict.value}: {path.stem}', style=style, markup=False)
    output.console.print(found.why, soft_wrap=True, markup=False, highlight=False)
    if found.closing:
        output.console.print(f'closing hash: {found.closing}', soft_wrap=True, highlight=False)
    if found.verdict is Verdict.WHOLE and not closing:
        output.console.print(
            'Whoever wrote all lines anew would not be seen: compare the closing hash with the '
            "run's result (--closing), or have it signed (--key).",
            soft_wrap=True,
        )
    return ExitCode.OK if found.verdict is Verdict.WHOLE else ExitCode.FAILED
