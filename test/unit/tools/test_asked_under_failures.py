"""How often a model is asked while skills of the household fail: hardly more than without."""

from __future__ import annotations

import pytest

from reactree_planner.llm.scripted import PolicyModel
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.run_settings import Limits
from reactree_tools.episode import InProcessMemory
from reactree_tools.episode import plan_episode
from reactree_tools.evaluation.episodes import seeded_tasks
from sim_bridge.worlds.registry import make_task_world

#: Generated tasks whose parts are all single goals.
_SEEDS = (5001, 5002, 5003, 5006, 5010, 5012, 5013, 5017)
_TASKS = [task for task in seeded_tasks(20, 5001) if task[2] in _SEEDS]
#: Decisions of the model: a thought, the expansion, and what repairs and full hands need.
_MOST_ASKED = 6


def _giving_up(text, options):
    """Takes the first option, but for a failure where that is one."""
    if options is None:
        return ' I go on.'
    return next((i for i, option in enumerate(options) if 'failure' in option), 0)


def _plan(failures, task):
    world = make_task_world(f'faulty,world=household,{failures}')
    world.reset(*task)
    events = []
    episode = plan_episode(
        world,
        PolicyModel(_giving_up),
        InProcessMemory(),
        PlannerSettings(example_count=0),
        Limits(decisions=200, steps=200),
        watch=events.append,
    )
    asked = [
        event
        for event in events
        if isinstance(event, Decision)
        and event.kind in (DecisionKind.THINK, DecisionKind.ACT, DecisionKind.EXPAND)
        and not event.is_unasked
    ]
    return episode, asked


@pytest.mark.parametrize('task', _TASKS, ids=lambda task: task[1])
@pytest.mark.parametrize('failures', ['fail=0.2', 'jam=0.3', 'vanish=0.3'])
def test_what_fails_is_handled_by_facts_and_not_by_the_model(failures, task):
    episode, asked = _plan(failures, task)
    assert len(asked) <= _MOST_ASKED, [event.skill for event in asked]
    assert episode.ended in ('success', 'failure')
    # What is jammed may be what the task is about.
    assert episode.goal_met or failures.startswith('jam')
    assert episode.goal_met or episode.ended == 'failure'
