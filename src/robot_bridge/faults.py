"""Mistakes in a robot's file, each with its line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from reactree_core.written_files import Lines

Location = tuple[int | str, ...]


class Faults:
    """Collects what is wrong. :param lines: of the file."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._found: dict[tuple[int, str], None] = {}

    def add(self, location: Location, sentence: str) -> None:
        """Note a mistake at a value; the same one is noted once."""
        self._found[self._lines.of(*location), sentence.rstrip('.')] = None

    @contextmanager
    def noting(self, location: Location) -> Iterator[None]:
        """Take a ValueError of the block for a mistake at a value."""
        try:
            yield
        except ValueError as error:
            self.add(location, str(error))

    def sentences(self) -> tuple[str, ...]:
        """All of them in the order of the file, e.g. 'line 7: there is no place "dok"'."""
        return tuple(
            f'line {line}: {text}' if line else text for line, text in sorted(self._found)
        )
