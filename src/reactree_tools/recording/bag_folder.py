"""Where bags are, and which of them a user means."""

from __future__ import annotations

import os
from pathlib import Path

from reactree_core.errors import RecordingError
from reactree_tools.recording.finishing import finish
from reactree_tools.recording.finishing import UNFINISHED
from reactree_tools.recording.finishing import unfinished_folder

#: Stands for the bag that was written last.
LAST = 'last'


def bag_directory(given: str | None = None) -> Path:
    """The folder that was given, or that of the user's state."""
    if given:
        return Path(given).expanduser()
    state = os.environ.get('XDG_STATE_HOME') or Path('~/.local/state').expanduser()
    return Path(state) / 'reactree' / 'bags'


def find_bag(name: str, directory: Path) -> Path:
    """A bag by what a user calls it; one that a crash left unfinished is finished first.

    :param name: path of a rosbag2 folder, the beginning of a run's id, or 'last'.
    :raises RecordingError: there is none, several begin so, or it is being recorded.
    """
    path = Path(name).expanduser()
    if path.is_dir() or unfinished_folder(path).is_dir():
        return _finished(path if path.is_dir() else unfinished_folder(path))
    bags = sorted(
        (bag for bag in directory.glob('*') if _is_bag(bag)), key=lambda bag: bag.stat().st_mtime
    )
    if name == LAST and bags:
        return _finished(bags[-1])
    found = [bag for bag in bags if bag.name.startswith(name.lower())]
    if len(found) == 1:
        return _finished(found[0])
    if found:
        raise RecordingError(
            f'{len(found)} bags begin with {name[:40]}: give more of the name of the one you mean.'
        )
    raise RecordingError(
        f'There is no bag {name[:80]}: neither a folder of this name nor one in {directory}. Give '
        "a bag's folder, the first digits of a run's id, or the word last; `reactree record` "
        'makes bags.'
    )


def _is_bag(folder: Path) -> bool:
    return (folder / 'metadata.yaml').is_file() or folder.name.endswith(UNFINISHED)


def _finished(folder: Path) -> Path:
    if (folder / 'metadata.yaml').is_file():
        return folder
    if not folder.name.endswith(UNFINISHED):
        raise RecordingError(
            f'The folder {folder} is no bag: it has no metadata.yaml. Was its recorder killed? '
            f'Then give its name an ending {UNFINISHED!r} and its MCAP file the name part.mcap.'
        )
    bag = finish(folder)
    if bag is None:
        raise RecordingError(f'The bag {folder} held no message.')
    return bag
