"""Which run a planner is in, on disk: what it goes on with when it comes up after a crash."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path

from reactree_core.durability import make_private_folder, open_private
from reactree_core.errors import ResumeError

#: A run that ended its planner this often is not gone on with once more: it may be the cause.
MOST_TRIES = 3


class OpenRun:
    """One file beside the journals; it is there while a run is under way.

    A journal does not say whose it is, and planners of several robots may share a folder.

    :param folder: of the journals. :param owner: the planner's full name and domain, e.g.
        '0/robot_1/planner'.
    """

    def __init__(self, folder: Path, owner: str) -> None:
        self._folder = folder
        self._path = folder / f'{owner.replace("/", ".")}.open'

    def begin(self, run_id: str) -> None:
        """A run begins, or goes on. :raises OSError: the file cannot be written."""
        known, tries = self._read()
        tries = tries + 1 if known == run_id else 1
        make_private_folder(self._folder)
        new = self._path.with_suffix('.open-new')
        with open(new, 'w', encoding='ascii', opener=open_private) as file:
            json.dump({'run_id': run_id, 'tries': tries}, file)
        new.replace(self._path)

    def end(self) -> None:
        """The run has ended, however."""
        with suppress(OSError):
            self._path.unlink()

    def interrupted(self, within: float) -> str:
        """Id of the run to go on with; '' for none.

        :param within: seconds since the last record of its journal.
        :raises ResumeError: there is one that had better not be gone on with.
        """
        run_id, tries = self._read()
        if not run_id:
            return ''
        try:
            age = time.time() - (self._folder / f'{run_id}.jsonl').stat().st_mtime
        except OSError:
            return ''  # it ended before it had begun
        if age > within:
            raise ResumeError(
                f'The run {run_id} was interrupted {age:.0f} s ago, more than resume_within '
                f'({within:g} s), so it is not continued. `reactree plan --resume {run_id}` '
                'continues it.'
            )
        if tries > MOST_TRIES:
            raise ResumeError(
                f'The run {run_id} was interrupted {tries} times. It may end the planner, so it '
                f'is not continued. `reactree plan --resume {run_id}` continues it.'
            )
        return run_id

    def _read(self) -> tuple[str, int]:
        """Run and number of its beginnings; ('', 0) where there is none that can be read."""
        try:
            written = json.loads(self._path.read_text(encoding='ascii'))
            run_id, tries = written['run_id'], written['tries']
        except (OSError, ValueError, LookupError, TypeError):
            return '', 0
        # It names a file and becomes the id of a message.
        is_id = isinstance(run_id, str) and len(run_id) == 32 and not set(run_id) - set(_DIGITS)
        return (run_id, tries) if is_id and type(tries) is int else ('', 0)


_DIGITS = '0123456789abcdef'
