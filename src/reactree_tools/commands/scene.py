"""`reactree scene`: a home, printed or drawn."""

from __future__ import annotations

import argparse
from pathlib import Path

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree scene generated:3
  reactree scene my_home.json            a VirtualHome graph file
  reactree scene generated:3 --json > home.json
  reactree scene procworld:7               a house of the world procworld, from above
  reactree scene procworld:7 --output house.svg
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'scene', 'print or draw a home: rooms, furniture, objects', run, _EXAMPLES
    )
    options.add_world_name(parser)
    parser.add_argument(
        'scene',
        metavar='SCENE',
        help='generated:NUMBER, WORLD:NUMBER, or the path of a file of the world; for household, '
        'a VirtualHome graph',
    )
    parser.add_argument(
        '--seed',
        type=options.seed,
        default=0,
        metavar='N',
        help='seed of where the robot starts, if the scene does not say it',
    )
    parser.add_argument(
        '--json',
        action='store_true',
        help='print JSON: the format of the world, or else a VirtualHome graph',
    )
    parser.add_argument(
        '--output',
        metavar='FILE',
        type=Path,
        help='draw it from above into this file, .svg or .png',
    )
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Print or draw the home."""
    import json

    from reactree_core.errors import ConfigurationError
    from reactree_core.world import FloorWorld, GraphWorld
    from reactree_tools.output import Output
    from reactree_tools.viewer.floor_plan import floor_plan
    from reactree_tools.viewer.pictures.house import HousePicture
    from reactree_tools.viewer.pictures.plot import write_picture
    from reactree_tools.viewer.terminal.floor_view import floor_lines
    from reactree_tools.views.home_view import home_heading, home_of_floor, home_tree, read_home
    from sim_bridge.worlds.registry import make_world, WORLDS

    name, scene = args.world, args.scene
    prefix, colon, number = scene.partition(':')
    if colon and prefix in WORLDS:
        name = prefix
        # Anything else the world refuses, as it is written.
        scene = f'generated:{number}' if number.isdecimal() else scene
    world = make_world(name)
    if not isinstance(world, GraphWorld):
        raise ConfigurationError(
            f'the world {name} has no scene graph to print; `reactree task '
            f'--world {name}` prints its tasks'
        )
    world.reset(scene, '', args.seed)
    graph = {'floor': world.floor()} if isinstance(world, FloorWorld) else world.graph()
    if args.json:
        written = world.scene_file() if isinstance(world, FloorWorld) else json.dumps(graph) + '\n'
        print(written, end='')
        return ExitCode.OK
    output = Output(args.plain)
    plan = floor_plan(world.scene, graph)
    if args.output is not None:
        if plan is None:
            raise ConfigurationError(f'{world.scene} cannot be drawn: it has no bounding boxes')
        write_picture(args.output, HousePicture(plan))
        output.console.print(str(args.output), highlight=False, soft_wrap=True)
        return ExitCode.OK
    floor = graph.get('floor')
    home = home_of_floor(floor) if floor else read_home(graph, args.seed)
    heading = home_heading(world.scene, home, output.glyphs.separator)
    output.print_lines(home_tree(heading, home))
    lines = floor_lines(plan, output.plain) if plan is not None else None
    if lines is not None:
        output.print_lines(lines)
    return ExitCode.OK
