"""Run seeded tasks and print a table; an interrupted run goes on where it stopped.

python -m reactree_tools.evaluation --tasks 10 --variant full --output results.jsonl
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from reactree_core.observation import Observation
from reactree_planner.llm.loading import load_model
from reactree_planner.llm.loading import ModelOptions
from reactree_planner.tree.events import Event
from reactree_planner.tree.limits import Limits
from reactree_tools.evaluation.episodes import EpisodeResult
from reactree_tools.evaluation.episodes import run_episode
from reactree_tools.evaluation.episodes import seeded_tasks
from reactree_tools.evaluation.episodes import ShippedMemory


def read_results(path: Path) -> list[EpisodeResult]:
    """Results so far; a torn last line is left out."""
    results = []
    for line in path.read_text(encoding='utf-8').splitlines() if path.exists() else ():
        try:
            results.append(EpisodeResult(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return results


def table(results: list[EpisodeResult]) -> str:
    """Markdown table by task, and the means."""
    rows = [
        '| variant | model | task | goal met | conditions | ended | decisions | s | s/decision |',
        '|---|---|---|---|---|---|---|---|---|',
    ]
    for result in results:
        pace = result.seconds / max(1, result.decisions)
        rows.append(
            f'| {result.variant} | {result.model} | {result.task} | '
            f'{"yes" if result.success else "no"} | {result.met} of {result.total} | '
            f'{result.ended} | {result.decisions} | {result.seconds:.0f} | {pace:.2f} |'
        )
    for variant, model in sorted({(result.variant, result.model) for result in results}):
        group = [
            result for result in results if (result.variant, result.model) == (variant, model)
        ]
        decisions = sum(result.decisions for result in group)
        rows.append(
            f'| {variant} | {model} | all {len(group)} | '
            f'{sum(result.success for result in group)} of {len(group)} | '
            f'SSR {sum(result.subgoal_rate for result in group) / len(group):.2f} | | '
            f'{decisions} | {sum(result.seconds for result in group):.0f} | '
            f'{sum(result.seconds for result in group) / max(1, decisions):.2f} |'
        )
    return '\n'.join(rows)


def show(event: Event) -> None:
    """An event as a line, for --verbose."""
    if isinstance(event, Observation):
        print(f'    [{event.node_id}] {event.text}', flush=True)
        return
    what = event.skill or event.text
    if event.subgoals:
        what = f'{event.control_flow.name.lower()}: {"; ".join(event.subgoals)}'
    print(
        f'[{event.node_id}] {event.kind.name} {what}  ({event.usage.latency:.1f} s, '
        f'{event.usage.evaluated_tokens} evaluated) {event.text if event.skill else ""}',
        flush=True,
    )


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--tasks', type=int, default=10)
    parser.add_argument('--first-seed', type=int, default=1)
    parser.add_argument('--variant', default='full')
    parser.add_argument('--model', default='qwen2.5-coder-1.5b')
    parser.add_argument('--threads', type=int, default=0)
    parser.add_argument('--max-decisions', type=int, default=200)
    parser.add_argument('--output', type=Path, default=Path('household_results.jsonl'))
    parser.add_argument('--verbose', action='store_true')
    arguments = parser.parse_args()
    results = read_results(arguments.output)
    done = {(result.variant, result.model, result.task) for result in results}
    model = load_model(arguments.model, ModelOptions(threads=arguments.threads))
    memory = ShippedMemory()
    for scene, task, seed in seeded_tasks(arguments.tasks, arguments.first_seed):
        if (arguments.variant, model.name, task) in done:
            continue
        result = run_episode(
            scene,
            task,
            seed,
            arguments.variant,
            model,
            memory,
            Limits(arguments.max_decisions, arguments.max_decisions),
            show if arguments.verbose else lambda event: None,
        )
        results.append(result)
        with arguments.output.open('a', encoding='utf-8') as file:
            file.write(json.dumps(asdict(result)) + '\n')
        print(
            f'{task}: {result.met} of {result.total}, {result.ended}, {result.decisions} '
            f'decisions, {result.seconds:.0f} s',
            flush=True,
        )
    print(table(results))
    model.close()


if __name__ == '__main__':
    main()
