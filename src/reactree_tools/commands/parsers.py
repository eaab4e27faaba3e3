"""How every command declares itself."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeAlias

Subparsers: TypeAlias = 'argparse._SubParsersAction[argparse.ArgumentParser]'

Run = Callable[[argparse.Namespace], int]


def add_command(
    commands: Subparsers, name: str, summary: str, run: Run | None, examples: str = ''
) -> argparse.ArgumentParser:
    """A parser of one command.

    :param summary: one line, shown in the list of commands and above the command's own help.
    :param examples: indented lines shown below the help.
    """
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + '.',
        epilog=f'examples:\n{examples}' if examples else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # For what is given about its arguments.
    parser.set_defaults(command=parser)
    if run is not None:
        parser.set_defaults(run=run)
    return parser
