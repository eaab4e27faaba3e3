"""ReAcTree grows the trees of its figures 1 and 3, in a real simulated home."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Observation
from reactree_core.record.events import NodeKind, NodeStatus
from reactree_core.record.run_settings import Limits
from reactree_planner.planners.reactree import ReAcTreePlanner
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Decides, PlannerSettings
from reactree_tools.episode import InProcessMemory
from reactree_tools.seed_memory.expert_models import likelihood, ScriptedExpertModel
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.registry import make_world

#: A home in which neither thing is in sight at first.
HOME = 6
FIGURE_1 = 'Please bring one pudding and one juice to the coffee table', ('pudding', 'juice')
FIGURE_3 = 'Make sure there is a wine and a juice on the coffee table', ('wine', 'juice')


def grown(task, things):
    """Run a task; the tree, its events and where things are in the end."""
    world = make_world('household')
    world.reset(f'generated:{HOME}', '', HOME)
    # The likeliest rooms last, so that a search has to go on from one to the next.
    rooms = sorted(world.vocabulary().rooms, key=likelihood, reverse=True)
    subgoals = [f'put {thing} on coffee table' for thing in things]
    plan = f'This needs a {" and a ".join(things)} on the coffee table: 2 parts.'
    events = []
    run = PlanRun(
        task,
        Ports(
            ScriptedExpertModel(rooms, subgoals, plan),
            InProcessSkillServer(world),
            InProcessMemory(),
        ),
        PlannerSettings(example_count=0, decides=Decides.MODEL),
        Limits(),
        CancelToken(),
        events.append,
    )
    assert ReAcTreePlanner().run(run)
    placed = {name.rpartition(' ')[0]: place for name, place in run.world.belief.placed.items()}
    return SimpleNamespace(tree=run.tree, events=events, placed=placed, rooms=rooms)


@pytest.mark.parametrize(('task', 'things'), [FIGURE_1, FIGURE_3])
def test_a_task_about_two_things_becomes_the_tree_of_the_figure(task, things):
    run = grown(task, things)
    assert {run.placed[thing].rpartition(' ')[0] for thing in things} == {'coffee table'}
    (parallel,) = run.tree.children(1)
    assert parallel.kind is NodeKind.PARALLEL
    parts = run.tree.children(parallel.node_id)
    assert [part.goal for part in parts] == [f'put {thing} on coffee table' for thing in things]
    searches = []
    for part, thing in zip(parts, things, strict=True):
        (sequence,) = run.tree.children(part.node_id)
        find, put_down = run.tree.children(sequence.node_id)
        assert sequence.kind is NodeKind.SEQUENCE
        assert find.goal == f'find and pick up {thing}'
        assert put_down.goal == f'put down {thing} on coffee table'
        searches += run.tree.children(find.node_id)
    assert searches and all(search.kind is NodeKind.FALLBACK for search in searches)
    for search in searches:
        rooms = run.tree.children(search.node_id)
        assert [room.goal.rpartition(' in ')[2] for room in rooms] == run.rooms
        # Room by room until the thing is found; what comes after is never begun.
        statuses = [room.status for room in rooms]
        found = statuses.index(NodeStatus.SUCCESS)
        assert set(statuses[:found]) <= {NodeStatus.FAILURE}
        assert set(statuses[found + 1 :]) <= {NodeStatus.IDLE}
    assert any(run.tree.children(s.node_id)[0].status is NodeStatus.FAILURE for s in searches)


def test_nodes_share_a_working_memory_as_node_3_of_figure_1_does():
    run = grown(*FIGURE_1)
    recalled = [
        event.text
        for event in run.events
        if isinstance(event, Observation) and event.skill.startswith('recall location of ')
    ]
    assert recalled[0].startswith('You have not seen pudding before.')
    assert any('You saw ' in text for text in recalled[1:])
