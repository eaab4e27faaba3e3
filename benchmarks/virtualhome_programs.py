"""VirtualHome programs against the graphs that a reference executor left.

For each program of a folder (`programs/<name>.txt`, `graphs/<name>.json` with `init_graph` and
`final_graph`): whether all its steps run here, and how the states and the INSIDE, ON and HOLDS
edges at the end differ from the stored ones. Below, the metrics over all programs, each with the
goal that its stored graphs tell.

Run: python -m benchmarks.virtualhome_programs [FOLDER]
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from sim_bridge.worlds.household.programs import execute, read_script
from sim_bridge.worlds.household.programs.execution import Execution
from sim_bridge.worlds.household.programs.measures import goal_conditions, measure
from sim_bridge.worlds.household.programs.stage import Fact, Stage

_SHARED = Path(__file__).resolve().parents[2] / 'shared' / 'data'


def run(program: Path) -> tuple[Execution, frozenset[Fact], list[str]]:
    """Run one program: what became of it, its goal, and what differs from the stored graph.

    :param program: `programs/<name>.txt`.
    """
    graphs = json.loads((program.parents[1] / 'graphs' / f'{program.stem}.json').read_text())
    before = Stage(graphs['init_graph'])
    after = Stage(graphs['final_graph']).facts()
    goal = goal_conditions(before.facts(), after)
    execution = execute(before, read_script(program.read_text()).steps)
    found = before.facts()
    more = [f'+{_sentence(before, fact)}' for fact in sorted(found - after, key=str)]
    less = [f'-{_sentence(before, fact)}' for fact in sorted(after - found, key=str)]
    return execution, goal, more + less


def _sentence(home: Stage, fact: Fact) -> str:
    start, relation, end = fact
    place = home.name(end) if isinstance(end, int) else end
    return f'{home.name(start)} {relation} {place}'


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description='VirtualHome programs against stored graphs.')
    named = os.environ.get('REACTREE_SHARED_DATA')
    default = (Path(named) if named else _SHARED) / 'eai_virtualhome'
    parser.add_argument('folder', nargs='?', type=Path, default=default)
    arguments = parser.parse_args()
    programs = sorted((arguments.folder / 'programs').glob('*.txt'))
    if not programs:
        parser.error(f'{arguments.folder} has no programs')
    results = []
    equal = 0
    print(f'{"program":45} {"steps":>5}  {"runs":4}  differences from the stored graph')
    for program in programs:
        execution, goal, differences = run(program)
        results.append((execution, goal))
        equal += execution.succeeded and not differences
        said = execution.reason or '; '.join(differences) or 'none'
        runs = 'yes' if execution.succeeded else 'NO'
        print(f'{program.stem:45} {execution.done:5}  {runs:4}  {said}')
    found = measure(results)
    print(f'programs               {len(programs)}')
    print(f'equal to the stored    {equal} ({equal / len(programs):.0%})')
    print(f'executability          {found.executability:.3f}')
    print(f'goal-condition recall  {found.recall:.3f}')
    print(f'success                {found.success:.3f}')


if __name__ == '__main__':
    main()
