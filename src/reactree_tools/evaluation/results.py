"""The results file of an evaluation, and the table made of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from reactree_tools.evaluation.episodes import EpisodeResult

Group = tuple[str, str, str]


def read_results(path: Path) -> list[EpisodeResult]:
    """Results so far; a torn last line is left out."""
    results = []
    for line in path.read_text(encoding='utf-8').splitlines() if path.exists() else ():
        try:
            results.append(EpisodeResult(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return results


def append_result(path: Path, result: EpisodeResult) -> None:
    """Add a line, in a line of its own even when the one before is torn."""
    before = path.read_bytes() if path.exists() else b''
    torn = before and not before.endswith(b'\n')
    with path.open('a', encoding='utf-8') as file:
        file.write(('\n' if torn else '') + json.dumps(asdict(result)) + '\n')


def group_of(result: EpisodeResult) -> Group:
    """What results are averaged over: variant, memory, model."""
    return result.variant, result.memory, result.model


def table(results: Sequence[EpisodeResult]) -> str:
    """Markdown table by task, and the means."""
    rows = [
        '| variant | memory | model | task | goal met | conditions | ended | decisions | s '
        '| s/decision |',
        '|---|---|---|---|---|---|---|---|---|---|',
    ]
    for result in results:
        pace = result.seconds / max(1, result.decisions)
        rows.append(
            f'| {" | ".join(group_of(result))} | {result.task} | '
            f'{"yes" if result.success else "no"} | {result.met} of {result.total} | '
            f'{result.ended} | {result.decisions} | {result.seconds:.0f} | {pace:.2f} |'
        )
    for key in sorted({group_of(result) for result in results}):
        group = [result for result in results if group_of(result) == key]
        decisions = sum(result.decisions for result in group)
        rows.append(
            f'| {" | ".join(key)} | all {len(group)} | '
            f'{sum(result.success for result in group)} of {len(group)} | '
            f'SSR {sum(result.subgoal_rate for result in group) / len(group):.2f} | | '
            f'{decisions} | {sum(result.seconds for result in group):.0f} | '
            f'{sum(result.seconds for result in group) / max(1, decisions):.2f} |'
        )
    return '\n'.join(rows)
