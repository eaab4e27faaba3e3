"""`reactree conformance`: whether a robot's skill server keeps the contract."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_core.conformance import ClauseResult

_EXAMPLES = """\
  reactree conformance                        without moving the robot
  reactree conformance --move                 the robot moves: be ready to stop it
  reactree conformance --bridge my_skills --namespace robot_1 --move
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        'conformance',
        'check a skill server against the robot contract',
        run,
        _EXAMPLES,
    )
    parser.add_argument(
        '--bridge', default='bridge', metavar='NAME', help='node name of the skill server'
    )
    parser.add_argument(
        '--status',
        default='bridge_status',
        metavar='TOPIC',
        help='status topic of the skill server',
    )
    parser.add_argument(
        '--move', action='store_true', help='also execute a few skills: THE ROBOT MOVES'
    )
    parser.add_argument(
        '--skill-seconds',
        type=options.positive_seconds,
        default=60.0,
        metavar='S',
        help='longest wait for a skill to end (default 60)',
    )
    options.add_namespace(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Try every clause and say one line about each."""
    from rich.text import Text

    from reactree_core.conformance import Verdict
    from reactree_tools.output import Output
    from reactree_tools.plain_text import visible
    from reactree_tools.ros.conformance.robot_contract import check_skill_server
    from reactree_tools.ros.conformance.trial import Patience
    from reactree_tools.ros.session import Session

    output = Output(args.plain)
    styles = {Verdict.KEPT: 'green', Verdict.BROKEN: 'bold red', Verdict.NOT_TRIED: 'yellow'}

    def say(result: ClauseResult) -> None:
        line = Text(f'{result.verdict.value:<9}', styles[result.verdict])
        line.append(f' {result.clause}', 'default')
        line.append(f'\n          {visible(result.seen)} ({result.seconds:.1f} s)', 'dim')
        output.console.print(line)

    with Session(args.namespace) as session:
        results = check_skill_server(
            session,
            args.bridge,
            args.status,
            args.move,
            Patience(skill=args.skill_seconds),
            say,
        )
    counts = {verdict: sum(result.verdict is verdict for result in results) for verdict in Verdict}
    output.console.print(
        f'{counts[Verdict.KEPT]} clauses kept, {counts[Verdict.BROKEN]} broken, '
        f'{counts[Verdict.NOT_TRIED]} not tried. The contract: docs/robot_contract.md'
    )
    return ExitCode.FAILED if counts[Verdict.BROKEN] else ExitCode.OK
