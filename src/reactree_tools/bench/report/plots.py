"""Plots of a study as SVG that stands in a page, in its text's colour on light and dark ground.

Needs matplotlib (requirements/bench.txt). Colours are those of Okabe and Ito that colour-blind
people can tell apart and that are seen on both grounds; lines and markers differ too.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_tools.bench.report import measures
from reactree_tools.bench.report.measures import Measure
from reactree_tools.bench.report.tables import Number
from reactree_tools.bench.rows import EpisodeRow

Rows = Sequence[EpisodeRow]
Groups = dict[str, list[EpisodeRow]]
#: A sign as SVG and the name of a method, each.
Legend = tuple[tuple[str, str], ...]

#: Okabe and Ito's without black and yellow, the darker ones a little lighter.
COLOURS = ('#0082c8', '#e06000', '#009e73', '#cc79a7', '#56b4e9', '#c99700')
_LINES = ('-', '--', '-.', ':')
_MARKERS = 'osD^vPX*'
#: In place of the text's colour, until the SVG is written.
_INK = '#010203'
#: Most families or depths of a plot; the rest would not be legible.
_MOST_TICKS = 24
_LONGEST_TICK = 28
_LONGEST_NAME = 46
_SIZE = (7.2, 3.9)
#: More methods than these are shown as a field of numbers, and without bars of deviations.
_MOST_BARS = 6


@dataclass(frozen=True, slots=True)
class Plot:
    """:param svg: one element, without a declaration before it. :param note: a sentence.

    :param legend: its own, where it shows other groups than the others do.
    """

    name: str
    title: str
    svg: str
    note: str = ''
    legend: Legend = ()


@dataclass(frozen=True, slots=True)
class Plots:
    """Pictures, and one legend for them all."""

    legend: Legend = ()
    pictures: tuple[Plot, ...] = ()


def plots(rows: Rows) -> Plots:
    """A legend and every plot for which the rows, at least one, tell something.

    :raises ConfigurationError: matplotlib is not installed.
    """
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            'Plots need matplotlib: pip install -r requirements/bench.txt, or ask for '
            '--format markdown.'
        ) from error
    settings = {
        'svg.fonttype': 'none',
        'font.family': 'sans-serif',
        'font.size': 11,
        # What stands in names is data, not a formula.
        'text.parse_math': False,
        'text.color': _INK,
        'axes.labelcolor': _INK,
        'axes.edgecolor': _INK,
        'xtick.color': _INK,
        'ytick.color': _INK,
        'axes.spines.top': False,
        'axes.spines.right': False,
        'axes.grid': True,
        'grid.alpha': 0.15,
        'grid.color': _INK,
        'legend.frameon': False,
        'lines.linewidth': 2,
        'lines.markersize': 7,
    }
    with matplotlib.rc_context(settings):
        names = measures.MethodNames(rows)
        groups = measures.grouped(rows, names.whole)
        stored = measures.grouped(
            [row for row in rows if row.cell.store], lambda row: names.whole(row, stored=False)
        )
        pictures = _Plots(_numbers(groups)).all_of(rows, groups, stored)
        return Plots(_legend('all', groups), tuple(pictures))


def _numbers(groups: Groups) -> dict[str, int]:
    """Of methods, which tell their colours."""
    return {name: number for number, name in enumerate(groups)}


def _legend(name: str, groups: Groups) -> Legend:
    return tuple(
        (_sign(f'{name}-{number}', number), method) for method, number in _numbers(groups).items()
    )


def _sign(name: str, number: int) -> str:
    """A method's line and marker."""

    def draw(axes: Any) -> None:
        axes.plot([0, 1, 2], [0, 0, 0], markevery=[1], clip_on=False, **_marked(number))
        axes.axis('off')

    return _figure(f'sign-{name}', draw, (0.6, 0.22))


def _figure(name: str, draw: Callable[[Any], None], size: tuple[float, float]) -> str:
    """Draw on axes; give the SVG.

    :param size: width and height in inches.
    """
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout='constrained')
    draw(figure.subplots())
    file = io.StringIO()
    # Names of parts must differ between the pictures of a page, and be the same every time.
    with matplotlib.rc_context({'svg.hashsalt': name}):
        figure.savefig(file, format='svg', transparent=True, metadata={'Date': None})
    return _inline(file.getvalue(), name)


def _inline(text: str, name: str) -> str:
    """The element alone, as wide as its place, its parts named after the picture."""
    svg = text[text.index('<svg') :].replace(_INK, 'currentColor')
    svg = re.sub(r'<metadata>.*?</metadata>', '', svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'(xlink:href="|url\()#', rf'\1#{name}-', svg)
    return re.sub(r'<svg [^>]*?(viewBox="[^"]*")[^>]*>', _opening, svg, count=1)


def _opening(match: re.Match[str]) -> str:
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {names} role="img" {match[1]}>'


def _style(number: int) -> dict[str, Any]:
    return {
        'color': COLOURS[number % len(COLOURS)],
        'linestyle': _LINES[number // len(COLOURS) % len(_LINES)],
    }


def _marked(number: int) -> dict[str, Any]:
    return {**_style(number), 'marker': _MARKERS[number % len(_MARKERS)]}


def _cost_measure(rows: Rows) -> Measure:
    """Money where it is known, else tokens, else seconds."""
    if any(row.cost is not None for row in rows):
        return Measure('cost of a task', lambda row: row.cost)
    if any(measures.tokens_of(row) for row in rows):
        return Measure('tokens of a task', measures.tokens_of)
    return Measure('seconds of a task', lambda row: row.seconds)


def _percent(axes: Any) -> None:
    axes.set_ylim(-3, 103)
    axes.set_ylabel('goals met (%)')


def _short(text: str, most: int = _LONGEST_TICK) -> str:
    return text if len(text) <= most else f'{text[: most - 1]}…'


class _Plots:
    """:param numbers: of methods, which tell their colours in every picture."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = numbers

    def all_of(self, rows: Rows, groups: Groups, stored: Groups) -> Iterator[Plot]:
        """Pictures of these rows. :param stored: those with a store, whatever its size."""
        self._deviate = len(groups) <= _MOST_BARS and len({row.cell.seed for row in rows}) > 1
        self._note = 'Bars: standard deviation over seeds.' if self._deviate else ''
        yield self._against_cost(rows, groups)
        yield self._against_decisions(rows, groups)
        families = sorted({row.family for row in rows})
        if len(families) > 1:
            title = 'Success by family of tasks'
            yield self._by('family', title, groups, lambda row: row.family, families)
        depths = sorted({row.depth for row in rows if row.depth})
        if len(depths) > 1:
            yield self._by(
                'depth',
                'Success by depth of the tree',
                groups,
                lambda row: str(row.depth),
                list(map(str, depths)),
                'Depth of the deepest node; the root has 1, an expansion adds 2.',
            )
        if len({row.cell.store_size for group in stored.values() for row in group}) > 1:
            yield self._learning_curves(stored)

    def _deviation(self, number: Number) -> float | None:
        return number.deviation if self._deviate else None

    def _against_cost(self, rows: Rows, groups: Groups) -> Plot:
        measure = _cost_measure(rows)

        def draw(axes: Any) -> None:
            values = []
            for name, group in groups.items():
                cost, success = measure.over(group), measures.GSR.over(group)
                if cost is None or success is None:
                    continue
                values.append(cost.mean + (self._deviation(cost) or 0.0))
                axes.errorbar(
                    cost.mean,
                    success.mean,
                    xerr=self._deviation(cost),
                    yerr=self._deviation(success),
                    capsize=3,
                    elinewidth=1.2,
                    **{**_marked(self._numbers[name]), 'linestyle': 'none', 'markersize': 9},
                )
            if min(values) > 0 and max(values) > 30 * min(values):
                axes.set_xscale('log')
            else:
                axes.set_xlim(0, 1.08 * max([*values, 1e-9]))
                axes.xaxis.set_major_formatter('{x:,.6g}')
            axes.set_xlabel(measure.name)
            _percent(axes)

        title = f'Success against {measure.name.partition(" ")[0]}'
        return Plot('cost', title, _figure('cost', draw, _SIZE), self._note)

    def _against_decisions(self, rows: Rows, groups: Groups) -> Plot:
        """What share would have been solved had the run been ended after so many decisions."""
        most = max(1, max(row.decisions for row in rows))

        def draw(axes: Any) -> None:
            for name, group in groups.items():
                solved = sorted(row.decisions for row in group if row.success)
                shares = [100 * count / len(group) for count in range(len(solved) + 1)]
                axes.step(
                    [0, *solved, most],
                    [*shares, shares[-1]],
                    where='post',
                    **_style(self._numbers[name]),
                )
            axes.set_xlabel('limit of decisions')
            axes.set_xlim(0, most * 1.02)
            _percent(axes)

        return Plot(
            'decisions',
            'Success against the limit of decisions',
            _figure('decisions', draw, _SIZE),
            'Share of episodes that were solved within so many decisions.',
        )

    def _by(
        self,
        name: str,
        title: str,
        groups: Groups,
        value: Callable[[EpisodeRow], str],
        ticks: Sequence[str],
        note: str = '',
    ) -> Plot:
        """Success of every group at every tick."""
        ticks = ticks[:_MOST_TICKS]
        cells = {
            method: [[row for row in rows if value(row) == tick] for tick in ticks]
            for method, rows in groups.items()
        }
        if len(groups) > _MOST_BARS:
            caption = 'Goals met in percent; empty: no episode.'
            svg = _figure(name, lambda axes: _field(axes, cells, ticks), _field_size(cells))
        else:
            caption = 'Above the bars: episodes.'
            svg = _figure(name, lambda axes: self._bars(axes, cells, ticks), (7.2, 4.3))
        return Plot(name, title, svg, f'{note} {caption}'.strip())

    def _bars(
        self, axes: Any, cells: dict[str, list[list[EpisodeRow]]], ticks: Sequence[str]
    ) -> None:
        width = 0.8 / len(cells)
        for number, (method, parts) in enumerate(cells.items()):
            known = [place for place, part in enumerate(parts) if part]
            successes = [measures.GSR.over(parts[place]) or Number(0.0) for place in known]
            colour = _style(self._numbers[method])['color']
            bars = axes.bar(
                [place + (number - (len(cells) - 1) / 2) * width for place in known],
                [one.mean for one in successes],
                width * 0.9,
                color=colour,
                # A goal that was never met must be seen from one that was never tried.
                edgecolor=colour,
                linewidth=1.5,
            )
            counts = [str(len(parts[place])) for place in known]
            axes.bar_label(bars, counts, padding=2, fontsize=8, alpha=0.8)
        _name_ticks(axes, ticks)
        axes.grid(visible=False, axis='x')
        axes.set_ylim(0, 112)
        axes.set_ylabel('goals met (%)')

    def _learning_curves(self, groups: Groups) -> Plot:
        """Success over how much of the memory's store was taken; 0 takes all."""
        sizes = sorted(
            {row.cell.store_size for rows in groups.values() for row in rows},
            key=lambda size: (size == 0, size),
        )
        numbers = _numbers(groups)

        def draw(axes: Any) -> None:
            for name, rows in groups.items():
                points = [
                    (place, success)
                    for place, size in enumerate(sizes)
                    if (
                        success := measures.GSR.over(
                            row for row in rows if row.cell.store_size == size
                        )
                    )
                ]
                axes.errorbar(
                    [place for place, _ in points],
                    [success.mean for _, success in points],
                    yerr=[self._deviation(success) or 0.0 for _, success in points],
                    capsize=3,
                    elinewidth=1.2,
                    **_marked(numbers[name]),
                )
            axes.set_xticks(range(len(sizes)), [str(size) if size else 'all' for size in sizes])
            axes.set_xlabel("runs in the memory's store")
            _percent(axes)

        title = 'Success over the size of the memory'
        svg = _figure('learning', draw, _SIZE)
        return Plot('learning', title, svg, self._note, _legend('learning', groups))


def _name_ticks(axes: Any, ticks: Sequence[str], first: float = 0.0) -> None:
    """:param first: place of the first tick; the others follow by 1."""
    names = [_short(tick) for tick in ticks]
    axes.set_xticks([first + number for number in range(len(names))], names)
    if sum(map(len, names)) > 60:
        axes.tick_params(axis='x', labelrotation=35)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment('right')
            label.set_rotation_mode('anchor')


def _field_size(cells: dict[str, list[list[EpisodeRow]]]) -> tuple[float, float]:
    return 7.2, 1.6 + 0.3 * len(cells)


def _field(axes: Any, cells: dict[str, list[list[EpisodeRow]]], ticks: Sequence[str]) -> None:
    """A row a method, a column a tick, the share as colour and number."""
    import numpy

    successes = [[measures.GSR.over(part) for part in parts] for parts in cells.values()]
    shares = numpy.array(
        [[numpy.nan if one is None else one.mean for one in line] for line in successes]
    )
    axes.pcolormesh(shares, cmap='cividis', vmin=0, vmax=100, edgecolors='none')
    for line, numbers in enumerate(shares):
        for place, share in enumerate(numbers):
            if not numpy.isnan(share):
                axes.text(
                    place + 0.5,
                    line + 0.5,
                    f'{share:.0f}',
                    ha='center',
                    va='center',
                    fontsize=9,
                    color='#ffffff' if share < 55 else '#000000',
                )
    _name_ticks(axes, ticks, 0.5)
    axes.set_yticks(
        numpy.arange(len(cells)) + 0.5,
        [_short(method, _LONGEST_NAME) for method in cells],
        fontsize=9,
    )
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
