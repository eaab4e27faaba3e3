"""`reactree calibrate`: from pairs of words and what they meant, when a run has to ask."""

from __future__ import annotations

import argparse
from contextlib import closing, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_planner.language.chances import Chances
    from reactree_planner.language.conformal import Calibration
    from reactree_planner.language.known_rate import Pair
    from reactree_tools.output import Output

_EXAMPLES = """\
  reactree calibrate pairs.yaml                              closeness of the sentence encoder
  reactree calibrate pairs.yaml --model qwen2.5-coder-1.5b   closeness, weighed by a model
  reactree calibrate pairs.yaml --check later.yaml           and what came of it on other pairs
  reactree calibrate --forget                                the shipped pairs again

a pair: {sentence: Bring a cup., words: cup, options: [tea cup, fork], meant: tea cup}
what comes of them is kept; `reactree plan --wrong-at-most 0.1` and the planner's parameter
wrong_at_most take it (docs/asking.md)
"""
_RATES = (0.05, 0.1, 0.2)


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'calibrate', 'learn from pairs when a run has to ask', run, _EXAMPLES
    )
    parser.add_argument(
        'pairs', nargs='?', type=Path, metavar='PAIRS', help='file of pairs, YAML or JSON'
    )
    parser.add_argument('--model', metavar='MODEL', help='name, file or address of a model')
    parser.add_argument(
        '--check', type=Path, metavar='PAIRS', help='other pairs: coverage and questions on them'
    )
    parser.add_argument(
        '--forget', action='store_true', help='drop what was kept for this model, or closeness'
    )
    parser.add_argument('--threads', type=options.whole, default=0, metavar='N')
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Find the scores, keep them, and print what they come to."""
    from reactree_core.errors import ConfigurationError
    from reactree_planner.language.known_rate import calibrated, calibration_file, keep, read_pairs
    from reactree_tools.output import Output
    from reactree_tools.views.work_bar import work_bar

    if (args.pairs is None) != args.forget:
        raise ConfigurationError('Name a file of pairs, or --forget; reactree calibrate -h.')
    output = Output(args.plain)
    with ExitStack() as opened:
        chances = _chances(args, opened)
        file = calibration_file(chances.by)
        if args.forget:
            file.unlink(missing_ok=True)
            output.console.print(f'Nothing is kept for {chances.by} any more.', soft_wrap=True)
            return ExitCode.OK
        pairs = read_pairs(args.pairs.expanduser())
        others = read_pairs(args.check.expanduser()) if args.check else ()
        with work_bar(output, f'pairs by {chances.by[:60]}') as show:
            done = 0

            def count() -> None:
                nonlocal done
                done += 1
                show(done, len(pairs))

            calibration = calibrated(pairs, chances, count)
        keep(calibration, file)
        _print(output, calibration, chances, pairs, 'these pairs')
        if others:
            _print(output, calibration, chances, others, args.check.name)
    output.console.print(f'Kept in {file}', soft_wrap=True)
    return ExitCode.OK


def _chances(args: argparse.Namespace, opened: ExitStack) -> Chances:
    """Who gives chances. :raises ConfigurationError: there is no such model."""
    from reactree_core.embedding.registry import shared_embedder
    from reactree_planner.language.chances import ByCloseness, ByModel
    from reactree_planner.language.model_reader import OwnSessions

    closeness = ByCloseness(shared_embedder)
    if args.model is None:
        return closeness
    from reactree_planner.llm.registry import load_model, ModelOptions
    from reactree_tools.model_check import check_model_choice

    check_model_choice(args.model)
    model = opened.enter_context(
        closing(load_model(args.model, ModelOptions(threads=args.threads)))
    )
    return ByModel(model.name, OwnSessions(model), closeness)


def _print(
    output: Output,
    calibration: Calibration,
    chances: Chances,
    pairs: tuple[Pair, ...],
    name: str,
) -> None:
    from reactree_planner.language.known_rate import coverage_of, GROUPS

    for group in GROUPS:
        count = len(calibration.scores.get(group, ()))
        output.console.print(f'{group}: {count} pairs', soft_wrap=True)
    for found in coverage_of(pairs, chances, calibration, _RATES):
        output.console.print(
            f'wrong at most {found.rate:.0%}: of {found.count} of {name} the right option '
            f'stays in {found.covered:.0%}, more than one (a question) in {found.asked:.0%}, '
            f'{found.size:.1f} on average',
            soft_wrap=True,
        )
