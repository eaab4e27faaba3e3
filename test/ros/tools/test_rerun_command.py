"""`reactree rerun` on several records: each is done again, whatever becomes of the others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.observation import Observation
from reactree_planner.planners.settings import PlannerSettings
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.journal import Journal
from reactree_planner.tree.limits import Limits
from reactree_tools.command_line import main
from reactree_tools.episodes.episode import plan_episode
from reactree_tools.episodes.memories import InProcessMemory
from reactree_tools.seed_memory.writing import teacher_for
from sim_bridge.worlds import make_world

SCENE, TASK = 'generated:9002', 'put_fridge:9002'


@pytest.fixture(scope='module')
def events():
    """A run in a fresh world, as a planner's node writes it down."""
    world = make_world('household')
    world.reset(SCENE, TASK, 0)
    found = []
    settings = PlannerSettings(example_count=0)
    memory = InProcessMemory()
    plan_episode(world, teacher_for(world), memory, settings, Limits(), watch=found.append)
    about = (f'scene={SCENE}', f'world_task={TASK}', 'skills_before=0')
    found[0] = replace(found[0], subgoals=(*found[0].subgoals, *about))
    assert found[0].kind is DecisionKind.START
    return found


def changed(events):
    """The same run, as if the world had answered something else."""
    place = next(n for n, event in enumerate(events) if isinstance(event, Observation))
    return [*events[:place], replace(events[place], text='It is dark.'), *events[place + 1 :]]


def in_a_used_world(events):
    """The same run, as if it had been the second of its session."""
    about = tuple('skills_before=9' if 'before' in line else line for line in events[0].subgoals)
    return [replace(events[0], subgoals=about), *events[1:]]


@pytest.fixture
def record(tmp_path):
    """Writes runs down; returns the name of each."""

    def record(run_id, events):
        journal = Journal(tmp_path, run_id)
        for event in events:
            journal.append(event)
        journal.close()
        return str(journal.path)

    return record


def test_every_record_is_tried_and_a_difference_is_not_hidden(events, record, capsys):
    same, used = record('a' * 32, events), record('b' * 32, in_a_used_world(events))
    other = record('c' * 32, changed(events))
    assert main(['rerun', used, 'no_such_bag', same, '--plain']) == 2
    told = capsys.readouterr()
    assert 'no difference' in told.out and 'aaaaaaaa' in told.out
    assert f'{used}: The run began after 9 other skills' in told.err
    assert 'no_such_bag: There is no bag' in told.err
    assert main(['rerun', used, other, same, used, '--plain']) == 1
    told = capsys.readouterr()
    assert 'It is dark.' in told.out and 'no difference' in told.out
    assert main(['rerun', same, '--plain']) == 0
