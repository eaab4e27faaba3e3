"""`reactree world`: the services of a running bridge, a world to play, tasks to build."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree world reset --scene generated:7 --task generated:7
  reactree world state
  reactree world state --graph > home.json
  reactree world play textcraft
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    from reactree_tools.commands import world_build, world_play

    parser = add_command(
        commands,
        'world',
        'reset, inspect or play a simulated world, or build tasks',
        None,
        _EXAMPLES,
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    reset = add_command(
        actions, 'reset', 'load a scene and a task into the running bridge', run_reset
    )
    reset.add_argument(
        '--scene',
        default='',
        metavar='SCENE',
        help='as in `reactree up` (default: keep the scene)',
    )
    reset.add_argument(
        '--task',
        default='',
        metavar='TASK',
        help='as in `reactree up` (default: no task, no goal conditions)',
    )
    reset.add_argument(
        '--seed',
        type=options.seed,
        default=0,
        metavar='N',
        help='seed of all random choices of the world',
    )
    state = add_command(
        actions, 'state', 'show the loaded scene and task, and the goal conditions', run_state
    )
    state.add_argument(
        '--graph',
        action='store_true',
        help='print the scene as JSON: a VirtualHome graph, or an outline for worlds without one',
    )
    for action in (reset, state):
        options.add_namespace(action)
        options.add_plain(action)
    world_play.add_parser(actions)
    world_build.add_parser(actions)


def run_reset(args: argparse.Namespace) -> int:
    """Load a scene and a task into a running bridge."""
    from reactree_tools.output import Output
    from reactree_tools.ros.session import reset_world, Session
    from reactree_tools.views.world_view import reset_lines

    output = Output(args.plain)
    with Session(args.namespace) as session:
        loaded = reset_world(session, args.scene, args.task, args.seed)
    for line in reset_lines(loaded, output.glyphs, output.console.width):
        output.console.print(line)
    return ExitCode.OK


def run_state(args: argparse.Namespace) -> int:
    """Show the state of a running bridge's world."""
    from reactree_tools.output import Output
    from reactree_tools.plain_text import printable_json
    from reactree_tools.ros.session import Session, world_state
    from reactree_tools.views.world_view import state_lines

    output = Output(args.plain)
    with Session(args.namespace) as session:
        state = world_state(session, include_graph=args.graph)
    if args.graph:
        print(printable_json(state.graph))
        return ExitCode.OK
    for line in state_lines(state, output.glyphs, output.console.width):
        output.console.print(line)
    return ExitCode.OK
