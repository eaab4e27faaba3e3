"""What one can choose when the stand-in is started."""

from __future__ import annotations

import argparse
from pathlib import Path

_PATHS = ('layouts', 'trajectories', 'games', 'replay')


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what one can choose."""
    for name, what in (
        ('layouts', "ALFRED's FloorPlan1-layout.npy and so on; default: those of the package "
         'alfworld where it is installed'),
        ('trajectories', "ALFRED's traj_data.json files, where movable things lay"),
        ('games', "ALFWorld's game.tw-pddl files, where every fixed thing is"),
    ):  # fmt: skip
        parser.add_argument(
            f'--{name}', action='append', type=Path, default=[], metavar='FOLDER', help=what
        )
    parser.add_argument(
        '--replay',
        action='append',
        type=Path,
        default=[],
        metavar='FILE',
        help='scenes recorded with the real program (option record of the world thor)',
    )
    parser.add_argument(
        '--made-up', action='store_true', help='make up all rooms; read no data files'
    )
    parser.add_argument(
        '--seed', type=int, default=0, metavar='N', help='seed of made-up rooms and failures'
    )
    parser.add_argument(
        '--failures',
        default='recorded',
        metavar='WHICH',
        help='how often opening fails: recorded (as with the real program), none, or a share 0..1',
    )
    parser.add_argument(
        '--frames', choices=('drawn', 'plain'), default='drawn', help='plain: grey pictures'
    )
    for name, what in (('hang', 'stop answering'), ('die', 'end')):
        parser.add_argument(
            f'--{name}-after', type=int, metavar='N', help=f'{what} at the Nth action, for tests'
        )


def as_words(options: argparse.Namespace) -> list[str]:
    """The options as they are written on a command line; defaults are left out."""
    usual = argparse.ArgumentParser()
    add_options(usual)
    words = []
    for name in _PATHS:
        for folder in getattr(options, name):
            words += [f'--{name}', str(folder)]
    for action in usual._actions:
        value = getattr(options, action.dest, None)
        if action.dest in (*_PATHS, 'help') or value == action.default:
            continue
        words += [action.option_strings[0], *([] if value is True else [str(value)])]
    return words
