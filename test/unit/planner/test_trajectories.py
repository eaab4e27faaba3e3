"""What is worth keeping of a run, by every planner, live and from its record."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from reactree_core.record.events import DecisionKind
from reactree_core.record.trajectory import trajectories_of
from reactree_planner.planners.registry import general_planners
from reactree_planner.runs.settings import Guards, OnInadmissible, PlannerSettings, PlanSettings

TASK = 'bring the apple to the table'
THERE = ('go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'pick up apple 1')
BACK = ('go to bedroom 1', 'go to table 1', 'put down apple 1')
WAY = (*THERE, *BACK)
PLAN = (('find and pick up apple', 'put down apple on table'), 'Step 1 AND Step 2')
#: What an agent does for each goal; the whole task is too much for it.
STEPS = {TASK: ('failure',), PLAN[0][0]: (*THERE, 'done'), PLAN[0][1]: (*BACK, 'done')}


def acts_of(text):
    """What was done since the goal was given."""
    own = text.rsplit('Your task is to: ', 1)[1]
    return [line.removeprefix('Act: ') for line in own.splitlines() if line.startswith('Act: ')]


def acting(*trials):
    """A policy that does other skills in every trial, and thinks once before each of them."""
    trial = -1

    def policy(text, options):
        nonlocal trial
        if options is None:
            return ' I look in the fridge.'
        names = [option.strip() for option in options]
        done = acts_of(text)
        if 'Act:' not in names:
            return names.index(trials[trial][len(done)])
        if not done and 'Think:' in names and 'Think:' not in text.rsplit('Your task', 1)[1]:
            trial += 1
            return names.index('Think:')
        return names.index('Act:')

    return policy


def chatting(way):
    """A policy that answers the turns of a conversation with these actions."""

    def policy(text, options):
        if options is None:
            return ' I look in the fridge.'
        own = text.rsplit('Your task is to: ', 1)[1]
        done = len(re.findall(r'^(?:Assistant: ?)?ACTION: \S', own, re.MULTILINE))
        names = [option.strip() for option in options]
        return names.index('ACTION:' if 'ACTION:' in names else way[done])

    return policy


def by_goal(text, names):
    """Does what STEPS says of the goal."""
    if 'Act:' in names:
        return 'Act:'
    goal = text.rsplit('Your task is to: ', 1)[1].splitlines()[0]
    return STEPS[goal][len(acts_of(text))]


def writing(*plans):
    """A policy that writes plans, whole or step by step; of equal branches it votes for A."""
    steps = [step for plan in plans for step in (*plan, 'done')]
    left = list(plans)

    def policy(text, options):
        if text.endswith('Answer:'):
            return ' A'
        if text.endswith('Act:'):
            return f' {steps.pop(0)}\n'
        number = int(text.rpartition('\n')[2].removesuffix('.'))
        plan = left[0] if number > 1 or len(left) == 1 else left.pop(0)
        return '\n'.join((*plan, 'done')[number - 1 :])

    return policy


def scenario(planner, planning_policy, program):
    """A policy that shows what is special about a planner."""
    if planner in ('plan_and_execute', 'adapt'):
        return planning_policy({TASK: PLAN}, by_goal)
    if planner in ('try_again', 'reflexion'):
        return acting((*THERE, 'failure'), (*WAY, 'done'))
    if planner in ('reactree', 'react'):
        return acting((*WAY, 'done'))
    if planner in ('agentbench', 'alfchat', 'stateflow'):
        return chatting((*WAY, 'done'))
    if planner == 'global_replan':
        # The fourth step fails, and the whole plan is written anew.
        return writing((*THERE[:3], 'put down apple', *WAY))
    if planner == 'progprompt':
        # The third step fails, and is passed over.
        return lambda text, options: program((*THERE[:2], 'pick up apple', *WAY[2:]))
    if planner in ('tree_planner', 'best_first'):
        return writing(('go to table', 'pick up apple'), WAY)
    # The third step fails: the fridge is closed.
    return writing((*THERE[:2], 'pick up apple', *WAY[2:]))


@pytest.mark.parametrize('undo', [True, False])
@pytest.mark.parametrize('planner', general_planners())
def test_of_every_planner_the_same_is_exported_as_it_keeps(
    planner, undo, plan, planning_policy, program
):
    settings = PlannerSettings(
        guards=replace(Guards.none(), admissible_only=planner != 'local_replan'),
        thoughts=1,
        plans=PlanSettings(
            undo=undo, samples=2, votes=1, on_inadmissible=OnInadmissible.SKIP, corrections=9
        ),
    )
    policy = scenario(planner, planning_policy, program)
    success, run, home, events, _ = plan(TASK, policy, settings, planner=planner)
    assert success and (home.apple == 'table 1' or not undo)
    own = run.experiences('r', '', judged=True)
    assert own
    # The run's own START does not tell its domain: who starts it does.
    assert [replace(lesson, tokens=0, domain='') for lesson in own] == [
        replace(lesson, model=own[0].model) for lesson in trajectories_of(events).experiences('r')
    ]


@pytest.mark.parametrize('planner', ['reactree', 'react', 'reflexion', 'local_replan'])
def test_what_a_task_forbids_does_not_disturb_what_is_exported(
    planner, plan, planning_policy, program
):
    guards = replace(Guards.none(), admissible_only=planner != 'local_replan')
    plans = PlanSettings(on_inadmissible=OnInadmissible.SKIP, corrections=9)
    settings = PlannerSettings(guards=guards, thoughts=1, plans=plans)
    task = f'{TASK}, but never pick up the pear'
    policy = scenario(planner, planning_policy, program)
    _, run, _, events, _ = plan(task, policy, settings, planner=planner)
    assert any(getattr(event, 'kind', None) is DecisionKind.FORBID for event in events)
    own = run.experiences('r', '')
    assert own
    assert [lesson.trajectory for lesson in own] == [
        lesson.trajectory for lesson in trajectories_of(events).experiences('r')
    ]


def test_what_is_special_about_a_planner_is_in_its_events(plan, planning_policy, program):
    """Else the test above would show nothing."""
    seen = {}
    for planner in ('reflexion', 'adapt', 'global_replan', 'tree_planner', 'local_replan'):
        policy = scenario(planner, planning_policy, program)
        guards = replace(Guards.none(), admissible_only=planner != 'local_replan')
        plans = PlanSettings(samples=2, votes=1, on_inadmissible=OnInadmissible.SKIP)
        settings = PlannerSettings(guards=guards, thoughts=1, plans=plans)
        _, _, _, events, _ = plan(TASK, policy, settings, planner=planner)
        seen[planner] = [getattr(event, 'text', '') for event in events]
    assert seen['reflexion'].count('The world was put back to where the task began.') == 2
    assert any(text.startswith('Reflection: ') for text in seen['reflexion'])
    for planner in ('global_replan', 'tree_planner'):
        assert 'taken back: it led nowhere' in seen[planner]
    assert seen['adapt'].count('You are in the middle of a bedroom (1).') >= 2
    assert 'It is too far.' in seen['local_replan']


def test_a_run_that_a_plan_did_not_bring_to_its_end_teaches_nothing(plan):
    policy = writing(('go to table', 'pick up apple'))
    settings = PlannerSettings(plans=PlanSettings(on_inadmissible=OnInadmissible.STOP))
    success, _, _, events, _ = plan(TASK, policy, settings, planner='zero_shot')
    assert not success and trajectories_of(events).experiences('r') == ()
