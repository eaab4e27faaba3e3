"""Tasks solved under injected failures, by presets of a planner's settings, in one process.

Every preset meets the same failures, as long as it does the same skills: the world `faulty` draws
them from the seeds, and what fails at a lower share fails at a higher one too. Results are kept in
a file; an interrupted run goes on where it stopped.

    python -m benchmarks.failures --tasks 8 --seeds 5001 --presets default default,repairs=0
    python -m benchmarks.failures --world textcraft --failures fail=0 fail=0.2
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from reactree_planner.llm.registry import load_model
from reactree_planner.llm.registry import ModelOptions
from reactree_planner.planners.registry import planner_names
from reactree_planner.tree.run_settings import Limits
from reactree_tools.episode import shipped_memory
from reactree_tools.evaluation.__main__ import known_preset
from reactree_tools.evaluation.__main__ import known_world
from reactree_tools.evaluation.episodes import EpisodeResult
from reactree_tools.evaluation.episodes import MEMORIES
from reactree_tools.evaluation.episodes import run_episode
from reactree_tools.evaluation.episodes import seeded_tasks
from reactree_tools.evaluation.results import append_result
from reactree_tools.evaluation.results import read_results

FAILURES = ('fail=0', 'fail=0.1', 'fail=0.2', 'fail=0.3', 'jam=0.3', 'vanish=0.3')
PRESETS = ('default', 'default,repairs=0')
_MEANS = ('decisions', 'steps', 'repairs', 'prompt_tokens', 'seconds')


def faulty(world: str, failures: str) -> str:
    """The name of a world with failures, e.g. 'faulty,world=textcraft,fail=0.2'."""
    return f'faulty,world={world},{failures}'


def table(results: Sequence[EpisodeResult], world: str, failures: Sequence[str]) -> str:
    """Markdown: a row for each sort of failures and preset; what follows `false` are means."""
    names = ('failures', 'preset', 'solved', 'conditions', 'false', *_MEANS)
    rows = [f'| {" | ".join(names)} |', '|' + '---|' * len(names)]
    presets = dict.fromkeys(result.preset for result in results)
    for name, preset in product(failures, presets):
        group = [
            result
            for result in results
            if (result.world, result.preset) == (faulty(world, name), preset)
        ]
        if not group:
            continue
        count = len(group)
        means = [sum(getattr(result, mean) for result in group) / count for mean in _MEANS]
        cells = (
            name,
            preset,
            f'{sum(result.success for result in group)} of {count}',
            f'{sum(result.subgoal_rate for result in group) / count:.2f}',
            f'{sum(result.false_success for result in group)}',
            *(f'{mean:,.1f}' for mean in means),
        )
        rows.append(f'| {" | ".join(cells)} |')
    return '\n'.join(rows)


def main() -> None:
    """Plan what is not done yet, then print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--world', default='household', metavar='NAME', help='without failures')
    parser.add_argument('--tasks', type=int, default=2, help='how many (default 2)')
    parser.add_argument('--seeds', type=int, default=5001, help='of the first task (default 5001)')
    parser.add_argument('--model', default='qwen2.5-coder-1.5b')
    parser.add_argument('--threads', type=int, default=0)
    parser.add_argument('--planner', choices=planner_names(), default='reactree', metavar='NAME')
    parser.add_argument('--memory', choices=MEMORIES, default='both')
    parser.add_argument(
        '--presets',
        nargs='+',
        type=known_preset,
        default=PRESETS,
        metavar='PRESET',
        help=f'of the settings, as of the evaluation (default: {" ".join(PRESETS)})',
    )
    parser.add_argument(
        '--failures',
        nargs='+',
        default=FAILURES,
        metavar='OPTIONS',
        help=f'options of the world faulty (default: {" ".join(FAILURES)}; several at once: '
        'fail=0.1,jam=0.2,seed=3)',
    )
    parser.add_argument('--max-decisions', type=int, default=200)
    parser.add_argument(
        '--output', type=Path, help='the results file (default: <world>_failures.jsonl)'
    )
    arguments = parser.parse_args()
    chosen = []
    for failures in arguments.failures:
        try:
            known_world(faulty(arguments.world, failures))
        except argparse.ArgumentTypeError as error:
            # Worlds that things cannot vanish in are compared by the other failures.
            print(f'left out: {failures}: {error}')
        else:
            chosen.append(failures)
    if not chosen:
        parser.error('none of these failures can be injected into this world')
    output = arguments.output or Path(f'{arguments.world}_failures.jsonl')
    results = read_results(output)
    model = load_model(arguments.model, ModelOptions(threads=arguments.threads))
    examples = shipped_memory()
    limits = Limits(arguments.max_decisions, arguments.max_decisions)

    def key(result: EpisodeResult) -> tuple[str, ...]:
        return (
            result.world, result.preset, result.task,
            result.planner, result.memory, result.model,
        )  # fmt: skip

    done = {key(result) for result in results}
    shared = (arguments.planner, arguments.memory, model.name)
    # A task for everyone before the next: a table of a part is a fair comparison too.
    tasks = seeded_tasks(arguments.tasks, arguments.seeds, arguments.world)
    for (scene, task, seed), failures, preset in product(tasks, chosen, arguments.presets):
        world = faulty(arguments.world, failures)
        if (world, preset, task, *shared) in done:
            continue
        result = run_episode(
            scene, task, seed, preset, arguments.memory, model, examples, limits,
            planner=arguments.planner, world=world,
        )  # fmt: skip
        results.append(result)
        append_result(output, result)
        print(
            f'{task}, {failures}, {preset}: {result.judged}, {result.ended}, '
            f'{result.decisions} decisions, {result.repairs} repairs, {result.seconds:.0f} s',
            flush=True,
        )
    wanted = {task for _, task, _ in tasks}
    print(
        table(
            [
                result
                for result in results
                if result.task in wanted
                and (result.planner, result.memory, result.model) == shared
            ],
            arguments.world,
            chosen,
        )
    )
    model.close()


if __name__ == '__main__':
    main()
