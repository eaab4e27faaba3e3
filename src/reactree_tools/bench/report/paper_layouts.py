"""Tables laid out as the papers lay out theirs."""

from __future__ import annotations

from collections.abc import Iterator

from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.bench.report import measures
from reactree_tools.bench.report.crossing import crossed, how_to_read, Name, Rows
from reactree_tools.bench.report.measures import (
    grouped,
    Measure,
    MethodNames,
    model_name,
    settings_of,
    task_key,
)
from reactree_tools.bench.report.tables import Better, Column, Number, Table, Value
from reactree_tools.bench.rows import EpisodeRow
from sim_bridge.worlds.thor.eb_alfred import PREFIX as EB_ALFRED
from sim_bridge.worlds.thor.eb_alfred import SPLITS

#: Planners that never go on after a step that failed (Tree-Planner, table 1, upper half).
_WITHOUT_CORRECTION = ('zero_shot', 'iterative', 'progprompt')


# ReAcTree ------------------------------------------------------------------------------------


def reactree(rows: Rows) -> Iterator[Table]:
    """Tables 1 to 6 of ReAcTree, as far as the study says them."""
    names = MethodNames(rows)
    yield crossed(
        'reactree_1',
        'GSR and SSR by method and model (ReAcTree, table 1)',
        rows,
        {'Method': names.with_memory},
        (measures.GSR, measures.SSR),
        model_name,
        'EM: episodic memory, WM: working memory.',
    )
    if len({row.cell.tasks for row in rows}) > 1:
        yield crossed(
            'reactree_2',
            'GSR by split of tasks (ReAcTree, table 2)',
            rows,
            {'Split': lambda row: row.cell.tasks, 'Method': names.with_memory},
            (measures.GSR,),
            model_name,
        )
    if len({row.cell.memory for row in rows}) > 1:
        yield _memory_ablation(rows)
    if len({row.cell.preset for row in rows}) > 1:
        yield crossed(
            'reactree_4',
            'By preset (laid out as ReAcTree, table 4)',
            rows,
            {
                'Method': lambda row: names.with_memory(row, preset=False),
                'Preset': lambda row: row.cell.preset,
            },
            (measures.GSR, measures.SSR),
            model_name,
        )
    yield from _costs(rows)


def _memory_ablation(rows: Rows) -> Table:
    """Every memory, with what it gains over none."""
    names = MethodNames(rows)
    models = list(dict.fromkeys(map(model_name, rows)))
    order = ('none', 'working', 'episodic', 'both')
    lines: list[tuple[Value, ...]] = []
    for method, group in grouped(rows, names.bare).items():
        for memory in order:
            found = grouped((row for row in group if row.cell.memory == memory), names.store)
            for store, part in found.items():
                numbers: list[Value] = []
                for model in models:
                    rows_of = [row for row in part if model_name(row) == model]
                    without = [
                        row
                        for row in group
                        if row.cell.memory == 'none' and model_name(row) == model
                    ]
                    for one in (measures.GSR, measures.SSR):
                        now, bare = one.over(rows_of), one.over(without)
                        numbers += [now, _gain(now, bare) if memory != 'none' else None]
                signs = [
                    '✓' if memory in both else '✗'
                    for both in (('episodic', 'both'), ('working', 'both'))
                ]
                lines.append((f'{method}{store}', *signs, *numbers))
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
        f'Δ: gained over neither memory. {how_to_read(rows)}'.strip(),
    )


def _gain(now: Number | None, bare: Number | None) -> Number | None:
    if now is None or bare is None:
        return None
    return Number(now.mean - bare.mean, signed=True)


def _costs(rows: Rows) -> Iterator[Table]:
    """What was spent where every method was successful, and tokens of a decision."""
    names = MethodNames(rows)
    groups = grouped(rows, names.whole)
    solved = [
        {(task_key(row), row.cell.seed) for row in group if row.success}
        for group in groups.values()
    ]
    shared = set.intersection(*solved) if solved else set()
    lines: list[tuple[Value, ...]] = []
    for method, group in groups.items():
        part = [row for row in group if (task_key(row), row.cell.seed) in shared]
        lines.append(
            (
                method,
                measures.SECONDS.over(part),
                measures.DECISIONS.over(part),
                measures.DECISIONS.over(group),
                measures.GSR.over(group),
                measures.SSR.over(group),
            )
        )
    columns = (
        Column('Configuration'),
        Column('Time (s)', better=Better.LESS),
        Column('Decisions', better=Better.LESS),
        Column('Decisions of all'),
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
                    method,
                    Number(max(row.most_tokens for row in group), digits=0),
                    measures.INPUT.over(group),
                    measures.OUTPUT.over(group),
                )
                for method, group in groups.items()
            ),
            'Input: the prompt of a decision, however many requests present it: the longest, and '
            'the mean of all requests. Output: what was written for a decision that the model was '
            f'asked for. {how_to_read(rows)}'.strip(),
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


_TREE_PLANNER = (
    Measure('EXEC', _executed, Better.MORE, percent=True),
    Measure('SR', lambda row: _executed(row) * row.success, Better.MORE, percent=True),
    Measure('GCR', lambda row: _executed(row) * row.subgoal_rate, Better.MORE, percent=True),
    measures.COST,
    Measure('NO.EC', lambda row: row.corrections if _corrects(row) else None, Better.LESS),
)
_EXEC_NOTE = (
    'EXEC: every step succeeded, or with correction, the plan came to its end all the same; SR '
    'and GCR are 0 where it did not, as published. GCR: at the best moment of a run; the paper '
    'takes the final one of plans that are executed without correction. '
    '$COST: of all tasks of a seed, by the prices of the study file. NO.EC: corrections of a task.'
)


def tree_planner(rows: Rows) -> Iterator[Table]:
    """Tables 1, 4, 5 and 6 of Tree-Planner."""
    names = MethodNames(rows)
    method = names.whole
    ordered = sorted(rows, key=_corrects)
    yield crossed(
        'tree_planner_1',
        'Methods without and with correction (Tree-Planner, table 1)',
        ordered,
        {'Correction': lambda row: 'with' if _corrects(row) else 'without', 'Method': method},
        _TREE_PLANNER,
        note=_EXEC_NOTE,
    )
    if any(row.expert_steps is not None for row in rows):
        known = sorted(
            (row for row in ordered if row.expert_steps is not None),
            key=lambda row: (method(row), row.expert_steps),
        )
        yield crossed(
            'tree_planner_4',
            'By the length of the shortest known plan (Tree-Planner, tables 4 and 5)',
            known,
            {'Method': method, 'Plan length': _plan_length},
            _TREE_PLANNER,
            note="Length: skills of the world's expert.",
        )
    if 1 < len({row.cell.scene for row in rows}) < len({task_key(row) for row in rows}):
        by_scene = sorted(ordered, key=lambda row: (method(row), row.cell.scene))
        yield crossed(
            'tree_planner_6',
            'By scene (Tree-Planner, table 6)',
            by_scene,
            {'Method': method, 'Scene': lambda row: row.cell.scene},
            _TREE_PLANNER,
        )


def _plan_length(row: EpisodeRow) -> str:
    """Of the expert's plan, in fives as in the paper."""
    steps = row.expert_steps or 0
    if steps > 15:
        return 'over 15'
    low = max(0, (steps - 1) // 5) * 5
    return f'{low + 1} to {low + 5}'


# ADaPT ---------------------------------------------------------------------------------------


def adapt(rows: Rows) -> Iterator[Table]:
    """Tables 1, 2, 3 and 7 of ADaPT, figures 4 and 7 as tables."""
    method = MethodNames(rows).whole
    worlds = list(dict.fromkeys(row.cell.world for row in rows))
    for world in worlds:
        part = [row for row in rows if row.cell.world == world]
        families = sorted({row.family for row in part})
        if len(families) < 2:
            continue
        lines: list[tuple[Value, ...]] = []
        for name, group in grouped(part, method).items():
            numbers = [
                measures.GSR.over(row for row in group if row.family == family)
                for family in families
            ]
            lines.append((name, *numbers, measures.GSR.over(group)))
        heads = (
            Column('Method'),
            *(Column(one, better=Better.MORE) for one in (*families, 'All')),
        )
        yield Table(
            f'adapt_1_{world}',
            f'Success rate by family of {world} (ADaPT, table 1)',
            heads,
            tuple(lines),
            how_to_read(part),
        )
    yield crossed(
        'adapt_2',
        'Success rate by world (ADaPT, table 2)',
        rows,
        {'Method': method},
        (Measure('success rate', measures.GSR.of, Better.MORE, percent=True),),
        _world,
    )
    if any(row.expert_steps is not None for row in rows):
        yield _by_expert(rows, method)
    deepest = [row for row in rows if row.cell.planner == 'adapt' and _trials(row)]
    if len({_trials(row) for row in deepest}) > 1:
        deepest.sort(key=lambda row: int(_trials(row)))
        yield crossed(
            'adapt_figure_4',
            'Success rate by the deepest level of tasks (ADaPT, figure 4)',
            deepest,
            {'d_max': _trials},
            (measures.GSR,),
            _world,
        )
    scored = [row for row in rows if row.score is not None]
    if scored:
        yield crossed(
            'adapt_7',
            'Score and success rate (ADaPT, table 7)',
            scored,
            {'Method': method},
            (measures.SCORE, measures.GSR),
            _world,
        )
    yield crossed(
        'adapt_figure_7',
        'Requests of the model (ADaPT, figure 7)',
        rows,
        {'Method': method},
        (measures.REQUESTS,),
        _world,
    )


def _trials(row: EpisodeRow) -> str:
    settings: PlannerSettings | None = settings_of(row.cell.preset, row.cell.planner)
    return str(settings.trials) if settings is not None else ''


def _by_expert(rows: Rows, method: Name) -> Table:
    """Success by how long the task is, and the depth that successes took."""
    known = [row for row in rows if row.expert_steps is not None]
    known.sort(key=lambda row: row.expert_steps or 0)
    lines: list[tuple[Value, ...]] = []
    groups = grouped(known, lambda row: (_plan_length(row), method(row)))
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
        "Depth: of the deepest node of the tree; a plan adds 2 (ADaPT's k is (depth + 1) / 2).",
    )


def _world(row: EpisodeRow) -> str:
    return row.cell.world


# ProcWorld -----------------------------------------------------------------------------------


#: Skills that a failed task counts (published).
_FAILED_COUNTS = 50
_PROCWORLD_SKILLS = Measure(
    'skills', lambda row: row.steps if row.success else _FAILED_COUNTS, Better.LESS, digits=1
)
_PROCWORLD_NOTE = (
    f'Skills: a failed task counts {_FAILED_COUNTS}, as published; a solved one counts those of '
    'all its trials.'
)


def procworld(rows: Rows) -> Iterator[Table]:
    """Tables 3 to 14 of ProcWorld: success and steps by model, setting, method and family."""
    names = MethodNames(rows)
    settings = {(row.cell.world, row.cell.tasks) for row in rows}
    worlds = {row.cell.world for row in rows}

    def setting(row: EpisodeRow) -> str:
        """What sets the observations: a world with its options, and its tasks."""
        worlds_named = [row.cell.world] if len(worlds) > 1 else []
        return ' '.join(
            [*worlds_named, *([row.cell.tasks] if len(settings) > len(worlds) else [])]
        )

    for measure, what, number in (
        (measures.GSR, 'Success rate', '3'),
        (_PROCWORLD_SKILLS, 'Average skills', '4'),
    ):
        yield crossed(
            f'procworld_{number}',
            f'{what} by method, model and setting (ProcWorld, tables 3 to 12)',
            rows,
            {'Method': names.without_model, 'Model': model_name},
            (measure,),
            setting,
            _PROCWORLD_NOTE if measure is _PROCWORLD_SKILLS else '',
        )
    yield crossed(
        'procworld_6b',
        'Success rate by model and method (ProcWorld, figure 6b)',
        rows,
        {'Model': model_name},
        (measures.GSR,),
        names.without_model,
    )
    if len({row.family for row in rows}) > 1:
        yield crossed(
            'procworld_14',
            'By family (ProcWorld, table 14)',
            sorted(rows, key=lambda row: row.family),
            {'Family': lambda row: row.family, 'Method': names.without_model},
            (measures.GSR, _PROCWORLD_SKILLS),
            model_name,
            _PROCWORLD_NOTE,
        )


# EB-ALFRED -----------------------------------------------------------------------------------


_EB_NOTE = (
    "Not comparable as it stands: AI2-THOR's stand-in (or program) is told in texts, and things "
    'have to be looked for, where EB-ALFRED shows pictures and goes to anything by its class. '
    'Goal tests and limits (30 actions, 10 failed ones) are its own; tasks whose goal holds at '
    'the start are left out.'
)


def eb_alfred(rows: Rows) -> Iterator[Table]:
    """Task success and subgoal success by split (EmbodiedBench, table 2)."""
    rows = [row for row in rows if row.cell.task.startswith(EB_ALFRED)]
    if not rows:
        return
    names = MethodNames(rows)
    splits = [one for one in SPLITS if any(_split_of(row) == one for row in rows)]
    for measure, what in ((measures.GSR, 'Task success'), (measures.SSR, 'Subgoal success')):
        lines: list[tuple[Value, ...]] = []
        for name, group in grouped(rows, names.whole).items():
            parts = [[row for row in group if _split_of(row) == split] for split in splits]
            lines.append((name, *(measure.over(part) for part in parts), measure.over(group)))
        heads = (*(split.replace('_', ' ') for split in splits), 'all')
        yield Table(
            f'eb_alfred_{measure.name.lower()}',
            f'{what} by split (EB-ALFRED in another simulator, observed in texts)',
            (Column('Method'), *(Column(head, better=Better.MORE) for head in heads)),
            tuple(lines),
            f'{_EB_NOTE} {how_to_read(rows)}'.strip(),
        )


def _split_of(row: EpisodeRow) -> str:
    return row.cell.task_name.partition('/')[0]
