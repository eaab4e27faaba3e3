"""How the program is started: the options that worlds have for it, and its command."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import path_of
from sim_bridge.worlds.thor.client import ClientOptions, FIFO, HTTP
from sim_bridge.worlds.thor.loading import size_of
from sim_bridge.worlds.thor.tasks import WHOLE


def client_options(
    executable: str = '',
    version: str | float = '',
    transport: str = '',
    display: str | int = '',
    size: str | int = 300,
    record: str = '',
    answer: float = 1.5,
    start: float = 120.0,
) -> ClientOptions:
    """Options as people write them, checked.

    :param display: ':0', or its number. :param size: '300' or '400x300'.
    :raises ConfigurationError: a value cannot be used.
    """
    if transport not in ('', FIFO, HTTP):
        raise ConfigurationError(f'transport must be {FIFO} or {HTTP}, not {transport!r}')
    for name, value in (('answer', answer), ('start', start)):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ConfigurationError(f'{name} must be seconds, not {value!r}')
        if not 0.0 < value < 1e6:
            raise ConfigurationError(f'{name} must be above 0 s, not {value!r}')
    text = str(display)
    return ClientOptions(
        executable=str(executable).strip(),
        version=str(version).strip(),
        transport=transport,
        display=f':{text}' if text.isdigit() else text,
        size=size_of(str(size)),
        answer=float(answer),
        start=float(start),
        record=str(record),
    )


def command_of(
    executable: str, stand_in: str = '', tasks: str = '', layouts: Path | None = None
) -> str:
    """How the program is started.

    :param executable: its path, or a command; '' for the stand-in. :param stand_in: its options.
    :param tasks: file or folder of tasks, which tell the stand-in where things are; '' for none.
    :param layouts: of the floor plans, where `stand_in` names none.
    :raises ConfigurationError: the options cannot be read.
    """
    if executable:
        path = path_of(executable)
        # The client splits it at spaces.
        return shlex.quote(str(path)) if path is not None else executable
    source = Path(__file__).resolve().parents[3]
    words = [
        'env',
        f'PYTHONPATH={source}',
        sys.executable,
        '-m',
        'sim_bridge.worlds.thor.stand_in',
    ]
    if tasks and '--trajectories' not in stand_in:
        words += ['--trajectories', str(_folder_of(Path(tasks).expanduser().absolute()))]
    if layouts is not None and '--layouts' not in stand_in:
        words += ['--layouts', str(layouts)]
    try:
        given = shlex.split(stand_in)
    except ValueError as error:
        raise ConfigurationError(f'stand_in {stand_in!r} cannot be read: {error}') from error
    return shlex.join(words + given)


def _folder_of(tasks: Path) -> Path:
    """The folder of tasks; of one task the folder with its name, which tells its floor plan."""
    if tasks.is_dir():
        return tasks
    return tasks.parents[1] if tasks.name == WHOLE else tasks.parent
