"""`reactree thor-stand-in`: a program that stands in for AI2-THOR's, without Unity or a GPU."""

from __future__ import annotations

import argparse
from pathlib import Path

from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree thor-stand-in
  reactree thor-stand-in ~/bin/thor --layouts alfred/gen/layouts --trajectories json_2.1.0
  reactree thor-stand-in --made-up --failures none

then, in Python:  Controller(local_executable_path='./thor-stand-in', scene='FloorPlan1')
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    from sim_bridge.worlds.thor.stand_in.options import add_options

    parser = add_command(
        commands,
        'thor-stand-in',
        "write an executable that speaks the protocol of AI2-THOR's program",
        run,
        _EXAMPLES,
    )
    parser.add_argument(
        'path',
        nargs='?',
        type=Path,
        default=Path('thor-stand-in'),
        metavar='PATH',
        help='file or folder to write the executable to (default ./thor-stand-in)',
    )
    add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Write it."""
    from sim_bridge.worlds.thor.stand_in.launcher import executable
    from sim_bridge.worlds.thor.stand_in.options import as_words

    path = executable(args.path.expanduser(), as_words(args))
    print(f'Written: {path}', flush=True)
    print(f'Use it as local_executable_path of ai2thor, or --world thor,executable={path}')
    return ExitCode.OK
