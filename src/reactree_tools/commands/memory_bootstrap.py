"""`reactree memory bootstrap`: plans training tasks and keeps what led to a met goal."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands import memory_options
from reactree_tools.commands.parsers import add_command
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from reactree_core.ports import LanguageModel
    from reactree_core.ports import World
    from reactree_planner.tree.run_settings import Limits

#: Stands in for a model: fast, and it knows the goals.
TEACHER = 'teacher'
_EXAMPLES = """\
  reactree memory bootstrap --tasks generated:1000-1030
  reactree memory bootstrap --tasks setup_table:1-20 put_fridge:1-20 --model http://host/v1
  reactree memory bootstrap --tasks my_tasks.yaml --scene my_home.json
  reactree memory bootstrap --tasks generated:1000-1030 --store learned.sqlite --model teacher

the same command goes on where it was interrupted
"""


def add_parser(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the action."""
    parser = add_command(
        actions, 'bootstrap', 'learn from training tasks in a simulated world', run, _EXAMPLES
    )
    options.add_world_name(parser)
    parser.add_argument(
        '--tasks',
        nargs='+',
        required=True,
        metavar='TASKS',
        help='generated:NUMBER or FAMILY:NUMBER, with -NUMBER for a range, or task files',
    )
    parser.add_argument(
        '--scene',
        default='',
        metavar='SCENE',
        help='of all tasks; default: the generated one of each task',
    )
    parser.add_argument(
        '--again', action='store_true', help='with the tasks whose goal was not met before'
    )
    parser.add_argument(
        '--no-examples',
        action='store_true',
        help='do not put the shipped examples into the memory first',
    )
    options.add_planner(parser)
    parser.add_argument(
        '--threads',
        type=options.seed,
        default=0,
        metavar='N',
        help='of a model in this process; default: all cores',
    )
    parser.add_argument(
        '--server-model', default='', metavar='NAME', help='model to ask of a server'
    )
    parser.add_argument(
        '--api-key-variable',
        default='',
        metavar='NAME',
        help="environment variable with the model server's key",
    )
    parser.add_argument(
        '--api-key-over-http',
        action='store_true',
        help='send that key to another machine unencrypted too',
    )
    options.add_limits(parser)
    memory_options.add_encoder(parser)
    memory_options.add_store(parser)
    options.add_plain(parser)


def limits_of(args: argparse.Namespace) -> Limits:
    """The limits of each task: those given, else the planner's defaults."""
    from reactree_planner.tree.run_settings import Limits

    default = Limits()
    return Limits(
        args.max_decisions or default.decisions,
        args.max_steps or default.steps,
        args.max_depth or default.depth,
        args.max_tokens or default.tokens,
        args.timeout or default.seconds,
    )


def model_of(args: argparse.Namespace, name: str) -> Callable[[World], LanguageModel]:
    """What gives the model for a world; a real one is loaded when it is first asked for."""
    from functools import cache

    from reactree_planner.llm.registry import load_model
    from reactree_planner.llm.registry import ModelOptions
    from reactree_tools.seed_memory.writing import teacher_for

    if name == TEACHER:
        return teacher_for
    model_options = ModelOptions(
        threads=args.threads,
        server_model=args.server_model,
        api_key_variable=args.api_key_variable,
        api_key_over_http=args.api_key_over_http,
    )

    @cache
    def load() -> LanguageModel:
        return load_model(name, model_options)

    return lambda world: load()


def run(args: argparse.Namespace) -> int:
    """Plan what has not been planned yet."""
    from reactree_core.cancellation import CancelToken
    from reactree_core.errors import ConfigurationError
    from reactree_planner.llm.models import DEFAULT_MODEL
    from reactree_planner.planners.registry import make_planner
    from reactree_tools.bootstrap.bootstrapping import Bootstrap
    from reactree_tools.bootstrap.bootstrapping import BootstrapConfig
    from reactree_tools.bootstrap.bootstrapping import Ledger
    from reactree_tools.bootstrap.bootstrapping import ledger_file
    from reactree_tools.bootstrap.training_tasks import training_tasks
    from reactree_tools.memory.opening import add_examples
    from reactree_tools.memory.opening import file_of
    from reactree_tools.memory.opening import open_memory
    from reactree_tools.memory.opening import open_writable
    from reactree_tools.model_check import check_model_choice
    from reactree_tools.output import Output
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.views.memory_view import bootstrap_summary
    from reactree_tools.views.memory_view import BootstrapDisplay

    tasks = training_tasks(args.tasks, args.scene, args.world)
    name = args.model or DEFAULT_MODEL
    if name != TEACHER:
        check_model_choice(name)
    elif args.world != 'household':
        raise ConfigurationError(
            'the teacher knows the household alone: give --model a language model'
        )
    planner = make_planner(args.planner or 'reactree').name
    output = Output(args.plain)
    at_once = CancelToken()
    with closing(open_writable(args.store)) as store:
        memory, remark = open_memory(store, memory_options.encoder_of(args))
        if remark:
            output.warn(remark)
        if not args.no_examples:
            add_examples(memory)
        path = ledger_file(file_of(args.store), store.location)
        with Ledger(path) as ledger, Interrupts(at_once) as interrupts:
            way = BootstrapConfig(model_of(args, name), name, limits_of(args), planner)
            bootstrap = Bootstrap(memory, store, ledger, way)
            pending = bootstrap.pending(tasks, args.again)
            asked = interrupts.requested.is_set
            display = BootstrapDisplay(output, len(pending), asked)
            results = []
            with display.shown():
                for result in bootstrap.run(pending, asked, at_once, display.begin, display.watch):
                    results.append(result)
                    display.end(result)
            left = len(pending) - len(results)
        lines = bootstrap_summary(
            results,
            len(tasks) - len(pending),
            left,
            store.location,
            store.count(),
            output.glyphs,
            output.console.width,
        )
        for line in lines:
            output.console.print(line)
    if left:
        output.console.print('Interrupted: the same command goes on from here.')
        return ExitCode.INTERRUPTED
    return ExitCode.OK
