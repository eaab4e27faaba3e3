"""How far a fetch is: as a bar on a terminal, as a few plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn


@dataclass(frozen=True, slots=True)
class FetchStatus:
    """How far a fetch is.

    :param sentence: what happens now, for people.
    :param joined: bytes of the model that are on this machine.
    :param size: bytes of the whole model; 0 while it is unknown.
    """

    name: str
    sentence: str
    joined: int
    size: int

    @property
    def line(self) -> str:
        """The sentence, with what is here and what there is in all."""
        size = f' ({self.joined / 1e6:.0f} of {self.size / 1e6:.0f} MB)' if self.size else ''
        return f'{self.name}: {self.sentence}{size}'

    @property
    def is_ready(self) -> bool:
        """Whether the fetch has ended."""
        return self.sentence == READY

    @property
    def tenth(self) -> int:
        """Whole tenths that are here; 11 at the end."""
        return 10 * self.joined // max(1, self.size) + (self.joined == self.size)


#: Sentence of the last status of a fetch.
READY = 'ready'
FetchProgress = Callable[[FetchStatus], None]


def ignore_progress(status: FetchStatus) -> None:
    """Show nothing."""


@contextmanager
def terminal_progress(console: Console | None = None) -> Iterator[FetchProgress]:
    """Show progress on a console while the context lasts.

    :param console: None takes standard error.
    """
    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield _PlainLines(console).show
        return
    columns = (
        TextColumn('{task.description}'),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task('', total=None)

        def show(status: FetchStatus) -> None:
            progress.update(
                task,
                description=status.sentence,
                completed=status.joined,
                total=status.size,
            )

        yield show


class _PlainLines:
    """A line when the sentence's kind changes or another tenth is done, not one per part."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = -1

    def show(self, status: FetchStatus) -> None:
        if status.tenth != self._last or status.joined == status.size:
            self._last = status.tenth
            self._console.print(status.line, highlight=False, markup=False, soft_wrap=True)
