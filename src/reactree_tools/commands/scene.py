"""`reactree scene`: a home, printed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_tools.commands.parsers import Subparsers

_EXAMPLES = """\
  reactree scene generated:3
  reactree scene my_home.json            a VirtualHome graph file
  reactree scene generated:3 --json > home.json
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'scene', 'print a home: rooms, furniture, things', run, _EXAMPLES
    )
    options.add_world_name(parser)
    parser.add_argument(
        'scene', metavar='SCENE', help='generated:NUMBER, or the path of a VirtualHome graph file'
    )
    parser.add_argument(
        '--seed',
        type=options.seed,
        default=0,
        metavar='N',
        help='where the robot starts when the scene does not say',
    )
    parser.add_argument(
        '--json', action='store_true', help='print the graph as JSON, in the format of VirtualHome'
    )
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Print the home."""
    import json

    from reactree_core.errors import ConfigurationError
    from reactree_core.ports import GraphWorld
    from reactree_tools.output import Output
    from reactree_tools.views.home_view import home_heading
    from reactree_tools.views.home_view import home_tree
    from reactree_tools.views.home_view import read_home
    from sim_bridge.worlds.registry import make_world

    world = make_world(args.world)
    if not isinstance(world, GraphWorld):
        raise ConfigurationError(
            f'the world {args.world} has no scene graph that could be printed; `reactree task '
            f'--world {args.world}` prints its tasks'
        )
    world.reset(args.scene, '', args.seed)
    graph = world.graph()
    if args.json:
        print(json.dumps(graph))
        return ExitCode.OK
    output = Output(args.plain)
    home = read_home(graph, args.seed)
    heading = home_heading(world.scene, home, output.glyphs.separator)
    output.print_lines(home_tree(heading, home))
    return ExitCode.OK
