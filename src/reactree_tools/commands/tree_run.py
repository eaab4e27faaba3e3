"""`reactree tree-run`: tick a behaviour tree against the running bridge, without a model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_core.observation import Observation
    from reactree_tools.output import Output

_EXAMPLES = """\
  reactree export last plan.xml --behavior-tree && reactree tree-run plan.xml
  reactree tree-run plan.py              the same in py_trees
  reactree tree-run plan.xml --groot2 1667 --timeout 300
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'tree-run', 'execute an exported behaviour tree with the bridge', run, _EXAMPLES
    )
    parser.add_argument(
        'file',
        type=Path,
        metavar='FILE',
        help='made by `reactree export --behavior-tree`: .xml or .py',
    )
    parser.add_argument(
        '--groot2',
        type=options.port,
        metavar='PORT',
        help='port on which Groot2 can watch the tree',
    )
    parser.add_argument(
        '--timeout',
        type=options.positive_seconds,
        metavar='SECONDS',
        help='stop after this time (default: never)',
    )
    options.add_approve(parser)
    options.add_namespace(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Tick the tree to its end; status 1 where it ends with FAILURE."""
    import time
    from concurrent.futures import ThreadPoolExecutor

    from reactree_core.cancellation import CancelToken
    from reactree_core.errors import CanceledError, ConfigurationError
    from reactree_tools.behavior_trees.running import run_file, skills_of_file, TreeRobot
    from reactree_tools.output import Output
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.ros.bridge_skills import ask_approval, find_skills
    from reactree_tools.ros.session import Session

    output = Output(args.plain)
    if not args.file.is_file():
        raise ConfigurationError(
            f'There is no file {args.file}: write one with reactree export RUN {args.file} '
            '--behavior-tree.'
        )
    used = skills_of_file(args.file)
    approved = args.approve or ask_approval(args.namespace, used, output)
    deadline = time.monotonic() + args.timeout if args.timeout else None

    def tick(cancel: CancelToken) -> bool:
        with Session(args.namespace) as session:
            skills = find_skills(session, cancel, approved)
            robot = TreeRobot(skills, cancel, lambda done: _show(done, output))
            return run_file(args.file, robot, args.groot2)

    cancel = CancelToken(deadline)
    with Interrupts() as interrupts, ThreadPoolExecutor(1) as worker:
        ticking = worker.submit(tick, cancel)
        while not ticking.done():
            if interrupts.wait(0.1):
                cancel.cancel()
                break
        try:
            succeeded = ticking.result()
        except CanceledError as error:
            if interrupts.requested.is_set():
                return ExitCode.INTERRUPTED
            output.error(f'The tree was stopped: {error}.')
            return ExitCode.FAILED
    glyphs = output.glyphs
    end = f'{glyphs.success} SUCCESS' if succeeded else f'{glyphs.failure} FAILURE'
    output.console.print(f'{end}: {args.file.name} has ended', markup=False)
    return ExitCode.OK if succeeded else ExitCode.FAILED


def _show(done: Observation, output: Output) -> None:
    from reactree_tools.plain_text import visible

    glyph = output.glyphs.success if done.succeeded else output.glyphs.failure
    reason = '' if done.succeeded else f': {visible(done.text, 200)}'
    output.console.print(f'  {glyph} {visible(done.skill, 200)}{reason}', markup=False)
