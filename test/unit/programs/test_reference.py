"""Programs that a reference simulator executed: the stored graphs, and the simulator itself."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from virtualhome_eval.simulation.evolving_graph import environment, execution, scripts

from sim_bridge.worlds.household.programs import execute, read_script
from sim_bridge.worlds.household.programs.actions import ACTIONS
from sim_bridge.worlds.household.programs.script import Named, Step
from sim_bridge.worlds.household.programs.stage import Stage
from support.needs import skip_for

#: Share of programs that may differ from the stored graphs.
_REMAINDER = 0.1


def _programs(shared_data: Path) -> list[Path]:
    found = sorted((shared_data / 'eai_virtualhome' / 'programs').glob('*.txt'))
    if not found:
        skip_for('shared data', 'there are no VirtualHome programs')
    return found


def _graphs(program: Path) -> dict[str, Any]:
    file = program.parents[1] / 'graphs' / f'{program.stem}.json'
    graphs: dict[str, Any] = json.loads(file.read_text())
    return graphs


def test_programs_run_and_leave_the_stored_graphs(shared_data: Path) -> None:
    programs = _programs(shared_data)
    different = []
    for program in programs:
        graphs = _graphs(program)
        home = Stage(graphs['init_graph'])
        execution = execute(home, read_script(program.read_text()).steps)
        assert execution.succeeded, f'{program.name}: {execution.reason}'
        if home.facts() != Stage(graphs['final_graph']).facts():
            different.append(program.name)
    assert len(different) <= _REMAINDER * len(programs), different


def test_random_programs_do_as_in_the_reference_simulator(shared_data: Path) -> None:
    program = _programs(shared_data)[0]
    graph = _graphs(program)['init_graph']
    random = Random(0)
    executed = refused = 0
    for _ in range(6):
        home = Stage(graph)
        referee = execution.ScriptExecutor(environment.EnvironmentGraph(graph), {})
        state = environment.EnvironmentState(
            environment.EnvironmentGraph(graph), {}, instance_selection=True
        )
        for step in _random_steps(home, random, 25):
            line = scripts.parse_script_line(str(step), 1)
            done, state = referee.execute_one_step(scripts.Script([line]), state)
            mine = execute(home, [step])
            assert mine.succeeded == done, f'{step}: {mine.reason}; {referee.info.messages[-1:]}'
            executed, refused = executed + done, refused + (not done)
            assert home.facts() == Stage(state.to_dict()).facts(), str(step)
    assert executed > 20 and refused > 5


def _random_steps(home: Stage, random: Random, count: int) -> list[Step]:
    """Steps that often make sense: most go to a thing first."""
    things = [
        key
        for key, node in sorted(home.nodes.items())
        if node.properties and node.class_name != 'character' and home.room_of(key) is not None
    ]
    # The referee has no long and short looks.
    looks = {'LOOKAT_SHORT', 'LOOKAT_MEDIUM', 'LOOKAT_LONG'}
    verbs = sorted(set(ACTIONS) - looks)
    steps = []
    while len(steps) < count:
        first, second = random.choice(things), random.choice(things)
        objects = [Named(home.nodes[key].class_name, key) for key in (first, second)]
        steps.append(Step('WALK', (objects[0],)))
        for _ in range(3):
            verb = random.choice([*verbs, 'GRAB', 'FIND'])
            steps.append(Step(verb, tuple(objects[: ACTIONS[verb].objects])))
    return steps
