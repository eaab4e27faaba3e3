"""`reactree rerun`: do a recorded run's skills again, and find where the answers differ."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_tools.output import Output
    from reactree_tools.recording.rerun import Rerun
    from reactree_tools.recording.ros.run_reading import RecordedRun

_EXAMPLES = """\
  reactree rerun last                    in a world of the recorded kind, started for it
  reactree rerun bags/* --plain          all of them; status 1 when any differs
  reactree rerun 3508702a --bridge       with the running bridge of a simulator
  reactree rerun 3508702a --bridge --no-reset   with your robot, put where the run began
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'rerun', 'execute recorded skills again and compare the results', run, _EXAMPLES
    )
    parser.add_argument(
        'bag',
        nargs='+',
        metavar='BAG',
        help="folders of bags, journals, first digits of runs' ids, or last: the newest run",
    )
    options.add_bags(parser)
    options.add_run_of_bag(parser)
    parser.add_argument(
        '--bridge',
        action='store_true',
        help='use the running bridge and reset it first (a robot refuses a reset)',
    )
    parser.add_argument(
        '--no-reset',
        action='store_true',
        help='with --bridge: no reset; you have put robot and objects where the run began',
    )
    parser.add_argument(
        '--seed',
        type=options.seed,
        default=0,
        metavar='N',
        help="the world's seed in the recorded run (default 0)",
    )
    options.add_approve(parser)
    options.add_namespace(parser)
    options.add_plain(parser)


#: From what matters least: a difference must not be hidden by a bag that cannot be used.
_SEVERITY = (ExitCode.OK, ExitCode.UNUSABLE, ExitCode.FAILED)
_ONE_BY_ONE = (
    'Without a reset only one run can be repeated, because a second one would begin in the state '
    'that the first has left: give one bag, and --run if it has several runs.'
)


def run(args: argparse.Namespace) -> int:
    """Rerun every run of every bag, whatever becomes of the others; the worst status counts."""
    from reactree_core.errors import ConfigurationError
    from reactree_tools.output import Output

    if args.no_reset and not args.bridge:
        raise ConfigurationError(
            '--no-reset needs --bridge: without it the rerun uses a new world.'
        )
    if args.no_reset and len(args.bag) > 1:
        raise ConfigurationError(_ONE_BY_ONE)
    if args.approve and not args.bridge:
        raise ConfigurationError(
            '--approve needs --bridge: without it the rerun needs no approval.'
        )
    output = Output(args.plain)
    statuses = [status for name in args.bag for status in _rerun_bag(name, args, output)]
    return max(statuses, key=_SEVERITY.index)


def _rerun_bag(name: str, args: argparse.Namespace, output: Output) -> list[ExitCode]:
    from reactree_core.errors import ConfigurationError, ReactreeError
    from reactree_core.record.journal import journal_directory
    from reactree_tools.recording.bag_names import bag_directory
    from reactree_tools.recording.ros.run_reading import open_runs
    from reactree_tools.viewer.sources import bag_name

    try:
        bags = bag_directory(args.bags)
        record = bag_name(name, journal_directory(), bags, output.warn)
        runs = open_runs(record, bags, args.run_id, output.warn)
        if args.no_reset and len(runs) > 1:
            raise ConfigurationError(_ONE_BY_ONE)
    except ReactreeError as error:
        output.error(f'{name}: {error}')
        return [ExitCode.UNUSABLE]
    statuses = []
    for recorded in runs:
        try:
            statuses.append(_rerun(recorded, args, output))
        except ReactreeError as error:
            which = f', run {recorded.run_id[:8]}' if len(runs) > 1 else ''
            output.error(f'{name}{which}: {error}')
            statuses.append(ExitCode.UNUSABLE)
    return statuses


def _rerun(recorded: RecordedRun, args: argparse.Namespace, output: Output) -> ExitCode:
    done = (
        _with_bridge(recorded, args, output) if args.bridge else _in_process(recorded, args.seed)
    )
    _show(recorded, done, output)
    return ExitCode.OK if done.divergence is None else ExitCode.FAILED


def _in_process(recorded: RecordedRun, seed: int) -> Rerun:
    from reactree_core.cancellation import CancelToken
    from reactree_tools.recording.rerun import recorded_server, rerun

    server = recorded_server(recorded.start, recorded.backend, seed)
    return rerun(recorded.events, server, CancelToken())


def _with_bridge(recorded: RecordedRun, args: argparse.Namespace, output: Output) -> Rerun:
    from reactree_core.observation import Observation
    from reactree_tools.ros.bridge_rerun import rerun_with_bridge
    from reactree_tools.ros.bridge_skills import ask_approval

    done = (one.skill for one in recorded.events if isinstance(one, Observation) and one.skill)
    approved = args.approve or ask_approval(args.namespace, done, output)
    return rerun_with_bridge(recorded, args.namespace, args.seed, not args.no_reset, approved)


def _show(recorded: RecordedRun, done: Rerun, output: Output) -> None:
    from rich.text import Text

    from reactree_tools.plain_text import count, visible

    glyphs = output.glyphs
    ok = done.divergence is None
    line = Text(f'{glyphs.success if ok else glyphs.failure} ', 'bold green' if ok else 'bold red')
    line.append(f'{recorded.run_id[:8]}  ', style='not bold dim')
    sentence = f'{count(done.steps, "step")}, no difference.'
    if done.divergence is not None:
        sentence = visible(done.divergence.sentence, 600)
    line.append(sentence, style='not bold default')
    output.console.print(line, soft_wrap=True)
