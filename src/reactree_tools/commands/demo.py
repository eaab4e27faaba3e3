"""`reactree demo`: everything at once: nodes, a home, a task, the run, and a clean end."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_tools.output import Output
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.processes.nodes import StackOptions
    from reactree_tools.ros.session import Session
    from reactree_tools.running_stack import RunningStack

#: A home and a task that is read whole and has several steps.
DEMO_SCENE = 'generated:506'
DEMO_TASK = 'put_dishwasher:506'
_TASK_SOURCE = re.compile(r'[a-z][a-z0-9_]*:[a-z0-9_]+|(?:wah|alfred):.+')

_EXAMPLES = """\
  reactree demo
  reactree demo --scene generated:8 --task setup_table:5
  reactree demo --task "bring a pudding to the coffee table"
  reactree demo --robot my_robot.yaml --task "bring crate 3 to the packing table"
  reactree demo --model http://127.0.0.1:8000/v1
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    from reactree_tools.commands.plan import add_view
    from reactree_tools.commands.up import add_patience, add_robot

    parser = add_command(
        commands, 'demo', 'watch a model solve a task in a simulated world', run, _EXAMPLES
    )
    options.add_world(parser)
    add_robot(parser)
    options.add_planner(parser)
    options.add_nodes(parser)
    options.add_ask(parser)
    options.add_limits(parser)
    add_view(parser)
    add_patience(parser)
    options.add_plain(parser)


def names_a_task(text: str) -> bool:
    """Whether a text names a task to load rather than being a sentence.

    'generated:3', a file; a folder only where a '/' or '#' shows that none of its words is meant.
    """
    if _TASK_SOURCE.fullmatch(text):
        return True
    name = text.partition('#')[0]
    path = Path(name).expanduser()
    return bool(name) and (path.is_file() or (path.is_dir() and ('/' in name or '#' in text)))


def first_task(world: str) -> tuple[str, str]:
    """The scene and the task of a world that a demo begins with.

    :raises ConfigurationError: there is no such world, or it sets no tasks by number.
    """
    from sim_bridge.worlds.registry import make_task_world

    if world == 'household':
        return DEMO_SCENE, DEMO_TASK
    made = make_task_world(world)
    return made.scene_of(1), f'{made.task_families()[0]}:1'


def demo_options(args: argparse.Namespace) -> tuple[StackOptions, str]:
    """Options of the nodes, and the sentence for the planner ('' for the loaded task)."""
    from dataclasses import replace

    from reactree_tools.commands.plan import checked_task
    from reactree_tools.commands.up import stack_options

    args.namespace = '/'
    if args.robot:
        return _robot_options(args)
    scene, task = first_task(args.world or 'household')
    task = args.task if args.task is not None else task
    sentence = '' if names_a_task(task) else checked_task([task])
    chosen = stack_options(args)
    given = {
        **chosen.given,
        'scene': args.scene or scene,
        'task': '' if sentence else task,
        'seed': args.seed if args.seed is not None else 0,
        # Every demo begins with the same memory, and leaves nothing behind.
        'memory_store': args.memory or 'none',
    }
    return replace(chosen, given=given), sentence


def _robot_options(args: argparse.Namespace) -> tuple[StackOptions, str]:
    """The same for a robot, which has no task of its own."""
    from dataclasses import replace

    from reactree_core.errors import ConfigurationError
    from reactree_tools.commands.plan import checked_task
    from reactree_tools.commands.up import check_world, stack_options

    # Its task is a sentence.
    check_world(args, 'world', 'scene', 'seed')
    if args.task is None:
        raise ConfigurationError('say what the robot is to do: --task "bring crate 1 to the dock"')
    chosen = stack_options(args)
    given = {**chosen.given, 'memory_store': args.memory or 'none'}
    return replace(chosen, given=given), checked_task([args.task])


def run(args: argparse.Namespace) -> int:
    """Start, show, plan, end."""
    from reactree_planner.llm.models import DEFAULT_MODEL
    from reactree_tools.model_check import check_model_choice
    from reactree_tools.output import Output
    from reactree_tools.processes.domains import free_domain
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.running_stack import NodeDied, RunningStack

    chosen, sentence = demo_options(args)
    check_model_choice(args.model or ('' if chosen.params else DEFAULT_MODEL), fetches=True)
    if not args.robot:
        # A domain of its own on this machine alone: nobody else's robot hears a demo.
        os.environ['ROS_DOMAIN_ID'] = str(free_domain())
        os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    output = Output(args.plain)
    status = ExitCode.INTERRUPTED
    with Interrupts() as interrupts:
        try:
            with RunningStack(chosen, _messages(args, output), interrupts, args.wait) as stack:
                if stack.wait_until_ready():
                    status = _plan(args, sentence, output, interrupts, stack)
        except NodeDied as death:
            output.error(str(death))
            return death.exit_code
    return status


def _messages(args: argparse.Namespace, output: Output) -> Output:
    """Where everything but the run goes: to standard error when the run is JSON."""
    from reactree_tools.output import Output

    return Output(args.plain, out=output.error_console.file) if args.json else output


def _plan(
    args: argparse.Namespace,
    sentence: str,
    output: Output,
    interrupts: Interrupts,
    stack: RunningStack,
) -> ExitCode:
    from reactree_tools.commands.plan import plan_request
    from reactree_tools.ros.plan_client import send_task
    from reactree_tools.ros.session import Session

    with Session('/') as session:
        if not args.json:
            _show_home(session, sentence, output)
        return send_task(
            session,
            plan_request(args, sentence),
            output,
            interrupts,
            as_json=args.json,
            full=args.full,
            trouble=stack.trouble,
        )


def _show_home(session: Session, sentence: str, output: Output) -> None:
    """The home and the task in a few lines."""
    import json

    from reactree_tools.ros.session import world_state
    from reactree_tools.views.home_view import home_heading, read_home
    from reactree_tools.views.world_view import demo_lines

    state = world_state(session, include_graph=True)
    output.console.print()
    graph = json.loads(state.graph) if state.graph else {}
    home = read_home(graph) if 'nodes' in graph else None
    heading = home_heading(state.scene, home, output.glyphs.separator) if home else None
    for line in demo_lines(state, home, heading, sentence, output.glyphs, output.console.width):
        output.console.print(line)
    output.console.print()
