"""Experiences and their store in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.text import Text

from reactree_core.experience import Experience, Termination
from reactree_tools.glyphs import Glyphs
from reactree_tools.memory.browsing import Figures, SHORT_ID
from reactree_tools.plain_text import count, printable, visible
from reactree_tools.views.agent_tree import Rails
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
    if experience.unconfirmed:
        how = f'not yet: reactree memory confirm {experience.run_id}'
        rows.append(('confirmed', Text(visible(how), style='yellow')))
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

    :param size: bytes on disk; None when nobody can report.
    :param encoder: name of the encoder of its vectors; '' for none.
    """
    rows = [('kept in', Text(visible(location)))]
    if size is not None:
        rows.append(('size', Text(f'{size / 1e6:,.1f} MB')))
    if read_only:
        rows.append(('', Text(f'{glyphs.warning} read-only', style='yellow')))
    rows.append(('holds', Text(count(figures.count, 'experience'), style='bold')))
    if figures.count:
        rows.append(('', Text(f'of {count(figures.tokens, "token")}')))
    rows += content_rows(figures)
    rows.append(('encoder', Text(visible(encoder) or 'none yet')))
    yield from named_lines(rows, glyphs, width)


def content_rows(figures: Figures) -> list[tuple[str, Text]]:
    """How experiences ended, and what they are of."""
    rows = []
    endings = [kind for kind in Termination if figures.terminations[kind]]
    for place, kind in enumerate(endings):
        text = Text(f'{_word(kind)}: {figures.terminations[kind]:,}', style=_STYLES[kind])
        rows.append(('ended' if place == 0 else '', text))
    if figures.unconfirmed:
        rows.append(('', Text(f'unconfirmed: {figures.unconfirmed:,}', style='yellow')))
    rows += _counted('task types', figures.task_types)
    rows += _counted('planners', figures.planners)
    return rows + _counted('domains', figures.domains)


def _counted(name: str, counter: Counter[str]) -> list[tuple[str, Text]]:
    return [
        (name if place == 0 else '', Text(f'{visible(value) or _NO_NAME}: {number:,}'))
        for place, (value, number) in enumerate(counter.most_common())
    ]


def _origin(experience: Experience, glyphs: Glyphs) -> str:
    run = experience.run_id[:8]
    parts = [
        'unconfirmed' if experience.unconfirmed else '',
        experience.task_type,
        experience.planner,
        f'run {run}' if run else '',
    ]
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
