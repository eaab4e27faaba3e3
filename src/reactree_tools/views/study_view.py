"""A study in the terminal: episodes as they end, the time that is left, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from reactree_core.observation import Observation
from reactree_tools.bench.episodes import Unfinished
from reactree_tools.bench.rows import Cell, EpisodeRow
from reactree_tools.plain_text import count, visible

if TYPE_CHECKING:
    from reactree_core.record.events import Event
    from reactree_tools.bench.running import Outcome
    from reactree_tools.output import Output

_ENDING = 'ending: waits for the episodes that have begun; Ctrl-C again drops them'


class StudyDisplay:
    """Shows a study while it runs.

    :param total: episodes to run. :param before: those that were done before.
    """

    def __init__(self, output: Output, folder: Path, total: int, before: int) -> None:
        self._output = output
        self._folder = folder
        self._total = total
        self._before = before
        self._done = 0
        self._running: dict[Cell, float] = {}
        self._decisions = 0
        self._interrupted: Callable[[], bool] = lambda: False
        self._told = False
        self._progress = Progress(
            TextColumn('{task.description}'),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn('left'),
            TimeRemainingColumn(elapsed_when_finished=False),
            console=output.console,
            disable=not output.live,
            transient=True,
        )
        self._bar = self._progress.add_task('', total=total)

    @contextmanager
    def shown(self, interrupted: Callable[[], bool]) -> Iterator[None]:
        """Show the bar while the context lasts, where lines can move."""
        self._interrupted = interrupted
        if self._before:
            self._output.console.print(f'{count(self._before, "episode")} done before')
        with self._progress:
            yield

    def begin(self, cell: Cell) -> None:
        """An episode begins."""
        self._running[cell] = time.monotonic()
        self._decisions = 0
        self._describe()

    def watch(self, event: Event) -> None:
        """An event of an episode in this process."""
        self._decisions += not isinstance(event, Observation)
        self._describe()
        if self._interrupted() and not self._told and not self._output.live:
            self._told = True
            self._output.warn(_ENDING)

    def end(self, result: EpisodeRow | Unfinished) -> None:
        """An episode has ended."""
        cell = result.cell
        self._running.pop(cell, None)
        self._done += 1
        place = f'{self._done:{len(str(self._total))}}/{self._total}  '
        glyphs = self._output.glyphs
        if isinstance(result, Unfinished):
            line = Text(f'{glyphs.warning} ', style='bold yellow').append(place, style='dim')
            line.append(f'{_name(cell)}: not run: {visible(result.reason, 300)}')
        else:
            good = result.success
            line = Text(
                f'{glyphs.success if good else glyphs.failure} ',
                style='bold green' if good else 'bold red',
            ).append(place, style='dim')
            said = f'{result.judged}, ' if result.judged else ''
            line.append(
                f'{_name(cell)}: {said}{result.ended}, {count(result.decisions, "decision")}, '
                f'{result.seconds:.0f} s'
            )
        self._output.console.print(line, soft_wrap=True)
        self._progress.advance(self._bar)
        self._describe()

    def summary(self, outcome: Outcome) -> None:
        """What came of it."""
        from reactree_tools.bench.rows import read_rows, ROWS

        console = self._output.console
        for line in group_lines(read_rows(self._folder / ROWS)):
            console.print(line, soft_wrap=True)
        left = self._total - outcome.done - len(outcome.left_out)
        if outcome.left_out:
            self._output.warn(
                f'{count(len(outcome.left_out), "episode")} could not be run; the same command '
                'tries them again'
            )
        if left:
            console.print(f'Interrupted: the same command runs the remaining {left}.')
        else:
            console.print(f'Tables and plots: reactree bench report {self._folder}')

    def _describe(self) -> None:
        if self._interrupted():
            text = _ENDING
        elif len(self._running) == 1:
            text = f'{_name(next(iter(self._running)))}, {count(self._decisions, "decision")}'
        else:
            text = f'{count(len(self._running), "episode")} running'
        self._progress.update(self._bar, description=visible(text, 70))


def _name(cell: Cell) -> str:
    """A task with what is tried on it, for people."""
    task = visible(cell.task_name, 40)
    parts = [cell.world, task, cell.planner, cell.preset, cell.model, cell.memory]
    return ' '.join(parts) + (f' seed {cell.seed}' if cell.seed else '')


def group_lines(rows: Sequence[EpisodeRow]) -> list[str]:
    """A line for each group of rows that differ in their task and seed alone, named by what
    distinguishes it from the others."""
    groups: dict[tuple[str, ...], list[EpisodeRow]] = {}
    for row in rows:
        cell = row.cell
        size = str(cell.store_size or '')
        key = (cell.world, cell.planner, cell.preset, cell.model, cell.memory, cell.store, size)
        groups.setdefault(key, []).append(row)
    varying = [len(set(values)) > 1 for values in zip(*groups, strict=True)]
    lines = []
    for names, group in groups.items():
        number = len(group)
        name = ' '.join(name for name, differs in zip(names, varying, strict=True) if differs)
        lines.append(
            f'{name or names[1]}: {sum(row.success for row in group)} of {number} solved, '
            f'{sum(row.subgoal_rate for row in group) / number:.2f} of conditions, '
            f'{sum(row.decisions for row in group) / number:.0f} decisions, '
            f'{sum(row.seconds for row in group) / number:.1f} s'
        )
    return lines
