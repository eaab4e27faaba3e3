"""A bootstrap in words: a line a task, one that moves, and the sum."""

from __future__ import annotations

import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager

from rich.text import Text

from reactree_planner.tree.events import Event
from reactree_planner.tree.snapshot import AgentTree
from reactree_tools.bootstrap.bootstrapping import Unusable
from reactree_tools.bootstrap.ledger import Entry
from reactree_tools.bootstrap.training_tasks import TrainingTask
from reactree_tools.glyphs import Glyphs
from reactree_tools.output import Output
from reactree_tools.plain_text import count
from reactree_tools.plain_text import seconds
from reactree_tools.plain_text import visible
from reactree_tools.views.status_line import StatusLine
from reactree_tools.views.world_view import named_lines

_ENDING = 'Ends after this task; Ctrl-C again ends at once.'


class BootstrapDisplay:
    """Shows tasks as they come.

    :param total: tasks that are to be planned. :param interrupted: whether the user asked to end.
    """

    def __init__(self, output: Output, total: int, interrupted: Callable[[], bool]) -> None:
        self._output = output
        self._total = total
        self._interrupted = interrupted
        self._told = False
        self._done = 0
        self._name = ''
        self._began = time.monotonic()
        self._tree = AgentTree()
        self._line = StatusLine(output.glyphs)

    def __rich__(self) -> Text:
        """The moving line as it is now."""
        line = Text(f'{self._done + 1} of {self._total}  {self._name}  ')
        if self._interrupted():
            return line.append(_ENDING, style='yellow')
        line.append_text(self._line.text(self._tree, time.monotonic() - self._began))
        return line

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Let one line move while the context lasts, where lines can."""
        if self._output.live:
            with self._output.console.status(self):
                yield
        else:
            yield

    def begin(self, task: TrainingTask) -> None:
        """A task begins."""
        self._name = visible(task.task, 40)
        self._began = time.monotonic()
        self._tree = AgentTree()
        self._line = StatusLine(self._output.glyphs)

    def watch(self, event: Event) -> None:
        """An event of the task."""
        self._tree.apply(event)
        self._line.follow(event)
        if self._interrupted() and not self._told and not self._output.live:
            self._told = True
            self._output.warn(_ENDING)

    def end(self, result: Entry | Unusable) -> None:
        """A task has ended."""
        self._done += 1
        line = result_line(result, self._done, self._total, self._output.glyphs)
        self._output.console.print(line, soft_wrap=True)


def result_line(result: Entry | Unusable, number: int, total: int, glyphs: Glyphs) -> Text:
    """What a task came to."""
    place = f'{number:{len(str(total))}}/{total}'
    if isinstance(result, Unusable):
        line = Text(f'{glyphs.warning} ', style='bold yellow')
        line.append(f'{place}  {visible(result.task.task)}  {visible(result.reason)}', 'not bold')
        return line
    style = 'green' if result.success else 'red'
    line = Text(f'{glyphs.success if result.success else glyphs.failure} ', f'bold {style}')
    line.append(f'{place}  {visible(result.task)}  ', style='not bold default')
    line.append(f'{result.progress}', style=f'not bold {style}')
    parts = [
        result.ended.replace('_', ' '),
        count(result.experiences, 'experience'),
        count(result.decisions, 'decision'),
        count(result.tokens, 'token'),
        seconds(result.seconds),
    ]
    separator = f' {glyphs.separator} '
    line.append(separator + separator.join(parts), style='not bold dim')
    return line


def bootstrap_summary(
    results: Sequence[Entry | Unusable],
    skipped: int,
    left: int,
    location: str,
    kept: int,
    glyphs: Glyphs,
    width: int,
) -> Iterator[Text]:
    """What all of it came to.

    :param skipped: tasks planned before. :param left: tasks not planned yet.
    :param kept: experiences in the store now.
    """
    entries = [result for result in results if isinstance(result, Entry)]
    met = sum(entry.success for entry in entries)
    tasks = [f'{len(entries):,} planned']
    unusable = len(results) - len(entries)
    for number, word in ((skipped, 'planned before'), (unusable, 'unusable'), (left, 'left')):
        if number:
            tasks.append(f'{number:,} {word}')
    added = sum(entry.experiences for entry in entries)
    rows = [
        ('tasks', Text(', '.join(tasks))),
        ('goals met', Text(f'{met:,} of {len(entries):,}', style='bold')),
        ('added', Text(f'{count(added, "experience")}; {kept:,} in all')),
        ('tokens', Text(f'{sum(entry.tokens for entry in entries):,}')),
        ('time', Text(seconds(sum(entry.seconds for entry in entries)))),
        ('kept in', Text(visible(location))),
    ]
    return named_lines(rows, glyphs, width)
