"""The robot: what to replace by your own. This one only pretends."""

import time
from collections.abc import Callable
from enum import Enum

ROOM = 'workshop 1'
PLACES = ('table 1', 'shelf 1', 'dock 1')
SECONDS_A_MOVE = 1.0
#: Seconds between two looks whether to stop.
PERIOD = 0.02


class Ending(Enum):
    """How a skill came to its end."""

    DONE = 'done'
    IMPOSSIBLE = 'impossible'
    STOPPED = 'stopped'


class Robot:
    """One arm, three places, a cup and a book."""

    def __init__(self) -> None:
        self.place = 'dock 1'
        self.held = ''
        self.places = {'cup 1': 'table 1', 'book 1': 'table 1'}

    def here(self) -> list[str]:
        """What can be taken where the robot is."""
        return [thing for thing, place in self.places.items() if place == self.place]

    def move(self, place: str, must_stop: Callable[[], bool]) -> Ending:
        """Drive to a place; looks often whether to stop, and stops safely."""
        end = time.monotonic() + SECONDS_A_MOVE
        while time.monotonic() < end:
            if must_stop():
                return Ending.STOPPED
            time.sleep(PERIOD)
        self.place = place
        return Ending.DONE

    def grasp(self, thing: str) -> Ending:
        """Take a thing that is here."""
        if self.held or thing not in self.here():
            return Ending.IMPOSSIBLE
        self.held = thing
        self.places[thing] = ''
        return Ending.DONE

    def release(self, thing: str) -> Ending:
        """Put down the thing that is held."""
        if self.held != thing:
            return Ending.IMPOSSIBLE
        self.held = ''
        self.places[thing] = self.place
        return Ending.DONE
