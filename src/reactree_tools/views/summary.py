"""The last words of a run: what became of it, the goal conditions, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from rich.text import Text

from reactree_core.belief import remedy, Status
from reactree_core.observation import Progress
from reactree_core.record.outcome import Ending, stop_words, WHY
from reactree_core.record.snapshot import TreeSnapshot
from reactree_core.usage import LlmUsage
from reactree_tools.exit_codes import ExitCode
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count, seconds, visible
from reactree_tools.views.agent_tree import Rails
from reactree_tools.views.goal_view import living_lines, milestone_line, milestones

_NAME_COLUMNS = 7


def verdict(summary: RunSummary, glyphs: Glyphs) -> Text:
    """One line: solved, failed, or what the planner believes when nobody can judge."""
    if summary.error == 'CANCELED':
        return _line(glyphs.canceled, 'yellow', stop_words(summary.message) or 'Canceled')
    if summary.error == 'INVALID_TASK':
        return _line(glyphs.canceled, 'yellow', 'Nothing was done')
    if summary.error.endswith('_LIMIT') and not summary.goal_met:
        limit = summary.error.removesuffix('_LIMIT').lower()
        return _line(glyphs.canceled, 'yellow', f'Stopped by the {limit} limit')
    if summary.success and summary.message:
        return _line(glyphs.success, 'green', f'Answered: {visible(summary.message)}'.rstrip('.'))
    if summary.goal_known and summary.goal_met:
        met = 'every goal condition is met' if summary.conditions_total else 'the score is full'
        if summary.success:
            return _line(glyphs.success, 'green', f'Solved: {met}')
        return _line(
            glyphs.success, 'green', f'{met[0].upper()}{met[1:]}, but the tree ended in failure'
        )
    if summary.goal_known and summary.success:
        return _line(
            glyphs.failure, 'red', 'Not solved: the planner said done, but the goal is not met'
        )
    ending = summary.ending
    if summary.success and summary.missing:
        said = f'Not solved: the planner said done ({ending.told})'
        return _line(glyphs.failure, 'red', said)
    if summary.success and ending.is_verified:
        return _line(glyphs.success, 'green', 'Done: all goal conditions are verified')
    if summary.success:
        return _line(glyphs.success, 'green', f'Done, as the planner says ({ending.told})')
    return _line(glyphs.failure, 'red', 'Failed')


def _line(glyph: str, style: str, words: str) -> Text:
    return Text(f'{glyph} {words}.', style=f'bold {style}')


def _rows(summary: RunSummary, glyphs: Glyphs) -> Iterator[tuple[str, Text]]:
    usage = summary.usage
    separator = f' {glyphs.separator} '
    if summary.message and not summary.success:
        reason = Text(visible(summary.message))
        reason.append(f' ({summary.error})', style='dim')
        yield 'reason', reason
    if summary.goal_known:
        goal = str(Progress(summary.conditions_met, summary.conditions_total, (), summary.score))
        yield 'goal', Text(goal, style='green' if summary.goal_met else 'red')
        for condition in summary.conditions:
            yield '', Text(visible(condition))
    steps = milestones(summary.tree)
    followed = summary.tree.goal.acts and len(steps) > 1
    for number, milestone in enumerate(steps if followed else ()):
        yield '' if number else 'steps', milestone_line(milestone, glyphs)
    for name, known, style in (
        ('holds', summary.verified, 'green'),
        ('assumed', summary.assumed, 'yellow'),
        ('missing', summary.missing, 'red'),
        ('unknown', summary.unknown, 'yellow'),
        ('unread', summary.unread, 'yellow'),
    ):
        if known:
            yield name, Text(visible('; '.join(known)), style=style)
    for change in _remedies(summary):
        yield 'to do', Text(f'to have it verified: {visible(change)}')
    for line in living_lines(summary.tree):
        head, _, rest = line.partition(': ')
        yield (head, Text(rest)) if rest else ('times', Text(line))
    work = [count(summary.decisions, 'decision'), count(summary.steps, 'step')]
    agents = sum(1 for node in summary.tree.nodes if node.goal)
    if agents:
        work.append(count(agents, 'agent'))
    yield 'work', Text(separator.join(work))
    time = [seconds(summary.duration)]
    if usage.latency >= 0.05:
        time.append(f'{seconds(usage.latency)} in the model')
    if summary.decisions:
        time.append(f'{seconds(summary.duration / summary.decisions)} a decision')
    yield 'time', Text(separator.join(time))
    if usage.requests:
        tokens = [
            f'{usage.evaluated_tokens:,} evaluated',
            f'{usage.cached_tokens:,} cached',
            f'{usage.completion_tokens:,} written',
        ]
        yield 'tokens', Text(separator.join(tokens))
    if usage.cost:
        yield 'cost', Text(f'{usage.cost:.4g}')
    if usage.model:
        yield 'model', Text(visible(usage.model))
    elif not usage.requests:
        yield 'model', Text('not asked')
    yield 'run', Text(summary.run_id)
    for notice in summary.notices:
        yield 'notice', Text(f'{glyphs.warning} {visible(notice)}', style='yellow')


def _remedies(summary: RunSummary) -> Iterator[str]:
    """Changes that would have verified what is assumed, each once."""
    reasons = (one.partition(WHY)[2] for one in summary.assumed) if summary.success else ()
    yield from filter(None, dict.fromkeys(map(remedy, reasons)))


def summary_lines(summary: RunSummary, glyphs: Glyphs, width: int) -> Iterator[Text]:
    """The figures, a name and a value on each line."""
    rails = Rails(glyphs, width)
    for name, value in _rows(summary, glyphs):
        sign = Text(name.ljust(_NAME_COLUMNS), style='dim')
        yield from rails.lines(0, sign, value, hanging=_NAME_COLUMNS + 1)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The result of PlanTask; the fields are those of PlanTask.action.

    :param error: name of the error code, e.g. 'TASK_FAILED'; 'NONE' without one.
    :param message: one sentence that says what to do; '' without an error.
    :param conditions: a line for each goal condition, when the bridge can report.
    :param duration: seconds.
    :param score: 0..1, what the world gave; None where it gives none.
    :param claimed: whether the planner said that the task is done.
    :param verified: conditions of the task, as in `Ending`; `missing`, `unknown`, `unread` and
        `assumed` alike.
    """

    run_id: str
    error: str
    error_code: int
    message: str
    success: bool
    goal_known: bool
    goal_met: bool
    conditions_met: int
    conditions_total: int
    decisions: int
    steps: int
    duration: float
    usage: LlmUsage
    tree: TreeSnapshot
    notices: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    score: float | None = None
    claimed: bool = False
    verified: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()

    @property
    def ending(self) -> Ending:
        """Status of the conditions of the task."""
        return Ending(self.verified, self.missing, self.unknown, self.unread, self.assumed)

    @property
    def status(self) -> Status:
        """Status of the task: as the world judges it, or by its conditions where none does.

        The answer to a question is verified by being given.
        """
        if self.goal_known:
            return Status.VERIFIED if self.goal_met else Status.NOT_MET
        if self.success and self.message:
            return Status.VERIFIED
        return self.ending.status

    @property
    def exit_code(self) -> ExitCode:
        """That of the task's status where the tree succeeded.

        Where nothing of the task was read as a condition, there is nothing to judge: the planner's
        word counts.
        """
        if self.error in ('INVALID_TASK', 'UNKNOWN_PLANNER', 'BRIDGE_UNAVAILABLE'):
            return ExitCode.UNUSABLE
        if self.success and self.status is Status.NOT_KNOWN and not self.ending.is_judged:
            return ExitCode.OK
        return _EXIT_CODES[self.status] if self.success else ExitCode.FAILED

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {'event': 'result', 'status': self.status.value, **asdict(self)}


_EXIT_CODES = {
    Status.VERIFIED: ExitCode.OK,
    Status.ASSUMED: ExitCode.ASSUMED,
    Status.NOT_KNOWN: ExitCode.NOT_KNOWN,
    Status.NOT_MET: ExitCode.FAILED,
}
