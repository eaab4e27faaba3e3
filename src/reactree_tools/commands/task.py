"""`reactree task`: a task, printed: wordings, goal conditions, and what an expert needs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_tools.commands.parsers import Subparsers

_EXAMPLES = """\
  reactree task generated:3 --scene generated:3
  reactree task setup_table:5 --scene generated:8 --skills
  reactree task wah:wah_nl_train.json#114 --scene graph_env_setup_0.json
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'task', 'print a task of a simulated home and its goal', run, _EXAMPLES
    )
    parser.add_argument(
        'task',
        metavar='TASK',
        help='generated:NUMBER, FAMILY:NUMBER, the path of a task file, or wah:PATH#ID of a '
        'published task set',
    )
    parser.add_argument(
        '--scene', default='generated:3', metavar='SCENE', help='as in `reactree scene --help`'
    )
    parser.add_argument('--seed', type=options.seed, default=0, metavar='N')
    parser.add_argument(
        '--skills', action='store_true', help='also print the skills of the expert'
    )
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Print the task."""
    from reactree_core.errors import ConfigurationError
    from reactree_core.errors import SkillError
    from reactree_tools.output import Output
    from reactree_tools.views.task_view import task_lines
    from sim_bridge.tasks.expert import solve
    from sim_bridge.worlds import make_world

    world = make_world('household')
    world.reset(args.scene, args.task, args.seed)
    task = world.task()
    if task is None:
        raise ConfigurationError('No task is named; write generated:3, for example.')
    progress = world.progress()
    skills: tuple[str, ...] | None
    try:
        skills, trouble = solve(world), ''
    except SkillError as error:
        skills, trouble = None, str(error)
    output = Output(args.plain)
    lines = task_lines(
        task,
        world.scene,
        progress,
        skills,
        trouble,
        args.skills,
        output.glyphs,
        output.console.width,
    )
    for line in lines:
        output.console.print(line)
    return ExitCode.OK if skills is not None else ExitCode.FAILED
