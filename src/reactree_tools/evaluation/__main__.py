"""Run seeded tasks and print a table; an interrupted run goes on where it stopped.

python -m reactree_tools.evaluation --tasks 10 --preset default --output results.jsonl
python -m reactree_tools.evaluation --tasks 5 --memory none --memory both   (which memories matter)
python -m reactree_tools.evaluation --tasks 5 --planner all                 (which planner to take)
python -m reactree_tools.evaluation --planner tree_planner --preset default,plans.samples=25
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

from memory_server.episodic.episodic_memory import EpisodicMemory
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation
from reactree_planner.llm.registry import load_model
from reactree_planner.llm.registry import ModelOptions
from reactree_planner.planners.registry import planner_names
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.tree.events import Event
from reactree_planner.tree.run_settings import Limits
from reactree_tools.episode import shipped_memory
from reactree_tools.evaluation.episodes import MEMORIES
from reactree_tools.evaluation.episodes import run_episode
from reactree_tools.evaluation.episodes import seeded_tasks
from reactree_tools.evaluation.results import append_result
from reactree_tools.evaluation.results import group_of
from reactree_tools.evaluation.results import read_results
from reactree_tools.evaluation.results import table
from reactree_tools.memory.opening import EncoderChoice
from reactree_tools.memory.opening import open_existing
from reactree_tools.memory.opening import open_memory
from reactree_tools.plain_text import count
from sim_bridge.worlds.registry import make_task_world

#: In the place of every planner's name.
ALL = 'all'


def stored_memory(store_path: str) -> EpisodicMemory:
    """The memory of a store.

    :raises ConfigurationError: there is none, or its encoder cannot be made.
    :raises MemoryStoreError: it cannot be read.
    """
    memory, _ = open_memory(open_existing(store_path), EncoderChoice())
    return memory


def known_planner(name: str) -> str:
    """The name of a planner, or `ALL`."""
    if name != ALL and name not in planner_names():
        raise argparse.ArgumentTypeError(
            f'there is no planner "{name}"; choose {ALL} or one of: {", ".join(planner_names())}'
        )
    return name


def known_world(name: str) -> str:
    """The name of a world that sets tasks by number."""
    try:
        make_task_world(name)
    except ConfigurationError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return name


def known_preset(preset: str) -> str:
    """A preset that some planner has, with what differs from it."""
    try:
        settings_of_preset(preset, '')
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return preset


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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        '--world',
        type=known_world,
        default='household',
        metavar='NAME',
        help='whose tasks (default household)',
    )
    parser.add_argument('--tasks', type=int, default=10, help='how many (default 10)')
    parser.add_argument('--first-seed', type=int, default=1, help='of the first task (default 1)')
    parser.add_argument(
        '--preset',
        default='default',
        type=known_preset,
        help='default, neutral, published or published-code; then, after commas, no-<guard> or '
        '<setting>=<value>, e.g. default,no-search-order,plans.samples=25',
    )
    parser.add_argument(
        '--memory',
        action='append',
        choices=MEMORIES,
        help='which memories the runs have (default both); may be given several times',
    )
    parser.add_argument(
        '--planner',
        action='append',
        type=known_planner,
        metavar='NAME',
        help='planners to compare (default reactree); may be given several times, "all" for each '
        f'of: {", ".join(planner_names())}',
    )
    parser.add_argument(
        '--store',
        help='a memory to take the examples from, e.g. of `reactree memory bootstrap`; with a '
        'results file of its own (default: the shipped examples)',
    )
    parser.add_argument('--model', default='qwen2.5-coder-1.5b')
    parser.add_argument('--threads', type=int, default=0)
    parser.add_argument('--max-decisions', type=int, default=200)
    parser.add_argument(
        '--output', type=Path, help='the results file (default: <world>_results.jsonl)'
    )
    parser.add_argument('--verbose', action='store_true')
    arguments = parser.parse_args()
    output = arguments.output or Path(f'{arguments.world}_results.jsonl')
    results = read_results(output)
    done = {(*group_of(result), result.task) for result in results}
    model = load_model(arguments.model, ModelOptions(threads=arguments.threads))
    examples = stored_memory(arguments.store) if arguments.store else shipped_memory()
    chosen = arguments.planner or ['reactree']
    planners = planner_names() if ALL in chosen else tuple(dict.fromkeys(chosen))
    memories = dict.fromkeys(arguments.memory or ('both',))
    for scene, task, seed in seeded_tasks(arguments.tasks, arguments.first_seed, arguments.world):
        # A task for everyone before the next: a table of a part is a fair comparison too.
        for planner, memory in product(planners, memories):
            if (arguments.world, planner, arguments.preset, memory, model.name, task) in done:
                continue
            result = run_episode(
                scene,
                task,
                seed,
                arguments.preset,
                memory,
                model,
                examples,
                Limits(arguments.max_decisions, arguments.max_decisions),
                show if arguments.verbose else lambda event: None,
                planner,
                arguments.world,
            )
            results.append(result)
            append_result(output, result)
            print(
                f'{task}, {planner}, memory {memory}: {result.judged}, '
                f'{result.ended}, {count(result.decisions, "decision")}, {result.seconds:.0f} s',
                flush=True,
            )
    print(table(results))
    model.close()


if __name__ == '__main__':
    main()
