"""The results file of an evaluation, and the table made of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from reactree_tools.evaluation.episodes import EpisodeResult

Group = tuple[str, str, str, str, str]

_GROUP = ('world', 'planner', 'preset', 'memory', 'model')
_MEANS = ('decisions', 'asked', 'steps', 'requests', 'prompt_tokens', 'evaluated_tokens')


def read_results(path: Path) -> list[EpisodeResult]:
    """Results so far; a torn last line is left out."""
    results = []
    for line in path.read_text(encoding='utf-8').splitlines() if path.exists() else ():
        try:
            record = json.loads(line)
            for name in ('notices', 'verified', 'missing', 'unknown'):
                record[name] = tuple(record.get(name, ()))
            results.append(EpisodeResult(**record))
        except (ValueError, TypeError, AttributeError):
            continue
    return results


def append_result(path: Path, result: EpisodeResult) -> None:
    """Add a line, in a line of its own even when the one before is torn."""
    before = path.read_bytes() if path.exists() else b''
    torn = before and not before.endswith(b'\n')
    with path.open('a', encoding='utf-8') as file:
        file.write(('\n' if torn else '') + json.dumps(asdict(result)) + '\n')


def group_of(result: EpisodeResult) -> Group:
    """What results are averaged over: world, planner, preset, memory, model."""
    return result.world, result.planner, result.preset, result.memory, result.model


def table(results: Sequence[EpisodeResult]) -> str:
    """Markdown: the means of each group, every task, and why goals were not met."""
    groups: dict[Group, list[EpisodeResult]] = {}
    for result in results:
        groups.setdefault(group_of(result), []).append(result)
    parts = [_means(groups), _tasks(results)]
    failures = [_failure(result) for result in results if not result.success]
    if failures:
        parts.append('Goals that were not met:\n\n' + '\n'.join(failures))
    return '\n\n'.join(parts)


def _row(cells: Sequence[object]) -> str:
    return f'| {" | ".join(map(str, cells))} |'


def _head(*names: str) -> list[str]:
    return [_row(names), '|' + '---|' * len(names)]


def _means(groups: dict[Group, list[EpisodeResult]]) -> str:
    """A row a group; what follows the count of false successes is the mean of a task."""
    names = ('requests', 'prompt tokens', 'evaluated', 'generated', 's', 's/decision')
    scores = any(result.score is not None for group in groups.values() for result in group)
    rows = _head(
        *(*_GROUP, 'seeds', 'GSR', 'SSR', 'false', *(['score'] if scores else [])),
        *('decisions', 'asked', 'steps', *names, 'tokens/decision', 'steps of the expert'),
    )
    for key, group in sorted(groups.items()):
        count = len(group)
        seconds = sum(result.seconds for result in group)
        decisions = sum(result.decisions for result in group)
        means = [sum(getattr(result, name) for result in group) / count for name in _MEANS]
        generated = sum(result.completion_tokens for result in group) / count
        rows.append(
            _row(
                (
                    *key,
                    _seeds(group),
                    f'{sum(result.success for result in group)} of {count}',
                    f'{sum(result.subgoal_rate for result in group) / count:.2f}',
                    sum(result.false_success for result in group),
                    *([_mean_score(group)] if scores else []),
                    *(f'{mean:.0f}' for mean in (*means, generated, seconds / count)),
                    f'{seconds / max(1, decisions):.2f}',
                    f'{sum(result.prompt_tokens for result in group) / max(1, decisions):.0f}',
                    _expert_steps(group),
                )
            )
        )
    return '\n'.join(rows)


def _mean_score(group: Sequence[EpisodeResult]) -> str:
    given = [result.score for result in group if result.score is not None]
    return f'{sum(given) / len(given):.2f}' if given else ''


def _expert_steps(group: Sequence[EpisodeResult]) -> str:
    """Mean of the tasks that an expert can do."""
    told = [result.expert_steps for result in group if result.expert_steps is not None]
    return f'{sum(told) / len(told):.0f}' if told else ''


def _seeds(group: Sequence[EpisodeResult]) -> str:
    """The tasks' seeds, as '1401-1410' where none is left out."""
    seeds = sorted({int(result.task.rpartition(':')[2]) for result in group})
    whole = len(seeds) > 1 and seeds[-1] - seeds[0] == len(seeds) - 1
    return f'{seeds[0]}-{seeds[-1]}' if whole else ', '.join(map(str, seeds))


def _tasks(results: Sequence[EpisodeResult]) -> str:
    rows = _head(
        *_GROUP,
        'task',
        'goal met',
        'judged',
        'ended',
        'decisions',
        'asked',
        'steps',
        'expert',
        's',
    )
    for result in results:
        rows.append(
            _row(
                (
                    *group_of(result),
                    result.task,
                    'yes' if result.success else 'no',
                    result.judged,
                    result.ended,
                    result.decisions,
                    result.asked,
                    result.steps,
                    '' if result.expert_steps is None else result.expert_steps,
                    f'{result.seconds:.0f}',
                )
            )
        )
    return '\n'.join(rows)


def _failure(result: EpisodeResult) -> str:
    notices = ''.join(f' {notice}' for notice in result.notices)
    return f'* {result.planner}, {result.task}: {result.reason or result.ended}{notices}'
