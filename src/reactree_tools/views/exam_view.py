"""An exam of a model for people: a table of what it can do, and what to set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.table import Table
from rich.text import Text

from reactree_planner.exam.profile import Profile
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import visible

_HEADS = ('right', 'by chance', 's each', 's/request', 'requests', 'prompt', 'written')
#: Letters that are shown of a question, and of an answer.
_LONGEST = 160


def exam_table(profile: Profile) -> Table:
    """A row for each kind of question, and one for all."""
    priced = any(row.cost is not None for row in profile.scores)
    table = Table(box=None, pad_edge=False)
    table.add_column(visible(profile.name, _LONGEST), no_wrap=True)
    for head in (*_HEADS, *(['cost'] if priced else [])):
        table.add_column(head, justify='right')
    for row in profile.scores:
        cells = [
            row.words,
            f'{row.chance * row.asked:.1f}',
            f'{row.seconds:.1f}',
            f'{row.request_seconds:.1f}',
            f'{row.requests:,}',
            f'{row.prompt_tokens:,}',
            f'{row.completion_tokens:,}',
        ]
        if priced:
            cells.append(f'{row.cost or 0.0:.4f}')
        table.add_row(row.kind, *cells)
    return table


def exam_lines(profile: Profile, file: Path, glyphs: Glyphs, answers: bool) -> Iterator[Text]:
    """What to set and why, where it is kept, and, where they are wanted, the answers.

    :param file: of the profile.
    """
    unanswered = profile.scores[-1].unanswered
    if unanswered:
        yield Text()
        yield Text(f'{unanswered} questions had no answer that can be used', 'yellow')
    if answers:
        yield from _answer_lines(profile, glyphs)
    yield Text()
    for reader, one in ((profile.name, profile.readings), ('the grammar', profile.grammar)):
        shares = f'precision {one.precision:.0%}, coverage {one.coverage:.0%}'
        yield Text(f'{visible(reader, _LONGEST)} reads: {shares}, whole and wrong {one.misread}')
    yield Text()
    yield Text('what to set', 'bold')
    for advice in profile.advice:
        told = Text(f'  {advice.setting}={advice.value}', 'green')
        yield told.append(f'  {advice.why}', 'default')
    yield Text()
    takes = ', '.join(profile.changes)
    says = f'The preset default takes {takes} from it.' if takes else 'It changes no default.'
    yield Text(f'kept in {file}')
    yield Text(f'{says} What a preset says itself holds; delete the file to undo it.', 'dim')


def _answer_lines(profile: Profile, glyphs: Glyphs) -> Iterator[Text]:
    kind = ''
    for one in profile.answers:
        if one.kind != kind:
            kind = one.kind
            yield Text()
            yield Text(kind, 'bold')
        sign = glyphs.success if one.right else glyphs.failure
        yield Text(f'{sign} {visible(one.question, _LONGEST)}')
        given = visible(one.fault or one.given or '(nothing)', _LONGEST)
        yield Text(f'    {given}', 'green' if one.right else 'red')
        if not one.right:
            yield Text(f'    wanted: {visible(one.wanted, _LONGEST)}', 'dim')
