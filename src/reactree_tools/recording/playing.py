"""Where a replay stands: which events have happened, how fast it goes, and back and forth."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from reactree_planner.tree.events import Event
from reactree_planner.tree.snapshot import reduce_events
from reactree_planner.tree.snapshot import TreeSnapshot

#: Times the pace of the run.
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
#: Longest pause between two events, in seconds of the replay.
LONGEST_PAUSE = 3.0


class Player:
    """Plays events by their stamps; a long wait of the run is cut to LONGEST_PAUSE.

    :param events: in order, 1 or more. :param speed: one of SPEEDS, or any other to begin with.
    """

    def __init__(self, events: Sequence[Event], speed: float = 1.0) -> None:
        self._events = tuple(events)
        self._times = [0.0]
        for before, after in zip(self._events, self._events[1:], strict=False):
            pause = min(max(0.0, after.stamp - before.stamp), LONGEST_PAUSE)
            self._times.append(self._times[-1] + pause)
        self.speed = speed
        self.playing = True
        #: Events that have happened, 1 to all.
        self.position = 1
        self._time = 0.0

    @property
    def total(self) -> int:
        """Events of the run."""
        return len(self._events)

    @property
    def at_end(self) -> bool:
        """Whether everything has happened."""
        return self.position == self.total

    @property
    def events(self) -> tuple[Event, ...]:
        """What has happened."""
        return self._events[: self.position]

    @property
    def tree(self) -> TreeSnapshot:
        """The tree now, by the reducer that everything else uses."""
        return reduce_events(self.events)

    def tick(self, seconds: float) -> bool:
        """Let time pass; whether something happened."""
        if not self.playing or self.at_end:
            return False
        self._time += seconds * self.speed
        before = self.position
        self.position = max(before, bisect.bisect_right(self._times, self._time))
        return self.position != before

    def jump(self, position: int) -> None:
        """Go to where so many events have happened; what is beyond the ends is the end."""
        self.position = min(max(1, position), self.total)
        self._time = self._times[self.position - 1]

    def step(self, count: int) -> None:
        """Some events forth, or back, and stay there."""
        self.playing = False
        self.jump(self.position + count)

    def toggle(self) -> None:
        """Stop, or go on; at the end, from the beginning."""
        if self.at_end:
            self.jump(1)
            self.playing = True
        else:
            self.playing = not self.playing

    def change_speed(self, faster: bool) -> None:
        """The next speed up or down."""
        if faster:
            self.speed = next((one for one in SPEEDS if one > self.speed), self.speed)
        else:
            slower = [one for one in SPEEDS if one < self.speed]
            self.speed = slower[-1] if slower else self.speed
