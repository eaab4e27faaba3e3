"""A table as a value, and how it is written as Markdown, LaTeX, CSV and HTML."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape
from itertools import groupby

from reactree_tools.plain_text import visible

#: Letters of a text that is broken into lines on the page.
_LONG = 48


@dataclass(frozen=True, slots=True)
class Number:
    """A mean, perhaps with its standard deviation over seeds.

    :param digits: after the point. :param signed: whether a plus is written.
    """

    mean: float
    deviation: float | None = None
    digits: int = 2
    signed: bool = False

    @property
    def text(self) -> str:
        """E.g. '61.00', '37.46 ± 1.71', '+5.00'."""
        text = f'{self.mean:{"+" if self.signed else ""}.{self.digits}f}'
        return text if self.deviation is None else f'{text} ± {self.deviation:.{self.digits}f}'


#: What stands in a table; None where there is nothing to say.
Value = str | Number | None


class Better(Enum):
    """Which numbers of a column are good."""

    MORE = 1
    LESS = -1
    NEITHER = 0


class Mark(Enum):
    """How a number stands out: the papers print the best bold and underline the second."""

    BEST = 'best'
    SECOND = 'second'


@dataclass(frozen=True, slots=True)
class Column:
    """A head, and perhaps one over it and its neighbours, e.g. a model."""

    head: str
    over: str = ''
    better: Better = Better.NEITHER


@dataclass(frozen=True, slots=True)
class Table:
    """:param name: in files and links, e.g. 'reactree_1'. :param note: sentences below it."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ''

    @property
    def slug(self) -> str:
        """The name as it may stand in a link."""
        return re.sub('[^a-z0-9]+', '-', self.name.lower()).strip('-')

    @property
    def marks(self) -> dict[tuple[int, int], Mark]:
        """Which numbers are best and second, by row and column; equal ones alike."""
        found = {}
        for place, column in enumerate(self.columns):
            numbers = {
                number: round(value.mean, value.digits)
                for number, row in enumerate(self.rows)
                if isinstance(value := row[place], Number)
            }
            if column.better is Better.NEITHER or len(numbers) < 2:
                continue
            order = sorted(set(numbers.values()), reverse=column.better is Better.MORE)
            for number, mean in numbers.items():
                if len(order) > 1 and mean in order[:2]:
                    found[number, place] = Mark.BEST if mean == order[0] else Mark.SECOND
        return found


def text_of(value: Value) -> str:
    """A value as a text."""
    if value is None:
        return ''
    return value.text if isinstance(value, Number) else value


def markdown(table: Table) -> str:
    """The table under its title; the best numbers bold."""
    marks = table.marks
    lines = [_markdown_row([f'{one.over} {one.head}'.strip() for one in table.columns])]
    lines.append('|' + ''.join('---:|' if right else '---|' for right in _right(table)))
    for number, row in enumerate(table.rows):
        texts = [_markdown_text(text_of(value)) for value in row]
        for place, text in enumerate(texts):
            if marks.get((number, place)) is Mark.BEST:
                texts[place] = f'**{text}**'
        lines.append('| ' + ' | '.join(texts) + ' |')
    note = f'\n\n{_markdown_text(table.note)}' if table.note else ''
    return f'### {_markdown_text(table.title)}\n\n' + '\n'.join(lines) + note + '\n'


def _markdown_row(texts: Sequence[str]) -> str:
    return '| ' + ' | '.join(map(_markdown_text, texts)) + ' |'


def _markdown_text(text: str) -> str:
    return re.sub(r'([\\`*_|<>\[\]#])', r'\\\1', visible(text))


def _right(table: Table) -> list[bool]:
    """Which columns hold numbers."""
    return [
        any(isinstance(row[place], Number) for row in table.rows)
        for place in range(len(table.columns))
    ]


_LATEX = {
    **{sign: f'\\{sign}' for sign in '&%$#_{}'},
    '\\': r'\textbackslash{}',
    '~': r'\textasciitilde{}',
    '^': r'\textasciicircum{}',
    '<': r'\textless{}',
    '>': r'\textgreater{}',
    '|': r'\textbar{}',
    '±': r'$\pm$',
    '−': '$-$',
    'Δ': r'$\Delta$',
    '✓': r'\checkmark{}',
    '✗': r'$\times$',
    '→': r'$\rightarrow$',
    '…': r'\ldots{}',
}


def _latex_text(text: str) -> str:
    return ''.join(_LATEX.get(letter, letter) for letter in visible(text))


def latex(table: Table) -> str:
    """A table for booktabs and amssymb; the best numbers bold, the second underlined."""
    marks = table.marks
    kinds = ''.join('r' if right else 'l' for right in _right(table))
    lines = [
        r'\begin{table}',
        r'  \centering',
        f'  \\caption{{{_latex_text(" ".join(filter(None, (table.title + ".", table.note))))}}}',
        f'  \\label{{tab:{table.slug}}}',
        f'  \\begin{{tabular}}{{{kinds}}}',
        r'    \toprule',
        *_latex_heads(table.columns),
        r'    \midrule',
    ]
    for number, row in enumerate(table.rows):
        texts = [_latex_text(text_of(value)) for value in row]
        for place, text in enumerate(texts):
            mark = marks.get((number, place))
            if mark is not None:
                command = 'textbf' if mark is Mark.BEST else 'underline'
                texts[place] = f'\\{command}{{{text}}}'
        lines.append(f'    {" & ".join(texts)} \\\\')
    return '\n'.join((*lines, r'    \bottomrule', r'  \end{tabular}', r'\end{table}')) + '\n'


def _spans(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """What stands over the columns, and over how many each."""
    return [(over, len(list(group))) for over, group in groupby(columns, lambda one: one.over)]


def _latex_heads(columns: Sequence[Column]) -> list[str]:
    lines = []
    if any(one.over for one in columns):
        over, rules, place = [], [], 1
        for text, width in _spans(columns):
            over.append(
                f'\\multicolumn{{{width}}}{{c}}{{{_latex_text(text)}}}'
                if text
                else ' & '.join([''] * width)
            )
            if text:
                rules.append(f'\\cmidrule(lr){{{place}-{place + width - 1}}}')
            place += width
        lines += [f'    {" & ".join(over)} \\\\', f'    {" ".join(rules)}']
    return [*lines, f'    {" & ".join(_latex_text(one.head) for one in columns)} \\\\']


def comma_separated(table: Table) -> str:
    """A line a row; deviations in columns of their own."""
    deviating = [
        any(_deviation(row[place]) is not None for row in table.rows)
        for place in range(len(table.columns))
    ]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator='\n')
    heads = []
    for column, has in zip(table.columns, deviating, strict=True):
        head = f'{column.over} {column.head}'.strip()
        heads += [head, f'{head} deviation'] if has else [head]
    writer.writerow(map(_cell_text, heads))
    for row in table.rows:
        cells = []
        for value, has in zip(row, deviating, strict=True):
            if isinstance(value, Number):
                cells.append(f'{value.mean:.{value.digits + 2}f}')
                deviation = value.deviation
                cells += (
                    ['' if deviation is None else f'{deviation:.{value.digits + 2}f}']
                    if has
                    else []
                )
            else:
                cells += [_cell_text(text_of(value)), *([''] if has else [])]
        writer.writerow(cells)
    return file.getvalue()


def _deviation(value: Value) -> float | None:
    return value.deviation if isinstance(value, Number) else None


def _cell_text(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    text = visible(text)
    return f"'{text}" if text.startswith(('=', '+', '-', '@')) else text


def html(table: Table) -> str:
    """The table with its title and note, for the page."""
    marks = table.marks
    right = _right(table)
    over = ''
    if any(one.over for one in table.columns):
        spans = ''.join(
            f'<th colspan="{width}"{" class=over" if text else ""}>{_html_text(text)}</th>'
            for text, width in _spans(table.columns)
        )
        over = f'<tr>{spans}</tr>'
    heads = ''.join(
        f'<th scope="col"{" class=n" if is_right else ""}>{_html_text(one.head)}</th>'
        for one, is_right in zip(table.columns, right, strict=True)
    )
    lines = []
    for number, row in enumerate(table.rows):
        cells = []
        for place, value in enumerate(row):
            mark = marks.get((number, place))
            text = _html_text(text_of(value))
            kinds = ['n'] if right[place] else ['long'] if len(text) > _LONG else []
            kinds += [mark.value] if mark else []
            kind = f' class="{" ".join(kinds)}"' if kinds else ''
            cells.append(f'<td{kind}>{text}</td>')
        lines.append(f'<tr>{"".join(cells)}</tr>')
    note = f'<figcaption>{_html_text(table.note)}</figcaption>' if table.note else ''
    return (
        f'<figure class="table" id="{table.slug}"><h3>{_html_text(table.title)}</h3>'
        f'<div class="wide"><table><thead>{over}<tr>{heads}</tr></thead>'
        f'<tbody>{"".join(lines)}</tbody></table></div>{note}</figure>\n'
    )


def _html_text(text: str) -> str:
    return escape(visible(text))
