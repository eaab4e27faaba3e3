"""Launchers: files that the client starts as if they were the Unity program."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.stand_in.program import make_parser


def executable(path: Path, options: Sequence[str] = ()) -> Path:
    """Write a launcher.

    :param path: of the file, or a folder that it goes into as `thor-stand-in`; without spaces,
        at which the client would split it.
    :param options: of the program, e.g. ('--layouts', FOLDER, '--failures', 'none').
    :return: the file.
    :raises ConfigurationError: it cannot be written, or an option is unknown.
    """
    path = path.absolute()
    if path.is_dir():
        path = path / 'thor-stand-in'
    if shlex.split(str(path)) != [str(path)]:
        raise ConfigurationError(
            f'{path}: the client splits paths at spaces and quotes; choose another'
        )
    unknown = make_parser().parse_known_args([*options])[1]
    if unknown:
        raise ConfigurationError(f'the stand-in has no option {unknown[0][:60]!r}')
    source = Path(__file__).resolve().parents[4]
    words = [sys.executable, '-m', 'sim_bridge.worlds.thor.stand_in', *_absolute(options)]
    text = (
        '#!/bin/sh\n'
        '# Started by ai2thor in place of the Unity program.\n'
        f'PYTHONPATH={shlex.quote(str(source))}${{PYTHONPATH:+:$PYTHONPATH}} '
        f'exec {shlex.join(words)} "$@"\n'
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written beside it first: a client may start the old one at this moment.
        fresh = path.with_name(f'.{path.name}.{os.getpid()}')
        fresh.write_text(text, encoding='utf-8')
        fresh.chmod(fresh.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        fresh.replace(path)
    except OSError as error:
        raise ConfigurationError(f'{path} cannot be written: {error}') from error
    return path


def _absolute(options: Sequence[str]) -> list[str]:
    """Folders by their whole paths: the client starts the program in a folder of its own."""
    return [
        str(Path(word).absolute())
        if before in ('--layouts', '--trajectories', '--games', '--replay')
        else word
        for before, word in zip(('', *options), options, strict=False)
    ]
