"""`reactree memory bootstrap`: `reactree bench bootstrap` for the robot's own memory."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands import bench_bootstrap
from reactree_tools.commands.parsers import add_command

_EXAMPLES = """\
  reactree memory bootstrap --tasks generated:1000-1030
  reactree memory bootstrap --tasks setup_table:1-20 put_fridge:1-20 --model http://host/v1
  reactree memory bootstrap --tasks my_tasks.yaml --scene my_home.json
  reactree memory bootstrap --tasks generated:1000-1030 --store learned.sqlite --model teacher

repeat the command to continue after an interruption
"""


def add_parser(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the action."""
    parser = add_command(
        actions,
        'bootstrap',
        'collect experiences from training tasks in a simulated world',
        run,
        _EXAMPLES,
    )
    options.add_world_name(parser)
    parser.add_argument(
        '--tasks',
        nargs='+',
        required=True,
        metavar='TASKS',
        help='generated:NUMBER, FAMILY:NUMBER, a range such as generated:1-20, or task files',
    )
    parser.add_argument(
        '--scene',
        default='',
        metavar='SCENE',
        help='one scene for all tasks (default: the generated scene of each task)',
    )
    parser.add_argument(
        '--again', action='store_true', help='also try the tasks again whose goal was not met'
    )
    bench_bootstrap.add_shared(parser)


def run(args: argparse.Namespace) -> int:
    """Plan what has not been planned yet."""
    tasks = [{'tasks': text, 'world': args.world, 'scenes': args.scene} for text in args.tasks]
    study = bench_bootstrap.study_of(args, tasks)
    return bench_bootstrap.collect(args, study, 0 if args.again else 1)
