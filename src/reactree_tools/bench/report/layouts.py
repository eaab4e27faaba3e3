"""Tables laid out as the papers lay out theirs, and one with everything."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence

from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.bench.report import measures
from reactree_tools.bench.report.measures import axis_value
from reactree_tools.bench.report.measures import grouped
from reactree_tools.bench.report.measures import Measure
from reactree_tools.bench.report.measures import MethodNames
from reactree_tools.bench.report.measures import model_name
from reactree_tools.bench.report.measures import planner_name
from reactree_tools.bench.report.measures import settings_of
from reactree_tools.bench.report.measures import task_key
from reactree_tools.bench.report.measures import unevenness
from reactree_tools.bench.report.measures import varying
from reactree_tools.bench.report.tables import Better
from reactree_tools.bench.report.tables import Column
from reactree_tools.bench.report.tables import Number
from reactree_tools.bench.report.tables import Table
from reactree_tools.bench.report.tables import Value
from reactree_tools.bench.rows import EpisodeRow

Rows = Sequence[EpisodeRow]
Key = Callable[[EpisodeRow], tuple[str, ...]]
#: Planners that never go on after a step that failed (Tree-Planner, table 1, upper half).
_WITHOUT_CORRECTION = ('zero_shot', 'iterative', 'progprompt')
_SEEDS = "Means over seeds of each seed's mean, ± the standard deviation over seeds."


def crossed(
    name: str,
    title: str,
    rows: Rows,
    heads: Sequence[str],
    key: Key,
    over: Callable[[EpisodeRow], str],
    measured: Sequence[Measure],
    note: str = '',
) -> Table:
    """A row for every value of `key`, and the measures under every value of `over`."""
    tops = list(dict.fromkeys(map(over, rows)))
    lines: list[tuple[Value, ...]] = []
    for names, group in grouped(rows, key).items():
        parts = [[row for row in group if over(row) == top] for top in tops]
        lines.append((*names, *(one.over(part) for part in parts for one in measured)))
    columns = (
        *map(Column, heads),
        *(Column(one.name, top, one.better) for top in tops for one in measured),
    )
    return Table(name, title, columns, tuple(lines), ' '.join(filter(None, (note, _seeds(rows)))))


def _seeds(rows: Rows) -> str:
    """What must be known to read the means."""
    several = len({row.cell.seed for row in rows}) > 1
    return ' '.join(filter(None, (_SEEDS if several else '', unevenness(rows))))


# Everything ----------------------------------------------------------------------------------


def general(rows: Rows) -> list[Table]:
    """All columns, a row a group; those in which nothing is told are left out."""
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
    told = f'All with {", ".join(same)}. ' if same else ''
    note = (
        f'{told}Shares in percent, the rest means of a task; false: the planner says that '
        'the task is done, and the world does not agree; tokens/decision: presented to the model '
        'for a decision that it was asked for.'
    )
    return [
        Table(
            'general',
            'All that was measured',
            tuple(columns[number] for number in kept),
            tuple(tuple(line[number] for number in kept) for line in lines),
            ' '.join(filter(None, (note, _seeds(rows)))),
        )
    ]


def tasks(rows: Rows) -> list[Table]:
    """A row a task, how many of its episodes were successful under each method."""
    names = MethodNames(rows)
    methods = list(dict.fromkeys(map(names.whole, rows)))
    worlds = len({row.cell.world for row in rows}) > 1
    groups: dict[object, list[EpisodeRow]] = {}
    for row in rows:
        groups.setdefault(task_key(row), []).append(row)
    lines = []
    for group in groups.values():
        cells: list[Value] = []
        for one in methods:
            part = [row for row in group if names.whole(row) == one]
            cells.append(_told_of_task(part) if part else None)
        first = group[0]
        told = f'{first.cell.world} {first.cell.task}' if worlds else first.cell.task
        lines.append((told, first.instruction, *cells))
    return [
        Table(
            'tasks',
            'Every task',
            (Column('task'), Column('instruction'), *map(Column, methods)),
            tuple(lines),
            'Goals met of episodes; where none was, the share of the goal that held at the end.',
        )
    ]


def _told_of_task(rows: Rows) -> str:
    met = sum(row.success for row in rows)
    told = f'{met} of {len(rows)}' if len(rows) > 1 else ('yes' if met else 'no')
    rate = measures.SSR.over(rows)
    return told if met or rate is None else f'{told} ({rate.mean:.0f} %)'


# ReAcTree ------------------------------------------------------------------------------------


def reactree(rows: Rows) -> list[Table]:
    """Tables 1 to 6 of ReAcTree, as far as the study tells them."""
    names = MethodNames(rows)
    found = [
        crossed(
            'reactree_1',
            'GSR and SSR by method and model (ReAcTree, table 1)',
            rows,
            ('Method',),
            lambda row: (names.with_memory(row),),
            model_name,
            (measures.GSR, measures.SSR),
            'EM: episodic memory, WM: working memory.',
        )
    ]
    if len({row.cell.tasks for row in rows}) > 1:
        found.append(
            crossed(
                'reactree_2',
                'GSR by split of tasks (ReAcTree, table 2)',
                rows,
                ('Split', 'Method'),
                lambda row: (row.cell.tasks, names.with_memory(row)),
                model_name,
                (measures.GSR,),
            )
        )
    if len({row.cell.memory for row in rows}) > 1:
        found.append(_memory_ablation(rows))
    if len({row.cell.preset for row in rows}) > 1:
        found.append(
            crossed(
                'reactree_4',
                'By preset (laid out as ReAcTree, table 4)',
                rows,
                ('Method', 'Preset'),
                lambda row: (planner_name(row), row.cell.preset),
                model_name,
                (measures.GSR, measures.SSR),
            )
        )
    return [*found, *_costs(rows)]


def _memory_ablation(rows: Rows) -> Table:
    """Every memory, with what it gains over none."""
    names = MethodNames(rows)
    models = list(dict.fromkeys(map(model_name, rows)))
    order = ('none', 'working', 'episodic', 'both')
    lines: list[tuple[Value, ...]] = []
    for (method,), group in grouped(rows, lambda row: (names.bare(row),)).items():
        for memory in order:
            numbers: list[Value] = []
            if not any(row.cell.memory == memory for row in group):
                continue
            for model in models:
                part = [row for row in group if model_name(row) == model]
                for one in (measures.GSR, measures.SSR):
                    now = one.over(row for row in part if row.cell.memory == memory)
                    bare = one.over(row for row in part if row.cell.memory == 'none')
                    numbers += [now, _gain(now, bare) if memory != 'none' else None]
            signs = [
                '✓' if memory in both else '✗'
                for both in (('episodic', 'both'), ('working', 'both'))
            ]
            lines.append((method, *signs, *numbers))
    columns = (
        Column('Method'),
        Column('EM'),
        Column('WM'),
        *(
            Column(head, model, Better.MORE if head in ('GSR', 'SSR') else Better.NEITHER)
            for model in models
            for head in ('GSR', 'Δ GSR', 'SSR', 'Δ SSR')
        ),
    )
    return Table(
        'reactree_3',
        'Memory ablation (ReAcTree, table 3)',
        columns,
        tuple(lines),
        f'Δ: gained over neither memory. {_seeds(rows)}'.strip(),
    )


def _gain(now: Number | None, bare: Number | None) -> Number | None:
    if now is None or bare is None:
        return None
    return Number(now.mean - bare.mean, signed=True)


def _costs(rows: Rows) -> Iterator[Table]:
    """What was spent where every method was successful, and tokens of a decision."""
    names = MethodNames(rows)
    groups = grouped(rows, lambda row: (names.whole(row),))
    solved = [
        {(task_key(row), row.cell.seed) for row in group if row.success}
        for group in groups.values()
    ]
    shared = set.intersection(*solved) if solved else set()
    lines: list[tuple[Value, ...]] = []
    for names_of, group in groups.items():
        part = [row for row in group if (task_key(row), row.cell.seed) in shared]
        lines.append(
            (
                *names_of,
                measures.SECONDS.over(part),
                measures.DECISIONS.over(part),
                measures.GSR.over(group),
                measures.SSR.over(group),
            )
        )
    columns = (
        Column('Configuration'),
        Column('Time (s)', better=Better.LESS),
        Column('Decisions', better=Better.LESS),
        Column('GSR', better=Better.MORE),
        Column('SSR', better=Better.MORE),
    )
    note = (
        f'Time and decisions over the {len(shared)} episodes that every configuration solved.'
        if shared
        else 'No episode was solved by every configuration, so that costs cannot be compared.'
    )
    yield Table(
        'reactree_5', 'Costs on shared successes (ReAcTree, table 5)', columns, tuple(lines), note
    )
    if any(row.prompt_tokens for row in rows):
        yield Table(
            'reactree_6',
            'Tokens of a decision (ReAcTree, table 6)',
            (
                Column('Configuration'),
                Column('Max. input', better=Better.LESS),
                Column('Avg. input', better=Better.LESS),
                Column('Avg. output', better=Better.LESS),
            ),
            tuple(
                (
                    *names_of,
                    Number(max(row.most_tokens for row in group), digits=0),
                    measures.INPUT.over(group),
                    measures.OUTPUT.over(group),
                )
                for names_of, group in groups.items()
            ),
            f'Of decisions that the model was asked for. {_seeds(rows)}'.strip(),
        )


# Tree-Planner --------------------------------------------------------------------------------


def _corrects(row: EpisodeRow) -> bool:
    if row.cell.planner in _WITHOUT_CORRECTION:
        return False
    settings = settings_of(row.cell.preset, row.cell.planner)
    return settings is None or settings.plans.corrections > 0


def _executed(row: EpisodeRow) -> float:
    """EXEC: every step succeeded; where steps are corrected, the plan came to its end."""
    return float(measures.executed(row) or (_corrects(row) and row.ended == 'success'))


_EXEC = Measure('EXEC', _executed, Better.MORE, percent=True)
_TREE_PLANNER = (_EXEC, measures.SUCCESS, measures.CONDITIONS, measures.COST, measures.CORRECTIONS)
_EXEC_NOTE = (
    'EXEC: every step succeeded, or with correction, the plan came to its end all the same. '
    '$COST: of all tasks of a seed, by the prices of the study file. NO.EC: corrections of a task.'
)


def tree_planner(rows: Rows) -> list[Table]:
    """Tables 1, 4, 5 and 6 of Tree-Planner."""
    names = MethodNames(rows)
    method = names.whole

    ordered = sorted(rows, key=_corrects)
    main = crossed(
        'tree_planner_1',
        'Methods without and with correction (Tree-Planner, table 1)',
        ordered,
        ('Correction', 'Method'),
        lambda row: ('with' if _corrects(row) else 'without', method(row)),
        lambda row: '',
        _TREE_PLANNER,
        _EXEC_NOTE,
    )
    found = [main]
    if any(row.expert_steps is not None for row in rows):
        known = sorted(
            (row for row in ordered if row.expert_steps is not None),
            key=lambda row: (method(row), row.expert_steps),
        )
        found.append(
            crossed(
                'tree_planner_4',
                'By the length of the shortest known plan (Tree-Planner, tables 4 and 5)',
                known,
                ('Method', 'Plan length'),
                lambda row: (method(row), _length(row.expert_steps or 0)),
                lambda row: '',
                _TREE_PLANNER,
                "Length: skills of the world's expert.",
            )
        )
    if 1 < len({row.cell.scene for row in rows}) < len({task_key(row) for row in rows}):
        by_scene = sorted(ordered, key=lambda row: (method(row), row.cell.scene))
        found.append(
            crossed(
                'tree_planner_6',
                'By scene (Tree-Planner, table 6)',
                by_scene,
                ('Method', 'Scene'),
                lambda row: (method(row), row.cell.scene),
                lambda row: '',
                _TREE_PLANNER,
            )
        )
    return found


def _length(steps: int) -> str:
    """Of a plan, in fives as in the paper."""
    if steps > 15:
        return 'over 15'
    low = max(0, (steps - 1) // 5) * 5
    return f'{low + 1} to {low + 5}'


# ADaPT ---------------------------------------------------------------------------------------


def adapt(rows: Rows) -> list[Table]:
    """Tables 1, 2, 3 and 7 of ADaPT, figures 4 and 7 as tables."""
    names = MethodNames(rows)

    def method(row: EpisodeRow) -> tuple[str, ...]:
        return (names.whole(row),)

    found = []
    worlds = list(dict.fromkeys(row.cell.world for row in rows))
    for world in worlds:
        part = [row for row in rows if row.cell.world == world]
        families = sorted({row.family for row in part})
        if len(families) < 2:
            continue
        lines: list[tuple[Value, ...]] = []
        for names_of, group in grouped(part, method).items():
            numbers = [
                measures.GSR.over(row for row in group if row.family == family)
                for family in families
            ]
            lines.append((*names_of, *numbers, measures.GSR.over(group)))
        heads = (
            Column('Method'),
            *(Column(one, better=Better.MORE) for one in (*families, 'All')),
        )
        found.append(
            Table(
                f'adapt_1_{world}',
                f'Success rate by family of {world} (ADaPT, table 1)',
                heads,
                tuple(lines),
                _seeds(part),
            )
        )
    found.append(
        crossed(
            'adapt_2',
            'Success rate by world (ADaPT, table 2)',
            rows,
            ('Method',),
            method,
            lambda row: row.cell.world,
            (Measure('success rate', measures.GSR.of, Better.MORE, percent=True),),
        )
    )
    found.append(_by_expert(rows, method))
    deepest = [row for row in rows if row.cell.planner == 'adapt' and _trials(row)]
    if len({_trials(row) for row in deepest}) > 1:
        deepest.sort(key=lambda row: int(_trials(row)))
        found.append(
            crossed(
                'adapt_figure_4',
                'Success rate by the deepest level of tasks (ADaPT, figure 4)',
                deepest,
                ('d_max',),
                lambda row: (_trials(row),),
                lambda row: row.cell.world,
                (measures.GSR,),
            )
        )
    scored = [row for row in rows if row.score is not None]
    if scored:
        found.append(
            crossed(
                'adapt_7',
                'Score and success rate (ADaPT, table 7)',
                scored,
                ('Method',),
                method,
                lambda row: row.cell.world,
                (measures.SCORE, measures.GSR),
            )
        )
    found.append(
        crossed(
            'adapt_figure_7',
            'Requests of the model (ADaPT, figure 7)',
            rows,
            ('Method',),
            method,
            lambda row: row.cell.world,
            (measures.REQUESTS,),
        )
    )
    return [one for one in found if one.rows]


def _trials(row: EpisodeRow) -> str:
    settings: PlannerSettings | None = settings_of(row.cell.preset, row.cell.planner)
    return str(settings.trials) if settings is not None else ''


def _by_expert(rows: Rows, method: Key) -> Table:
    """Success by how long the task is, and the depth that successes took."""
    known = sorted((row for row in rows if row.expert_steps is not None), key=_expert_steps)
    lines: list[tuple[Value, ...]] = []
    groups = grouped(known, lambda row: (_length(_expert_steps(row)), *method(row)))
    for names, group in groups.items():
        solved = [row for row in group if row.success]
        lines.append((*names, measures.DEPTH.over(solved), measures.GSR.over(group)))
    return Table(
        'adapt_3',
        'Success rate by complexity (ADaPT, table 3)',
        (
            Column('Steps of the expert'),
            Column('Method'),
            Column('depth of successes'),
            Column('success rate', better=Better.MORE),
        ),
        tuple(lines),
        "Depth: of the deepest node of the tree; an expansion adds 2 (ADaPT's k is half of it).",
    )


def _expert_steps(row: EpisodeRow) -> int:
    return row.expert_steps or 0


# ProcWorld -----------------------------------------------------------------------------------


def procworld(rows: Rows) -> list[Table]:
    """Tables 3 to 14 of ProcWorld: success and steps by model, setting, method and family."""
    names = MethodNames(rows)
    found = []
    settings = {(row.cell.world, row.cell.tasks) for row in rows}
    worlds = {row.cell.world for row in rows}

    def setting(row: EpisodeRow) -> str:
        """What sets the observations: a world with its options, and its tasks."""
        told = [row.cell.world] if len(worlds) > 1 else []
        return ' '.join([*told, *([row.cell.tasks] if len(settings) > len(worlds) else [])])

    for measure, what, number in (
        (measures.GSR, 'Success rate', '3'),
        (measures.STEPS, 'Average skills', '4'),
    ):
        found.append(
            crossed(
                f'procworld_{number}',
                f'{what} by method, model and setting (ProcWorld, tables 3 to 12)',
                rows,
                ('Method', 'Model'),
                lambda row: (names.without_model(row), model_name(row)),
                setting,
                (measure,),
            )
        )
    found.append(
        crossed(
            'procworld_6b',
            'Success rate by model and method (ProcWorld, figure 6b)',
            rows,
            ('Model',),
            lambda row: (model_name(row),),
            names.without_model,
            (measures.GSR,),
        )
    )
    if len({row.family for row in rows}) > 1:
        found.append(
            crossed(
                'procworld_14',
                'By family (ProcWorld, table 14)',
                sorted(rows, key=lambda row: row.family),
                ('Family', 'Method'),
                lambda row: (row.family, names.without_model(row)),
                model_name,
                (measures.GSR, measures.STEPS),
            )
        )
    return found


LAYOUTS: dict[str, Callable[[Rows], list[Table]]] = {
    'general': general,
    'reactree': reactree,
    'tree_planner': tree_planner,
    'adapt': adapt,
    'procworld': procworld,
    'tasks': tasks,
}
