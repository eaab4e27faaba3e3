"""What is measured of episodes, how they are grouped, and how groups are called."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev
from typing import TypeVar

from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.bench.report.tables import Better, Number
from reactree_tools.bench.rows import EpisodeRow

GroupKey = TypeVar('GroupKey', bound=Hashable)

#: What a study varies, besides tasks and seeds; fields of `Cell`.
AXES = ('world', 'tasks', 'planner', 'preset', 'model', 'memory', 'store', 'store_size')
#: As the papers write them.
_NAMES = {
    'reactree': 'ReAcTree',
    'react': 'ReAct',
    'plan_and_execute': 'Plan-and-Execute',
    'try_again': 'Try Again',
    'reflexion': 'Reflexion',
    'adapt': 'ADaPT',
    'zero_shot': 'Zero-Shot Planner',
    'iterative': 'Iterative-Planner',
    'local_replan': 'Local Replan',
    'global_replan': 'Global Replan',
    'tree_planner': 'Tree-Planner',
    'progprompt': 'ProgPrompt',
    'best_first': 'Best-First',
    'agentbench': 'AgentBench',
    'alfchat': 'ALFChat',
    'stateflow': 'StateFlow',
    'lats': 'LATS',
    'naive_buyer': 'Naive buyer',
    'sampled_plans': 'Best sample',
    'oracle': 'Gold plan',
}
_MEMORIES = {'none': ' without EM', 'working': '+WM without EM', 'episodic': '', 'both': '+WM'}
#: Settings that the names of planners tell.
_IN_NAMES = {
    'tree_planner': 'plans.samples',
    'best_first': 'plans.samples',
    'sampled_plans': 'plans.samples',
    'adapt': 'trials',
}


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of an episode.

    :param of: of one episode; None where it has none.
    :param percent: whether it is a share, written in percent.
    :param total: whether it is summed over the tasks of a seed, in place of their mean.
    """

    name: str
    of: Callable[[EpisodeRow], float | None]
    better: Better = Better.NEITHER
    percent: bool = False
    digits: int = 2
    total: bool = False

    def over(self, rows: Iterable[EpisodeRow]) -> Number | None:
        """Mean over seeds of each seed's mean over its tasks, and the deviation over seeds."""
        seeds: dict[int, list[float]] = {}
        for row in rows:
            value = self.of(row)
            if value is not None:
                seeds.setdefault(row.cell.seed, []).append(value * (100 if self.percent else 1))
        if not seeds:
            return None
        means = [sum(values) if self.total else fmean(values) for values in seeds.values()]
        return Number(fmean(means), stdev(means) if len(means) > 1 else None, digits=self.digits)


def best_rate(row: EpisodeRow) -> float:
    """Share of the goal that held at the best moment, 0..1."""
    return max(row.best_met / row.total if row.total else 0.0, row.subgoal_rate)


def executed(row: EpisodeRow) -> bool:
    """Whether every skill succeeded, and there was one, if any was needed (EXEC)."""
    return row.executable and (row.steps > 0 or row.success)


def tokens_of(row: EpisodeRow) -> int:
    """All that the model was presented with or wrote."""
    return row.prompt_tokens + row.completion_tokens


def _per_decision(name: str) -> Callable[[EpisodeRow], float | None]:
    def share(row: EpisodeRow) -> float | None:
        return getattr(row, name) / row.asked if row.asked > 0 else None

    return share


GSR = Measure('GSR', lambda row: float(row.success), Better.MORE, percent=True)
SSR = Measure('SSR', lambda row: row.subgoal_rate, Better.MORE, percent=True)
EXECUTABLE = Measure('EXEC', lambda row: float(executed(row)), Better.MORE, percent=True)
FALSE = Measure('false', lambda row: float(row.false_success), Better.LESS, percent=True)
DECISIONS = Measure('decisions', lambda row: row.decisions, digits=1)
STEPS = Measure('skills', lambda row: row.steps, digits=1)
MAKESPAN = Measure('makespan', lambda row: row.makespan, Better.LESS, digits=1)
IDLE = Measure('idle', lambda row: row.idle, percent=True, digits=1)
CORRECTIONS = Measure('NO.EC', lambda row: row.corrections, Better.LESS)
COST = Measure('$COST', lambda row: row.cost, Better.LESS, total=True)
SECONDS = Measure('time (s)', lambda row: row.seconds, digits=1)
REQUESTS = Measure('requests', lambda row: row.requests, digits=1)
SCORE = Measure('score', lambda row: row.score, Better.MORE, percent=True)
DEPTH = Measure('depth', lambda row: row.depth, digits=1)
INPUT = Measure(
    'avg. input',
    lambda row: row.prompt_tokens / row.requests if row.requests > 0 else None,
    digits=0,
)
OUTPUT = Measure('avg. output', _per_decision('completion_tokens'), digits=1)
#: Columns of the general table.
ALL = (
    GSR,
    SSR,
    Measure('best SSR', best_rate, Better.MORE, percent=True),
    SCORE,
    EXECUTABLE,
    FALSE,
    DECISIONS,
    Measure('asked', lambda row: row.asked, digits=1),
    STEPS,
    MAKESPAN,
    IDLE,
    Measure('expert', lambda row: row.expert_steps, digits=1),
    CORRECTIONS,
    Measure('repairs', lambda row: row.repairs, digits=1),
    Measure('questions', lambda row: row.questions, digits=1),
    Measure('tokens/decision', _per_decision('prompt_tokens'), digits=0),
    REQUESTS,
    Measure('prompt tokens', lambda row: row.prompt_tokens, digits=0),
    Measure('evaluated', lambda row: row.evaluated_tokens, digits=0),
    Measure('written', lambda row: row.completion_tokens, digits=0),
    Measure('cost', lambda row: row.cost, digits=4),
    SECONDS,
    Measure('nodes', lambda row: row.nodes, digits=1),
    DEPTH,
)


def grouped(
    rows: Iterable[EpisodeRow], key: Callable[[EpisodeRow], GroupKey]
) -> dict[GroupKey, list[EpisodeRow]]:
    """Rows by a key, in the order in which keys first come."""
    found: dict[GroupKey, list[EpisodeRow]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def axis_value(row: EpisodeRow, axis: str) -> str:
    """A field of the row's cell, as a text."""
    value = getattr(row.cell, axis)
    return str(value) if value or axis != 'store_size' else 'all'


def varying(rows: Sequence[EpisodeRow]) -> tuple[str, ...]:
    """Axes of which the rows have several values."""
    return tuple(axis for axis in AXES if len({getattr(row.cell, axis) for row in rows}) > 1)


def by_store(
    rows: Sequence[EpisodeRow],
) -> dict[tuple[str, int], list[EpisodeRow]]:
    """Rows by the store that they read, each with those that read none: a memory's bare side."""
    stores = dict.fromkeys(_store_of(row) for row in rows if row.cell.store)
    return {
        store: [row for row in rows if not row.cell.store or _store_of(row) == store]
        for store in stores or (('', 0),)
    }


def _store_of(row: EpisodeRow) -> tuple[str, int]:
    return row.cell.store, row.cell.store_size


def task_key(row: EpisodeRow) -> tuple[str, str, str, str, int]:
    """What distinguishes a task from every other of a study."""
    cell = row.cell
    return cell.world, cell.tasks, cell.task, cell.scene, cell.world_seed


def unevenness(rows: Sequence[EpisodeRow]) -> str:
    """A sentence where groups have not met the same tasks with the same seeds; '' else."""
    met: dict[tuple[str, ...], set[object]] = {}
    for row in rows:
        cell = row.cell
        group = (cell.world, cell.tasks, *(axis_value(row, axis) for axis in AXES[2:]))
        met.setdefault(group, set()).add((task_key(row), cell.seed))
    by_tasks: dict[tuple[str, ...], list[set[object]]] = {}
    for group, tasks in met.items():
        by_tasks.setdefault(group[:2], []).append(tasks)
    if all(one == sets[0] for sets in by_tasks.values() for one in sets):
        return ''
    return (
        'Not every group has met the same tasks and seeds yet: compare means with care; the '
        'comparisons below are on common tasks.'
    )


@lru_cache(maxsize=256)
def settings_of(preset: str, planner: str) -> PlannerSettings | None:
    """The settings of a row; None of a preset that this version does not know."""
    try:
        return settings_of_preset(preset, planner)
    except ValueError:
        return None


def planner_name(row: EpisodeRow) -> str:
    """As the papers write it, with its number of sampled plans or deepest level."""
    planner = row.cell.planner
    name = _NAMES.get(planner, planner)
    settings = settings_of(row.cell.preset, planner)
    if settings is None:
        return name
    if planner in ('tree_planner', 'best_first'):
        return f'{name} N={settings.plans.samples}'
    return f'{name} d_max={settings.trials}' if planner == 'adapt' else name


def model_name(row: EpisodeRow) -> str:
    """The model of a row."""
    return row.cell.model or 'no model'


class MethodNames:
    """Names of methods as short as the rows allow: what all have in common is not said."""

    def __init__(self, rows: Sequence[EpisodeRow]) -> None:
        cells = [row.cell for row in rows]
        self._bases = {cell.preset.partition(',')[0] for cell in cells}
        self._memories = {cell.memory for cell in cells}
        self._models = {cell.model for cell in cells}
        self._stores = {_store_of(row) for row in rows if row.cell.store}

    def _preset(self, row: EpisodeRow) -> str:
        base, _, overrides = row.cell.preset.partition(',')
        changes = _IN_NAMES.get(row.cell.planner)
        parts = [one for one in overrides.split(',') if one.partition('=')[0] != changes]
        return ','.join([*([base] if len(self._bases) > 1 else []), *filter(None, parts)])

    def bare(self, row: EpisodeRow) -> str:
        """Without memory and model."""
        preset = self._preset(row)
        return f'{planner_name(row)}{f" ({preset})" if preset else ""}'

    def with_memory(self, row: EpisodeRow, preset: bool = True) -> str:
        """With the memory as in ReAcTree's tables: +WM has a working memory, too.

        :param preset: whether it is given.
        """
        changes = self._preset(row) if preset else ''
        memory = _MEMORIES.get(row.cell.memory, f' {row.cell.memory}')
        return f'{planner_name(row)}{memory}{f" ({changes})" if changes else ""}{self.store(row)}'

    def store(self, row: EpisodeRow) -> str:
        """The store that it reads, where there are several."""
        if len(self._stores) < 2 or not row.cell.store:
            return ''
        return f' {row.cell.store}[{axis_value(row, "store_size")}]'

    def without_model(self, row: EpisodeRow, stored: bool = True) -> str:
        """With the memory where there are several. :param stored: whether its store is given."""
        name = self.with_memory(row) if len(self._memories) > 1 else self.bare(row)
        store = self.store(row)
        if len(self._memories) > 1:
            return name if stored else name.removesuffix(store)
        return name + store if stored else name

    def whole(self, row: EpisodeRow, stored: bool = True) -> str:
        """With the model too, where there are several."""
        model = f' {model_name(row)}' if len(self._models) > 1 else ''
        return self.without_model(row, stored) + model
