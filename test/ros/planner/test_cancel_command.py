"""The run that a planner is at work on is named to who comes with another task, and canceled."""

from __future__ import annotations

import pytest

from reactree_core.errors import SkillError
from reactree_ros.action import PlanTask
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from reactree_tools.ros.plan_client import PlanClient, PlanRequest
from reactree_tools.ros.session import Session


def test_the_run_at_work_is_named_and_can_be_canceled(make_stack, capsys):
    stack = make_stack(bridge=(('skill_duration', 30.0),))
    namespace = stack.planner.get_namespace()
    first = stack.send(task='set the kitchen table')
    stack.wait(lambda: any(message.kind == message.KIND_ACT for message in stack.decisions))
    run = bytes(first.goal_id.uuid).hex()[:8]
    with Session(namespace) as session:
        client = PlanClient(session, PlanRequest('go to kitchen 1'))
        assert client.find(lambda: False)
        with pytest.raises(SkillError) as refused:
            client.send()
    assert f'it is at work on "set the kitchen table" (run {run}). Wait' in str(refused.value)
    assert f'`reactree cancel --namespace {namespace}`' in str(refused.value)

    assert main(['cancel', '--namespace', namespace, '--plain']) == ExitCode.OK
    assert capsys.readouterr().out == f'Canceled: "set the kitchen table" (run {run}).\n'
    answer = stack.result_of(first.get_result_async())
    assert answer.result.error_code == PlanTask.Result.CANCELED
    assert main(['cancel', '--namespace', namespace, '--plain']) == ExitCode.FAILED
    assert capsys.readouterr().out == 'No run is at work.\n'


def test_a_planner_that_is_not_active_is_not_said_to_be_at_work(make_stack):
    stack = make_stack()
    stack.planner.trigger_deactivate()
    with Session(stack.planner.get_namespace()) as session:
        client = PlanClient(session, PlanRequest('go to kitchen 1'))
        assert client.find(lambda: False)
        with pytest.raises(SkillError, match='has just taken another one, or is not active'):
            client.send()
