"""`reactree bench bootstrap`: fills a memory by rounds of training tasks."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands import memory_options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_server.episodic.episodic_memory import EpisodicMemory
    from memory_server.store.experience_store import ExperienceStore
    from reactree_tools.bench.rows import Cell
    from reactree_tools.bench.study import Study
    from reactree_tools.bench.workers import Workers
    from reactree_tools.bootstrap.bootstrapping import Round
    from reactree_tools.output import Output

_EXAMPLES = """\
  reactree bench bootstrap --tasks household:50@1000 --store learned.sqlite
  reactree bench bootstrap --tasks household:50@1000 --store taught.sqlite --model teacher
  reactree bench bootstrap --tasks "wah:train.json" --scenes "graphs/*.json" --preset published \\
      --no-examples --model http://host:8000/v1 --workers 8 --store wah.sqlite
  reactree bench run --tasks household:20@1401 --store learned.sqlite

repeat the command to continue after an interruption
"""


def add_parser(actions: Subparsers) -> None:
    """Declare the action."""
    parser = add_command(
        actions, 'bootstrap', 'collect experiences from training tasks', run, _EXAMPLES
    )
    parser.add_argument(
        '--tasks',
        action='append',
        required=True,
        metavar='TASKS',
        help='as in `reactree bench run`; may be given several times',
    )
    parser.add_argument(
        '--scenes',
        default='',
        metavar='SCENE',
        help='a scene for these tasks, or a pattern of files',
    )
    parser.add_argument(
        '--rounds',
        type=options.count,
        default=1,
        metavar='N',
        help='tries per task; each round uses what the earlier ones have learned (default 1)',
    )
    add_shared(parser)


def add_shared(parser: argparse.ArgumentParser) -> None:
    """What `reactree memory bootstrap` has too."""
    parser.add_argument(
        '--memory',
        choices=('episodic', 'both'),
        default='both',
        help='episodic memory alone, or both memories (default both)',
    )
    examples = parser.add_mutually_exclusive_group()
    examples.add_argument(
        '--no-examples',
        action='store_true',
        help='do not load the shipped examples into the memory first',
    )
    add_with_examples(examples)
    options.add_planner(parser)
    parser.add_argument(
        '--threads',
        type=options.seed,
        default=0,
        metavar='N',
        help='threads of a model in this process (default: all cores)',
    )
    options.add_model_server(parser)
    options.add_limits(parser)
    parser.add_argument(
        '--workers',
        type=options.count,
        default=1,
        metavar='N',
        help='number of processes (default 1)',
    )
    parser.add_argument(
        '--out',
        type=Path,
        metavar='FOLDER',
        help='folder of the rounds; each is a study (default: beside the memory)',
    )
    memory_options.add_encoder(parser)
    memory_options.add_store(parser)
    options.add_plain(parser)


def add_with_examples(parser: argparse._ActionsContainer) -> None:
    """--with-examples."""
    parser.add_argument(
        '--with-examples',
        action='store_true',
        help='allow the shipped examples beside a published preset; the papers do not have them',
    )


def run(args: argparse.Namespace) -> int:
    """Run what is not done yet."""
    tasks = [{'tasks': text, 'scenes': args.scenes} for text in args.tasks]
    return collect(args, study_of(args, tasks), args.rounds)


def study_of(args: argparse.Namespace, tasks: list[dict[str, str]]) -> Study:
    """The study of all training tasks.

    :param tasks: fields of `TaskEntry`.
    :raises ConfigurationError: there are no such tasks, planner, preset or model.
    """
    from reactree_planner.llm.models import DEFAULT_MODEL
    from reactree_tools.bench.study import read_study, TEACHER
    from reactree_tools.model_check import check_model_choice

    model: dict[str, Any] = {
        'name': args.model or DEFAULT_MODEL,
        'threads': args.threads,
        'server_model': args.server_model,
        'api_key_variable': args.api_key_variable,
        'api_key_over_http': args.api_key_over_http,
        # As many as there are workers: a server batches them.
        'requests': args.workers,
    }
    limits = {
        'decisions': args.max_decisions,
        'steps': args.max_steps,
        'depth': args.max_depth,
        'tokens': args.max_tokens,
        'seconds': args.timeout,
    }
    said: dict[str, Any] = {
        'tasks': tasks,
        'planners': [args.planner or 'reactree'],
        'presets': [args.preset or 'default'],
        'models': [model],
        'memories': [args.memory],
        'limits': {name: value for name, value in limits.items() if value},
    }
    study = read_study(None, said)
    if model['name'] != TEACHER:
        check_model_choice(model['name'])
    return study


def collect(args: argparse.Namespace, study: Study, rounds: int) -> int:
    """Fill a memory, until no task is left that may be tried.

    :param rounds: most times that a task is tried; 0: once more than before.
    """
    from reactree_core.errors import ConfigurationError
    from reactree_tools.bench.episodes import lesson_of, run_id_of, runs_of
    from reactree_tools.bootstrap.bootstrapping import (
        check_published_stores,
        folder_of,
        next_round,
        tries_of,
    )
    from reactree_tools.memory.opening import add_examples, file_of, open_memory, open_writable
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count

    output = Output(args.plain)
    is_published = any(cell.preset.startswith('published') for cell in study.cells())
    if is_published and not (args.no_examples or args.with_examples):
        raise ConfigurationError(
            'no paper has the shipped examples: say --no-examples, or --with-examples to have '
            'them all the same.'
        )
    lessons = list(dict.fromkeys(map(lesson_of, study.cells())))
    with closing(open_writable(args.store)) as store:
        folder = args.out or folder_of(file_of(args.store), store.location)
        memory, remark = open_memory(store, memory_options.encoder_of(args))
        if remark:
            output.warn(remark)
        if not args.with_examples:
            check_published_stores([replace(cell, store=args.store) for cell in study.cells()])
        if not args.no_examples:
            add_examples(memory)
        before = store.count()
        tries = rounds or 1 + max(tries_of(folder)[lesson] for lesson in lessons)
        left_out: set[Cell] = set()
        choose = partial(next_round, study, folder, store, tries, left_out)
        _run_rounds(args, output, study, choose, store, memory, left_out)
        is_left = choose() is not None
        solved = len(set(map(run_id_of, lessons)).intersection(runs_of(store)))
        words = (
            f'{solved} of {count(len(lessons), "training task")} solved; '
            f'{count(store.count() - before, "new experience")} in {store.location}, '
            f'{store.count():,} in all'
        )
    output.console.print(words, soft_wrap=True)
    if left_out:
        output.warn(
            f'{count(len(left_out), "task")} could not be run; the same command tries them again'
        )
    if is_left:
        output.console.print('Interrupted: the same command continues from here.')
        return ExitCode.INTERRUPTED
    return ExitCode.FAILED if left_out else ExitCode.OK


def _run_rounds(
    args: argparse.Namespace,
    output: Output,
    study: Study,
    choose: Callable[[], Round | None],
    store: ExperienceStore,
    memory: EpisodicMemory,
    left_out: set[Cell],
) -> None:
    """Run rounds while there are some and nobody asks to end.

    :param left_out: takes what could not be run.
    """
    from reactree_core.cancellation import CancelToken
    from reactree_tools.bench.episodes import EpisodeRunner, lesson_of
    from reactree_tools.bench.running import run_study
    from reactree_tools.bench.workers import LocalProcesses, ThisProcess
    from reactree_tools.bootstrap.bootstrapping import begun, keep_in
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.views.study_view import StudyDisplay

    at_once = CancelToken()
    displays: list[StudyDisplay] = []
    encoder = memory_options.encoder_of(args)
    runner = EpisodeRunner(study.models, study.limits, keeps=True, encoder=encoder)
    with Interrupts(at_once) as interrupts:
        asked = interrupts.requested.is_set
        workers: Workers = (
            LocalProcesses(runner, args.workers)
            if args.workers > 1
            else ThisProcess(runner, at_once, lambda event: displays[-1].watch(event))
        )
        try:
            while not asked() and (part := choose()) is not None:
                output.console.print(f'Round {part.number}, in {part.folder}', soft_wrap=True)
                display = StudyDisplay(output, part.folder, len(part.cells), 0)
                displays.append(display)
                with begun(part, store), display.shown(asked):
                    outcome = run_study(
                        part.study,
                        part.folder,
                        part.cells,
                        workers,
                        asked,
                        interrupts.again.is_set,
                        display.begin,
                        display.end,
                        keep_in(memory),
                    )
                left_out.update(map(lesson_of, outcome.left_out))
        finally:
            workers.close()
