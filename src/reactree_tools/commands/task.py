"""`reactree task`: a task, printed: wordings, goal conditions, and what an expert needs."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree task generated:3 --scene generated:3
  reactree task setup_table:5 --scene generated:8 --skills
  reactree task wah:wah_nl_train.json#114 --scene graph_env_setup_0.json
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'task', 'print a task of a simulated world and its goal', run, _EXAMPLES
    )
    parser.add_argument(
        'task',
        metavar='TASK',
        help='generated:NUMBER, FAMILY:NUMBER, the path of a task file, or wah:PATH#ID of a '
        'published task set',
    )
    options.add_world_name(parser)
    parser.add_argument(
        '--scene', metavar='SCENE', help='as in `reactree scene` (default: number 3 of the world)'
    )
    parser.add_argument('--seed', type=options.seed, default=0, metavar='N')
    parser.add_argument('--skills', action='store_true', help="also print the expert's skills")
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Print the task."""
    from reactree_core.errors import ConfigurationError, SkillError
    from reactree_core.world import ExpertWorld, TaskWorld
    from reactree_tools.output import Output
    from reactree_tools.views.world_view import task_lines
    from sim_bridge.worlds.registry import make_world

    world = make_world(args.world)
    scene = args.scene
    if scene is None:
        scene = world.scene_of(3) if isinstance(world, TaskWorld) else ''
    world.reset(scene, args.task, args.seed)
    task = world.task()
    if task is None:
        raise ConfigurationError('There is no task of this name; write generated:3, for example.')
    progress = world.progress()
    skills: tuple[str, ...] | None = None
    trouble = ''
    if isinstance(world, ExpertWorld):
        try:
            skills = world.expert()
        except SkillError as error:
            trouble = str(error)
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
    return ExitCode.FAILED if trouble else ExitCode.OK
