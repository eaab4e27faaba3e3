"""One row an episode: what a study keeps of it, and the file of rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from reactree_core.observation import Progress

#: In a study's folder: its rows, what was asked for, journals, and a lock while it runs.
ROWS = 'episodes.jsonl'
STUDY = 'study.yaml'
RUNS = 'runs'
LOCK = '.lock'
#: Columns that hold several texts.
_SEVERAL = ('notices', 'verified', 'missing', 'unknown', 'assumed')


@dataclass(frozen=True, slots=True)
class Cell:
    """One episode that a study asks for; no two of a study are the same.

    :param tasks: name of the task source with its slice, e.g. 'wah:tasks.json[0:20]'.
    :param task: id of the task within its world, e.g. 'setup_table:7'.
    :param scene: where it is set. :param world_seed: with which the world is reset.
    :param planner: its name. :param preset: with its overrides, e.g. 'default,repairs=0'.
    :param model: name, file or address of the model, with its options after commas.
    :param memory: 'none', 'working', 'episodic' or 'both' (ReAcTree section 5).
    :param store: file of the episodic memory; '' for the shipped examples.
    :param store_size: most runs taken from the store, oldest first; 0 for all.
    :param seed: of everything random in the planner.
    """

    world: str
    tasks: str
    task: str
    scene: str
    world_seed: int
    planner: str = 'reactree'
    preset: str = 'default'
    model: str = ''
    memory: str = 'both'
    store: str = ''
    store_size: int = 0
    seed: int = 0

    @property
    def task_name(self) -> str:
        """The task for people, without the folders of its file."""
        if self.task.startswith('wah:'):
            return f'wah {self.world_seed}'
        if self.task.startswith(('eb_alfred:', 'smart_llm:')):
            return self.task.rpartition('#')[2]
        return self.task.rpartition('/')[2] if self.task.startswith('/') else self.task


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """What an episode came to. Costs and counts are of the whole run, all trials included.

    :param family: of the task, e.g. 'setup_table'. :param run: name of its journal in the study.
    :param success: whether the world's goal holds at the end (GSR, SR).
    :param met: goal conditions that hold at the end, of `total` (SSR, GCR).
    :param best_met: the most that held at one moment.
    :param score: 0..1, what the world gave; None where it gives none.
    :param ended: 'success' or 'failure' of the tree, or the error that ended it, 'step_limit'.
    :param verified: conditions that the run's facts show to hold; `assumed`, `missing` and
        `unknown` as in `Ending`.
    :param reason: why the goal was not met, in a sentence; '' when it was.
    :param decisions: of agents. :param unasked: those that followed from facts alone.
    :param steps: skills. :param failed_steps: skills that did not succeed, and written steps that
        fit no skill.
    :param corrections: times that a failed step was answered by another plan or step (NO.EC).
    :param robots: that did it. :param makespan: time until the last skill of a team ended, where
        every skill takes 1; None for one robot, whose skills come one after the other.
    :param idle: share of the robots' time in which they did nothing, 0..1; None for one robot.
    :param repairs: times that a node went on after its subgoals had failed.
    :param questions: that were asked, answered or not. :param expert_steps: None: no expert.
    :param nodes: of the tree. :param depth: of its deepest node, from 1.
    :param most_tokens: of the longest prompt of a decision.
    :param seconds: of the episode. :param model_seconds: of them, waiting for the model.
    :param cost: in money, by the study's price table; None without one.
    :param failure: kind of failure, e.g. 'search'; '' for none, or not distinguished.
    """

    cell: Cell
    instruction: str
    family: str
    success: bool
    met: int
    total: int
    ended: str
    run: str = ''
    best_met: int = 0
    score: float | None = None
    verified: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    reason: str = ''
    notices: tuple[str, ...] = ()
    decisions: int = 0
    unasked: int = 0
    steps: int = 0
    failed_steps: int = 0
    corrections: int = 0
    robots: int = 1
    makespan: float | None = None
    idle: float | None = None
    repairs: int = 0
    questions: int = 0
    expert_steps: int | None = None
    nodes: int = 0
    depth: int = 0
    requests: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    evaluated_tokens: int = 0
    completion_tokens: int = 0
    most_tokens: int = 0
    seconds: float = 0.0
    model_seconds: float = 0.0
    cost: float | None = None
    failure: str = ''

    @property
    def false_success(self) -> bool:
        """Whether the planner says that the task is done, and the world does not agree."""
        return self.ended == 'success' and not self.success

    @property
    def asked(self) -> int:
        """Decisions of the model."""
        return self.decisions - self.unasked

    @property
    def executable(self) -> bool:
        """Whether every skill succeeded (EXEC)."""
        return self.failed_steps == 0

    @property
    def judged(self) -> str:
        """How much of the goal held, for people; '' where the world does not judge."""
        progress = Progress(self.met, self.total, (), self.score)
        return '' if not self.total and self.score is None else str(progress)

    @property
    def subgoal_rate(self) -> float:
        """SSR of the task, 0..1: conditions met at the end, or the score where there are none."""
        if not self.judged:
            return float(self.success)
        return Progress(self.met, self.total, (), self.score).ratio


def flat(row: EpisodeRow) -> dict[str, object]:
    """A row as one level of columns, the cell's first."""
    values = asdict(row)
    return {**values.pop('cell'), **values}


def unflat(values: dict[str, object]) -> EpisodeRow:
    """A row of its columns; columns that this version does not know are left out.

    :raises TypeError: a column is missing.
    """
    names = {one.name for one in fields(Cell)}
    own = {one.name for one in fields(EpisodeRow)}
    cell = Cell(**{name: value for name, value in values.items() if name in names})  # type: ignore[arg-type]
    rest = {
        name: tuple(value) if name in _SEVERAL else value  # type: ignore[arg-type]
        for name, value in values.items()
        if name in own
    }
    return EpisodeRow(cell=cell, **rest)  # type: ignore[arg-type]


def row_of(line: str | bytes) -> EpisodeRow | None:
    """The row of a line; None for one that is torn, or something else."""
    try:
        return unflat(json.loads(line))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def read_rows(path: Path) -> list[EpisodeRow]:
    """Rows of a JSONL file, in order; a torn line is left out, of a cell told twice the first."""
    rows: dict[Cell, EpisodeRow] = {}
    # By its bytes: what Unicode calls the end of a line may stand in a text.
    for line in path.read_bytes().split(b'\n') if path.exists() else ():
        row = row_of(line)
        if row is not None:
            rows.setdefault(row.cell, row)
    return list(rows.values())


def append_row(path: Path, row: EpisodeRow) -> None:
    """Add a line, in a line of its own even when the one before is torn.

    :raises OSError: it could not be written, e.g. a full disk.
    """
    torn = False
    if path.exists() and path.stat().st_size:
        with path.open('rb') as file:
            file.seek(-1, 2)
            torn = file.read(1) != b'\n'
    with path.open('a', encoding='utf-8') as file:
        file.write(('\n' if torn else '') + json.dumps(flat(row), ensure_ascii=False) + '\n')


def write_parquet(path: Path, rows: Sequence[EpisodeRow]) -> None:
    """The same rows for pandas, DuckDB or R (needs pyarrow).

    :raises ModuleNotFoundError: pyarrow is not installed.
    """
    import pyarrow
    import pyarrow.parquet

    columns = [flat(row) for row in rows]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(columns), path)
