"""The frames of one run, written by one thread and read by many, at most so many of them."""

from __future__ import annotations

import json
import threading

from reactree_planner.tree.events import Event
from reactree_planner.tree.snapshot import TreeSnapshot
from reactree_tools.viewer.frames import folded
from reactree_tools.viewer.frames import Frame
from reactree_tools.viewer.frames import FrameMaker

#: Frames kept of a run, several times those of a long one; older ones are folded into one.
KEPT_FRAMES = 4000
#: Characters of JSON that are kept of a run, whatever a world or a model says.
KEPT_CHARACTERS = 32_000_000


class RunHistory:
    """Grows by events; readers keep a position and take what is new, as JSON made once.

    Nobody waits here for a reader: one that is slow finds more at once, or the oldest folded.

    :param kept: frames that are kept one by one, 8 or more.
    """

    def __init__(self, run_id: str, kept: int = KEPT_FRAMES) -> None:
        self.run_id = run_id
        self._kept = kept
        self._maker = FrameMaker()
        self._lock = threading.Lock()
        self._frames: list[str] = []
        #: Frames that are folded into the first one.
        self._folded = 0
        self._size = 0

    def add(self, event: Event) -> None:
        """Take the next event in."""
        self._append(self._maker.frame(event))

    def adopt(self, snapshot: TreeSnapshot) -> None:
        """Begin with a tree whose events are lost."""
        self._append(self._maker.adopt(snapshot))

    def _append(self, frame: Frame) -> None:
        text = json.dumps(frame, ensure_ascii=False, separators=(',', ':'))
        with self._lock:
            self._frames.append(text)
            self._size += len(text)
            if len(self._frames) > self._kept or self._size > KEPT_CHARACTERS:
                self._fold(max(2, len(self._frames) // 4))

    def _fold(self, count: int) -> None:
        frame = folded([json.loads(text) for text in self._frames[:count]])
        text = json.dumps(frame, ensure_ascii=False, separators=(',', ':'))
        self._frames[:count] = [text]
        self._folded += count - 1
        self._size = sum(map(len, self._frames))

    @property
    def end(self) -> int:
        """Position after the last frame."""
        return self._folded + len(self._frames)

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self._maker.tree.finished

    @property
    def maker(self) -> FrameMaker:
        """The run as it is now; belongs to the thread that adds events."""
        return self._maker

    def after(self, position: int, most: int = 500) -> tuple[str, int, bool]:
        """Frames from a position on.

        :param position: of the first frame wanted, 0 for all.
        :param most: frames at once.
        :return: a JSON list, the position after it, and whether the reader must begin anew
            because frames at its position were folded (the list then starts with the folded one).
        """
        with self._lock:
            anew = position > self.end or 0 < position < self._folded + 1
            begin = 0 if anew else max(0, position - self._folded)
            frames = self._frames[begin : begin + most]
            return f'[{",".join(frames)}]', self._folded + begin + len(frames), anew
