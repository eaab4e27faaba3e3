"""`reactree up`: bridge, memory and planner as three processes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_tools.processes.nodes import StackOptions

#: Seconds for all nodes to become ready; loading a model from a slow disk takes a while.
READY_SECONDS = 120.0
#: Seconds between two looks at the nodes.
PERIOD = 0.2
#: Arguments of a simulated world.
WORLD = ('world', 'scene', 'task', 'seed')

_EXAMPLES = """\
  reactree up
  reactree up --scene generated:7 --task generated:7 --model gemma-3-270m
  reactree up --record                   a bag of every run (see `reactree replay`)
  reactree up --robot my_robot.yaml      a robot's own actions and services, mapped by a file
  reactree up --respawn --resume-within 120    restart a dead node, continue its run
  reactree up --no-bridge                the robot brings its own skill server
  reactree up --robots robot_1,robot_2 --model none        one task, two robots (docs/team.md)
  reactree up --namespace robot_1 --params my_planner.yaml --memory robot_1.db
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'up', 'start bridge, memory and planner, until Ctrl-C', run, _EXAMPLES
    )
    options.add_namespace(parser)
    options.add_world(parser)
    options.add_planner(parser)
    options.add_nodes(parser)
    add_robot(parser)
    parser.add_argument(
        '--robots',
        metavar='NAMES',
        help='several robots that do one task together: names of robots in one simulated home, '
        'files of robots, or NAME=FILE, separated by commas (docs/team.md)',
    )
    parser.add_argument(
        '--no-bridge',
        action='store_true',
        help='start memory and planner only: the robot has a skill server of its own',
    )
    parser.add_argument(
        '--respawn',
        action='store_true',
        help='restart a node that dies, at most three times in ten minutes, instead of ending all',
    )
    parser.add_argument(
        '--resume-within',
        type=options.positive_seconds,
        metavar='SECONDS',
        help='a restarted planner continues its interrupted run if the last record of the run is '
        'not older than this; the robot then moves without a new command',
    )
    add_patience(parser)
    options.add_plain(parser)


def add_robot(parser: argparse.ArgumentParser) -> None:
    """--robot."""
    parser.add_argument(
        '--robot',
        metavar='FILE',
        help="the robot's file: start its bridge, no simulated world (docs/robot_file.md)",
    )
    parser.add_argument(
        '--remap',
        action='append',
        metavar='NAME:=OTHER',
        help="a name of the robot's file that is another one here, or '/*:=/{robot}/*' for all; "
        'may be given several times',
    )


def _remaps(given: list[str] | None, file: str | None) -> tuple[str, ...]:
    """Names for the bridge. :raises ConfigurationError: one cannot be read."""
    from reactree_core.errors import ConfigurationError
    from reactree_tools.node_table import read_remaps

    try:
        read_remaps(given or (), file=file or '')
    except ValueError as error:
        raise ConfigurationError(f'--remap: {error}.') from None
    return tuple(given or ())


def _bag_folder(given: str | None) -> str | None:
    """The folder of bags for the recorder node, which may run elsewhere; None for no recorder."""
    return given if not given else str(Path(given).expanduser().absolute())


def _robot(given: str | None) -> str | None:
    """The robot's file for its bridge.

    :raises ConfigurationError: it has mistakes, which are told before anything starts.
    """
    if given is None:
        return None
    from robot_bridge.loading import load_robot
    from robot_bridge.ros.installed_types import InstalledTypes

    path = Path(given).expanduser().absolute()
    load_robot(path, InstalledTypes())
    return str(path)


def _robots(args: argparse.Namespace) -> tuple[str, ...]:
    """The robots of a team. :raises ConfigurationError: one cannot be used."""
    from reactree_core.errors import ConfigurationError
    from reactree_tools.team_nodes import team_nodes

    if not getattr(args, 'robots', None):
        return ()
    if args.robot or args.no_bridge:
        raise ConfigurationError(
            '--robots names all robots of a team: leave --robot and --no-bridge out.'
        )
    names = tuple(name.strip() for name in args.robots.split(','))
    try:
        team_nodes(names, {}, remaps=args.remap or ())
    except ValueError as error:
        raise ConfigurationError(f'--robots: {error}.') from None
    return names


def _planner(given: str | None) -> str | None:
    """A planner's name. :raises ConfigurationError: there is none of this name."""
    if given:
        from reactree_planner.planners.registry import check_planner

        check_planner(given)
    return given


def check_world(args: argparse.Namespace, *names: str) -> None:
    """Refuse arguments of a simulated world where none is started.

    :param names: of arguments. :raises ConfigurationError: one of them was given.
    """
    from reactree_core.errors import ConfigurationError

    for name in names:
        if getattr(args, name) is not None:
            reason = '--robot FILE' if args.robot else '--no-bridge'
            raise ConfigurationError(
                f'--{name} is for a simulated world, and {reason} starts none: leave it out.'
            )


def _permission(given: str | None) -> str | None:
    """The rules for the nodes, which may run elsewhere.

    :raises ConfigurationError: the file has a mistake.
    """
    if given is None:
        return None
    from reactree_core.permission.rules_file import read_rules, WORDS

    read_rules(given)
    return given if given in WORDS else str(Path(given).expanduser().absolute())


def add_patience(parser: argparse.ArgumentParser) -> None:
    """--wait."""
    parser.add_argument(
        '--wait',
        type=options.positive_seconds,
        default=READY_SECONDS,
        metavar='SECONDS',
        help=f'longest wait until the nodes are ready (default {READY_SECONDS:.0f})',
    )


def stack_options(args: argparse.Namespace) -> StackOptions:
    """What the arguments say about the nodes."""
    from reactree_tools.processes.nodes import StackOptions
    from reactree_tools.robot_cameras import first_camera, PLANNERS_PICTURES

    robot = _robot(args.robot)
    camera = first_camera(robot)
    return StackOptions(
        namespace=args.namespace,
        given={
            **{name: getattr(args, name) for name in WORLD},
            'model': args.model,
            'planner': _planner(args.planner),
            'preset': args.preset,
            'memory': not args.no_memory,
            'memory_store': args.memory,
            'with_bridge': not (robot or getattr(args, 'no_bridge', False)),
            'robot': robot,
            'perception': bool(camera),
            'record': args.record is not None,
            'bags': _bag_folder(args.record) or None,
            'permission': _permission(args.permission),
            'telemetry': args.telemetry,
            'resume_within': getattr(args, 'resume_within', None),
        },
        params=tuple(Path(path) for path in args.params),
        log_level=args.log_level,
        # A model that sees gets the robot's pictures too (pictures=true in the preset).
        remappings={'planner': ((PLANNERS_PICTURES, camera),)} if camera else {},
        respawn=getattr(args, 'respawn', False),
        remaps=_remaps(args.remap, robot),
        robots=_robots(args),
    )


def run(args: argparse.Namespace) -> int:
    """Start the nodes and stay until Ctrl-C, or until one of them ends."""
    from rich.text import Text

    from reactree_tools.model_check import check_model_choice
    from reactree_tools.output import Output
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.running_stack import NodeDied, RunningStack

    if args.robot or args.no_bridge:
        check_world(args, *WORLD)
    check_model_choice(args.model or '', fetches=True)
    output = Output(args.plain)
    with Interrupts() as interrupts:
        try:
            with RunningStack(stack_options(args), output, interrupts, args.wait) as stack:
                if stack.wait_until_ready():
                    namespace = '' if args.namespace == '/' else f' --namespace {args.namespace}'
                    failed = stack.repeat_warnings()
                    ready = 'Ready, but for the errors above.' if failed else 'Ready.'
                    line = Text(f'{ready} Try in another terminal: ', style='bold')
                    line.append(f'reactree plan{namespace}', style='not bold cyan')
                    output.console.print(line, soft_wrap=True)
                    output.console.print(Text('Ctrl-C ends the nodes.', style='dim'))
                    stack.watch(PERIOD)
        except NodeDied as death:
            output.error(str(death))
            return death.exit_code
        output.console.print('Ended.')
    return ExitCode.OK
