"""`reactree world build`: tasks of the world `programs`, from programs and scenes of one's own."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree world build my_tasks --programs my_programs --scene home.json
  reactree world build set --programs executable_programs --scene TrimmedTestScene*_graph.json \\
      --resources resources
"""
#: How many reasons why programs are no tasks are given, the most frequent first.
_MOST_REASONS = 5


def add_parser(actions: Subparsers) -> None:
    """Declare the action of `reactree world`."""
    parser = add_command(
        actions,
        'build',
        'make tasks of the world programs from VirtualHome programs and scene graphs',
        run,
        _EXAMPLES,
    )
    parser.add_argument('folder', type=Path, metavar='SET', help='new folder for the tasks')
    parser.add_argument(
        '--programs',
        type=Path,
        required=True,
        metavar='FOLDER',
        help='folder with programs (*.txt: title, description, an empty line, steps)',
    )
    parser.add_argument(
        '--scene',
        type=Path,
        required=True,
        nargs='+',
        metavar='GRAPH',
        help='graph files; every program is tried in each',
    )
    parser.add_argument(
        '--resources',
        type=Path,
        metavar='FOLDER',
        help="VirtualHome's resources: places for objects that a scene lacks, and other names",
    )
    parser.add_argument(
        '--seed', type=options.seed, default=0, metavar='N', help='seed (default 0)'
    )
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Build the set, and tell what became of the programs."""
    from reactree_core.errors import ConfigurationError
    from reactree_tools.output import Output
    from sim_bridge.worlds.programs.building import build_set, read_resources, Resources
    from sim_bridge.worlds.programs.pairs import new_set_folder, write_set

    folder = new_set_folder(args.folder)
    resources = read_resources(args.resources) if args.resources else Resources()
    console = Output(args.plain).console
    pairs, reasons = [], Counter[str]()
    for scene in args.scene:
        # A scene takes half a minute with a thousand programs, so each is told of at once.
        built = build_set(args.programs, [scene], resources, args.seed)
        pairs += built.pairs
        reasons.update(built.left_out.values())
        console.print(
            f'{scene.name}: {len(built.pairs)} tasks, one per title; '
            f'{len(built.left_out)} programs cannot be executed there'
        )
    for reason, times in reasons.most_common(_MOST_REASONS):
        console.print(f'  {times} x {reason}', style='dim', soft_wrap=True)
    if not pairs:
        raise ConfigurationError(
            'no program can be executed in any of these scenes (reasons above); with --resources '
            'missing objects are added'
        )
    written = write_set(folder, pairs)
    console.print(f'{written} tasks in {folder}. For example:')
    console.print(
        f'  reactree task "{folder}#{pairs[0].pair_id}" --world programs', soft_wrap=True
    )
    return ExitCode.OK
