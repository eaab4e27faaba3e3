"""The warehouse: what to replace by your own. This one only pretends."""

import time
from collections.abc import Callable

DOCKS = ('dock 1', 'dock 2', 'dock 3')
#: Which dock a truck stands at.
TRUCKS = {'truck 1': 'dock 2', 'truck 2': 'dock 3'}
SECONDS_A_DRIVE = 1.0
#: Seconds between two looks whether to stop.
PERIOD = 0.02


class Refusal(Exception):
    """A skill that cannot start now; the text says why."""


class Stopped(Exception):
    """A skill that had to stop."""


class Warehouse:
    """A loader at three docks, two trucks and four crates."""

    def __init__(self) -> None:
        self.dock = 'dock 1'
        #: Crate -> the dock where it stands, or the truck that it is on.
        self.crates = {
            'crate A-7': 'dock 2',
            'crate B-12': 'dock 2',
            'crate C-3': 'dock 3',
            'crate D-5': 'dock 1',
        }
        self.scanned: set[str] = set()

    def trucks_here(self) -> list[str]:
        """Trucks at the dock where the loader is."""
        return [truck for truck, dock in TRUCKS.items() if dock == self.dock]

    def crates_at(self, place: str) -> list[str]:
        """Crates at a dock or on a truck."""
        return [crate for crate, where in self.crates.items() if where == place]

    def drive(self, dock: str, must_stop: Callable[[], bool]) -> None:
        """Go to a dock; looks often whether to stop. :raises Stopped: it had to."""
        end = time.monotonic() + SECONDS_A_DRIVE
        while time.monotonic() < end:
            if must_stop():
                raise Stopped
            time.sleep(PERIOD)
        self.dock = dock

    def scan(self, crate: str) -> None:
        """Read a crate's label. :raises Refusal: it stands elsewhere."""
        self._must_be_here(crate)
        self.scanned.add(crate)

    def load(self, crate: str, truck: str) -> None:
        """Put a crate on a truck. :raises Refusal: one is elsewhere, or it was not scanned."""
        self._must_be_here(crate)
        self._must_have(truck)
        if crate not in self.scanned:
            raise Refusal(f'Scan {crate} first: nothing is loaded unread.')
        self.crates[crate] = truck

    def unload(self, crate: str, truck: str) -> None:
        """Take a crate from a truck. :raises Refusal: it is not on it, or elsewhere."""
        self._must_have(truck)
        if self.crates[crate] != truck:
            raise Refusal(f'{crate} is not on {truck}.')
        self.crates[crate] = self.dock

    def _must_be_here(self, crate: str) -> None:
        where = self.crates[crate]
        if where in TRUCKS:
            raise Refusal(f'{crate} is on {where}: unload it first.')
        if where != self.dock:
            raise Refusal(f'{crate} is not at {self.dock}: drive to its dock first.')

    def _must_have(self, truck: str) -> None:
        if TRUCKS[truck] != self.dock:
            raise Refusal(f'{truck} stands at {TRUCKS[truck]}: drive there first.')
