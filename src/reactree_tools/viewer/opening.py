"""Recorded runs by what a user calls it: a file, or the beginning of its id."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path

from reactree_core.errors import JournalError
from reactree_planner.tree.journal import read_records
from reactree_tools.viewer.sources import GivenRun
from reactree_tools.viewer.sources import JournalFolder

#: Stands for the run that was written last.
LAST = 'last'


def open_runs(
    name: str, folder: Path, run_id: str = '', warn: Callable[[str], None] = lambda text: None
) -> Sequence[GivenRun]:
    """A run, read whole; of a bag that holds several all of them, in the order they began.

    :param name: path of a journal or of a bag's folder, the beginning of the id of a run in the
        journals, or 'last'.
    :param folder: of the journals. :param run_id: which of a bag with several; '' takes all.
    :param warn: told of journals that were passed over, since they cannot be read.
    :raises JournalError: there is no such run, several begin so, or its record is damaged.
    :raises RecordingError: the bag cannot be read.
    """
    path = Path(name).expanduser()
    if path.is_file():
        return [GivenRun(path.stem, read_records(path))]
    if path.is_dir():
        return _open_bag(path, run_id)
    return [_open_journal(name, JournalFolder(folder), folder, warn)]


def _open_journal(
    name: str, journals: JournalFolder, folder: Path, warn: Callable[[str], None]
) -> GivenRun:
    entries = journals.entries()
    run_ids = [entry.run_id for entry in entries]
    for entry in entries if name == LAST else ():
        if not entry.trouble:
            return GivenRun(entry.run_id, journals.records(entry.run_id))
        warn(f'The journal of run {entry.run_id} cannot be read: {entry.trouble}')
    found = [run_id for run_id in run_ids if run_id.startswith(name.lower())]
    if len(found) == 1:
        return GivenRun(found[0], journals.records(found[0]))
    if found:
        raise JournalError(
            f'{len(found)} runs begin with {name[:40]}: give more digits of the one you mean.'
        )
    raise JournalError(
        f'There is no run {name[:80]}: neither a file of this name nor a journal in {folder}. '
        "Give a journal's path, a bag's folder, the first digits of a run's id, or the word last."
    )


def _open_bag(path: Path, run_id: str) -> Sequence[GivenRun]:
    # A bag holds messages, which need ROS; journals do not.
    from reactree_tools.recording.bag_folder import bag_directory
    from reactree_tools.recording.ros import opening

    runs = opening.open_runs(str(path), bag_directory(), run_id)
    return [GivenRun(recorded.run_id, recorded.events) for recorded in runs]
