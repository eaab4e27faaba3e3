"""All layouts of tables: one with everything, those of the papers, and a row a task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import ceil

from reactree_tools.bench.report import measures
from reactree_tools.bench.report.crossing import how_to_read, Rows
from reactree_tools.bench.report.measures import (
    axis_value,
    grouped,
    Measure,
    MethodNames,
    model_name,
    task_key,
    varying,
)
from reactree_tools.bench.report.paper_layouts import (
    adapt,
    eb_alfred,
    procworld,
    reactree,
    tree_planner,
)
from reactree_tools.bench.report.tables import Better, Column, Number, Table, Value
from reactree_tools.bench.rows import EpisodeRow


def general(rows: Rows) -> list[Table]:
    """All columns, a row a group; those in which nothing is given are left out."""
    axes = tuple(dict.fromkeys((*varying(rows), 'planner')))
    ordered = [axis for axis in measures.AXES if axis in axes]
    groups = grouped(rows, lambda row: tuple(axis_value(row, axis) for axis in ordered))
    lines = []
    for names, group in groups.items():
        numbers: list[Value] = [one.over(group) for one in measures.ALL]
        most = max(row.most_tokens for row in group)
        place = [one.name for one in measures.ALL].index('tokens/decision') + 1
        numbers.insert(place, Number(most, digits=0) if most else None)
        tasks = len({task_key(row) for row in group})
        seeds = len({row.cell.seed for row in group})
        lines.append((*names, str(tasks), str(seeds), *numbers))
    columns = [
        *map(Column, ordered),
        Column('tasks'),
        Column('seeds'),
        *(Column(one.name, better=one.better) for one in measures.ALL),
    ]
    place = [column.head for column in columns].index('tokens/decision') + 1
    columns.insert(place, Column('most tokens'))
    kept = [
        number
        for number in range(len(columns))
        if number < len(ordered) or any(line[number] is not None for line in lines)
    ]
    same = [
        f'{axis} {axis_value(rows[0], axis)}'
        for axis in measures.AXES
        if axis not in ordered and axis_value(rows[0], axis) and axis not in ('store_size',)
    ]
    common = f'All with {", ".join(same)}. ' if same else ''
    note = (
        f'{common}Shares in percent, the rest means of a task; false: the planner says that '
        'the task is done, and the world does not agree; tokens/decision: presented to the model '
        'for a decision that it was asked for.'
    )
    return [
        Table(
            'general',
            'All that was measured',
            tuple(columns[number] for number in kept),
            tuple(tuple(line[number] for number in kept) for line in lines),
            ' '.join(filter(None, (note, how_to_read(rows)))),
        )
    ]


def team(rows: Rows) -> Iterator[Table]:
    """Several robots beside one of them alone, on the same tasks; nothing without several."""
    together = [row for row in rows if row.robots > 1]
    worlds = {row.cell.world for row in together}
    names = MethodNames([row for row in rows if row.cell.world in worlds])
    measured = (measures.GSR, measures.SSR, measures.STEPS, _TIME, measures.IDLE)
    lines: list[tuple[Value, ...]] = []
    groups = grouped(
        (row for row in rows if row.cell.world in worlds),
        lambda row: (row.cell.world, names.whole(row)),
    )
    for (world, method), group in groups.items():
        alone = {
            (task_key(row), row.cell.seed): row
            for row in rows
            if row.robots == 1 and row.cell.world == world and row.cell.planner == _ALONE
            if model_name(row) == model_name(group[0]) and row.success
        }
        pairs = [
            (row, alone[key])
            for row in group
            if row.robots > 1 and row.success
            if (key := (task_key(row), row.cell.seed)) in alone
        ]
        numbers: list[Value] = [one.over(group) for one in measured]
        work = sum(one.steps for _, one in pairs)
        beside: list[Value] = [None, None, None]
        if work:
            best = sum(ceil(one.steps / row.robots) for row, one in pairs)
            beside = [
                str(len(pairs)),
                Number(sum(_time(row) for row, _ in pairs) / work),
                Number(best / work),
            ]
        robots = str(max(row.robots for row in group))
        lines.append((world, method, robots, str(len(group)), *numbers, *beside))
    if together:
        yield Table(
            'team',
            'Several robots and one of them alone',
            (
                *map(Column, ('world', 'method', 'robots', 'episodes')),
                *(Column(one.name, better=one.better) for one in measured),
                *(
                    Column(head, f'beside {_ALONE} alone')
                    for head in ('both solve', 'time', 'at best')
                ),
            ),
            tuple(lines),
            'Every skill takes 1; time is until the last skill ends, and idle the share of it in '
            'which a robot did nothing. Beside one robot: on tasks that both solve, the sum of '
            "times over that of one robot; at best, its skills divided by the team's robots.",
        )


#: The planner of the one robot with which teams are compared.
_ALONE = 'reactree'


def _time(row: EpisodeRow) -> float:
    """Until the last skill ended: those of one robot come one after the other."""
    return row.steps if row.makespan is None else row.makespan


_TIME = Measure('time', _time, Better.LESS, digits=1)


def tasks(rows: Rows) -> list[Table]:
    """A row a task, how many of its episodes were successful under each method."""
    names = MethodNames(rows)
    methods = list(dict.fromkeys(map(names.whole, rows)))
    worlds = len({row.cell.world for row in rows}) > 1
    lines = []
    for group in grouped(rows, task_key).values():
        cells: list[Value] = []
        for one in methods:
            part = [row for row in group if names.whole(row) == one]
            cells.append(_share_met(part) if part else None)
        first = group[0]
        title = f'{first.cell.world} {first.cell.task}' if worlds else first.cell.task
        lines.append((title, first.instruction, *cells))
    return [
        Table(
            'tasks',
            'Every task',
            (Column('task'), Column('instruction'), *map(Column, methods)),
            tuple(lines),
            'Goals met of episodes; where none was, the share of the goal that held at the end.',
        )
    ]


def _share_met(rows: Rows) -> str:
    met = sum(row.success for row in rows)
    share = f'{met} of {len(rows)}' if len(rows) > 1 else ('yes' if met else 'no')
    rate = measures.SSR.over(rows)
    return share if met or rate is None else f'{share} ({rate.mean:.0f} %)'


LAYOUTS: dict[str, Callable[[Rows], Iterable[Table]]] = {
    'general': general,
    'team': team,
    'reactree': reactree,
    'tree_planner': tree_planner,
    'adapt': adapt,
    'procworld': procworld,
    'eb_alfred': eb_alfred,
    'tasks': tasks,
}
