"""The last words of a run: what became of it, the goal conditions, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from reactree_core.observation import Progress
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count
from reactree_tools.plain_text import seconds
from reactree_tools.plain_text import visible
from reactree_tools.run_summary import RunSummary
from reactree_tools.views.rails import Rails

_NAME_COLUMNS = 7


def verdict(summary: RunSummary, glyphs: Glyphs) -> Text:
    """One line: solved, failed, or what the planner believes when nobody can judge."""
    if summary.error == 'CANCELED':
        return _line(glyphs.canceled, 'yellow', 'Canceled')
    if summary.error.endswith('_LIMIT') and not summary.goal_met:
        limit = summary.error.removesuffix('_LIMIT').lower()
        return _line(glyphs.canceled, 'yellow', f'Stopped by the {limit} limit')
    if summary.goal_known and summary.goal_met:
        met = 'every goal condition is met' if summary.conditions_total else 'the score is full'
        if summary.success:
            return _line(glyphs.success, 'green', f'Solved: {met}')
        return _line(
            glyphs.success, 'green', f'{met[0].upper()}{met[1:]}, but the tree ended in failure'
        )
    if summary.goal_known and summary.success:
        return _line(
            glyphs.failure, 'red', 'Not solved: the planner says done, the world does not agree'
        )
    if summary.success:
        return _line(glyphs.success, 'green', 'Done, says the planner (nobody judges this task)')
    return _line(glyphs.failure, 'red', 'Failed')


def _line(glyph: str, style: str, words: str) -> Text:
    return Text(f'{glyph} {words}.', style=f'bold {style}')


def _rows(summary: RunSummary, glyphs: Glyphs) -> Iterator[tuple[str, Text]]:
    usage = summary.usage
    separator = f' {glyphs.separator} '
    if summary.message:
        reason = Text(visible(summary.message))
        reason.append(f' ({summary.error})', style='dim')
        yield 'reason', reason
    if summary.goal_known:
        goal = str(Progress(summary.conditions_met, summary.conditions_total, (), summary.score))
        yield 'goal', Text(goal, style='green' if summary.goal_met else 'red')
        for condition in summary.conditions:
            yield '', Text(visible(condition))
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
    if usage.model:
        yield 'model', Text(visible(usage.model))
    yield 'run', Text(summary.run_id)
    for notice in summary.notices:
        yield 'notice', Text(f'{glyphs.warning} {visible(notice)}', style='yellow')


def summary_lines(summary: RunSummary, glyphs: Glyphs, width: int) -> Iterator[Text]:
    """The figures, a name and a value on each line."""
    rails = Rails(glyphs, width)
    for name, value in _rows(summary, glyphs):
        sign = Text(name.ljust(_NAME_COLUMNS), style='dim')
        yield from rails.lines(0, sign, value, hanging=_NAME_COLUMNS + 1)
