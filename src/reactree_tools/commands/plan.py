"""`reactree plan`: one task for a running planner, watched to its end."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers

if TYPE_CHECKING:
    from reactree_tools.ros.plan_client import PlanRequest

_EXAMPLES = """\
  reactree plan "put the milk in the fridge"
  reactree plan                          the task that is loaded in the bridge
  reactree plan --max-decisions 60 --timeout 300 "set the table for two"
  reactree plan --ask always "tidy up"   confirm first what was understood
  reactree plan --json "find a plate" | tail -n 1
  reactree plan --resume 5d1c...         continue a run whose planner was killed

exit status: 0 verified or no condition to judge, 4 done and some of it assumed, 5 not known,
1 failed or not met
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'plan', 'send a task to a running planner and watch it', run, _EXAMPLES
    )
    parser.add_argument(
        'words',
        nargs='*',
        metavar='TASK',
        help='the task, in one sentence or more (default: the task loaded in the bridge)',
    )
    options.add_namespace(parser)
    parser.add_argument('--planner', default='', metavar='NAME', help='planner, e.g. reactree')
    parser.add_argument(
        '--resume',
        type=options.run_id,
        metavar='RUN',
        help='continue an interrupted run of this planner; finished skills are not repeated',
    )
    options.add_ask(parser)
    options.add_limits(parser)
    add_view(parser)
    options.add_plain(parser)


def add_view(parser: argparse.ArgumentParser) -> None:
    """--json and --full."""
    parser.add_argument(
        '--json', action='store_true', help='print events and result as JSON, one per line'
    )
    parser.add_argument('--full', action='store_true', help='do not shorten long observations')


def plan_request(args: argparse.Namespace, task: str) -> PlanRequest:
    """The request that the arguments make."""
    from reactree_tools.ros.plan_client import PlanRequest

    return PlanRequest(
        task=task,
        planner=args.planner or '',
        max_decisions=args.max_decisions,
        max_steps=args.max_steps,
        max_depth=args.max_depth,
        max_tokens=args.max_tokens,
        max_time=args.timeout or 0.0,
        ask=args.ask,
    )


def resumed(request: PlanRequest, run_id: str) -> PlanRequest:
    """The request to go on with a run, within the limits that are given anew.

    :raises ConfigurationError: a task or planner is given too; the run has its own.
    """
    from dataclasses import replace

    from reactree_core.errors import ConfigurationError

    if request.task or request.planner:
        raise ConfigurationError(
            'A resumed run keeps its task and planner: give neither with --resume.'
        )
    return replace(request, run_id=run_id, resumes=True)


def checked_task(words: list[str]) -> str:
    """The task that the words make.

    :raises ConfigurationError: it is too long.
    """
    from reactree_core.errors import ConfigurationError

    try:
        return options.task_text(' '.join(words))
    except argparse.ArgumentTypeError as error:
        sentence = str(error)
        raise ConfigurationError(sentence[0].upper() + sentence[1:] + '.') from None


def run(args: argparse.Namespace) -> int:
    """Send the task and follow the run."""
    request = plan_request(args, checked_task(args.words))
    if args.resume:
        request = resumed(request, args.resume)
    from reactree_tools.output import Output
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.ros.plan_client import send_task
    from reactree_tools.ros.session import Session

    output = Output(args.plain)
    with Interrupts() as interrupts, Session(args.namespace) as session:
        return send_task(session, request, output, interrupts, as_json=args.json, full=args.full)
