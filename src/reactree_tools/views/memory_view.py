"""Experiences, their store and a bootstrap in words."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from datetime import datetime

from rich.text import Text

from reactree_core.experience import Experience
from reactree_core.experience import Termination
from reactree_planner.tree.events import Event
from reactree_planner.tree.snapshot import AgentTree
from reactree_tools.bootstrap.bootstrapping import Entry
from reactree_tools.bootstrap.bootstrapping import Unusable
from reactree_tools.bootstrap.training_tasks import TrainingTask
from reactree_tools.glyphs import Glyphs
from reactree_tools.memory.browsing import Figures
from reactree_tools.memory.browsing import SHORT_ID
from reactree_tools.output import Output
from reactree_tools.plain_text import count
from reactree_tools.plain_text import printable
from reactree_tools.plain_text import seconds
from reactree_tools.plain_text import visible
from reactree_tools.views.agent_tree import Rails
from reactree_tools.views.status_line import StatusLine
from reactree_tools.views.world_view import named_lines

_STYLES = {
    Termination.SUCCESS: 'green',
    Termination.FAILURE: 'red',
    Termination.EXPAND: 'blue',
}
_BLOCK_STYLES = {'Think:': 'italic', 'Act:': 'bold', 'Expand:': 'bold'}
#: Characters of a goal in a list.
_GOAL_CHARACTERS = 200
_NO_NAME = '(none)'


def experience_lines(
    experiences: Sequence[Experience], glyphs: Glyphs, width: int, similar: bool = False
) -> Iterator[Text]:
    """An experience each: how it ended, its id, its goal, and where it comes from.

    :param similar: show how near each is to the query.
    """
    rails = Rails(glyphs, width)
    for experience in experiences:
        head = f'{experience.similarity:5.2f}  ' if similar else ''
        body = Text(head, style='bold')
        body.append(visible(experience.experience_id)[:SHORT_ID].ljust(SHORT_ID), 'not bold cyan')
        body.append('  ' + visible(experience.goal, _GOAL_CHARACTERS), 'not bold')
        body.append(f'  {_origin(experience, glyphs)}', 'not bold dim')
        yield from rails.lines(0, _sign(experience.termination, glyphs), body, hanging=4)


def experience_page(
    experience: Experience, stored_at: float | None, glyphs: Glyphs, width: int
) -> Iterator[Text]:
    """Everything about one experience, and its trajectory line by line.

    :param stored_at: seconds since 1970; None when nobody knows.
    """
    ending = Text(f'{_word(experience.termination)}', style=_STYLES[experience.termination])
    rows = [
        ('id', Text(visible(experience.experience_id))),
        ('goal', Text(visible(experience.goal), style='bold')),
        ('ended', ending),
    ]
    for name, value in (
        ('run', experience.run_id),
        ('task type', experience.task_type),
        ('planner', experience.planner),
        ('model', experience.model),
        ('domain', experience.domain),
    ):
        if value:
            rows.append((name, Text(visible(value))))
    if experience.tokens:
        rows.append(('size', Text(count(experience.tokens, 'token'))))
    if stored_at is not None:
        moment = datetime.fromtimestamp(stored_at).astimezone()
        rows.append(('stored', Text(moment.strftime('%Y-%m-%d %H:%M:%S %Z'))))
    yield from named_lines(rows, glyphs, width)
    yield Text('')
    rails = Rails(glyphs, width)
    for line in experience.trajectory.strip('\n').split('\n'):
        shown = printable(line)
        style = next((kind for word, kind in _BLOCK_STYLES.items() if shown.startswith(word)), '')
        yield from rails.lines(0, Text(''), Text(shown, style=style), hanging=1)


def figure_lines(
    location: str,
    size: int | None,
    encoder: str,
    read_only: bool,
    figures: Figures,
    glyphs: Glyphs,
    width: int,
) -> Iterator[Text]:
    """What a store holds.

    :param size: bytes on disk; None when nobody can tell.
    :param encoder: name of the encoder of its vectors; '' for none.
    """
    rows = [('kept in', Text(visible(location)))]
    if size is not None:
        rows.append(('size', Text(f'{size / 1e6:,.1f} MB')))
    if read_only:
        rows.append(('', Text(f'{glyphs.warning} may only be read', style='yellow')))
    rows.append(('holds', Text(count(figures.count, 'experience'), style='bold')))
    if figures.count:
        rows.append(('', Text(f'of {count(figures.tokens, "token")}')))
    endings = [kind for kind in Termination if figures.terminations[kind]]
    for place, kind in enumerate(endings):
        text = Text(f'{_word(kind)}: {figures.terminations[kind]:,}', style=_STYLES[kind])
        rows.append(('ended' if place == 0 else '', text))
    rows += _counted('task types', figures.task_types)
    rows += _counted('planners', figures.planners)
    rows += _counted('domains', figures.domains)
    rows.append(('encoder', Text(visible(encoder) or 'none yet')))
    yield from named_lines(rows, glyphs, width)


def _counted(name: str, counter: Counter[str]) -> list[tuple[str, Text]]:
    return [
        (name if place == 0 else '', Text(f'{visible(value) or _NO_NAME}: {number:,}'))
        for place, (value, number) in enumerate(counter.most_common())
    ]


def _origin(experience: Experience, glyphs: Glyphs) -> str:
    run = experience.run_id[:8]
    parts = [experience.task_type, experience.planner, f'run {run}' if run else '']
    parts.append(count(experience.tokens, 'token') if experience.tokens else '')
    return visible(f' {glyphs.separator} '.join(part for part in parts if part))


def _word(termination: Termination) -> str:
    return {
        Termination.SUCCESS: 'success',
        Termination.FAILURE: 'failure',
        Termination.EXPAND: 'expansion',
    }[termination]


def _sign(termination: Termination, glyphs: Glyphs) -> Text:
    sign = {
        Termination.SUCCESS: glyphs.success,
        Termination.FAILURE: glyphs.failure,
        Termination.EXPAND: glyphs.expand,
    }[termination]
    return Text(sign, style=f'bold {_STYLES[termination]}')


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
