"""Which message goes into which bag: one bag per run, each with what holds when its run begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reactree_tools.recording.finishing import finish
from reactree_tools.recording.finishing import finish_all
from reactree_tools.recording.finishing import free_name
from reactree_tools.recording.finishing import PART
from reactree_tools.recording.finishing import unfinished_folder
from reactree_tools.recording.unfinished import RawMessage
from reactree_tools.recording.unfinished import UnfinishedBag


@dataclass(frozen=True, slots=True)
class Mark:
    """What a message tells of its run.

    :param run_id: 32 hexadecimal digits.
    :param key: tells an event from the others of its run; None for what may come again.
    :param sequence: newest event that it contains. :param ends: whether it ends its run.
    """

    run_id: str
    key: tuple[int, bool] | None
    sequence: int
    ends: bool = False


class RunBags:
    """Takes messages in the order they come; not thread-safe.

    A planner that resumes a run tells its events once more; each is written once.

    :param directory: takes a folder per run, named by its id.
    :param told: given every bag that was finished.
    :param patience: seconds after a run's end in which its last messages may still come.
    :raises RecordingError: as of `UnfinishedBag`.
    """

    def __init__(
        self,
        directory: Path,
        told: Callable[[Path], None] = lambda bag: None,
        patience: float = 0.5,
    ) -> None:
        self._directory = directory
        self._told = told
        self._patience = patience
        #: Newest messages of topics that belong to no run, by topic.
        self._standing: dict[str, RawMessage] = {}
        self._ended = _ended_runs(directory)
        self._bag: UnfinishedBag | None = None
        self._run_id = ''
        self._keys: set[tuple[int, bool]] = set()
        self._newest = 0
        self._finish_at: float | None = None
        for bag in finish_all(directory):
            told(bag)

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
        """
        if mark.run_id in self._ended and mark.run_id != self._run_id:
            return
        if mark.run_id != self._run_id:
            self.close()
            self._begin(mark.run_id, message.time)
        assert self._bag is not None
        if mark.key is None:
            if mark.sequence < self._newest:
                return  # a tree of a run that is told again
        elif mark.key in self._keys:
            return
        else:
            self._keys.add(mark.key)
        self._newest = max(self._newest, mark.sequence)
        self._bag.write(message)
        if mark.ends:
            self._ended.add(mark.run_id)
            self._finish_at = now + self._patience

    def _begin(self, run_id: str, time: int) -> None:
        self._run_id = run_id
        self._keys.clear()
        self._newest = 0
        bag = free_name(self._directory / run_id)
        self._bag = UnfinishedBag(unfinished_folder(bag) / PART)
        for standing in self._standing.values():
            self._bag.write(RawMessage(standing.topic, time, standing.data))

    def tick(self, now: float) -> None:
        """Have what was written on the disk, and finish the bag of a run that has ended."""
        if self._bag is None:
            return
        if self._finish_at is not None and now >= self._finish_at:
            self.close()
        else:
            self._bag.sync()

    def close(self) -> None:
        """Finish the bag that is open, if any."""
        bag, self._bag, self._run_id = self._bag, None, ''
        self._finish_at = None
        if bag is not None:
            bag.close()
            finished = finish(bag.path.parent)
            if finished is not None:
                _note_end(finished, finished.name[:32] in self._ended)
                self._told(finished)


#: In the folder of a bag whose run came to its end: a recorder that hears of it again ignores it.
_END = 'ended'


def _note_end(bag: Path, ended: bool) -> None:
    if ended:
        (bag / _END).touch()


def _ended_runs(directory: Path) -> set[str]:
    return {path.parent.name[:32] for path in directory.glob(f'*/{_END}')}
