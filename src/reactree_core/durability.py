"""Files and folders that must survive a power cut, and be read by their user alone."""

from __future__ import annotations

import os
import re
from pathlib import Path

import platformdirs


def force_to_disk(path: Path) -> None:
    """Wait until a file's content, or a folder's list of names, is on the disk.

    :raises OSError: it cannot be opened, or the disk refuses.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_private_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing, for this user alone.

    :raises OSError: it cannot be made, or a file is there.
    """
    # Path.mkdir(parents=True) gives its mode to the last one only.
    for folder in reversed([folder for folder in path.parents if not folder.exists()]):
        folder.mkdir(0o700, exist_ok=True)
    path.mkdir(0o700, exist_ok=True)


def state_file(kind: str, node: str, folder: Path | None = None) -> Path:
    """A small file in which a node keeps something for the next one of its name and ROS domain.

    :param kind: what it keeps, with the ending of the file, e.g. 'last_hour.json'.
    :param node: full name, e.g. '/robot_1/bridge'. :param folder: None for the user's state.
    """
    name = _name_of(kind, node.strip('/').replace('/', '.'))
    return (platformdirs.user_state_path('reactree') if folder is None else folder) / name


def state_files(kind: str, folder: Path | None = None) -> dict[Path, int]:
    """The files of `state_file` of all nodes, by name, each with its ROS domain.

    :param kind: as in `state_file`. :param folder: None for the user's state.
    """
    place = platformdirs.user_state_path('reactree') if folder is None else folder
    stem, dot, ending = kind.partition('.')
    form = re.compile(rf'{re.escape(stem)}\.domain_(\d+)\..*{re.escape(dot + ending)}')
    try:
        found = sorted(place.iterdir())
    except OSError:
        return {}
    matches = ((path, form.fullmatch(path.name)) for path in found)
    return {path: int(match[1]) for path, match in matches if match is not None}


def this_domain() -> int:
    """ROS_DOMAIN_ID; 0 where it is no number, of which ROS takes no other."""
    domain = os.environ.get('ROS_DOMAIN_ID', '').strip()
    return int(domain) if domain.isdecimal() and len(domain) < 10 else 0


def _name_of(kind: str, node: str) -> str:
    stem, dot, ending = kind.partition('.')
    return f'{stem}.domain_{this_domain()}.{node}{dot}{ending}'


def write_private(path: Path, text: str) -> None:
    """Write a small file for this user alone, with its folder; it is never there in part.

    :raises OSError: the folder or the file cannot be written.
    """
    new = path.with_name(f'{path.name}.new')
    make_private_folder(path.parent)
    with open(new, 'w', encoding='utf-8', opener=open_private) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    force_to_disk(path.parent)


def open_private(path: str, flags: int) -> int:
    """Opener for `open`: a file that is made anew is for this user alone."""
    return os.open(path, flags, 0o600)
