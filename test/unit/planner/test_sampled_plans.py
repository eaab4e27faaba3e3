"""Every sampled plan by itself: the best and the mean of figures 5 and 10."""

from __future__ import annotations

import pytest

from reactree_core.record.events import DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.presets import settings_of_preset
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.registry import make_task_world
from support.workbench import WorkbenchWorld


@pytest.fixture
def world():
    made = make_task_world('programs')
    made.reset(made.scene_of(1), 'generated:1', 1)
    return made


def played(world, plans, samples):
    """The episode of a model that writes these plans in turn, and its events."""
    left, events = list(plans), []

    def write(text, options):
        plan = left.pop(0)
        first, *others = [*plan, 'done']
        lines = (f'{number}. {step}' for number, step in enumerate(others, start=2))
        return '\n'.join((f' {first}', *lines))

    episode = plan_episode(
        world,
        PolicyModel(write),
        InProcessMemory(),
        settings_of_preset(f'published,plans.samples={samples}', 'sampled_plans'),
        Limits(decisions=0, steps=0),
        'sampled_plans',
        watch=events.append,
    )
    return episode, events


def gold_of(world):
    now = world.snapshot()
    skills = world.expert()
    world.restore(now)
    return skills


def thoughts(events):
    return [event.text for event in events if getattr(event, 'kind', None) is DecisionKind.THINK]


def test_the_best_plan_counts_though_another_was_carried_out_last(world):
    gold = gold_of(world)
    assert len(gold) > 2
    episode, events = played(world, [gold, gold[:1], gold, gold[:1]], 4)
    assert episode.goal_met and episode.outcome.success
    assert episode.run.best.success and not world.progress().success
    nodes = episode.run.tree.snapshot().nodes
    # Two different plans, each twice: the mean counts all four.
    assert sum(node.detail.startswith(('0 of', '1 of', '2 of')) for node in nodes) >= 1
    total = episode.run.best.total
    less = next(node for node in nodes if node.goal == f'{gold[0]} > done')
    met = int(less.detail.partition(' ')[0]) / total
    assert f'{(2 * 1.0 + 2 * met) / 4:.3f} of the goal' in thoughts(events)[-1]


def test_each_plan_begins_where_the_task_does(world):
    gold = gold_of(world)
    episode, _ = played(world, [gold[:1], gold], 2)
    assert episode.goal_met, 'the second plan was not hindered by the first'


def test_it_needs_a_world_that_can_be_put_back():
    world = WorkbenchWorld()
    world.reset('', 'make_ladder:1', 1)
    episode, _ = played(world, [], 1)
    assert not episode.outcome.success
    assert 'snapshots' in episode.outcome.message
