"""Recorded runs by what a user calls it: a bag, or a journal."""

from __future__ import annotations

from pathlib import Path

from reactree_core.errors import RecordingError
from reactree_planner.tree.journal import read_journal
from reactree_tools.recording.bag_folder import find_bag
from reactree_tools.recording.ros.run_reading import RecordedRun
from reactree_tools.recording.ros.run_reading import runs_of


def open_runs(name: str, directory: Path, run_id: str = '') -> list[RecordedRun]:
    """The runs of a record, read whole, in the order they began; 1 or more.

    :param name: as of `find_bag`, or the path of a journal.
    :param directory: of the bags. :param run_id: which of a bag with several; '' takes all.
    :raises RecordingError: there is no such bag or run, or it cannot be read.
    :raises JournalError: the journal is damaged.
    """
    path = Path(name).expanduser()
    if not path.is_file() or path.suffix != '.jsonl':
        return runs_of(find_bag(name, directory), run_id)
    recorded = RecordedRun(path.stem, tuple(read_journal(path)))
    if not recorded.events:
        raise RecordingError(f'The journal {name} holds no event of its run.')
    return [recorded]
