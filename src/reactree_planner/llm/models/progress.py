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
        tenth = 10 * status.joined // max(1, status.size)
        if tenth != self._last or status.joined == status.size:
            self._last = tenth
            done = f' ({status.joined / 1e6:.0f} of {status.size / 1e6:.0f} MB)'
            self._console.print(
                f'{status.name}: {status.sentence}{done if status.size else ""}',
                highlight=False,
                markup=False,
                soft_wrap=True,
            )
