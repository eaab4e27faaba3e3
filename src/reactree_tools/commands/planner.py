"""`reactree planner`: which planners there are, and what a preset sets for one."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree planner list
  reactree planner show reactree --preset published
  reactree planner show tree_planner --preset published,plans.samples=50
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'planner', 'list planners, or show what a preset sets', None, _EXAMPLES
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    listing = add_command(actions, 'list', 'list planners, with their presets', run_list)
    show = add_command(
        actions, 'show', 'show settings that differ from the default, with sources', run_show
    )
    show.add_argument('planner', metavar='NAME', help='name from `reactree planner list`')
    show.add_argument(
        '--preset',
        default='published',
        metavar='PRESET',
        help='default, published or published-code; overrides may follow after commas '
        '(default published)',
    )
    for action in (listing, show):
        options.add_plain(action)


def run_list(args: argparse.Namespace) -> int:
    """A line for each planner."""
    from reactree_planner.planners.registry import planner_names
    from reactree_planner.runs.presets import preset_names
    from reactree_tools.output import Output

    console = Output(args.plain).console
    names = planner_names()
    columns = max(map(len, names))
    for name in names:
        console.print(f'{name.ljust(columns)}  {", ".join(preset_names(name))}')
    return ExitCode.OK


def run_show(args: argparse.Namespace) -> int:
    """A row for each setting that the preset sets: value, default, source."""
    from rich.table import Table

    from reactree_planner.planners.registry import make_planner
    from reactree_planner.runs.presets import checked_settings, differences
    from reactree_tools.output import Output
    from reactree_tools.plain_text import visible

    make_planner(args.planner)  # says which there are
    checked_settings(args.preset, args.planner)
    output = Output(args.plain)
    table = Table('setting', 'value', 'default', 'source', box=None, pad_edge=False)
    for one in differences(args.preset, args.planner):
        table.add_row(*map(visible, one))
    if not table.row_count:
        output.console.print('All settings have their defaults.')
        return ExitCode.OK
    output.console.print(table)
    return ExitCode.OK
