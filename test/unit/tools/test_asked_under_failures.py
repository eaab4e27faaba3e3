"""How often a model is asked while skills of the household fail: hardly more than without."""

from __future__ import annotations

import pytest

from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.registry import make_task_world

#: Generated tasks whose parts are all single goals.
_TASKS = (
    'setup_table:5001',
    'put_fridge:5002',
    'put_dishwasher:5003',
    'setup_table:5006',
    'prepare_snack:5010',
    'put_fridge:5012',
    'put_dishwasher:5013',
    'put_fridge:5017',
)
#: Decisions of the model: a thought, the expansion, and what repairs and full hands need.
_MOST_ASKED = 6


def _giving_up(text, options):
    """Takes the first option, but for a failure where that is one."""
    if options is None:
        return ' I go on.'
    return next((i for i, option in enumerate(options) if 'failure' in option), 0)


def _plan(failures, task):
    world = make_task_world(f'faulty,world=household,{failures}')
    seed = int(task.partition(':')[2])
    world.reset(world.scene_of(seed), task, seed)
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


@pytest.mark.parametrize('task', _TASKS)
@pytest.mark.parametrize('failures', ['fail=0.2', 'jam=0.3', 'vanish=0.3'])
def test_what_fails_is_handled_by_facts_and_not_by_the_model(failures, task):
    episode, asked = _plan(failures, task)
    assert len(asked) <= _MOST_ASKED, [event.skill for event in asked]
    assert episode.ended in ('success', 'failure')
    # What is jammed may be what the task is about.
    assert episode.goal_met or failures.startswith('jam')
    assert episode.goal_met or episode.ended == 'failure'
