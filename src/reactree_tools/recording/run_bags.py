"""Which message goes into which bag: one bag per run, each with what holds when its run begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reactree_core.errors import RecordingError
from reactree_tools.recording.bag_writing import (
    finish,
    finish_all,
    free_name,
    PART,
    unfinished_folder,
    UnfinishedBag,
)
from reactree_tools.recording.mcap_reading import RawMessage


@dataclass(frozen=True, slots=True)
class Mark:
    """What a message reports of its run.

    :param run_id: 32 hexadecimal digits.
    :param key: distinguishes an event from the others of its run; None for what may come again.
    :param sequence: newest event that it contains. :param ends: whether it ends its run.
    """

    run_id: str
    key: tuple[int, ...] | None
    sequence: int
    ends: bool = False


class RunBags:
    """Takes messages in the order they come; not thread-safe.

    A planner that resumes a run sends its events once more; each is written once. After an error
    it goes on with the next message: the disk may have room again.

    :param directory: takes a folder per run, named by its id.
    :param told: given every bag that was finished.
    :param patience: seconds after a run's end in which its last messages may still come.
    :raises RecordingError: as of `UnfinishedBag`.
    """

    def __init__(
        self,
        directory: Path,
        on_bag: Callable[[Path], None] = lambda bag: None,
        patience: float = 0.5,
    ) -> None:
        self._directory = directory
        self._told = on_bag
        self._patience = patience
        #: Newest messages of topics that belong to no run, by topic.
        self._standing: dict[str, RawMessage] = {}
        self._ended = _ended_runs(directory)
        self._bag: UnfinishedBag | None = None
        self._run_id = ''
        self._keys: set[tuple[int, ...]] = set()
        self._newest = 0
        #: Runs of which something that was heard is in no bag.
        self._torn: set[str] = set()
        self._finish_at: float | None = None
        for bag in finish_all(directory):
            on_bag(bag)

    def surroundings(self, message: RawMessage, kept: bool) -> None:
        """A message of no run.

        :param kept: whether it holds until the next one, also for later runs.
        """
        if kept:
            self._standing[message.topic.name] = message
        if self._bag is not None:
            self._bag.write(message)

    def take(self, message: RawMessage, mark: Mark, now: float) -> None:
        """A message of a run.

        :param now: seconds of a clock that only moves forward.
        :raises RecordingError: the message, or the bag of the run before, is not recorded.
        """
        if mark.run_id in self._ended and mark.run_id != self._run_id:
            return
        if mark.run_id == self._run_id:
            self._write(message, mark, now)
            return
        try:
            self.close()
        finally:
            # Whatever has become of the run before.
            try:
                self._begin(mark.run_id, message.time)
            except RecordingError:
                self._torn.add(mark.run_id)
                raise
            self._write(message, mark, now)

    def _write(self, message: RawMessage, mark: Mark, now: float) -> None:
        assert self._bag is not None
        if mark.key is None:
            if mark.sequence < self._newest:
                return  # a tree of a run that is given again
        elif mark.key in self._keys:
            return
        if mark.ends:
            self._ended.add(mark.run_id)
            self._finish_at = now + self._patience
        self._newest = max(self._newest, mark.sequence)
        try:
            self._bag.write(message)
        except RecordingError:
            self._torn.add(mark.run_id)
            raise
        if mark.key is not None:
            self._keys.add(mark.key)

    def _begin(self, run_id: str, time: int) -> None:
        bag = free_name(self._directory / run_id)
        self._bag = UnfinishedBag(unfinished_folder(bag) / PART)
        self._run_id = run_id
        self._keys.clear()
        self._newest = 0
        for standing in self._standing.values():
            self._bag.write(RawMessage(standing.topic, time, standing.data))

    def tick(self, now: float) -> None:
        """Have what was written on the disk, and finish the bag of a run that has ended.

        :raises RecordingError: as of `close`, or the disk does not take it.
        """
        if self._bag is None:
            return
        if self._finish_at is not None and now >= self._finish_at:
            self.close()
        else:
            self._bag.sync()

    def close(self) -> None:
        """Finish the bag that is open, if any.

        :raises RecordingError: it cannot be finished now; what was recorded is kept, and the next
            recorder, or whoever opens it, finishes it.
        """
        bag, self._bag, self._run_id = self._bag, None, ''
        self._finish_at = None
        if bag is not None:
            bag.close()
            finished = finish(bag.path.parent)
            if finished is not None:
                run_id = finished.name[:32]
                _note_end(finished, run_id in self._ended and run_id not in self._torn)
                self._told(finished)


#: In the folder of a bag that has its run to the end: a recorder that hears of it again ignores
#: it.
_END = 'ended'


def _note_end(bag: Path, ended: bool) -> None:
    if not ended:
        return
    try:
        (bag / _END).touch()
    except OSError as error:
        raise RecordingError(
            f'The bag {bag} is whole, but cannot be marked as such ({error.strerror}): free some '
            'disk space, or its run may be recorded once more.'
        ) from error


def _ended_runs(directory: Path) -> set[str]:
    return {path.parent.name[:32] for path in directory.glob(f'*/{_END}')}
