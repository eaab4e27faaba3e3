"""Planners that try again, and planners from outside, over the real nodes."""

from __future__ import annotations

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import SkillError
from reactree_core.record.journal import read_journal
from reactree_core.record.snapshot import reduce_events
from reactree_planner.llm.policy import PolicyModel
from reactree_ros.action import PlanTask
from reactree_ros.srv import ResetWorld
from support.page import install_package_of

Result = PlanTask.Result
#: With the guards off, these answer every decision.
FREE = (
    (
        'preset',
        'default,thoughts=0,example_count=0,no-true-ends,decides=model',
    ),
)


def gives_up_once():
    """A policy that walks somewhere and gives up, and in the next trial is done."""
    trials = []

    def policy(text, options):
        if options is None:
            return ' I look elsewhere.'
        names = [option.strip() for option in options]
        own = text.rsplit('Your task is to: ', 1)[1]
        trials.extend(['trial'] * ('Act: ' not in own))
        if 'Act: ' not in own:
            return names.index(next(name for name in names if name.startswith('go to')))
        return names.index('failure' if len(trials) < 2 else 'done')

    return policy


def stack_with(make_stack, **options):
    return make_stack(model=PolicyModel(gives_up_once()), planner=FREE, **options)


@pytest.mark.parametrize('planner', ['try_again', 'reflexion'])
def test_trials_begin_in_a_world_put_back_as_it_was_loaded(planner, make_stack, tmp_path):
    stack = stack_with(make_stack)
    stack.planner._skills.find(CancelToken())
    before = stack.planner._skills.look(CancelToken())
    result = stack.plan(planner=planner).result
    assert result.success, result.error_msg
    # A busy machine may tell of a slow memory.
    assert not [notice for notice in result.notices if 'trial' in notice]
    # Of the last trial alone.
    state = stack.planner._skills.world_state(CancelToken())
    assert (state.skills_executed, state.task_id) == (1, 'setup_table:9001')
    (journal,) = (tmp_path / 'runs').glob('*.jsonl')
    events = list(read_journal(journal))
    looks = [event for event in events if getattr(event, 'skill', 'x') == '' and event.node_id > 2]
    texts = [event.text for event in looks if hasattr(event, 'facts')]
    assert texts.count(before.text) == 2
    tree = reduce_events(events)
    assert [node.goal[-14:] for node in tree.nodes[2:4]] == ['(trial 1 of 3)', '(trial 2 of 3)']


def test_a_robot_that_cannot_be_reset_is_refused_by_reflexion_and_no_skill_runs(make_stack):
    stack = stack_with(make_stack)

    def refuse(request, response):
        response.message = 'This is a robot: put things back by hand.'
        return response

    robot = stack.client.create_service(ResetWorld, 'robot/reset_world', refuse)
    stack.planner._skills._reset = stack.planner.create_client(ResetWorld, 'robot/reset_world')
    result = stack.plan(planner='reflexion').result
    assert result.error_code == Result.SKILL_ERROR
    assert 'This is a robot: put things back by hand.' in result.error_msg
    assert 'try_again or adapt' in result.error_msg
    assert result.steps == 0
    # Try Again goes on where it is, and says so.
    result = stack.plan(planner='try_again').result
    assert result.success
    told = 'Every trial goes on where the last one ended.'
    assert [notice.startswith(told) for notice in result.notices].count(True) == 1
    stack.client.destroy_service(robot)


def test_a_server_without_the_service_is_told_so(make_stack):
    stack = make_stack(planner=(('service_timeout', 0.3),))
    stack.planner._skills._reset = stack.planner.create_client(ResetWorld, 'nowhere/reset_world')
    with pytest.raises(SkillError, match='no service reset_world'):
        stack.planner._skills.reset(CancelToken())


def test_a_planner_from_outside_runs_in_plan_task(make_stack, tmp_path, monkeypatch):
    (tmp_path / 'tour').mkdir()
    monkeypatch.syspath_prepend(str(install_package_of('add_a_planner.md', tmp_path / 'tour')))
    stack = stack_with(make_stack)
    result = stack.plan(planner='tour').result
    assert result.error_code in (Result.NONE, Result.TASK_FAILED), result.error_msg
    assert result.tree.planner == 'tour'
    assert result.tree.nodes[2].goal == 'see every room'
    assert result.tree.nodes[2].steps > 1
