"""Tables of methods crossed with something else: a model, a world, a setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from reactree_tools.bench.report.measures import grouped, Measure, unevenness
from reactree_tools.bench.report.tables import Column, Table, Value
from reactree_tools.bench.rows import EpisodeRow

Rows = Sequence[EpisodeRow]
Name = Callable[[EpisodeRow], str]
_SEEDS = "Means over seeds of each seed's mean, ± the standard deviation over seeds."


def crossed(
    name: str,
    title: str,
    rows: Rows,
    by: Mapping[str, Name],
    measured: Sequence[Measure],
    over: Name = lambda row: '',
    note: str = '',
) -> Table:
    """A row for all that is called alike, and the measures under every value of `over`.

    :param by: heads of the first columns, and what stands in them.
    """
    tops = list(dict.fromkeys(map(over, rows)))
    lines: list[tuple[Value, ...]] = []
    groups = grouped(rows, lambda row: tuple(name(row) for name in by.values()))
    for names, group in groups.items():
        parts = [[row for row in group if over(row) == top] for top in tops]
        lines.append((*names, *(one.over(part) for part in parts for one in measured)))
    columns = (
        *map(Column, by),
        *(Column(one.name, top, one.better) for top in tops for one in measured),
    )
    return Table(
        name, title, columns, tuple(lines), ' '.join(filter(None, (note, how_to_read(rows))))
    )


def how_to_read(rows: Rows) -> str:
    """What must be known to read the means."""
    several = len({row.cell.seed for row in rows}) > 1
    return ' '.join(filter(None, (_SEEDS if several else '', unevenness(rows))))
