"""Published WAH-NL training tasks in Watch-And-Help's apartments, solved by a planner.

Run: python -m benchmarks.wah_nl_tasks TASKS.json --graphs FOLDER --tasks 11,35,41
    [--preset V ...] [--planner NAME ...] [--output FILE]

TASKS.json is `wah_examples_for_prompt_default.json` of LoTa-Bench or ReAcTree; FOLDER holds the
apartments `graph_env_setup_<n>.json`. Task number i, in its first wording, is set in apartment
i modulo their number, with seed i; what its gold plan needs and the apartment has not is added.
Results are written as they come, and a file that was begun goes on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from reactree_planner.llm.registry import load_model
from reactree_planner.llm.registry import ModelOptions
from reactree_planner.tree.run_settings import Limits
from reactree_tools.episode import shipped_memory
from reactree_tools.evaluation.episodes import EpisodeResult
from reactree_tools.evaluation.episodes import run_episode
from reactree_tools.evaluation.results import append_result
from reactree_tools.evaluation.results import read_results

_DECISIONS = 200


def apartments(folder: Path) -> list[Path]:
    """The apartments of a folder, by number."""
    found = {
        int(path.stem.rpartition('_')[2]): path for path in folder.glob('graph_env_setup_*.json')
    }
    if not found:
        sys.exit(f'{folder} has no apartments (graph_env_setup_<n>.json).')
    return [found[number] for number in sorted(found)]


def means(results: Sequence[EpisodeResult]) -> str:
    """A line for each planner and preset."""
    lines = [
        '| planner | preset | solved | conditions met | false successes | decisions '
        '| of the model | skills | of the expert | prompt tokens | repairs | s |',
        '|' + '---|' * 12,
    ]
    for planner, preset in dict.fromkeys((one.planner, one.preset) for one in results):
        group = [one for one in results if (one.planner, one.preset) == (planner, preset)]
        count = len(group)

        def mean(name: str, group: list[EpisodeResult] = group, count: int = count) -> float:
            return float(sum(getattr(one, name) or 0 for one in group) / count)

        figures = (
            planner,
            preset,
            f'{sum(one.success for one in group)} of {count}',
            f'{mean("subgoal_rate"):.2f}',
            sum(one.false_success for one in group),
            *(f'{mean(name):.0f}' for name in ('decisions', 'asked', 'steps', 'expert_steps')),
            f'{mean("prompt_tokens"):.0f}',
            f'{mean("repairs"):.1f}',
            f'{mean("seconds"):.0f}',
        )
        lines.append(f'| {" | ".join(map(str, figures))} |')
    return '\n'.join(lines)


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('file', type=Path, metavar='TASKS.json')
    parser.add_argument('--graphs', type=Path, required=True, metavar='FOLDER')
    parser.add_argument('--tasks', required=True, help='indices from 0, with commas')
    parser.add_argument('--preset', nargs='+', default=['default,ask=never'])
    parser.add_argument('--planner', nargs='+', default=['reactree'])
    parser.add_argument('--model', default='qwen2.5-coder-1.5b')
    parser.add_argument('--threads', type=int, default=0)
    parser.add_argument('--output', type=Path, default=Path('wah_nl_results.jsonl'))
    arguments = parser.parse_args()
    homes = apartments(arguments.graphs)
    results = read_results(arguments.output)
    done = {(one.task, one.planner, one.preset) for one in results}
    model = load_model(arguments.model, ModelOptions(threads=arguments.threads))
    examples = shipped_memory()
    for index in map(int, arguments.tasks.split(',')):
        task = f'wah:{arguments.file}#index:{index}/1'
        for planner in arguments.planner:
            for preset in arguments.preset:
                if (task, planner, preset) in done:
                    continue
                result = run_episode(
                    str(homes[index % len(homes)]),
                    task,
                    index,
                    preset,
                    'both',
                    model,
                    examples,
                    Limits(_DECISIONS, _DECISIONS),
                    planner=planner,
                )
                results.append(result)
                append_result(arguments.output, result)
                print(
                    f'{index}, {planner}, {preset}: {result.judged}, {result.ended}, '
                    f'{result.decisions} decisions, {result.seconds:.0f} s',
                    flush=True,
                )
    print(means(results))
    model.close()


if __name__ == '__main__':
    main()
