"""`reactree bench`: studies over tasks, planners, presets and models, and their tables."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any, TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands import bench_bootstrap
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_tools.bench.episodes import EpisodeRunner
    from reactree_tools.bench.workers import Workers

_EXAMPLES = """\
  reactree bench run --tasks household:10@1401 --planner reactree,react --out study
  reactree bench run --tasks "wah:tasks.json[0:20]" --scenes "graphs/*.json" --preset published
  reactree bench run study.yaml --workers 4
  reactree bench bootstrap --tasks household:50@1000 --store learned.sqlite
  reactree bench status study
  reactree bench report study

repeat a command to continue after an interruption; docs/bench.md shows a study file
"""
_REPORTS = """\
  reactree bench report study                                   one page, study/report.html
  reactree bench report study --layout reactree --format latex
  reactree bench report study --compare planner --compare preset --format markdown
  reactree bench report study --relabel 40                      a page to label failures on
"""
#: First words of presets: a part that begins with one begins another preset.
_PRESETS = ('default', 'published', 'published-code')


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(commands, 'bench', 'run studies and make tables of them', None, _EXAMPLES)
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    _add_run(actions)
    _add_status(actions)
    bench_bootstrap.add_parser(actions)
    _add_report(actions)


def names(text: str) -> list[str]:
    """'reactree,react' as a list."""
    return [name.strip() for name in text.split(',') if name.strip()]


def presets(text: str) -> list[str]:
    """'default,repairs=0,published' as two presets: overrides belong to the one before."""
    found: list[str] = []
    for part in names(text):
        if part in _PRESETS or not found:
            found.append(part)
        else:
            found[-1] += f',{part}'
    return found


def _add_run(actions: Subparsers) -> None:
    parser = add_command(actions, 'run', 'run the missing episodes of a study', run, _EXAMPLES)
    parser.add_argument(
        'study',
        nargs='?',
        type=Path,
        metavar='STUDY.yaml',
        help='file of the study; options below override it',
    )
    parser.add_argument(
        '--tasks',
        action='append',
        metavar='TASKS',
        help='WORLD:COUNT@FIRST_SEED, WORLD:FAMILY:SEED-SEED, WORLD:FILE, wah:FILE, '
        'eb_alfred:FOLDER[SPLIT] or smart_llm:FOLDER; [0:20] after it takes a part; may be given '
        'several times',
    )
    parser.add_argument(
        '--scenes', metavar='SCENE', help='a scene for these tasks, or a pattern of files'
    )
    for axis, kind, text in (
        ('planner', names, 'planners, separated by commas, or all (default reactree)'),
        (
            'preset',
            presets,
            'default, published, published-code; each may have overrides',
        ),
        ('memory', names, 'none, working, episodic, both, separated by commas (default both)'),
    ):
        parser.add_argument(f'--{axis}', action='extend', type=kind, metavar='NAMES', help=text)
    parser.add_argument(
        '--model',
        action='append',
        metavar='MODEL',
        help='name, file or address; options of a study file may follow after commas, e.g. '
        'threads=1; may be given several times',
    )
    parser.add_argument(
        '--store',
        action='append',
        metavar='STORE',
        help='file of experiences; may be given several times',
    )
    bench_bootstrap.add_with_examples(parser)
    parser.add_argument(
        '--seeds', type=options.count, metavar='N', help='number of seeds (default 1)'
    )
    for limit in ('decisions', 'steps', 'depth', 'tokens'):
        parser.add_argument(f'--max-{limit}', type=options.whole, metavar='N')
    parser.add_argument('--timeout', type=options.positive_seconds, metavar='SECONDS')
    parser.add_argument(
        '--out',
        type=Path,
        metavar='FOLDER',
        help='folder of the study (default bench/NAME of its file)',
    )
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument(
        '--workers',
        type=options.count,
        default=1,
        metavar='N',
        help='number of processes (default 1)',
    )
    workers.add_argument(
        '--ray',
        nargs='?',
        const='',
        metavar='ADDRESS',
        help='use workers of the Ray cluster at ADDRESS; without ADDRESS, start one here',
    )
    parser.add_argument(
        '--ray-workers',
        type=options.count,
        default=2,
        metavar='N',
        help='number of workers (default 2)',
    )
    options.add_plain(parser)


def _add_status(actions: Subparsers) -> None:
    parser = add_command(actions, 'status', 'show how much of a study has been run', status)
    parser.add_argument('folder', type=Path, metavar='FOLDER', help='folder of the study')
    options.add_plain(parser)


def _add_report(actions: Subparsers) -> None:
    from reactree_tools.bench.report.options import add_arguments

    def make(args: argparse.Namespace) -> int:
        from reactree_tools.bench.report.command import run as report

        return report(args)

    parser = add_command(
        actions, 'report', 'make tables, comparisons and plots of a study', make, _REPORTS
    )
    add_arguments(parser)


def changes_of(args: argparse.Namespace) -> dict[str, Any]:
    """What the command line says, as fields of a study file."""
    from reactree_tools.bench.study import read_model

    said: dict[str, Any] = {
        'tasks': [
            {'tasks': text, 'scenes': args.scenes} if args.scenes else text
            for text in args.tasks or ()
        ],
        'planners': args.planner,
        'presets': args.preset,
        'memories': args.memory,
        'models': [read_model(text) for text in args.model or ()],
        'stores': args.store,
        'seeds': args.seeds,
        'limits': {
            name: value
            for name, value in (
                ('decisions', args.max_decisions),
                ('steps', args.max_steps),
                ('depth', args.max_depth),
                ('tokens', args.max_tokens),
                ('seconds', args.timeout),
            )
            if value is not None
        },
    }
    return {name: value for name, value in said.items() if value}


def run(args: argparse.Namespace) -> int:
    """Run what is not done yet."""
    from reactree_core.cancellation import CancelToken
    from reactree_tools.bench.episodes import EpisodeRunner
    from reactree_tools.bench.running import pending_cells, run_study, study_folder
    from reactree_tools.bench.study import read_study
    from reactree_tools.bootstrap.bootstrapping import check_published_stores, trained_on
    from reactree_tools.output import Output
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.views.study_view import StudyDisplay

    study = read_study(args.study, changes_of(args))
    if not args.with_examples:
        check_published_stores(study.cells())
    if args.ray is None:
        for model in study.models.values():
            model.check_files()
    folder = args.out or Path('bench') / (args.study.stem if args.study else 'study')
    output = Output(args.plain)
    at_once = CancelToken()
    for warning in trained_on(study.cells()):
        output.warn(warning)
    with study_folder(folder, study):
        cells, done = pending_cells(study, folder)
        runner = EpisodeRunner(study.models, study.limits)
        display = StudyDisplay(output, folder, len(cells), done)
        hint = f'In the browser: reactree viewer --study {shlex.quote(str(folder))}'
        output.console.print(hint, style='dim', soft_wrap=True)
        with Interrupts(at_once) as interrupts:
            workers = _workers(args, runner, at_once, display.watch)
            try:
                with display.shown(interrupts.requested.is_set):
                    outcome = run_study(
                        study,
                        folder,
                        cells,
                        workers,
                        interrupts.requested.is_set,
                        interrupts.again.is_set,
                        display.begin,
                        display.end,
                    )
            finally:
                workers.close()
    display.summary(outcome)
    if outcome.done + len(outcome.left_out) < len(cells):
        return ExitCode.INTERRUPTED
    return ExitCode.FAILED if outcome.left_out else ExitCode.OK


def _workers(args: argparse.Namespace, runner: EpisodeRunner, cancel: Any, watch: Any) -> Workers:
    from reactree_tools.bench.workers import LocalProcesses, RayActors, ThisProcess

    if args.ray is not None:
        return RayActors(runner, args.ray_workers, args.ray)
    if args.workers > 1:
        return LocalProcesses(runner, args.workers)
    return ThisProcess(runner, cancel, watch)


def status(args: argparse.Namespace) -> int:
    """Print how far a study is."""
    from reactree_tools.bench.rows import read_rows, ROWS, STUDY
    from reactree_tools.bench.running import pending_cells
    from reactree_tools.bench.study import read_study
    from reactree_tools.output import Output
    from reactree_tools.views.study_view import group_lines

    study = read_study(args.folder / STUDY, {})
    cells, done = pending_cells(study, args.folder)
    output = Output(args.plain)
    output.console.print(f'{done} of {done + len(cells)} episodes done')
    for line in group_lines(read_rows(args.folder / ROWS)):
        output.console.print(line, soft_wrap=True)
    return ExitCode.OK
