"""`reactree permission audit`: whether rules held in a run, recorded or under way."""

from __future__ import annotations

import argparse
import math
import time
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reactree_core.permission.monitor import Finding
    from reactree_tools.output import Output
    from reactree_tools.traces import AuditedRun

_EXAMPLES = """\
  reactree permission audit last
  reactree permission audit 3508702a --permission config/permission.yaml
  reactree permission audit ~/bags/3508702a7f2841989421a744d6f34daf --plain
  reactree permission audit --live --permission config/permission.yaml --hazards on
  reactree permission audit --live --once --timeout 600 --namespace robot_1

exit status: 0 every rule held, 1 one did not or cannot be told, 2 bad input or no run
"""


def add_parser(actions: Subparsers) -> None:
    """Declare the action."""
    parser = add_command(
        actions,
        'audit',
        'say whether every rule held in a recorded run, or watch one, by the formulas alone',
        run,
        _EXAMPLES,
    )
    options.add_recorded_run(parser, optional=True)
    parser.add_argument(
        '--permission', default='', metavar='FILE', help='file of rules that the run had'
    )
    options.add_hazards(parser)
    options.add_run_of_bag(parser)
    options.add_bags(parser)
    options.add_journals(parser)
    parser.add_argument(
        '--live',
        action='store_true',
        help='follow a running planner by its topics, and tell at once when a rule is broken',
    )
    parser.add_argument('--once', action='store_true', help='with --live: exit when a run ends')
    parser.add_argument(
        '--timeout',
        type=options.positive_seconds,
        default=math.inf,
        metavar='SECONDS',
        help='with --live: follow no longer than this (default: until Ctrl-C)',
    )
    options.add_namespace(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Hold every rule against the run; fails where one did not hold."""
    from reactree_core.errors import ConfigurationError
    from reactree_tools.output import Output

    if args.live == bool(args.run_name):
        raise ConfigurationError('Name either a recorded RUN or --live, for a planner at work.')
    output = Output(args.plain)
    return _live(args, output) if args.live else _recorded(args, output)


def _recorded(args: argparse.Namespace, output: Output) -> int:
    from reactree_core.permission.hazards import read_hazards
    from reactree_core.permission.rules_file import read_rules
    from reactree_core.record.journal import journal_directory
    from reactree_tools.recording.bag_names import bag_directory
    from reactree_tools.traces import audited
    from reactree_tools.viewer.declared_runs import open_declared_run

    rules, hazards = read_rules(args.permission), read_hazards(args.hazards)
    runs = open_declared_run(
        args.run_name,
        journal_directory(args.journals),
        bag_directory(args.bags),
        args.run_id,
        output.warn,
    )
    ok = True
    for recorded in runs:
        one = audited(recorded.run_id, recorded.records, recorded.vocabulary)
        ok &= _tell(output, one, one.findings(rules, hazards))
    return ExitCode.OK if ok else ExitCode.FAILED


def _tell(output: Output, one: AuditedRun, findings: Sequence[Finding]) -> bool:
    """Print what was found of a run; whether every rule held."""
    from reactree_core.permission.monitor import Held
    from reactree_tools.plain_text import count

    held = sum(found.held is Held.YES for found in findings)
    figures = f'{count(len(one.trace.sent), "skill")}, {count(len(findings), "rule")}'
    said = f'run {one.run_id}: {figures}, {held} held'
    if not findings:
        said += ': there was nothing to hold against it (--permission names a file)'
    output.console.print(said, soft_wrap=True, markup=False)
    for found in findings:
        _tell_one(output, found)
    return held == len(findings)


def _tell_one(output: Output, found: Finding) -> None:
    from reactree_core.permission.monitor import Held
    from reactree_tools.plain_text import visible

    styles = {Held.YES: 'green', Held.BROKEN: 'bold red'}
    style = styles.get(found.held, 'yellow')
    line = f'{found.held.value}: {found.rule}: {found.wording}'
    output.console.print(visible(line, 2000), style=style, soft_wrap=True, markup=False)
    if found.why:
        output.console.print(f'  {visible(found.why, 2000)}', soft_wrap=True, markup=False)


# A run under way -----------------------------------------------------------------------------

#: Seconds between two looks at what was heard.
_PERIOD = 0.25


def _live(args: argparse.Namespace, output: Output) -> int:
    from reactree_core.permission.hazards import read_hazards
    from reactree_core.permission.rules_file import read_rules
    from reactree_tools.live_audit import LiveAudits
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.ros.kept_events import KeptEvents, vocabulary_of_bridge
    from reactree_tools.ros.session import FIND_SECONDS, nobody_there, Session

    rules, hazards = read_rules(args.permission), read_hazards(args.hazards)
    with Interrupts() as interrupts, Session(args.namespace) as session:
        heard = KeptEvents(session.node)
        audits = LiveAudits(rules, hazards, lambda: vocabulary_of_bridge(session))
        began = time.monotonic()
        report_by = began + FIND_SECONDS
        ok = True
        while time.monotonic() < began + args.timeout and not interrupts.wait(_PERIOD):
            for event in heard.ready(time.monotonic()):
                broken_now = audits.take(event)
                for found in broken_now.broken:
                    ok = False
                    _tell_one(output, found)
                for sentence in broken_now.sentences:
                    output.console.print(sentence, soft_wrap=True, markup=False)
                if broken_now.ended is not None:
                    ok &= _tell(output, broken_now.ended, broken_now.findings)
            if args.once and audits.ended:
                break
            if time.monotonic() >= report_by:
                report_by = math.inf
                if not session.node.count_publishers('planner/decisions'):
                    output.warn(nobody_there('planner', session))
    for one, findings in audits.unended():
        ok &= _tell(output, one, findings)
    if not audits.heard:
        output.warn('No run was heard of: nothing was audited.')
        return ExitCode.UNUSABLE
    return ExitCode.OK if ok else ExitCode.FAILED
