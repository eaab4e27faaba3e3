"""A recorded run by what a user calls it: a bag, or a journal."""

from __future__ import annotations

from pathlib import Path

from reactree_core.errors import RecordingError
from reactree_planner.tree.journal import read_journal
from reactree_tools.recording.bag_folder import find_bag
from reactree_tools.recording.ros.run_reading import read_run
from reactree_tools.recording.ros.run_reading import RecordedRun


def open_recorded(name: str, directory: Path, run_id: str = '') -> RecordedRun:
    """A recorded run, read whole.

    :param name: as of `find_bag`, or the path of a journal.
    :param directory: of the bags. :param run_id: which of a bag with several.
    :raises RecordingError: there is no such bag, or it cannot be read.
    :raises JournalError: the journal is damaged.
    """
    path = Path(name).expanduser()
    if path.is_file() and path.suffix == '.jsonl':
        recorded = RecordedRun(path.stem, tuple(read_journal(path)))
    else:
        recorded = read_run(find_bag(name, directory), run_id)
    if not recorded.events:
        raise RecordingError(f'The record {name} holds no event of its run.')
    return recorded
