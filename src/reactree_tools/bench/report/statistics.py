"""Two groups of episodes compared on the tasks that both have met.

Success by McNemar's exact test and a bootstrap over tasks, costs over what both solved. numpy does
it: scipy would bring one sum of binomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy

from reactree_tools.bench.report.measures import (
    AXES,
    axis_value,
    by_store,
    grouped,
    task_key,
    tokens_of,
    varying,
)
from reactree_tools.bench.report.tables import Column, Number, Table, Value
from reactree_tools.bench.rows import EpisodeRow

RESAMPLES = 10_000
#: Numbers drawn at once, so that a large study needs no more memory than a small one.
_AT_ONCE = 4_000_000
#: A pair of episodes of the same task, seed and everything but what is compared.
Pair = tuple[EpisodeRow, EpisodeRow]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean difference, second minus first, and its bootstrap interval of 95 %."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values of an axis, with all else equal.

    :param context: what else tells the group, e.g. 'model m'; '' where nothing does.
    :param tasks: that both have met. :param pairs: of episodes on them.
    :param gsr: :param ssr: differences over tasks, in shares.
    :param only_first: pairs that the first alone solved; `only_second` alike.
    :param p: of McNemar's exact test, two-sided.
    :param both: pairs that both solved.
    :param costs: by name, means of the first and second over these.
    """

    axis: str
    first: str
    second: str
    context: str
    tasks: int
    pairs: int
    gsr: Interval
    ssr: Interval
    only_first: int
    only_second: int
    p: float
    both: int
    costs: dict[str, tuple[float, float]]


#: What is compared where both were successful.
COSTS: dict[str, Callable[[EpisodeRow], float]] = {
    'decisions': lambda row: row.decisions,
    'tokens': tokens_of,
    'seconds': lambda row: row.seconds,
}


def bootstrap(differences: Sequence[float]) -> Interval:
    """Percentile interval of the mean of differences, one a task.

    :param differences: at least one.
    """
    values = numpy.asarray(differences, dtype=float)
    count = len(values)
    random = numpy.random.default_rng(0)
    means = []
    left = RESAMPLES
    while left > 0:
        drawn = min(left, max(1, _AT_ONCE // count))
        means.append(values[random.integers(0, count, (drawn, count))].mean(axis=1))
        left -= drawn
    low, high = numpy.quantile(numpy.concatenate(means), (0.025, 0.975))
    estimate = float(values.mean())
    # Rounding must not put an estimate outside of an interval without width.
    return Interval(estimate, min(float(low), estimate), max(float(high), estimate))


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided exact p: were the pairs that differ tosses of a fair coin?"""
    count = only_first + only_second
    tail = sum(comb(count, number) for number in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / 2**count)


def compare(pairs: Sequence[Pair], axis: str = '', context: str = '') -> Comparison:
    """What is to be said of pairs, at least one; the second of each against the first."""
    by_task: dict[object, list[Pair]] = {}
    for pair in pairs:
        by_task.setdefault(task_key(pair[0]), []).append(pair)

    def difference(of: Callable[[EpisodeRow], float]) -> Interval:
        return bootstrap(
            [
                sum(of(second) - of(first) for first, second in group) / len(group)
                for group in by_task.values()
            ]
        )

    solved = [pair for pair in pairs if pair[0].success and pair[1].success]
    only = [
        sum(pair[one].success and not pair[1 - one].success for pair in pairs) for one in (0, 1)
    ]
    costs = {
        name: (
            sum(of(first) for first, _ in solved) / len(solved),
            sum(of(second) for _, second in solved) / len(solved),
        )
        for name, of in COSTS.items()
        if solved
    }
    return Comparison(
        axis,
        axis_value(pairs[0][0], axis) if axis else '',
        axis_value(pairs[0][1], axis) if axis else '',
        context,
        len(by_task),
        len(pairs),
        difference(lambda row: float(row.success)),
        difference(lambda row: row.subgoal_rate),
        only[0],
        only[1],
        mcnemar(*only),
        len(solved),
        costs,
    )


def comparisons(rows: Sequence[EpisodeRow], axis: str) -> Iterator[Comparison]:
    """All pairs of values of an axis, for every group of rows that is equal otherwise.

    :param axis: one of `AXES`.
    """
    aside = {axis, 'world', 'tasks', *(('store', 'store_size') if axis == 'memory' else ())}
    axes = [one for one in varying(rows) if one not in aside]
    others = [one for one in AXES if one not in aside]
    groups = grouped(rows, lambda row: tuple(axis_value(row, one) for one in others))
    for key, group in groups.items():
        values = dict(zip(others, key, strict=True))
        context = ', '.join(f'{one} {values[one] or "none"}' for one in axes)
        if axis != 'memory':
            yield from _compared(group, axis, context)
            continue
        # A memory that reads a store is compared with those that read none.
        bare = {row.cell.memory for row in group if not row.cell.store}
        stores = by_store(group)
        for number, ((path, size), part) in enumerate(stores.items()):
            store = f'store {path}[{size or "all"}]' if len(stores) > 1 else ''
            for one in _compared(part, axis, context):
                if not {one.first, one.second} <= bare:
                    yield replace(one, context=', '.join(filter(None, (context, store))))
                elif not number:
                    yield one


def _compared(rows: Sequence[EpisodeRow], axis: str, context: str) -> Iterator[Comparison]:
    """All pairs of values of an axis, of rows that are equal otherwise."""
    sides: dict[str, dict[object, EpisodeRow]] = {}
    for row in rows:
        side = sides.setdefault(axis_value(row, axis), {})
        side[_place(row, axis), row.cell.seed] = row
    for first, second in combinations(sides, 2):
        common = [place for place in sides[first] if place in sides[second]]
        if common:
            pairs = [(sides[first][place], sides[second][place]) for place in common]
            yield compare(pairs, axis, context)


def _place(row: EpisodeRow, axis: str) -> tuple[object, ...]:
    """The task; without its world or source where these are compared."""
    cell = row.cell
    return (
        '' if axis == 'world' else cell.world,
        '' if axis == 'tasks' else cell.tasks,
        cell.task,
        cell.scene,
        cell.world_seed,
    )


def comparison_table(rows: Sequence[EpisodeRow], axis: str) -> Table:
    """Every comparison along an axis, a row each."""
    lines: list[tuple[Value, ...]] = []
    contexts = False
    for one in comparisons(rows, axis):
        contexts |= bool(one.context)
        lines.append(
            (
                f'{one.first or "none"} → {one.second or "none"}',
                one.context,
                str(one.tasks),
                str(one.pairs),
                *(_told(interval) for interval in (one.gsr, one.ssr)),
                f'{one.only_first} : {one.only_second}',
                f'{one.p:.4f}' if one.p >= 0.0001 else '< 0.0001',
                str(one.both),
                *(_change(one.costs.get(name)) for name in COSTS),
            )
        )
    columns = [
        Column(axis),
        Column('with'),
        Column('tasks'),
        Column('pairs'),
        Column('GSR [95 %]', 'difference, points'),
        Column('SSR [95 %]', 'difference, points'),
        Column('solved by one alone', 'McNemar'),
        Column('p', 'McNemar'),
        Column('pairs', 'where both were successful'),
        *(Column(name, 'where both were successful') for name in COSTS),
    ]
    if not contexts:
        columns.pop(1)
        lines = [(line[0], *line[2:]) for line in lines]
    return Table(
        f'compare_{axis}',
        f'Compared by {axis}, on common tasks',
        tuple(columns),
        tuple(lines),
        'Differences are second minus first, in points of percent, with a bootstrap interval of '
        f'95 % over tasks ({RESAMPLES:,} resamples; seeds of a task are averaged first). p is '
        "two-sided, of McNemar's exact test over pairs, and not corrected for the number of "
        'comparisons; with several seeds the pairs of a task are not independent, and the '
        'interval is the better judge.',
    )


def _told(interval: Interval) -> str:
    ends = [Number(100 * value, digits=1, signed=True).text for value in _values(interval)]
    return f'{ends[0]} [{ends[1]}, {ends[2]}]'


def _values(interval: Interval) -> tuple[float, float, float]:
    return interval.estimate, interval.low, interval.high


def _change(cost: tuple[float, float] | None) -> str:
    if cost is None:
        return ''
    digits = 0 if max(cost) >= 1000 else 1
    return f'{cost[0]:,.{digits}f} → {cost[1]:,.{digits}f}'
