"""A bar for work of known size; nothing where lines cannot be redrawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from reactree_tools.output import Output


@contextmanager
def work_bar(output: Output, doing: str) -> Iterator[Callable[[int, int], None]]:
    """Show how far something is, on standard error, while the context lasts.

    :param doing: what it is, for people.
    :returns: to be called with what is done and how much there is.
    """
    if output.plain or not output.error_console.is_terminal:
        yield lambda done, total: None
        return
    columns = (
        TextColumn('{task.description}'),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=output.error_console, transient=True) as progress:
        task = progress.add_task(doing, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
